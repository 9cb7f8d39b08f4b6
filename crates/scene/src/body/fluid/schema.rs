//! `[[fluid]]`: water and what flows like it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::body::shared_keys::body_table;
use crate::schema::{BoxTable, yes};
use crate::units::{Density, KinematicViscosity, Length, Stiffness, Vec3Of, Velocity, dimension};

body_table! {
    /// A fluid of particles: boxes that are full of it at the start, as far as no collider and no body is there. It meets other fluids, containers,
    /// colliders, cloth, solids and ropes, and pushes back. All fluids of a scene have the same `spacing`, `smoothing`, `kernel` and `pressure`. A scene
    /// with a fluid takes integrator "symplectic-euler" and control "stable" where it names none. VTU and PLY frames hold density and pressure of its
    /// particles, the format "surface" its surface, and `[view] fluid = "surface"` draws that.
    pub struct FluidBody {
        shared name,
        /// What is full at the start; as many layers of particles as fit, from the lowest corner on. May be left out where there is a `source`.
        #[serde(default)]
        pub boxes: Vec<BoxTable>,
        /// Distance of particles at rest, m.
        pub spacing: Length,
        /// At rest, kg/m³.
        #[serde(default = "default_density")]
        pub density: Density,
        /// Speed of sound, m/s (default: ten times the speed of a fall through the height of all fluids and containers, so that the density changes
        /// by 1 % at most). The real one of water would need steps a hundred times shorter.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub sound_speed: Option<Velocity>,
        /// What keeps it together: see the choices.
        #[serde(default)]
        pub pressure: FluidPressure,
        /// With pressure "divergence-free": mean compression that is allowed, as a part of the density.
        #[serde(default = "default_density_error")]
        pub density_error: f64,
        /// Whether it lives in a plane of constant z: one layer of particles, as if it were one metre thick.
        #[serde(default)]
        pub two_dimensional: bool,
        /// Smoothing length over `spacing`: particles farther apart than twice that do not feel each other.
        #[serde(default = "default_smoothing")]
        pub smoothing: f64,
        /// How a particle's mass is spread.
        #[serde(default)]
        pub kernel: FluidKernel,
        /// α of the artificial viscosity: brakes what approaches, so that particles keep their order.
        #[serde(default = "default_artificial")]
        pub artificial_viscosity: f64,
        /// β of the bulk viscosity (default: 0.5): brakes compression and expansion, so that sound dies down; shear and waves do not feel it. 0: none. Not
        /// with pressure "divergence-free", where there is no sound.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub bulk_viscosity: Option<f64>,
        /// Kinematic viscosity, m²/s; water has 1e-6, less than what particles of a spacing anyone can afford resolve.
        #[serde(default = "no_viscosity")]
        pub viscosity: KinematicViscosity,
        /// Surface tension, N/m; water has 0.072, which only drops of millimetres notice. Not in two dimensions.
        #[serde(default = "no_tension")]
        pub surface_tension: Stiffness,
        shared velocity,
        /// A pipe that it flows out of. All its particles are made at the start: those that reach an outlet wait in the pipe for their next turn.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub source: Option<SourceTable>,
        /// Boxes in which particles leave the scene and go back to the `source`.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub outlets: Vec<BoxTable>,
        /// What holds it; without one it falls.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub container: Option<ContainerTable>,
    }
}

/// A straight pipe with a rectangular mouth. What is in it moves at its speed and feels no walls; the mouth should be two spacings away from any.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SourceTable {
    /// Middle of the mouth, m.
    pub centre: Vec3Of<dimension::Length>,
    /// Where it flows; any length.
    pub direction: [f64; 3],
    /// Width and height of the mouth, m; the width is the horizontal one.
    pub size: [Length; 2],
    /// m/s
    pub speed: Velocity,
    /// Layers of particles in the pipe at the start, a `spacing` each: enough for the time that particles are on their way, or the source pauses.
    pub layers: usize,
}

/// A box that fluids do not leave. They slip along its walls, unless they have a `viscosity`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContainerTable {
    /// Its inside, m.
    #[serde(rename = "box")]
    pub inside: BoxTable,
    /// Whether it has no lid; its walls then go up without end, so that nothing spills.
    #[serde(default = "yes")]
    pub open_top: bool,
}

/// What keeps a fluid together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FluidPressure {
    /// Pressure grows with the density, after Tait: many short steps, limited by `sound_speed`. All explicit integrators; energy is kept but for what
    /// viscosities take.
    #[default]
    WeaklyCompressible,
    /// DFSPH: pressures are solved for that keep the density, in steps about ten times as long. Integrator "symplectic-euler" only. Of
    /// `sound_speed` only the artificial viscosity takes notice.
    DivergenceFree,
}

impl FluidPressure {
    /// All of them, with their names in scene files.
    pub const ALL: [(&str, Self); 2] =
        [("weakly-compressible", Self::WeaklyCompressible), ("divergence-free", Self::DivergenceFree)];
}

/// How a particle's mass is spread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FluidKernel {
    /// The classic one; particles pair up under pressure where `smoothing` is above about 1.2.
    CubicSpline,
    /// Smoother, a bit cheaper; particles do not pair up.
    #[default]
    WendlandC2,
}

fn default_density() -> Density {
    1000.0.into()
}

fn default_density_error() -> f64 {
    pliant_forces::sph::Incompressible::default().density_error
}

fn default_smoothing() -> f64 {
    1.25
}

fn default_artificial() -> f64 {
    0.1
}

fn no_tension() -> Stiffness {
    0.0.into()
}

fn no_viscosity() -> KinematicViscosity {
    0.0.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Those of the schema, which is made from the choices themselves.
    #[test]
    fn all_kinds_of_pressure_are_listed() {
        let schema = schemars::schema_for!(FluidPressure).to_value();
        let choices = schema["oneOf"].as_array().unwrap();
        let names: Vec<&str> = choices.iter().map(|choice| choice["const"].as_str().unwrap()).collect();
        assert_eq!(names, FluidPressure::ALL.map(|(name, _)| name));
        for (name, kind) in FluidPressure::ALL {
            assert_eq!(serde_json::to_value(kind).unwrap(), name);
        }
    }
}
