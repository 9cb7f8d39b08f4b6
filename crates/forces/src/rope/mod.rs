//! Ropes: deformable linear objects made of particles, springs, angles and torsions, [Ropes] section 4, with stiffness in SI units.
//!
//! **The cell.** At every point of the centreline stands a section of four particles: the point itself, R, and three wings S at 120° about
//! it. Per segment there are a spring along the centreline, for each wing both diagonals of its radial face (Rₖ Sₖ₊₁ and Sₖ Rₖ₊₁, the
//! *ties*, which keep sections at right angles to the rope), and three torsions about the segment; per section three spokes and three edges;
//! per inner point an angle. The three wings make it isotropic: two bending stiffnesses alike, no coupling of stretch, bending and twist.
//!
//! Why not the prism of three points without a centreline: its springs alone tie the three stiffnesses together, `EI ≤ EA ρ²/2` and
//! `GJ ≤ ¾ EA ρ⁴/L²`, so that a thin rope that hardly stretches could neither be limp nor resist twist with segments longer than its radius.
//! With R each stiffness has an element of its own, every set of three is reached, contact and knots see one chain of points, and the wings
//! carry just the polar inertia of a solid rope. [`super::rope::paper`] is the cell of the paper, for study.

pub mod calibrate;
pub mod cell;
pub mod paper;
pub mod presets;
pub mod quaternion;
pub mod tube;

pub use calibrate::{CellConstants, calibrate};
pub use cell::{RestShape, Rope, RopeSpec, rope};
pub use paper::{PaperCell, paper_rope};
pub use presets::{ROPES, RopeKind};

use crate::constraint::BadConstraint;
use pliant_geom::rope::BadRope;
use pliant_scalar::shown::metres;
use thiserror::Error;

/// Material of a rope.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RopeMaterial {
    /// EA, N: force per strain.
    pub stretch: f64,
    /// EI, N m²: moment per curvature.
    pub bend: f64,
    /// GJ, N m²: moment per twist.
    pub twist: f64,
    /// Mass per length, kg/m.
    pub mass_per_length: f64,
    /// Relaxation time of stretch, s.
    pub stretch_damping: f64,
    /// Relaxation time of bending, s.
    pub bend_damping: f64,
    /// Relaxation time of twist, s.
    pub twist_damping: f64,
}

impl RopeMaterial {
    /// A solid round rod: Young's modulus (Pa), Poisson's ratio, density (kg/m³), radius (m). Real ropes are far easier to bend, because
    /// their fibres slide.
    pub fn solid(young: f64, poisson: f64, density: f64, radius: f64) -> Self {
        let area = std::f64::consts::PI * radius * radius;
        let bend = young * area * radius * radius / 4.0;
        Self {
            stretch: young * area,
            bend,
            // G J = E/(2 (1 + ν)) · 2 I
            twist: bend / (1.0 + poisson),
            mass_per_length: density * area,
            stretch_damping: 0.0,
            bend_damping: 0.0,
            twist_damping: 0.0,
        }
    }

    /// The same, with one relaxation time for all, s.
    pub fn damped(self, time: f64) -> Self {
        Self { stretch_damping: time, bend_damping: time, twist_damping: time, ..self }
    }

    fn check(&self) -> Result<(), RopeError> {
        let positive = [
            ("stretch stiffness EA", self.stretch),
            ("bending stiffness EI", self.bend),
            ("torsional stiffness GJ", self.twist),
            ("mass per length", self.mass_per_length),
        ];
        if let Some(&(what, value)) = positive.iter().find(|(_, value)| !(*value > 0.0 && value.is_finite())) {
            return Err(RopeError::NotPositive { what, value });
        }
        let times = [
            ("damping time of stretch", self.stretch_damping),
            ("damping time of bending", self.bend_damping),
            ("damping time of twist", self.twist_damping),
        ];
        match times.iter().find(|(_, value)| !(*value >= 0.0 && value.is_finite())) {
            Some(&(what, value)) => Err(RopeError::Negative { what, value }),
            None => Ok(()),
        }
    }
}

/// Errors of ropes.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum RopeError {
    /// Error of its curve.
    #[error(transparent)]
    Curve(#[from] BadRope),
    /// Error of one of its elements.
    #[error(transparent)]
    Element(#[from] BadConstraint),
    /// A number that must be above zero.
    #[error("{what} is {value}: it must be above zero and finite")]
    NotPositive {
        /// Its name.
        what: &'static str,
        /// Its value.
        value: f64,
    },
    /// A number that must not be negative.
    #[error("{what} is {value}: it must be a finite number, zero or more")]
    Negative {
        /// Its name.
        what: &'static str,
        /// Its value.
        value: f64,
    },
    /// A rope that is curved at rest has a bending stiffness too high for its stretch stiffness.
    #[error(
        "a rope that is curved at rest bends by springs at its section's radius, and with EI = {bend} N m² and EA = {stretch} N that radius must be at least {}, not {}: set a larger section radius, or let it be straight at rest",
        metres(*.least),
        metres(*.radius)
    )]
    Unattainable {
        /// EI.
        bend: f64,
        /// EA.
        stretch: f64,
        /// Radius of the section, m.
        radius: f64,
        /// Least admissible radius, m.
        least: f64,
    },
}
