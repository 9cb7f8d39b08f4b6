//! Checks shared by the tests of all constraints, in chosen states: the law tests in `crates/pliant` perturb their examples and never reach
//! degenerate ones.

use glam::DVec3;
use pliant_core::{Element, JacobianKind};
use pliant_testkit::Random;
use pliant_testkit::dense::{largest, symmetric_eigenvalues};

/// Force against energy, Jacobians against force, resultants: relative to their size within `tolerance`.
pub fn check_element<E: Element<N>, const N: usize>(element: &E, x: [DVec3; N], tolerance: f64) {
    let mut random = Random(7);
    let still = [DVec3::ZERO; N];
    let forces = |x: [DVec3; N], v: [DVec3; N]| {
        let force = element.force(x, v);
        std::array::from_fn::<_, N, _>(|a| E::force_on(&force, a))
    };
    // Richardson's extrapolation of central differences: fourth order
    let width = 1e-3;
    let difference = |f: &dyn Fn(f64) -> f64| {
        let central = |s: f64| (f(s) - f(-s)) / (2.0 * s);
        (4.0 * central(0.5 * width) - central(width)) / 3.0
    };
    for _ in 0..4 {
        let d: [DVec3; N] = std::array::from_fn(|_| random.vector());
        let v: [DVec3; N] = std::array::from_fn(|_| random.vector());
        let along = |s: f64| std::array::from_fn::<_, N, _>(|a| x[a] + d[a] * s);
        let force = forces(x, still);
        let power: f64 = force.iter().zip(&d).map(|(f, d)| f.dot(*d)).sum();
        let slope = difference(&|s| element.energy(along(s)));
        let scale = 1.0 + force.iter().map(|f| f.length()).sum::<f64>();
        assert!((slope + power).abs() <= tolerance * scale, "force {power}, difference {slope}");

        let moving = forces(x, v);
        let push: DVec3 = moving.iter().sum();
        let turn: DVec3 = x.iter().zip(&moving).map(|(x, f)| x.cross(*f)).sum();
        let scale: f64 = 1.0 + moving.iter().map(|f| f.length()).sum::<f64>();
        assert!(push.length() <= 1e-15 * scale, "pushed by {push}");
        let arms: f64 = x.iter().map(|x| x.length()).fold(1.0, f64::max);
        assert!(turn.length() <= 4e-15 * scale * arms, "turned by {turn}");
        let damping: f64 = moving.iter().zip(&force).zip(&v).map(|((f, g), v)| (*f - *g).dot(*v)).sum();
        assert!((damping - element.viscous_power(x, v)).abs() <= 1e-14 * (1.0 + damping.abs()), "power {damping}");
        assert!(damping <= 0.0 && (damping < 0.0 || !element.is_damped() || element.viscous_power(x, v) == 0.0));

        let (stiffness, viscous) = element.jacobian(x, v, JacobianKind::Exact);
        let norm = |at: usize| crate::cloth::algebra::norm(&E::block(&stiffness, at / N, at % N));
        let size: f64 = (0..N * N).map(norm).sum();
        for a in 0..N {
            for axis in 0..3 {
                let apply = |blocks: &E::Block| -> f64 { (0..N).map(|b| (E::block(blocks, a, b) * d[b])[axis]).sum() };
                let by_x = difference(&|s| forces(along(s), v)[a][axis]);
                let scale = 1.0 + size;
                assert!((apply(&stiffness) - by_x).abs() <= tolerance * scale, "df/dx {} {by_x}", apply(&stiffness));
                let faster = |s: f64| std::array::from_fn::<_, N, _>(|a| v[a] + d[a] * s);
                let by_v = difference(&|s| forces(x, faster(s))[a][axis]);
                assert!((apply(&viscous) - by_v).abs() <= 1e-10 * scale, "df/dv {} {by_v}", apply(&viscous));
            }
        }
    }
}

/// The projected matrices have no eigenvalue of the wrong sign and are symmetric.
pub fn check_psd<E: Element<N>, const N: usize>(element: &E, x: [DVec3; N]) {
    let mut random = Random(8);
    let v: [DVec3; N] = std::array::from_fn(|_| random.vector());
    let (stiffness, damping) = element.jacobian(x, v, JacobianKind::Psd);
    for blocks in [stiffness, damping] {
        let entry = |r: usize, c: usize| E::block(&blocks, r / 3, c / 3).col(c % 3)[r % 3];
        let matrix: Vec<Vec<f64>> = (0..3 * N).map(|r| (0..3 * N).map(|c| entry(r, c)).collect()).collect();
        let rounding = (9 * N * N) as f64 * f64::EPSILON * largest(&matrix);
        let top = *symmetric_eigenvalues(&matrix).last().expect("there are rows");
        assert!(top <= rounding, "eigenvalue {top:e} above {rounding:e}");
        assert!(pliant_testkit::dense::asymmetry(&matrix) <= rounding);
    }
}
