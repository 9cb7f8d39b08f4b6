//! Why there is no picture.

use thiserror::Error;

/// What can go wrong.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PictureError {
    /// Nothing that could be seen.
    #[error("there is nothing to draw: no surface, no spring and no particle with finite coordinates")]
    Empty,
    /// A size that no picture has.
    #[error("a picture of {width} x {height} pixels cannot be made: both sides must be 1 to {most}")]
    BadSize {
        /// Pixels across.
        width: usize,
        /// Pixels down.
        height: usize,
        /// Largest side.
        most: usize,
    },
    /// A camera that looks nowhere.
    #[error("the camera is not usable: {0}")]
    BadCamera(&'static str),
    /// A PNG or GIF that cannot be written or read.
    #[error("{what}: {why}")]
    Format {
        /// `PNG` or `GIF`.
        what: &'static str,
        /// What its library says.
        why: String,
    },
}
