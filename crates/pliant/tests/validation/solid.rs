//! Solids against reference values: equilibria of a cube and a bar, computed independently with the same meshes, and the patch test.

use glam::DVec3;
use pliant::core::{JacobianKind, State, System};
use pliant::forces::solid::model::{MEASURES, MeasureKind, model};
use pliant::forces::{Lame, Ramp, SolidMaterial, Traction, Viscosity};
use pliant_geom::tetra::TetraMesh;
use pliant_geom::tetra::lattice::{Split, lattice};
use pliant_geom::tetra::surface::surface;
use pliant_testkit::dense::dense;
use pliant_testkit::derivative::{force, jacobian};
use pliant_testkit::random::Random;

fn material(mu: f64, lambda: f64) -> SolidMaterial {
    SolidMaterial { lame: Lame { mu, lambda }, viscosity: Viscosity::default() }
}

fn solid(kind: MeasureKind, mesh: &TetraMesh, material: SolidMaterial) -> System {
    let model = model(kind, &mesh.tetrahedra, &mesh.points, &material).unwrap();
    System::new(vec![1.0; mesh.points.len()], Vec::new(), vec![model], Vec::new()).unwrap()
}

fn forces_at(system: &mut System, x: &[DVec3]) -> Vec<DVec3> {
    force(system, &State::at_rest(x.to_vec()))
}

/// Gauss with pivots.
#[allow(clippy::needless_range_loop)] // two rows of one matrix
fn solve(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
    let n = b.len();
    for k in 0..n {
        let pivot = (k..n).max_by(|p, q| a[*p][k].abs().total_cmp(&a[*q][k].abs())).unwrap();
        a.swap(k, pivot);
        b.swap(k, pivot);
        for r in k + 1..n {
            let factor = a[r][k] / a[k][k];
            if factor != 0.0 {
                for c in k..n {
                    a[r][c] -= factor * a[k][c];
                }
                b[r] -= factor * b[k];
            }
        }
    }
    for k in (0..n).rev() {
        let known: f64 = (k + 1..n).map(|c| a[k][c] * b[c]).sum();
        b[k] = (b[k] - known) / a[k][k];
    }
    b
}

/// Full Newton steps until f + load is nothing at free particles; how many it took.
fn equilibrium(system: &mut System, x: &mut [DVec3], free: &[usize], load: &[DVec3]) -> usize {
    for iteration in 0..40 {
        let state = State::at_rest(x.to_vec());
        let total: Vec<DVec3> = force(system, &state).iter().zip(load).map(|(f, l)| *f + *l).collect();
        let k = dense(&jacobian(system, &state, JacobianKind::Exact).stiffness);
        let unknowns: Vec<usize> = free.iter().flat_map(|n| 3 * n..3 * n + 3).collect();
        let scale = k.iter().flatten().fold(0.0, |m: f64, v| m.max(v.abs()));
        let left: Vec<f64> = unknowns.iter().map(|u| total[u / 3][u % 3]).collect();
        let residual = left.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        if residual <= 1e-14 * scale {
            return iteration;
        }
        let matrix = unknowns.iter().map(|r| unknowns.iter().map(|c| -k[*r][*c]).collect()).collect();
        for (u, d) in unknowns.iter().zip(solve(matrix, left)) {
            x[u / 3][u % 3] += d;
        }
    }
    panic!("no equilibrium after 40 steps");
}

/// Nodal forces of a traction along x on the top.
fn top_load(mesh: &TetraMesh, height: f64, traction: f64) -> Vec<DVec3> {
    let on_top = |t: &[u32; 3]| t.iter().all(|n| (mesh.points[*n as usize].z - height).abs() < 1e-9);
    let top: Vec<[u32; 3]> = surface(mesh).into_iter().filter(on_top).collect();
    let load = Traction::new(&top, &mesh.points, DVec3::X * traction, Ramp::default()).unwrap();
    let count = mesh.points.len();
    let mut system = System::new(vec![1.0; count], Vec::new(), vec![Box::new(load)], Vec::new()).unwrap();
    forces_at(&mut system, &mesh.points)
}

