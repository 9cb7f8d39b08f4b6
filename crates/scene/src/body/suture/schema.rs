//! `[[suture]]`: a thread that is sewn through soft bodies.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::units::{Force, Stiffness};

/// A rope whose first points are a needle: where the needle comes through the surface of a body it makes a hole, in which the thread stays and
/// through which it slides. Elsewhere the thread and these bodies do not feel each other. Lead the needle by pins of the rope's first points.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SutureTable {
    /// Name of the rope; its first point is the needle's tip.
    pub thread: String,
    /// Names of the solids and cloths that are sewn.
    pub through: Vec<String>,
    /// How many segments of the rope are the needle.
    pub needle: usize,
    /// How hard a hole holds the thread sideways, N/m.
    #[serde(default = "default_stiffness")]
    pub stiffness: Stiffness,
    /// Dry friction of each hole along the thread, N.
    #[serde(default = "default_grip")]
    pub grip: Force,
    /// Whether a knot keeps the thread's tail from slipping through.
    #[serde(default)]
    pub knot: bool,
}

fn default_stiffness() -> Stiffness {
    1e4.into()
}

fn default_grip() -> Force {
    2e-3.into()
}
