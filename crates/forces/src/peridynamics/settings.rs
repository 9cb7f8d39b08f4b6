//! What a brittle body is made of.

use std::ops::Range;

use pliant_core::shown::metres;
use thiserror::Error;

use super::crack::Crack;

/// Elasticity and strength.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Brittle {
    /// kg/m³
    pub density: f64,
    /// Young's modulus, Pa.
    pub young: f64,
    /// Poisson's ratio. Bonds that know nothing of each other have 1/4 in space and in plane strain, 1/3 in plane stress, and no other.
    pub poisson: f64,
    /// Energy that a crack takes for each square metre it opens, G₀, J/m²; infinite: it never breaks.
    pub release: f64,
    /// How much stronger a bond is where others are compressed: `s₀ + α max(0, -s_min)`, at the weaker end.
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

    /// Speed of a wave of tension along a thin bar, m/s.
    pub fn bar_speed(&self) -> f64 {
        (self.young / self.density).sqrt()
    }

    /// Speed of a wave of pressure in a wide body, m/s.
    pub fn pressure_speed(&self) -> f64 {
        ((self.bulk() + 4.0 / 3.0 * self.shear()) / self.density).sqrt()
    }

    /// Speed of a wave of shear, m/s.
    pub fn shear_speed(&self) -> f64 {
        (self.shear() / self.density).sqrt()
    }

    /// About the speed of a wave along a surface, m/s: `c_s (0.862 + 1.14 ν)/(1 + ν)`. No crack that opens is faster [Freund].
    pub fn rayleigh_speed(&self) -> f64 {
        self.shear_speed() * (0.862 + 1.14 * self.poisson) / (1.0 + self.poisson)
    }
}

/// In how many dimensions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Space {
    /// All three.
    #[default]
    Three,
    /// One layer of particles in a plane of constant z, of a thin sheet that is free to become thinner.
    PlaneStress {
        /// m
        thickness: f64,
    },
    /// The same, of a thick body that cannot move along z.
    PlaneStrain {
        /// m
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

    /// The only Poisson's ratio that bonds alone can have.
    pub fn poisson(self) -> f64 {
        match self {
            Self::PlaneStress { .. } => 1.0 / 3.0,
            _ => 0.25,
        }
    }
}

/// What a bond knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Law {
    /// Its own length: the prototype microelastic brittle material.
    #[default]
    BondBased,
    /// How much the volume around both ends has changed as well: the linear peridynamic solid, in space, for every Poisson's ratio.
    StateBased,
}

/// One body.
#[derive(Clone, Debug, PartialEq)]
pub struct GrainBody {
    /// Its particles among those of the system.
    pub particles: Range<usize>,
    /// How far they are apart, m.
    pub spacing: f64,
    /// δ: farther than this particles are not bonded, m.
    pub horizon: f64,
    /// In how many dimensions.
    pub space: Space,
    /// What bonds know.
    pub law: Law,
    /// What it is made of.
    pub material: Brittle,
    /// Whether bonds near the surface are stiffer, to make up for those that are missing there.
    pub surface_correction: bool,
    /// Where it is cut from the beginning.
    pub cracks: Vec<Crack>,
}

impl GrainBody {
    /// A body in space with a horizon of 3.015 spacings: bonds whose length is just 3 spacings are then in, however positions were rounded.
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

/// Why there is no such body.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum BrittleError {
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
    /// Bonds alone cannot have this Poisson's ratio.
    #[error(
        "Poisson's ratio is {got}, but bonds that know only their own length have {only:.4} here, whatever their stiffness is; \
         a state-based body can have any"
    )]
    Poisson {
        /// The one asked for.
        got: f64,
        /// The one there is.
        only: f64,
    },
    /// State-based bodies are in space.
    #[error("a state-based body cannot be two-dimensional here; bond-based ones can")]
    FlatStates,
    /// Bodies are not one after the other.
    #[error("particles {from} to {to} of a body do not follow those of the body before, or do not exist")]
    NotInOrder {
        /// The first.
        from: usize,
        /// Behind the last.
        to: usize,
    },
    /// The horizon ends before the nearest neighbour.
    #[error("the horizon of {} ends before the nearest particle, {} away; take about three spacings", metres(*.horizon), metres(*.spacing))]
    ShortHorizon {
        /// m
        horizon: f64,
        /// m
        spacing: f64,
    },
    /// Somebody has no neighbours.
    #[error(
        "particle {particle} has no neighbour within the horizon ({count} such particles); make the spacing smaller"
    )]
    Lonely {
        /// The first of them, counted within its body.
        particle: usize,
        /// How many.
        count: usize,
    },
    /// Particles of a plane body are not in one plane.
    #[error("the particles of a two-dimensional body must have one z; these reach from {low} to {high} m")]
    NotFlat {
        /// m
        low: f64,
        /// m
        high: f64,
    },
}

/// Spacings in a horizon at most: bonds are as many as its cube.
pub const MAX_HORIZON: f64 = 6.0;

pub(super) fn positive(what: &'static str, value: f64) -> Result<(), BrittleError> {
    let range = "positive and finite";
    if value.is_finite() && value > 0.0 { Ok(()) } else { Err(BrittleError::OutOfRange { what, value, range }) }
}

/// How near Poisson's ratio must be to the only one that there is: files round it.
const SAME_POISSON: f64 = 5e-3;

impl GrainBody {
    /// What is wrong with its numbers, if anything is.
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
