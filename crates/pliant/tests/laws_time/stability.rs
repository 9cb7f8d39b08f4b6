//! Stability on the undamped oscillator `x'' = -ω² x`, against what every scheme declares, as a function of z = ω dt.

use glam::DVec3;
use pliant::time::catalog::{Entry, INTEGRATORS, SolverSpec, find};
use pliant::time::{Stability, Symplectic};
use pliant_testkit::Stepper;
use pliant_testkit::problems::{oscillator, stiff_chain};
use pliant_testkit::stability::{growth_after, largest_amplitude, limit, spectral_radius, step_matrix};

fn with(wanted: impl Fn(&Stability) -> bool) -> impl Iterator<Item = &'static Entry> {
    INTEGRATORS.iter().filter(move |entry| wanted(&entry.properties.stability))
}

#[test]
fn limits_are_where_they_are_declared() {
    let mut measured = 0;
    for entry in with(|s| matches!(s, Stability::UpTo(_))) {
        let Stability::UpTo(declared) = entry.properties.stability else { continue };
        let found = limit(entry, 0.05, 4.0, 1e-4).expect("a limit below 4");
        println!("{:30} declared {declared:.4}, measured {found:.4}", entry.properties.name);
        assert!((found / declared - 1.0).abs() < 0.01, "{}: {found}, declared {declared}", entry.properties.name);
        measured += 1;
    }
    assert!(measured >= 7);
}

#[test]
fn schemes_without_a_limit_grow_as_their_formula_says() {
    let mut measured = 0;
    for entry in with(|s| matches!(s, Stability::Never(_))) {
        let Stability::Never(growth) = entry.properties.stability else { continue };
        for z in [0.01, 0.1, 0.5] {
            // The matrix of one step is exact up to a few roundings of numbers of size 1.
            let found = spectral_radius(step_matrix(entry, z));
            let error = (found - growth(z)).abs();
            println!(
                "{:30} z = {z}: {:.3e} a step, formula {:.3e}",
                entry.properties.name,
                found - 1.0,
                growth(z) - 1.0
            );
            assert!(growth(z) > 1.0 && error < 16.0 * f64::EPSILON, "{} at {z}: {found}", entry.properties.name);
            // growth - 1 is small: also relative to it
            assert!(error < 1e-6 * (growth(z) - 1.0), "{} at {z}: {found}", entry.properties.name);
            // and the same in the long run, over a growth of e²⁰: amplitudes wobble by at most a factor of 2 about it
            let steps = (20.0 / growth(z).ln()) as u32;
            if steps < 10_000 {
                let long_run = largest_amplitude(entry, z, steps, f64::MAX).ln();
                let difference = long_run - f64::from(steps) * growth(z).ln();
                assert!(difference.abs() < 2.0_f64.ln(), "{} at {z}: {difference}", entry.properties.name);
            }
        }
        measured += 1;
    }
    assert!(measured >= 3);
}

#[test]
fn always_means_always() {
    const STEPS: u32 = 300;
    let mut measured = 0;
    for entry in with(|s| matches!(s, Stability::Always)) {
        let multistep = entry.properties.max_ratio.is_finite();
        for z in [0.1, 1.0, 10.0, 1e3, 1e6] {
            let found = largest_amplitude(entry, z, STEPS, f64::MAX);
            // One-step schemes of this kind are functions R of a matrix that is normal in (ω x, v), so |R| ≤ 1 bounds every step;
            // a step rounds ω x and v to 4 ε max(1, z) of the amplitude, since x1 = x̂ + γ v1. BDF2 is G-stable with
            // G = [[5, -2], [-2, 1]]/4: |y_n|² ≤ 4 λ_max(G) (|y_0|² + |y_1|²) ≤ 11.7 |y_0|².
            let rounding = 4.0 * f64::EPSILON * f64::max(1.0, z) * f64::from(STEPS);
            let bound = if multistep { 11.7_f64.sqrt() } else { 1.0 } + rounding;
            println!("{:30} z = {z:e}: amplitude at most 1 + {:.1e}", entry.properties.name, found - 1.0);
            assert!(found <= bound, "{} at {z}: {found}, bound 1 + {:e}", entry.properties.name, bound - 1.0);
        }
        measured += 1;
    }
    assert!(measured >= 6);
}

