//! What rotations and elements of solids cost, in nanoseconds on one core: `cargo run --release -p pliant-forces --example solid_speed`.

use std::hint::black_box;
use std::time::Instant;

use glam::{DMat3, DQuat, DVec3};
use pliant_core::{Element, JacobianKind, View};
use pliant_forces::solid::cauchy::Cauchy;
use pliant_forces::solid::corotational::Corotational;
use pliant_forces::solid::element::SolidTetrahedron;
use pliant_forces::solid::green::Green;
use pliant_forces::solid::hybrid::Hybrid;
use pliant_forces::solid::measure::Measure;
use pliant_forces::solid::neo_hookean::NeoHookean;
use pliant_forces::solid::polar::{LANES, Lanes, rotation, write_rotations};
use pliant_forces::solid::svd::Svd;
use pliant_forces::solid::warped::Warped;
use pliant_forces::{RestTetrahedron, SolidMaterial};

const COUNT: usize = 4096;
const ROUNDS: usize = 200;

/// Best of several rounds, in ns an element.
fn time(mut work: impl FnMut()) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        let begun = Instant::now();
        work();
        best = best.min(begun.elapsed().as_secs_f64());
    }
    best * 1e9 / COUNT as f64
}

/// Higham's iteration with his scaling to 1e-12, the usual way, for comparison; upright matrices only.
fn higham(f: &DMat3) -> DMat3 {
    let norm = |a: &DMat3| a.to_cols_array().iter().map(|v| v * v).sum::<f64>().sqrt();
    let mut r = *f;
    for _ in 0..20 {
        let inverse = r.inverse().transpose();
        let scale = (norm(&inverse) / norm(&r)).sqrt();
        let next = (r * scale + inverse * scale.recip()) * 0.5;
        let change = norm(&(next - r));
        r = next;
        if change < 1e-12 {
            break;
        }
    }
    r
}

fn numbers() -> impl FnMut() -> f64 {
    let mut seed = 1_u64;
    move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}

fn element<M: Measure>(corners: &[[DVec3; 4]]) {
    let rest = RestTetrahedron::new([DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z]).expect("it has a volume");
    let material = SolidMaterial::new(1e4, 0.4).expect("the material is possible");
    let tetrahedron = SolidTetrahedron::<M>::new([0, 1, 2, 3], rest, &material).expect("the material is possible");
    let v = [DVec3::ZERO; 4];
    let tetrahedra: Vec<_> = (0..COUNT as u32)
        .filter_map(|k| SolidTetrahedron::<M>::new([4 * k, 4 * k + 1, 4 * k + 2, 4 * k + 3], rest, &material))
        .collect();
    let (x, still): (Vec<DVec3>, Vec<DVec3>) = corners.iter().flatten().map(|x| (*x, DVec3::ZERO)).unzip();
    let view = View { time: 0.0, x: &x, v: &still };
    let mut forces = vec![Default::default(); COUNT];
    let force = time(|| {
        SolidTetrahedron::write_forces(&tetrahedra, &view, &mut forces);
        black_box(&mut forces);
    });
    let mut blocks = vec![Default::default(); COUNT];
    let [exact, psd] = [JacobianKind::Exact, JacobianKind::Psd].map(|kind| {
        time(|| {
            for (x, block) in corners.iter().zip(&mut blocks) {
                *block = tetrahedron.jacobian(*x, v, kind);
            }
            black_box(&mut blocks);
        })
    });
    println!("{:20} force {force:6.1}   exact matrix {exact:6.1}   psd matrix {psd:6.1}", M::NAME);
}

fn main() {
    let mut number = numbers();
    let mut vector = || DVec3::new(number(), number(), number());
    for noise in [0.05, 0.2, 0.5] {
        let gradients: Vec<DMat3> = (0..COUNT)
            .map(|_| {
                let turn = DMat3::from_quat(DQuat::from_scaled_axis(vector() * 3.0));
                turn * (DMat3::IDENTITY + DMat3::from_cols(vector(), vector(), vector()) * noise)
            })
            .collect();
        let lanes: Vec<Lanes> = gradients
            .as_chunks::<LANES>()
            .0
            .iter()
            .map(|chunk| std::array::from_fn(|k| chunk.map(|f| f.to_cols_array()[k])))
            .collect();
        let mut out = vec![DMat3::ZERO; COUNT];
        let mut single = |f: fn(&DMat3) -> DMat3| {
            time(|| {
                for (f_in, r) in gradients.iter().zip(&mut out) {
                    *r = f(f_in);
                }
                black_box(&mut out);
            })
        };
        let (one, svd, usual) = (single(rotation), single(|f| Svd::new(f).rotation()), single(higham));
        let mut out = lanes.clone();
        let batch = time(|| {
            for (f, r) in lanes.iter().zip(&mut out) {
                write_rotations(f, r);
            }
            black_box(&mut out);
        });
        println!(
            "noise {noise}: rotation {one:.1}, in lanes {batch:.1}, by singular values {svd:.1}, Higham {usual:.1}"
        );
        let corners: Vec<[DVec3; 4]> = gradients.iter().map(|f| [DVec3::ZERO, f.x_axis, f.y_axis, f.z_axis]).collect();
        element::<Cauchy>(&corners);
        element::<Green>(&corners);
        element::<Corotational>(&corners);
        element::<Warped>(&corners);
        element::<Hybrid>(&corners);
        element::<NeoHookean>(&corners);
    }
}
