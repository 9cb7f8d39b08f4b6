//! Stiffness of ropes, measured from the assembled matrix at rest: ropes of two lengths are clamped at one end and loaded at the other by a
//! pull, a twisting moment and two bending moments. What the longer one gives more, per length, is the compliance of the rope without what
//! its ends do.

use glam::{DVec3, dvec3};
use pliant_core::{Element, JacobianKind};
use pliant_forces::rope::{PaperCell, RestShape, Rope, RopeMaterial, RopeSpec, calibrate, paper_rope, rope};
use pliant_geom::rope::{Curve, Frames};

type Matrix = Vec<Vec<f64>>;

/// Adds `-∂f/∂x` of elements at positions.
fn add<E: Element<N>, const N: usize>(matrix: &mut Matrix, elements: &[E], x: &[DVec3]) {
    for element in elements {
        let nodes = element.nodes().map(|n| n as usize);
        let (blocks, _) = element.jacobian(nodes.map(|n| x[n]), [DVec3::ZERO; N], JacobianKind::Exact);
        for a in 0..N {
            for b in 0..N {
                let block = E::block(&blocks, a, b);
                for c in 0..3 {
                    for r in 0..3 {
                        matrix[3 * nodes[a] + r][3 * nodes[b] + c] -= block.col(c)[r];
                    }
                }
            }
        }
    }
}

fn stiffness(rope: &Rope) -> Matrix {
    let n = 3 * rope.x.len();
    let mut matrix = vec![vec![0.0; n]; n];
    add(&mut matrix, &rope.springs, &rope.x);
    add(&mut matrix, &rope.ties, &rope.x);
    add(&mut matrix, &rope.angles, &rope.x);
    add(&mut matrix, &rope.torsions, &rope.x);
    add(&mut matrix, &rope.volumes, &rope.x);
    matrix
}

/// Cholesky's factor, below and on the diagonal; the row at which A turned out not to be positive definite.
fn cholesky(mut a: Matrix) -> Result<Matrix, usize> {
    for k in 0..a.len() {
        if a[k][k].is_nan() || a[k][k] <= 0.0 {
            return Err(k);
        }
        let root = a[k][k].sqrt();
        for row in &mut a[k..] {
            row[k] /= root;
        }
        for i in k + 1..a.len() {
            let column: Vec<f64> = a[k + 1..=i].iter().map(|row| row[k]).collect();
            let factor = a[i][k];
            a[i][k + 1..=i].iter_mut().zip(column).for_each(|(entry, other)| *entry -= factor * other);
        }
    }
    Ok(a)
}

/// Solves `A x = b` for several b by Cholesky's decomposition, refined once; panics where A is not positive definite.
fn solve(matrix: Matrix, loads: &[Vec<f64>]) -> Matrix {
    let a = cholesky(matrix.clone()).expect("a rope without mechanism");
    let n = a.len();
    let back = |load: &Vec<f64>| {
        let mut y = load.clone();
        for i in 0..n {
            y[i] = (y[i] - (0..i).map(|j| a[i][j] * y[j]).sum::<f64>()) / a[i][i];
        }
        for i in (0..n).rev() {
            y[i] = (y[i] - (i + 1..n).map(|j| a[j][i] * y[j]).sum::<f64>()) / a[i][i];
        }
        y
    };
    let refined = |load: &Vec<f64>| {
        let mut x = back(load);
        let product = |row: &Vec<f64>| row.iter().zip(&x).map(|(a, x)| a * x).sum::<f64>();
        let left = load.iter().zip(&matrix).map(|(b, row)| b - product(row)).collect();
        x.iter_mut().zip(back(&left)).for_each(|(x, more)| *x += more);
        x
    };
    loads.iter().map(refined).collect()
}

