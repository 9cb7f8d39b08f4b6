//! Incomplete Cholesky factorisation of 3x3 blocks without fill, IC(0): A ≈ L D Lᵀ, with L zero wherever A is
//! ([Meijerink], [Saad] section 10.3, there for scalars). L has unit blocks on the diagonal, D is block diagonal:
//!
//! ```text
//! for each column k:   L_ik = W_ik D_k⁻¹      for all i, j > k in column k:   W_ij ← W_ij − W_ik L_jkᵀ   if (i, j) is there
//! ```
//!
//! The list of products is built once per pattern; a factorisation walks through it.
//!
//! *Breakdown.* Dropped fill may leave a D_k that is not positive definite, though A is. Where a pivot of D_k is below
//! 1/20 of that of A_kk, A_kk replaces D_k, and the A_ik below it replace the W_ik: a column as if nothing had
//! been eliminated before. That keeps the factors positive definite, is a function of the matrix alone, and affects a few
//! rows in ten thousand. Replacing D_k without its column lets large W_ik corrupt one row after the other until they
//! overflow; raising D_k just to the limit cost several times the iterations on hanging sheets.
//!
//! *What was tried.* Fill of level 1 to 4 lowers the iterations by up to seven times where it does not break down, but not
//! the time: L grows as much. Adding dropped blocks to the diagonal (modified IC) lowers them by a third for short steps
//! and breaks down for long ones, where it would be needed. The two triangular solves are sequential; a parallel order
//! (colours, or a few domains and what separates them) has not been measured.
//!
//! For an unsymmetric matrix the symmetric part is factored.

use super::small::{Packed, definite_inverse, inverse_of, pivots, symmetric_part};
use crate::block_csr::BlockCsr;
use crate::direct::check_finite;
use crate::pattern::{Pattern, is_known};
use crate::solver::{Preconditioner, SolveError};
use glam::{DMat3, DVec3};
use pliant_scalar::wide::widest;
use std::sync::Arc;

/// The part of a pivot of A_kk below which a pivot of D_k counts as broken down.
const SMALLEST_PIVOT: f64 = 0.05;

/// Incomplete Cholesky factors.
#[derive(Default)]
pub struct BlockIc {
    pattern: Option<Arc<Pattern>>,
    /// First block of each column of the strict lower triangle, the row of each block, and where its two sources are.
    start: Vec<u32>,
    rows: Vec<u32>,
    sources: Vec<[u32; 2]>,
    /// For each column, the products W_ik L_jkᵀ to subtract from other blocks below the diagonal.
    update_start: Vec<u32>,
    updates: Vec<Update>,
    w: Vec<DMat3>,
    d: Vec<DMat3>,
    /// The factors: L, and D⁻¹.
    l: Vec<Packed>,
    inverse: Vec<DMat3>,
    column: Vec<DMat3>,
}

/// Subtract W_ik L_jkᵀ from W_ij; all three by their positions.
#[derive(Clone, Copy)]
struct Update {
    ik: u32,
    jk: u32,
    ij: u32,
}

impl BlockIc {
    /// For no pattern yet.
    pub fn new() -> Self {
        Self::default()
    }

    fn prepare(&mut self, pattern: &Arc<Pattern>) {
        let n = pattern.rows();
        self.start.clear();
        self.rows.clear();
        self.sources.clear();
        self.start.push(0);
        for k in 0..n {
            // The rows of column k are the columns of row k.
            for upper in pattern.diagonal[k] as usize + 1..pattern.row(k).end {
                let row = pattern.columns[upper];
                let lower = pattern.find(row as usize, k).expect("a pattern is symmetric");
                self.rows.push(row);
                self.sources.push([lower as u32, upper as u32]);
            }
            self.start.push(self.rows.len() as u32);
        }
        self.update_start.clear();
        self.updates.clear();
        self.update_start.push(0);
        let mut longest = 0;
        for k in 0..n {
            let column = self.column(k);
            longest = longest.max(column.len());
            for jk in column.clone() {
                let j = self.rows[jk] as usize;
                for ik in jk + 1..column.end {
                    let below = self.column(j);
                    if let Ok(offset) = self.rows[below.clone()].binary_search(&self.rows[ik]) {
                        let ij = (below.start + offset) as u32;
                        self.updates.push(Update { ik: ik as u32, jk: jk as u32, ij });
                    }
                }
            }
            self.update_start.push(self.updates.len() as u32);
        }
        self.w.resize(self.rows.len(), DMat3::ZERO);
        self.l.resize(self.rows.len(), Packed::default());
        self.d.resize(n, DMat3::ZERO);
        self.inverse.resize(n, DMat3::ZERO);
        self.column.resize(longest, DMat3::ZERO);
        self.pattern = Some(pattern.clone());
    }

