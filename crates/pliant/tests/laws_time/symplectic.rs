//! What symplectic schemes keep: phase-space area, energy within bounds, and momenta; and how far the others are from it.

use pliant::time::Symplectic;
use pliant::time::catalog::{INTEGRATORS, SolverSpec};
use pliant_testkit::Stepper;
use pliant_testkit::energy::{determinant, momenta, pendulum_deviation};
use pliant_testkit::problems::{Net, net, oscillator, pendulum};

/// Width of the five-point differences: an error of w⁴/30 ≈ 3e-14 and rounding of ε/w ≈ 2e-13.
const WIDTH: f64 = 1e-3;

/// Figures of an independent prototype: det - 1 of the pendulum's map at (0.7, 0.4) for h = 0.1 and 0.9, and max |E - E0| for h = 0.1, 10⁴ steps from (1, 0).
const TABLE: &[(&str, f64, f64, f64)] = &[
    ("explicit-euler", 7.6e-3, 0.62, 49.0),
    ("symplectic-euler", 0.0, 0.0, 2.3e-2),
    ("midpoint", 3.8e-3, 0.31, 25.0),
    ("half-step", -5e-5, 2.8e-2, 8.7e-2),
    ("velocity-verlet", 0.0, 0.0, 1.1e-3),
    ("forest-ruth", 0.0, 0.0, 7.4e-7),
    ("symplectic-midpoint-literal", 0.0, 0.0, 0.23),
    ("symplectic-midpoint", 0.0, 0.0, 9.8e-4),
    ("rk4", -5.5e-9, -1.8e-3, 4.6e-5),
    ("modified-half-step", -6e-5, -1.3e-2, 5.9e-3),
];

/// Whether a value rounds to a printed one of one or two digits, give or take one in the last of them.
fn agrees(value: f64, printed: f64, digits: i32) -> bool {
    if printed == 0.0 {
        return value.abs() < 2e-11;
    }
    let last_digit = 10.0_f64.powi(printed.abs().log10().floor() as i32 + 1 - digits);
    (value - printed).abs() <= last_digit
}

#[test]
fn area_is_kept_as_declared() {
    for entry in INTEGRATORS {
        let name = entry.properties.name;
        let [small, large] = [0.1, 0.9].map(|dt| determinant(pendulum(0.7, 0.4), entry, dt, WIDTH) - 1.0);
        let linear = determinant(oscillator(1.0, 0.7, 0.4), entry, 0.9, WIDTH) - 1.0;
        println!("{name:30} det - 1: {small:10.2e} {large:10.2e}, linear {linear:10.2e}");
        // ten times the roundings at WIDTH, see above
        let exact = |value: f64| value.abs() < 2e-11;
        match entry.properties.symplectic {
            Symplectic::Yes => assert!(exact(small) && exact(large) && exact(linear), "{name}"),
            Symplectic::OnlyLinear => assert!(exact(linear) && large.abs() > 1e-3 && small.abs() > 1e-6, "{name}"),
            Symplectic::No => assert!(large.abs() > 1e-3, "{name}"),
        }
        if let Some((_, at_small, at_large, _)) = TABLE.iter().find(|row| row.0 == name) {
            assert!(agrees(small, *at_small, 2) || agrees(small, *at_small, 1), "{name}: {small:e}, {at_small:e}");
            assert!(agrees(large, *at_large, 2), "{name}: {large:e}, {at_large:e}");
        }
    }
}

