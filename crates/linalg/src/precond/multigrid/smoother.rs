//! Gauss-Seidel sweeps over 3x3 blocks: forward before the coarse correction, backward after it, so that the whole
//! cycle is symmetric. With A = L + D + Lᵀ and S = (D + L)⁻¹:
//!
//! ```text
//! z = S r,   r − A z = −Lᵀ z                     before (from z = 0)
//! z ← z + Sᵀ (r − A z)                           after
//! ```
//!
//! Only L is kept, by rows and in single precision, and each sweep reads it once: while a row is loaded its transpose
//! is applied to the rows before it. Against sweeps over the whole matrix in double precision that is less than a quarter
//! of the memory traffic, and a cycle takes about a quarter of the time. For any L and any definite D the smoother
//! S + Sᵀ − SᵀAS = Sᵀ D S is positive definite, so rounding cannot make the cycle indefinite.

use crate::block_csr::BlockCsr;
use crate::precond::small::{Packed, definite_inverse, symmetric_part};
use crate::solver::SolveError;
use glam::{DMat3, DVec3};
use pliant_scalar::wide::widest;
use std::ops::Range;

/// The strict lower triangle and the inverse diagonal of a level's matrix.
#[derive(Default)]
pub(super) struct Smoother {
    start: Vec<u32>,
    columns: Vec<u32>,
    lower: Vec<Packed>,
    inverse: Vec<DMat3>,
    /// Lᵀ z of the rows done.
    spread: Vec<DVec3>,
}

impl Smoother {
    /// Takes a matrix; of an unsymmetric one, its lower triangle.
    pub fn load(&mut self, a: &BlockCsr) -> Result<(), SolveError> {
        let pattern = &*a.pattern;
        self.start.clear();
        self.columns.clear();
        self.lower.clear();
        self.inverse.clear();
        self.start.push(0);
        for i in 0..a.rows() {
            let before = pattern.row(i).start..pattern.diagonal[i] as usize;
            self.columns.extend_from_slice(&pattern.columns[before.clone()]);
            self.lower.extend(a.values[before].iter().map(Packed::new));
            self.start.push(self.columns.len() as u32);
            self.inverse.push(definite_inverse(&symmetric_part(a.diagonal(i)), i)?);
        }
        self.spread.resize(a.rows(), DVec3::ZERO);
        Ok(())
    }

    #[inline(always)]
    fn row(&self, i: usize) -> Range<usize> {
        self.start[i] as usize..self.start[i + 1] as usize
    }

    /// z = S r; writes r − A z.
    pub fn before(&self, r: &[DVec3], z: &mut [DVec3], residual: &mut [DVec3]) {
        widest(
            #[inline(always)]
            || self.sweep_forward(r, z, residual),
        );
    }

    #[inline(always)]
    fn sweep_forward(&self, r: &[DVec3], z: &mut [DVec3], residual: &mut [DVec3]) {
        for i in 0..r.len() {
            let row = self.row(i);
            let (blocks, columns) = (&self.lower[row.clone()], &self.columns[row]);
            let mut sum = r[i];
            for (block, &j) in blocks.iter().zip(columns) {
                sum -= block.times(z[j as usize]);
            }
            let value = self.inverse[i] * sum;
            z[i] = value;
            residual[i] = DVec3::ZERO;
            for (block, &j) in blocks.iter().zip(columns) {
                residual[j as usize] -= block.transpose_times(value);
            }
        }
    }

    /// z ← z + Sᵀ (r − A z)
    pub fn after(&mut self, r: &[DVec3], z: &mut [DVec3]) {
        widest(
            #[inline(always)]
            || self.sweep_backward(r, z),
        );
    }

    #[inline(always)]
    fn sweep_backward(&mut self, r: &[DVec3], z: &mut [DVec3]) {
        let Self { start, columns, lower, inverse, spread } = self;
        spread.fill(DVec3::ZERO);
        for i in (0..r.len()).rev() {
            let row = start[i] as usize..start[i + 1] as usize;
            let (blocks, columns) = (&lower[row.clone()], &columns[row]);
            let mut sum = r[i] - spread[i];
            for (block, &j) in blocks.iter().zip(columns) {
                sum -= block.times(z[j as usize]);
            }
            let value = inverse[i] * sum;
            z[i] = value;
            for (block, &j) in blocks.iter().zip(columns) {
                spread[j as usize] += block.transpose_times(value);
            }
        }
    }
}
