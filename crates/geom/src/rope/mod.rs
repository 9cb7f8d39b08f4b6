//! Ropes before they have forces: curves through points and built-in ones, equal spacing, and frames that do not turn about the curve.

pub mod centreline;
pub mod curves;
pub mod frames;
pub mod resample;
pub mod separate;
pub mod spline;

pub use centreline::Centreline;
pub use curves::Curve;
pub use frames::Frames;
pub use separate::{Layout, separate};

use thiserror::Error;

/// Why a rope cannot be built.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum BadRope {
    /// Too few points.
    #[error("a rope needs at least {least} points, got {got}")]
    TooFewPoints {
        /// How many there must be.
        least: usize,
        /// How many there were.
        got: usize,
    },
    /// A point that is not finite.
    #[error("point {index} of the rope is not finite: {point:?}")]
    NotFinite {
        /// Its number, from 0.
        index: usize,
        /// Its coordinates.
        point: [f64; 3],
    },
    /// Two neighbouring points in one place.
    #[error("points {first} and {second} of the rope coincide")]
    Coincident {
        /// The one.
        first: usize,
        /// The other.
        second: usize,
    },
    /// A fold: the rope turns back on itself.
    #[error("the rope turns back on itself at point {index}: it has no direction there")]
    FoldedBack {
        /// Where.
        index: usize,
    },
    /// Too few or too many segments.
    #[error("a rope of {got} segments: it must have at least {least} and at most {MAX_SEGMENTS}")]
    Segments {
        /// How many there must be.
        least: usize,
        /// How many were asked for.
        got: usize,
    },
    /// A size that is zero, negative or NaN.
    #[error("{what} is {value}: it must be above zero and finite")]
    Size {
        /// Which one.
        what: &'static str,
        /// What it was.
        value: f64,
    },
    /// A rope too thick for its curve.
    #[error(
        "the rope's radius of {radius} m is more than the bend radius of {bend_radius} m at point {index}: use a thinner rope or a gentler curve"
    )]
    TooThick {
        /// Where.
        index: usize,
        /// Of the rope, m.
        radius: f64,
        /// Of the curve, m.
        bend_radius: f64,
    },
}

/// More segments than this are a mistake in the input.
pub const MAX_SEGMENTS: usize = 5_000_000;

fn size(what: &'static str, value: f64) -> Result<f64, BadRope> {
    if value > 0.0 && value.is_finite() { Ok(value) } else { Err(BadRope::Size { what, value }) }
}

fn segments(least: usize, got: usize) -> Result<(), BadRope> {
    if (least..=MAX_SEGMENTS).contains(&got) { Ok(()) } else { Err(BadRope::Segments { least, got }) }
}
