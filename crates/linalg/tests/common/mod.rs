//! Matrices for the tests: a sheet of springs as in an implicit time step, and its dense image.
#![allow(dead_code)] // each test binary uses a part of it

use glam::{DMat3, DVec3};
use pliant_linalg::{BlockCsr, PatternBuilder};
use std::sync::Arc;

/// SplitMix64: numbers in [-1, 1).
pub struct Random(pub u64);

impl Random {
    pub fn number(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^= z >> 31;
        (z >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    pub fn vector(&mut self) -> DVec3 {
        DVec3::new(self.number(), self.number(), self.number())
    }

    pub fn vectors(&mut self, n: usize) -> Vec<DVec3> {
        (0..n).map(|_| self.vector()).collect()
    }

    pub fn block(&mut self) -> DMat3 {
        DMat3::from_cols(self.vector(), self.vector(), self.vector())
    }
}

/// Neighbours of a node in a sheet with stretch, shear and bend springs: 13 blocks a row.
const NEIGHBOURS: [(usize, usize); 6] = [(1, 0), (0, 1), (1, 1), (1, usize::MAX), (2, 0), (0, 2)];

/// `I + Σ s [K -K; -K K]` over the springs of a sheet, K = n nᵀ + I/10 with random n: symmetric positive definite.
pub fn sheet(width: usize, height: usize, stiffness: f64) -> BlockCsr {
    let mut springs = Vec::new();
    for y in 0..height {
        for x in 0..width {
            for (dx, dy) in NEIGHBOURS {
                let (u, v) = (x + dx, y.wrapping_add(dy));
                if u < width && v < height {
                    springs.push((y * width + x, v * width + u));
                }
            }
        }
    }
    let mut builder = PatternBuilder::new(width * height);
    for &(i, j) in &springs {
        builder.couple(i, j);
    }
    let mut a = BlockCsr::zeros(Arc::new(builder.build()));
    for i in 0..a.rows() {
        *block(&mut a, i, i) = DMat3::IDENTITY;
    }
    let mut random = Random(1);
    for (i, j) in springs {
        let n = random.vector();
        let k = DMat3::from_cols(n * n.x, n * n.y, n * n.z) + 0.1 * DMat3::IDENTITY;
        let k = stiffness * (1.1 + random.number()) * k;
        *block(&mut a, i, i) += k;
        *block(&mut a, j, j) += k;
        *block(&mut a, i, j) -= k;
        *block(&mut a, j, i) -= k;
    }
    a
}

/// The sheet with every block disturbed.
pub fn unsymmetric_sheet(width: usize, height: usize, stiffness: f64, part: f64) -> BlockCsr {
    let mut a = sheet(width, height, stiffness);
    let mut random = Random(2);
    for value in &mut a.values {
        let size = value.to_cols_array().iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        *value += part * size * random.block();
    }
    a
}

pub fn block(a: &mut BlockCsr, row: usize, column: usize) -> &mut DMat3 {
    let position = a.pattern.find(row, column).expect("a block of the pattern");
    &mut a.values[position]
}

/// The scalar matrix.
pub fn dense(a: &BlockCsr) -> faer::Mat<f64> {
    let n = 3 * a.rows();
    faer::Mat::from_fn(n, n, |r, c| match a.pattern.find(r / 3, c / 3) {
        Some(position) => a.values[position].row(r % 3)[c % 3],
        None => 0.0,
    })
}

/// The solution by faer's dense LU with pivoting.
pub fn dense_solution(a: &BlockCsr, b: &[DVec3]) -> Vec<DVec3> {
    use faer::linalg::solvers::Solve;
    let scalars: &[f64] = bytemuck::cast_slice(b);
    let b = faer::Col::from_fn(scalars.len(), |i| scalars[i]);
    let x = dense(a).partial_piv_lu().solve(&b);
    (0..a.rows()).map(|i| DVec3::new(x[3 * i], x[3 * i + 1], x[3 * i + 2])).collect()
}

pub fn norm(v: &[DVec3]) -> f64 {
    v.iter().map(|v| v.length_squared()).fold(0.0, |a, b| a + b).sqrt()
}

pub fn difference(a: &[DVec3], b: &[DVec3]) -> f64 {
    let d: Vec<DVec3> = a.iter().zip(b).map(|(a, b)| *a - *b).collect();
    norm(&d)
}

pub fn on_threads<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> R {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    pool.build().unwrap().install(work)
}
