//! Single steps of any length on a scene, without controller, frames and retries: what the papers' experiments are made of.

use pliant::core::{Point, State, StepFailure, System, Work};
use pliant::scene::{LoadedScene, load};
use pliant::time::catalog::{SolverSpec, find};
use pliant::time::{Demand, Integrator};

/// An integrator on a scene, and its present point.
pub struct Stepper {
    /// What the scene is made of.
    pub system: System,
    integrator: Box<dyn Integrator>,
    point: Point,
    next: Point,
}

/// A built-in scene with some `path=value` changes.
///
/// # Panics
/// If there is no such scene or it does not take the changes: experiments name only what the tests run.
pub fn builtin(name: &str, changes: &[&str]) -> LoadedScene {
    let changes: Vec<String> = changes.iter().map(|&change| change.to_owned()).collect();
    load(name, &changes).unwrap_or_else(|error| panic!("{error}"))
}

impl Stepper {
    /// At the start of a scene, with an integrator of the catalog.
    ///
    /// # Panics
    /// If the scene cannot be built or there is no such integrator.
    pub fn new(scene: &LoadedScene, integrator: &str) -> Self {
        let simulation = scene.build().unwrap_or_else(|error| panic!("{error}")).simulation;
        let state = simulation.state().clone();
        let system = simulation.system;
        let entry = find(integrator).unwrap_or_else(|| panic!("no integrator is called {integrator}"));
        let integrator = entry.build(&system, &SolverSpec::default()).expect("the default solver is in the catalog");
        Self { system, integrator, point: Point::new(state), next: Point::default() }
    }

    /// The present point.
    pub fn state(&self) -> &State {
        &self.point.state
    }

    /// One step, accepted if it succeeds. A state that is not finite is a failure.
    pub fn step(&mut self, dt: f64) -> Result<(), StepFailure> {
        let mut work = Work::default();
        self.integrator.attempt(&mut self.system, &self.point, dt, Demand::default(), &mut self.next, &mut work)?;
        if let Some(particle) = self.next.state.first_non_finite() {
            return Err(StepFailure::NonFinite { particle });
        }
        std::mem::swap(&mut self.point, &mut self.next);
        Ok(())
    }

    /// Continues from another state, without history.
    pub fn restart(&mut self, state: State) {
        self.point = Point::new(state);
    }

    /// Total energy, J.
    pub fn energy(&mut self) -> f64 {
        self.system.energies().account(&self.point.state, &self.point.force).energy.total()
    }
}
