//! `[[peridynamic]]` and `[fracture]`: what breaks.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::body::shared_keys::{body_table, part_table};
use crate::schema::{BoxTable, yes, zero_length};
use crate::units::{Density, Length, Stiffness, Time, Vec3Of, dimension};

body_table! {
    /// A brittle body of particles, each bonded to all within a horizon: give one of `box`, `surface` and `figure`. Bonds that become too long break.
    /// Where nothing else is said, a scene with such bodies has integrator "newmark" (with a state-based body "velocity-verlet" and control "stable"), solver "cg", and as tolerance a tenth of what the
    /// shortest bond can be stretched. VTU and PLY frames hold `damage` and the number of the `fragment`, the format "surface" the surfaces of all
    /// fragments, "fragments" their masses and velocities.
    pub struct PeridynamicBody {
        shared name,
        /// A block; as many layers of particles as fit, from the lowest corner on.
        #[serde(default, rename = "box", skip_serializing_if = "Option::is_none")]
        pub block: Option<BoxTable>,
        /// A closed surface that is filled.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub surface: Option<ShellTable>,
        /// A shape that is made here.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub figure: Option<BrittleFigureTable>,
        /// Distance of particles, m.
        pub spacing: Length,
        /// How far bonds reach, in spacings: 3.015 is usual, below 2 cracks follow the lattice.
        #[serde(default = "default_horizon")]
        pub horizon: f64,
        /// Material whose numbers are taken where none are given: glass, ceramic, plaster, ice or maraging-steel.
        shared preset,
        /// kg/m³
        shared density: Density,
        /// Young's modulus, Pa.
        shared youngs_modulus,
        /// Poisson's ratio: bonds alone have 1/4 (1/3 in plane stress) and no other; law "state-based" takes any.
        shared poisson,
        /// Energy that a square metre of crack takes, J/m².
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub energy_release_rate: Option<Stiffness>,
        /// Whether it never breaks.
        #[serde(default)]
        pub unbreakable: bool,
        /// How much stronger bonds are where others are compressed; 0.25 is usual for glass under impact.
        #[serde(default)]
        pub toughening: f64,
        /// What a bond knows: see the choices.
        #[serde(default)]
        pub law: BrittleLaw,
        /// In how many dimensions: see the choices.
        #[serde(default)]
        pub space: BrittleSpace,
        /// How thick a two-dimensional body is, m (default: one spacing).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub thickness: Option<Length>,
        /// How far particles are moved from their lattice at random, in spacings: against cracks along the lattice.
        #[serde(default)]
        pub jitter: f64,
        /// Chooses among random numbers.
        #[serde(default)]
        pub seed: u64,
        /// Whether bonds near the surface are stiffer, to make up for those that are missing there.
        #[serde(default = "yes")]
        pub surface_correction: bool,
        /// Parallelograms that it is cut along from the beginning.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub cracks: Vec<CrackTable>,
        shared velocity,
        /// Angular velocity about its middle at the start, rad/s.
        #[serde(default = "zero_rate")]
        pub spin: Vec3Of<dimension::AngularVelocity>,
        shared pins,
        shared friction,
    }
}

part_table! {
    /// A closed surface: give `file`, or `points` and `triangles`.
    pub struct ShellTable {
        /// OBJ, PLY or STL, relative to the scene file.
        shared file,
        shared points,
        shared triangles,
        /// Metres a unit of the surface.
        shared scale,
        shared offset,
    }
}

/// A shape that is made here.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BrittleFigureTable {
    /// Which.
    pub shape: BrittleFigure,
    /// Its largest extent, m.
    pub size: Length,
    /// Where its middle goes, m.
    #[serde(default = "zero_length")]
    pub centre: Vec3Of<dimension::Length>,
}

/// Shapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BrittleFigure {
    /// A ball.
    Ball,
    /// A ring.
    Ring,
    /// A rabbit.
    Rabbit,
    /// A wine glass.
    Goblet,
}

/// A cut.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CrackTable {
    /// One of its corners, m.
    pub corner: Vec3Of<dimension::Length>,
    /// Its sides from there, m; in two dimensions the second may go along z.
    pub sides: [Vec3Of<dimension::Length>; 2],
}

/// What a bond knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BrittleLaw {
    /// Its own length.
    #[default]
    BondBased,
    /// How much the volume around its ends has changed as well: any Poisson's ratio, in space. Explicit integrators only.
    StateBased,
}

/// In how many dimensions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BrittleSpace {
    /// In space.
    #[default]
    Three,
    /// One layer of particles, a sheet that is free to become thinner.
    PlaneStress,
    /// One layer of particles, of a body that cannot become thinner.
    PlaneStrain,
}

/// How breaking limits steps.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FractureTable {
    /// Longest step after one in which something broke, s (default: in which a wave crosses the horizon). How far a crack runs before bonds are
    /// looked at again depends on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step_after: Option<Time>,
    /// How much longer than it can be a bond may become in a step, as a part of that; steps are shortened accordingly. Default: any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overshoot: Option<f64>,
}

fn default_horizon() -> f64 {
    3.015
}

fn default_preset() -> String {
    "glass".into()
}

fn zero_rate() -> Vec3Of<dimension::AngularVelocity> {
    glam::DVec3::ZERO.into()
}
