//! All controllers by name, the numbers they take, and which of them work with which integrator.

use std::fmt;

use pliant_core::System;
use pliant_core::shown::{metres, seconds};

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
    /// A distance a step, from the speed.
    SpeedLimit,
    /// A change of length a step.
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

/// Names and one line each, in the order of the documentation.
pub const CONTROLLERS: &[(&str, ControlKind, &str)] = &[
    ("fixed", ControlKind::Fixed, "the given step; every frame is divided into equal steps no longer than it"),
    ("force-error", ControlKind::ForceError, "from the error of the linearized force, in metres a step"),
    ("step-doubling", ControlKind::StepDoubling, "one step against two half steps, in metres"),
    ("speed-limit", ControlKind::SpeedLimit, "no particle moves farther than a distance in a step"),
    ("stretch-limit", ControlKind::StretchLimit, "no spring changes its length by more than a distance in a step"),
    ("stable", ControlKind::Stable, "a safety factor times the stability limit of the scheme on this system"),
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
    /// m a step, for `force-error` and `step-doubling`.
    pub tolerance: f64,
    /// Part of the tolerance that `force-error` aims at.
    pub alpha: f64,
    /// m a step, for `speed-limit`.
    pub distance: f64,
    /// m a step, for `stretch-limit`.
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
    /// As `pliant check` tells it: the name, and what it goes by.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = CONTROLLERS.iter().find(|(_, kind, _)| *kind == self.kind).map_or("", |(name, ..)| name);
        let StepBounds { min, max } = self.bounds;
        match self.kind {
            ControlKind::Fixed => return write!(f, "{name}, steps of {} or less", seconds(self.dt.unwrap_or(1e-3))),
            ControlKind::ForceError => {
                let law = LAWS.iter().find(|(_, law, _)| *law == self.law).map_or("", |(law, ..)| law);
                write!(f, "{name} by the law {law}, {} a step", metres(self.tolerance))?;
            }
            ControlKind::StepDoubling => write!(f, "{name}, {} a step", metres(self.tolerance))?,
            ControlKind::SpeedLimit => write!(f, "{name}, {} a step", metres(self.distance))?,
            ControlKind::StretchLimit => write!(f, "{name}, {} a step", metres(self.stretch))?,
            ControlKind::Stable => write!(f, "{name}, {} of the limit", self.safety)?,
        }
        write!(f, ", steps from {} to {}", seconds(min), seconds(max))
    }
}

impl ControlSpec {
    /// Builds the controller.
    pub fn build(&self) -> Box<dyn StepController> {
        let (first, bounds) = (self.dt, self.bounds);
        match self.kind {
            ControlKind::Fixed => Box::new(Fixed::new(self.dt.unwrap_or(1e-3), bounds)),
            ControlKind::ForceError => Box::new(ForceError::new(self.law, self.tolerance, self.alpha, first, bounds)),
            ControlKind::StepDoubling => Box::new(StepDoubling { tolerance: self.tolerance, first, bounds }),
            ControlKind::SpeedLimit => Box::new(SpeedLimit { distance: self.distance, bounds }),
            ControlKind::StretchLimit => Box::new(StretchLimit { stretch: self.stretch, first, bounds }),
            ControlKind::Stable => Box::new(Stable::new(self.safety, bounds)),
        }
    }

    /// The same controller with steps of `factor` times the length, as far as that can be said beforehand: lengths, distances and
    /// parts of limits are multiplied with it, a tolerance with its power in which the judged error shrinks with the step.
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

    /// What is legal but probably not wanted.
    pub fn warnings(&self, integrator: &Properties, system: &System) -> Vec<String> {
        let mut warnings = Vec::new();
        // where a model says how long steps may be (a fluid's sound), they are nearly equal, and friction rules anyway
        let is_limited = self.kind == ControlKind::Stable && system.models().iter().any(|model| model.limits_steps());
        if integrator.symplectic == Symplectic::Yes && self.kind != ControlKind::Fixed && !is_limited {
            warnings.push(format!(
                "{} keeps its energy bounded only with a fixed step; under {} that is lost",
                integrator.name,
                name_of(self.kind)
            ));
        }
        if integrator.name == "bdf3" && !system.depends_on_velocity() {
            warnings.push(
                "bdf3 makes undamped motion grow (by up to 4.6 % a step) where ω·dt is below 1.936, and nothing in this scene \
                 is damped: prefer bdf2 or tr-bdf2"
                    .into(),
            );
        }
        if let Some(study) = integrator.study {
            warnings.push(format!("{} is kept for study only: {study}", integrator.name));
        }
        warnings
    }
}

/// The catalog name of a kind.
pub fn name_of(kind: ControlKind) -> &'static str {
    CONTROLLERS.iter().find(|(_, k, _)| *k == kind).map_or("", |(name, ..)| name)
}
