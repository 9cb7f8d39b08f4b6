//! The matrix of elements with a common rotation. In its own frame an element's matrix is constant, `K_e(R) = R K_e Rᵀ` block by block, so the
//! elements of a family are summed once: `K_ij = Σ_f R_f S_f,ij R_fᵀ` over the few families f that meet at i and j, and the force is
//! `K x - Σ_f R_f g_f` with `g_f = S_f X`. The matrix is rotated when frames are updated; until then forces are products with it. ([Corotational] 7:
//! "exploiting the already computed Jacobian would speed this up".) Damping is a time τ times the matrix, `f = K (x + τ v) - c`.
//!
//! Rows sum to zero, so positions may be relative to any point: relative to a particle of the body they keep their precision far from the origin.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

use glam::{DMat3, DVec3};
use pliant_core::rows::for_each_row;
use pliant_core::{DirtySet, Element, Jacobian, Rates, View};
use pliant_linalg::block_csr::BlockCsr;
use pliant_linalg::pattern::{Pattern, PatternBuilder};
use pliant_parallel::{Partials, for_each_chunk};

use super::Frame;
use super::tetrahedron::FramedTetrahedron;
use crate::cloth::algebra::symmetric_part;
use crate::solid::cauchy::inner;

/// See the file head; rows and columns are relative to the body's first particle.
#[derive(Debug)]
pub(super) struct Families {
    first: usize,
    /// τ, s.
    damping_time: f64,
    /// K, rotated.
    matrix: BlockCsr,
    /// c, rotated.
    constant: Vec<DVec3>,
    /// The rotated blocks of K on and above the diagonal, and for every block of K the index of the one that it or its transpose equals.
    turned: Vec<DMat3>,
    upper: Vec<u32>,
    /// The terms of the sum of each of those blocks.
    part_start: Vec<u32>,
    parts: Vec<(u32, DMat3)>,
    /// `-½ Σ X·g`, J.
    rest_energy: f64,
    /// `g_f` of every row.
    rest_start: Vec<u32>,
    rest: Vec<(u32, DVec3)>,
    /// Positions of the blocks in the matrix of all bodies.
    positions: Vec<u32>,
}

impl Families {
    /// Sums families of equal size; the damping time in s; `rest` are rest positions, m.
    pub fn new(elements: &[FramedTetrahedron], family: usize, damping_time: f64, rest: &[DVec3]) -> Self {
        let nodes = || elements.iter().flat_map(|e| e.nodes());
        let first = nodes().min().unwrap_or(0) as usize;
        let rows = nodes().max().map_or(0, |n| n as usize + 1 - first);
        let mut blocks: BTreeMap<(u32, u32, u32), DMat3> = BTreeMap::new();
        let mut forces: BTreeMap<(u32, u32), DVec3> = BTreeMap::new();
        for (e, element) in elements.iter().enumerate() {
            let (frame, local) = ((e / family) as u32, element.nodes().map(|n| n - first as u32));
            let own = element.own_blocks();
            for (a, i) in local.into_iter().enumerate() {
                for (block, j) in own.row(a).into_iter().zip(local) {
                    *forces.entry((i, frame)).or_default() += block * (rest[first + j as usize] - rest[first]);
                    if j >= i {
                        *blocks.entry((i, j, frame)).or_insert(DMat3::ZERO) += block;
                    }
                }
            }
        }
        let mut builder = PatternBuilder::new(rows);
        blocks.keys().for_each(|(i, j, _)| builder.couple(*i as usize, *j as usize));
        let pattern = Arc::new(builder.build());
        let (mut part_start, mut parts) = (vec![0], Vec::new());
        let (mut sums, mut upper) = (blocks.into_iter().peekable(), vec![0; pattern.blocks()]);
        for i in 0..rows {
            for p in pattern.row(i).filter(|p| pattern.columns[*p] as usize >= i) {
                let j = pattern.columns[p];
                while let Some((key, block)) = sums.next_if(|((a, b, _), _)| (*a as usize, *b) == (i, j)) {
                    parts.push((key.2, block));
                }
                upper[p] = part_start.len() as u32 - 1;
                upper[pattern.find(j as usize, i).expect("a pattern is symmetric")] = upper[p];
                part_start.push(parts.len() as u32);
            }
        }
        let (mut rest_start, mut stored, mut rest_energy) = (vec![0; rows + 1], Vec::new(), 0.0);
        for ((i, frame), force) in forces {
            rest_energy -= 0.5 * force.dot(rest[first + i as usize] - rest[first]);
            stored.push((frame, force));
            rest_start[i as usize + 1] = stored.len() as u32;
        }
        for i in 0..rows {
            rest_start[i + 1] = rest_start[i + 1].max(rest_start[i]);
        }
        let (matrix, constant) = (BlockCsr::zeros(pattern), vec![DVec3::ZERO; rows]);
        Self {
            first,
            damping_time,
            matrix,
            constant,
            turned: vec![DMat3::ZERO; part_start.len() - 1],
            upper,
            part_start,
            parts,
            rest_energy,
            rest_start,
            rest: stored,
            positions: Vec::new(),
        }
    }

