//! All controllers by name, the numbers they take, and which of them work with which integrator.

use std::fmt;
use std::ops::Deref;

use pliant_core::System;
use pliant_scalar::shown::{metres, seconds};

use super::parameter::{STEP, StepParameter, TOLERANCE};
use super::{StepBounds, StepController};
use crate::error::Incompatible;
use crate::integrator::{Properties, Symplectic};

/// How `force-error` turns an error into a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Law {
    /// Eq. 12 of the paper.
    Paper,
    /// Exponent 1/4.
    Quarter,
    /// Exponent 1/4 over two errors.
    Pi,
    /// Force error and truncation.
    Combined,
}

/// One controller: the row of a file of this folder.
pub struct Controller {
    /// Catalog name.
    pub name: &'static str,
    /// One line for display.
    pub summary: &'static str,
    /// The number that sets how long its steps are.
    pub parameter: &'static StepParameter,
    /// Whether it takes one of the [`LAWS`].
    pub has_laws: bool,
    /// Whether it bounds changes of length, so that a scene needs bodies that have lengths.
    pub needs_lengths: bool,
    /// Whether it takes steps of integrators that are kept for study only.
    pub allows_study: bool,
    /// Its goal, as `pliant check` reports it after the name.
    pub describe: fn(&ControlSpec) -> String,
    /// Power with which the judged error scales with the step.
    pub error_exponent: fn(&ControlSpec, &Properties) -> u32,
    /// Whether it works with an integrator; if not, why.
    pub works_with: fn(&ControlSpec, &Properties) -> Result<(), Incompatible>,
    /// Builds it.
    pub build: fn(&ControlSpec) -> Box<dyn StepController>,
}

impl Controller {
    /// A controller that works with every integrator.
    pub const fn new(
        name: &'static str,
        summary: &'static str,
        parameter: &'static StepParameter,
        build: fn(&ControlSpec) -> Box<dyn StepController>,
    ) -> Self {
        Self {
            name,
            summary,
            parameter,
            has_laws: false,
            needs_lengths: false,
            allows_study: false,
            describe: |spec| format!(", {} a step{}", metres((spec.kind.parameter.value)(spec)), range(spec)),
            error_exponent: |_, _| 4,
            works_with: |_, _| Ok(()),
            build,
        }
    }

    /// Whether it keeps the error of a step below a tolerance.
    pub fn judges_errors(&self) -> bool {
        *self.parameter == TOLERANCE
    }

    /// Whether the step is given.
    pub fn has_given_step(&self) -> bool {
        *self.parameter == STEP
    }
}

/// Which controller: a row of the catalog.
#[derive(Clone, Copy)]
pub struct ControlKind(pub(super) &'static Controller);

impl Deref for ControlKind {
    type Target = Controller;

    fn deref(&self) -> &Controller {
        self.0
    }
}

impl PartialEq for ControlKind {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for ControlKind {}

impl fmt::Debug for ControlKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// All controllers, in the order of the documentation.
pub const CONTROLLERS: &[ControlKind] = &[
    ControlKind::FIXED,
    ControlKind::FORCE_ERROR,
    ControlKind::STEP_DOUBLING,
    ControlKind::SPEED_LIMIT,
    ControlKind::STRETCH_LIMIT,
    ControlKind::STABLE,
];

/// Names of the laws.
pub const LAWS: &[(&str, Law, &str)] = &[
    ("paper", Law::Paper, "eq. 12 to the letter, exponent 1/3"),
    ("quarter", Law::Quarter, "exponent 1/4, the true power of the error"),
    ("pi", Law::Pi, "exponent 1/4 over the last two errors; fewest rejections"),
    ("combined", Law::Combined, "force error and truncation estimate, the default"),
];

/// Everything a controller may need.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ControlSpec {
    /// Which one.
    pub kind: ControlKind,
    /// For `force-error`.
    pub law: Law,
    /// m per step, for `force-error` and `step-doubling`.
    pub tolerance: f64,
    /// Part of the tolerance that `force-error` aims at.
    pub alpha: f64,
    /// m per step, for `speed-limit`.
    pub distance: f64,
    /// m per step, for `stretch-limit`.
    pub stretch: f64,
    /// Part of the limit, for `stable`.
    pub safety: f64,
    /// `fixed`: the step, s; elsewhere the first step.
    pub dt: Option<f64>,
    /// Smallest and largest step.
    pub bounds: StepBounds,
}

impl Default for ControlSpec {
    fn default() -> Self {
        Self {
            kind: ControlKind::FORCE_ERROR,
            law: Law::Combined,
            tolerance: 1e-3,
            alpha: 0.5,
            distance: 0.01,
            stretch: 0.01,
            safety: 0.5,
            dt: None,
            bounds: StepBounds { min: 1e-9, max: 0.1 },
        }
    }
}

impl fmt::Display for ControlSpec {
    /// As `pliant check` reports it: the name, and its goal.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.kind.name, (self.kind.describe)(self))
    }
}

