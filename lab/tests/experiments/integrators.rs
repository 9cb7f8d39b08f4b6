//! The integrator table against figures that an independent prototype found, which are known to two digits (orders: as integers; limits:
//! to four).

use pliant::time::catalog::{INTEGRATORS, find};
use pliant_lab::claims::TABLE_1;
use pliant_lab::integrators::{Limit, Measured, measure};
use pliant_lab::phase;
use pliant_testkit::order::reference;
use pliant_testkit::problems::pendulum;

struct Known {
    name: &'static str,
    order: f64,
    /// det - 1 at dt = 0.1; 0: area preserving.
    area: f64,
    /// 0: no stable step.
    limit: f64,
    energy: f64,
    trend: &'static str,
}

const fn known(name: &'static str, order: f64, area: f64, limit: f64, energy: f64, trend: &'static str) -> Known {
    Known { name, order, area, limit, energy, trend }
}

const KNOWN: &[Known] = &[
    known("explicit-euler", 1.0, 7.6e-3, 0.0, 49.0, "grows"),
    known("symplectic-euler", 1.0, 0.0, 2.0, 2.3e-2, "bounded"),
    known("midpoint", 1.0, 3.8e-3, 0.0, 25.0, "grows"),
    known("half-step", 2.0, -5e-5, 0.0, 8.7e-2, "grows"),
    known("velocity-verlet", 2.0, 0.0, 2.0, 1.1e-3, "bounded"),
    known("forest-ruth", 4.0, 0.0, 1.5734, 7.4e-7, "bounded"),
    known("symplectic-midpoint-literal", 0.0, 0.0, 2.8284, 0.23, "bounded"),
    known("symplectic-midpoint", 2.0, 0.0, 2.0, 9.8e-4, "bounded"),
    known("rk4", 4.0, -5.5e-9, 2.8284, 4.6e-5, "falls"),
    known("modified-half-step", 2.0, -6e-5, 2.0, 5.9e-3, "grows"),
];

#[test]
fn figures_are_those_of_the_prototype() {
    for known in KNOWN {
        let measured: Measured = measure(find(known.name).expect("it is in the catalog"));
        let name = known.name;
        assert!((measured.order - known.order).abs() < 0.05, "{name}: order {}", measured.order);
        // a figure of two digits is within 5 % of what it stands for
        let near = |found: f64, figure: f64| (found / figure - 1.0).abs() < 0.05;
        let area = measured.area.expect("a scheme without history");
        let right = if known.area == 0.0 { area.abs() < 2e-11 } else { near(area, known.area) };
        assert!(right, "{name}: det - 1 = {area:e}");
        let limit = match measured.limit {
            Limit::None(_) => 0.0,
            Limit::UpTo(limit) => limit,
            other => panic!("{name}: {other:?}"),
        };
        assert!((limit - known.limit).abs() < 1e-4, "{name}: limit {limit}");
        assert!(near(measured.energy.largest(), known.energy), "{name}: energy {:e}", measured.energy.largest());
        assert_eq!(measured.trend(), known.trend, "{name}");
    }
}

#[test]
fn every_integrator_measures_as_it_declares() {
    for entry in INTEGRATORS {
        let measured = measure(entry);
        assert!(
            measured.as_declared(),
            "{}: orders {} and {}, area {:?}, limit {:?}",
            entry.properties.name,
            measured.order,
            measured.order_damped,
            measured.area,
            measured.limit
        );
    }
}

#[test]
fn bdf3_is_unstable_below_its_limit() {
    let measured = measure(find("bdf3").expect("it is in the catalog"));
    let Limit::Above(limit, growth, at) = measured.limit else { panic!("{:?}", measured.limit) };
    assert!((limit - 1.936).abs() < 2e-3 && (growth - 1.0456).abs() < 1e-3 && (at - 1.14).abs() < 0.03);
}

/// What the orders are measured against.
#[test]
fn the_reference_is_exact() {
    let state = reference(pendulum(1.0, 0.3), 10.0, 20_000);
    assert!((state.x[0].x - -0.957_131_598_363_480_6).abs() < 1e-11);
    assert!((state.v[0].x - -0.401_410_234_138_721_5).abs() < 1e-11);
}

#[test]
fn every_claim_is_about_an_integrator_of_the_catalog() {
    assert!(TABLE_1.iter().all(|claim| find(claim.name).is_some()));
}

/// The energy ranges at dt = 0.9 that tell which symplectic midpoint the paper's authors ran.
#[test]
fn energy_ranges_of_figure_5b() {
    for (scheme, range) in
        [("symplectic-euler", 0.459), ("symplectic-midpoint-literal", 0.324), ("symplectic-midpoint", 0.095)]
    {
        let energy = phase::run(scheme, 0.9, 3000).energy;
        let joules = (energy[1] - energy[0]) * (1.0 - 1.0_f64.cos());
        assert!((joules - range).abs() < 1e-3, "{scheme}: {joules}");
    }
}
