//! Errors of filling a body with particles, with a remedy.

use crate::stuffing::StuffingError;
use glam::DVec3;
use thiserror::Error;

/// What can go wrong when particles are placed.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum GrainError {
    /// A spacing that is not a positive number.
    #[error("the spacing is {spacing}: it must be above zero and finite")]
    Spacing {
        /// m
        spacing: f64,
    },
    /// Corners of a block that are not finite.
    #[error("the block reaches from {min} to {max}: coordinates must be finite")]
    NotFinite {
        /// The lowest corner, m.
        min: DVec3,
        /// The highest, m.
        max: DVec3,
    },
    /// A block that is thinner than one cell.
    #[error(
        "the block is {size} long along {axis}, less than one particle at a spacing of {spacing}: make the block longer or the \
         spacing shorter"
    )]
    BlockTooThin {
        /// `x`, `y` or `z`.
        axis: char,
        /// How long it is along that axis, m; below zero if its corners are the wrong way round.
        size: f64,
        /// m
        spacing: f64,
    },
    /// So far from the origin that coordinates cannot resolve a cell.
    #[error(
        "a spacing of {spacing} at coordinates up to {largest:e} leaves too few digits: move the body to the origin"
    )]
    TooFarAway {
        /// m
        spacing: f64,
        /// The largest coordinate, m.
        largest: f64,
    },
    /// Too many particles.
    #[error("a spacing of {spacing} makes {cells:.3e} particles, more than {most}: try {allowed:.3e} or more")]
    TooMany {
        /// m
        spacing: f64,
        /// How many it would be, about.
        cells: f64,
        /// How many there may be.
        most: usize,
        /// A spacing that makes few enough of a body that is thick in all directions, m.
        allowed: f64,
    },
    /// A closed surface that contains no cell centre.
    #[error("no particle of this spacing ({spacing}) fits into the surface; make the spacing below {below:.3e}")]
    NothingFits {
        /// m
        spacing: f64,
        /// The volume of the body over its area, or half the spacing, whichever is less, m.
        below: f64,
    },
    /// Much of the body lies between the centres of the cells, or cells are much larger than the body around them.
    #[error(
        "at a spacing of {spacing} the particles have {percent:.0} % of the volume of the body: parts are too thin for it; make the \
         spacing below {below:.3e}"
    )]
    TooThin {
        /// m
        spacing: f64,
        /// How much they have.
        percent: f64,
        /// As for [`GrainError::NothingFits`], m.
        below: f64,
    },
    /// A surface that encloses no body.
    #[error(transparent)]
    Surface(StuffingError),
}

impl From<StuffingError> for GrainError {
    fn from(error: StuffingError) -> Self {
        match error {
            StuffingError::Spacing { spacing } => Self::Spacing { spacing },
            StuffingError::TooFarAway { spacing, largest } => Self::TooFarAway { spacing, largest },
            StuffingError::NothingInside { spacing, suggested } => Self::NothingFits { spacing, below: suggested },
            other => Self::Surface(other),
        }
    }
}
