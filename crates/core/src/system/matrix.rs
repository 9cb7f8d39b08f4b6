//! Derivatives of the total force, and the matrices of implicit schemes.

use std::sync::Arc;
use std::time::Instant;

use glam::{DMat3, DVec3};
use pliant_linalg::block_csr::BlockCsr;
use pliant_parallel::for_each_chunk;

use super::System;
use crate::force::{ForceModel, View};
use crate::jacobian::{Jacobian, JacobianKind};
use crate::low_rank::LowRank;
use crate::rows::for_each_row;

/// Matrices of implicit schemes on the pattern of a system: [`System::matrices`].
#[derive(Clone, Copy)]
pub struct Matrices<'a>(pub(super) &'a System);

impl Matrices<'_> {
    /// Storage for the derivatives of the force.
    pub fn new_jacobian(&self) -> Jacobian {
        Jacobian {
            stiffness: BlockCsr::zeros(self.0.pattern.clone()),
            damping: BlockCsr::zeros(self.0.pattern.clone()),
            has_damping: false,
            merged: None,
            correction: Vec::with_capacity(self.0.len()),
            rows: Vec::new(),
            is_partial: false,
            low_rank: LowRank::default(),
            contact_blocks: Vec::new(),
            places: Vec::new(),
            row_start: Vec::new(),
            ordered: Vec::new(),
        }
    }

    /// Storage for one matrix on the system's pattern.
    pub fn new_matrix(&self) -> BlockCsr {
        BlockCsr::zeros(self.0.pattern.clone())
    }

    /// Writes `M - γ D - γ² K` with the identity in the rows of pinned particles and zero in their columns. Contact blocks extend the
    /// matrix's pattern; it is a function of the Jacobian alone, never of earlier matrices.
    pub fn write_system_matrix(&self, jacobian: &Jacobian, gamma: f64, out: &mut BlockCsr) {
        if jacobian.contact_blocks.is_empty() {
            if !Arc::ptr_eq(&out.pattern, &self.0.pattern) {
                out.pattern = self.0.pattern.clone();
                out.values.resize(self.0.pattern.blocks(), DMat3::ZERO);
            }
        } else {
            let pairs = jacobian.contact_blocks.iter().map(|block| (block.row, block.column));
            let pattern = self.0.pattern.with(pairs);
            if *out.pattern != pattern {
                out.pattern = Arc::new(pattern);
                out.values.resize(out.pattern.blocks(), DMat3::ZERO);
            }
        }
        let (base, pattern) = (&*self.0.pattern, out.pattern.clone());
        let (stiffness, damping) = (&jacobian.stiffness.values, &jacobian.damping.values);
        let gamma2 = gamma * gamma;
        for_each_row(&pattern, 0..self.0.len(), &mut out.values, &mut [], &|row, offset, values, _| {
            let values = &mut values[pattern.row_start[row] as usize - offset..];
            let columns = &pattern.columns[pattern.row(row)];
            values[..columns.len()].fill(DMat3::ZERO);
            if !self.0.free[row] {
                values[pattern.diagonal[row] as usize - pattern.row_start[row] as usize] = DMat3::IDENTITY;
                return;
            }
            let mut at = 0;
            for p in base.row(row) {
                let column = base.columns[p] as usize;
                while columns[at] as usize != column {
                    at += 1;
                }
                if self.0.free[column] {
                    let scaled = stiffness[p] * -gamma2;
                    values[at] = if jacobian.has_damping { scaled - damping[p] * gamma } else { scaled };
                }
                if row == column {
                    values[at] += DMat3::from_diagonal(DVec3::splat(self.0.masses[row]));
                }
            }
            let first = jacobian.contact_blocks.partition_point(|block| (block.row as usize) < row);
            at = 0;
            for block in jacobian.contact_blocks[first..].iter().take_while(|block| block.row as usize == row) {
                while columns[at] != block.column {
                    at += 1;
                }
                if self.0.free[block.column as usize] {
                    values[at] -= block.stiffness * gamma2 + block.damping * gamma;
                }
            }
        });
    }
}

impl System {
    /// Overwrites `out` with the derivatives of the total force.
    pub fn assemble(&mut self, view: &View, kind: JacobianKind, out: &mut Jacobian) {
        out.merged = None;
        self.assemble_rows(view, kind, false, out);
    }

    /// The same including the rows of restrained particles, which [`System::assemble`] leaves out.
    pub fn assemble_all(&mut self, view: &View, kind: JacobianKind, out: &mut Jacobian) {
        out.merged = None;
        self.assemble_rows(view, kind, true, out);
    }

    /// The same for one γ only: `K + D/γ` takes the place of `K` for the models that can, which saves passes over memory.
    pub fn assemble_merged(&mut self, view: &View, kind: JacobianKind, gamma: f64, out: &mut Jacobian) {
        out.merged = Some(1.0 / gamma);
        self.assemble_rows(view, kind, false, out);
    }

    fn assemble_rows(&mut self, view: &View, kind: JacobianKind, all: bool, out: &mut Jacobian) {
        let begun = Instant::now();
        let is_merged = out.merged.is_some();
        let writes = |m: &dyn ForceModel| {
            let properties = m.properties();
            properties.depends_on_velocity && !properties.is_contact && !(is_merged && properties.merges_damping)
        };
        out.has_damping = self.models.iter().any(|m| writes(&**m));
        self.choose_rows(view.v, all, out);
        let both = [(&mut out.stiffness, true), (&mut out.damping, out.has_damping)];
        for (matrix, _) in both.into_iter().filter(|(_, is_written)| *is_written) {
            if out.is_partial {
                let BlockCsr { pattern, values } = matrix;
                out.rows.iter().for_each(|row| values[pattern.row(*row as usize)].fill(DMat3::ZERO));
            } else {
                for_each_chunk(&mut matrix.values, |_, values| values.fill(DMat3::ZERO));
            }
        }
        out.contact_blocks.clear();
        out.low_rank.clear();
        self.with_effective_view(view, |system, view| {
            system.models.iter_mut().for_each(|model| model.add_jacobian(view, kind, out))
        });
        out.merge_contact_blocks();
        self.clock.book(|clock| &mut clock.derivatives, begun);
    }
}