/// Closed forms, with a = -sin and a' = -cos.
#[test]
fn determinants_have_their_formulas() {
    let (x, v, h) = (0.7_f64, 0.4_f64, 0.3_f64);
    let det = |name: &str| determinant(pendulum(x, v), pliant::time::catalog::find(name).unwrap(), h, WIDTH);
    let vh = v - 0.5 * h * x.sin();
    let modified = 1.0 + 0.5 * h * h * (-x.cos() + (x + 0.5 * h * vh).cos());
    assert!((det("modified-half-step") - modified).abs() < 2e-11);
    assert!((det("explicit-euler") - (1.0 + h * h * x.cos())).abs() < 2e-11);
    assert!((det("midpoint") - (1.0 + 0.5 * h * h * x.cos())).abs() < 2e-11);
    // trapezoidal rule: det(I + h/2 J0) / det(I - h/2 J1)
    let newmark = pliant::time::catalog::find("newmark-newton").unwrap();
    let mut stepper = Stepper::new(pendulum(x, v), newmark, &SolverSpec::default());
    stepper.step(h).unwrap();
    let end = stepper.point.state.x[0].x;
    let trapezoid = (1.0 + 0.25 * h * h * x.cos()) / (1.0 + 0.25 * h * h * end.cos());
    // Newton's tolerance: 1e-10 of the change of v, over the width
    assert!((det("newmark-newton") - trapezoid).abs() < 1e-8, "{} {trapezoid}", det("newmark-newton"));
    let linear = |name: &str| determinant(oscillator(1.0, x, v), pliant::time::catalog::find(name).unwrap(), h, WIDTH);
    assert!((linear("half-step") - (1.0 + 0.25 * h.powi(4))).abs() < 2e-11);
    assert!((linear("midpoint") - (1.0 + 0.5 * h * h)).abs() < 2e-11);
}

#[test]
fn energy_stays_within_bounds() {
    let mut compared = 0;
    for entry in INTEGRATORS {
        let name = entry.properties.name;
        let deviation = pendulum_deviation(entry, 0.1, 10_000);
        let drift = deviation.second_half / deviation.first_half - 1.0;
        println!("{name:30} max |E - E0| {:9.3e}, second half against first {drift:+.1e}", deviation.largest());
        if entry.properties.symplectic == Symplectic::Yes {
            // No drift: the largest deviation is reached again and again. Over 500 s the extremes are sampled some 80 times per
            // half at phases that differ by 0.1 rad at most, so the two maxima agree to 1 - cos(0.1) = 0.5 %.
            assert!(drift.abs() < 0.005, "{name}: {deviation:?}");
            // and it never has the energy to go over the top, E = 1, from where it started, E = -cos 1
            assert!(deviation.largest() < 1.0 + 1.0_f64.cos(), "{name}: {deviation:?}");
        }
        if let Some((.., printed)) = TABLE.iter().find(|row| row.0 == name) {
            assert!((deviation.largest() / printed - 1.0).abs() < 0.1, "{name}: {deviation:?}, printed {printed}");
            compared += 1;
        }
    }
    assert_eq!(compared, TABLE.len());
}

#[test]
fn momenta_of_a_free_net_are_kept() {
    const STEPS: u32 = 400;
    let free = Net { size: (4, 4), hung: false, ..Net::default() };
    for damping in [0.0, 0.4] {
        for entry in INTEGRATORS {
            let name = entry.properties.name;
            let mut stepper = Stepper::new(net(Net { damping, ..free }), entry, &SolverSpec::default());
            let start = momenta(&stepper.system, &stepper.point.state);
            let (mut linear, mut angular): (f64, f64) = (0.0, 0.0);
            for _ in 0..STEPS {
                stepper.step(0.01).unwrap();
                let now = momenta(&stepper.system, &stepper.point.state);
                linear = linear.max((now.linear - start.linear).length() / start.linear_scale);
                angular = angular.max((now.angular - start.angular).length() / start.angular_scale);
            }
            let end = momenta(&stepper.system, &stepper.point.state);
            println!("{name:30} damping {damping}: linear {linear:.1e}, angular {angular:.1e}");
            assert!(start.linear.length() > 0.01 * start.linear_scale, "momentum to keep");
            assert!(start.angular.length() > 0.01 * start.angular_scale, "angular momentum to keep");
            // Each step rounds the velocity and force of each particle a few times, to at most 16 ε of the largest terms seen; the
            // implicit ones solve to a residual of about the same.
            let growth = (end.linear_scale / start.linear_scale).max(1.0);
            let bound = 16.0 * f64::EPSILON * f64::from(STEPS) * growth;
            assert!(linear < bound, "{name}: linear momentum off by {linear:e}, bound {bound:e}");
            // Kicks along f at the position where f was evaluated and drifts along v turn nothing; where damping makes f depend on v
            // as well this still holds, since f stays along the springs.
            if entry.properties.symplectic == Symplectic::Yes {
                let growth = (end.angular_scale / start.angular_scale).max(1.0);
                let bound = 16.0 * f64::EPSILON * f64::from(STEPS) * growth;
                assert!(angular < bound, "{name}: angular momentum off by {angular:e}, bound {bound:e}");
            }
        }
    }
}
