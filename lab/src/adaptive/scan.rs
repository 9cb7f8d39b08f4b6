//! Equal work: a method's parameter is scanned finely, and the runs near a given count are summed up by their medians, so that no
//! method wins by lucky tuning.

use rayon::prelude::*;

use super::method::{Method, Scheme};
use super::problem::NonlinearSpring;
use super::run::{Score, run};

/// How far a count may be from its target.
pub const WINDOW: f64 = 0.03;

/// What is held equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Count {
    /// All linear solves.
    Solves,
    /// Accepted steps only.
    Steps,
}

/// All runs of one method on one problem, from little work to much.
pub struct Scan {
    /// The scheme.
    pub scheme: Scheme,
    /// The method.
    pub method: Method,
    /// In the order of the parameter.
    pub scores: Vec<Score>,
}

/// Medians over the runs near a count.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Medians {
    /// How many runs.
    pub runs: usize,
    /// Median parameter.
    pub parameter: f64,
    /// Median solves.
    pub solves: f64,
    /// Median steps.
    pub steps: f64,
    /// Median rejections.
    pub rejected: f64,
    /// Median root-mean-square error, m.
    pub rms: f64,
    /// Median largest error, m.
    pub max: f64,
}

impl Scan {
    /// Runs a method with ever smaller parameters until it takes `most` solves and steps; the count grows by about `resolution` of
    /// itself from run to run.
    pub fn new(problem: &NonlinearSpring, scheme: Scheme, method: Method, most: u64, resolution: f64) -> Self {
        let ratio = (-resolution * method.inverse_power(scheme)).exp();
        let mut curve = Vec::new();
        let mut scores = Vec::new();
        let mut enough = 0;
        for k in 0..100_000 {
            let parameter = match method {
                // Every number of equal steps once.
                Method::Fixed => problem.until / f64::from(k + 4),
                _ => 3.0 * ratio.powi(k),
            };
            let Some(score) = run(problem, scheme, method, parameter, &mut curve) else { continue };
            // Counts are not monotone: do not stop at the first that is large enough.
            enough = if score.solves.min(score.steps) > most { enough + 1 } else { 0 };
            scores.push(score);
            if enough > 3 {
                break;
            }
        }
        Self { scheme, method, scores }
    }

    /// All methods with both schemes.
    pub fn all(problem: &NonlinearSpring, most: u64, resolution: f64) -> Vec<Self> {
        let pairs: Vec<_> = Scheme::ALL.into_iter().flat_map(|s| Method::ALL.map(|m| (s, m))).collect();
        pairs.into_par_iter().with_max_len(1).map(|(s, m)| Self::new(problem, s, m, most, resolution)).collect()
    }

    /// Medians over the runs within 3 % of a count; `None` when there is no such run.
    pub fn at(&self, count: Count, target: u64) -> Option<Medians> {
        let target = target as f64;
        let of = |score: &Score| if count == Count::Solves { score.solves } else { score.steps } as f64;
        let near: Vec<&Score> = self.scores.iter().filter(|s| (of(s) - target).abs() <= WINDOW * target).collect();
        let median = |value: fn(&Score) -> f64| {
            let mut values: Vec<f64> = near.iter().map(|score| value(score)).collect();
            values.sort_by(f64::total_cmp);
            let (low, high) = (values[(values.len() - 1) / 2], values[values.len() / 2]);
            0.5 * (low + high)
        };
        (!near.is_empty()).then(|| Medians {
            runs: near.len(),
            parameter: median(|s| s.parameter),
            solves: median(|s| s.solves as f64),
            steps: median(|s| s.steps as f64),
            rejected: median(|s| s.rejected as f64),
            rms: median(|s| s.rms),
            max: median(|s| s.max),
        })
    }
}
