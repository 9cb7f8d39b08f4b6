//! Bare steps of an integrator, without controller and loop.

use pliant_core::{Attempt, Point, State, StepFailure, System, Work};
use pliant_time::catalog::{Entry, SolverSpec};
use pliant_time::{Demand, Integrator};

use crate::problems::Problem;

/// An integrator on a system, and its present point.
pub struct Stepper {
    /// The system.
    pub system: System,
    /// The integrator.
    pub integrator: Box<dyn Integrator>,
    /// The present point.
    pub point: Point,
    /// What all steps have cost.
    pub work: Work,
    next: Point,
}

impl Stepper {
    /// At the start of a problem; the force there is not yet known.
    ///
    /// # Panics
    /// If there is no such solver.
    pub fn new(problem: Problem, entry: &Entry, solver: &SolverSpec) -> Self {
        let Problem { system, mut state } = problem;
        system.apply_pins(state.time, &mut state.x, &mut state.v);
        let integrator = entry.build(&system, solver).expect("a solver of the catalog");
        Self { system, integrator, point: Point::new(state), work: Work::default(), next: Point::default() }
    }

    /// One step, accepted if it succeeds.
    pub fn step(&mut self, dt: f64) -> Result<Attempt, StepFailure> {
        let attempt = self.integrator.attempt(
            &mut self.system,
            &self.point,
            dt,
            Demand::EXACT,
            &mut self.next,
            &mut self.work,
        )?;
        std::mem::swap(&mut self.point, &mut self.next);
        Ok(attempt)
    }

    /// Goes back to a state without history.
    pub fn restart(&mut self, state: State) {
        self.point = Point::new(state);
    }
}
