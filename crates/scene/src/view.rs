//! `[view]`: how pictures of a scene look. Every key is optional, with a default that depends on what is drawn.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::units::{Angle, Time, Vec3Of, dimension};

/// What colours mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ViewColor {
    /// Every body has its own colour.
    Plain,
    /// By speed, with a colour bar.
    Speed,
    /// By height, with a colour bar.
    Height,
    /// By damage, the part of broken bonds, with a colour bar from 0 to 1; of brittle bodies.
    Damage,
    /// By what [restraint] does: blue moves freely, green is in transition, red is held still.
    Activity,
}

/// Something that can be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ViewPart {
    /// Nets and fragments as a surface.
    Surface,
    /// Springs as rods or coils.
    Springs,
    /// Particles as balls.
    Particles,
    /// The floor with its grid and shadows.
    Ground,
}

/// How fluids are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ViewFluid {
    /// Every particle as a ball.
    #[default]
    Particles,
    /// A smooth surface about the particles, which one sees into. The live viewer shows particles all the same.
    Surface,
}

/// What is behind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ViewBackground {
    /// Nearly white.
    #[default]
    Light,
    /// Nearly black.
    Dark,
}

/// How pictures look.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ViewTable {
    /// Where the camera stands, m (default: where it sees the whole action).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub camera: Option<Vec3Of<dimension::Length>>,
    /// What it looks at, m (default: the middle of the action).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<Vec3Of<dimension::Length>>,
    /// Angle between the lower and the upper edge of the picture, rad (default: 28 deg).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fov: Option<Angle>,
    /// What colours mean (default: plain for cloth, for surfaces of fluids and of fragments, and for bodies of few particles, speed for others).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub color: Option<ViewColor>,
    /// What is shown (default: cloth, nets and fragments as surfaces, everything else as springs and particles, and the ground).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub show: Option<Vec<ViewPart>>,
    /// How fluids are drawn: "particles" or "surface".
    pub fluid: ViewFluid,
    /// The moment of a still picture of the scene, s (default: 40 % of the run); a still of a result shows its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub still: Option<Time>,
    /// What is behind.
    pub background: ViewBackground,
}
