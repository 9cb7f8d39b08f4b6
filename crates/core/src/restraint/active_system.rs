//! Linear systems of the moving particles. With `A = -γ D - γ² K`, u the effective velocity and G the square root of ∂u/∂v, Newton's equation
//! `(1 + A M⁻¹ G²) dp = r` of momenta p becomes `(M + G A G) y = G r`, `du = G y`, `dp = r - A du`: symmetric and positive definite where the
//! energy is convex. Where G is the identity this is the matrix of a system without restraint; where G is zero the particle has no row.

use std::sync::Arc;

use glam::{DMat3, DVec3};
use pliant_linalg::block_csr::BlockCsr;
use pliant_linalg::pattern::Pattern;

use super::Activity;
use super::active_set::ActiveSet;
use crate::jacobian::Jacobian;
use crate::system::System;

/// Marks a particle without a row.
const NO_ROW: u32 = u32::MAX;

/// A linear system of the active particles.
#[derive(Debug)]
pub struct ActiveSystem {
    /// The particles with a row, in order.
    pub rows: Vec<u32>,
    /// The matrix.
    pub matrix: BlockCsr,
    /// G; `None`: the identity.
    roots: Vec<Option<DMat3>>,
    index: Vec<u32>,
    couplings: Vec<(u32, u32)>,
}

impl Default for ActiveSystem {
    fn default() -> Self {
        let matrix = BlockCsr::zeros(Arc::new(Pattern::default()));
        Self { rows: Vec::new(), matrix, roots: Vec::new(), index: Vec::new(), couplings: Vec::new() }
    }
}

impl ActiveSystem {
    /// Overwrites `out` with G r of these rows.
    pub fn gather(&self, right: &[DVec3], out: &mut Vec<DVec3>) {
        out.clear();
        let of =
            |(row, root): (&u32, &Option<DMat3>)| root.map_or(right[*row as usize], |root| root * right[*row as usize]);
        out.extend(self.rows.iter().zip(&self.roots).map(of));
    }

    /// Overwrites `out` with G y, and zero for all others.
    pub fn scatter(&self, y: &[DVec3], out: &mut [DVec3]) {
        out.fill(DVec3::ZERO);
        for ((row, root), y) in self.rows.iter().zip(&self.roots).zip(y) {
            out[*row as usize] = root.map_or(*y, |root| root * *y);
        }
    }

    /// Turns right-hand sides r into changes of velocities: `du` for freely moving particles, `M⁻¹ (r - A du)` for particles in transition, and
    /// `M⁻¹ r` for restrained particles.
    pub fn write_changes(&self, system: &System, jacobian: &Jacobian, gamma: f64, du: &[DVec3], right: &mut [DVec3]) {
        let (weights, contact_blocks) = (system.inverse_masses(), &jacobian.contact_blocks);
        let mut next = 0;
        for i in 0..right.len() {
            let at = next;
            if self.rows.get(at) != Some(&(i as u32)) {
                right[i] *= weights[i];
                continue;
            }
            next += 1;
            if self.roots[at].is_none() {
                right[i] = du[i];
                continue;
            }
            let pattern = &jacobian.stiffness.pattern;
            for p in pattern.row(i) {
                let du = du[pattern.columns[p] as usize];
                right[i] += jacobian.stiffness.values[p] * du * (gamma * gamma);
                if jacobian.has_damping {
                    right[i] += jacobian.damping.values[p] * du * gamma;
                }
            }
            let first = contact_blocks.partition_point(|block| (block.row as usize) < i);
            for block in contact_blocks[first..].iter().take_while(|block| block.row as usize == i) {
                let du = du[block.column as usize];
                right[i] += block.stiffness * du * (gamma * gamma) + block.damping * du * gamma;
            }
            right[i] *= weights[i];
        }
    }
}

