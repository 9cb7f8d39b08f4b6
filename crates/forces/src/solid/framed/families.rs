//! The matrix of elements that turn together. In its own frame an element's matrix is constant, `K_e(R) = R K_e Rᵀ` block by block, so the
//! elements of a family are summed once and for all: `K_ij = Σ_f R_f S_f,ij R_fᵀ` over the few families f that meet at i and j, and the
//! force is `K x - Σ_f R_f g_f` with `g_f = S_f X`. The matrix is turned when frames are taken; until then forces are products with it. ([Corotational]
//! 7: "exploiting the already computed Jacobian would speed this up".) Damping is a time τ times the matrix, `f = K (x + τ v) - c`.
//!
//! Rows add up to nothing, so positions may be counted from any point: from a particle of the body they keep their digits far from the
//! origin.

use std::collections::BTreeMap;
use std::sync::Arc;

use glam::{DMat3, DVec3};
use pliant_core::parallel::for_each_chunk;
use pliant_core::rows::for_each_row;
use pliant_core::{Element, Jacobian, View};
use pliant_linalg::block_csr::BlockCsr;
use pliant_linalg::pattern::{Pattern, PatternBuilder};

use super::Frame;
use super::tetrahedron::FramedTetrahedron;
use crate::cloth::algebra::symmetric_part;

/// See the file head; rows and columns are counted from the body's first particle.
#[derive(Debug)]
pub(super) struct Families {
    first: usize,
    /// τ, s.
    damping_time: f64,
    /// K, turned.
    matrix: BlockCsr,
    /// c, turned.
    constant: Vec<DVec3>,
    /// For every block where its parts are: those on and above the diagonal; the block below is the transpose.
    upper: Vec<u32>,
    part_start: Vec<u32>,
    parts: Vec<(u32, DMat3)>,
    /// `g_f` of every row.
    rest_start: Vec<u32>,
    rest: Vec<(u32, DVec3)>,
    /// Where the blocks are in the matrix of all bodies.
    positions: Vec<u32>,
}

impl Families {
    /// Sums up families of equal size; `rest` are positions at rest.
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
        let (mut part_start, mut parts) = (vec![0; pattern.blocks() + 1], Vec::new());
        let (mut sums, mut upper) = (blocks.into_iter().peekable(), vec![0; pattern.blocks()]);
        for i in 0..rows {
            for p in pattern.row(i) {
                let j = pattern.columns[p];
                while let Some((key, block)) = sums.next_if(|((a, b, _), _)| (*a as usize, *b) == (i, j)) {
                    parts.push((key.2, block));
                }
                part_start[p + 1] = parts.len() as u32;
                let mirrored = pattern.find((j as usize).min(i), (j as usize).max(i));
                upper[p] = mirrored.expect("a pattern is symmetric") as u32;
            }
        }
        let (mut rest_start, mut rest) = (vec![0; rows + 1], Vec::new());
        for ((i, frame), force) in forces {
            rest.push((frame, force));
            rest_start[i as usize + 1] = rest.len() as u32;
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
            upper,
            part_start,
            parts,
            rest_start,
            rest,
            positions: Vec::new(),
        }
    }

    /// Turns the matrix into new frames.
    pub fn turn(&mut self, frames: &[Frame]) {
        let pattern = self.matrix.pattern.clone();
        let (upper, starts, parts) = (&self.upper, &self.part_start, &self.parts);
        let turned = |frame: u32, block: &DMat3| {
            let r = &frames[frame as usize].rotation;
            *r * *block * r.transpose()
        };
        let rows = 0..pattern.rows();
        for_each_row(&pattern, rows.clone(), &mut self.matrix.values, &mut [], &|i, offset, values, _| {
            for p in pattern.row(i) {
                let u = upper[p] as usize;
                let mut sum = DMat3::ZERO;
                for (frame, block) in &parts[starts[u] as usize..starts[u + 1] as usize] {
                    sum += turned(*frame, block);
                }
                let j = pattern.columns[p] as usize;
                values[p - offset] = match j.cmp(&i) {
                    std::cmp::Ordering::Less => sum.transpose(),
                    std::cmp::Ordering::Equal => symmetric_part(sum),
                    std::cmp::Ordering::Greater => sum,
                };
            }
        });
        for (i, constant) in rows.zip(&mut self.constant) {
            *constant = DVec3::ZERO;
            for (frame, force) in &self.rest[self.rest_start[i] as usize..self.rest_start[i + 1] as usize] {
                *constant += frames[*frame as usize].rotation * *force;
            }
        }
    }

    /// Looks up where the blocks are.
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
        let (x, v) = (&view.x[range.clone()], &view.v[range.clone()]);
        let (matrix, pattern, time) = (&self.matrix, &self.matrix.pattern, self.damping_time);
        let constant = &self.constant;
        let Some(origin) = x.first().copied() else { return };
        for_each_chunk(&mut out[range], |start, chunk| {
            for (i, force) in (start..).zip(chunk) {
                let row = pattern.row(i);
                let mut sum = -constant[i];
                for (block, j) in matrix.values[row.clone()].iter().zip(&pattern.columns[row]) {
                    let j = *j as usize;
                    sum += *block * (x[j] - origin + v[j] * time);
                }
                *force += sum;
            }
        });
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
