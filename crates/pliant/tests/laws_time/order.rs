//! Orders of accuracy: the error at the end of a run of equal steps shrinks with the declared power of the step, with and without
//! velocity-dependent forces, and with a pin that moves.
//!
//! The slope is taken between n, 2n and 4n steps, both times within 0.1 of the declared order. The reference is RK4 with so many
//! steps that its own error, estimated by halving them, is below a thousandth of every error it is compared with.

use pliant::core::Attempt;
use pliant::linalg::SOLVERS;
use pliant::time::Properties;
use pliant::time::catalog::{Entry, INTEGRATORS, SolverSpec};
use pliant_testkit::Stepper;
use pliant_testkit::order::{distance, errors, reference, slopes};
use pliant_testkit::problems::{Net, Problem, driven_chain, net, nonlinear_spring, pendulum};

/// A problem, how long it runs, and what its time scale asks of the number of steps.
struct Case {
    name: &'static str,
    problem: fn() -> Problem,
    until: f64,
    /// Multiplies all numbers of steps.
    effort: u32,
}

const UNDAMPED: &[Case] = &[
    Case { name: "pendulum", problem: || pendulum(1.0, 0.3), until: 5.0, effort: 1 },
    Case { name: "net", problem: || net(Net::default()), until: 1.0, effort: 1 },
];

const DAMPED: &[Case] = &[
    Case { name: "nonlinear spring", problem: || nonlinear_spring(-1.0, 0.0), until: 0.5, effort: 4 },
    Case { name: "damped net", problem: || net(Net { damping: 0.5, ..Net::default() }), until: 1.0, effort: 1 },
];

const DRIVEN: &[Case] = &[Case { name: "driven chain", problem: || driven_chain(5, 0.0), until: 1.0, effort: 1 }];

const DRIVEN_DAMPED: &[Case] =
    &[Case { name: "damped driven chain", problem: || driven_chain(5, 0.3), until: 1.0, effort: 1 }];

/// Fewest steps for an order: in the asymptotic regime and far above rounding.
fn fewest(order: u32) -> u32 {
    match order {
        0 | 1 => 400,
        2 => 100,
        3 => 320,
        _ => 80,
    }
}

