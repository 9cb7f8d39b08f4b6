//! All controllers by name, the numbers they take, and which of them work with which integrator.

use std::fmt;

use pliant_core::System;
use pliant_scalar::shown::{metres, seconds};

use super::doubled::StepDoubling;
use super::fixed::Fixed;
use super::force_error::ForceError;
use super::limits::{SpeedLimit, Stable, StretchLimit};
use super::{StepBounds, StepController};
use crate::error::Incompatible;
use crate::integrator::{Properties, Stability, Symplectic};

/// Which controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ControlKind {
    /// The given step.
    Fixed,
    /// The error of the linearized force.
    ForceError,
    /// One step against two half steps.
    StepDoubling,
    /// A distance per step, from the speed.
    SpeedLimit,
    /// A change of length per step.
    StretchLimit,
    /// A part of the stability limit.
    Stable,
}

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

/// One controller.
pub struct Controller {
    /// Catalog name.
    pub name: &'static str,
    /// Which one.
    pub kind: ControlKind,
    /// One line for display.
    pub summary: &'static str,
    /// Its goal, as `pliant check` reports it after the name.
    goal: fn(&ControlSpec) -> String,
    build: fn(&ControlSpec) -> Box<dyn StepController>,
}

/// All controllers, in the order of the documentation.
pub const CONTROLLERS: &[Controller] = &[
    Controller {
        name: "fixed",
        kind: ControlKind::Fixed,
        summary: "the given step; every frame is divided into equal steps no longer than it",
        goal: |spec| format!(", steps of {} or less", seconds(spec.dt.unwrap_or(1e-3))),
        build: |spec| Box::new(Fixed::new(spec.dt.unwrap_or(1e-3), spec.bounds)),
    },
    Controller {
        name: "force-error",
        kind: ControlKind::ForceError,
        summary: "from the error of the linearized force, in metres a step",
        goal: |spec| {
            let law = LAWS.iter().find(|(_, law, _)| *law == spec.law).map_or("", |(law, ..)| law);
            format!(" by the law {law}, {} a step{}", metres(spec.tolerance), range(spec))
        },
        build: |spec| Box::new(ForceError::new(spec.law, spec.tolerance, spec.alpha, spec.dt, spec.bounds)),
    },
    Controller {
        name: "step-doubling",
        kind: ControlKind::StepDoubling,
        summary: "one step against two half steps, in metres",
        goal: |spec| format!(", {} a step{}", metres(spec.tolerance), range(spec)),
        build: |spec| Box::new(StepDoubling { tolerance: spec.tolerance, first: spec.dt, bounds: spec.bounds }),
    },
    Controller {
        name: "speed-limit",
        kind: ControlKind::SpeedLimit,
        summary: "no particle moves farther than a distance in a step",
        goal: |spec| format!(", {} a step{}", metres(spec.distance), range(spec)),
        build: |spec| Box::new(SpeedLimit { distance: spec.distance, bounds: spec.bounds }),
    },
    Controller {
        name: "stretch-limit",
        kind: ControlKind::StretchLimit,
        summary: "no spring changes its length by more than a distance in a step",
        goal: |spec| format!(", {} a step{}", metres(spec.stretch), range(spec)),
        build: |spec| Box::new(StretchLimit { stretch: spec.stretch, first: spec.dt, bounds: spec.bounds }),
    },
    Controller {
        name: "stable",
        kind: ControlKind::Stable,
        summary: "a safety factor times the stability limit of the scheme on this system",
        goal: |spec| format!(", {} of the limit{}", spec.safety, range(spec)),
        build: |spec| Box::new(Stable::new(spec.safety, spec.bounds)),
    },
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
            kind: ControlKind::ForceError,
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
        let entry = entry(self.kind);
        write!(f, "{}{}", entry.name, (entry.goal)(self))
    }
}

/// Suffix of the goal of a controller that chooses steps: their range.
fn range(spec: &ControlSpec) -> String {
    format!(", steps from {} to {}", seconds(spec.bounds.min), seconds(spec.bounds.max))
}

impl ControlSpec {
    /// Builds the controller.
    pub fn build(&self) -> Box<dyn StepController> {
        (entry(self.kind).build)(self)
    }

    /// The same controller with steps of `factor` times the length, as far as that can be predicted: lengths, distances and
    /// parts of limits are multiplied by it, a tolerance by the power with which the judged error scales with the step.
    pub fn with_steps_of(&self, factor: f64, integrator: &Properties) -> Self {
        let exponent = match (self.kind, self.law) {
            (ControlKind::StepDoubling, _) => integrator.order_damped.min(integrator.order) + 1,
            (ControlKind::ForceError, Law::Paper) => 3,
            (ControlKind::ForceError, Law::Combined) => integrator.truncation_exponent.unwrap_or(4),
            _ => 4,
        };
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
        let name = integrator.name;
        if let (Some(reason), false) = (integrator.study, matches!(self.kind, ControlKind::Fixed | ControlKind::Stable))
        {
            return Err(Incompatible::StudyOnly { integrator: name, reason });
        }
        match (self.kind, self.law) {
            (ControlKind::Stable, _) => match integrator.stability {
                Stability::UpTo(_) => Ok(()),
                Stability::Always | Stability::Above(_) => Err(Incompatible::NoStabilityLimit { integrator: name }),
                Stability::Never(_) => Err(Incompatible::NeverStable { integrator: name }),
            },
            (ControlKind::ForceError, Law::Combined) => match integrator.truncation_exponent {
                Some(_) => Ok(()),
                None => Err(Incompatible::NoTruncationEstimate { integrator: name }),
            },
            (ControlKind::ForceError, _) if !integrator.predicts_force => {
                Err(Incompatible::NoForcePrediction { integrator: name })
            }
            _ => Ok(()),
        }
    }

    /// Warnings about legal but probably unwanted choices.
    pub fn warnings(&self, integrator: &Properties, system: &System) -> Vec<String> {
        let mut warnings = Vec::new();
        // where a model limits the step (the speed of sound of a fluid), steps are nearly equal, and friction dominates anyway
        let is_limited =
            self.kind == ControlKind::Stable && system.models().iter().any(|model| model.properties().limits_steps);
        if integrator.symplectic == Symplectic::Yes && self.kind != ControlKind::Fixed && !is_limited {
            warnings.push(format!(
                "{} keeps its energy bounded only with a fixed step; under {} that is lost",
                integrator.name,
                name_of(self.kind)
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
pub fn find(name: &str) -> Option<&'static Controller> {
    CONTROLLERS.iter().find(|entry| entry.name == name)
}

/// The catalog name of a kind.
pub fn name_of(kind: ControlKind) -> &'static str {
    entry(kind).name
}

/// The entry of a kind: every kind has one.
fn entry(kind: ControlKind) -> &'static Controller {
    CONTROLLERS.iter().find(|entry| entry.kind == kind).unwrap_or(&CONTROLLERS[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_its_entry() {
        for kind in CONTROLLERS.iter().map(|entry| entry.kind) {
            assert_eq!(entry(kind).kind, kind);
        }
        assert_eq!(CONTROLLERS.len(), ControlKind::Stable as usize + 1);
    }
}
