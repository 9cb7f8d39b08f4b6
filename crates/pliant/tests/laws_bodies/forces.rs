//! Laws of force models, checked on every example of the force catalog: forces are derivatives of energies and Jacobians of forces,
//! internal forces neither push nor turn, damping takes energy, and an evaluation has no memory.

use glam::{DMat3, DQuat, DVec3};
use pliant::core::{JacobianKind, Rates, State, System};
use pliant::forces::catalog::{Example, FORCES};
use pliant_testkit::dense::{asymmetry, dense, largest, symmetric_eigenvalues};
use pliant_testkit::derivative::{Comparison, force, force_against_energy, jacobian, jacobian_against_force};
use pliant_testkit::invariance::{evaluation_bits, resultants, viscous_power};
use pliant_testkit::random::Random;

const STATES: usize = 6;
const WIDTH: f64 = 1e-3;

/// Models whose force does not depend on position.
const SAME_EVERYWHERE: &[&str] = &["gravity", "drag", "traction"];
/// Models without an energy.
const NO_ENERGY: &[&str] = &["drag", "aerodynamics"];
/// Models with a force that is there at rest too, but is the derivative of nothing.
const NO_POTENTIAL: &[&str] = &["warped-solid", "face-pressure"];
/// Models that have something to clamp in every state: the load of a pressure has eigenvalues of both signs, so has neo-Hookean material
/// blown up threefold, so have second derivatives of volumes, areas, angles and twist away from rest, warped solids have an unsymmetric part, and
/// the coarse part of Green's measure is a difference of two.
const NEVER_DEFINITE: &[&str] = &[
    "pressure",
    "face-pressure",
    "neo-hookean-solid",
    "warped-solid",
    "volume-constraint",
    "area-constraint",
    "angle-constraint",
    "section-angle",
    "shear",
    "torsion",
    "coarse-green",
];
/// Models whose forces push nothing, but turn the whole.
const TURN: &[&str] = &["cauchy-solid", "warped-solid", "framed-solid", "coarse-green"];
/// Models that limit the sum of both derivatives rather than each.
const LIMITED_TOGETHER: &[&str] = &["corotational-solid", "plate-bending"];
/// Models whose whole power comes from outside, as they have no energy.
const DRIVEN: &[&str] = &["face-pressure"];

fn system(example: Example) -> (System, Vec<DVec3>) {
    let system = System::new(example.masses, Vec::new(), vec![example.model], Vec::new()).unwrap();
    (system, example.x)
}

/// Calls `check(name of model and example, system, pose)` for every example.
fn for_each_example(mut check: impl FnMut(&str, &str, &mut System, &[DVec3])) {
    let mut examples = 0;
    for entry in FORCES {
        for (k, example) in (entry.examples)().into_iter().enumerate() {
            assert_eq!(example.model.name(), entry.name);
            let (mut system, x) = system(example);
            check(entry.name, &format!("{} example {k}", entry.name), &mut system, &x);
            examples += 1;
        }
    }
    assert!(examples >= FORCES.len() && examples > 0, "every model has an example");
}

/// The error of a central difference is rounding, or shrinks with the square of the width: a wrong derivative does neither.
fn check_derivative(what: &str, comparison: Comparison) {
    let Comparison { size, errors, rounding } = comparison;
    let slope = comparison.slope();
    let right = if slope.is_nan() { errors[1] <= 100.0 * rounding[1] } else { (slope - 2.0).abs() < 0.1 };
    assert!(right, "{what}: derivative {size:.3e}, errors {errors:?}, rounding {rounding:?}, slope {slope}");
    // and it is no derivative of something else whose difference happens to shrink: s²/6 g''' with the fourth-order remainder
    // O(s⁴) cancels in the extrapolation [4 e(s/2) - e(s)]/3, up to s² times the error itself
    let extrapolated = (4.0 * errors[1] - errors[0]).abs() / 3.0;
    let bound = 100.0 * rounding[1] + 100.0 * WIDTH * WIDTH * errors[0];
    assert!(extrapolated <= bound, "{what}: extrapolated error {extrapolated:.3e} above {bound:.3e}");
}