    /// Rotates the blocks of frames that have changed.
    pub fn turn(&mut self, frames: &[Frame]) {
        let (starts, parts) = (&self.part_start, &self.parts);
        for_each_chunk(&mut self.turned, |start, chunk| {
            for (u, sum) in (start..).zip(chunk) {
                let parts = &parts[starts[u] as usize..starts[u + 1] as usize];
                if !parts.iter().any(|(frame, _)| frames[*frame as usize].changed) {
                    continue;
                }
                *sum = DMat3::ZERO;
                for (frame, block) in parts {
                    let r = &frames[*frame as usize].rotation;
                    *sum += *r * *block * r.transpose();
                }
            }
        });
        let (pattern, turned, upper) = (self.matrix.pattern.clone(), &self.turned, &self.upper);
        for_each_row(&pattern, 0..pattern.rows(), &mut self.matrix.values, &mut [], &|i, offset, values, _| {
            for p in pattern.row(i) {
                let block = turned[upper[p] as usize];
                values[p - offset] = match (pattern.columns[p] as usize).cmp(&i) {
                    Ordering::Less => block.transpose(),
                    Ordering::Equal => symmetric_part(block),
                    Ordering::Greater => block,
                };
            }
        });
        let (starts, rest) = (&self.rest_start, &self.rest);
        for_each_chunk(&mut self.constant, |start, chunk| {
            for (i, constant) in (start..).zip(chunk) {
                *constant = DVec3::ZERO;
                for (frame, force) in &rest[starts[i] as usize..starts[i + 1] as usize] {
                    *constant += frames[*frame as usize].rotation * *force;
                }
            }
        });
    }

    /// Looks up the positions of the blocks.
    pub fn bind(&mut self, pattern: &Pattern) {
        let own = &self.matrix.pattern;
        let find = |i: usize, j: u32| pattern.find(self.first + i, self.first + j as usize);
        let blocks = (0..own.rows()).flat_map(|i| own.columns[own.row(i)].iter().map(move |j| (i, *j)));
        let found = blocks.map(|(i, j)| find(i, j).expect("couple() announced every pair of an element") as u32);
        self.positions = found.collect();
    }

    /// `K (x + τ v) - c`.
    pub fn add_force(&self, view: &View, out: &mut [DVec3]) {
        let range = self.first..self.first + self.constant.len();
        let (x, v, time) = (&view.x[range.clone()], &view.v[range.clone()], self.damping_time);
        let Some(origin) = x.first().copied() else { return };
        for_each_chunk(&mut out[range], |start, chunk| {
            for (i, force) in (start..).zip(chunk) {
                *force += self.row_times(i, |j| x[j] - origin + v[j] * time) - self.constant[i];
            }
        });
    }

    /// Adds the particles with forces that depend on the moved ones.
    pub fn reach(&self, moved: &DirtySet, out: &mut DirtySet) {
        let (pattern, first) = (&self.matrix.pattern, self.first);
        for i in moved.list().iter().filter_map(|n| (*n as usize).checked_sub(first)).filter(|i| *i < pattern.rows()) {
            if i == 0 {
                // positions are relative to this particle
                return (0..pattern.rows()).for_each(|row| out.add((first + row) as u32));
            }
            pattern.columns[pattern.row(i)].iter().for_each(|row| out.add(first as u32 + *row));
        }
    }

    /// Computes the force on some particles only.
    pub fn update_force(&self, view: &View, reached: &[u32], out: &mut [DVec3]) {
        let (x, v, time) = (&view.x[self.first..], &view.v[self.first..], self.damping_time);
        let own = reached.iter().filter_map(|n| (*n as usize).checked_sub(self.first));
        for i in own.filter(|i| *i < self.constant.len()) {
            out[self.first + i] += self.row_times(i, |j| x[j] - x[0] + v[j] * time) - self.constant[i];
        }
    }

    /// `(K u)_i`.
    #[inline]
    fn row_times(&self, i: usize, u: impl Fn(usize) -> DVec3) -> DVec3 {
        let row = self.matrix.pattern.row(i);
        let columns = &self.matrix.pattern.columns[row.clone()];
        self.matrix.values[row].iter().zip(columns).fold(DVec3::ZERO, |sum, (k, j)| sum + *k * u(*j as usize))
    }

    /// `-½ xᵀK x + c·x - ½ Σ X·g`, J.
    pub fn energy(&self, view: &View, partials: &mut Partials) -> f64 {
        let x = &view.x[self.first..self.first + self.constant.len()];
        let Some(origin) = x.first().copied() else { return 0.0 };
        let of = |i: usize| (x[i] - origin).dot(self.constant[i] - self.row_times(i, |j| x[j] - origin) * 0.5);
        partials.sum(x.len(), |range| range.map(of).sum()) + self.rest_energy
    }

    /// `τ vᵀK v`, W; clamped so that rounding adds no energy.
    pub fn viscous_power(&self, view: &View, partials: &mut Partials) -> f64 {
        let v = &view.v[self.first..self.first + self.constant.len()];
        let Some(drift) = v.first().copied() else { return 0.0 };
        let of = |i: usize| (v[i] - drift).dot(self.row_times(i, |j| v[j] - drift));
        (self.damping_time * partials.sum(v.len(), |range| range.map(of).sum())).min(0.0)
    }

    /// Sums of the norms of blocks in a row, without pinned partners.
    pub fn add_rates(&self, free: &[bool], out: &mut [Rates]) {
        let pattern = &self.matrix.pattern;
        for (i, rates) in out[self.first..self.first + self.constant.len()].iter_mut().enumerate() {
            let row = pattern.row(i);
            let blocks = self.matrix.values[row.clone()].iter().zip(&pattern.columns[row]);
            let felt = blocks.filter(|(_, j)| free[self.first + **j as usize]);
            let sum: f64 = felt.map(|(block, _)| inner(block, block).sqrt()).sum();
            rates.stiffness += sum;
            rates.damping += self.damping_time * sum;
        }
    }

    /// K, and τ K.
    pub fn add_jacobian(&self, out: &mut Jacobian) {
        for (block, position) in self.matrix.values.iter().zip(&self.positions) {
            out.stiffness.values[*position as usize] += *block;
        }
        if self.damping_time > 0.0 {
            for (block, position) in self.matrix.values.iter().zip(&self.positions) {
                out.damping.values[*position as usize] += *block * self.damping_time;
            }
        }
    }
}
