//! The plate at several spacings, with adaptive steps of several seeds, fixed steps of several lengths, of which the longest are looked for that
//! break it in the same way, and explicit steps.

use super::pieces::{Scatter, Strangeness};
use super::run::{Job, Run, Wishes, run, run_all};
use super::throw::{ADAPTIVE, Method, Throw};

/// How far bonds may tear where that is limited.
pub const OVERSHOOT: f64 = 0.1;
/// Seconds on a processor after which a run is given up.
const MOST_SECONDS: f64 = 60.0;

/// What is thrown, and how often.
#[derive(Clone, Debug)]
pub struct Plan {
    /// With whatever spacing and seed.
    pub throw: Throw,
    /// From the coarsest on.
    pub sizes: Vec<Sizing>,
    /// Fixed steps that are tried, from the longest on, s: two at a time, until one of them is fair.
    pub fixed: Vec<f64>,
    /// Moments of pictures, s; of the finest body.
    pub shots: Vec<f64>,
}

/// How often the plate is thrown at one spacing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sizing {
    /// m
    pub spacing: f64,
    /// Adaptive runs with seeds 1 to this.
    pub seeds: u64,
    /// Whether other integrators are tried as well, and bonds that may not tear far.
    pub others: bool,
}

/// All runs at one spacing.
#[derive(Clone, Debug)]
pub struct Size {
    /// Adaptive Newmark, by seed.
    pub seeds: Vec<Run>,
    /// What they span.
    pub scatter: Scatter,
    /// Fixed steps, from the longest on.
    pub fixed: Vec<Run>,
    /// Velocity Verlet.
    pub explicit: Run,
    /// Other integrators, and Newmark with bonds that may not tear far.
    pub others: Vec<Run>,
}

impl Size {
    /// Runs all of it.
    pub fn of(plan: &Plan, sizing: Sizing, progress: &mut dyn FnMut(&str)) -> Self {
        let throw = Throw { spacing: sizing.spacing, seed: 1, ..plan.throw };
        let shots = if plan.sizes.last() == Some(&sizing) { plan.shots.clone() } else { Vec::new() };
        let wishes = Wishes { shots, most_seconds: MOST_SECONDS };
        let adaptive = |integrator| Method::Adaptive { integrator, overshoot: None };
        let clipped = Method::Adaptive { integrator: "newmark", overshoot: Some(OVERSHOOT) };
        let others =
            if sizing.others { vec![adaptive("generalized-alpha"), adaptive("bdf2"), clipped] } else { vec![] };
        let seeds = (1..=sizing.seeds).map(|seed| (Throw { seed, ..throw }, ADAPTIVE));
        let same = [Method::Explicit].into_iter().chain(others).map(|method| (throw, method));
        let jobs: Vec<Job> = seeds.chain(same).collect();
        let mut runs = run_all(&jobs, &wishes, progress).into_iter();
        let seeds: Vec<Run> = runs.by_ref().take(sizing.seeds as usize).collect();
        let ended = seeds.iter().filter(|run| run.failure.is_none());
        let scatter = Scatter::of(&ended.map(|run| (run.energy(), &run.pieces)).collect::<Vec<_>>());
        let explicit = runs.next().unwrap_or_else(|| run(throw, Method::Explicit, &wishes));
        let mut fixed: Vec<Run> = Vec::new();
        for pair in plan.fixed.chunks(2) {
            let jobs: Vec<Job> = pair.iter().map(|dt| (throw, Method::Fixed { dt: *dt, overshoot: None })).collect();
            fixed.extend(run_all(&jobs, &wishes, progress));
            if fixed.iter().any(|run| is_alike(run, &scatter)) {
                break;
            }
        }
        Self { seeds, scatter, fixed, explicit, others: runs.collect() }
    }

    /// Adaptive Newmark with the seed that all others have.
    pub fn adaptive(&self) -> &Run {
        &self.seeds[0]
    }

    /// The longest fixed steps that break the plate as adaptive ones do; `None`: none of those that were tried do.
    pub fn fair(&self) -> Option<&Run> {
        self.fixed.iter().find(|run| is_alike(run, &self.scatter))
    }

    /// Fixed steps to compare with: the fair ones, or the shortest that were tried.
    pub fn rival(&self) -> &Run {
        self.fair().unwrap_or_else(|| self.fixed.last().unwrap_or(&self.explicit))
    }

    /// What of a run lies outside of the scatter.
    pub fn strange(&self, run: &Run) -> Strangeness {
        self.scatter.strange(run.energy(), &run.pieces)
    }

    /// All runs in the order of tables.
    pub fn all(&self) -> impl Iterator<Item = &Run> {
        self.seeds.iter().chain(&self.fixed).chain([&self.explicit]).chain(&self.others)
    }

    /// How many times as fast as fixed steps adaptive ones are.
    pub fn gain(&self) -> f64 {
        self.rival().seconds() / self.adaptive().seconds()
    }

    /// The same for explicit steps against adaptive ones.
    pub fn explicit_gain(&self) -> f64 {
        self.adaptive().seconds() / self.explicit.seconds()
    }
}

fn is_alike(run: &Run, scatter: &Scatter) -> bool {
    run.failure.is_none() && scatter.strange(run.energy(), &run.pieces).is_none()
}

/// The plate at all spacings.
pub fn compare(plan: &Plan, progress: &mut dyn FnMut(&str)) -> Vec<Size> {
    plan.sizes.iter().map(|sizing| Size::of(plan, *sizing, progress)).collect()
}
