//! Equal work: a method's parameter is scanned finely, and the runs near a given count are summarized by their medians, so that no
//! method wins by lucky tuning.

use pliant::prelude::ControlSpec;
use rayon::prelude::*;

use super::method::{Method, Scheme};
use super::problem::NonlinearSpring;
use super::run::{Score, run};

/// How far a count may be from its target.
pub const WINDOW: f64 = 0.03;

/// What is held equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// All linear solves, those of rejected attempts included.
    Solves,
    /// Accepted steps only.
    Steps,
}

/// The range of a scan: which count, from and to where, and its relative growth from run to run.
#[derive(Clone, Copy, Debug)]
pub struct Range {
    /// What is counted.
    pub count: Count,
    /// The smallest count of interest.
    pub least: u64,
    /// The largest.
    pub most: u64,
    /// Relative growth from run to run.
    pub resolution: f64,
}

/// Runs of one method on one problem, from little work to much.
pub struct Scan {
    /// The scheme.
    pub scheme: Scheme,
    /// The method.
    pub method: Method,
    /// In the order of the parameter, which falls.
    pub scores: Vec<Score>,
}

/// Medians over the runs near a count.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Medians {
    /// Solves.
    pub solves: f64,
    /// Accepted steps.
    pub steps: f64,
    /// Rejections.
    pub rejected: f64,
    /// The part of the steps that truncation bounded.
    pub truncation: f64,
    /// Root-mean-square error, m.
    pub rms: f64,
    /// Largest error, m.
    pub max: f64,
}

impl Scan {
    /// Runs a method over a range.
    pub fn new(problem: &NonlinearSpring, scheme: Scheme, method: Method, range: Range) -> Self {
        Self::with(problem, scheme, method, range, |parameter| method.control(parameter))
    }

    /// The same with a controller that differs in some detail.
    pub fn with(
        problem: &NonlinearSpring,
        scheme: Scheme,
        method: Method,
        range: Range,
        control: impl Fn(f64) -> ControlSpec,
    ) -> Self {
        let mut curve = Vec::new();
        let mut score = |parameter| run(problem, scheme, &control(parameter), parameter, &mut curve);
        let scores = if method == Method::Fixed {
            // Every number of equal steps once.
            let (least, most) = (0.9 * range.least as f64, 1.1 * range.most as f64);
            (least as u64..=most as u64).filter_map(|steps| score(problem.until / steps as f64)).collect()
        } else {
            let power = method.inverse_power(scheme);
            let (from, to) = ends(&mut score, power, range);
            let runs = ((from / to).ln() / (range.resolution * power)).ceil() as i32;
            (0..=runs).filter_map(|k| score(from * (to / from).powf(f64::from(k) / f64::from(runs.max(1))))).collect()
        };
        Self { scheme, method, scores }
    }

    fn near(&self, count: Count, target: f64, window: f64) -> Option<Medians> {
        let scores = self.scores.iter();
        let near: Vec<&Score> = scores.filter(|s| (s.count(count) - target).abs() <= window * target).collect();
        let median = |value: fn(&Score) -> f64| {
            let mut values: Vec<f64> = near.iter().map(|score| value(score)).collect();
            values.sort_by(f64::total_cmp);
            0.5 * (values[(values.len() - 1) / 2] + values[values.len() / 2])
        };
        (!near.is_empty()).then(|| Medians {
            solves: median(|s| s.solves as f64),
            steps: median(|s| s.steps as f64),
            rejected: median(|s| s.rejected as f64),
            truncation: median(|s| s.truncation),
            rms: median(|s| s.rms),
            max: median(|s| s.max),
        })
    }

    /// Medians over the runs within 3 % of a count, if there are any.
    pub fn within(&self, count: Count, target: u64) -> Option<Medians> {
        self.near(count, target as f64, WINDOW)
    }

    /// The same, but where there is no such run (step doubling skips counts), over the runs with the nearest count.
    pub fn at(&self, count: Count, target: u64) -> Medians {
        let target = target as f64;
        let nearest =
            self.scores.iter().map(|s| (s.count(count) - target).abs() / target).fold(f64::INFINITY, f64::min);
        self.near(count, target, WINDOW.max(nearest * (1.0 + 1e-9))).expect("a scan has runs")
    }

    /// A run with about this many solves and the median error: the one to draw.
    pub fn typical(&self, solves: u64) -> &Score {
        let target = solves as f64;
        let median = self.at(Count::Solves, solves);
        // Half a percent of error weighs as much as one of solves.
        let oddity = |s: &Score| (s.rms / median.rms).ln().abs() * 2.0 + (s.count(Count::Solves) / target).ln().abs();
        self.scores.iter().min_by(|a, b| oddity(a).total_cmp(&oddity(b))).expect("a scan has runs")
    }
}

/// The parameters between which the counts of a range lie, found in strides.
fn ends(score: &mut impl FnMut(f64) -> Option<Score>, power: f64, range: Range) -> (f64, f64) {
    const LOOSEST: f64 = 3.0;
    let stride = (-0.1 * power).exp();
    let (mut from, mut to) = (LOOSEST, LOOSEST);
    // Counts are not quite monotone, hence the margins.
    while let Some(score) = score(to).filter(|s| s.count(range.count) <= 1.1 * range.most as f64) {
        if score.count(Count::Solves) < 0.9 * range.least as f64 {
            from = to;
        }
        to *= stride;
    }
    (from, to)
}

/// Methods with both schemes on one problem.
pub struct Scans {
    /// The problem.
    pub problem: NonlinearSpring,
    scans: Vec<Scan>,
}

impl Scans {
    /// Runs them all, in parallel.
    pub fn new(start: f64, until: f64, range: Range) -> Self {
        Self::of_methods(start, until, &Method::ALL, range)
    }

    /// Runs some methods.
    pub fn of_methods(start: f64, until: f64, methods: &[Method], range: Range) -> Self {
        let problem = NonlinearSpring::new(start, until);
        let pairs: Vec<_> = Scheme::ALL.into_iter().flat_map(|s| methods.iter().map(move |m| (s, *m))).collect();
        let scan = |(scheme, method)| Scan::new(&problem, scheme, method, range);
        let scans = pairs.into_par_iter().with_max_len(1).map(scan).collect();
        Self { problem, scans }
    }

    /// One of them.
    pub fn of(&self, scheme: Scheme, method: Method) -> &Scan {
        self.scans.iter().find(|scan| (scan.scheme, scan.method) == (scheme, method)).expect("this method was run")
    }

    /// Medians at equal solves.
    pub fn at(&self, scheme: Scheme, method: Method, solves: u64) -> Medians {
        self.of(scheme, method).at(Count::Solves, solves)
    }
}
