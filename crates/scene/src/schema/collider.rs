//! `[[collider]]`, `[contact]` and `[air]`: what bodies meet.

use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::cloth::MeshTable;
use super::{BoxTable, Keyframes, Oscillate, zero_length, zero_velocity};
use crate::units::{Angle, AngularVelocity, Density, Length, Time, Vec3Of, Velocity, dimension};

/// A rigid body that stands still or moves as told: give one of `plane`, `sphere`, `capsule`, `box`, `mesh` and `figure`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ColliderTable {
    /// Name, for messages and pictures.
    pub name: String,
    /// Everything below a plane.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plane: Option<PlaneTable>,
    /// A ball.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sphere: Option<SphereTable>,
    /// A cylinder with round ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capsule: Option<CapsuleTable>,
    /// An axis-aligned box.
    #[serde(default, rename = "box", skip_serializing_if = "Option::is_none")]
    pub block: Option<BoxTable>,
    /// A closed mesh.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mesh: Option<MeshTable>,
    /// A small animal with two ears, made here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub figure: Option<ColliderFigureTable>,
    /// Coefficient of friction; that of a contact is the geometric mean of both bodies'.
    #[serde(default = "crate::body::shared_keys::default_friction")]
    pub friction: f64,
    /// Moves at this velocity, m/s.
    #[serde(default = "zero_velocity")]
    pub velocity: Vec3Of<dimension::Velocity>,
    /// Swings about the starting position.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oscillate: Option<Oscillate>,
    /// A smooth path through displacements from the starting position.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keyframes: Option<Keyframes>,
    /// Turns about an axis.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<TurnTable>,
}

/// Everything below a plane.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlaneTable {
    /// A point on it, m.
    #[serde(default = "zero_length")]
    pub point: Vec3Of<dimension::Length>,
    /// Away from the solid side; any length.
    #[serde(default = "up")]
    pub normal: [f64; 3],
}

/// A ball.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SphereTable {
    /// m
    #[serde(default = "zero_length")]
    pub centre: Vec3Of<dimension::Length>,
    /// m
    pub radius: Length,
}

/// A cylinder with round ends.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CapsuleTable {
    /// Centre of one round end, m.
    pub from: Vec3Of<dimension::Length>,
    /// Centre of the other, m.
    pub to: Vec3Of<dimension::Length>,
    /// m
    pub radius: Length,
}

/// A small animal.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ColliderFigureTable {
    /// From its feet to the tips of its ears, m.
    pub height: Length,
    /// Where its feet are, m.
    #[serde(default = "zero_length")]
    pub foot: Vec3Of<dimension::Length>,
}

/// A turn about an axis: at a constant `rate`, or smoothly through `angles` at `times`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TurnTable {
    /// A point of the axis, m.
    #[serde(default = "zero_length")]
    pub centre: Vec3Of<dimension::Length>,
    /// Direction of the axis; any length.
    pub axis: [f64; 3],
    /// rad/s
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<AngularVelocity>,
    /// Increasing times, s.
    #[serde(default)]
    pub times: Vec<Time>,
    /// Angles at those times, rad.
    #[serde(default)]
    pub angles: Vec<Angle>,
}

/// How things touch.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ContactTable {
    /// Speed at which things typically meet, m/s: contact is stiff enough to stop it within the contact distance.
    pub speed: Velocity,
    /// Sliding speed below which friction is regularized (ε_v of IPC), m/s. Sticking contacts creep below it.
    pub creep: Velocity,
}

impl Default for ContactTable {
    fn default() -> Self {
        let settings = pliant_forces::contact::ContactSettings::default();
        Self { speed: settings.speed.into(), creep: settings.creep.into() }
    }
}

/// The air around; acts on all cloth. Without this table it is still air at sea level.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AirTable {
    /// Mean velocity, m/s.
    pub wind: Vec3Of<dimension::Velocity>,
    /// How much gusts change it, as a part of it.
    pub gusts: f64,
    /// Size of gusts, m.
    pub gust_size: Length,
    /// kg/m³; 0 for a vacuum.
    pub density: Density,
}

impl Default for AirTable {
    fn default() -> Self {
        let density = pliant_forces::Air::default().density;
        Self { wind: DVec3::ZERO.into(), gusts: 0.0, gust_size: 1.0.into(), density: density.into() }
    }
}

fn up() -> [f64; 3] {
    DVec3::Y.to_array()
}
