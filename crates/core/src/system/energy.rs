//! Energies and momenta of the whole system.

use std::time::Instant;

use glam::DVec3;

use super::System;
use crate::force::{EnergyKind, View};
use crate::ledger::{Account, Energy, Powers};
use crate::state::State;

/// Energies and powers of a system: [`System::energies`].
pub struct Energies<'a>(pub(super) &'a mut System);

impl Energies<'_> {
    /// Kinetic energy, J; under restraint that of the restrained Hamiltonian.
    pub fn kinetic(&mut self, v: &[DVec3]) -> f64 {
        let System { masses, free, restraint, partials, .. } = &mut *self.0;
        if let Some(restraint) = restraint {
            let of = |i: usize| if free[i] { restraint.energy(i, v[i]) } else { 0.5 * v[i].length_squared() };
            return partials.sum(masses.len(), |range| range.map(|i| masses[i] * of(i)).sum());
        }
        partials.sum(masses.len(), |range| range.map(|i| 0.5 * masses[i] * v[i].length_squared()).sum())
    }

    /// Potential energy of all models, J; infinite where inadmissible.
    pub fn potential(&mut self, view: &View) -> f64 {
        let begun = Instant::now();
        let energy = self.0.with_effective_view(view, |system, view| {
            system.models.iter_mut().filter_map(|model| model.energy(view)).sum()
        });
        self.0.clock.book(|clock| &mut clock.forces, begun);
        energy
    }

    /// Potential energy of one model, by its number among [`System::models`].
    pub fn energy_of(&mut self, model: usize, view: &View) -> Option<f64> {
        self.0.with_effective_view(view, |system, view| system.models.get_mut(model)?.energy(view))
    }

    /// Potential of all velocity-dependent forces that have one, W.
    pub fn dissipation(&mut self, view: &View) -> f64 {
        self.0.with_effective_view(view, |system, view| {
            system
                .models
                .iter_mut()
                .filter_map(|model| model.as_dissipative())
                .map(|model| model.dissipation(view))
                .sum()
        })
    }

    /// A state's energies and powers, for the ledger. `force` must be the force at that state if any pin moves.
    pub fn account(&mut self, state: &State, force: &[DVec3]) -> Account {
        let kinetic = self.kinetic(&state.v);
        self.0.with_effective_view(&state.view(), |system, view| system.account_at_effective(view, kinetic, force))
    }

    /// Powers of forces without a potential on the straight path from one state to the next, W, except those evaluated at both ends.
    /// Restrained or not, the mean velocity is that of positions.
    pub fn mean_powers(&mut self, from: &State, to: &State) -> Powers {
        let begun = Instant::now();
        let [mut x, mut v] = std::mem::take(&mut self.0.midway);
        let span = to.time - from.time;
        let rate = span.recip();
        x.resize(to.len(), DVec3::ZERO);
        v.resize(to.len(), DVec3::ZERO);
        System::fill(&mut x, |i| from.x[i].midpoint(to.x[i]));
        System::fill(&mut v, |i| (to.x[i] - from.x[i]) * rate);
        let middle = View { time: from.time.midpoint(to.time), x: &x, v: &v };
        let powers = self.0.powers(&middle, Some(span), |at_ends| !at_ends);
        self.0.midway = [x, v];
        self.0.clock.book(|clock| &mut clock.forces, begun);
        powers
    }

    /// Powers of all forces without a potential at a state, W.
    pub fn powers_at(&mut self, state: &State) -> Powers {
        self.0.with_effective_view(&state.view(), |system, view| system.powers(view, None, |_| true))
    }
}

impl System {
    fn account_at_effective(&mut self, view: &View, kinetic: f64, force: &[DVec3]) -> Account {
        let mut energy = Energy { kinetic, ..Energy::default() };
        let mut released = 0.0;
        for model in &mut self.models {
            let potential = model.energy(view).unwrap_or(0.0);
            match model.properties().energy_kind {
                EnergyKind::Elastic => energy.elastic += potential,
                EnergyKind::Gravity => energy.gravity += potential,
            }
            released += model.as_stateful().map_or(0.0, |model| model.released_energy());
        }
        let powers = self.powers(view, None, |at_ends| at_ends);
        let mut account = Account { energy, powers, released, ..Account::default() };
        if self.moving_pins {
            for pin in &self.pins {
                let v = view.v[pin.particle];
                account.force_power_on_pins += force[pin.particle].dot(v);
                account.pinned_kinetic += 0.5 * self.masses[pin.particle] * v.length_squared();
            }
        }
        if self.has_emitters && !force.is_empty() {
            // held particles move without being pinned: their velocities do not change
            let pinned: f64 = self.pins.iter().map(|pin| force[pin.particle].dot(view.v[pin.particle])).sum();
            let held =
                (0..self.len()).filter(|i| !self.free[*i]).map(|i| force[i].dot(view.v[i])).sum::<f64>() - pinned;
            account.force_power_on_pins += held;
        }
        account
    }

    /// `span`: of the path with the view as its midpoint.
    fn powers(&mut self, view: &View, span: Option<f64>, whose: fn(bool) -> bool) -> Powers {
        let mut powers = Powers::default();
        for model in self.models.iter_mut().filter(|model| whose(model.properties().powers_at_ends)) {
            let is_contact = model.properties().is_contact;
            let Some(model) = model.as_dissipative() else { continue };
            let viscous = match span {
                None => model.viscous_power(view),
                Some(span) => model.mean_viscous_power(view, span),
            };
            *if is_contact { &mut powers.contact } else { &mut powers.viscous } += viscous;
            powers.loads += model.external_power(view);
            powers.colliders += model.collider_power(view);
        }
        powers
    }

    /// Total linear momentum, kg m/s.
    pub fn momentum(&self, state: &State) -> DVec3 {
        self.masses.iter().zip(&state.v).map(|(m, v)| *v * *m).sum()
    }
}
