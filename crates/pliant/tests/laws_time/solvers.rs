//! Every linear solver gives the same steps.

use glam::DVec3;
use pliant::core::State;
use pliant::forces::Drag;
use pliant::linalg::{PRECONDITIONERS, SOLVERS};
use pliant::time::catalog::{Entry, INTEGRATORS, SolverSpec};
use pliant_testkit::Stepper;
use pliant_testkit::order::distance;
use pliant_testkit::problems::{Net, Problem, net};

const STEPS: u32 = 4;
const DT: f64 = 0.05;

/// The state after a few steps, and how far it is from the start.
fn steps(entry: &Entry, solver: &str, preconditioner: &str, damping: f64) -> (State, f64) {
    let tolerance = SolverSpec::default().tolerance;
    let (kind, preconditioner) = (solver.into(), preconditioner.into());
    let solver = SolverSpec { kind, preconditioner, tolerance, ..SolverSpec::default() };
    let mut stepper = Stepper::new(net(Net { size: (6, 5), damping, ..Net::default() }), entry, &solver);
    let start = stepper.point.state.clone();
    for _ in 0..STEPS {
        stepper.step(DT).unwrap_or_else(|e| panic!("{} with {solver:?}: {e}", entry.properties.name));
    }
    assert!(stepper.work.solves >= u64::from(STEPS) && stepper.work.linear_iterations >= u64::from(STEPS));
    let moved = distance(&start, &stepper.point.state);
    (stepper.point.state.clone(), moved)
}

/// Residuals of 1e-8 a solve, of systems whose condition is below 10 (1 + ω² dt² ≈ 1.2 here, masses within 2), over 4 steps.
const BOUND: f64 = 1e-7;

#[test]
fn solvers_agree() {
    for entry in INTEGRATORS.iter().filter(|entry| entry.properties.is_implicit()) {
        for damping in [0.0, 0.4] {
            let (exact, moved) = steps(entry, "lu", "none", damping);
            assert!(moved > 0.05, "{}: it moved by {moved}", entry.properties.name);
            // One Newton step of a damped net depends on how much of the Jacobian the solver can take.
            let (symmetric, _) = steps(entry, "cholesky", "none", damping);
            let one_newton_step = entry.properties.predicts_force;
            for solver in SOLVERS {
                for preconditioner in PRECONDITIONERS {
                    let (state, _) = steps(entry, solver.name, preconditioner.name, damping);
                    let reference = if solver.symmetric && one_newton_step { &symmetric } else { &exact };
                    let error = distance(&state, reference);
                    let what = format!(
                        "{} with {} and {}, damping {damping}",
                        entry.properties.name, solver.name, preconditioner.name
                    );
                    assert!(error <= BOUND, "{what}: differs by {error:e}");
                }
            }
            let difference = distance(&exact, &symmetric);
            println!("{:30} damping {damping}: lu and cholesky differ by {difference:.1e}", entry.properties.name);
            assert_eq!(difference > BOUND, damping > 0.0 && one_newton_step, "{}", entry.properties.name);
        }
    }
}

/// Backward Euler under drag: `v₁ = v₀/(1 + dt rate)`. The factors of a linear system are kept from step to step, but not when a model is added.
#[test]
fn drag_that_is_added_is_in_the_next_step() {
    const MASS: f64 = 0.7;
    let drag = |rate: f64| Box::new(Drag::new(rate, vec![MASS]));
    let entry = INTEGRATORS.iter().find(|entry| entry.properties.name == "backward-euler").unwrap();
    let problem = Problem::new(vec![MASS], vec![DVec3::ZERO], vec![DVec3::X], vec![], vec![drag(2.0)]);
    let mut stepper = Stepper::new(problem, entry, &SolverSpec { kind: "direct".into(), ..SolverSpec::default() });
    let mut rate = 2.0;
    for k in 0..6 {
        if k == 3 {
            stepper.system.add_model(drag(5.0));
            rate += 5.0;
        }
        let expected = stepper.point.state.v[0].x / (1.0 + DT * rate);
        stepper.step(DT).unwrap();
        let found = stepper.point.state.v[0].x;
        assert!((found - expected).abs() < 1e-15, "step {k}: {found} m/s for {expected} m/s");
    }
    assert_eq!(stepper.work.factorisations, 2);
}
