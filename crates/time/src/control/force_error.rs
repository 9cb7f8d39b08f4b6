//! The controller of [Adaptive]: the step follows from ε, the error of the linearized force turned into metres, and optionally from the
//! scheme's truncation estimate. Laws:
//!
//! - `paper`: eq. 12 to the letter, `dt ← dt (α tol/ε)^(1/3)` after accepted and rejected steps, without a growth limit (dt_max only).
//! - `quarter`: exponent 1/4. The remainder of a linearization is quadratic in (dx, dv) = O(dt), so ε = O(dt⁴), not O(dt³) as eq. 8 says.
//! - `pi`: the same exponent, split over the last two errors: `(α tol/ε_n)^(0.7/4) (ε_{n-1}/(α tol))^(0.4/4)`.
//! - `combined` (default): the smaller of `(α tol/ε)^(1/4)` and `(α tol/lte)^(1/k)`; accepts when both errors are within the tolerance.
//!   ε alone is blind to truncation: on a linear problem it is zero however wrong the step is.
//!
//! All but `paper`: factors in [0.1, 2], and no growth right after a rejection. A fitted step does not lower the proposal or enter the
//! memory; it may only raise the proposal, since otherwise steps of about a frame could never grow.

use pliant_core::{Binding, ErrorAt, Point, StepFailure, System};
use pliant_scalar::{math, shown};

use super::catalog::{Controller, LAWS, range};
use super::parameter::TOLERANCE;
use super::{ControlKind, Law, StepBounds, StepController, Trial, Verdict, after_failure, cautious_first};
use crate::error::Incompatible;
use crate::integrator::Properties;

const SMALLEST_ERROR: f64 = 1e-300;
const SHRINK: f64 = 0.1;
const GROW: f64 = 2.0;

impl ControlKind {
    /// The error of the linearized force.
    pub const FORCE_ERROR: Self = Self(&Controller {
        has_laws: true,
        describe: |spec| {
            let law = LAWS.iter().find(|(_, law, _)| *law == spec.law).map_or("", |(law, ..)| law);
            format!(" by the law {law}, {} a step{}", shown::metres(spec.tolerance), range(spec))
        },
        error_exponent: |spec, integrator| match spec.law {
            Law::Paper => 3,
            Law::Combined => integrator.truncation_exponent.unwrap_or(4),
            Law::Quarter | Law::Pi => 4,
        },
        works_with: |spec, integrator| match spec.law {
            Law::Combined if integrator.truncation_exponent.is_none() => {
                Err(Incompatible::NoTruncationEstimate { integrator: integrator.name })
            }
            Law::Paper | Law::Quarter | Law::Pi if !integrator.predicts_force => {
                Err(Incompatible::NoForcePrediction { integrator: integrator.name })
            }
            _ => Ok(()),
        },
        ..Controller::new(
            "force-error",
            "from the error of the linearized force, in metres a step",
            &TOLERANCE,
            |spec| Box::new(ForceError::new(spec.law, spec.tolerance, spec.alpha, spec.dt, spec.bounds)),
        )
    });
}

/// See the file head.
#[derive(Clone, Copy, Debug)]
pub struct ForceError {
    /// How the next step follows from the error.
    pub law: Law,
    /// m per step.
    pub tolerance: f64,
    /// α, the targeted part of the tolerance.
    pub alpha: f64,
    /// The first step, s, if given.
    pub first: Option<f64>,
    /// Bounds of the step.
    pub bounds: StepBounds,
    previous_error: f64,
    just_rejected: bool,
}

impl ForceError {
    /// A controller without memory yet: the tolerance in m, α a part of it, the first step in s.
    pub fn new(law: Law, tolerance: f64, alpha: f64, first: Option<f64>, bounds: StepBounds) -> Self {
        Self { law, tolerance, alpha, first, bounds, previous_error: f64::NAN, just_rejected: false }
    }

    /// `(α tol/error)^(1/exponent)`.
    fn factor(&self, error: f64, exponent: f64) -> f64 {
        math::pow(self.alpha * self.tolerance / error.max(SMALLEST_ERROR), 1.0 / exponent)
    }