/// Compliance of a rope along x against pull, twist and two moments at its last section of some particles.
fn compliance(rope: &Rope, section: usize) -> [[f64; 4]; 4] {
    let (n, held) = (rope.x.len(), 3 * section);
    let matrix: Matrix = stiffness(rope)[held..].iter().map(|row| row[held..].to_vec()).collect();
    let end = &rope.x[n - section..];
    let middle = end.iter().sum::<DVec3>() / section as f64;
    let arms: Vec<DVec3> = end.iter().map(|x| *x - middle).collect();
    // forces of unit resultant: those of a rigid motion of the section, made to give no other resultant
    let inertia = |f: &dyn Fn(DVec3) -> f64| arms.iter().map(|arm| f(*arm)).sum::<f64>();
    let (yy, zz, yz) = (inertia(&|a| a.y * a.y), inertia(&|a| a.z * a.z), inertia(&|a| a.y * a.z));
    let det = yy * zz - yz * yz;
    let bending = |m: [f64; 2], arm: DVec3| {
        // σ = α y + β z with Σ z σ = M_y and -Σ y σ = M_z
        let (p, q) = (-m[1], m[0]);
        DVec3::X * (((p * zz - q * yz) * arm.y + (q * yy - p * yz) * arm.z) / det)
    };
    let loads: Vec<Vec<f64>> = (0..4)
        .map(|kind| {
            let force = |arm: &DVec3| match kind {
                0 => DVec3::X / section as f64,
                1 => DVec3::X.cross(*arm) / (yy + zz),
                2 => bending([1.0, 0.0], *arm),
                _ => bending([0.0, 1.0], *arm),
            };
            let mut load = vec![0.0; 3 * (n - section) - held];
            load.extend(arms.iter().flat_map(|arm| force(arm).to_array()));
            load
        })
        .collect();
    let moved = solve(matrix, &loads);
    [0, 1, 2, 3].map(|i| [0, 1, 2, 3].map(|j| loads[i].iter().zip(&moved[j]).map(|(f, u)| f * u).sum()))
}

/// Stiffness matrix per length against stretch, twist and curvature about y and z, of ropes of a segment length.
fn per_length(section: usize, length: f64, build: impl Fn(f64, usize) -> Rope) -> [[f64; 4]; 4] {
    let (short, long) = (14, 22);
    let [a, b] = [short, long].map(|n| compliance(&build(n as f64 * length, n), section));
    let more = (long - short) as f64 * length;
    let matrix: Matrix = (0..4).map(|i| (0..4).map(|j| (b[i][j] - a[i][j]) / more).collect()).collect();
    let units: Vec<Vec<f64>> = (0..4).map(|i| (0..4).map(|j| f64::from(u8::from(i == j))).collect()).collect();
    let inverse = solve(matrix, &units);
    [0, 1, 2, 3].map(|i| [0, 1, 2, 3].map(|j| inverse[j][i]))
}

fn coupling(d: &[[f64; 4]; 4], i: usize, j: usize) -> f64 {
    d[i][j] / (d[i][i] * d[j][j]).sqrt()
}

fn straight(length: f64, n: usize) -> pliant_geom::rope::Centreline {
    Curve::Line { from: DVec3::ZERO, to: dvec3(length, 0.0, 0.0) }.centreline(n).unwrap()
}

/// A rope has the stiffness it was given, whatever its segments and the radius of its section.
#[test]
fn stiffness_is_what_was_asked_for() {
    let solid = RopeMaterial::solid(1e7, 0.3, 1000.0, 5e-3);
    // a solid rod; a rope that is limp for what it holds; a softer one; one that resists twist more than bending
    let limp = RopeMaterial { bend: solid.bend * 0.02, twist: solid.twist * 0.05, ..solid };
    let soft = RopeMaterial { bend: solid.bend * 0.2, ..solid };
    let wiry = RopeMaterial { twist: 3.0 * solid.bend, ..solid };
    for (name, material, rest) in [
        ("solid", solid, RestShape::Straight),
        ("limp", limp, RestShape::Straight),
        ("wiry", wiry, RestShape::Straight),
        ("solid, rest as laid out", solid, RestShape::Curve),
        ("soft, rest as laid out", soft, RestShape::Curve),
    ] {
        for (length, section_radius) in [(3e-3, 5e-3), (1e-2, 5e-3), (3e-2, 5e-3), (1e-2, 8e-3)] {
            let d = per_length(4, length, |total, n| {
                let line = straight(total, n);
                let spec = RopeSpec { section_radius, rest, ..RopeSpec::new(material, 5e-3) };
                rope(&line, &Frames::new(&line, 0.0), &spec, 0).unwrap()
            });
            let ratios = [
                d[0][0] / material.stretch,
                d[1][1] / material.twist,
                d[2][2] / material.bend,
                d[3][3] / material.bend,
            ];
            let pairs = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];
            let worst = pairs.iter().map(|(i, j)| coupling(&d, *i, *j).abs()).fold(0.0, f64::max);
            println!(
                "{name}, L {length}, rho {section_radius}: EA {:.7} GJ {:.7} EI {:.7} {:.7}, couplings {worst:.1e}",
                ratios[0], ratios[1], ratios[2], ratios[3]
            );
            assert!(ratios.iter().all(|ratio| (ratio - 1.0).abs() < 1e-5), "{name}: {ratios:?}");
            assert!((d[2][2] / d[3][3] - 1.0).abs() < 1e-6, "{name}: isotropic");
            assert!(worst < 1e-8, "{name}: {worst:e}");
        }
    }
}