/// A box that stands on its fixed bottom and is pushed along x at its top, in increments of 12.5 N/m².
fn pushed(kind: MeasureKind, mesh: &TetraMesh, height: f64, material: SolidMaterial, traction: f64) -> Vec<DVec3> {
    let mut system = solid(kind, mesh, material);
    let free: Vec<usize> = (0..mesh.points.len()).filter(|n| mesh.points[*n].z > 1e-9).collect();
    let mut x = mesh.points.clone();
    let increments = (traction / 12.5).ceil() as usize;
    for k in 1..=increments {
        let load = top_load(mesh, height, traction * k as f64 / increments as f64);
        equilibrium(&mut system, &mut x, &free, &load);
    }
    x
}

/// Parts of the force that come with λ and with μ, and their sum.
fn parts(kind: MeasureKind, mesh: &TetraMesh, x: &[DVec3]) -> [Vec<DVec3>; 3] {
    let at = |mu: f64| forces_at(&mut solid(kind, mesh, material(mu, 9e3)), x);
    let (once, twice) = (at(1e3), at(2e3));
    let shear: Vec<DVec3> = twice.iter().zip(&once).map(|(a, b)| *a - *b).collect();
    let pressure = once.iter().zip(&shear).map(|(a, b)| *a - *b).collect();
    [pressure, shear, once]
}

/// |f - f_Green| / |f_Green| of the three.
fn errors(kind: MeasureKind, mesh: &TetraMesh, x: &[DVec3]) -> [f64; 3] {
    let (green, other) = (parts(MeasureKind::Green, mesh, x), parts(kind, mesh, x));
    std::array::from_fn(|k| {
        let off: f64 = green[k].iter().zip(&other[k]).map(|(a, b)| (*a - *b).length_squared()).sum();
        (off / green[k].iter().map(|f| f.length_squared()).sum::<f64>()).sqrt()
    })
}

/// All orders of four.
fn orders() -> Vec<[usize; 4]> {
    let all = (0..256).map(|k| [k / 64, k / 16 % 4, k / 4 % 4, k % 4]);
    all.filter(|o| (0..4).all(|k| o.contains(&k))).collect()
}

/// Errors of nodal forces in the equilibrium of Green's measure: a cube of 0.1 m, μ = 1 kPa, ν = 0.45, cells split by Kuhn. Reference values
/// to three digits: 1 % and half a unit of the last digit. Warped forces depend on the order of corners; the mean over all orders of Kuhn's
/// paths, which a second program confirms in the first row (0.446), is below the reference's (0.458), which does not say of which orders it is: 4 %.
#[test]
fn errors_of_forces_in_a_sheared_cube() {
    #[rustfmt::skip]
    let table = [
        // cells, traction; pressure, shear and total of polar, warped, hybrid
        (1, 50.0, [0.263, 0.041, 0.162], [0.458, 0.051, 0.267], [0.0, 0.041, 0.035]),
        (1, 300.0, [1.80, 0.263, 1.13], [3.09, 0.324, 1.84], [0.0, 0.263, 0.241]),
        (3, 50.0, [0.152, 0.045, 0.151], [0.242, 0.054, 0.229], [0.0, 0.045, 0.032]),
        (3, 150.0, [0.487, 0.141, 0.486], [0.770, 0.167, 0.730], [0.0, 0.141, 0.104]),
        (3, 300.0, [1.17, 0.322, 1.17], [1.82, 0.375, 1.74], [0.0, 0.322, 0.250]),
    ];
    for (n, traction, polar, warped, hybrid) in table {
        let mut mesh = lattice(DVec3::ZERO, DVec3::splat(0.1), [n; 3], Split::Kuhn).unwrap();
        // Kuhn's own order of corners, along the path; warped forces depend on it
        mesh.tetrahedra.iter_mut().for_each(|t| t.sort_unstable());
        let x = pushed(MeasureKind::Green, &mesh, 0.1, material(1e3, 9e3), traction);
        let check = |what: &str, part: f64, measured: [f64; 3], expected: [f64; 3]| {
            for (m, e) in measured.into_iter().zip(expected) {
                let last_digit = if e >= 1.0 { 0.005 } else { 0.0005 };
                assert!(
                    (m - e).abs() <= part * e + last_digit,
                    "{n} cells, {traction}: {what} {measured:?}, {expected:?}"
                );
            }
        };
        check("polar", 0.01, errors(MeasureKind::Corotational, &mesh, &x), polar);
        check("hybrid", 0.01, errors(MeasureKind::Hybrid, &mesh, &x), hybrid);
        let mut mean = [0.0; 3];
        for order in orders() {
            let tetrahedra = mesh.tetrahedra.iter().map(|t| order.map(|k| t[k])).collect();
            let ordered = TetraMesh { tetrahedra, ..mesh.clone() };
            let one = errors(MeasureKind::Warped, &ordered, &x);
            (0..3).for_each(|k| mean[k] += one[k] / 24.0);
        }
        check("warped", 0.04, mean, warped);
    }
}

