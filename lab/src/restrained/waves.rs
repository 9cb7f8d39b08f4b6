//! Waves sent into a chain that stands still: how late they arrive and how much of them.

use pliant::core::{Criterion, Limits, Restraint};
use pliant::prelude::{SolverSpec, integrator};
use pliant_testkit::problems::travelling_wave;
use pliant_testkit::stepper::Stepper;

/// Masses of the chain, 1 m from each other.
pub const COUNT: usize = 200;
/// The wave's crest starts at 25 m; it is waited for here.
pub const WATCHED: usize = 180;
/// Speed of the crest, m/s.
pub const PEAK: f64 = 0.01;
/// Speeds of free motion over those of rest, as scenes have it.
pub const RATIO: f64 = 4.0;
/// s; the highest frequency of the chain is 2 rad/s.
const DT: f64 = 0.1;
/// Until then the wave has arrived, however late, and has not come back.
const UNTIL: f64 = 210.0;

/// What is held, and how.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hold {
    /// Which kinetic energy.
    pub criterion: Criterion,
    /// Speed of the crest over that of rest.
    pub over: f64,
}

/// What arrives.
#[derive(Clone, Debug, PartialEq)]
pub struct Arrival {
    /// When the crest passes, s.
    pub time: f64,
    /// Its effective speed, m/s.
    pub peak: f64,
    /// Effective speeds of the watched mass over time, m/s.
    pub speeds: Vec<(f64, f64)>,
}

impl Arrival {
    /// By which part of its time it comes later than another.
    pub fn late(&self, free: &Self) -> f64 {
        self.time / free.time - 1.0
    }

    /// Which part of the other's crest it misses.
    pub fn lost(&self, free: &Self) -> f64 {
        1.0 - self.peak / free.peak
    }
}

/// Sends a wave. What little effective speed counts as motion is a tenth of that of rest, as in scenes; momenta do not fade.
///
/// # Panics
/// If a step fails.
pub fn send(scheme: &str, hold: Option<Hold>) -> Arrival {
    let mut problem = travelling_wave(COUNT, 1, PEAK);
    if let Some(Hold { criterion, over }) = hold {
        let rest = PEAK / over;
        let limits = Limits::new(criterion, rest, RATIO * rest, 0.1 * rest);
        problem.system.set_restraint(Some(Restraint::new(criterion, vec![limits; COUNT], f64::INFINITY)));
    }
    let entry = integrator(scheme).unwrap_or_else(|| panic!("no integrator is called {scheme}"));
    let solver = SolverSpec { kind: "direct".into(), ..SolverSpec::default() };
    let mut stepper = Stepper::new(problem, entry, &solver);
    let mut speeds = Vec::new();
    for k in 1..=(UNTIL / DT) as usize {
        stepper.step(DT).unwrap_or_else(|failure| panic!("step {k} of {scheme}: {failure:?}"));
        let v = stepper.point.state.v[WATCHED];
        speeds.push((k as f64 * DT, stepper.system.effective(WATCHED, v).x));
    }
    let (time, peak) = crest(&speeds);
    Arrival { time, peak, speeds }
}

/// The top of the parabola through the largest of many and its neighbours.
fn crest(speeds: &[(f64, f64)]) -> (f64, f64) {
    let inner = 1..speeds.len() - 1;
    let Some(k) = inner.max_by(|a, b| speeds[*a].1.total_cmp(&speeds[*b].1)) else { return (0.0, 0.0) };
    let [(_, a), (time, b), (_, c)] = [speeds[k - 1], speeds[k], speeds[k + 1]];
    let bend = a - 2.0 * b + c;
    if bend >= 0.0 {
        // nothing arrived
        return (time, b);
    }
    let aside = 0.5 * (a - c) / bend;
    (time + aside * DT, b - 0.25 * (a - c) * aside)
}
