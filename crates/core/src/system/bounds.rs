//! Bounds on the step length.

use super::System;
use crate::force::{ForceModel, Rates, View};
use glam::DVec3;

/// Bounds on the step of a system: [`System::bounds`].
pub struct Bounds<'a>(pub(super) &'a mut System);

impl Bounds<'_> {
    /// A bound of |λ| of the first-order system, 1/s: for stiffness `k/m = ω²` and damping `c/m = d` every eigenvalue has
    /// |λ| ≤ (d + √(d² + 4ω²)) / 2, which is ω without damping. A scheme with stability limit L on oscillators takes dt ≤ L / |λ|
    /// (exact for symplectic Euler: dt² ω² + 2 dt d = 4).
    pub fn frequency_bound(&mut self, view: &View) -> f64 {
        self.0.frequency_bound_of(view, |_| true)
    }

    /// The same without the models for which [`Bounds::step_limit`] is sufficient.
    pub fn frequency_bound_besides_limits(&mut self, view: &View) -> f64 {
        self.0.frequency_bound_of(view, |model| !model.properties().limits_steps)
    }

    /// The particle with the highest frequency bound.
    pub fn stiffest_particle(&mut self, view: &View) -> usize {
        self.0.fill_rates(view, |_| true);
        let bounds = self.0.rates.iter().zip(&self.0.inverse_masses).map(|(rates, weight)| rates.frequency(*weight));
        let highest = |best: (usize, f64), (i, bound): (usize, f64)| if bound > best.1 { (i, bound) } else { best };
        bounds.enumerate().fold((0, 0.0), highest).0
    }

    /// The longest step that all models allow, s; `force` is the force at the state, or empty.
    pub fn step_limit(&mut self, view: &View, force: &[DVec3]) -> f64 {
        self.0.with_effective_view(view, |system, view| {
            let weights = &system.inverse_masses;
            let limited = system.models.iter_mut().filter_map(|model| model.as_step_limited());
            let limits = limited.map(|model| model.step_limit(view, force, weights));
            limits.fold(f64::INFINITY, f64::min)
        })
    }
}

impl System {
    fn frequency_bound_of(&mut self, view: &View, counts: impl Fn(&dyn ForceModel) -> bool) -> f64 {
        self.fill_rates(view, counts);
        let bounds = self.rates.iter().zip(&self.inverse_masses).map(|(rates, weight)| rates.frequency(*weight));
        bounds.fold(0.0, f64::max)
    }

    /// Computes the rates of the models that count.
    fn fill_rates(&mut self, view: &View, counts: impl Fn(&dyn ForceModel) -> bool) {
        let mut rates = std::mem::take(&mut self.rates);
        rates.fill(Rates::default());
        self.with_effective_view(view, |system, view| {
            let models = system.models.iter_mut().filter(|model| counts(&***model));
            models.for_each(|model| model.add_rates(view, &system.free, &mut rates));
        });
        self.rates = rates;
    }
}