/// The cell of the paper bends 3.2 times as hard one way as the other, and stretch and bending go with twist.
#[test]
fn the_cell_of_the_paper_is_anisotropic() {
    let cell = PaperCell { radius: 0.1, edge: 1.0, bulk: 0.0, torsion: 0.0, mass_per_length: 1.0, damping_time: 0.0 };
    let d = per_length(3, 0.2, |total, n| {
        let line = straight(total, n);
        paper_rope(&line, &Frames::new(&line, 0.0), &cell, 0).unwrap()
    });
    let (mean, half) = (0.5 * (d[2][2] + d[3][3]), 0.5 * (d[2][2] - d[3][3]));
    let spread = half.hypot(d[2][3]);
    let ratio = (mean + spread) / (mean - spread);
    let bend_twist = coupling(&d, 1, 2).abs().max(coupling(&d, 1, 3).abs());
    let stretch_twist = coupling(&d, 0, 1);
    println!("EI ratio {ratio:.4}, stretch-twist {stretch_twist:.4}, bend-twist {bend_twist:.4}");
    assert!((ratio - 3.2015).abs() < 1e-3, "{ratio}");
    assert!((stretch_twist.abs() - 0.2447).abs() < 1e-3, "{stretch_twist}");
    assert!((bend_twist - 0.3361).abs() < 1e-3, "{bend_twist}");
    // volumes and a torsion about the centreline make it no better
    let stiff = PaperCell { bulk: 100.0, torsion: 1e-3, ..cell };
    let d = per_length(3, 0.2, |total, n| {
        let line = straight(total, n);
        paper_rope(&line, &Frames::new(&line, 0.0), &stiff, 0).unwrap()
    });
    let worst = coupling(&d, 1, 2).abs().max(coupling(&d, 1, 3).abs()).max(coupling(&d, 0, 1).abs());
    println!("with volumes and torsion: largest coupling {worst:.4}");
    assert!(worst > 0.05, "{worst}");
}

fn energy(rope: &Rope) -> f64 {
    fn sum<E: Element<N>, const N: usize>(elements: &[E], x: &[DVec3]) -> f64 {
        elements.iter().map(|e| e.energy(e.nodes().map(|n| x[n as usize]))).sum()
    }
    sum(&rope.springs, &rope.x) + sum(&rope.ties, &rope.x) + sum(&rope.angles, &rope.x) + sum(&rope.torsions, &rope.x)
}