#[test]
fn force_is_minus_the_derivative_of_energy() {
    for_each_example(|name, what, system, x| {
        let mut random = Random(11);
        let mut largest_force: f64 = 0.0;
        for _ in 0..STATES {
            let state = random.pose(x, 0.3, 1.0);
            let still = State { v: vec![DVec3::ZERO; x.len()], ..state.clone() };
            let has_energy = system.models()[0].properties().energy_kind;
            let energy = system.energies().potential(&state.view());
            assert!(energy.is_finite(), "{what}: {energy} ({has_energy:?})");
            if NO_POTENTIAL.contains(&name) {
                assert_eq!(energy, 0.0, "{what}: an energy is reported");
                continue;
            }
            let direction = random.vectors(x.len());
            check_derivative(what, force_against_energy(system, &state, &direction, WIDTH));
            largest_force = force(system, &still).iter().map(|f| f.length()).fold(largest_force, f64::max);
        }
        if NO_POTENTIAL.contains(&name) {
            return;
        }
        if NO_ENERGY.contains(&name) {
            assert_eq!(largest_force, 0.0, "{what}: a force without an energy, at rest");
        } else {
            assert!(largest_force > 0.1, "{what}: {largest_force} N");
        }
    });
}

#[test]
fn jacobians_are_derivatives_of_the_force() {
    for_each_example(|name, what, system, x| {
        let mut random = Random(12);
        let (mut largest_k, mut largest_d) = (0.0, 0.0);
        for _ in 0..STATES {
            let state = random.pose(x, 0.3, 1.5);
            let direction = random.vectors(x.len());
            let stiffness = jacobian_against_force(system, &state, &direction, WIDTH, false);
            check_derivative(&format!("{what}: df/dx"), stiffness);
            let damping = jacobian_against_force(system, &state, &direction, WIDTH, true);
            check_derivative(&format!("{what}: df/dv"), damping);
            largest_k = f64::max(largest_k, stiffness.size);
            largest_d = f64::max(largest_d, damping.size);
        }
        assert_eq!(largest_k == 0.0, SAME_EVERYWHERE.contains(&name), "{what}: |df/dx| = {largest_k}");
        assert_eq!(largest_d != 0.0, system.depends_on_velocity(), "{what}: |df/dv| = {largest_d}");
    });
}

#[test]
fn what_does_not_depend_on_velocity_has_the_same_bits_at_every_velocity() {
    for_each_example(|_, what, system, x| {
        let mut random = Random(13);
        let a = random.pose(x, 0.3, 1.0);
        let b = State { v: random.vectors(x.len()), ..a.clone() };
        assert_eq!(force(system, &a) == force(system, &b), !system.depends_on_velocity(), "{what}");
    });
}

#[test]
fn symmetric_jacobians_are_symmetric() {
    for_each_example(|_, what, system, x| {
        let mut random = Random(14);
        let mut asymmetries = 0;
        for _ in 0..STATES {
            let state = random.pose(x, 0.3, 1.5);
            let exact = jacobian(system, &state, JacobianKind::Exact);
            for kind in [JacobianKind::Symmetric, JacobianKind::Psd] {
                let jacobian = jacobian(system, &state, kind);
                for matrix in [dense(&jacobian.stiffness), dense(&jacobian.damping)] {
                    // entries are sums of at most 4 blocks of 6 products each
                    let bound = 24.0 * f64::EPSILON * largest(&matrix);
                    assert!(asymmetry(&matrix) <= bound, "{what} {kind:?}: {:e}", asymmetry(&matrix));
                }
            }
            let matrix = dense(&exact.stiffness);
            let is_symmetric = asymmetry(&matrix) <= 24.0 * f64::EPSILON * largest(&matrix);
            asymmetries += usize::from(!is_symmetric);
            if system.has_symmetric_jacobian() {
                let symmetric = jacobian(system, &state, JacobianKind::Symmetric);
                assert_eq!(exact.stiffness.values, symmetric.stiffness.values, "{what}");
            }
        }
        assert_eq!(asymmetries == 0, system.has_symmetric_jacobian(), "{what}: declared symmetric or not");
    });
}

