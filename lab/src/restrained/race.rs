//! A full simulation and a restrained one side by side, window by window of simulated time, so that other load slows both down.

use std::time::Instant;

use pliant::prelude::{DVec3, Simulation, State};
use pliant::scene::{LoadedScene, load};
use pliant_testkit::random::Random;

use super::fields::{Difference, Floor, Moment};
use super::setups::{Kind, Setup};

/// Length of a window, s.
pub const WINDOW: f64 = 0.25;
/// Displacement of particles in the other full run of a fluid, in spacings.
const PERTURBED: f64 = 1e-12;

/// The result of a run in a window.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Window {
    /// Wall time, s.
    pub seconds: f64,
    /// Steps.
    pub steps: u64,
    /// Parts of all particles that were active, in transition and restrained, on the mean over its time.
    pub shares: [f64; 3],
    /// From the full run, at its end.
    pub difference: Difference,
    /// Kinetic energy at its end, J.
    pub kinetic: f64,
    /// Speed of the fastest particle at its end, m/s.
    pub fastest: f64,
}

/// A run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Course {
    /// In order.
    pub windows: Vec<Window>,
}

impl Course {
    /// Wall time of all of it, s.
    pub fn seconds(&self) -> f64 {
        self.windows.iter().map(|window| window.seconds).sum()
    }

    /// Steps of all of it.
    pub fn steps(&self) -> u64 {
        self.windows.iter().map(|window| window.steps).sum()
    }

    /// Root of the mean square over time of a difference.
    pub fn rms(&self, of: impl Fn(&Difference) -> f64) -> f64 {
        let squares: f64 = self.windows.iter().map(|window| of(&window.difference).powi(2)).sum();
        (squares / self.windows.len().max(1) as f64).sqrt()
    }

    /// The largest over time.
    pub fn most(&self, of: impl Fn(&Difference) -> f64) -> f64 {
        self.windows.iter().map(|window| of(&window.difference)).fold(0.0, f64::max)
    }
}

/// All runs of a scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Race {
    /// Without restraint.
    pub full: Course,
    /// With it.
    pub restrained: Course,
    /// With the other thresholds of the setup.
    pub others: Vec<Course>,
    /// The full run that the difference is compared with: see [`Kind`].
    pub other: Course,
    /// How many particles there are.
    pub particles: usize,
    /// Impulse that decayed, kg m/s.
    pub damped_impulse: f64,
    /// Simulated time, s.
    pub until: f64,
}

impl Race {
    /// Speed-up in every window.
    pub fn gains(&self) -> Vec<f64> {
        let pairs = self.full.windows.iter().zip(&self.restrained.windows);
        pairs.map(|(full, restrained)| full.seconds / restrained.seconds).collect()
    }

    /// Of all of it: total over total.
    pub fn gain(&self) -> f64 {
        self.full.seconds() / self.restrained.seconds()
    }
}

struct Runner {
    simulation: Simulation,
    course: Course,
}

fn scene(setup: &Setup, changes: &[&[&str]], until: f64) -> Result<LoadedScene, String> {
    let mut all: Vec<String> = changes.iter().flat_map(|some| some.iter()).map(ToString::to_string).collect();
    all.push(format!("time.until={until}"));
    load(setup.scene, &all).map_err(|error| error.to_string())
}

impl Runner {
    fn new(scene: &LoadedScene) -> Result<Self, String> {
        let mut simulation = scene.build().map_err(|error| error.to_string())?.simulation;
        // the same work for all of them
        simulation.track_energy(false);
        Ok(Self { simulation, course: Course::default() })
    }

    /// Moves every particle randomly by up to this length, m.
    fn perturb(&mut self, distance: f64) -> Result<(), String> {
        let mut random = Random(1);
        let state = self.simulation.state();
        let moved: Vec<DVec3> = state.x.iter().map(|x| *x + random.vector() * distance).collect();
        let (state, memory) = (State { x: moved, ..state.clone() }, self.simulation.system.memory());
        if self.simulation.start_from(state, &memory) { Ok(()) } else { Err("particles have come or gone".into()) }
    }

    /// Advances to the end of a window. Runs without restraint need no special case: all their particles are active.
    fn advance(&mut self, until: f64) -> Result<(), String> {
        let (mut window, mut time) = (Window::default(), 0.0);
        let begun = Instant::now();
        while self.simulation.state().time < until * (1.0 - 1e-9) {
            let advanced = self.simulation.advance_frame(|_, report| {
                let all = report.activities;
                let parts = [all.active, all.transition, all.restrained].map(|count| count as f64);
                let sum = parts.iter().sum::<f64>().max(1.0);
                window.shares.iter_mut().zip(parts).for_each(|(share, part)| *share += report.dt * part / sum);
                window.steps += 1;
                time += report.dt;
            });
            advanced.map_err(|error| error.to_string())?;
        }
        window.seconds = begun.elapsed().as_secs_f64();
        window.shares.iter_mut().for_each(|share| *share /= time);
        self.course.windows.push(window);
        Ok(())
    }

    /// Records its state, and its distance from the full run.
    fn note(&mut self, floor: Option<&Floor>, full: Option<&Moment>) -> Moment {
        let now = Moment::of(&self.simulation, floor);
        if let Some(window) = self.course.windows.last_mut() {
            (window.kinetic, window.fastest) = (now.kinetic, now.fastest);
            window.difference = full.map_or_else(Difference::default, |full| now.from(full));
        }
        now
    }
}

/// Runs all of a setup for a time, which is its own where all is to be measured.
pub fn run(setup: &Setup, until: f64, progress: &mut dyn FnMut(&str)) -> Result<Race, String> {
    let plain = scene(setup, &[setup.changes, setup.scheme], until)?;
    let other = scene(setup, &[setup.changes], until)?;
    let held = scene(setup, &[setup.changes, setup.scheme, setup.restraint], until)?;
    let floor = Floor::of(&plain);
    let [mut full, mut restrained, mut other] = [Runner::new(&plain)?, Runner::new(&held)?, Runner::new(&other)?];
    if let Some(fluid) = plain.scene.fluid.first().filter(|_| setup.kind == Kind::Fluid) {
        other.perturb(PERTURBED * fluid.spacing.si())?;
    }
    let mut others = Vec::new();
    for restraint in setup.others {
        others.push(Runner::new(&scene(setup, &[setup.changes, setup.scheme, restraint], until)?)?);
    }
    let particles = full.simulation.state().len();
    let windows = (until / WINDOW).round().max(1.0) as u32;
    for k in 1..=windows {
        let end = until * f64::from(k) / f64::from(windows);
        for runner in [&mut full, &mut restrained, &mut other].into_iter().chain(&mut others) {
            runner.advance(end).map_err(|error| format!("{}, until {end} s: {error}", setup.scene))?;
        }
        let moment = full.note(floor.as_ref(), None);
        restrained.note(floor.as_ref(), Some(&moment));
        other.note(floor.as_ref(), Some(&moment));
        others.iter_mut().for_each(|runner| _ = runner.note(floor.as_ref(), Some(&moment)));
        let (slow, quick) = (full.course.seconds(), restrained.course.seconds());
        progress(&format!(
            "{end} of {until} s: {slow:.0} s in full, {quick:.0} s restrained, {:.2} times",
            slow / quick
        ));
    }
    let damped_impulse = restrained.simulation.tally().damped_impulse;
    let others = others.into_iter().map(|runner| runner.course).collect();
    let (full, restrained, other) = (full.course, restrained.course, other.course);
    Ok(Race { full, restrained, others, other, particles, damped_impulse, until })
}
