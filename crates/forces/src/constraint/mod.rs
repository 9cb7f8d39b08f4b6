//! Energies that hold one measure of a few particles at its value at rest, [Ropes] section 3: the volume of a tetrahedron, the area of a
//! triangle, the angle at a vertex or between a section and a segment, the twist about a segment, its shear. The distance of two particles is [`crate::spring::linear`].
//!
//! Each has a force and an exact derivative and neither pushes nor turns the whole. All but the angles can be damped by the rate of their
//! measure with a relaxation time τ: the measure u is replaced by `u + τ u̇` where it is compared with its value at rest. That power is never positive
//! and vanishes in rigid motion.

pub mod angle;
pub mod area;
#[cfg(test)]
mod checks;
pub(crate) mod examples;
pub mod relative;
pub mod section;
pub mod shear;
pub mod torsion;
pub mod volume;

use thiserror::Error;

/// Why there is no such constraint.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum BadConstraint {
    /// A number that must be zero or more.
    #[error("{what} is {value}: it must be a finite number, zero or more")]
    Negative {
        /// Which one.
        what: &'static str,
        /// What it was.
        value: f64,
    },
    /// A number that must be above zero.
    #[error("{what} is {value}: it must be above zero and finite")]
    NotPositive {
        /// Which one.
        what: &'static str,
        /// What it was.
        value: f64,
    },
    /// A rest shape without the thing that is to be held.
    #[error("the rest shape of particles {nodes:?} is degenerate: it has no {what}")]
    Degenerate {
        /// Volume, area, angle.
        what: &'static str,
        /// The particles.
        nodes: Vec<u32>,
    },
}

fn not_negative(what: &'static str, value: f64) -> Result<(), BadConstraint> {
    if value >= 0.0 && value.is_finite() { Ok(()) } else { Err(BadConstraint::Negative { what, value }) }
}

fn positive(what: &'static str, value: f64) -> Result<(), BadConstraint> {
    if value > 0.0 && value.is_finite() { Ok(()) } else { Err(BadConstraint::NotPositive { what, value }) }
}
