//! The numbers of a [`ControlSpec`] by which the length of steps is set. Each has a key of the same name in `[time.control]`.

use pliant_scalar::shown::{metres, seconds};

use super::ControlSpec;

/// One number.
#[derive(Debug)]
pub struct StepParameter {
    /// Key in `[time.control]`.
    pub key: &'static str,
    /// A display name.
    pub label: &'static str,
    /// SI unit; empty for a fraction from 0 to 1.
    pub unit: &'static str,
    /// A usual value.
    pub typical: f64,
    /// Its value.
    pub value: fn(&ControlSpec) -> f64,
    /// The steps of a spec, for display while it runs.
    pub shown: fn(&ControlSpec) -> String,
    /// The change that gives shorter steps, for messages.
    pub shorter: &'static str,
}

impl PartialEq for StepParameter {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

/// The step itself, s.
pub const STEP: StepParameter = StepParameter {
    key: "dt",
    label: "step",
    unit: "s",
    typical: 1e-3,
    value: |spec| spec.dt.unwrap_or(1e-3),
    shown: |spec| format!("steps of {}", seconds((STEP.value)(spec))),
    shorter: "a shorter step (time.control.dt)",
};

/// Error per step, m.
pub const TOLERANCE: StepParameter = StepParameter {
    key: "tolerance",
    label: "tolerance",
    unit: "m",
    typical: 1e-3,
    value: |spec| spec.tolerance,
    shown: |spec| format!("tolerance {} a step, steps of {} at most", metres(spec.tolerance), seconds(spec.bounds.max)),
    shorter: "a smaller tolerance (time.control.tolerance)",
};

/// Distance per step, m.
pub const DISTANCE: StepParameter = StepParameter {
    key: "distance",
    label: "distance a step",
    unit: "m",
    typical: 1e-2,
    value: |spec| spec.distance,
    shown: |spec| format!("{} a step", metres(spec.distance)),
    shorter: "a shorter distance a step (time.control.distance)",
};

/// Change of length per step, m.
pub const STRETCH: StepParameter = StepParameter {
    key: "stretch",
    label: "stretch a step",
    unit: "m",
    typical: 1e-2,
    value: |spec| spec.stretch,
    shown: |spec| format!("{} of stretch a step", metres(spec.stretch)),
    shorter: "a smaller stretch a step (time.control.stretch)",
};

/// Part of the stability limit.
pub const SAFETY: StepParameter = StepParameter {
    key: "safety",
    label: "safety",
    unit: "",
    typical: 0.5,
    value: |spec| spec.safety,
    shown: |spec| format!("{:.4} of the stability limit", spec.safety),
    shorter: "a smaller part of the stable step (time.control.safety)",
};

/// All of them.
pub const PARAMETERS: &[&StepParameter] = &[&STEP, &TOLERANCE, &DISTANCE, &STRETCH, &SAFETY];
