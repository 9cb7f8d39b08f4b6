//! Runs of one scene with one scheme and one controller, measured against a reference.

mod diagram;
mod gain;

pub use diagram::{Case, Contest, Results};
pub use gain::Gain;

use std::time::Instant;

use pliant::core::State;
use pliant::scene::{LoadedScene, load};

/// A scene that ends before its motion becomes chaotic: folds make cloth chaotic later on.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The scene's name.
    pub name: &'static str,
    /// End of the run, s.
    pub until: f64,
    /// The scene, one frame long.
    pub scene: LoadedScene,
    /// Where everything is at the end, with equal steps of bdf2 of half the length.
    pub reference: State,
    /// How far the same with steps of the whole length is from it, m.
    pub doubt: f64,
}

/// The result of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// Largest distance of a particle from its position in the reference, m.
    pub error: f64,
    /// Linear systems solved, those of rejected attempts included.
    pub solves: u64,
    /// Accepted steps.
    pub steps: u64,
    /// Rejected attempts.
    pub rejected: u64,
    /// Wall time, s.
    pub seconds: f64,
}

impl Problem {
    /// A built-in scene with changes, until a time; the references have steps of `dt` and half of it.
    ///
    /// # Errors
    /// If the scene does not take the changes or a reference fails.
    pub fn new(name: &'static str, changes: &[&str], until: f64, dt: f64) -> Result<Self, String> {
        // cholesky: small systems, and no iteration counts that would blur the cost of a solve
        let own =
            ["solver.kind=cholesky".to_owned(), format!("time.until={until}"), format!("time.fps={}", 1.0 / until)];
        let all: Vec<String> = changes.iter().map(|change| (*change).to_owned()).chain(own).collect();
        let scene = load(name, &all).map_err(|error| error.to_string())?;
        let fixed = |dt: f64| {
            let settings =
                ["time.integrator=bdf2".into(), "time.control.kind=fixed".into(), format!("time.control.dt={dt}")];
            Ok::<State, String>(finish(&scene, &settings)?.0)
        };
        let reference = fixed(0.5 * dt)?;
        let doubt = distance(&fixed(dt)?, &reference);
        Ok(Self { name, until, scene, reference, doubt })
    }

    /// A run with other settings.
    ///
    /// # Errors
    /// If it does not come to its end.
    pub fn run(&self, settings: &[String]) -> Result<Outcome, String> {
        let (state, outcome) = finish(&self.scene, settings)?;
        Ok(Outcome { error: distance(&state, &self.reference), ..outcome })
    }
}

fn finish(scene: &LoadedScene, settings: &[String]) -> Result<(State, Outcome), String> {
    let scene = scene.with(settings).map_err(|error| error.to_string())?;
    let mut simulation = scene.build().map_err(|error| error.to_string())?.simulation;
    simulation.track_energy(false);
    let begun = Instant::now();
    while !simulation.is_done() {
        simulation.step().map_err(|error| error.to_string())?;
    }
    let (seconds, tally) = (begun.elapsed().as_secs_f64(), simulation.tally());
    let outcome =
        Outcome { error: f64::NAN, solves: tally.work.solves, steps: tally.steps, rejected: tally.rejected, seconds };
    Ok((simulation.state().clone(), outcome))
}

/// Largest distance between the same particle in two states, m.
fn distance(a: &State, b: &State) -> f64 {
    a.x.iter().zip(&b.x).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max)
}

/// A scheme with a controller, and the values of its one number that are tried.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Method {
    /// Its name in plots and tables.
    pub name: &'static str,
    /// The integrator.
    pub scheme: &'static str,
    /// Settings of the controller, as assignments.
    pub control: &'static [&'static str],
    /// Which number, below `time.control`.
    pub parameter: &'static str,
    /// From the coarsest on.
    pub values: &'static [f64],
}

const STEPS: &[f64] = &[8e-3, 4e-3, 2e-3, 1e-3, 0.5e-3];
const ROUGH_TOLERANCES: &[f64] = &[1e-3, 2e-4, 5e-5, 1e-5];
const TOLERANCES: &[f64] = &[1e-3, 1e-4, 1e-5, 1e-6];
const DISTANCES: &[f64] = &[3e-2, 1e-2, 3e-3, 1e-3];
const STRETCHES: &[f64] = &[1e-2, 3e-3, 1e-3, 3e-4];
const LINEARIZED: &str = "linearized-backward-euler";

/// All of them; the first of a scheme has equal steps.
pub const METHODS: &[Method] = &[
    method("fixed", LINEARIZED, &["kind=fixed"], "dt", STEPS),
    method("force-error, paper", LINEARIZED, &["kind=force-error", "law=paper"], "tolerance", ROUGH_TOLERANCES),
    method("force-error, combined", LINEARIZED, &["kind=force-error", "law=combined"], "tolerance", ROUGH_TOLERANCES),
    method("step-doubling", LINEARIZED, &["kind=step-doubling"], "tolerance", ROUGH_TOLERANCES),
    method("speed-limit", LINEARIZED, &["kind=speed-limit"], "distance", DISTANCES),
    method("stretch-limit", LINEARIZED, &["kind=stretch-limit"], "stretch", STRETCHES),
    method("fixed", "bdf2", &["kind=fixed"], "dt", STEPS),
    method("force-error, combined", "bdf2", &["kind=force-error", "law=combined"], "tolerance", TOLERANCES),
    method("step-doubling", "bdf2", &["kind=step-doubling"], "tolerance", TOLERANCES),
    method("speed-limit", "bdf2", &["kind=speed-limit"], "distance", DISTANCES),
    method("stretch-limit", "bdf2", &["kind=stretch-limit"], "stretch", STRETCHES),
];

const fn method(
    name: &'static str,
    scheme: &'static str,
    control: &'static [&'static str],
    parameter: &'static str,
    values: &'static [f64],
) -> Method {
    Method { name, scheme, control, parameter, values }
}

impl Method {
    /// The settings of a run.
    pub fn settings(&self, value: f64) -> Vec<String> {
        let control = self.control.iter().map(|setting| format!("time.control.{setting}"));
        let own = [format!("time.integrator={}", self.scheme), format!("time.control.{}={value}", self.parameter)];
        own.into_iter().chain(control).collect()
    }
}