#[test]
fn psd_jacobians_are_negative_semi_definite() {
    let mut indefinite = 0;
    for_each_example(|_, what, system, x| {
        let mut random = Random(15);
        for k in 0..STATES {
            // the last ones are pressed together
            let size = if k < STATES / 2 { 1.0 } else { 0.4 };
            let x: Vec<DVec3> = x.iter().map(|x| *x * size).collect();
            let state = random.pose(&x, 0.3, 1.5);
            let psd = jacobian(system, &state, JacobianKind::Psd);
            for (part, matrix) in [("K", dense(&psd.stiffness)), ("D", dense(&psd.damping))] {
                // Jacobi's eigenvalues of an n x n matrix are within n ε ‖A‖, ‖A‖ ≤ n max|a|
                let n = matrix.len() as f64;
                let rounding = n * n * f64::EPSILON * largest(&matrix);
                let top = *symmetric_eigenvalues(&matrix).last().unwrap();
                assert!(top <= rounding, "{what}: {part} has the eigenvalue {top:e} (rounding {rounding:e})");
            }
            let symmetric = dense(&jacobian(system, &state, JacobianKind::Symmetric).stiffness);
            let top = *symmetric_eigenvalues(&symmetric).last().unwrap();
            indefinite += usize::from(top > 1e-3 * largest(&symmetric));
        }
    });
    assert!(indefinite > 0, "no state put the clamp to the test");
}

#[test]
fn psd_is_exact_where_there_is_nothing_to_clamp() {
    let mut compared = 0;
    for_each_example(|name, what, system, x| {
        if system.depends_on_velocity() || NEVER_DEFINITE.contains(&name) {
            return;
        }
        // Springs pulled to three times their length; pendulums within a right angle.
        let apart: Vec<DVec3> = x.iter().map(|x| *x * 3.0).collect();
        let near: Vec<DVec3> = x.iter().map(|x| *x * 0.5).collect();
        let pose = if system.models()[0].properties().is_internal { apart } else { near };
        let state = State { time: 0.0, v: Random(16).vectors(x.len()), x: pose };
        let exact = jacobian(system, &state, JacobianKind::Exact);
        let psd = jacobian(system, &state, JacobianKind::Psd);
        assert_eq!(exact.stiffness.values, psd.stiffness.values, "{what}");
        compared += usize::from(exact.stiffness.values.iter().any(|block| *block != DMat3::ZERO));
    });
    assert!(compared >= 2, "only {compared} non-zero matrices were compared");
}

/// The matrix of a step, `M - γ D - γ² K`, is the same from `K + D/γ` as from K and D apart, and at least M where it is asked to be.
#[test]
fn derivatives_for_one_step_are_those_of_both_together() {
    let mut merging = 0;
    for_each_example(|name, what, system, x| {
        let mut random = Random(22);
        merging += usize::from(system.models()[0].properties().merges_damping);
        let lightest = system.masses().iter().copied().fold(f64::INFINITY, f64::min);
        for size in [0.6, 1.0, 3.0] {
            let posed: Vec<DVec3> = x.iter().map(|x| *x * size).collect();
            let state = random.pose(&posed, 0.3, 1.5);
            for kind in [JacobianKind::Exact, JacobianKind::Symmetric, JacobianKind::Psd] {
                let gamma = 0.1;
                let mut derivatives = jacobian(system, &state, kind);
                let [mut apart, mut merged] = [system.matrices().new_matrix(), system.matrices().new_matrix()];
                system.matrices().write_system_matrix(&derivatives, gamma, &mut apart);
                system.assemble_merged(&state.view(), kind, gamma, &mut derivatives);
                system.matrices().write_system_matrix(&derivatives, gamma, &mut merged);
                let [apart, merged] = [dense(&apart), dense(&merged)];
                let is_psd = kind == JacobianKind::Psd;
                if !(is_psd && LIMITED_TOGETHER.contains(&name)) {
                    let pairs = apart.iter().flatten().zip(merged.iter().flatten());
                    let off = pairs.fold(0.0, |most, (a, b)| f64::max(most, (a - b).abs()));
                    // entries are sums of at most 4 blocks of 6 products each
                    let rounding = 24.0 * f64::EPSILON * largest(&apart);
                    assert!(off <= rounding, "{what} {kind:?}: off by {off:e} (rounding {rounding:e})");
                }
                if is_psd {
                    let n = merged.len() as f64;
                    let rounding = n * n * f64::EPSILON * largest(&merged);
                    let least = symmetric_eigenvalues(&merged)[0];
                    assert!(least >= lightest - rounding, "{what}: {least:e} below the mass {lightest:e}");
                }
            }
        }
    });
    assert!(merging > 0);
}

