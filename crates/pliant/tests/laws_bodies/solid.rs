//! Laws of solids beyond those of all forces: nothing resists a rigid motion, and no shape, however crushed, breaks an evaluation.

use glam::{DQuat, DVec3};
use pliant::core::{JacobianKind, State, System};
use pliant::forces::SolidMaterial;
use pliant::forces::solid::model::{MEASURES, MeasureKind, add_masses, model};
use pliant_geom::tetra::lattice::{Split, lattice};
use pliant_testkit::dense::{dense, largest, symmetric_eigenvalues};
use pliant_testkit::derivative::{force, jacobian};
use pliant_testkit::random::Random;

/// A box of eight cells.
fn block(kind: MeasureKind, split: Split, damping_time: f64) -> (System, Vec<DVec3>) {
    let mesh = lattice(DVec3::splat(-0.5), DVec3::new(1.0, 1.2, 0.8), [2, 2, 2], split).unwrap();
    let material = SolidMaterial::new(3e3, 0.4).unwrap().damped(damping_time);
    let mut masses = vec![0.0; mesh.points.len()];
    add_masses(&mesh.tetrahedra, &mesh.points, 1000.0, &mut masses).unwrap();
    assert!((masses.iter().sum::<f64>() - 960.0).abs() < 1e-9);
    let model = model(kind, &mesh.tetrahedra, &mesh.points, &material).unwrap();
    (System::new(masses, Vec::new(), vec![model], Vec::new()).unwrap(), mesh.points)
}

#[test]
fn a_turned_solid_feels_nothing_but_in_the_linear_measure() {
    let mut random = Random(31);
    for (name, kind) in MEASURES {
        for split in [Split::Kuhn, Split::MirroredFive] {
            let (mut system, rest) = block(*kind, split, 0.1);
            let spin = random.vector();
            let turn = DQuat::from_scaled_axis(random.vector() * 3.0);
            let x: Vec<DVec3> = rest.iter().map(|x| turn * *x + DVec3::new(3.0, -1.0, 2.0)).collect();
            let v = x.iter().map(|x| spin.cross(*x) + DVec3::Y).collect();
            let state = State { time: 0.0, x, v };
            let f = force(&mut system, &state).iter().map(|f| f.length()).fold(0.0, f64::max);
            let scale = largest(&dense(&jacobian(&mut system, &state, JacobianKind::Psd).stiffness));
            assert_eq!(f <= 1e-10 * scale, *kind != MeasureKind::Cauchy, "{name} {split:?}: {f:e} N of {scale:e} N/m");
        }
    }
}

#[test]
fn crushed_and_inverted_solids_have_finite_forces_and_definite_matrices() {
    type Shape = fn(DVec3) -> DVec3;
    let shapes: [(&str, Shape); 8] = [
        ("a point", |_| DVec3::ONE),
        ("nearly a point", |x| x * 1e-30),
        ("a line", |x| DVec3::new(x.x, 0.0, 0.0)),
        ("a plane", |x| DVec3::new(x.x, x.y, 0.0)),
        ("a folded plane", |x| DVec3::new(x.x, x.y.abs(), 0.0)),
        ("inside out", |x| DVec3::new(x.x, x.y, -x.z)),
        ("inside out in all directions", |x| -x * 0.7),
        ("sheared to nothing", |x| DVec3::new(x.x + 1e3 * x.y, x.y, 1e-9 * x.z)),
    ];
    for (name, kind) in MEASURES {
        for (what, shape) in shapes {
            let (mut system, rest) = block(*kind, Split::MirroredKuhn, 0.05);
            let state =
                State { time: 0.0, x: rest.iter().map(|x| shape(*x)).collect(), v: Random(3).vectors(rest.len()) };
            let energy = system.energies().potential(&state.view());
            let finite = force(&mut system, &state).iter().all(|f| f.is_finite());
            assert!(energy.is_finite() && finite, "{name}, {what}: {energy} J");
            assert!(system.bounds().frequency_bound(&state.view()).is_finite(), "{name}, {what}");
            for kind in [JacobianKind::Exact, JacobianKind::Symmetric, JacobianKind::Psd] {
                let jacobian = jacobian(&mut system, &state, kind);
                for matrix in [&jacobian.stiffness, &jacobian.damping] {
                    assert!(matrix.values.iter().all(|b| b.is_finite()), "{name}, {what}, {kind:?}");
                    if kind == JacobianKind::Psd {
                        let matrix = dense(matrix);
                        let n = matrix.len() as f64;
                        let top = *symmetric_eigenvalues(&matrix).last().unwrap();
                        let rounding = n * n * f64::EPSILON * largest(&matrix);
                        assert!(top <= rounding, "{name}, {what}: {top:e} above {rounding:e}");
                    }
                }
            }
        }
    }
}
