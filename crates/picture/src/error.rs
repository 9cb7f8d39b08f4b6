//! Errors of rendering.

use thiserror::Error;

/// Errors of rendering.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PictureError {
    /// Nothing visible.
    #[error("there is nothing to draw: no surface, no spring and no particle with finite coordinates")]
    Empty,
    /// An invalid size of a picture.
    #[error("a picture of {width} x {height} pixels cannot be made: both sides must be 1 to {most}")]
    BadSize {
        /// Pixels across.
        width: usize,
        /// Pixels down.
        height: usize,
        /// Largest side.
        most: usize,
    },
    /// A camera without a view direction.
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
