//! The same bits on 1, 2 and 3 threads, for every integrator, on a net that is large enough to be split.

use pliant::core::State;
use pliant::parallel::CHUNK;
use pliant::time::Frames;
use pliant::time::catalog::{Entry, INTEGRATORS, SolverSpec};
use pliant::time::control::{ControlKind, ControlSpec};
use pliant_testkit::problems::{Net, net};

const SIZE: usize = 60;

/// The state after a few steps, and the books.
fn run(threads: usize, entry: &Entry, solver: &str, control: &ControlSpec, damping: f64, steps: u32) -> (State, f64) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        assert_eq!(rayon::current_num_threads(), threads);
        let problem = net(Net { size: (SIZE, SIZE), damping, driven: true, ..Net::default() });
        let solver = SolverSpec { kind: solver.into(), ..SolverSpec::default() };
        let mut simulation = problem.simulation(entry, &solver, control, Frames { fps: 1.0, until: 1.0 });
        for _ in 0..steps {
            simulation.step().unwrap_or_else(|e| panic!("{}: {e}", entry.properties.name));
        }
        (simulation.state().clone(), simulation.ledger().integrator)
    })
}

fn check(entry: &Entry, solver: &str, control: &ControlSpec, damping: f64, steps: u32) {
    let what = format!("{} with {solver}", entry.properties.name);
    let (one, books) = run(1, entry, solver, control, damping, steps);
    assert!(one.x.len() > 3 * CHUNK, "the net is split into several chunks");
    assert!(one.time > 0.0 && one.first_non_finite().is_none(), "{what}");
    for threads in [2, 3] {
        let (many, other_books) = run(threads, entry, solver, control, damping, steps);
        assert_eq!(one.hash(), many.hash(), "{what}: {threads} threads");
        assert_eq!(books.to_bits(), other_books.to_bits(), "{what}: the books on {threads} threads");
    }
}

fn fixed() -> ControlSpec {
    ControlSpec { kind: ControlKind::FIXED, dt: Some(0.02), ..ControlSpec::default() }
}

#[test]
fn explicit_schemes() {
    for entry in INTEGRATORS.iter().filter(|entry| !entry.properties.is_implicit()) {
        check(entry, "auto", &fixed(), 0.1, 5);
    }
}

#[test]
fn implicit_schemes_with_conjugate_gradients() {
    for entry in INTEGRATORS.iter().filter(|entry| entry.properties.is_implicit()) {
        check(entry, "cg", &fixed(), 0.1, 3);
    }
}

#[test]
fn implicit_schemes_with_a_direct_solver() {
    for entry in INTEGRATORS.iter().filter(|entry| entry.properties.is_implicit()) {
        check(entry, "direct", &fixed(), 0.0, 2);
    }
}

#[test]
fn unsymmetric_solver_and_adaptive_steps() {
    let control =
        ControlSpec { kind: ControlKind::FORCE_ERROR, tolerance: 1e-4, dt: Some(0.2), ..ControlSpec::default() };
    let entry = pliant::time::catalog::find("newmark").unwrap();
    check(entry, "bicgstab", &control, 0.1, 3);
    let doubling = ControlSpec { kind: ControlKind::STEP_DOUBLING, ..control };
    check(entry, "cg", &doubling, 0.1, 2);
}
