//! The transfer between two levels: the prolongation P from aggregates to rows, and the coarser matrix PᵀAP.
//!
//! P starts from the zero-energy modes of a free body: P₀ moves each row with its aggregate (`modes.rs`). A step of Jacobi's
//! method on the matrix without its weak blocks smooths it ([Vanek] eqs. 4 and 8):
//!
//! ```text
//! P = (I − ω D⁻¹ A_F) P₀,     A_F = A where weak blocks act on the motion of the row's own aggregate,   D its block diagonal
//! ```
//!
//! (For translations that adds weak blocks to the diagonal; with rotations this form is needed to preserve rigid motions.)
//!
//! ω = 2/3 is 4/(3 λ) for λ = 2, which bounds the eigenvalues of D⁻¹A for springs: a positive semi-definite element over
//! n particles has xᵀKx ≤ n Σ x_iᵀ K_ii x_i. No eigenvalue is estimated, so no history and no random vector is involved.

use super::aggregate::{NONE, Strength};
use super::modes::{Centres, Nodes, turn};
use crate::block_csr::BlockCsr;
use crate::pattern::{Pattern, PatternBuilder};
use crate::precond::small::{inverse_of, pivots, symmetric_part};
use glam::{DMat3, DVec3};
use pliant_scalar::wide::widest;
use std::ops::Range;
use std::sync::Arc;

/// ω above,
const DAMPING: f64 = 2.0 / 3.0;
/// and with rotations: a hinge has four particles and not two. On cotton 2/3 and 0.8 take more iterations, on a net of
/// springs 0.4 does.
const DAMPING_OF_ROTATIONS: f64 = 0.5;

/// A matrix of blocks that is not square.
#[derive(Default)]
struct Blocks {
    start: Vec<u32>,
    columns: Vec<u32>,
    values: Vec<DMat3>,
}

impl Blocks {
    #[inline(always)]
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

/// P, PᵀAP, and the data to compute them.
pub(super) struct Transfer {
    /// Aggregate of each node.
    aggregate: Vec<u32>,
    centres: Centres,
    prolongation: Blocks,
    /// A P
    product: Blocks,
    /// Position of each coarse column in the current row.
    slot: Vec<u32>,
    /// PᵀAP
    coarse: BlockCsr,
    coarse_per: usize,
}

impl Transfer {
    /// For a pattern and its strong blocks; `write_values` fills it.
    pub fn new(pattern: &Pattern, strength: &Strength, nodes: Nodes) -> Self {
        let (aggregate, count) = strength.aggregate(pattern, nodes.per, nodes.reach());
        let (per, coarse_per) = (nodes.per, nodes.coarse_per());
        let mut seen = vec![NONE; count];
        let mut prolongation = Blocks::default();
        prolongation.rebuild(pattern.rows(), |i, columns| {
            if aggregate[i / per] == NONE {
                return;
            }
            for p in pattern.row(i).filter(|p| strength.strong[*p] || pattern.diagonal[i] as usize == *p) {
                let c = aggregate[pattern.columns[p] as usize / per];
                if c != NONE && std::mem::replace(&mut seen[c as usize], i as u32) != i as u32 {
                    columns.extend((0..coarse_per as u32).map(|k| c * coarse_per as u32 + k));
                }
            }
        });
        let mut seen = vec![NONE; count * coarse_per];
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
        // Row by row of the coarse matrix there are far fewer couplings than triple products: each is added once per row.
        let mut builder = PatternBuilder::new(count * coarse_per);
        for i in 0..pattern.rows() {
            for &c in &prolongation.columns[prolongation.row(i)] {
                for &d in product.columns[product.row(i)].iter().filter(|d| **d > c) {
                    builder.couple(c as usize, d as usize);
                }
            }
        }
        let coarse = BlockCsr::zeros(Arc::new(builder.build()));
        Self {
            aggregate,
            centres: Centres::new(if nodes.at.is_empty() { 0 } else { count }),
            prolongation,
            product,
            slot: vec![NONE; count * coarse_per],
            coarse,
            coarse_per,
        }
    }

    /// PᵀAP, and its nodes.
    pub fn coarse(&self) -> (&BlockCsr, Nodes<'_>) {
        (&self.coarse, Nodes { per: self.coarse_per, at: &self.centres.at })
    }

    /// P and PᵀAP of a matrix with the pattern and the strong blocks given to `new`.
    pub fn write_values(&mut self, a: &BlockCsr, strength: &Strength, nodes: Nodes) {
        self.centres.update(&self.aggregate, nodes.at);
        self.write_prolongation(a, strength, nodes);
        widest(
            #[inline(always)]
            || self.write_coarse(a),
        );
        if nodes.per == 1 {
            self.centres.hold_lost_rotations(&mut self.coarse);
        }
    }

    #[inline(always)]
    fn write_coarse(&mut self, a: &BlockCsr) {
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

    fn write_prolongation(&mut self, a: &BlockCsr, strength: &Strength, nodes: Nodes) {
        let Self { aggregate, prolongation, slot, centres, coarse_per, .. } = self;
        let (per, coarse_per) = (nodes.per, *coarse_per);
        let damping = if coarse_per > per { DAMPING_OF_ROTATIONS } else { DAMPING };
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
            let (node, kind) = (i / per, i % per);
            let own = aggregate[node] as usize;
            let mut diagonal = *a.diagonal(i);
            for p in pattern.row(i) {
                let j = pattern.columns[p] as usize;
                let (other, other_kind) = (j / per, j % per);
                let mut c = aggregate[other] as usize;
                let block = a.values[p];
                if other != node && (!strength.strong[p] || aggregate[other] == NONE) {
                    // Weakly coupled rows are taken to move with this aggregate.
                    c = own;
                    if other_kind == kind {
                        diagonal += block;
                    }
                }
                let at = slot[c * coarse_per] as usize;
                prolongation.values[at + other_kind] += block;
                if coarse_per == 2 && other_kind == 0 {
                    prolongation.values[at + 1] += block * turn(nodes.at[other] - centres.at[c]);
                }
            }
            if !pivots(&symmetric_part(&diagonal)).cmpgt(DVec3::ZERO).all() {
                diagonal = *a.diagonal(i);
            }
            let inverse = inverse_of(&diagonal) * -damping;
            for value in &mut prolongation.values[range] {
                *value = inverse * *value;
            }
            let at = slot[own * coarse_per] as usize;
            prolongation.values[at + kind] += DMat3::IDENTITY;
            if coarse_per == 2 && kind == 0 {
                prolongation.values[at + 1] += turn(nodes.at[node] - centres.at[own]);
            }
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