/// Lets the wings go where they have the least energy while the centreline is held: Newton's method, shifted because nothing keeps all
/// sections of a ring from turning together.
fn relax_wings(rope: &mut Rope) {
    fn pull<E: Element<N>, const N: usize>(elements: &[E], x: &[DVec3], out: &mut [DVec3]) {
        for element in elements {
            let nodes = element.nodes().map(|n| n as usize);
            let force = element.force(nodes.map(|n| x[n]), [DVec3::ZERO; N]);
            (0..N).for_each(|a| out[nodes[a]] += E::force_on(&force, a));
        }
    }
    let free: Vec<usize> = (0..3 * rope.x.len()).filter(|k| (k / 3) % 4 != 0).collect();
    for _ in 0..8 {
        let all = stiffness(rope);
        let mut matrix: Matrix = free.iter().map(|r| free.iter().map(|c| all[*r][*c]).collect()).collect();
        let shift = 1e-5 * matrix.iter().enumerate().map(|(k, row)| row[k]).fold(0.0, f64::max);
        matrix.iter_mut().enumerate().for_each(|(k, row)| row[k] += shift);
        let mut force = vec![DVec3::ZERO; rope.x.len()];
        pull(&rope.springs, &rope.x, &mut force);
        pull(&rope.ties, &rope.x, &mut force);
        pull(&rope.torsions, &rope.x, &mut force);
        let load = free.iter().map(|k| force[k / 3][k % 3]).collect();
        let moved = solve(matrix, &[load]);
        free.iter().zip(&moved[0]).for_each(|(k, move_by)| rope.x[k / 3][k % 3] += move_by);
    }
}

/// A straight rope laid out as a ring holds `EI/2r² · 2πr`, and one that is turned once about itself `GJ (2π)²/2l` more, at any resolution;
/// a ring that is a ring at rest holds nothing.
#[test]
fn energies_of_rings() {
    let material = RopeMaterial::solid(1e7, 0.3, 1000.0, 5e-3);
    let radius = 0.1;
    let turn = std::f64::consts::TAU;
    let expected = material.bend / (2.0 * radius * radius) * turn * radius;
    for n in [20, 40, 60] {
        let line = Curve::Ring { radius }.centreline(n).unwrap();
        let at = |twist: f64, rest: RestShape| {
            let spec = RopeSpec { rest, ..RopeSpec::new(material, 5e-3) };
            let mut rope = rope(&line, &Frames::new(&line, twist), &spec, 0).unwrap();
            relax_wings(&mut rope);
            energy(&rope)
        };
        let bent = at(0.0, RestShape::Straight);
        let twisted = at(turn, RestShape::Straight) - bent;
        let torsional = material.twist * turn * turn / (2.0 * line.length());
        println!("{n} segments: bending {:.5}, twist {:.5}", bent / expected, twisted / torsional);
        // both of second order in the turn θ of a segment: corners have 4 tan²(θ/2) = θ² (1 + θ²/6), chords are shorter than arcs by θ²/24
        let second_order = 0.5 * (turn / n as f64).powi(2);
        assert!((bent / expected - 1.0).abs() < second_order, "{n}: {}", bent / expected);
        assert!((twisted / torsional - 1.0).abs() < second_order, "{n}: {}", twisted / torsional);
        assert!(at(0.0, RestShape::Curve) < 1e-12 * expected);
    }
}

/// Where a twisted rope is bent its sections tilt by `GJ τL θ/8 s EI`: twist τL and turn θ of a segment, s the share of EI that ties carry.
#[test]
fn sections_tilt_as_far_as_is_said() {
    let (material, radius, rho) = (RopeMaterial::solid(1e7, 0.3, 1000.0, 5e-3), 0.1, 5e-3);
    let n = 60;
    let line = Curve::Ring { radius }.centreline(n).unwrap();
    let turn = std::f64::consts::TAU / n as f64;
    let mut rope = rope(&line, &Frames::new(&line, n as f64 * turn), &RopeSpec::new(material, rho), 0).unwrap();
    relax_wings(&mut rope);
    let tangents = line.tangents();
    let tilt = (0..rope.x.len()).map(|p| (rope.x[p] - rope.x[p / 4 * 4]).dot(tangents[p / 4]).abs() / rho);
    let found = tilt.fold(0.0, f64::max);
    let share = calibrate(&material, line.edge(0).length(), rho, RestShape::Straight).unwrap().tie_share;
    let said = material.twist / material.bend * turn * turn / (8.0 * share);
    println!("sections tilt by {found:.5}, said {said:.5} (share {share:.3})");
    // ties are stiffer than their share by what the spokes give way, 9 % here
    assert!((found / said - 0.91).abs() < 0.01, "{found} {said}");
}
