//! Progress of a run: frame times, sums over all steps, and what a checkpoint needs in addition to the `Point`.

use pliant_core::{Binding, Ledger, StepReport, Work};
use serde::{Deserialize, Serialize};

use crate::pace::Pace;

/// More steps, frames or solves than any run has; sums with less do not overflow.
pub(crate) const MAX_COUNT: u64 = 1 << 53;

/// Sums over all steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tally {
    /// Accepted steps.
    pub steps: u64,
    /// Rejected attempts.
    pub rejected: u64,
    /// Cost of all attempts.
    pub work: Work,
    /// Shortest accepted step, s.
    pub dt_min: f64,
    /// Longest accepted step, s.
    pub dt_max: f64,
    /// Number of steps limited by the force error, the truncation estimate, or another criterion.
    pub bound_by: [u64; 3],
    /// Time integral of the share of moving particles, s: under restraint less than the elapsed time.
    pub moving: f64,
    /// Impulse that faded from restrained particles, kg m/s, summed over steps in absolute value.
    pub damped_impulse: f64,
}

impl Tally {
    /// Adds one accepted step.
    pub(crate) fn count(&mut self, report: &StepReport) {
        self.dt_min = if self.steps == 0 { report.dt } else { self.dt_min.min(report.dt) };
        self.dt_max = self.dt_max.max(report.dt);
        self.steps += 1;
        self.rejected += report.rejected;
        self.work += report.work;
        self.moving += report.dt * report.activities.moving();
        self.damped_impulse += report.damped_impulse;
        self.bound_by[match report.binding {
            Binding::ForceError => 0,
            Binding::Truncation => 1,
            _ => 2,
        }] += 1;
    }
}

/// Frame k is at k/fps, never accumulated; the last one is at the end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frames {
    /// Frames per second, 1/s.
    pub fps: f64,
    /// End of the run, s.
    pub until: f64,
}

impl Frames {
    /// Time of frame k, s.
    pub fn time(&self, k: u64) -> f64 {
        let time = k as f64 / self.fps;
        // a last frame that is a rounding error away from the end *is* the end
        if time >= self.until * (1.0 - 1e-12) { self.until } else { time }
    }

    /// Number of the first frame after a time, s; that of the last one if there is none.
    pub fn after(&self, time: f64) -> u64 {
        let mut k = (time * self.fps).max(0.0) as u64;
        while self.time(k) <= time && self.time(k) < self.until {
            k += 1;
        }
        k
    }

    /// Number of the last frame.
    pub fn last(&self) -> u64 {
        (self.until * self.fps * (1.0 - 1e-12)).ceil().max(0.0) as u64
    }
}

/// State of a simulation in addition to its `Point`, for checkpoints.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    /// Proposed next step, s.
    pub proposal: f64,
    /// Length of the last accepted step, s (0: none).
    pub last_dt: f64,
    /// Number of the next frame.
    pub next_frame: u64,
    /// Sums.
    pub tally: Tally,
    /// Energy budget.
    pub ledger: Ledger,
    /// Steps since the pace was judged.
    pub pace: Pace,
    /// Memory of the force models.
    pub models: Vec<f64>,
    /// Memory of the controller.
    pub controller: Vec<f64>,
}

impl Progress {
    /// As plain numbers and counts, for a checkpoint.
    pub fn to_parts(&self) -> (Vec<f64>, Vec<u64>) {
        let (tally, books, work) = (&self.tally, &self.ledger, &self.tally.work);
        let mut numbers =
            vec![self.proposal, self.last_dt, tally.dt_min, tally.dt_max, tally.moving, tally.damped_impulse];
        numbers.push(self.pace.since);
        numbers.extend([books.start, books.viscous, books.loads, books.contact, books.colliders, books.pins]);
        numbers.extend([books.projection, books.fracture, books.integrator]);
        numbers.extend([books.brought, books.moved, books.peak_kinetic]);
        numbers.push(self.models.len() as f64);
        numbers.extend(&self.models);
        numbers.extend(&self.controller);
        let mut counts = vec![self.next_frame, tally.steps, tally.rejected];
        counts.extend([
            work.force_evaluations,
            work.assemblies,
            work.factorisations,
            work.solves,
            work.linear_iterations,
        ]);
        counts.extend(tally.bound_by);
        counts.extend(self.pace.counts());
        (numbers, counts)
    }

    /// The reverse; `None` when the shape is not that of a checkpoint, or a count is one that no run reaches.
    pub fn from_parts(numbers: &[f64], counts: &[u64]) -> Option<Self> {
        if counts.iter().any(|count| *count > MAX_COUNT) {
            return None;
        }
        let (head, rest) = numbers.split_first_chunk::<20>()?;
        let (&[proposal, last_dt, dt_min, dt_max, moving, damped_impulse, since], books) =
            head.split_first_chunk::<7>()?;
        let &[
            start,
            viscous,
            loads,
            contact,
            colliders,
            pins,
            projection,
            fracture,
            integrator,
            brought,
            moved,
            peak_kinetic,
            held,
        ] = <&[f64; 13]>::try_from(books).ok()?;
        let (models, controller) = rest.split_at_checked(held as usize)?;
        let (head, pace) = counts.split_first_chunk()?;
        let &[
            next_frame,
            steps,
            rejected,
            force_evaluations,
            assemblies,
            factorisations,
            solves,
            linear_iterations,
            a,
            b,
            c,
        ]: &[u64; 11] = head;
        let work = Work { force_evaluations, assemblies, factorisations, solves, linear_iterations };
        Some(Self {
            proposal,
            last_dt,
            next_frame,
            tally: Tally { steps, rejected, work, dt_min, dt_max, bound_by: [a, b, c], moving, damped_impulse },
            ledger: Ledger {
                start,
                viscous,
                loads,
                contact,
                colliders,
                pins,
                projection,
                fracture,
                integrator,
                brought,
                moved,
                peak_kinetic,
            },
            pace: Pace::from_counts(since, pace)?,
            models: models.to_vec(),
            controller: controller.to_vec(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_that_no_run_reaches_are_refused() {
        let (numbers, counts) = Progress::default().to_parts();
        assert!(Progress::from_parts(&numbers, &counts).is_some());
        for at in 0..counts.len() {
            let mut forged = counts.clone();
            forged[at] = u64::MAX;
            assert!(Progress::from_parts(&numbers, &forged).is_none(), "count {at}");
        }
    }
}
