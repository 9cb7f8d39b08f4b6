//! A fixed step, given by the user. Frames are divided into equal steps no longer than it.

use pliant_core::{Binding, Point, System};
use pliant_scalar::shown::seconds;

use super::catalog::Controller;
use super::parameter::STEP;
use super::{ControlKind, StepBounds, StepController, Trial, Verdict};
use crate::integrator::Properties;

impl ControlKind {
    /// The given step.
    pub const FIXED: Self = Self(&Controller {
        allows_study: true,
        describe: |spec| format!(", steps of {} or less", seconds((STEP.value)(spec))),
        ..Controller::new(
            "fixed",
            "the given step; every frame is divided into equal steps no longer than it",
            &STEP,
            |spec| Box::new(Fixed::new((STEP.value)(spec), spec.bounds)),
        )
    });
}

/// See the file head.
#[derive(Clone, Copy, Debug)]
pub struct Fixed {
    dt: f64,
    bounds: StepBounds,
}

impl Fixed {
    /// Steps of `dt` seconds; a step that fails is retried down to the smallest one.
    pub fn new(dt: f64, bounds: StepBounds) -> Self {
        Self { dt, bounds }
    }
}

impl StepController for Fixed {
    fn name(&self) -> &'static str {
        "fixed"
    }

    fn bounds(&self) -> StepBounds {
        self.bounds
    }

    fn first(&mut self, _system: &mut System, _start: &Point, _properties: &Properties) -> f64 {
        self.dt
    }

    fn judge(&mut self, _trial: &mut Trial) -> Verdict {
        Verdict::Accept { next: self.dt, error: f64::NAN, binding: Binding::Given }
    }

    fn divides_frames(&self) -> bool {
        true
    }
}
