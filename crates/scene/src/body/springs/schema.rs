//! `[[springs]]`: particles joined by springs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::body::shared_keys::body_table;
use crate::schema::{Plane, yes, zero_length};
use crate::units::{DampingCoefficient, Length, Mass, Stiffness, Vec3Of, dimension};

/// Which springs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SpringLaw {
    /// Between particles, force proportional to the change of length.
    #[default]
    Linear,
    /// From every particle to `anchor`, f = -Kx (x + x³) - Kv (v + v³).
    Cubic,
}

body_table! {
    /// Particles joined by springs: give `points` (and `edges`), or `grid`, or `chain`.
    pub struct SpringsBody {
        shared name,
        /// Which springs.
        #[serde(default)]
        pub law: SpringLaw,
        /// Positions, m.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub points: Option<Vec<Vec3Of<dimension::Length>>>,
        /// Pairs of points joined by springs.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub edges: Option<Vec<[usize; 2]>>,
        /// A rectangular net.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub grid: Option<Grid>,
        /// A straight chain.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub chain: Option<Chain>,
        /// Where cubic springs have no force, m.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub anchor: Option<Vec3Of<dimension::Length>>,
        /// Mass of each particle, kg.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub mass: Option<Mass>,
        /// Mass of all particles together, kg (instead of `mass`).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub total_mass: Option<Mass>,
        /// Stiffness of springs, N/m.
        pub stiffness: Stiffness,
        /// Stiffness of the diagonal springs of a grid, N/m (default: `stiffness`).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub shear_stiffness: Option<Stiffness>,
        /// Stiffness of the springs that skip one particle of a grid, N/m (default: `stiffness`).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub bend_stiffness: Option<Stiffness>,
        /// Damping along springs, N s/m.
        #[serde(default = "zero_damping")]
        pub damping: DampingCoefficient,
        /// Length without force, m (default: the distance at the start).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub rest_length: Option<Length>,
        shared velocity,
        shared pins,
    }
}

/// A rectangular net.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Grid {
    /// Particles along x.
    pub columns: usize,
    /// Particles along the other direction.
    pub rows: usize,
    /// m
    pub width: Length,
    /// m
    pub height: Length,
    /// How it stands.
    #[serde(default)]
    pub plane: Plane,
    /// Position of the first particle (top left), m.
    #[serde(default = "zero_length")]
    pub origin: Vec3Of<dimension::Length>,
    /// Springs across every cell.
    #[serde(default = "yes")]
    pub diagonal: bool,
    /// Springs that skip one particle, against folding.
    #[serde(default = "yes")]
    pub bend: bool,
}

/// A straight chain.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Chain {
    /// Number of particles.
    pub count: usize,
    /// Position of the first, m.
    pub from: Vec3Of<dimension::Length>,
    /// Position of the last, m.
    pub to: Vec3Of<dimension::Length>,
}

fn zero_damping() -> DampingCoefficient {
    0.0.into()
}
