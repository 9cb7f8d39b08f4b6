//! Derivatives of the force: stiffness and damping on one fixed pattern, and the blocks of contact pairs beside it.

use glam::{DMat3, DVec3};
use pliant_linalg::block_csr::BlockCsr;

use crate::low_rank::LowRank;

/// Which derivative of the force is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JacobianKind {
    /// The true derivative, possibly unsymmetric (damping along a turning spring) and indefinite (a compressed spring).
    Exact,
    /// The symmetric part as far as the model has one: for conjugate gradients and Cholesky, possibly indefinite.
    Symmetric,
    /// Symmetric with `-∂f/∂x` and `-∂f/∂v` positive semi-definite: every linear system built from it can be solved.
    Psd,
}

/// Two value arrays on one pattern: a retry with another `dt` forms `M - dt² K - dt D` without assembling again.
#[derive(Clone, Debug)]
pub struct Jacobian {
    /// `K = ∂f/∂x`, N/m.
    pub stiffness: BlockCsr,
    /// `D = ∂f/∂v`, N s/m.
    pub damping: BlockCsr,
    /// Whether any model writes into `damping`; if not, its pass over memory is skipped.
    pub has_damping: bool,
    /// 1/γ where models that can are to add `K + D/γ` to `stiffness` and nothing to `damping`.
    pub merged: Option<f64>,
    /// The last correction of positions by Newton's method, m; empty where there is none. Models may leave its second-order strain out of
    /// their geometric stiffness: the stress that the correction was to produce predicts the next one better than the stress that it did.
    pub correction: Vec<DVec3>,
    /// The requested rows, in order; the others are undefined. Only where `is_partial`.
    pub rows: Vec<u32>,
    /// Whether only some rows are requested: under restraint, rows of restrained particles are not.
    pub is_partial: bool,
    /// Terms of rank one of `∂f/∂x`, which are not part of the pattern; empty where only some rows are requested.
    pub low_rank: LowRank,
    /// Blocks of contact pairs, sorted by row and column: they are not part of the pattern, which is laid out once.
    pub contact_blocks: Vec<ContactBlock>,
    /// Scratch: columns of the contact blocks with their indices by rows, where the rows begin, and the blocks in order.
    pub(crate) places: Vec<(u32, u32)>,
    pub(crate) row_start: Vec<u32>,
    pub(crate) ordered: Vec<ContactBlock>,
}

/// Two blocks outside the pattern. (No `Default`: that of a matrix is the identity.)
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactBlock {
    /// Block row.
    pub row: u32,
    /// Block column.
    pub column: u32,
    /// Of `∂f/∂x`.
    pub stiffness: DMat3,
    /// Of `∂f/∂v`.
    pub damping: DMat3,
}

/// What [`Jacobian::merged`] asks for.
#[derive(Clone, Copy, Debug)]
pub struct Merged<'a> {
    /// 1/γ
    pub rate: f64,
    /// [`Jacobian::correction`]
    pub correction: &'a [DVec3],
}

impl Jacobian {
    /// One matrix for one γ, where that is asked for.
    pub fn merged(&self) -> Option<Merged<'_>> {
        self.merged.map(|rate| Merged { rate, correction: &self.correction })
    }

    /// Adds `K dx + D dv` to `out`.
    pub fn add_product(&self, dx: &[DVec3], dv: &[DVec3], out: &mut [DVec3]) {
        self.stiffness.multiply_add(1.0, dx, out);
        if self.has_damping {
            self.damping.multiply_add(1.0, dv, out);
        }
        self.add_contact_product(dx, dv, out);
        self.low_rank.add_product(dx, out);
    }

    /// The part of [`Jacobian::add_product`] that contact contributes.
    pub fn add_contact_product(&self, dx: &[DVec3], dv: &[DVec3], out: &mut [DVec3]) {
        for block in &self.contact_blocks {
            let column = block.column as usize;
            out[block.row as usize] += block.stiffness * dx[column] + block.damping * dv[column];
        }
    }

    /// Sorts the contact blocks and sums those with the same row and column, in the order of insertion: a counting sort by rows, then each
    /// short row by columns. Blocks are ten times as large as their places, and move once.
    pub(crate) fn merge_contact_blocks(&mut self) {
        let Self { contact_blocks, places, row_start, ordered, .. } = self;
        ordered.clear();
        if contact_blocks.is_empty() {
            return;
        }
        let rows = 1 + contact_blocks.iter().map(|block| block.row).max().unwrap_or(0) as usize;
        row_start.clear();
        row_start.resize(rows + 1, 0);
        contact_blocks.iter().for_each(|block| row_start[block.row as usize + 1] += 1);
        (0..rows).for_each(|row| row_start[row + 1] += row_start[row]);
        places.clear();
        places.resize(contact_blocks.len(), (0, 0));
        for (k, block) in (0..).zip(&*contact_blocks) {
            let next = &mut row_start[block.row as usize];
            places[*next as usize] = (block.column, k);
            *next += 1;
        }
        // every start has moved to that of the next row
        let mut begin = 0;
        for end in &row_start[..rows] {
            let row = &mut places[begin..*end as usize];
            begin = *end as usize;
            row.sort_unstable();
            for same in row.chunk_by(|a, b| a.0 == b.0) {
                let mut sum = contact_blocks[same[0].1 as usize];
                for (_, k) in &same[1..] {
                    let block = &contact_blocks[*k as usize];
                    sum.stiffness += block.stiffness;
                    sum.damping += block.damping;
                }
                ordered.push(sum);
            }
        }
        std::mem::swap(contact_blocks, ordered);
    }
}
