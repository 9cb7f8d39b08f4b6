//! The pace of a run: how far its last steps advanced it, and what kept them short. A run that would take far more steps than it can ever take is
//! crawling. That is decided by counted steps and simulated time alone, and what is counted belongs to a checkpoint.

use pliant_core::{Attempt, Binding, ErrorAt, StepFailure};

use crate::progress::{Frames, MAX_COUNT};

/// Steps after which the pace is judged. Steps that wait for an impact grow by factors again: so many short ones in a row are no single event.
pub const WINDOW: u64 = 256;
/// Steps of a run that are never too many, in all and per frame.
const ALWAYS_ALLOWED: f64 = 1e7;
const ALLOWED_PER_FRAME: f64 = 1e5;
/// How many times the number of given (`fixed`) steps a run may take.
const BEYOND_GIVEN: f64 = 10.0;
/// Part of the steps that failures must shorten to count as what keeps them short: between them steps double.
const FAILING: f64 = 0.1;
/// Stands for a particle that is not known.
const NOWHERE: u64 = MAX_COUNT;

/// What keeps steps short.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The error that a step may have.
    Tolerance,
    /// A limit of stability, speed or stretch.
    Limit,
    /// The step that was given.
    Given,
    /// Something would pass through something.
    Collision,
    /// Newton's method does not converge.
    Newton,
    /// A linear system cannot be solved.
    Solve,
    /// Something becomes infinite.
    NotFinite,
}

impl Cause {
    const ALL: [Self; 7] =
        [Self::Tolerance, Self::Limit, Self::Given, Self::Collision, Self::Newton, Self::Solve, Self::NotFinite];

    fn is_failure(self) -> bool {
        !matches!(self, Self::Tolerance | Self::Limit | Self::Given)
    }
}

/// Attempts by what kept them short, and the particle of the last of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Causes {
    counts: [u64; Cause::ALL.len()],
    particles: [u64; Cause::ALL.len()],
}

impl Default for Causes {
    fn default() -> Self {
        Self { counts: [0; Cause::ALL.len()], particles: [NOWHERE; Cause::ALL.len()] }
    }
}

impl Causes {
    fn add(&mut self, cause: Cause, count: u64, particle: u64) {
        self.counts[cause as usize] += count;
        if particle != NOWHERE {
            self.particles[cause as usize] = particle;
        }
    }

    /// Counts an attempt that failed.
    pub(crate) fn failed(&mut self, failure: &StepFailure) {
        let (cause, particle) = match failure {
            StepFailure::NonFinite { particle } => (Cause::NotFinite, Some(*particle)),
            StepFailure::Newton { particle, .. } => (Cause::Newton, Some(*particle)),
            StepFailure::Blocked { particle, .. } => (Cause::Collision, Some(*particle)),
            StepFailure::Clipped { .. } => (Cause::Collision, None),
            StepFailure::Linear(_) | StepFailure::Compressed { .. } => (Cause::Solve, None),
        };
        self.add(cause, 1, particle.map_or(NOWHERE, |particle| particle as u64));
    }

    /// Counts a completed attempt that was accepted with this binding, or rejected.
    pub(crate) fn judged(&mut self, attempt: &Attempt, binding: Option<Binding>) {
        let errors = [attempt.force_error, attempt.doubling_error, attempt.truncation.map(|found| found.error)];
        let larger = |a: ErrorAt, b: ErrorAt| if b.metres > a.metres { b } else { a };
        let largest = errors.into_iter().flatten().reduce(larger);
        match (binding, largest) {
            (Some(Binding::Given), _) => self.add(Cause::Given, 1, NOWHERE),
            (Some(Binding::Limit), _) | (None, None) => self.add(Cause::Limit, 1, NOWHERE),
            (_, error) => self.add(Cause::Tolerance, 1, error.map_or(NOWHERE, |error| error.particle as u64)),
        }
    }

    fn join(&mut self, others: &Self) {
        for cause in Cause::ALL {
            self.add(cause, others.counts[cause as usize], others.particles[cause as usize]);
        }
    }