/// Largest |ρ| of `11/6 ρ³ - 3 ρ² + 3/2 ρ - 1/3 = i z ρ³`, by Durand and Kerner's method on complex numbers (re, im).
fn bdf3_root(z: f64) -> f64 {
    type C = (f64, f64);
    let mul = |a: C, b: C| (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0);
    let sub = |a: C, b: C| (a.0 - b.0, a.1 - b.1);
    let div = |a: C, b: C| {
        let n = b.0 * b.0 + b.1 * b.1;
        ((a.0 * b.0 + a.1 * b.1) / n, (a.1 * b.0 - a.0 * b.1) / n)
    };
    let lead = (11.0 / 6.0, -z);
    let c: [C; 3] = [(-3.0, 0.0), (1.5, 0.0), (-1.0 / 3.0, 0.0)].map(|c| div(c, lead));
    let p = |r: C| {
        let mut value = (1.0, 0.0);
        for c in c {
            value = mul(value, r);
            value = (value.0 + c.0, value.1 + c.1);
        }
        value
    };
    let mut roots: [C; 3] = [(1.0, 0.1), (0.4, 0.9), (-0.5, 0.3)];
    for _ in 0..200 {
        for i in 0..3 {
            let (a, b) = (roots[(i + 1) % 3], roots[(i + 2) % 3]);
            let below = mul(sub(roots[i], a), sub(roots[i], b));
            roots[i] = sub(roots[i], div(p(roots[i]), below));
        }
    }
    roots.iter().map(|r| r.0.hypot(r.1)).fold(0.0, f64::max)
}

#[test]
fn bdf3_grows_below_its_limit_and_decays_above() {
    let entry = find("bdf3").unwrap();
    let Stability::Above(declared) = entry.properties.stability else { panic!("bdf3 is unstable below a limit") };
    for z in [0.3, 0.5, 1.0, 1.14, 1.5, 2.0, 3.0] {
        let found = growth_after(entry, z, 400);
        println!("bdf3 z = {z}: growth {found:.6}, root {:.6}", bdf3_root(z));
        // Newton's tolerance of 1e-10 a step, and the other roots, all below 0.7, to the power 400
        assert!((found - bdf3_root(z)).abs() < 1e-9, "bdf3 at {z}: {found}, root {}", bdf3_root(z));
        assert_eq!(found > 1.0, z < declared, "bdf3 at {z}: {found}");
    }
    assert!((growth_after(entry, 1.14, 400) - 1.0456).abs() < 0.001);
    let (mut low, mut high) = (1.5, 3.0);
    while high - low > 1e-6 {
        let z = 0.5 * (low + high);
        if growth_after(entry, z, 400) > 1.0 { low = z } else { high = z }
    }
    println!("bdf3 limit: declared {declared}, measured {low:.5}");
    assert!((low / declared - 1.0).abs() < 0.01, "measured {low}, declared {declared}");
    // on the unit circle the formula is i z for z² = 15/4
    assert!((low - 0.5 * 15.0_f64.sqrt()).abs() < 1e-4);
}

