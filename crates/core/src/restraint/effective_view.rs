//! Force evaluation under restraint: integrators keep the velocities `v = p/m` of momenta; models receive the effective velocities, with which
//! particles move, and evaluate only the dirty set.

use glam::DVec3;

use super::Restraint;
use crate::dirty_set::{DirtySet, LastEvaluation};
use crate::force::View;
use crate::system::System;

/// What a restrained system keeps between evaluations.
#[derive(Debug, Default)]
pub(crate) struct Rest {
    /// Effective velocities of the views passed to models.
    effective: [Vec<DVec3>; 2],
    known: LastEvaluation,
    moved: DirtySet,
    reached: DirtySet,
}

impl Rest {
    /// Invalidates the last evaluation.
    pub(crate) fn forget(&mut self) {
        self.known.is_valid = false;
    }

    /// Invalidates the last evaluation, unless it was made at this view.
    pub(crate) fn stays_known_at(&mut self, view: &View) {
        self.known.is_valid = self.known.is_valid && self.known.is_at(view);
    }
}

impl System {
    /// Sets or removes the restraint. Only before a simulation is made of the system. There must be limits for every particle.
    ///
    /// # Panics
    /// If there are more or fewer limits than particles.
    pub fn set_restraint(&mut self, restraint: Option<Restraint>) {
        let count = restraint.as_ref().map_or(self.len(), |restraint| restraint.limits.len());
        assert_eq!(count, self.len(), "limits of restraint for every particle");
        self.restraint = restraint;
    }

    /// The restraint given to [`System::set_restraint`], in steps in which any particle can be restrained.
    pub fn restraint(&self) -> Option<&Restraint> {
        self.restraint.as_ref().filter(|restraint| restraint.is_engaged())
    }

    /// Decides which bodies can be restrained in the step that starts from here; returns whether any changed.
    pub(crate) fn choose_restrained(&mut self, from: &View) -> bool {
        self.kinetic_jump = 0.0;
        let Some(restraint) = &mut self.restraint else { return false };
        let decided = restraint.update_groups(from.time, from.x, from.v);
        let before = if decided { self.energies().kinetic(from.v) } else { 0.0 };
        if let Some(restraint) = &mut self.restraint {
            restraint.update_limits(from.x, decided);
        }
        if decided {
            self.rest.forget();
            self.kinetic_jump = self.energies().kinetic(from.v) - before;
        }
        decided
    }

    /// Overwrites `out` with the total force at the effective velocities, of which only the dirty set is evaluated.
    pub(crate) fn restrained_forces(&mut self, view: &View, out: &mut [DVec3]) {
        self.with_effective_view(view, |system, view| match system.fed_back.is_empty() {
            true => system.update_forces(view, out),
            false => system.all_forces(view, out),
        });
    }

    fn update_forces(&mut self, view: &View, out: &mut [DVec3]) {
        let Rest { known, moved, reached, .. } = &mut self.rest;
        let mut is_little = known.update(view, moved);
        if is_little {
            reached.clear(view.x.len());
            for model in &mut self.models {
                match model.as_incremental() {
                    Some(model) => model.mark_dirty(view, moved, reached),
                    None => reached.add_all(),
                }
                if reached.is_all() {
                    is_little = false;
                    break;
                }
            }
        }
        if is_little {
            reached.sort();
            reached.list().iter().for_each(|i| known.force[*i as usize] = DVec3::ZERO);
            let models = self.models.iter_mut().filter_map(|model| model.as_incremental());
            models.for_each(|model| model.update_force(view, reached.list(), &mut known.force));
        } else {
            known.force.fill(DVec3::ZERO);
            self.models.iter_mut().for_each(|model| model.add_force(view, &mut known.force));
        }
        known.is_valid = true;
        out.copy_from_slice(&known.force);
    }

    /// Calls `act` with the view of effective velocities.
    pub(crate) fn with_effective_view<R>(&mut self, view: &View, act: impl FnOnce(&mut Self, &View) -> R) -> R {
        if self.restraint().is_none() {
            return act(self, view);
        }
        let mut effective = std::mem::take(&mut self.rest.effective[0]);
        self.active_set().write_effective(view.v, &mut effective);
        let result = act(self, &View { v: &effective, ..*view });
        self.rest.effective[0] = effective;
        result
    }

    /// The same for two views.
    pub(crate) fn with_effective_views<R>(
        &mut self,
        from: &View,
        to: &View,
        act: impl FnOnce(&mut Self, &View, &View) -> R,
    ) -> R {
        if self.restraint().is_none() {
            return act(self, from, to);
        }
        let mut effective = std::mem::take(&mut self.rest.effective[1]);
        self.active_set().write_effective(from.v, &mut effective);
        let result = self.with_effective_view(to, |system, to| act(system, &View { v: &effective, ..*from }, to));
        self.rest.effective[1] = effective;
        result
    }
}
