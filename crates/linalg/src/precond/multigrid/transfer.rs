//! The way between two levels: the prolongation P from aggregates to rows, and the coarser matrix PᵀAP.
//!
//! P starts as one unit block a row, in the column of the row's aggregate: the three translations, which cost a free body
//! no energy. A step of Jacobi's method on the matrix without its weak blocks smooths it ([Vanek] eqs. 4 and 8):
//!
//! ```text
//! P = (I − ω D⁻¹ A_F) P₀,     A_F = A with weak blocks added to the diagonal instead,   D its block diagonal
//! ```
//!
//! ω = 2/3 is 4/(3 λ) for λ = 2, which bounds the eigenvalues of D⁻¹A for springs: a positive semi-definite element over
//! n particles has xᵀKx ≤ n Σ x_iᵀ K_ii x_i. No eigenvalue is estimated, so no history and no random vector comes in.

use super::aggregate::{NONE, Strength};
use crate::block_csr::BlockCsr;
use crate::pattern::{Pattern, PatternBuilder};
use crate::precond::small::{inverse_of, pivots, symmetric_part};
use glam::{DMat3, DVec3};
use std::ops::Range;
use std::sync::Arc;

/// ω above.
const DAMPING: f64 = 2.0 / 3.0;

/// A matrix of blocks that is not square.
#[derive(Default)]
struct Blocks {
    start: Vec<u32>,
    columns: Vec<u32>,
    values: Vec<DMat3>,
}

impl Blocks {
    fn row(&self, i: usize) -> Range<usize> {
        self.start[i] as usize..self.start[i + 1] as usize
    }

    /// One row after the other; `list(i, columns)` appends the columns of row i.
    fn rebuild(&mut self, rows: usize, mut list: impl FnMut(usize, &mut Vec<u32>)) {
        self.start.clear();
        self.columns.clear();
        self.start.push(0);
        for i in 0..rows {
            let first = self.columns.len();
            list(i, &mut self.columns);
            self.columns[first..].sort_unstable();
            self.start.push(self.columns.len() as u32);
        }
        self.values.clear();
        self.values.resize(self.columns.len(), DMat3::ZERO);
    }
}

/// P, PᵀAP, and what it takes to compute them.
pub(super) struct Transfer {
    aggregate: Vec<u32>,
    prolongation: Blocks,
    /// A P
    product: Blocks,
    /// Where each coarse column stands in the row at hand.
    slot: Vec<u32>,
    /// PᵀAP
    pub coarse: BlockCsr,
}

impl Transfer {
    /// For a pattern and its strong blocks; `write_values` fills it.
    pub fn new(pattern: &Pattern, strength: &Strength) -> Self {
        let (aggregate, count) = strength.aggregate(pattern);
        let mut seen = vec![NONE; count];
        // Whether row i sees coarse column c for the first time.
        let mut first_time = |i: usize, c: u32| std::mem::replace(&mut seen[c as usize], i as u32) != i as u32;
        let mut prolongation = Blocks::default();
        prolongation.rebuild(pattern.rows(), |i, columns| {
            if aggregate[i] == NONE {
                return;
            }
            for p in pattern.row(i).filter(|p| strength.strong[*p] || pattern.diagonal[i] as usize == *p) {
                let c = aggregate[pattern.columns[p] as usize];
                if c != NONE && first_time(i, c) {
                    columns.push(c);
                }
            }
        });
        let mut seen = vec![NONE; count];
        let mut product = Blocks::default();
        product.rebuild(pattern.rows(), |i, columns| {
            for &j in &pattern.columns[pattern.row(i)] {
                for &c in &prolongation.columns[prolongation.row(j as usize)] {
                    if std::mem::replace(&mut seen[c as usize], i as u32) != i as u32 {
                        columns.push(c);
                    }
                }
            }
        });
        // Row by row of the coarse matrix there are far fewer couplings than triple products: each is told once per row.
        let mut builder = PatternBuilder::new(count);
        for i in 0..pattern.rows() {
            for &c in &prolongation.columns[prolongation.row(i)] {
                for &d in product.columns[product.row(i)].iter().filter(|d| **d > c) {
                    builder.couple(c as usize, d as usize);
                }
            }
        }
        let coarse = BlockCsr::zeros(Arc::new(builder.build()));
        Self { aggregate, prolongation, product, slot: vec![NONE; count], coarse }
    }

