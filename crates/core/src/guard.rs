//! A guard may refuse the end of a step for reasons that no error estimate sees: penetration, inversion, or overshoot. The loop then retries with
//! a fraction of the step; because an attempt never changes its start, the retry is exact.

use crate::point::Point;

/// The verdict of a guard on an attempted step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum GuardVerdict {
    /// The step is accepted.
    Pass,
    /// Only this fraction of the step, in (0, 1), may be taken.
    Fraction(f64),
}

/// Examines both ends of an attempted step.
pub trait StepGuard: Send {
    /// Judges the step from one point to another.
    fn check(&mut self, from: &Point, to: &Point) -> GuardVerdict;
}
