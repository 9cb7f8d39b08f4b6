//! The period of a restrained oscillator under the loop, with the rests that it skips: the error falls as the scheme declares, however long
//! momenta take to fade.

use pliant::core::{Criterion, Limits, Restraint};
use pliant::prelude::*;
use pliant::time::catalog::{Entry, INTEGRATORS};
use pliant_testkit::problems::oscillator;

/// Kinetic energies of rest and of free motion of a unit mass, J.
const ENERGIES: [f64; 2] = [0.05, 0.2];
/// Step lengths, s.
const STEPS: [f64; 4] = [4e-3, 2e-3, 5e-4, 1e-4];
/// Relative error of a period that counts as rounding: below it no order can be told.
const ROUNDING: f64 = 1e-8;

fn limits(criterion: Criterion) -> Limits {
    let [low, high] = ENERGIES.map(|energy| (2.0 * energy).sqrt());
    Limits::new(criterion, low, high, 0.0)
}

/// The exact period from q = 1, p = 0, s: `4 ∫ dp/|q|` over the momenta of a quarter, with `q² = 1 - 2 T(p)`; `p = P sin φ` where P is the largest.
fn exact_period(criterion: Criterion) -> f64 {
    let limits = limits(criterion);
    let energy = |p: f64| criterion.response(p, &limits).energy;
    // T is p²/2 less something constant above the limits
    let largest = (2.0 - 2.0 * energy(1.0)).sqrt();
    let rate = |angle: f64| match largest * angle.sin() {
        p if p >= limits.full => 1.0,
        p => largest * angle.cos() / (1.0 - 2.0 * energy(p)).sqrt(),
    };
    // smooth between the limits only
    let [low, high] = [limits.restrained, limits.full].map(|p| (p / largest).asin());
    let simpson = |from: f64, to: f64| {
        const PARTS: u32 = 2000;
        let h = (to - from) / f64::from(PARTS);
        let weight = |k: u32| if k == 0 || k == PARTS { 1.0 } else { f64::from(2 + 2 * (k % 2)) };
        (0..=PARTS).map(|k| weight(k) * rate(from + h * f64::from(k))).sum::<f64>() * h / 3.0
    };
    4.0 * (simpson(0.0, low) + simpson(low, high) + std::f64::consts::FRAC_PI_2 - high)
}

/// The mean period of two rounds, s; not a number where it does not get around twice.
fn period(scheme: &Entry, criterion: Criterion, damping_time: f64, fps: f64, dt: f64) -> f64 {
    let mut problem = oscillator(1.0, 1.0, 0.0);
    problem.system.set_restraint(Some(Restraint::new(criterion, vec![limits(criterion); 2], damping_time)));
    let control = ControlSpec { kind: ControlKind::FIXED, dt: Some(dt), ..ControlSpec::default() };
    let frames = Frames { fps, until: 18.0 };
    let mut simulation = problem.simulation(scheme, &SolverSpec::default(), &control, frames);
    let (mut passed, mut last) = (Vec::new(), (0.0, 1.0));
    while !simulation.is_done() {
        simulation.step().unwrap();
        let now = (simulation.state().time, simulation.state().x[1].x);
        if last.1 < 0.0 && now.1 >= 0.0 {
            passed.push(last.0 + (now.0 - last.0) * last.1 / (last.1 - now.1));
        }
        last = now;
    }
    match passed[..] {
        [first, .., end] => (end - first) / (passed.len() - 1) as f64,
        _ => f64::NAN,
    }
}

/// Every criterion, every scheme of second order that knows restraint, momenta that fade never and in very long times.
#[test]
fn periods_of_restrained_oscillators_err_by_the_declared_order() {
    let mut faults = Vec::new();
    for scheme in INTEGRATORS.iter().filter(|scheme| scheme.properties.restrains && scheme.properties.order >= 2) {
        for criterion in Criterion::ALL {
            let exact = exact_period(criterion);
            // frames end the rests that are skipped, and are whole numbers of all steps
            for (damping_time, fps) in [(f64::INFINITY, 1.0), (1e15, 1.0), (1e9, 1.0), (1e9, 25.0)] {
                let errors = STEPS.map(|dt| period(scheme, criterion, damping_time, fps, dt) / exact - 1.0);
                let order = |k: usize| (errors[k - 1] / errors[k]).abs().ln() / (STEPS[k - 1] / STEPS[k]).ln();
                let orders = [1, 2, 3].map(order);
                let name = scheme.properties.name;
                let shown = errors.map(|error| format!("{error:.2e}")).join(" ");
                let line = format!(
                    "{name}, {criterion:?}, damping_time {damping_time:e} s, {fps} frames a second: errors {shown}, orders {orders:.2?}"
                );
                println!("{line}");
                if (1..STEPS.len()).any(|k| !(orders[k - 1] >= 1.8 || errors[k].abs() <= ROUNDING)) {
                    faults.push(line);
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