    /// P and PᵀAP of a matrix with the pattern and the strong blocks that `new` was given.
    pub fn write_values(&mut self, a: &BlockCsr, strength: &Strength) {
        self.write_prolongation(a, strength);
        let Self { prolongation, product, slot, coarse, .. } = self;
        for i in 0..a.rows() {
            for q in product.row(i) {
                slot[product.columns[q] as usize] = q as u32;
                product.values[q] = DMat3::ZERO;
            }
            let row = a.pattern.row(i);
            for (block, &j) in a.values[row.clone()].iter().zip(&a.pattern.columns[row]) {
                let range = prolongation.row(j as usize);
                for (p, &c) in prolongation.values[range.clone()].iter().zip(&prolongation.columns[range]) {
                    product.values[slot[c as usize] as usize] += *block * *p;
                }
            }
        }
        // The upper triangle, then its image: the coarse matrix is symmetric to the last bit.
        coarse.values.fill(DMat3::ZERO);
        let pattern = &*coarse.pattern;
        for i in 0..a.rows() {
            for q in prolongation.row(i) {
                let c = prolongation.columns[q] as usize;
                let transposed = prolongation.values[q].transpose();
                let mut position = pattern.diagonal[c] as usize;
                for r in product.row(i) {
                    let d = product.columns[r];
                    if d as usize >= c {
                        // Both lists are sorted, and the coarse row holds all of this one.
                        while pattern.columns[position] != d {
                            position += 1;
                        }
                        coarse.values[position] += transposed * product.values[r];
                    }
                }
            }
        }
        for c in 0..coarse.rows() {
            let diagonal = pattern.diagonal[c] as usize;
            coarse.values[diagonal] = symmetric_part(&coarse.values[diagonal]);
            for upper in diagonal + 1..pattern.row(c).end {
                let lower = pattern.find(pattern.columns[upper] as usize, c).expect("a pattern is symmetric");
                coarse.values[lower] = coarse.values[upper].transpose();
            }
        }
    }

    fn write_prolongation(&mut self, a: &BlockCsr, strength: &Strength) {
        let Self { aggregate, prolongation, slot, .. } = self;
        let pattern = &*a.pattern;
        for i in 0..a.rows() {
            let range = prolongation.row(i);
            if range.is_empty() {
                continue;
            }
            for q in range.clone() {
                slot[prolongation.columns[q] as usize] = q as u32;
                prolongation.values[q] = DMat3::ZERO;
            }
            let mut diagonal = *a.diagonal(i);
            for p in pattern.row(i) {
                let c = aggregate[pattern.columns[p] as usize];
                if strength.strong[p] && c != NONE {
                    prolongation.values[slot[c as usize] as usize] += a.values[p];
                } else if pattern.columns[p] as usize != i {
                    diagonal += a.values[p];
                }
            }
            if !pivots(&symmetric_part(&diagonal)).cmpgt(DVec3::ZERO).all() {
                diagonal = *a.diagonal(i);
            }
            let own = slot[aggregate[i] as usize] as usize;
            prolongation.values[own] += diagonal;
            let inverse = inverse_of(&diagonal) * -DAMPING;
            for value in &mut prolongation.values[range] {
                *value = inverse * *value;
            }
            prolongation.values[own] += DMat3::IDENTITY;
        }
    }

    /// out = Pᵀ r
    pub fn restrict(&self, r: &[DVec3], out: &mut [DVec3]) {
        out.fill(DVec3::ZERO);
        let p = &self.prolongation;
        for (i, r) in r.iter().enumerate() {
            let row = p.row(i);
            for (block, &c) in p.values[row.clone()].iter().zip(&p.columns[row]) {
                out[c as usize] += block.transpose() * *r;
            }
        }
    }

    /// z += P c
    pub fn prolong_add(&self, coarse: &[DVec3], z: &mut [DVec3]) {
        let p = &self.prolongation;
        for (i, z) in z.iter_mut().enumerate() {
            let row = p.row(i);
            for (block, &c) in p.values[row.clone()].iter().zip(&p.columns[row]) {
                *z += *block * coarse[c as usize];
            }
        }
    }
}
