//! Settings of fluids and their boundaries, and their validation.

use std::ops::Range;

use glam::DVec3;
use pliant_core::Motion;
use thiserror::Error;

use super::kernel::{Dimension, Kernel, KernelKind};
use crate::contact::{Collider, Shape};

/// A fluid: particles of equal mass.
#[derive(Clone, Debug, PartialEq)]
pub struct Fluid {
    /// Its particles.
    pub particles: Range<usize>,
    /// Mass of each, kg.
    pub mass: f64,
    /// ρ₀, kg/m³.
    pub rest_density: f64,
    /// Subtracted from the sum `Σ V W` of every particle: see [`super::rest_excess`]; 0 by default, for masses that make the sum exact on a lattice.
    pub excess: f64,
    /// Speed of sound, m/s; ten times the fastest flow keeps the density within 1 %.
    pub sound_speed: f64,
    /// α of the artificial viscosity, which damps the approach of particles.
    pub artificial_viscosity: f64,
    /// β of the bulk viscosity, which damps compression and expansion: see the head of `bulk.rs`.
    pub bulk_viscosity: f64,
    /// ν, m²/s.
    pub kinematic_viscosity: f64,
    /// κ, 1/s²: every particle attracts its neighbours with `κ m V W r`; 0: no surface tension.
    pub cohesion: f64,
    /// Whether negative pressures are clamped to zero, so that a free surface has no tensile stress.
    pub clamped: bool,
    /// Added to the pressure everywhere, Pa.
    pub background_pressure: f64,
}

impl Fluid {
    /// An inviscid fluid: the mass of one particle, kg, the density at rest, kg/m³, the speed of sound, m/s.
    pub fn new(particles: Range<usize>, mass: f64, rest_density: f64, sound_speed: f64) -> Self {
        Self {
            particles,
            mass,
            rest_density,
            excess: 0.0,
            sound_speed,
            artificial_viscosity: 0.0,
            bulk_viscosity: 0.0,
            kinematic_viscosity: 0.0,
            cohesion: 0.0,
            clamped: true,
            background_pressure: 0.0,
        }
    }

    /// `B = ρ₀ c²/7`, Pa.
    pub fn stiffness(&self) -> f64 {
        self.rest_density * self.sound_speed * self.sound_speed / 7.0
    }
}

/// Boundaries of fluids: see the head of `boundary_density.rs`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Boundaries {
    /// Rigid ones; a container is one plane per wall. The fluid slips along them unless it has a kinematic viscosity. Their friction is ignored.
    pub colliders: Vec<Collider>,
    /// Deformable ones, of particles, which receive the reaction.
    pub sheets: Vec<Sheet>,
    /// Spacing of the fluids' particles at rest, m.
    pub spacing: f64,
}

/// A surface of particles with fluid on one side or on both.
#[derive(Clone, Debug, PartialEq)]
pub struct Sheet {
    /// Corners of its triangles.
    pub triangles: Vec<[u32; 3]>,
    /// Thickness, m.
    pub thickness: f64,
}

/// Settings shared by all fluids of a model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SphSettings {
    /// The kernel's shape.
    pub kernel: KernelKind,
    /// The dimension.
    pub dimension: Dimension,
    /// h, m.
    pub smoothing_length: f64,
    /// Periods of space, m.
    pub periods: [Option<f64>; 3],
    /// Skin of the neighbour lists beyond the support, as a fraction of h: lists are kept while no particle has moved by more than half of it.
    pub skin: f64,
    /// Replaces Tait's pressure: see the head of `pressure_solve.rs`.
    pub incompressible: Option<Incompressible>,
}

/// Settings of the pressure solve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Incompressible {
    /// Largest mean compression, as a fraction of the density.
    pub density_error: f64,
    /// The step fails after this many iterations.
    pub most_iterations: u64,
}

impl Default for Incompressible {
    fn default() -> Self {
        Self { density_error: 1e-3, most_iterations: 100 }
    }
}

impl SphSettings {
    /// The kernel of Wendland in space, with a smoothing length in m.
    pub fn new(smoothing_length: f64) -> Self {
        let (kernel, dimension) = (KernelKind::default(), Dimension::Three);
        Self { kernel, dimension, smoothing_length, periods: [None; 3], skin: 0.5, incompressible: None }
    }

