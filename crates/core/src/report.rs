//! Report of an accepted step, for recorders and users.

use serde::{Deserialize, Serialize};

use crate::attempt::Work;
use crate::restraint::active_set::Activities;

/// The criterion that set the length of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Binding {
    /// The error of the linearized force.
    ForceError,
    /// The truncation estimate.
    Truncation,
    /// The difference between one step and two half steps.
    Doubling,
    /// A limit on speed, stretch, or stability.
    Limit,
    /// A fixed step.
    #[default]
    Given,
}

/// One accepted step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepReport {
    /// Number of this step, from 1.
    pub step: u64,
    /// Time at its end, s.
    pub time: f64,
    /// Its length, s.
    pub dt: f64,
    /// The judged error, m; NaN where the controller judges none.
    pub error: f64,
    /// The term that was the largest part of its tolerance.
    pub binding: Binding,
    /// Rejected attempts before this one.
    pub rejected: u64,
    /// Cost, rejected attempts included.
    pub work: Work,
    /// Whether the step was shortened to end on a frame.
    pub fitted: bool,
    /// Numbers of moving and restrained particles at its end.
    pub activities: Activities,
    /// Impulse that faded from restrained particles, kg m/s.
    pub damped_impulse: f64,
}
