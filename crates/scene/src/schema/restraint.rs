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

/// Holds still whatever is slow while its momentum goes on changing, and lets it go when that has grown enough. What stands still costs nothing.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RestraintTable {
    /// Whether anything is held at all.
    pub enabled: bool,
    /// How the effective velocity follows from the momentum: "ramp", "convex", "energy" or "momentum".
    pub criterion: RestraintCriterion,
    /// What nobody would see, m: where no limit is given, particles slower than a tenth of this a frame stand still.
    pub error: Length,
    /// Speed at which a particle stands still, m/s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speed: Option<Velocity>,
    /// Kinetic energy at which it does, J, instead of `speed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub energy: Option<Energy>,
    /// Momentum at which it does, kg m/s, instead of `speed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub momentum: Option<Momentum>,
    /// How many times as fast it moves freely.
    pub ratio: f64,
    /// Effective speed below which it stands still as well, m/s (default: a tenth of the speed at which it stands still).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub least_speed: Option<Velocity>,
    /// A body is restrained once at least this part of it would have stood still for `fading` (at most 0.1 s), until less than half of that does;
    /// else it moves as if there were no restraint, and costs as much. 0: always. Default: 0.9, of fluids 0.5.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub share: Option<f64>,
    /// Time in which the momentum of whoever stands still fades, s. Whoever is pushed by less than its mass times `speed`/`fading` then stands
    /// still for ever. Default: 0.1 s, in fluids 20 ms; "1e9 s": it does not fade.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fading: Option<Time>,
    /// Limits grow with the distance from the camera of [view], beyond what it looks at, and tenfold out of its sight.
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
    /// Whether any of it is held at all.
    #[serde(default = "yes")]
    pub enabled: bool,
    /// Speed at which a particle stands still, m/s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speed: Option<Velocity>,
    /// Kinetic energy at which it does, J, instead of `speed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub energy: Option<Energy>,
    /// Momentum at which it does, kg m/s, instead of `speed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub momentum: Option<Momentum>,
    /// How many times as fast it moves freely.
    #[serde(default = "usual_ratio")]
    pub ratio: f64,
    /// Effective speed below which it stands still as well, m/s (default: a tenth of the speed at which it stands still).
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
