//! The findings of the comparison, as ratios of errors, one for each scheme and cost.

use super::super::method::{Method, Scheme};
use super::super::scan::{Count, Scans};
use super::super::words::list;
use super::{RIVALS, cases};
use pliant_plot::report::Verdict;

/// A ratio for each scheme and cost.
pub struct Ratios(Vec<(Scheme, u64, f64)>);

impl Ratios {
    fn new(ratio: impl Fn(Scheme, u64) -> f64) -> Self {
        Self(cases().map(|(scheme, target)| (scheme, target, ratio(scheme, target))).collect())
    }

    /// Those of one scheme.
    pub fn of(&self, scheme: Scheme) -> impl Iterator<Item = f64> {
        self.0.iter().filter(move |(s, ..)| *s == scheme).map(|(_, _, ratio)| *ratio)
    }

    /// How many pass, and how many there are.
    pub fn count(&self, passes: impl Fn(f64) -> bool) -> (usize, usize) {
        (self.0.iter().filter(|(_, _, ratio)| passes(*ratio)).count(), self.0.len())
    }

    /// The cases that pass, as text; `unit` is what the costs are counted in.
    pub fn which(&self, unit: &str, passes: impl Fn(f64) -> bool) -> String {
        let names = Scheme::ALL.into_iter().filter_map(|scheme| {
            let those = self.0.iter().filter(|(s, _, ratio)| *s == scheme && passes(*ratio));
            let counts: Vec<String> = those.map(|(_, target, _)| target.to_string()).collect();
            (!counts.is_empty()).then(|| format!("{} at {} {unit}", scheme.name(), list(&counts)))
        });
        list(&names.collect::<Vec<_>>())
    }
}

/// The ratios on which the verdict rests.
pub struct Findings {
    /// eq. 12 over the best of its rivals.
    pub rivals: Ratios,
    /// Fixed steps over eq. 12.
    pub fixed: Ratios,
    /// The same in the largest error.
    pub fixed_largest: Ratios,
    /// Step doubling over eq. 12 at equal accepted steps.
    pub doubling: Ratios,
}

impl Findings {
    /// Reads them off the runs.
    pub fn new(scans: &Scans) -> Self {
        let rms = |scheme, method, target| scans.at(scheme, method, target).rms;
        let largest = |scheme, method, target| scans.at(scheme, method, target).max;
        let by_steps = |scheme, method, target| scans.of(scheme, method).at(Count::Steps, target).rms;
        let best = |s, t| RIVALS.map(|rival| rms(s, rival, t)).into_iter().fold(f64::INFINITY, f64::min);
        Self {
            rivals: Ratios::new(|s, t| rms(s, Method::Paper, t) / best(s, t)),
            fixed: Ratios::new(|s, t| rms(s, Method::Fixed, t) / rms(s, Method::Paper, t)),
            fixed_largest: Ratios::new(|s, t| largest(s, Method::Fixed, t) / largest(s, Method::Paper, t)),
            doubling: Ratios::new(|s, t| by_steps(s, Method::Doubling, t) / by_steps(s, Method::Paper, t)),
        }
    }

    /// The claim holds if eq. 12 beats its rivals however one counts, and partly if it does so at equal solves.
    pub fn verdict(&self) -> Verdict {
        let all = |(passing, all)| passing == all;
        let beats_rivals = all(self.rivals.count(|ratio| ratio < 1.0));
        let beats_the_rest =
            all(self.fixed.count(|ratio| ratio > 1.0)) && all(self.doubling.count(|ratio| ratio > 1.0));
        match (beats_rivals, beats_the_rest) {
            (true, true) => Verdict::Holds,
            (true, false) => Verdict::HoldsPartly,
            (false, _) => Verdict::Fails,
        }
    }
}
