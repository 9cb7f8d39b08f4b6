//! Constraints of all models: position-based projection, and how far they are violated.

use glam::DVec3;

use super::System;
use crate::force::View;

/// The constraints of a system: [`System::constraints`].
#[derive(Clone, Copy)]
pub struct Constraints<'a>(pub(super) &'a System);

impl Constraints<'_> {
    /// Position-based projection: so many sweeps over the constraints of all models, each with a part of the correction.
    pub fn project(&self, sweeps: u32, part: f64, x: &mut [DVec3]) {
        for _ in 0..sweeps {
            let models = self.0.models.iter().filter_map(|model| model.as_constrained());
            models.for_each(|model| model.project(&self.0.inverse_masses, part, x));
        }
    }

    /// The largest relative error of a constraint; `None` if no model has one.
    pub fn error(&self, view: &View) -> Option<f64> {
        let models = self.0.models.iter().filter_map(|model| model.as_constrained());
        let errors = models.filter_map(|model| model.constraint_error(view));
        errors.reduce(|a, b| if b > a || b.is_nan() { b } else { a })
    }
}
