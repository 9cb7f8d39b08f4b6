//! Materials and bodies of peridynamics.

use std::ops::Range;

use pliant_scalar::shown::metres;
use thiserror::Error;

use super::crack::Crack;

/// Elasticity and strength.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Brittle {
    /// Density, kg/m³.
    pub density: f64,
    /// Young's modulus, Pa.
    pub young: f64,
    /// Poisson's ratio. Bond-based bodies have 1/4 in space and in plane strain, 1/3 in plane stress, and no other.
    pub poisson: f64,
    /// Energy release rate: energy per square metre of crack, G₀, J/m²; infinite: no fracture.
    pub release: f64,
    /// Toughening of a bond where other bonds of its ends are compressed: `s₀ + α max(0, -s_min)`, at the weaker end.
    pub toughening: f64,
}

impl Brittle {
    /// Bulk modulus, Pa.
    pub fn bulk(&self) -> f64 {
        self.young / (3.0 * (1.0 - 2.0 * self.poisson))
    }

    /// Shear modulus, Pa.
    pub fn shear(&self) -> f64 {
        self.young / (2.0 * (1.0 + self.poisson))
    }

    /// Wave speed in a thin bar, m/s.
    pub fn bar_speed(&self) -> f64 {
        (self.young / self.density).sqrt()
    }

    /// Pressure wave speed, m/s.
    pub fn pressure_speed(&self) -> f64 {
        ((self.bulk() + 4.0 / 3.0 * self.shear()) / self.density).sqrt()
    }

    /// Shear wave speed, m/s.
    pub fn shear_speed(&self) -> f64 {
        (self.shear() / self.density).sqrt()
    }

    /// Approximate Rayleigh wave speed, m/s: `c_s (0.862 + 1.14 ν)/(1 + ν)`. No opening crack is faster [Freund].
    pub fn rayleigh_speed(&self) -> f64 {
        self.shear_speed() * (0.862 + 1.14 * self.poisson) / (1.0 + self.poisson)
    }
}

/// Dimension of a body.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Space {
    /// Three dimensions.
    #[default]
    Three,
    /// One layer of particles in a plane of constant z, of a thin sheet with zero stress across it.
    PlaneStress {
        /// Thickness, m.
        thickness: f64,
    },
    /// The same, of a thick body without displacement along z.
    PlaneStrain {
        /// Thickness, m.
        thickness: f64,
    },
}

impl Space {
    /// Volume of a particle, m³.
    pub fn volume(self, spacing: f64) -> f64 {
        match self {
            Self::Three => spacing * spacing * spacing,
            Self::PlaneStress { thickness } | Self::PlaneStrain { thickness } => spacing * spacing * thickness,
        }
    }

    /// Whether it is one layer.
    pub fn is_plane(self) -> bool {
        self != Self::Three
    }

    /// The Poisson's ratio of bond-based bodies.
    pub fn poisson(self) -> f64 {
        match self {
            Self::PlaneStress { .. } => 1.0 / 3.0,
            _ => 0.25,
        }
    }
}

/// Constitutive law of bonds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Law {
    /// Force from its own length: the prototype microelastic brittle material.
    #[default]
    BondBased,
    /// Force from its own length and the dilatation at both ends: the linear peridynamic solid, in space, for every Poisson's ratio.
    StateBased,
}

/// One body.
#[derive(Clone, Debug, PartialEq)]
pub struct GrainBody {
    /// Its particles among those of the system.
    pub particles: Range<usize>,
    /// Spacing of its particles, m.
    pub spacing: f64,
    /// Horizon δ: the largest length of a bond, m.
    pub horizon: f64,
    /// Its dimension.
    pub space: Space,
    /// Its constitutive law.
    pub law: Law,
    /// Its material.
    pub material: Brittle,
    /// Whether bonds near the surface are stiffened to compensate for missing partners.
    pub surface_correction: bool,
    /// Initial cracks.
    pub cracks: Vec<Crack>,
}

impl GrainBody {
    /// A body in space with a horizon of 3.015 spacings: bonds of just 3 spacings are then included, however positions were rounded.
    pub fn new(particles: Range<usize>, spacing: f64, material: Brittle) -> Self {
        Self {
            particles,
            spacing,
            horizon: 3.015 * spacing,
            space: Space::Three,
            law: Law::BondBased,
            material,
            surface_correction: true,
            cracks: Vec::new(),
        }
    }

