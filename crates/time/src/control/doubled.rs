//! Step doubling, the "adaptive quadrature" of [Adaptive]: one step against two half steps, in positions. The two half steps are kept.
//! A rejected attempt is retried with half the length, and its first half step is then the full step of the retry, so a retry
//! costs two steps instead of three. An accepted one doubles.

use glam::DVec3;
use pliant_core::{Attempt, Binding, Point, StepFailure, System, Work};
use pliant_scalar::shown;

use super::catalog::Controller;
use super::parameter::TOLERANCE;
use super::{ControlKind, StepBounds, StepController, Trial, Verdict, cautious_first};
use crate::integrator::{Demand, Integrator, Properties};

/// An integrator whose every step is made of two half steps and compared with a whole one.
pub struct Doubled {
    inner: Box<dyn Integrator>,
    whole: Point,
    middle: Point,
    /// Length of the step from `known_time`, `known_x`, `known_v` to `middle`, if it can be used again. Without the
    /// time, a system at rest would reuse an old step for the one in which a pin begins to move.
    known_dt: f64,
    known_time: f64,
    known_x: Vec<DVec3>,
    known_v: Vec<DVec3>,
}

impl Doubled {
    /// Wraps an integrator.
    pub fn new(inner: Box<dyn Integrator>) -> Self {
        Self {
            inner,
            whole: Point::default(),
            middle: Point::default(),
            known_dt: f64::NAN,
            known_time: f64::NAN,
            known_x: Vec::new(),
            known_v: Vec::new(),
        }
    }
}

impl Integrator for Doubled {
    fn properties(&self) -> &'static Properties {
        self.inner.properties()
    }

    fn is_incompressible(&self) -> bool {
        self.inner.is_incompressible()
    }

    fn attempt(
        &mut self,
        system: &mut System,
        from: &Point,
        dt: f64,
        demand: Demand,
        to: &mut Point,
        work: &mut Work,
    ) -> Result<Attempt, StepFailure> {
        let demand = Demand { estimate: false, ..demand };
        let mut total = Attempt::default();
        let is_repetition = self.known_dt == dt && self.known_time == from.state.time;
        if is_repetition && self.known_x == from.state.x && self.known_v == from.state.v {
            std::mem::swap(&mut self.whole, &mut self.middle);
        } else {
            self.inner.attempt(system, from, dt, demand, &mut self.whole, work)?;
        }
        self.known_dt = f64::NAN;
        total.projection_energy +=
            self.inner.attempt(system, from, 0.5 * dt, demand, &mut self.middle, work)?.projection_energy;
        self.known_dt = 0.5 * dt;
        self.known_time = from.state.time;
        self.known_x.clone_from(&from.state.x);
        self.known_v.clone_from(&from.state.v);
        total.projection_energy +=
            self.inner.attempt(system, &self.middle, 0.5 * dt, demand, to, work)?.projection_energy;
        let (one, two) = (&self.whole.state.x, &to.state.x);
        total.doubling_error = Some(system.max_over_free(|i, _| one[i] - two[i]));
        Ok(total)
    }
}

impl ControlKind {
    /// One step against two half steps.
    pub const STEP_DOUBLING: Self = Self(&Controller {
        error_exponent: |_, integrator| integrator.order_damped.min(integrator.order) + 1,
        ..Controller::new("step-doubling", "one step against two half steps, in metres", &TOLERANCE, |spec| {
            Box::new(StepDoubling { tolerance: spec.tolerance, first: spec.dt, bounds: spec.bounds })
        })
    });
}

/// The controller of doubled integrators.
#[derive(Clone, Copy, Debug)]
pub struct StepDoubling {
    /// Largest difference, m.
    pub tolerance: f64,
    /// The first step, s, if given.
    pub first: Option<f64>,
    /// Bounds of the step.
    pub bounds: StepBounds,
}

impl StepController for StepDoubling {
    fn name(&self) -> &'static str {
        "step-doubling"
    }

    fn bounds(&self) -> StepBounds {
        self.bounds
    }

    fn first(&mut self, system: &mut System, start: &Point, properties: &Properties) -> f64 {
        self.first.unwrap_or_else(|| cautious_first(system, start, properties, self.tolerance, self.bounds))
    }

    fn judge(&mut self, trial: &mut Trial) -> Verdict {
        let error = trial.attempt.doubling_error.expect("the integrator is wrapped in Doubled");
        if error.metres <= self.tolerance {
            let wanted = self.bounds.clamp(2.0 * trial.dt);
            let next = if trial.fitted { wanted.max(trial.proposal) } else { wanted };
            return Verdict::Accept { next, error: error.metres, binding: Binding::Doubling };
        }
        self.bounds.retry(trial.dt, 0.5 * trial.dt, || {
            format!(
                "one step and two half steps still differ by {} at particle {} (tolerance {}) at dt_min = {}",
                shown::metres(error.metres),
                error.particle,
                shown::metres(self.tolerance),
                shown::seconds(self.bounds.min)
            )
        })
    }

    fn tolerance(&self) -> Option<f64> {
        Some(self.tolerance)
    }

    fn needs_doubling(&self) -> bool {
        true
    }
}
