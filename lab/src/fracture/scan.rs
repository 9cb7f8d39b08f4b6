//! Several step settings from the loosest to the tightest, each with several seeds: which is the loosest that still breaks the plate as exact
//! steps do?

use super::pieces::Scatter;
use super::run::{Job, PHASES, Run, Wishes, run_all};
use super::throw::{Method, Throw};

/// One step setting with several seeds: one run alone may lie within the scatter by luck.
#[derive(Clone, Debug)]
pub struct Setting {
    /// By seed, one at least.
    pub runs: Vec<Run>,
}

impl Setting {
    /// Runs several step settings, each with seeds 1 to `seeds`.
    pub fn all(
        throw: Throw,
        methods: &[Method],
        seeds: u64,
        wishes: &Wishes,
        progress: &mut dyn FnMut(&str),
    ) -> Vec<Self> {
        let of = |method: &Method| (1..=seeds).map(|seed| (Throw { seed, ..throw }, *method)).collect::<Vec<Job>>();
        let jobs: Vec<Job> = methods.iter().flat_map(of).collect();
        let runs = run_all(&jobs, wishes, progress);
        runs.chunks(seeds as usize).map(|runs| Self { runs: runs.to_vec() }).collect()
    }

    /// The run with the first seed.
    pub fn first(&self) -> &Run {
        &self.runs[0]
    }

    /// How its steps are made.
    pub fn method(&self) -> Method {
        self.first().method
    }

    /// Whether all of its runs reach their end, within the scatter.
    pub fn is_fair(&self, scatter: &Scatter) -> bool {
        let fair = |run: &Run| run.failure.is_none() && scatter.strange(run.energy(), &run.pieces).is_none();
        self.runs.iter().all(fair)
    }

    /// The mean of something over the seeds.
    pub fn mean(&self, what: impl Fn(&Run) -> f64) -> f64 {
        self.runs.iter().map(what).sum::<f64>() / self.runs.len() as f64
    }

    /// Mean CPU time, s.
    pub fn seconds(&self) -> f64 {
        self.mean(Run::seconds)
    }

    /// The same of each phase.
    pub fn phases(&self) -> [f64; PHASES.len()] {
        std::array::from_fn(|k| self.mean(|run| run.phases()[k]))
    }

    /// Mean step of each phase, s.
    pub fn phase_steps(&self) -> [f64; PHASES.len()] {
        std::array::from_fn(|k| self.mean(|run| run.phase_times()[k]) / self.mean(|run| run.phase_steps()[k]).max(1.0))
    }
}

/// The settings tried of one kind.
#[derive(Clone, Debug)]
pub struct Scan {
    /// From the loosest on, at least one.
    pub tried: Vec<Setting>,
    /// Which of them is the loosest that is fair.
    winner: Option<usize>,
    /// Its number among all that there were to try, or that of the tightest.
    at: usize,
}

/// Where a scan begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begin {
    /// Everything is tried.
    All,
    /// Beside the number that won elsewhere: on to tighter ones until one is fair, or to looser ones while they are.
    Beside(usize),
}

impl Scan {
    /// Tries some of `count` settings, which `try_some` runs by their numbers.
    pub fn of(
        count: usize,
        begin: Begin,
        scatter: &Scatter,
        mut try_some: impl FnMut(std::ops::Range<usize>) -> Vec<Setting>,
    ) -> Self {
        let fair = |setting: &Setting| setting.is_fair(scatter);
        let (first, mut tried) = match begin {
            Begin::All => (0, try_some(0..count)),
            Begin::Beside(number) => {
                let mut low = number.saturating_sub(1).min(count - 1);
                let mut high = (low + 2).min(count);
                let mut tried = try_some(low..high);
                while !tried.iter().any(fair) && high < count {
                    tried.extend(try_some(high..high + 1));
                    high += 1;
                }
                while tried.first().is_some_and(fair) && low > 0 {
                    low -= 1;
                    tried.splice(0..0, try_some(low..low + 1));
                }
                (low, tried)
            }
        };
        tried.retain(|setting| !setting.runs.is_empty());
        let winner = tried.iter().position(fair);
        let at = first + winner.unwrap_or(tried.len().saturating_sub(1));
        Self { tried, winner, at }
    }

    /// The loosest fair one; `None`: none of those that were tried is.
    pub fn fair(&self) -> Option<&Setting> {
        self.winner.map(|at| &self.tried[at])
    }

    /// The fair one, or the tightest that was tried.
    pub fn best(&self) -> &Setting {
        self.fair().unwrap_or(&self.tried[self.tried.len() - 1])
    }

    /// The number of the best among all that there were to try.
    pub fn number(&self) -> usize {
        self.at
    }
}