fn check(cases: &[Case], solver: &SolverSpec, declared: fn(&Properties) -> u32, wanted: fn(&Entry) -> bool) {
    let mut failures = Vec::new();
    for case in cases {
        let fine = 1600 * case.effort;
        let exact = reference((case.problem)(), case.until, 2 * fine);
        // RK4: halving the steps multiplies the error by 16
        let uncertainty = distance(&exact, &reference((case.problem)(), case.until, fine)) / 15.0;
        for entry in INTEGRATORS.iter().filter(|entry| wanted(entry)) {
            let order = declared(entry.properties);
            let steps = [1, 2, 4].map(|k| k * case.effort * fewest(order));
            let errors = errors(case.problem, entry, solver, case.until, &steps, &exact);
            let slopes = slopes(&errors, &steps);
            let name = entry.properties.name;
            println!(
                "{:20} {name:30} order {order}: {:6.3} {:6.3}  error {:.2e}",
                case.name, slopes[0], slopes[1], errors[2]
            );
            let visible = errors.iter().all(|error| *error > 1000.0 * uncertainty && *error < 10.0);
            if !(visible && slopes.iter().all(|slope| (slope - f64::from(order)).abs() < 0.1)) {
                failures.push(format!(
                    "{} on {}: declared {order}, slopes {slopes:?}, errors {errors:?}, reference {uncertainty:e}",
                    name, case.name
                ));
            }
        }
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

#[test]
fn order_without_damping() {
    check(UNDAMPED, &SolverSpec::default(), |p| p.order, |_| true);
}

#[test]
fn order_with_damping() {
    check(DAMPED, &SolverSpec::default(), |p| p.order_damped, |_| true);
}

#[test]
fn moving_pins_keep_the_order() {
    check(DRIVEN, &SolverSpec::default(), |p| p.order, |_| true);
    check(DRIVEN_DAMPED, &SolverSpec::default(), |p| p.order_damped, |_| true);
}

/// Schemes with a history must know how long its steps were: short and long ones by turns.
#[test]
fn alternating_steps_keep_the_order() {
    let case = &UNDAMPED[0];
    let exact = reference((case.problem)(), case.until, 3200);
    for entry in INTEGRATORS.iter().filter(|entry| entry.properties.max_ratio.is_finite()) {
        let (name, order) = (entry.properties.name, entry.properties.order);
        let steps = [1, 2, 4].map(|k| k * fewest(order));
        let errors = steps.map(|count| {
            let mut stepper = Stepper::new((case.problem)(), entry, &SolverSpec::default());
            let dt = case.until / f64::from(count);
            (0..count).for_each(|i| _ = stepper.step(if i % 2 == 0 { 0.8 * dt } else { 1.2 * dt }).unwrap());
            distance(&exact, &stepper.point.state)
        });
        let slopes = slopes(&errors, &steps);
        println!("{name:30} order {order}: {:6.3} {:6.3}  error {:.2e}", slopes[0], slopes[1], errors[2]);
        assert!(slopes.iter().all(|slope| (slope - f64::from(order)).abs() < 0.1), "{name}: {slopes:?} {errors:?}");
    }
}

/// Iterative solvers as exact as the direct ones, so that only the scheme's error is seen.
fn solver(name: &str) -> SolverSpec {
    SolverSpec { kind: name.into(), tolerance: 1e-12, ..SolverSpec::default() }
}

#[test]
fn converged_schemes_keep_their_order_with_every_solver() {
    let wanted = |entry: &Entry| entry.properties.is_implicit() && !entry.properties.predicts_force;
    for entry in SOLVERS {
        println!("{}", entry.name);
        check(&DAMPED[1..], &solver(entry.name), |p| p.order_damped, wanted);
    }
}

/// One Newton step has order 2 only with the exact Jacobian. Damping along a turning spring makes it unsymmetric, and a solver that
/// takes symmetric matrices sees only its symmetric part: F̃ is then wrong by O(dt), the velocity by O(dt²) a step.
#[test]
fn one_newton_step_is_of_order_one_where_the_solver_drops_a_part_of_the_jacobian() {
    let newmark = |entry: &Entry| entry.properties.name == "newmark";
    for entry in SOLVERS {
        println!("{}", entry.name);
        check(&DAMPED[1..], &solver(entry.name), if entry.symmetric { |_| 1 } else { |_| 2 }, newmark);
        // without damping, every solver sees the whole Jacobian
        check(&UNDAMPED[1..], &solver(entry.name), |_| 2, newmark);
    }
}

/// Estimates at the fourth step of runs with ever shorter steps.
fn estimates(case: &Case, entry: &Entry, dts: [f64; 3], of: impl Fn(&Attempt) -> f64) -> [f64; 3] {
    dts.map(|dt| {
        let mut stepper = Stepper::new((case.problem)(), entry, &SolverSpec::default());
        let attempts: Vec<Attempt> = (0..4).map(|_| stepper.step(dt).unwrap()).collect();
        of(&attempts[3])
    })
}

/// Controllers turn an error into a step by its power: of truncation estimates the one that comes with it (the declared one where
/// forces depend on position only), of force errors the fourth.
#[test]
fn error_estimates_shrink_with_their_power() {
    let dts = [2e-3, 1e-3, 5e-4];
    let mut failures = Vec::new();
    for case in UNDAMPED.iter().chain(&DAMPED[1..]).chain(DRIVEN_DAMPED) {
        let damped = (case.problem)().system.depends_on_velocity();
        for entry in INTEGRATORS {
            let properties = entry.properties;
            let mut check = |what: &str, power: f64, values: [f64; 3]| {
                let slopes = slopes(&values, &[1, 2, 4]);
                let name = properties.name;
                println!(
                    "{:20} {name:30} {what} {power}: {:6.3} {:6.3}, {:.1e} m",
                    case.name, slopes[0], slopes[1], values[2]
                );
                if !slopes.iter().all(|slope| (slope - power).abs() < 0.1) {
                    failures.push(format!("{name} on {}: {what} {power}, slopes {slopes:?}, {values:?}", case.name));
                }
            };
            if let Some(declared) = properties.truncation_exponent {
                let truncation = |attempt: &Attempt| attempt.truncation.expect("it was asked for");
                let [power, ..] = estimates(case, entry, dts, |attempt| truncation(attempt).exponent);
                assert!(power == f64::from(declared) || damped, "{}: {power}", properties.name);
                check("truncation", power, estimates(case, entry, dts, |attempt| truncation(attempt).error.metres));
            }
            let predicts = estimates(case, entry, dts, |a| f64::from(u8::from(a.force_error.is_some())));
            assert_eq!(predicts[0] == 1.0, properties.predicts_force, "{}", properties.name);
            if properties.predicts_force {
                check("force error", 4.0, estimates(case, entry, dts, |a| a.force_error.unwrap().metres));
            }
        }
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}
