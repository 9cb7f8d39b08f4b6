//! Controllers that bound something other than an error: the three rivals of [Adaptive], and the stability limit.
//!
//! - `speed-limit`: no particle moves farther than a distance in a step, judged by its speed at the start; nothing is ever rejected.
//! - `stretch-limit`: no spring changes its length by more than a distance; rejected steps shrink by max(¼, 0.9 S/d), accepted ones
//!   grow by min(2, 0.9 S/d).
//! - `stable`: a safety factor times the scheme's stability limit over the models' own bound of the frequency, evaluated at every state,
//!   and no longer than the same part of any other limit of a model.

use pliant_core::{Binding, Point, System};
use pliant_scalar::shown::{metres, seconds};

use super::catalog::{Controller, range};
use super::parameter::{DISTANCE, SAFETY, STRETCH};
use super::{ControlKind, StepBounds, StepController, Trial, Verdict, cautious_first};
use crate::error::Incompatible;
use crate::integrator::{Properties, Stability};

impl ControlKind {
    /// A distance per step, from the speed.
    pub const SPEED_LIMIT: Self = Self(&Controller::new(
        "speed-limit",
        "no particle moves farther than a distance in a step",
        &DISTANCE,
        |spec| Box::new(SpeedLimit { distance: spec.distance, bounds: spec.bounds }),
    ));

    /// A change of length per step.
    pub const STRETCH_LIMIT: Self = Self(&Controller {
        needs_lengths: true,
        ..Controller::new(
            "stretch-limit",
            "no spring changes its length by more than a distance in a step",
            &STRETCH,
            |spec| Box::new(StretchLimit { stretch: spec.stretch, first: spec.dt, bounds: spec.bounds }),
        )
    });

    /// A part of the stability limit.
    pub const STABLE: Self = Self(&Controller {
        allows_study: true,
        describe: |spec| format!(", {} of the limit{}", spec.safety, range(spec)),
        works_with: |_, integrator| match integrator.stability {
            Stability::UpTo(_) => Ok(()),
            Stability::Always | Stability::Above(_) => {
                Err(Incompatible::NoStabilityLimit { integrator: integrator.name })
            }
            Stability::Never(_) => Err(Incompatible::NeverStable { integrator: integrator.name }),
        },
        ..Controller::new(
            "stable",
            "a safety factor times the stability limit of the scheme on this system",
            &SAFETY,
            |spec| Box::new(Stable::new(spec.safety, spec.bounds)),
        )
    });
}

/// See the file head.
#[derive(Clone, Copy, Debug)]
pub struct SpeedLimit {
    /// m per step.
    pub distance: f64,
    /// Bounds of the step.
    pub bounds: StepBounds,
}

impl SpeedLimit {
    fn next(&self, system: &mut System, point: &Point) -> f64 {
        let speed = system.max_over_free(|i, _| point.state.v[i]).metres;
        self.bounds.clamp(self.distance / speed)
    }
}

impl StepController for SpeedLimit {
    fn name(&self) -> &'static str {
        "speed-limit"
    }

    fn bounds(&self) -> StepBounds {
        self.bounds
    }

    fn first(&mut self, system: &mut System, start: &Point, _properties: &Properties) -> f64 {
        self.next(system, start)
    }

    fn judge(&mut self, trial: &mut Trial) -> Verdict {
        Verdict::Accept { next: self.next(trial.system, trial.to), error: f64::NAN, binding: Binding::Limit }
    }
}

/// See the file head.
#[derive(Clone, Copy, Debug)]
pub struct StretchLimit {
    /// m per step.
    pub stretch: f64,
    /// The first step, s, if given.
    pub first: Option<f64>,
    /// Bounds of the step.
    pub bounds: StepBounds,
}

impl StepController for StretchLimit {
    fn name(&self) -> &'static str {
        "stretch-limit"
    }

    fn bounds(&self) -> StepBounds {
        self.bounds
    }

    fn first(&mut self, system: &mut System, start: &Point, properties: &Properties) -> f64 {
        self.first.unwrap_or_else(|| cautious_first(system, start, properties, self.stretch, self.bounds))
    }

    fn judge(&mut self, trial: &mut Trial) -> Verdict {
        let change = trial.system.stretch(&trial.from.state.view(), &trial.to.state.view()).unwrap_or(0.0);
        let ratio = 0.9 * self.stretch / change;
        if change <= self.stretch {
            let wanted = self.bounds.clamp(trial.dt * ratio.min(2.0));
            let next = if trial.fitted { wanted.max(trial.proposal) } else { wanted };
            return Verdict::Accept { next, error: f64::NAN, binding: Binding::Limit };
        }
        let dt = trial.dt * if ratio.is_nan() { 0.25 } else { ratio.max(0.25) };
        self.bounds.retry(trial.dt, dt, || {
            format!(
                "a spring still changes its length by {} (limit {}) in the smallest step dt_min = {}",
                metres(change),
                metres(self.stretch),
                seconds(self.bounds.min)
            )
        })
    }
}

/// Limit of ω dt under restraint, times the square root of the steepest slope of velocities: growing energies were observed from 1.0 on, and
/// never up to 0.76.
const RESTRAINED: f64 = 0.75;

/// See the file head.
#[derive(Clone, Copy, Debug)]
pub struct Stable {
    /// Safety factor.
    pub safety: f64,
    /// Bounds of the step.
    pub bounds: StepBounds,
    limit: f64,
}

impl Stable {
    /// A controller for a scheme with a finite limit, with the safety factor `safety`.
    pub fn new(safety: f64, bounds: StepBounds) -> Self {
        Self { safety, bounds, limit: 0.0 }
    }

    fn next(&self, system: &mut System, point: &Point) -> f64 {
        let view = point.state.view();
        let frequency = system.bounds().frequency_bound_besides_limits(&view);
        let swings = match system.restraint() {
            Some(restraint) => (self.safety * self.limit).min(RESTRAINED / restraint.steepest().sqrt()) / frequency,
            None => self.safety * self.limit / frequency,
        };
        let force: &[_] = if point.force_known { &point.force } else { &[] };
        let other = self.safety * system.bounds().step_limit(&view, force);
        self.bounds.clamp(if swings > other { other } else { swings })
    }
}

impl StepController for Stable {
    fn name(&self) -> &'static str {
        "stable"
    }

    fn bounds(&self) -> StepBounds {
        self.bounds
    }

    fn first(&mut self, system: &mut System, start: &Point, properties: &Properties) -> f64 {
        if let Stability::UpTo(limit) = properties.stability {
            self.limit = limit;
        }
        self.next(system, start)
    }

    fn judge(&mut self, trial: &mut Trial) -> Verdict {
        Verdict::Accept { next: self.next(trial.system, trial.to), error: f64::NAN, binding: Binding::Limit }
    }

    fn memory(&self) -> Vec<f64> {
        vec![self.limit]
    }

    fn restore(&mut self, memory: &[f64]) {
        self.limit = memory.first().copied().unwrap_or(0.0);
    }
}
