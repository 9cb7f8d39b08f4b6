//! Dense factorisations for a handful of particles.
//!
//! Row-major and right-looking: the inner loop subtracts a multiple of one row from another, and a multiple that is
//! zero is skipped, so that zeros of a banded matrix, as of a rope, cost nothing.

use super::Factors;
use super::symbolic::CholeskyCost;
use crate::block_csr::BlockCsr;
use crate::solver::SolveError;
use glam::DVec3;

/// A = Uᵀ U for a symmetric positive definite matrix; the upper triangle alone is read and written.
pub(super) struct DenseCholesky {
    n: usize,
    /// U above the diagonal, 1 / U_kk on it.
    u: Vec<f64>,
}

impl DenseCholesky {
    pub fn new(block_rows: usize) -> Self {
        let n = 3 * block_rows;
        let u = vec![0.0; n * n];
        Self { n, u }
    }

    /// Operations of a full matrix.
    pub fn cost(&self) -> CholeskyCost {
        let n = self.n as f64;
        let entries = 0.5 * n * (n + 1.0);
        CholeskyCost { factor: n * (n + 1.0) * (2.0 * n + 1.0) / 6.0, solve: 4.0 * entries, entries }
    }
}

impl Factors for DenseCholesky {
    fn factor(&mut self, a: &BlockCsr) -> Result<(), SolveError> {
        let n = self.n;
        load(a, &mut self.u);
        for k in 0..n {
            let (above, below) = self.u.split_at_mut((k + 1) * n);
            let pivot_row = &mut above[k * n..];
            // U_kk = √a_kk;  U_kj = a_kj / U_kk;  a_ij −= U_ki U_kj
            let scale = 1.0 / pivot_row[k].sqrt();
            if !scale.is_finite() {
                let row = Some(k / 3);
                return Err(SolveError::Indefinite { row });
            }
            pivot_row[k] = scale;
            for value in &mut pivot_row[k + 1..] {
                *value *= scale;
            }
            for (row, i) in below.chunks_exact_mut(n).zip(k + 1..) {
                subtract(pivot_row[i], &pivot_row[i..], &mut row[i..]);
            }
        }
        Ok(())
    }

    fn solve(&mut self, b: &[DVec3], x: &mut [DVec3]) {
        x.copy_from_slice(b);
        let x: &mut [f64] = bytemuck::cast_slice_mut(x);
        // Uᵀ y = b
        for (k, row) in self.u.chunks_exact(self.n).enumerate() {
            let (head, tail) = x.split_at_mut(k + 1);
            head[k] *= row[k];
            subtract(head[k], &row[k + 1..], tail);
        }
        // U x = y
        for (k, row) in self.u.chunks_exact(self.n).enumerate().rev() {
            x[k] = (x[k] - dot(&row[k + 1..], &x[k + 1..])) * row[k];
        }
    }
}

/// P A = L U with partial pivoting.
pub(super) struct DenseLu {
    n: usize,
    /// L below the diagonal (its own is 1), U above it, 1 / U_kk on it.
    lu: Vec<f64>,
    /// The row that was swapped with row k.
    swapped: Vec<u32>,
}

impl DenseLu {
    pub fn new(block_rows: usize) -> Self {
        let n = 3 * block_rows;
        let (lu, swapped) = (vec![0.0; n * n], vec![0; n]);
        Self { n, lu, swapped }
    }
}

impl Factors for DenseLu {
    fn factor(&mut self, a: &BlockCsr) -> Result<(), SolveError> {
        let n = self.n;
        load(a, &mut self.lu);
        for k in 0..n {
            let mut best = k;
            for i in k + 1..n {
                if self.lu[i * n + k].abs() > self.lu[best * n + k].abs() {
                    best = i;
                }
            }
            self.swapped[k] = best as u32;
            let (above, below) = self.lu.split_at_mut((k + 1) * n);
            let pivot_row = &mut above[k * n..];
            if best > k {
                pivot_row.swap_with_slice(&mut below[(best - k - 1) * n..][..n]);
            }
            let scale = 1.0 / pivot_row[k];
            if !(scale.is_finite() && scale != 0.0) {
                let row = Some(k / 3);
                return Err(SolveError::Singular { row });
            }
            pivot_row[k] = scale;
            for row in below.chunks_exact_mut(n) {
                if row[k] != 0.0 {
                    row[k] *= scale;
                    subtract(row[k], &pivot_row[k + 1..], &mut row[k + 1..]);
                }
            }
        }
        Ok(())
    }

    fn solve(&mut self, b: &[DVec3], x: &mut [DVec3]) {
        x.copy_from_slice(b);
        let x: &mut [f64] = bytemuck::cast_slice_mut(x);
        for (k, &row) in self.swapped.iter().enumerate() {
            x.swap(k, row as usize);
        }
        // L y = P b
        for (k, row) in self.lu.chunks_exact(self.n).enumerate() {
            x[k] -= dot(&row[..k], &x[..k]);
        }
        // U x = y
        for (k, row) in self.lu.chunks_exact(self.n).enumerate().rev() {
            x[k] = (x[k] - dot(&row[k + 1..], &x[k + 1..])) * row[k];
        }
    }
}

fn load(a: &BlockCsr, dense: &mut [f64]) {
    let n = 3 * a.rows();
    dense.fill(0.0);
    for (i, rows) in dense.chunks_exact_mut(3 * n).enumerate() {
        let blocks = a.pattern.row(i);
        let columns = &a.pattern.columns[blocks.clone()];
        for (block, &column) in a.values[blocks].iter().zip(columns) {
            let column = 3 * column as usize;
            for r in 0..3 {
                let row = &mut rows[r * n + column..][..3];
                row.copy_from_slice(&block.row(r).to_array());
            }
        }
    }
}

/// row −= factor · pivot_row
#[inline]
fn subtract(factor: f64, pivot_row: &[f64], row: &mut [f64]) {
    if factor != 0.0 {
        for (value, pivot) in row.iter_mut().zip(pivot_row) {
            *value -= factor * pivot;
        }
    }
}

#[inline]
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sum = 0.0;
    for (a, b) in a.iter().zip(b) {
        sum += a * b;
    }
    sum
}
