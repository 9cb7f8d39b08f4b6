//! Errors at equal steps, and their order of convergence.

use pliant_core::State;
use pliant_time::catalog::{Entry, SolverSpec, find};
use pliant_time::control::{ControlKind, ControlSpec};
use pliant_time::{Frames, RunError, Simulation};

use crate::problems::Problem;

/// A run in a number of equal steps, as the loop takes them.
pub fn run(
    problem: Problem,
    entry: &Entry,
    solver: &SolverSpec,
    until: f64,
    steps: u32,
) -> Result<Simulation, RunError> {
    let control =
        ControlSpec { kind: ControlKind::FIXED, dt: Some(until / f64::from(steps)), ..ControlSpec::default() };
    let mut simulation = problem.simulation(entry, solver, &control, Frames { fps: 1.0 / until, until });
    while !simulation.is_done() {
        simulation.step()?;
    }
    Ok(simulation)
}

/// The state at the end by RK4 in the given number of steps.
///
/// # Panics
/// If the run ends early.
pub fn reference(problem: Problem, until: f64, steps: u32) -> State {
    let rk4 = find("rk4").expect("rk4 is in the catalog");
    run(problem, rk4, &SolverSpec::default(), until, steps).expect("a reference that runs").state().clone()
}

/// Largest distance of positions (m) or velocities (m/s) of any particle.
pub fn distance(a: &State, b: &State) -> f64 {
    let pairs = a.x.iter().zip(&b.x).chain(a.v.iter().zip(&b.v));
    pairs.map(|(a, b)| (*a - *b).length()).fold(0.0, |m, d| if d > m || d.is_nan() { d } else { m })
}

/// Errors at the end for each number of steps.
///
/// # Panics
/// If a run ends early.
pub fn errors(
    problem: fn() -> Problem,
    entry: &Entry,
    solver: &SolverSpec,
    until: f64,
    steps: &[u32],
    exact: &State,
) -> Vec<f64> {
    let error = |steps: &u32| {
        let simulation = run(problem(), entry, solver, until, *steps);
        distance(simulation.unwrap_or_else(|e| panic!("{}: {e}", entry.properties.name)).state(), exact)
    };
    steps.iter().map(error).collect()
}

/// Powers of the step with which a quantity shrinks from each number of steps to the next.
pub fn slopes(values: &[f64], steps: &[u32]) -> Vec<f64> {
    let slope = |k: usize| (values[k] / values[k + 1]).ln() / (f64::from(steps[k + 1]) / f64::from(steps[k])).ln();
    (0..values.len() - 1).map(slope).collect()
}
