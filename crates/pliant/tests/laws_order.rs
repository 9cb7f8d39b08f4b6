//! Orders of accuracy: the error at the end of a run of equal steps shrinks with the declared power of the step, with and without
//! velocity-dependent forces, and with a pin that moves.
//!
//! The slope is taken between n, 2n and 4n steps, both times within 0.1 of the declared order. The reference is RK4 with so many
//! steps that its own error, estimated by halving them, is below a thousandth of every error it is compared with.

use pliant::time::Properties;
use pliant::time::catalog::{Entry, INTEGRATORS, SolverSpec};
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
            println!("{:20} {name:30} order {order}: {:6.3} {:6.3}  error {:.2e}", case.name, slopes[0], slopes[1], errors[2]);
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

#[test]
fn explore_cg() {
    let solver = SolverSpec { kind: "cg".into(), tolerance: 1e-12, ..SolverSpec::default() };
    check(DAMPED, &solver, |p| p.order_damped, |e| e.properties.is_implicit());
}
