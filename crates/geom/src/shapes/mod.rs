//! Triangle meshes of simple shapes, all with corners counterclockwise from outside, all closed but the sheet.
//!
//! Sizes are metres. Invalid sizes (a size that is not above zero, too few or too many cells) are errors, never panics.

mod bunny;
mod cuboid;
mod divide;
mod flips;
mod goblet;
mod implicit;
mod liver;
mod round;
mod sheet;
mod smooth;

pub use bunny::bunny;
pub use cuboid::cuboid;
pub use divide::divided;
pub use goblet::goblet;
pub use implicit::polygonise;
pub use liver::liver;
pub use round::{capsule, icosphere, torus};
pub use sheet::{Diagonals, Sheet};

use thiserror::Error;

/// Why a shape cannot be built.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum BadShape {
    /// A size that is zero, negative or NaN.
    #[error("{what} is {value}: it must be above zero and finite")]
    Size {
        /// Which one.
        what: &'static str,
        /// What it was.
        value: f64,
    },
    /// Too few cells.
    #[error("{what} is {value}: it must be at least {least}")]
    TooFew {
        /// Of what.
        what: &'static str,
        /// How many there were.
        value: usize,
        /// How many there must be.
        least: usize,
    },
    /// A field with a surface that has detail below the resolution of the lattice.
    #[error("the surface has detail finer than the cell of {cell}: no manifold mesh was found")]
    TooCoarse {
        /// Of the lattice, m.
        cell: f64,
    },
    /// Too many triangles.
    #[error("that would be more than {MAX_TRIANGLES} triangles")]
    TooMany,
}

/// Largest number of triangles; more are a mistake in the input.
pub const MAX_TRIANGLES: usize = 20_000_000;

fn sizes(all: &[(&'static str, f64)]) -> Result<(), BadShape> {
    match all.iter().find(|(_, value)| !(*value > 0.0 && value.is_finite())) {
        Some(&(what, value)) => Err(BadShape::Size { what, value }),
        None => Ok(()),
    }
}

fn at_least(least: usize, all: &[(&'static str, usize)]) -> Result<(), BadShape> {
    match all.iter().find(|(_, value)| *value < least) {
        Some(&(what, value)) => Err(BadShape::TooFew { what, value, least }),
        None => Ok(()),
    }
}

/// Checks the product of some numbers against [`MAX_TRIANGLES`].
fn not_too_many(factors: &[usize]) -> Result<(), BadShape> {
    let product = factors.iter().try_fold(1_usize, |product, factor| product.checked_mul(*factor));
    product.filter(|n| *n <= MAX_TRIANGLES).map(|_| ()).ok_or(BadShape::TooMany)
}
