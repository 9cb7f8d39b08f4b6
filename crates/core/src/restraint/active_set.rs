//! The active set: which particles move, and how. Without restraint it holds all of them. The steps, loops and solvers ask it, and nothing else of
//! restraint.

use glam::{DMat3, DVec3};
use pliant_parallel::{Cost, for_each_chunk_of};

use super::Activity;
use crate::attempt::ErrorAt;
use crate::system::System;

/// Number of particles per activity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Activities {
    /// Moving as without restraint.
    pub active: usize,
    /// Moving more slowly than without restraint.
    pub transition: usize,
    /// At rest.
    pub restrained: usize,
}

impl Activities {
    /// The share that moves; 1 if there are no particles, as before the first step.
    pub fn moving(&self) -> f64 {
        let moving = self.active + self.transition;
        if self.restrained == 0 { 1.0 } else { moving as f64 / (moving + self.restrained) as f64 }
    }
}

/// Which particles of a system move, and how: [`System::active_set`]. All of them, in a system without restraint.
#[derive(Clone, Copy)]
pub struct ActiveSet<'a>(pub(crate) &'a System);

impl ActiveSet<'_> {
    /// Change of the kinetic energy because other bodies are restrained since the last [`System::begin_step`], J.
    pub fn kinetic_jump(&self) -> f64 {
        self.0.kinetic_jump
    }

    /// Whether bodies are released in this stage.
    pub fn has_released(&self) -> bool {
        self.0.restraint.as_ref().is_some_and(|restraint| restraint.has_released())
    }

    /// The effective velocity of a particle with the momentum of `v`.
    #[inline]
    pub fn effective(&self, i: usize, v: DVec3) -> DVec3 {
        match self.0.restraint() {
            // pinned and held particles move as prescribed
            Some(restraint) if self.0.free[i] => restraint.effective(i, v),
            _ => v,
        }
    }

    /// Whether a particle with this v moves.
    pub fn activity(&self, i: usize, v: DVec3) -> Activity {
        match self.0.restraint() {
            Some(restraint) if self.0.free[i] => restraint.activity(i, v),
            _ => Activity::Active,
        }
    }

    /// ∂u/∂v of a particle; `None` where it is the identity.
    pub fn slope(&self, i: usize, v: DVec3) -> Option<DMat3> {
        self.0.restraint().filter(|_| self.0.free[i]).and_then(|restraint| restraint.slope(i, v))
    }

    /// The square root of ∂u/∂v of a particle; `None` where it is the identity.
    pub fn root(&self, i: usize, v: DVec3) -> Option<DMat3> {
        self.0.restraint().filter(|_| self.0.free[i]).and_then(|restraint| restraint.root(i, v))
    }

    /// Overwrites `out` with effective velocities.
    pub(crate) fn write_effective(&self, v: &[DVec3], out: &mut Vec<DVec3>) {
        out.resize(v.len(), DVec3::ZERO);
        for_each_chunk_of(Cost::Light, out, |start, chunk| {
            for (i, out) in (start..).zip(chunk) {
                *out = self.effective(i, v[i]);
            }
        });
    }

    /// Number of particles per activity, without pinned ones.
    pub fn activities(&self, v: &[DVec3]) -> Activities {
        let mut all = Activities::default();
        if self.0.restraint().is_none() {
            return Activities { active: self.0.len() - self.0.pins.len(), ..all };
        }
        for (i, v) in v.iter().enumerate().filter(|(i, _)| self.0.free[*i]) {
            match self.activity(i, *v) {
                Activity::Active => all.active += 1,
                Activity::Transition => all.transition += 1,
                Activity::Restrained => all.restrained += 1,
            }
        }
        all
    }

    /// v after a time in which no particle moves and no force changes, and the impulse that fades in it, kg m/s.
    pub fn advance_at_rest(&self, v: &[DVec3], force: &[DVec3], dt: f64, out: &mut [DVec3]) -> f64 {
        let Some(restraint) = self.0.restraint() else { return 0.0 };
        let mut lost = DVec3::ZERO;
        for (i, out) in out.iter_mut().enumerate() {
            let acceleration = force[i] * self.0.inverse_masses[i];
            let pushed = v[i] + acceleration * dt;
            *out = if restraint.damping_time.is_finite() { restraint.damped(v[i], acceleration, dt) } else { pushed };
            lost += (pushed - *out) * self.0.masses[i];
        }
        lost.length()
    }

    /// Fades the momenta of particles that are restrained over a whole step of length `dt`, after the step: v begins as `from` and is `to` now.
    /// Returns the impulse that is lost, kg m/s.
    pub fn damp_restrained(&self, from: &[DVec3], dt: f64, to: &mut [DVec3]) -> f64 {
        let Some(restraint) = self.0.restraint().filter(|restraint| restraint.damping_time.is_finite()) else {
            return 0.0;
        };
        let mut lost = DVec3::ZERO;
        for (i, to) in to.iter_mut().enumerate().filter(|(i, _)| self.0.free[*i]) {
            let stands = |v: DVec3| restraint.activity(i, v) == Activity::Restrained;
            if stands(from[i]) && (*to != DVec3::ZERO || from[i] != DVec3::ZERO) {
                let after = restraint.damped(from[i], (*to - from[i]) / dt, dt);
                if stands(after) {
                    lost += (*to - after) * self.0.masses[i];
                    *to = after;
                }
            }
        }
        lost.length()
    }

    /// Time until the first restrained particle moves, s; `None` if any particle moves, or forces may change while all are at rest.
    pub fn time_to_first_wake(&self, v: &[DVec3], force: &[DVec3]) -> Option<f64> {
        let restraint = self.0.restraint()?;
        if self.0.has_moving_pins() || !self.0.is_steady() {
            return None;
        }
        let mut first = f64::INFINITY;
        for (i, v) in v.iter().enumerate().filter(|(i, _)| self.0.free[*i]) {
            if restraint.activity(i, *v) != Activity::Restrained {
                return None;
            }
            first = first.min(restraint.wakes_in(i, *v, force[i] * self.0.inverse_masses[i]));
        }
        Some(first)
    }
}

