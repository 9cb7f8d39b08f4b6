//! The plate at several spacings. Exact explicit steps of several seeds give the scatter; within that, the largest tolerance of
//! adaptive steps and the longest fixed ones are searched in the same way, and compared.

use super::pieces::{Scatter, Strangeness};
use super::run::{Job, Run, Wishes, run_all};
use super::scan::{Begin, Scan, Setting};
use super::throw::{Method, REFERENCE, SAFETY, Throw};

/// Limit of the overshoot of bonds, where there is one.
pub const OVERSHOOT: f64 = 0.1;
/// CPU time after which a run is stopped, s.
const MAX_SECONDS: f64 = 200.0;

/// What is thrown, and how often.
#[derive(Clone, Debug)]
pub struct Plan {
    /// With whatever spacing and seed.
    pub throw: Throw,
    /// From the coarsest on, where all settings are tried; at the others those beside what won before.
    pub sizes: Vec<Sizing>,
    /// Tolerances of adaptive steps that are tried, in usual ones, from the largest on.
    pub tolerances: Vec<f64>,
    /// Fixed steps that are tried, from the longest on, in seconds per metre of spacing.
    pub paces: Vec<f64>,
    /// Seeds of each setting: a setting is fair where all of them are.
    pub trials: u64,
    /// Moments of pictures, s; of the finest body.
    pub shots: Vec<f64>,
}

/// How often the plate is thrown at one spacing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sizing {
    /// m
    pub spacing: f64,
    /// Runs of the reference with seeds 1 to this.
    pub seeds: u64,
    /// Whether other integrators are tried as well, and a limit of the overshoot of bonds.
    pub others: bool,
}

/// All runs at one spacing.
#[derive(Clone, Debug)]
pub struct Size {
    /// Short explicit steps, by seed.
    pub reference: Vec<Run>,
    /// Their scatter.
    pub scatter: Scatter,
    /// Adaptive Newmark, from the largest tolerance on.
    pub adaptive: Scan,
    /// Fixed steps, from the longest on.
    pub fixed: Scan,
    /// Velocity Verlet.
    pub explicit: Setting,
    /// Other integrators, and Newmark with a limit of the overshoot of bonds.
    pub others: Vec<Run>,
}

impl Size {
    /// Runs all of it; `before`: what was found at another spacing.
    pub fn of(plan: &Plan, sizing: Sizing, before: Option<&Size>, progress: &mut dyn FnMut(&str)) -> Self {
        let throw = Throw { spacing: sizing.spacing, seed: 1, ..plan.throw };
        let shots = if plan.sizes.last() == Some(&sizing) { plan.shots.clone() } else { Vec::new() };
        let wishes = Wishes { shots, most_seconds: MAX_SECONDS };
        let seeds: Vec<Job> = (1..=sizing.seeds).map(|seed| (Throw { seed, ..throw }, REFERENCE)).collect();
        let reference = run_all(&seeds, &wishes, progress);
        let ended = reference.iter().filter(|run| run.failure.is_none());
        let scatter = Scatter::of(&ended.map(|run| (run.energy(), &run.pieces)).collect::<Vec<_>>());
        let explicit =
            Setting::all(throw, &[Method::Explicit { safety: SAFETY }], plan.trials, &wishes, progress).remove(0);
        let begin = |scan: fn(&Size) -> &Scan| before.map_or(Begin::All, |size| Begin::Beside(scan(size).number()));
        let adaptive = |integrator, tolerance| Method::Adaptive { integrator, tolerance, overshoot: None };
        let all: Vec<Method> = plan.tolerances.iter().map(|tolerance| adaptive("newmark", *tolerance)).collect();
        let found = Scan::of(all.len(), begin(|size| &size.adaptive), &scatter, |some| {
            Setting::all(throw, &all[some], plan.trials, &wishes, progress)
        });
        // equations as exactly as the rival needs them, or equal steps would pay for unneeded digits
        let tolerance = plan.tolerances[found.number()];
        let of = |pace: &f64| Method::Fixed { dt: pace * sizing.spacing, tolerance, overshoot: None };
        let all: Vec<Method> = plan.paces.iter().map(of).collect();
        let fixed = Scan::of(all.len(), begin(|size| &size.fixed), &scatter, |some| {
            Setting::all(throw, &all[some], plan.trials, &wishes, progress)
        });
        let clipped = Method::Adaptive { integrator: "newmark", tolerance, overshoot: Some(OVERSHOOT) };
        let others = [adaptive("generalized-alpha", tolerance), adaptive("bdf2", tolerance), clipped];
        let others: Vec<Job> = others.into_iter().filter(|_| sizing.others).map(|method| (throw, method)).collect();
        let others = run_all(&others, &wishes, progress);
        Self { reference, scatter, adaptive: found, fixed, explicit, others }
    }

    /// The quantities of a run outside of the scatter.
    pub fn strange(&self, run: &Run) -> Strangeness {
        self.scatter.strange(run.energy(), &run.pieces)
    }

    /// All runs in the order of tables.
    pub fn all(&self) -> impl Iterator<Item = &Run> {
        let settings = self.adaptive.tried.iter().chain(&self.fixed.tried).chain([&self.explicit]);
        self.reference.iter().chain(settings.flat_map(|setting| &setting.runs)).chain(&self.others)
    }

    /// Fixed, adaptive and explicit steps that are compared.
    pub fn three(&self) -> [&Setting; 3] {
        [self.fixed.best(), self.adaptive.best(), &self.explicit]
    }

    /// Whether both rivals have a setting that breaks the plate as the reference does.
    pub fn is_decided(&self) -> bool {
        self.fixed.fair().is_some() && self.adaptive.fair().is_some()
    }

    /// How many times as fast as fixed steps adaptive ones are.
    pub fn gain(&self) -> f64 {
        self.fixed.best().seconds() / self.adaptive.best().seconds()
    }

    /// The same for explicit steps against adaptive ones.
    pub fn explicit_gain(&self) -> f64 {
        self.adaptive.best().seconds() / self.explicit.seconds()
    }
}

/// The plate at all spacings.
pub fn compare(plan: &Plan, progress: &mut dyn FnMut(&str)) -> Vec<Size> {
    let mut sizes: Vec<Size> = Vec::new();
    for sizing in &plan.sizes {
        let size = Size::of(plan, *sizing, sizes.last(), progress);
        sizes.push(size);
    }
    sizes
}
