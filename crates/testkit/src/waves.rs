//! Waves sent into a restrained net: their arrival time at its other end, and their amplitude there.

use pliant_core::{Criterion, Limits, Restraint};
use pliant_time::catalog::{Entry, SolverSpec};

use crate::problems::travelling_wave;
use crate::stepper::Stepper;

/// Speed of the crest where it starts, m/s.
pub const PEAK: f64 = 0.01;
/// Speeds of free motion over those of rest, as in scenes.
pub const RATIO: f64 = 4.0;
/// Distance of the watched mass from the end, in masses: the wave has passed before its reflection arrives.
const BEFORE_THE_END: usize = 40;
/// Additional time of observation beyond that of a free wave, s. The reflection arrives after 80 s.
const WAITED: f64 = 50.0;
/// Speeds are averaged over this time, s, half of what the wave takes to pass: single released masses move unevenly.
const SMOOTHED: f64 = 8.0;

/// The net, and the step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Course {
    /// Masses along it.
    pub count: usize,
    /// Rows of them.
    pub rows: usize,
    /// s; the highest frequency is some 2 rad/s.
    pub dt: f64,
}

/// The restraint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hold {
    /// The criterion.
    pub criterion: Criterion,
    /// Speed of the crest over that of rest.
    pub over: f64,
}

/// The wave at the other end.
#[derive(Clone, Debug, PartialEq)]
pub struct Arrival {
    /// When the crest passes, s.
    pub time: f64,
    /// Its speed, m/s.
    pub peak: f64,
    /// When half of that is first reached, s.
    pub front: f64,
    /// Speeds of the watched mass over time, m/s.
    pub speeds: Vec<(f64, f64)>,
    /// The part of the net that was restrained when the wave was sent.
    pub held: f64,
}

impl Arrival {
    /// Its delay relative to another, as a part of the arrival time.
    pub fn late(&self, free: &Self) -> f64 {
        self.time / free.time - 1.0
    }

    /// The same of its front.
    pub fn front_late(&self, free: &Self) -> f64 {
        self.front / free.front - 1.0
    }

    /// The loss of its crest relative to another's.
    pub fn lost(&self, free: &Self) -> f64 {
        1.0 - self.peak / free.peak
    }
}

impl Course {
    /// The distance from the crest to the watched mass, m.
    pub fn way(&self) -> f64 {
        (self.count - BEFORE_THE_END) as f64 - 25.0
    }

    /// Sends a wave. Effective speeds below a tenth of that of rest do not count as motion, as in scenes; momenta do not decay.
    ///
    /// # Panics
    /// If a step fails.
    pub fn send(&self, scheme: &Entry, hold: Option<Hold>) -> Arrival {
        let mut problem = travelling_wave(self.count, self.rows, PEAK);
        let particles = problem.state.len();
        if let Some(Hold { criterion, over }) = hold {
            let rest = PEAK / over;
            let limits = Limits::new(criterion, rest, RATIO * rest, 0.1 * rest);
            problem.system.set_restraint(Some(Restraint::new(criterion, vec![limits; particles], f64::INFINITY)));
        }
        let solver = SolverSpec { kind: "direct".into(), ..SolverSpec::default() };
        let mut stepper = Stepper::new(problem, scheme, &solver);
        let held = 1.0 - stepper.system.active_set().activities(&stepper.point.state.v).moving();
        let watched = self.rows * (self.count - BEFORE_THE_END) + self.rows / 2;
        let mut places = vec![stepper.point.state.x[watched].x];
        for k in 0..((self.way() + WAITED) / self.dt) as usize {
            stepper
                .step(self.dt)
                .unwrap_or_else(|failure| panic!("step {k} of {}: {failure:?}", scheme.properties.name));
            places.push(stepper.point.state.x[watched].x);
        }
        let apart = (SMOOTHED / self.dt).round() as usize;
        let speed = |k: usize| (places[k + apart] - places[k]) / (apart as f64 * self.dt);
        let speeds: Vec<(f64, f64)> =
            (0..places.len() - apart).map(|k| ((k as f64 + 0.5 * apart as f64) * self.dt, speed(k))).collect();
        let (time, peak) = crest(&speeds);
        let front = speeds.iter().find(|(_, speed)| *speed >= 0.5 * peak).map_or(f64::NAN, |(time, _)| *time);
        Arrival { time, peak, front, speeds, held }
    }
}

/// The top of the parabola through the largest of many and its neighbours.
fn crest(speeds: &[(f64, f64)]) -> (f64, f64) {
    let inner = 1..speeds.len() - 1;
    let Some(k) = inner.max_by(|a, b| speeds[*a].1.total_cmp(&speeds[*b].1)) else { return (f64::NAN, 0.0) };
    let [(before, a), (time, b), (_, c)] = [speeds[k - 1], speeds[k], speeds[k + 1]];
    let bend = a - 2.0 * b + c;
    if bend >= 0.0 {
        // a plateau: nothing arrived
        return (time, b);
    }
    let aside = 0.5 * (a - c) / bend;
    (time + aside * (time - before), b - 0.25 * (a - c) * aside)
}