/// A bar of 0.1 × 0.1 × 0.6 m, λ = 100 kPa, μ = 10 kPa, bent by 200 N/m²: displacement of a corner, reference values to five digits.
#[test]
fn a_bent_bar() {
    let mesh = lattice(DVec3::ZERO, DVec3::new(0.1, 0.1, 0.6), [2, 2, 12], Split::Kuhn).unwrap();
    let corner = mesh.points.iter().position(|x| (*x - DVec3::new(0.1, 0.0, 0.6)).length() < 1e-9).unwrap();
    for (kind, expected) in [
        (MeasureKind::Green, DVec3::new(0.16570, -0.04130, -0.05564)),
        (MeasureKind::Hybrid, DVec3::new(0.16437, -0.04116, -0.05463)),
        (MeasureKind::Corotational, DVec3::new(0.16259, -0.04115, -0.05313)),
        (MeasureKind::Cauchy, DVec3::new(0.17587, -0.05045, -0.02618)),
    ] {
        let x = pushed(kind, &mesh, 0.6, material(1e4, 1e5), 200.0);
        let moved = x[corner] - mesh.points[corner];
        assert!((moved - expected).abs().max_element() < 1.1e-5, "{kind:?}: {moved}, expected {expected}");
    }
}

/// With a linear motion of the boundary the inside moves linearly too, in a distorted mesh. Not with warped frames: they differ from element
/// to element although F does not.
#[test]
fn patches_deform_linearly() {
    let mut mesh = lattice(DVec3::splat(-1.0), DVec3::splat(2.0), [3, 3, 3], Split::MirroredFive).unwrap();
    let mut random = Random(5);
    let inside: Vec<usize> = (0..mesh.points.len()).filter(|n| mesh.points[*n].abs().max_element() < 0.9).collect();
    inside.iter().for_each(|n| mesh.points[*n] += random.vector() * 0.1);
    let map = |x: &DVec3| {
        DVec3::new(1.1 * x.x + 0.2 * x.y, 0.95 * x.y - 0.3 * x.z, 0.15 * x.x + 0.3 * x.y + 1.05 * x.z) + DVec3::X
    };
    for (name, kind) in MEASURES {
        let mut system = solid(*kind, &mesh, material(1e3, 4e3));
        let exact: Vec<DVec3> = mesh.points.iter().map(map).collect();
        let f = forces_at(&mut system, &exact);
        let largest = f.iter().map(|f| f.length()).fold(0.0, f64::max);
        let left = inside.iter().map(|n| f[*n].length()).fold(0.0, f64::max);
        if *kind == MeasureKind::Warped {
            assert!(left > 1e-3 * largest, "{left}");
            continue;
        }
        assert!(left <= 1e-12 * largest, "{name}: {left:e} of {largest} N");
        let mut x = exact.clone();
        inside.iter().for_each(|n| x[*n] += random.vector() * 0.05);
        equilibrium(&mut system, &mut x, &inside, &vec![DVec3::ZERO; mesh.points.len()]);
        let off = inside.iter().map(|n| x[*n].distance(exact[*n])).fold(0.0, f64::max);
        assert!(off < 1e-10, "{name}: off by {off:e} m");
    }
}