    /// Mass of a particle, kg.
    pub fn mass(&self) -> f64 {
        self.material.density * self.space.volume(self.spacing)
    }
}

/// Errors of body settings.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum BrittleError {
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
    /// Bond-based bodies cannot have this Poisson's ratio.
    #[error(
        "Poisson's ratio is {got}, but bonds that know only their own length have {only:.4} here, whatever their stiffness is; \
         a state-based body can have any"
    )]
    Poisson {
        /// The requested ratio.
        got: f64,
        /// The admissible ratio.
        only: f64,
    },
    /// State-based bodies must be three-dimensional.
    #[error("a state-based body cannot be two-dimensional here; bond-based ones can")]
    FlatStates,
    /// Bodies are not consecutive.
    #[error("particles {from} to {to} of a body do not follow those of the body before, or do not exist")]
    NotInOrder {
        /// First particle.
        from: usize,
        /// One past the last particle.
        to: usize,
    },
    /// The horizon ends before the nearest neighbour.
    #[error("the horizon of {} ends before the nearest particle, {} away; take about three spacings", metres(*.horizon), metres(*.spacing))]
    ShortHorizon {
        /// Horizon, m.
        horizon: f64,
        /// Spacing, m.
        spacing: f64,
    },
    /// A particle has no neighbours.
    #[error(
        "particle {particle} has no neighbour within the horizon ({count} such particles); make the spacing smaller"
    )]
    Lonely {
        /// The first such particle, counted within its body.
        particle: usize,
        /// Number of such particles.
        count: usize,
    },
    /// Particles of a plane body are not in one plane.
    #[error("the particles of a two-dimensional body must have one z; these reach from {low} to {high} m")]
    NotFlat {
        /// Lowest coordinate, m.
        low: f64,
        /// Highest coordinate, m.
        high: f64,
    },
}

/// Largest horizon in spacings: the number of bonds grows with its cube.
pub const MAX_HORIZON: f64 = 6.0;

pub(super) fn positive(what: &'static str, value: f64) -> Result<(), BrittleError> {
    let range = "positive and finite";
    if value.is_finite() && value > 0.0 { Ok(()) } else { Err(BrittleError::OutOfRange { what, value, range }) }
}

/// Tolerance on Poisson's ratio of bond-based bodies: files round it.
const SAME_POISSON: f64 = 5e-3;

impl GrainBody {
    /// Validates the settings.
    pub fn check(&self) -> Result<(), BrittleError> {
        let Brittle { density, young, poisson, release, toughening } = self.material;
        positive("the spacing", self.spacing)?;
        positive("the horizon", self.horizon)?;
        positive("the density", density)?;
        positive("Young's modulus", young)?;
        if release.is_nan() || release <= 0.0 {
            let range = "positive (infinite: it never breaks)";
            return Err(BrittleError::OutOfRange { what: "the energy release rate", value: release, range });
        }
        if !(toughening.is_finite() && toughening >= 0.0) {
            let range = "zero or positive, and finite";
            return Err(BrittleError::OutOfRange { what: "the toughening", value: toughening, range });
        }
        if let Space::PlaneStress { thickness } | Space::PlaneStrain { thickness } = self.space {
            positive("the thickness", thickness)?;
        }
        match self.law {
            Law::StateBased if self.space.is_plane() => return Err(BrittleError::FlatStates),
            Law::StateBased if !(poisson > -1.0 && poisson < 0.5) => {
                let range = "above -1 and below 1/2";
                return Err(BrittleError::OutOfRange { what: "Poisson's ratio", value: poisson, range });
            }
            Law::BondBased if poisson.is_nan() || (poisson - self.space.poisson()).abs() > SAME_POISSON => {
                return Err(BrittleError::Poisson { got: poisson, only: self.space.poisson() });
            }
            _ => {}
        }
        if self.horizon < self.spacing * (1.0 + 1e-9) {
            return Err(BrittleError::ShortHorizon { horizon: self.horizon, spacing: self.spacing });
        }
        if self.horizon / self.spacing > MAX_HORIZON * (1.0 + 1e-9) {
            let range = "at most 6 spacings";
            return Err(BrittleError::OutOfRange { what: "the horizon", value: self.horizon, range });
        }
        Ok(())
    }
}