/// Suffix of the goal of a controller that chooses steps: their range.
pub(super) fn range(spec: &ControlSpec) -> String {
    format!(", steps from {} to {}", seconds(spec.bounds.min), seconds(spec.bounds.max))
}

impl ControlSpec {
    /// Builds the controller.
    pub fn build(&self) -> Box<dyn StepController> {
        (self.kind.build)(self)
    }

    /// The same controller with steps of `factor` times the length, as far as that can be predicted: lengths, distances and
    /// parts of limits are multiplied by it, a tolerance by the power with which the judged error scales with the step.
    pub fn with_steps_of(&self, factor: f64, integrator: &Properties) -> Self {
        let exponent = (self.kind.error_exponent)(self, integrator);
        let max = self.bounds.max * factor;
        Self {
            tolerance: self.tolerance * factor.powi(exponent as i32),
            distance: self.distance * factor,
            stretch: self.stretch * factor,
            safety: self.safety * factor,
            dt: self.dt.map(|dt| dt * factor),
            bounds: StepBounds { min: self.bounds.min.min(max), max },
            ..*self
        }
    }

    /// Whether this controller works with an integrator; if not, why.
    pub fn works_with(&self, integrator: &Properties) -> Result<(), Incompatible> {
        match integrator.study.filter(|_| !self.kind.allows_study) {
            Some(reason) => Err(Incompatible::StudyOnly { integrator: integrator.name, reason }),
            None => (self.kind.works_with)(self, integrator),
        }
    }

    /// Warnings about legal but probably unwanted choices.
    pub fn warnings(&self, integrator: &Properties, system: &System) -> Vec<String> {
        let mut warnings = Vec::new();
        // where a model limits the step (the speed of sound of a fluid), steps are nearly equal, and friction dominates anyway
        let is_limited =
            self.kind == ControlKind::STABLE && system.models().iter().any(|model| model.properties().limits_steps);
        if integrator.symplectic == Symplectic::Yes && !self.kind.has_given_step() && !is_limited {
            warnings.push(format!(
                "{} keeps its energy bounded only with a fixed step; under {} that is lost",
                integrator.name, self.kind.name
            ));
        }
        if let Some(what) = integrator.undamped.filter(|_| !system.depends_on_velocity()) {
            let name = integrator.name;
            warnings.push(format!("{name} {what}, and nothing in this scene is damped: prefer bdf2 or tr-bdf2"));
        }
        if let Some(study) = integrator.study {
            warnings.push(format!("{} is kept for study only: {study}", integrator.name));
        }
        warnings
    }
}

/// Finds a controller by its name.
pub fn find(name: &str) -> Option<ControlKind> {
    CONTROLLERS.iter().copied().find(|kind| kind.name == name)
}

#[cfg(test)]
mod tests {
    use super::super::parameter::PARAMETERS;
    use super::*;

    #[test]
    fn names_and_numbers_are_found() {
        for kind in CONTROLLERS {
            assert_eq!(find(kind.name), Some(*kind));
            assert!(PARAMETERS.contains(&kind.parameter), "{kind:?}");
        }
    }
}