/// The restraint within an implicit stage: [`System::active_set_mut`].
pub struct ActiveSetMut<'a>(pub(crate) &'a mut System);

impl ActiveSetMut<'_> {
    /// Begins an implicit stage from `v`, until [`ActiveSetMut::end_stage`]: particles that move at `v` may become arbitrarily slow in it.
    pub fn begin_stage(&mut self, x: &[DVec3], v: &[DVec3]) {
        let Some(restraint) = self.0.restraint.as_mut().filter(|restraint| restraint.is_engaged()) else { return };
        restraint.restore_limits(x);
        if restraint.release_newly_restrained() {
            self.0.rest.forget();
        }
        for (i, v) in v.iter().enumerate().filter(|(i, _)| self.0.free[*i]) {
            if restraint.activity(i, *v) != Activity::Restrained {
                restraint.keep_moving(i);
            }
        }
    }

    /// Lets a particle that is woken in a stage become arbitrarily slow as well.
    pub fn keep_moving(&mut self, i: usize) {
        if let Some(restraint) = &mut self.0.restraint {
            restraint.keep_moving(i);
        }
    }

    /// Releases bodies that `v` wakes, until the stage ends; see [`Restraint::release_woken`].
    pub fn release_woken(&mut self, late: bool, v: &[DVec3]) -> bool {
        let Some(restraint) = self.0.restraint.as_mut().filter(|restraint| restraint.is_engaged()) else {
            return false;
        };
        let any = restraint.release_woken(late, v, &self.0.free);
        if any {
            self.0.rest.forget();
        }
        any
    }

    /// Records that forces on released bodies are not in balance at the end of the stage.
    pub fn note_unbalanced(&mut self) {
        if let Some(restraint) = &mut self.0.restraint {
            restraint.note_unbalanced();
        }
    }

    /// Ends a stage that began from `x`.
    pub fn end_stage(&mut self, x: &[DVec3]) {
        if let Some(restraint) = &mut self.0.restraint {
            restraint.restore_limits(x);
        }
    }

    /// Largest error of positions over particles that are neither pinned nor restrained at `v`.
    pub fn max_over_moving(&mut self, v: &[DVec3], f: impl Fn(usize, f64) -> DVec3 + Sync) -> ErrorAt {
        match self.0.restraint.as_ref().filter(|restraint| restraint.is_engaged()) {
            None => self.0.max_over_free(f),
            Some(restraint) => {
                let stands = |i: usize| restraint.activity(i, v[i]) == Activity::Restrained;
                let (free, weights) = (&self.0.free, &self.0.inverse_masses);
                let norm = |i: usize| if free[i] && !stands(i) { f(i, weights[i]).length() } else { 0.0 };
                let (particle, metres) = self.0.partials.max(free.len(), norm).unwrap_or((0, 0.0));
                ErrorAt { metres, particle }
            }
        }
    }
}