impl ActiveSet<'_> {
    /// Turns `M + A` into `M + A R`, `R = ∂u/∂v` at these velocities.
    pub fn multiply_by_slopes(&self, v: &[DVec3], matrix: &mut BlockCsr) {
        let BlockCsr { pattern, values } = matrix;
        for row in (0..pattern.rows()).filter(|row| self.0.free[*row]) {
            let mass = DMat3::from_diagonal(DVec3::splat(self.0.masses[row]));
            for p in pattern.row(row) {
                let column = pattern.columns[p] as usize;
                let Some(slope) = self.slope(column, v[column]) else { continue };
                let diagonal = if column == row { mass } else { DMat3::ZERO };
                values[p] = diagonal + (values[p] - diagonal) * slope;
            }
        }
    }

    /// Whether any particle is restrained, wholly or in part, at these velocities.
    pub fn has_restrained(&self, v: &[DVec3]) -> bool {
        self.0.restraint().is_some() && v.iter().enumerate().any(|(i, v)| self.activity(i, *v) != Activity::Active)
    }

    /// Overwrites `out` with the system of the particles that move at `v`, from the derivatives assembled there.
    pub fn write_active_system(&self, jacobian: &Jacobian, gamma: f64, v: &[DVec3], out: &mut ActiveSystem) {
        let ActiveSystem { rows, matrix, roots, index, couplings } = out;
        rows.clear();
        rows.extend(
            (0..v.len())
                .filter(|i| self.0.free[*i] && self.activity(*i, v[*i]) != Activity::Restrained)
                .map(|i| i as u32),
        );
        roots.clear();
        roots.extend(rows.iter().map(|i| self.root(*i as usize, v[*i as usize])));
        index.clear();
        index.resize(v.len(), NO_ROW);
        rows.iter().zip(0..).for_each(|(row, k)| index[*row as usize] = k);
        couplings.clear();
        let contact_blocks =
            jacobian.contact_blocks.iter().map(|block| (index[block.row as usize], index[block.column as usize]));
        couplings.extend(contact_blocks.filter(|(row, column)| *row != NO_ROW && *column != NO_ROW));
        let pattern = self.0.pattern_of(rows, index).with(couplings.iter().copied());
        if *matrix.pattern != pattern {
            matrix.values.resize(pattern.blocks(), DMat3::ZERO);
            matrix.pattern = Arc::new(pattern);
        }
        let pattern = matrix.pattern.clone();
        let (base, gamma2) = (&*self.0.pattern, gamma * gamma);
        let mut contact_blocks = &jacobian.contact_blocks[..];
        for (k, row) in rows.iter().map(|row| *row as usize).enumerate() {
            let (start, columns) = (pattern.row(k).start, &pattern.columns[pattern.row(k)]);
            let values = &mut matrix.values[pattern.row(k)];
            values.fill(DMat3::ZERO);
            let mut at = 0;
            for p in base.row(row) {
                let column = index[base.columns[p] as usize];
                if column == NO_ROW {
                    continue;
                }
                while columns[at] != column {
                    at += 1;
                }
                values[at] = jacobian.stiffness.values[p] * -gamma2;
                if jacobian.has_damping {
                    values[at] -= jacobian.damping.values[p] * gamma;
                }
            }
            contact_blocks = &contact_blocks[contact_blocks.partition_point(|block| (block.row as usize) < row)..];
            at = 0;
            for block in contact_blocks.iter().take_while(|block| block.row as usize == row) {
                let column = index[block.column as usize];
                if column == NO_ROW {
                    continue;
                }
                while columns[at] != column {
                    at += 1;
                }
                values[at] -= block.stiffness * gamma2 + block.damping * gamma;
            }
            for (value, column) in values.iter_mut().zip(columns) {
                let (left, right) = (roots[k], roots[*column as usize]);
                *value = left.map_or(*value, |left| left * *value);
                *value = right.map_or(*value, |right| *value * right);
            }
            let diagonal = pattern.diagonal[k] as usize - start;
            values[diagonal] += DMat3::from_diagonal(DVec3::splat(self.0.masses[row]));
        }
    }
}

impl System {
    /// Selects the rows of derivatives to assemble.
    pub(crate) fn choose_rows(&self, v: &[DVec3], all: bool, out: &mut Jacobian) {
        out.rows.clear();
        out.is_partial = false;
        if self.restraint().is_some() && !all {
            let moves = |i: usize| self.free[i] && self.active_set().activity(i, v[i]) != Activity::Restrained;
            out.rows.extend((0..v.len()).filter(|i| moves(*i)).map(|i| i as u32));
            out.is_partial = (0..v.len()).any(|i| self.free[i] && !moves(i));
        }
    }

    /// The part of the pattern that couples these rows.
    fn pattern_of(&self, rows: &[u32], index: &[u32]) -> Pattern {
        let mut pattern = Pattern { row_start: vec![0], ..Pattern::default() };
        for (k, row) in rows.iter().enumerate() {
            for p in self.pattern.row(*row as usize) {
                let column = index[self.pattern.columns[p] as usize];
                if column == NO_ROW {
                    continue;
                }
                if column as usize == k {
                    pattern.diagonal.push(pattern.columns.len() as u32);
                }
                pattern.columns.push(column);
            }
            pattern.row_start.push(pattern.columns.len() as u32);
        }
        pattern
    }
}