#[test]
fn internal_forces_neither_push_nor_turn() {
    let mut internal = 0;
    for_each_example(|name, what, system, x| {
        let mut random = Random(17);
        for _ in 0..STATES {
            let state = random.pose(x, 0.5, 2.0);
            let sums = resultants(system, &state);
            assert!(sums.forces > 0.1, "{what}: no force at all");
            if system.models()[0].properties().is_internal {
                internal += 1;
                // The two forces of a spring are exactly opposite; what is left is the rounding of sums over particles and of
                // moments: at most one ε per addition and product, of which a particle sees a dozen.
                assert!(sums.push <= 12.0 * f64::EPSILON * sums.forces, "{what}: pushed by {:e} N", sums.push);
                assert!(sums.turn <= 24.0 * f64::EPSILON * sums.moments, "{what}: turned by {:e} N m", sums.turn);
            } else if TURN.contains(&name) {
                assert!(sums.push <= 12.0 * f64::EPSILON * sums.forces, "{what}: pushed by {:e} N", sums.push);
                assert!(sums.turn > 1e-3 * sums.moments, "{what}: is this one internal?");
            } else {
                assert!(sums.push > 1e-3 * sums.forces, "{what}: is this one internal?");
            }
        }
    });
    assert!(internal > 0);
}

#[test]
fn internal_forces_turn_along_and_their_damping_does_not_feel_rigid_motion() {
    for_each_example(|name, what, system, x| {
        // warped solids turn the whole, but along with it
        if !system.models()[0].properties().is_internal && name != "warped-solid" {
            return;
        }
        let mut random = Random(21);
        for _ in 0..STATES {
            let state = random.pose(x, 0.3, 1.0);
            let (turn, shift, spin) =
                (DQuat::from_scaled_axis(random.vector() * 2.0), random.vector(), random.vector());
            let turned = State {
                x: state.x.iter().map(|x| turn * *x + shift).collect(),
                v: state.v.iter().map(|v| turn * *v).collect(),
                ..state.clone()
            };
            let (f, g) = (force(system, &state), force(system, &turned));
            let derivatives = jacobian(system, &state, JacobianKind::Exact);
            let size = |a: &[DVec3]| a.iter().map(|v| v.length()).fold(0.0, f64::max);
            // positions and velocities are known to ε times their size, and every operation on them adds one more
            let scale = size(&f)
                + largest(&dense(&derivatives.stiffness)) * (size(&state.x) + size(&turned.x))
                + largest(&dense(&derivatives.damping)) * size(&state.v);
            let rounding = 64.0 * f64::EPSILON * scale;
            let off = f.iter().zip(&g).map(|(f, g)| (turn * *f - *g).length()).fold(0.0, f64::max);
            assert!(off <= rounding, "{what}: the turned force is off by {off:e} (rounding {rounding:e})");
            let rigid = State { v: state.x.iter().map(|x| spin.cross(*x) + shift).collect(), ..state.clone() };
            let still = State { v: vec![DVec3::ZERO; x.len()], ..state.clone() };
            let (moving, still) = (force(system, &rigid), force(system, &still));
            let off = moving.iter().zip(&still).map(|(f, g)| (*f - *g).length()).fold(0.0, f64::max);
            assert!(off <= rounding, "{what}: rigid motion is damped by {off:e} N (rounding {rounding:e})");
        }
    });
}

