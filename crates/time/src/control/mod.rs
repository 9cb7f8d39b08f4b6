//! Controllers choose the length of the next step and accept or reject an attempted one.

pub mod catalog;
pub mod doubled;
pub mod fixed;
pub mod force_error;
pub mod limits;
pub mod parameter;

pub use catalog::{ControlKind, ControlSpec, Law};

use pliant_core::{Attempt, Binding, Point, State, StepFailure, System};
use pliant_linalg::solver::SolveError;
use pliant_scalar::shown::seconds;

use crate::integrator::Properties;

/// Bounds that hold for every controller.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepBounds {
    /// Smallest step, s: below it a run gives up.
    pub min: f64,
    /// Largest step, s.
    pub max: f64,
}

impl StepBounds {
    /// A step within the bounds, s.
    pub fn clamp(&self, dt: f64) -> f64 {
        if dt.is_nan() { self.min } else { dt.clamp(self.min, self.max) }
    }

    /// The verdict after a rejected step of length `dt`, s: a shorter one, but not below the smallest; after the smallest, give up.
    pub fn retry(&self, dt: f64, shorter: f64, why: impl FnOnce() -> String) -> Verdict {
        // fitting to a frame may leave the smallest step a rounding error too long
        if dt <= self.min * (1.0 + 1e-6) {
            return Verdict::GiveUp { why: why() };
        }
        Verdict::Retry { dt: shorter.max(self.min) }
    }
}

/// An attempted step, to be judged.
pub struct Trial<'a> {
    /// The system.
    pub system: &'a mut System,
    /// Where the step started.
    pub from: &'a Point,
    /// Where it ended.
    pub to: &'a Point,
    /// Its length, s.
    pub dt: f64,
    /// What the integrator reported.
    pub attempt: &'a Attempt,
    /// Whether the step was shortened to end on a frame.
    pub fitted: bool,
    /// The length proposed by the controller before that, s.
    pub proposal: f64,
}

/// The judgement.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// The step is accepted.
    Accept {
        /// Proposed length of the next, s.
        next: f64,
        /// The error that was judged, m (NaN: none was).
        error: f64,
        /// What set the length.
        binding: Binding,
    },
    /// The step is rejected; retry with this length.
    Retry {
        /// s
        dt: f64,
    },
    /// No step can be taken.
    GiveUp {
        /// Why, for display.
        why: String,
    },
}

impl Verdict {
    /// What set the length of an accepted step.
    pub fn binding(&self) -> Option<Binding> {
        match self {
            Self::Accept { binding, .. } => Some(*binding),
            _ => None,
        }
    }
}

/// Chooses steps.
pub trait StepController: Send {
    /// Catalog name.
    fn name(&self) -> &'static str;

    /// The bounds it works within.
    fn bounds(&self) -> StepBounds;

    /// The first step, s.
    fn first(&mut self, system: &mut System, start: &Point, properties: &Properties) -> f64;

    /// Judges a completed attempt.
    fn judge(&mut self, trial: &mut Trial) -> Verdict;

    /// Judges a failed attempt.
    fn failed(&mut self, failure: &StepFailure, dt: f64) -> Verdict {
        after_failure(self.bounds(), failure, dt)
    }

    /// Whether it reads the truncation estimate.
    fn needs_estimate(&self) -> bool {
        false
    }

    /// The error that it allows per step, m, if it judges errors. Implicit equations are solved to a small part of it.
    fn tolerance(&self) -> Option<f64> {
        None
    }

    /// Whether its integrator is to be wrapped for step doubling.
    fn needs_doubling(&self) -> bool {
        false
    }

    /// Whether each frame is divided into equal steps (instead of shortening only the last ones).
    fn divides_frames(&self) -> bool {
        false
    }

    /// Memory that a restart needs, as plain numbers.
    fn memory(&self) -> Vec<f64> {
        Vec::new()
    }

    /// Restores what [`StepController::memory`] returned.
    fn restore(&mut self, _memory: &[f64]) {}
}

/// The collision-free fraction of a guard or of contact is used; any other failure is retried with a quarter of the step. Only memory that is missing
/// ends the run: a shorter step needs as much, and with it results would depend on the memory of the machine.
pub(crate) fn after_failure(bounds: StepBounds, failure: &StepFailure, dt: f64) -> Verdict {
    if let StepFailure::Linear(SolveError::TooLarge { .. }) = failure {
        return Verdict::GiveUp { why: failure.to_string() };
    }
    let shorter = match failure {
        StepFailure::Clipped { fraction } => dt * fraction.clamp(0.05, 0.95),
        StepFailure::Blocked { fraction, .. } => dt * fraction.clamp(0.05, 0.5),
        _ => 0.25 * dt,
    };
    bounds.retry(dt, shorter, || format!("{failure}, and no step down to dt_min = {} helped", seconds(bounds.min)))
}

/// The largest rate of rotation or stretch of the line between two coupled particles, 1/s.
fn fastest_turn(system: &System, state: &State) -> f64 {
    let pattern = system.matrices().new_matrix().pattern;
    let rate = |i: usize, j: usize| {
        let distance = state.x[i].distance(state.x[j]);
        if distance > 0.0 { state.v[i].distance(state.v[j]) / distance } else { 0.0 }
    };
    let of_row = |i: usize| pattern.row(i).map(move |k| (i, k));
    let pairs = (0..pattern.rows()).flat_map(of_row).map(|(i, k)| (i, pattern.columns[k] as usize));
    pairs.map(|(i, j)| rate(i, j)).fold(0.0, f64::max)
}

/// The first step where none is given. For a converged implicit scheme, particles at rest move by at most a two-hundredth of the tolerance in it
/// and no pair rotates or strains by more than a tenth; for any other it is a hundredth of a radian of the highest frequency.
pub(crate) fn cautious_first(
    system: &mut System,
    start: &Point,
    properties: &Properties,
    tolerance: f64,
    bounds: StepBounds,
) -> f64 {
    let ordinary = bounds.clamp(1e-3_f64.min(bounds.max));
    if properties.is_implicit() && !properties.predicts_force && start.force_known {
        let force = &start.force;
        let acceleration = system.max_over_free(|i, weight| force[i] * weight).metres;
        let first = if acceleration > 0.0 { 0.1 * (tolerance / acceleration).sqrt() } else { ordinary };
        return bounds.clamp(first.min(0.1 / fastest_turn(system, &start.state)));
    }
    let frequency = system.bounds().frequency_bound(&start.state.view());
    if frequency > 0.0 { bounds.clamp(0.01 / frequency) } else { ordinary }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A shorter step needs as much memory: a run that went on with it would end in another state than on a larger machine.
    #[test]
    fn missing_memory_ends_a_run_and_no_other_failure_of_a_solver_does() {
        let bounds = StepBounds { min: 1e-9, max: 1.0 };
        let linear = |error: SolveError| after_failure(bounds, &StepFailure::Linear(error), 1e-3);
        match linear(SolveError::TooLarge { unknowns: 300 }) {
            Verdict::GiveUp { why } => assert!(why.contains("300 unknowns") && why.contains("memory"), "{why}"),
            other => panic!("{other:?}"),
        }
        match linear(SolveError::Indefinite { row: None }) {
            Verdict::Retry { dt } => assert_eq!(dt, 0.25e-3),
            other => panic!("{other:?}"),
        }
    }
}