    #[inline(always)]
    fn column(&self, k: usize) -> std::ops::Range<usize> {
        self.start[k] as usize..self.start[k + 1] as usize
    }

    /// L D Lᵀ z = r
    #[inline(always)]
    fn solve(&self, r: &[DVec3], z: &mut [DVec3]) {
        z.copy_from_slice(r);
        // L y = r
        for k in 0..z.len() {
            let y = z[k];
            let column = self.column(k);
            for (l, &row) in self.l[column.clone()].iter().zip(&self.rows[column]) {
                z[row as usize] -= l.times(y);
            }
        }
        // Lᵀ z = D⁻¹ y
        for k in (0..z.len()).rev() {
            let column = self.column(k);
            let mut sum = DVec3::ZERO;
            for (l, &row) in self.l[column.clone()].iter().zip(&self.rows[column]) {
                sum += l.transpose_times(z[row as usize]);
            }
            z[k] = self.inverse[k] * z[k] - sum;
        }
    }
}

impl Preconditioner for BlockIc {
    fn name(&self) -> &'static str {
        "block-ic"
    }

    fn analyze(&mut self, pattern: &Arc<Pattern>) {
        if !is_known(&mut self.pattern, pattern) {
            self.prepare(pattern);
        }
    }

    fn factor(&mut self, a: &BlockCsr) -> Result<(), SolveError> {
        self.analyze(&a.pattern);
        check_finite(a)?;
        for (w, &sources) in self.w.iter_mut().zip(&self.sources) {
            *w = mean_block(a, sources);
        }
        for (i, d) in self.d.iter_mut().enumerate() {
            *d = symmetric_part(a.diagonal(i));
        }
        for k in 0..a.rows() {
            let whole = symmetric_part(a.diagonal(k));
            let mut inverse = definite_inverse(&whole, k)?;
            let column = self.column(k);
            if pivots(&self.d[k]).cmpge(SMALLEST_PIVOT * pivots(&whole)).all() {
                inverse = inverse_of(&self.d[k]);
            } else {
                for p in column.clone() {
                    self.w[p] = mean_block(a, self.sources[p]);
                }
            }
            self.inverse[k] = inverse;
            for (p, l) in column.clone().zip(&mut self.column) {
                *l = self.w[p] * inverse;
                self.l[p] = Packed::new(l);
                self.d[self.rows[p] as usize] -= symmetric_part(&(*l * self.w[p].transpose()));
            }
            for update in &self.updates[self.update_start[k] as usize..self.update_start[k + 1] as usize] {
                let l = self.column[update.jk as usize - column.start];
                let product = self.w[update.ik as usize] * l.transpose();
                self.w[update.ij as usize] -= product;
            }
        }
        Ok(())
    }

    fn apply(&mut self, r: &[DVec3], z: &mut [DVec3]) {
        widest(
            #[inline(always)]
            || self.solve(r, z),
        );
    }
}

/// A block below the diagonal of the matrix's symmetric part.
fn mean_block(a: &BlockCsr, [lower, upper]: [u32; 2]) -> DMat3 {
    0.5 * (a.values[lower as usize] + a.values[upper as usize].transpose())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::PatternBuilder;

    /// A chain has no fill: the factors are complete, and one application solves.
    #[test]
    fn a_chain_is_solved_exactly() {
        let n = 20;
        let mut builder = PatternBuilder::new(n);
        (1..n).for_each(|i| builder.couple(i - 1, i));
        let mut a = BlockCsr::zeros(Arc::new(builder.build()));
        let k = DMat3::from_cols_array(&[4.0, 1.0, 0.5, 1.0, 3.0, -0.25, 0.5, -0.25, 2.0]);
        for i in 0..n {
            for p in a.pattern.row(i) {
                let diagonal = a.pattern.columns[p] as usize == i;
                a.values[p] = if diagonal { 2.5 * k } else { -k };
            }
        }
        let x: Vec<DVec3> = (0..n).map(|i| DVec3::new(1.0, i as f64, -2.0)).collect();
        let (mut b, mut z) = (vec![DVec3::ZERO; n], vec![DVec3::ZERO; n]);
        a.multiply(&x, &mut b);
        let mut ic = BlockIc::new();
        ic.factor(&a).unwrap();
        ic.apply(&b, &mut z);
        // 6e-8 of rounding to single precision, times a condition number of 2.5 + 2 over 2.5 - 2, times that of the blocks, 3.
        let bound = 6e-8 * 9.0 * 3.0 * 20.0;
        assert!(x.iter().zip(&z).all(|(x, z)| (*x - *z).length() < bound));
    }
}
