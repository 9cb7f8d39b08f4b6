//! Knots and links of polylines: how often curves wind about each other and themselves, how far a ribbon is twisted, and which knot a
//! curve is.

pub mod alexander;
pub mod closing;
mod crossings;
pub mod gauss;
pub mod twist;

pub use alexander::{KnotInvariants, invariants};
pub use closing::closed_outside;
pub use gauss::{linking, writhe};
pub use twist::twist;

use thiserror::Error;

/// Why a knot cannot be determined.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum BadKnot {
    /// A polygon needs three corners.
    #[error("a closed curve needs at least 3 points, got {got}")]
    TooFewPoints {
        /// How many there were.
        got: usize,
    },
    /// A point that is not finite.
    #[error("point {index} of the curve is not finite")]
    NotFinite {
        /// Its number, from 0.
        index: usize,
    },
    /// No view direction was found in which all crossings can be determined.
    #[error("the curve touches itself, or nearly so, at segments {first} and {second}: it is no knot")]
    TouchesItself {
        /// One segment.
        first: usize,
        /// Another.
        second: usize,
    },
}
