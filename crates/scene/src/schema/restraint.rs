//! `[restraint]`: parts that are at rest cost nothing.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::units::{Energy, Length, Momentum, Time, Velocity};
use crate::validate::Given;

/// How the effective velocity follows from the momentum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RestraintCriterion {
    /// By speed, with a kinetic energy that is convex: implicit steps never gain energy. The effective speed rises evenly.
    #[default]
    Ramp,
    /// The same with the paper's spline.
    Convex,
    /// By kinetic energy, as published, for study.
    Energy,
    /// By the norm of the momentum, as published, for study.
    Momentum,
}

/// Holds slow particles at rest while their momentum goes on changing, and releases them when it has grown enough. Particles at rest cost nothing.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RestraintTable {
    /// Whether particles are restrained.
    pub enabled: bool,
    /// How the effective velocity follows from the momentum: "ramp", "convex", "energy" or "momentum".
    pub criterion: RestraintCriterion,
    /// Displacement that may be neglected, m: where no limit is given, particles slower than a tenth of this per frame are at rest.
    pub error: Length,
    /// Speed at and below which a particle is at rest, m/s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speed: Option<Velocity>,
    /// Kinetic energy at and below which a particle is at rest, J; instead of `speed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub energy: Option<Energy>,
    /// Momentum at and below which a particle is at rest, kg m/s; instead of `speed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub momentum: Option<Momentum>,
    /// Speed from which a particle moves freely, over the speed of rest.
    pub ratio: f64,
    /// Effective speed below which a particle is at rest as well, m/s. Default: a tenth of the speed of rest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub least_speed: Option<Velocity>,
    /// Hysteresis: a body is restrained once at least this part of it would have been at rest for `fading` (at most 0.1 s), and released when less
    /// than half of that is. A released body moves as without restraint, at full cost. 0: always restrained. Default: 0.9, of fluids 0.5.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub share: Option<f64>,
    /// Decay time of the momentum of particles at rest, s. A particle pushed by less than its mass times `speed`/`fading` stays at rest. Default:
    /// 0.1 s, in fluids 20 ms; "1e9 s": no decay.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fading: Option<Time>,
    /// Level of detail: limits grow with the distance from the camera of [view] beyond its target, and tenfold outside its field of view.
    pub view: bool,
    /// Bodies with limits of their own.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub body: Vec<RestrainedBody>,
}

impl Default for RestraintTable {
    fn default() -> Self {
        Self {
            enabled: true,
            criterion: RestraintCriterion::Ramp,
            error: 1e-3.into(),
            speed: None,
            energy: None,
            momentum: None,
            ratio: RATIO,
            least_speed: None,
            share: None,
            fading: None,
            view: false,
            body: Vec::new(),
        }
    }
}

/// A body with limits of its own.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RestrainedBody {
    /// Name of the body.
    pub name: String,
    /// Whether particles of this body are restrained.
    #[serde(default = "yes")]
    pub enabled: bool,
    /// Speed at and below which a particle is at rest, m/s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speed: Option<Velocity>,
    /// Kinetic energy at and below which a particle is at rest, J; instead of `speed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub energy: Option<Energy>,
    /// Momentum at and below which a particle is at rest, kg m/s; instead of `speed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub momentum: Option<Momentum>,
    /// Speed from which a particle moves freely, over the speed of rest.
    #[serde(default = "usual_ratio")]
    pub ratio: f64,
    /// Effective speed below which a particle is at rest as well, m/s. Default: a tenth of the speed of rest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub least_speed: Option<Velocity>,
}

/// Speeds of free motion over those of rest.
const RATIO: f64 = 4.0;

fn usual_ratio() -> f64 {
    RATIO
}

fn yes() -> bool {
    true
}

impl RestraintTable {
    pub(crate) fn given(&self) -> Given {
        let Self { speed, energy, momentum, ratio, least_speed: least, .. } = *self;
        Given { speed, energy, momentum, ratio, least }
    }
}

impl RestrainedBody {
    pub(crate) fn given(&self) -> Given {
        let Self { speed, energy, momentum, ratio, least_speed: least, .. } = *self;
        Given { speed, energy, momentum, ratio, least }
    }
}