    /// The likeliest cause in so many steps, and the last particle of it.
    pub(crate) fn main(&self, steps: u64) -> (Cause, Option<usize>) {
        let count = |cause: &Cause| self.counts[*cause as usize];
        let is_failing = Cause::ALL.iter().filter(|cause| cause.is_failure()).map(count).sum::<u64>() as f64;
        let fails = is_failing >= FAILING * steps as f64;
        let most = Cause::ALL.into_iter().filter(|cause| cause.is_failure() == fails).rev().max_by_key(count);
        let cause = most.unwrap_or(Cause::Tolerance);
        let particle = self.particles[cause as usize];
        (cause, (particle != NOWHERE).then_some(particle as usize))
    }
}

/// Steps since the pace was judged last.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pace {
    /// Time at which they began, s.
    pub since: f64,
    /// How many they are.
    pub steps: u64,
    /// What kept them short.
    pub causes: Causes,
}

impl Pace {
    /// No steps yet.
    pub fn starting_at(time: f64) -> Self {
        Self { since: time, ..Self::default() }
    }

    /// Counts a step.
    pub(crate) fn count(&mut self, causes: &Causes) {
        self.steps += 1;
        self.causes.join(causes);
    }

    /// Counts for a checkpoint.
    pub(crate) fn counts(&self) -> impl Iterator<Item = u64> {
        [self.steps].into_iter().chain(self.causes.counts).chain(self.causes.particles)
    }

    /// The reverse.
    pub(crate) fn from_counts(since: f64, counts: &[u64]) -> Option<Self> {
        let (&steps, counts) = counts.split_first()?;
        let (counts, particles) = counts.split_first_chunk()?;
        Some(Self { since, steps, causes: Causes { counts: *counts, particles: particles.try_into().ok()? } })
    }
}

/// How many steps a run may take.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepLimit {
    /// As asked for; may be infinite.
    pub max_steps: Option<f64>,
    /// The length of given steps, s.
    pub dt: Option<f64>,
}

impl StepLimit {
    /// The limit of a run.
    pub fn of(&self, frames: &Frames) -> f64 {
        let usual = || {
            let given = self.dt.map_or(0.0, |dt| BEYOND_GIVEN * frames.until / dt);
            ALWAYS_ALLOWED.max(ALLOWED_PER_FRAME * frames.last() as f64).max(given)
        };
        self.max_steps.unwrap_or_else(usual)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tolerance(particle: usize) -> Attempt {
        Attempt { force_error: Some(ErrorAt { metres: 1.0, particle }), ..Attempt::default() }
    }

    #[test]
    fn failures_that_shorten_a_tenth_of_the_steps_are_the_cause() {
        let mut causes = Causes::default();
        (0..100).for_each(|_| causes.judged(&tolerance(3), Some(Binding::ForceError)));
        (0..9).for_each(|_| causes.failed(&StepFailure::Blocked { fraction: 0.5, particle: 7 }));
        assert_eq!(causes.main(100), (Cause::Tolerance, Some(3)));
        causes.failed(&StepFailure::Newton { iterations: 8, residual: 1.0, particle: 5 });
        assert_eq!(causes.main(100), (Cause::Collision, Some(7)));
        (0..9).for_each(|_| causes.failed(&StepFailure::Newton { iterations: 8, residual: 1.0, particle: 6 }));
        assert_eq!(causes.main(100), (Cause::Newton, Some(6)));
        let mut limited = Causes::default();
        limited.judged(&Attempt::default(), Some(Binding::Limit));
        assert_eq!(limited.main(1), (Cause::Limit, None));
    }

    #[test]
    fn counts_survive_a_checkpoint() {
        let mut pace = Pace::starting_at(0.25);
        let mut causes = Causes::default();
        causes.judged(&tolerance(3), None);
        pace.count(&causes);
        let counts: Vec<u64> = pace.counts().collect();
        assert_eq!(Pace::from_counts(0.25, &counts), Some(pace));
        assert_eq!(Pace::from_counts(0.25, &counts[1..]), None);
    }

    #[test]
    fn long_runs_and_short_given_steps_may_take_more() {
        let of = |until: f64, limit: StepLimit| limit.of(&Frames { fps: 60.0, until });
        let usual = StepLimit::default();
        assert_eq!([of(1.0, usual), of(100.0, usual)], [1e7, 6e8]);
        assert_eq!(of(1.0, StepLimit { dt: Some(1e-8), ..usual }), 1e9);
        assert_eq!(of(1.0, StepLimit { max_steps: Some(50.0), ..usual }), 50.0);
    }
}
