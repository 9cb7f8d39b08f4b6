//! Steps 11 to 60 of a run with fixed topology on one thread allocate nothing.

use pliant::time::Frames;
use pliant::time::catalog::{Entry, INTEGRATORS, SolverSpec};
use pliant::time::control::catalog::CONTROLLERS;
use pliant::time::control::{ControlKind, ControlSpec};
use pliant_testkit::allocation::{Counting, count};
use pliant_testkit::problems::{Net, net};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Allocations of steps 11 to 60, and how many attempts were rejected in all.
fn allocations(entry: &Entry, solver: &str, control: &ControlSpec, size: (usize, usize), damping: f64) -> (u64, u64) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| {
        let before = count();
        let problem = net(Net { size, damping, driven: true, ..Net::default() });
        let solver = SolverSpec { kind: solver.into(), ..SolverSpec::default() };
        let mut simulation = problem.simulation(entry, &solver, control, Frames { fps: 5.0, until: 100.0 });
        let mut step = || simulation.step().unwrap_or_else(|e| panic!("{}: {e}", entry.properties.name));
        for _ in 0..10 {
            step();
        }
        assert!(count() > before, "the counter counts");
        let before = count();
        for _ in 10..60 {
            step();
        }
        (count() - before, simulation.tally().rejected)
    })
}

fn specs() -> Vec<ControlSpec> {
    let base = ControlSpec { tolerance: 1e-4, stretch: 5e-3, dt: Some(0.01), ..ControlSpec::default() };
    CONTROLLERS.iter().map(|entry| ControlSpec { kind: *entry, ..base }).collect()
}

fn check(solver: &str, size: (usize, usize), damping: f64, wanted: impl Fn(&Entry, &ControlSpec) -> bool) {
    let mut failures = Vec::new();
    let (mut runs, mut all_rejected) = (0, 0);
    for control in specs() {
        let works = |entry: &&Entry| control.works_with(entry.properties).is_ok() && wanted(entry, &control);
        for entry in INTEGRATORS.iter().filter(works) {
            let (count, rejected) = allocations(entry, solver, &control, size, damping);
            runs += 1;
            all_rejected += rejected;
            if count > 0 {
                failures.push(format!("{} with {solver} under {:?}: {count}", entry.properties.name, control.kind));
            }
        }
    }
    assert!(runs > 0 && (all_rejected > 0 || runs < 20), "{runs} runs, {all_rejected} rejected attempts");
    assert!(failures.is_empty(), "{size:?}, damping {damping}:\n{}", failures.join("\n"));
}

#[test]
fn every_integrator_under_every_controller() {
    check("auto", (4, 4), 0.1, |_, _| true);
    check("auto", (4, 4), 0.0, |_, _| true);
}

#[test]
fn every_solver() {
    let implicit = |entry: &Entry, control: &ControlSpec| {
        let wanted = [ControlKind::FIXED, ControlKind::FORCE_ERROR, ControlKind::STEP_DOUBLING].contains(&control.kind);
        wanted && entry.properties.is_implicit()
    };
    for solver in pliant::linalg::SOLVERS {
        check(solver.name, (5, 5), 0.1, implicit);
    }
}

/// Large enough for sparse factors.
#[test]
fn a_larger_net() {
    for solver in ["cg", "bicgstab", "cholesky"] {
        check(solver, (12, 12), 0.1, |entry, control| {
            control.kind == ControlKind::FORCE_ERROR && entry.properties.is_implicit()
        });
    }
}