/// Largest |ζ| of generalized-α's `(1 + αm u) u = i z (1 + γ u)(1 + αf u)`, u = ζ - 1, with αm = 5/6 and αf = γ = 2/3: a quadratic in u.
fn generalized_alpha_root(z: f64) -> f64 {
    // (a + i b) u² + (1 + i c) u + i d = 0, and the root of its discriminant
    let (a, b, c, d) = (5.0 / 6.0, -4.0 / 9.0 * z, -4.0 / 3.0 * z, -z);
    let (re, im) = (1.0 - c * c + 4.0 * b * d, 2.0 * c - 4.0 * a * d);
    let size = f64::hypot(re, im);
    let root = ((0.5 * (size + re)).max(0.0).sqrt(), (0.5 * (size - re)).max(0.0).sqrt().copysign(im));
    let zeta = |sign: f64| {
        let (p, q) = (-1.0 + sign * root.0, -c + sign * root.1);
        let below = 2.0 * (a * a + b * b);
        (1.0 + (p * a + q * b) / below).hypot((q * a - p * b) / below)
    };
    zeta(1.0).max(zeta(-1.0))
}

/// Slow modes hardly decay, infinitely fast ones are halved in each step, and in between it is what the formula says.
#[test]
fn generalized_alpha_halves_what_is_infinitely_fast() {
    let entry = find("generalized-alpha").unwrap();
    for z in [0.05, 0.1, 0.5, 1.0, 3.0, 10.0] {
        let (found, root) = (growth_after(entry, z, 400), generalized_alpha_root(z));
        println!("generalized-alpha z = {z}: growth 1 - {:.3e}, root 1 - {:.3e}", 1.0 - found, 1.0 - root);
        // Newton's tolerance of 1e-10 a step, and the other root, by a tenth the smaller one at least, to the power 400
        assert!((found - root).abs() < 1e-9, "at {z}: {found}, root {root}");
    }
    assert!(1.0 - generalized_alpha_root(0.1) < 2e-6);
    assert!((generalized_alpha_root(1e12) - 0.5).abs() < 1e-5);
    // Both roots are nearly the same there, so that amplitudes fall like n ρⁿ: by 1/400 less than ρ a step.
    let found = growth_after(entry, 1e8, 400);
    println!("generalized-alpha z = 1e8: growth {found:.5}");
    assert!((found / 0.5 - 1.0).abs() < 0.01, "{found}");
    // Over a run: a slow oscillator keeps its amplitude for a hundred radians, a fast one loses all but a millionth in thirty steps.
    let left = |z: f64, steps: u32| {
        let mut stepper = Stepper::new(oscillator(z, 1.0, 0.0), entry, &SolverSpec::default());
        (0..steps).for_each(|_| _ = stepper.step(1.0).unwrap());
        let state = &stepper.point.state;
        state.x[1].length().hypot(state.v[1].length() / z)
    };
    let (slow, fast) = (left(0.05, 2000), left(1e3, 30));
    println!("generalized-alpha leaves {slow:.6} of a slow mode and {fast:.1e} of a fast one");
    assert!(slow > 0.999 && fast < 1e-6, "{slow} {fast}");
}

/// Its error in a step is z³/9 of the amplitude, nearly all of it in the phase, and that is what it estimates where the speed is greatest.
#[test]
fn generalized_alpha_knows_its_error() {
    const STEPS: u32 = 2000;
    let (z, entry) = (0.05_f64, find("generalized-alpha").unwrap());
    let mut stepper = Stepper::new(oscillator(z, 1.0, 0.0), entry, &SolverSpec::default());
    let mut largest: f64 = 0.0;
    for _ in 0..STEPS {
        let truncation = stepper.step(1.0).unwrap().truncation.unwrap();
        largest = largest.max(truncation.error.metres);
    }
    let (sin, cos) = (z * f64::from(STEPS)).sin_cos();
    let state = &stepper.point.state;
    let error = (state.x[1].x - cos).hypot(state.v[1].x / z + sin) / f64::from(STEPS);
    let formula = z * z * z / 9.0;
    println!("error a step {error:.4e}, estimate at most {largest:.4e}, formula {formula:.4e}");
    // The next terms are of the order of z², 0.3 %; the first step, a θ-method, is off by z²/30, which is 0.3 % of the 2000 others.
    assert!((error / formula - 1.0).abs() < 0.01 && (largest / formula - 1.0).abs() < 0.01);
}

