//! Matrices of the forms that bodies have: sheets with bending, ropes, solids, contact.
#![allow(dead_code)] // tests and benchmarks use parts of it

use super::common::{Random, block};
use glam::DMat3;
use pliant_linalg::{BlockCsr, PatternBuilder};
use std::sync::Arc;

/// Symmetric positive definite: `I` + Σ s [K -K; -K K] over the pairs, K = n nᵀ + I/10 with random n and s.
pub fn from_pairs(rows: usize, pairs: &[(usize, usize)], seed: u64) -> BlockCsr {
    let mut builder = PatternBuilder::new(rows);
    for &(i, j) in pairs {
        builder.couple(i, j);
    }
    let mut a = BlockCsr::zeros(Arc::new(builder.build()));
    for i in 0..rows {
        *block(&mut a, i, i) = DMat3::IDENTITY;
    }
    let mut random = Random(seed);
    for &(i, j) in pairs {
        if i != j {
            let n = random.vector();
            let k = DMat3::from_cols(n * n.x, n * n.y, n * n.z) + 0.1 * DMat3::IDENTITY;
            let k = (1.1 + random.number()) * k;
            *block(&mut a, i, i) += k;
            *block(&mut a, j, j) += k;
            *block(&mut a, i, j) -= k;
            *block(&mut a, j, i) -= k;
        }
    }
    a
}

/// Pairs of a lattice with these offsets.
pub fn lattice(n: [i32; 3], offsets: &[[i32; 3]]) -> Vec<(usize, usize)> {
    let at = |p: [i32; 3]| ((p[2] * n[1] + p[1]) * n[0] + p[0]) as usize;
    let mut pairs = Vec::new();
    for z in 0..n[2] {
        for y in 0..n[1] {
            for x in 0..n[0] {
                for d in offsets {
                    let q = [x + d[0], y + d[1], z + d[2]];
                    if (0..3).all(|k| (0..n[k]).contains(&q[k])) {
                        pairs.push((at([x, y, z]), at(q)));
                    }
                }
            }
        }
    }
    pairs
}

/// Triangles with bending: 18 neighbours of a particle.
pub const PLATE: [[i32; 3]; 9] =
    [[1, 0, 0], [0, 1, 0], [1, 1, 0], [1, -1, 0], [2, 1, 0], [1, 2, 0], [2, 0, 0], [0, 2, 0], [2, 2, 0]];

/// Half of the neighbours of a particle in a cube of 3 x 3 x 3.
pub fn cube() -> Vec<[i32; 3]> {
    let all = (0..27).map(|k| [k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1]);
    all.filter(|d| *d > [0, 0, 0]).collect()
}

pub fn sheet(n: i32) -> BlockCsr {
    from_pairs((n * n) as usize, &lattice([n, n, 1], &PLATE), 1)
}

/// A sheet with `contacts` random pairs of particles that are close in a fold: (x, y) and (n - 1 - x, y), nearly.
pub fn folded(n: i32, contacts: usize) -> BlockCsr {
    let mut pairs = lattice([n, n, 1], &PLATE);
    let mut random = Random(7);
    let mut draw = |n: i32| ((0.5 + 0.5 * random.number()) * f64::from(n)) as i32;
    for _ in 0..contacts {
        let (x, y) = (draw(n), draw(n));
        for (dx, dy) in [(0, 0), (1, 0), (0, 1)] {
            let (u, v) = ((n - 1 - x + dx).min(n - 1), (y + dy).min(n - 1));
            pairs.push(((y * n + x) as usize, (v * n + u) as usize));
        }
    }
    from_pairs((n * n) as usize, &pairs, 2)
}

/// A chain with six neighbours on either side.
pub fn rope(n: usize) -> BlockCsr {
    let pairs: Vec<_> = (0..n).flat_map(|i| (i + 1..n.min(i + 7)).map(move |j| (i, j))).collect();
    from_pairs(n, &pairs, 3)
}

pub fn solid(n: i32) -> BlockCsr {
    from_pairs((n * n * n) as usize, &lattice([n, n, n], &cube()), 4)
}

/// A name and a matrix.
pub type Form = (&'static str, fn() -> BlockCsr);

/// All of them in the sizes that are timed.
pub const ALL: &[Form] = &[
    ("sheet 25", || sheet(25)),
    ("sheet 40", || sheet(40)),
    ("sheet 60", || sheet(60)),
    ("sheet 100", || sheet(100)),
    ("sheet 200", || sheet(200)),
    ("rope 500", || rope(500)),
    ("rope 1500", || rope(1500)),
    ("rope 3000", || rope(3000)),
    ("solid 10", || solid(10)),
    ("solid 14", || solid(14)),
    ("solid 20", || solid(20)),
    ("fold 60 with 60 contacts", || folded(60, 60)),
    ("fold 60 with 400 contacts", || folded(60, 400)),
    ("fold 100 with 300 contacts", || folded(100, 300)),
];
