//! What a fluid is made of, what bounds it, and what is wrong with either.

use std::ops::Range;

use thiserror::Error;

use super::kernel::{Dimension, Kernel, KernelKind};

/// A fluid: particles of equal mass.
#[derive(Clone, Debug, PartialEq)]
pub struct Fluid {
    /// Its particles.
    pub particles: Range<usize>,
    /// Mass of each, kg.
    pub mass: f64,
    /// ρ₀, kg/m³.
    pub rest_density: f64,
    /// Speed of sound, m/s; ten times the fastest flow keeps the density within 1 %.
    pub sound_speed: f64,
    /// α of the artificial viscosity, which brakes what approaches.
    pub artificial_viscosity: f64,
    /// ν, m²/s.
    pub kinematic_viscosity: f64,
    /// κ, 1/s²: every particle pulls its neighbours with `κ m V W r`; 0: no surface tension.
    pub cohesion: f64,
    /// Whether pressures below zero are cut off, so that a free surface does not stick.
    pub clamped: bool,
    /// Added to the pressure everywhere, Pa.
    pub background_pressure: f64,
}

impl Fluid {
    /// An inviscid fluid.
    pub fn new(particles: Range<usize>, mass: f64, rest_density: f64, sound_speed: f64) -> Self {
        Self {
            particles,
            mass,
            rest_density,
            sound_speed,
            artificial_viscosity: 0.0,
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

/// Particles that bound the fluids; they move as pins or other forces have them move.
#[derive(Clone, Debug, PartialEq)]
pub struct Wall {
    /// Its particles.
    pub particles: Range<usize>,
    /// The volume that each of them fills for the fluid, m³: see [`super::wall_volumes`].
    pub volumes: Vec<f64>,
    /// Viscosity of the layer at the wall, Pa s; 0: the fluid slips.
    pub viscosity: f64,
    /// `None`: the wall compresses the fluid and has no pressure of its own, which is enough to hold it. With one, a wall as thick as the kernel
    /// reaches carries a fluid at rest as more of the fluid would.
    pub pressure: Option<WallPressure>,
}

/// How a wall answers to being compressed.
#[derive(Clone, Debug, PartialEq)]
pub struct WallPressure {
    /// B of Tait's law, Pa: that of the fluid.
    pub stiffness: f64,
    /// `Σ V W` over the wall's own particles, each for itself included: see [`super::wall_compressions`].
    pub compressions: Vec<f64>,
}

/// What holds for all fluids of a model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SphSettings {
    /// The kernel's shape.
    pub kernel: KernelKind,
    /// The dimension.
    pub dimension: Dimension,
    /// h, m.
    pub smoothing_length: f64,
    /// Lengths after which space repeats, m.
    pub periods: [Option<f64>; 3],
    /// How much farther than the support lists of neighbours look, as a part of h: they are kept while nobody has gone half as far.
    pub skin: f64,
}

impl SphSettings {
    /// A cubic spline in space.
    pub fn new(smoothing_length: f64) -> Self {
        let (kernel, dimension) = (KernelKind::CubicSpline, Dimension::Three);
        Self { kernel, dimension, smoothing_length, periods: [None; 3], skin: 0.5 }
    }

    /// The kernel.
    pub fn kernel(&self) -> Kernel {
        Kernel::new(self.kernel, self.dimension, self.smoothing_length)
    }

    /// How far lists of neighbours look, m.
    pub fn reach(&self) -> f64 {
        self.kernel().support() + self.skin * self.smoothing_length
    }
}

/// Why there is no such fluid.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum FluidError {
    /// A number is out of range.
    #[error("{what} is {value}; it must be {range}")]
    OutOfRange {
        /// Which number.
        what: &'static str,
        /// Its value.
        value: f64,
        /// What it must be.
        range: &'static str,
    },
    /// A range names particles that do not exist.
    #[error("particles {from} to {to} were named, but there are only {count}")]
    NoSuchParticles {
        /// The first.
        from: usize,
        /// Behind the last.
        to: usize,
        /// How many there are.
        count: usize,
    },
    /// Two ranges share a particle.
    #[error("particle {particle} belongs to two fluids or walls")]
    TwoOwners {
        /// The particle.
        particle: usize,
    },
    /// A wall has another number of volumes than of particles.
    #[error("a wall of {particles} particles has {volumes} volumes")]
    Volumes {
        /// Particles.
        particles: usize,
        /// Volumes.
        volumes: usize,
    },
}

/// `value` must be finite and positive, or zero where that is allowed.
pub(super) fn check(what: &'static str, value: f64, zero_too: bool) -> Result<(), FluidError> {
    let range = if zero_too { "zero or positive, and finite" } else { "positive and finite" };
    let good = value.is_finite() && (value > 0.0 || zero_too && value == 0.0);
    if good { Ok(()) } else { Err(FluidError::OutOfRange { what, value, range }) }
}

impl SphSettings {
    pub(super) fn check(&self) -> Result<(), FluidError> {
        check("the smoothing length", self.smoothing_length, false)?;
        check("the skin", self.skin, true)?;
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
        check("the speed of sound", self.sound_speed, false)?;
        check("the artificial viscosity", self.artificial_viscosity, true)?;
        check("the kinematic viscosity", self.kinematic_viscosity, true)?;
        check("the cohesion", self.cohesion, true)?;
        check("the background pressure", self.background_pressure, true)
    }
}

impl Wall {
    pub(super) fn check(&self) -> Result<(), FluidError> {
        let (particles, volumes) = (self.particles.len(), self.volumes.len());
        if particles != volumes {
            return Err(FluidError::Volumes { particles, volumes });
        }
        check("the viscosity at a wall", self.viscosity, true)?;
        if let Some(pressure) = &self.pressure {
            check("the stiffness of a wall", pressure.stiffness, true)?;
            let all = &pressure.compressions;
            if all.len() != particles {
                return Err(FluidError::Volumes { particles, volumes: all.len() });
            }
            all.iter().try_for_each(|own| check("the compression of a wall's particle", *own, true))?;
        }
        self.volumes.iter().try_for_each(|volume| check("the volume of a wall's particle", *volume, true))
    }
}