#[test]
fn damping_takes_energy_at_the_rate_it_reports() {
    let mut damped = 0;
    for_each_example(|name, what, system, x| {
        let mut random = Random(18);
        for _ in 0..STATES {
            let state = random.pose(x, 0.3, 2.0);
            if DRIVEN.contains(&name) {
                let force = force(system, &state);
                let power: f64 = force.iter().zip(&state.v).map(|(f, v)| f.dot(*v)).sum();
                let scale: f64 = force.iter().zip(&state.v).map(|(f, v)| f.length() * v.length()).sum();
                let powers = system.energies().powers_at(&state);
                let reported = powers.viscous + powers.loads;
                assert!((reported - power).abs() <= 32.0 * f64::EPSILON * scale && power != 0.0, "{what}: {reported}");
                continue;
            }
            let power = viscous_power(system, &state);
            if system.depends_on_velocity() {
                damped += 1;
                assert!(power.reported < 0.0, "{what}: {power:?}");
                assert!(power.reported.abs() > 1e-3 * power.scale, "{what}: too small to mean anything, {power:?}");
            } else {
                assert_eq!(power.reported, 0.0, "{what}");
            }
            // the difference of two forces, each a sum of about a dozen terms, times v
            let rounding = 32.0 * f64::EPSILON * power.scale;
            assert!((power.reported - power.measured).abs() <= rounding, "{what}: {power:?}");
        }
    });
    assert!(damped > 0);
}

#[test]
fn evaluations_have_no_memory() {
    for_each_example(|_, what, system, x| {
        let mut random = Random(19);
        let (a, b) = (random.pose(x, 0.3, 1.0), random.pose(x, 0.5, 2.0));
        let first = evaluation_bits(system, &a);
        let other = evaluation_bits(system, &b);
        assert_ne!(first, other, "{what}: two states that cannot be told apart");
        assert_eq!(first, evaluation_bits(system, &a), "{what}: A, B, A");
    });
}

/// Gershgorin: k/m of `add_rates` bounds every ω², c/m every damping rate; `stable` steps stand on it.
#[test]
fn rates_bound_the_spectrum() {
    // the same examples once more, because a system does not hand out its models
    let mut models = FORCES.iter().flat_map(|entry| (entry.examples)()).map(|example| example.model);
    for_each_example(|name, what, system, x| {
        let mut model = models.next().expect("as many models as examples");
        let mut random = Random(20);
        for _ in 0..STATES {
            let state = random.pose(x, 0.3, 0.0);
            let mut rates = vec![Rates::default(); x.len()];
            model.add_rates(&state.view(), &vec![true; x.len()], &mut rates);
            let jacobian = jacobian(system, &state, JacobianKind::Symmetric);
            let masses = system.masses().to_vec();
            let check = |part: &str, matrix: Vec<Vec<f64>>, of: &dyn Fn(&Rates) -> f64| {
                // M^-½ (-A) M^-½ has the eigenvalues ω²
                let scaled: Vec<Vec<f64>> = (0..matrix.len())
                    .map(|r| {
                        (0..matrix.len()).map(|c| -matrix[r][c] / (masses[r / 3] * masses[c / 3]).sqrt()).collect()
                    })
                    .collect();
                let top = *symmetric_eigenvalues(&scaled).last().unwrap();
                let bound = rates.iter().zip(&masses).map(|(rate, m)| of(rate) / m).fold(0.0, f64::max);
                assert!(top <= bound * (1.0 + 1e-12), "{what}: {part} reaches {top}, the bound is {bound}");
                // Infinity would be a bound too. Row sums overrate by less than the number of particles; a pendulum's bound holds
                // for all angles, whatever the present one.
                let useful = name == "pendulum" || bound <= 4.0 * top;
                assert!(useful, "{what}: {part} reaches only {top}, the bound is {bound}");
            };
            check("K", dense(&jacobian.stiffness), &|rate| rate.stiffness);
            check("D", dense(&jacobian.damping), &|rate| rate.damping);
        }
    });
}