    /// The judged error, the plain factor, and what was binding.
    fn errors(&self, trial: &Trial) -> (ErrorAt, f64, Binding) {
        let none = ErrorAt { metres: 0.0, particle: 0 };
        let force = trial.attempt.force_error.unwrap_or(none);
        let exponent = if self.law == Law::Paper { 3.0 } else { 4.0 };
        let from_force = (force, self.factor(force.metres, exponent), Binding::ForceError);
        let Some(truncation) = trial.attempt.truncation.filter(|_| self.law == Law::Combined) else {
            return from_force;
        };
        let error = truncation.error;
        let from_truncation = (error, self.factor(error.metres, truncation.exponent), Binding::Truncation);
        let smaller = from_truncation.1 < from_force.1 || trial.attempt.force_error.is_none();
        if smaller { from_truncation } else { from_force }
    }

    fn accept(&mut self, trial: &Trial, error: f64, plain: f64, binding: Binding) -> Verdict {
        let mut factor = plain;
        if self.law == Law::Pi {
            let target = self.alpha * self.tolerance;
            factor = math::pow(target / error.max(SMALLEST_ERROR), 0.7 / 4.0);
            if self.previous_error.is_finite() && !self.just_rejected {
                factor *= math::pow(self.previous_error.max(SMALLEST_ERROR) / target, 0.4 / 4.0);
            }
        }
        if self.law != Law::Paper {
            factor = factor.clamp(SHRINK, if self.just_rejected { 1.0 } else { GROW });
        }
        let wanted = self.bounds.clamp(trial.dt * factor);
        let next = if trial.fitted {
            wanted.max(trial.proposal)
        } else {
            self.previous_error = error;
            wanted
        };
        self.just_rejected = false;
        Verdict::Accept { next, error, binding }
    }
}

impl StepController for ForceError {
    fn name(&self) -> &'static str {
        "force-error"
    }

    fn bounds(&self) -> StepBounds {
        self.bounds
    }

    fn first(&mut self, system: &mut System, start: &Point, properties: &Properties) -> f64 {
        self.first.unwrap_or_else(|| cautious_first(system, start, properties, self.tolerance, self.bounds))
    }

    fn judge(&mut self, trial: &mut Trial) -> Verdict {
        let (error, factor, binding) = self.errors(trial);
        let metres = error.metres;
        // `combined` may be bound by the term with the smaller error: both must be within the tolerance.
        let largest = match (self.law, trial.attempt.truncation, trial.attempt.force_error) {
            (Law::Combined, Some(truncation), Some(force)) => larger(force.metres, truncation.error.metres),
            _ => metres,
        };
        if largest <= self.tolerance {
            return self.accept(trial, metres, factor, binding);
        }
        self.just_rejected = true;
        let shrink = match self.law {
            _ if !largest.is_finite() => 0.25,
            Law::Paper => factor.min(0.95),
            _ => factor.clamp(SHRINK, 0.95),
        };
        self.bounds.retry(trial.dt, trial.dt * shrink, || {
            format!(
                "the error stays at {} at particle {} (tolerance {}) down to dt_min = {}",
                shown::metres(largest),
                error.particle,
                shown::metres(self.tolerance),
                shown::seconds(self.bounds.min)
            )
        })
    }

    fn failed(&mut self, failure: &StepFailure, dt: f64) -> Verdict {
        let verdict = after_failure(self.bounds, failure, dt);
        // a run that ends here and is resumed goes on as if it had not failed
        self.just_rejected |= matches!(verdict, Verdict::Retry { .. });
        verdict
    }

    fn tolerance(&self) -> Option<f64> {
        Some(self.tolerance)
    }

    fn needs_estimate(&self) -> bool {
        self.law == Law::Combined
    }

    fn memory(&self) -> Vec<f64> {
        vec![self.previous_error, f64::from(u8::from(self.just_rejected))]
    }

    fn restore(&mut self, memory: &[f64]) {
        if let [error, rejected] = memory {
            self.previous_error = *error;
            self.just_rejected = *rejected != 0.0;
        }
    }
}

/// The larger of two errors; one that is not a number is the largest of all.
fn larger(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) }
}