    /// The kernel.
    pub fn kernel(&self) -> Kernel {
        Kernel::new(self.kernel, self.dimension, self.smoothing_length)
    }

    /// Search radius of the neighbour lists, m.
    pub fn reach(&self) -> f64 {
        self.kernel().support() + self.skin * self.smoothing_length
    }
}

/// Errors of fluid settings.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum FluidError {
    /// A number is out of range.
    #[error("{what} is {value}; it must be {range}")]
    OutOfRange {
        /// Name of the number.
        what: &'static str,
        /// Its value.
        value: f64,
        /// The admissible range.
        range: &'static str,
    },
    /// A range contains particles that do not exist.
    #[error("particles {from} to {to} were named, but there are only {count}")]
    NoSuchParticles {
        /// First particle.
        from: usize,
        /// One past the last particle.
        to: usize,
        /// Number of particles.
        count: usize,
    },
    /// Two ranges share a particle.
    #[error("particle {particle} belongs to two fluids")]
    TwoOwners {
        /// The particle.
        particle: usize,
    },
}

/// Checks that `value` is finite and positive, or zero where that is allowed.
pub(super) fn check(what: &'static str, value: f64, zero_too: bool) -> Result<(), FluidError> {
    let range = if zero_too { "zero or positive, and finite" } else { "positive and finite" };
    let good = value.is_finite() && (value > 0.0 || zero_too && value == 0.0);
    if good { Ok(()) } else { Err(FluidError::OutOfRange { what, value, range }) }
}

impl SphSettings {
    pub(super) fn check(&self) -> Result<(), FluidError> {
        check("the smoothing length", self.smoothing_length, false)?;
        check("the skin", self.skin, true)?;
        if let Some(wanted) = self.incompressible {
            check("the density error", wanted.density_error, false)?;
        }
        let shortest = pliant_geom::CellGrid::shortest_period(self.reach());
        for length in self.periods.iter().flatten() {
            check("a period", *length, false)?;
            if *length < shortest {
                let range = "at least three times the support of the kernel with its skin";
                return Err(FluidError::OutOfRange { what: "a period", value: *length, range });
            }
        }
        Ok(())
    }
}

impl Fluid {
    pub(super) fn check(&self) -> Result<(), FluidError> {
        check("a particle's mass", self.mass, false)?;
        check("the rest density", self.rest_density, false)?;
        if !self.excess.is_finite() {
            let (what, range) = ("the excess of the density", "finite");
            return Err(FluidError::OutOfRange { what, value: self.excess, range });
        }
        check("the speed of sound", self.sound_speed, false)?;
        check("the artificial viscosity", self.artificial_viscosity, true)?;
        check("the bulk viscosity", self.bulk_viscosity, true)?;
        check("the kinematic viscosity", self.kinematic_viscosity, true)?;
        check("the cohesion", self.cohesion, true)?;
        check("the background pressure", self.background_pressure, true)
    }
}

impl Boundaries {
    /// The walls of a box, lengths in m; without a lid they extend upwards without end.
    pub fn container([low, high]: [DVec3; 2], has_lid: bool, spacing: f64) -> Self {
        let sides = DVec3::AXES.into_iter().flat_map(|axis| [(low, axis), (high, -axis)]);
        let sides = sides.filter(|(_, normal)| has_lid || *normal != DVec3::NEG_Y);
        let wall = |(point, normal): (DVec3, DVec3)| Collider {
            name: "container".into(),
            shape: Shape::Plane { point, normal },
            motion: Motion::default(),
            friction: 0.0,
        };
        Self { colliders: sides.map(wall).collect(), sheets: Vec::new(), spacing }
    }

    pub(super) fn check(&self, count: usize) -> Result<(), FluidError> {
        if self.colliders.is_empty() && self.sheets.is_empty() {
            return Ok(());
        }
        check("the spacing beside a boundary", self.spacing, false)?;
        for sheet in &self.sheets {
            check("the thickness of a sheet", sheet.thickness, true)?;
            if let Some(most) = sheet.triangles.iter().flatten().max().filter(|most| **most as usize >= count) {
                return Err(FluidError::NoSuchParticles { from: *most as usize, to: *most as usize + 1, count });
            }
        }
        Ok(())
    }
}