/// Its estimate is `z⁴/24` of the amplitude where the body is farthest out, times what its stages are off the path.
#[test]
fn forest_ruth_estimates_as_its_file_says() {
    let (z, theta) = (0.05_f64, 1.0 / (2.0 - 2f64.cbrt()));
    let mut stepper = Stepper::new(oscillator(z, 1.0, 0.0), find("forest-ruth").unwrap(), &SolverSpec::default());
    let estimates = (0..200).map(|_| stepper.step(1.0).unwrap().truncation.unwrap().error.metres);
    let largest = estimates.fold(0.0, f64::max);
    let formula = 2.0 * (2.0 * theta - 1.0) / (theta - 1.0) * z.powi(4) / 24.0;
    // The next terms are of the order of z², 0.3 %, and so is the distance of the nearest step from where it turns back.
    assert!((largest / formula - 1.0).abs() < 0.01, "{largest:e} m for {formula:e} m");
}

/// Spectral radii of [Intro]'s four schemes at z = 3 and around.
#[test]
fn growth_has_the_known_values() {
    let radius = |name: &str, z: f64| spectral_radius(step_matrix(find(name).unwrap(), z));
    for z in [0.1, 1.0, 3.0, 20.0_f64] {
        let euler = (1.0 + z * z).sqrt();
        assert!((radius("explicit-euler", z) / euler - 1.0).abs() < 1e-12);
        assert!((radius("backward-euler", z) * euler - 1.0).abs() < 1e-12);
        assert!((radius("linearized-backward-euler", z) * euler - 1.0).abs() < 1e-12);
        assert!((radius("newmark", z) - 1.0).abs() < 1e-12);
    }
    assert!((radius("symplectic-euler", 3.0) - 6.854_101_966_249_685).abs() < 1e-12);
    assert!((radius("symplectic-euler", 1.9) - 1.0).abs() < 1e-12);
    // midpoint of the validation table: 1.25e-5 a step at z = 0.1
    assert!((radius("half-step", 0.1) - 1.0 - 1.25e-5).abs() < 1e-8);
    for entry in INTEGRATORS.iter().filter(|e| e.properties.symplectic != Symplectic::No) {
        let radius = spectral_radius(step_matrix(entry, 0.7));
        assert!((radius - 1.0).abs() < 1e-14, "{}: {radius}", entry.properties.name);
    }
}

/// A stiff damped chain hangs itself out and stays: no step fails in round-off, however far from the origin, and rest is cheap.
#[test]
fn stiff_rest_is_reached_and_costs_little() {
    const LAST: u64 = 50;
    for entry in INTEGRATORS.iter().filter(|entry| entry.properties.is_implicit()) {
        for offset in [0.0, 1e3] {
            let name = entry.properties.name;
            let mut stepper = Stepper::new(stiff_chain(8, DVec3::splat(offset)), entry, &SolverSpec::default());
            let mut steps = |count: u64| {
                let before = stepper.work.solves;
                for _ in 0..count {
                    stepper.step(0.02).unwrap_or_else(|e| panic!("{name} at {offset} m: {e}"));
                }
                stepper.work.solves - before
            };
            assert!(steps(1500) >= 1500);
            let solves = steps(LAST);
            let state = &stepper.point.state;
            let speed = state.v.iter().map(|v| v.length()).fold(0.0, f64::max);
            println!("{name:30} at {offset:4} m: {:.2} solves a step, speed {speed:.1e}", solves as f64 / LAST as f64);
            // Positions are rounded to ε |x|; nothing moves by more than a few of those a step.
            let rounding = f64::EPSILON * (offset + 3.0) * 3.0_f64.sqrt();
            assert!(speed * 0.02 < 32.0 * rounding, "{name} at {offset} m: still moves at {speed:e} m/s");
            // one linearized solve a stage and at most one to see that there is nothing left to do
            let stages = u64::from(entry.properties.solves);
            assert!(solves <= 2 * stages * LAST, "{name} at {offset} m: {solves} solves for {LAST} steps at rest");
        }
    }
}
