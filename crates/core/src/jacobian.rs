//! Derivatives of the force: stiffness and damping on one fixed pattern, and the blocks of contact pairs beside it.

use glam::{DMat3, DVec3};
use pliant_linalg::block_csr::BlockCsr;

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
    /// Blocks of contact pairs, sorted by row and column: they are not part of the pattern, which is laid out once.
    pub contact_blocks: Vec<ContactBlock>,
    /// Scratch: rows and columns of the contact blocks with their indices, and the blocks in order.
    pub(crate) places: Vec<(u64, u32)>,
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
    }

    /// The part of [`Jacobian::add_product`] that contact contributes.
    pub fn add_contact_product(&self, dx: &[DVec3], dv: &[DVec3], out: &mut [DVec3]) {
        for block in &self.contact_blocks {
            let column = block.column as usize;
            out[block.row as usize] += block.stiffness * dx[column] + block.damping * dv[column];
        }
    }

    /// Sorts the contact blocks and sums those with the same row and column, in the order of insertion.
    pub(crate) fn merge_contact_blocks(&mut self) {
        // Blocks are ten times as large as their keys: the keys are sorted, and each block moves once.
        let place = |block: &ContactBlock| u64::from(block.row) << 32 | u64::from(block.column);
        self.places.clear();
        self.places.extend(self.contact_blocks.iter().zip(0..).map(|(block, k)| (place(block), k)));
        self.places.sort_unstable();
        self.ordered.clear();
        for &(at, k) in &self.places {
            let block = &self.contact_blocks[k as usize];
            match self.ordered.last_mut().filter(|last| place(last) == at) {
                Some(kept) => {
                    kept.stiffness += block.stiffness;
                    kept.damping += block.damping;
                }
                None => self.ordered.push(*block),
            }
        }
        std::mem::swap(&mut self.contact_blocks, &mut self.ordered);
    }
}
