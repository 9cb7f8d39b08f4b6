//! Energies that hold one measure of a few particles at its value at rest, [Ropes] section 3: the volume of a tetrahedron, the area of a triangle,
//! the angle at a vertex or between a section and a segment, the twist about a segment, its shear. The distance of two particles is
//! [`crate::spring::linear`].
//!
//! Each has a force and an exact derivative and conserves momentum and angular momentum. All but the angles can be damped by the rate of their
//! measure with a relaxation time τ: the measure u is replaced by `u + τ u̇` where it is compared with its value at rest. That power is never
//! positive and vanishes in rigid motion.

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

/// Errors of constraints.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum BadConstraint {
    /// A number that must be zero or more.
    #[error("{what} is {value}: it must be a finite number, zero or more")]
    Negative {
        /// Its name.
        what: &'static str,
        /// Its value.
        value: f64,
    },
    /// A number that must be above zero.
    #[error("{what} is {value}: it must be above zero and finite")]
    NotPositive {
        /// Its name.
        what: &'static str,
        /// Its value.
        value: f64,
    },
    /// The measure is degenerate in the rest shape.
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
