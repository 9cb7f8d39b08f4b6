//! A guard may refuse the end of a step for reasons that no error estimate sees: something would be passed through, turned inside
//! out, or overshot. The loop then retries with a fraction of the step; because an attempt never touches its start, that is exact.

use crate::point::Point;

/// What a guard says of an attempted step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum GuardVerdict {
    /// Nothing to object.
    Pass,
    /// Only this fraction of the step, in (0, 1), may be taken.
    Fraction(f64),
}

/// Looks at both ends of an attempted step.
pub trait StepGuard: Send {
    /// Judges the step from one point to another.
    fn check(&mut self, from: &Point, to: &Point) -> GuardVerdict;
}
