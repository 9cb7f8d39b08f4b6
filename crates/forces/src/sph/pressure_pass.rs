//! The loops over neighbours of `pressure_solve.rs`.

use std::marker::PhantomData;

use super::boundary_index::Scale;
use super::kernel::{CubicSpline, KernelKind, Shape, WendlandC2};
use super::lanes::{BLOCK, ForceInput, Vector4};
use super::neighbour_list::BlockLists;
use super::neighbour_pass::{Common, apart};
use crate::vector::{Machine, Number, Work};

/// Inputs of the loops over the neighbours of a block.
pub(super) struct Neighbours<'a> {
    pub first: usize,
    /// Number of particles in all blocks.
    pub count: usize,
    pub near: &'a BlockLists,
    pub scales: &'a [Scale; BLOCK],
    /// `∂s/∂x` by walls, and `ṡ` by moving walls.
    pub walls: &'a [Vector4; BLOCK],
    pub positions: &'a [Vector4],
    pub inputs: &'a [ForceInput],
    pub common: &'a Common,
}

/// The sum to compute.
pub(super) enum Sum<'a> {
    /// `1/(V D)`; expects 1/m in the pressure's slot.
    Diagonal { rows: &'a mut [Vector4; BLOCK], start: &'a mut [Vector4; BLOCK] },
    /// `c + dt ṡ`.
    Rate { rows: &'a mut [Vector4; BLOCK], dt: f64 },
}

impl<'a> Neighbours<'a> {
    /// The pass, for a kernel.
    pub fn dispatched(self, kind: KernelKind, periodic: bool, sum: Sum<'a>) -> impl Work {
        Dispatched { all: self, kind, periodic, sum }
    }

    #[inline(always)]
    fn run<M: Machine, S: Shape, const PERIODIC: bool>(self, machine: M, sum: Sum, _: PhantomData<S>) {
        match sum {
            Sum::Diagonal { rows, start } => self.diagonal::<M, S, PERIODIC>(machine, rows, start),
            Sum::Rate { rows, dt } => self.rate::<M, S, PERIODIC>(machine, rows, dt),
        }
    }

    #[inline(always)]
    fn diagonal<M: Machine, S: Shape, const PERIODIC: bool>(
        self,
        machine: M,
        rows: &mut [Vector4; BLOCK],
        start: &mut [Vector4; BLOCK],
    ) {
        let per_length = machine.splat(self.common.per_length);
        let all = rows.iter_mut().zip(start).enumerate().take(self.count.saturating_sub(self.first));
        for (at, (row, start)) in all {
            let own = self.positions[self.first + at].0;
            let weight = self.inputs[self.first + at].velocity[3];
            let middle = [own[0], own[1], own[2]].map(|x| machine.splat(x));
            let (mut sums, mut square) = ([machine.splat(0.0); 3], machine.splat(0.0));
            for group in self.near.of(at) {
                let [x, y, z, volume] = machine.turned(group.map(|j| &self.positions[j as usize].0));
                let [_, _, _, w] = machine.turned(group.map(|j| &self.inputs[j as usize].velocity));
                let [dx, dy, dz] = apart::<M, PERIODIC>(middle, [x, y, z], self.common);
                let r2 = dx * dx + dy * dy + dz * dz;
                let (up, down) = S::slope(per_length * r2.sqrt());
                let slope = volume * up / down;
                (sums[0], sums[1], sums[2]) = (sums[0] + slope * dx, sums[1] + slope * dy, sums[2] + slope * dz);
                square = square + slope * slope * r2 * w;
            }
            let scale = self.scales[at].factor * self.common.sigma_slope;
            let wall = &self.walls[at].0;
            let gradient: [f64; 3] = std::array::from_fn(|k| scale * machine.total(sums[k]) + wall[k]);
            let own_square = gradient[0] * gradient[0] + gradient[1] * gradient[1] + gradient[2] * gradient[2];
            let diagonal = own[3] * (weight * own_square + scale * scale * machine.total(square));
            row.0[1] = if diagonal > 0.0 { 1.0 / diagonal } else { 0.0 };
            start.0[3] = weight;
        }
    }

    #[inline(always)]
    fn rate<M: Machine, S: Shape, const PERIODIC: bool>(self, machine: M, rows: &mut [Vector4; BLOCK], dt: f64) {
        let per_length = machine.splat(self.common.per_length);
        for (at, row) in rows.iter_mut().enumerate().take(self.count.saturating_sub(self.first)) {
            let (own, input) = (self.positions[self.first + at].0, &self.inputs[self.first + at]);
            let middle = [own[0], own[1], own[2]].map(|x| machine.splat(x));
            let [vx, vy, vz, _] = input.velocity.map(|v| machine.splat(v));
            let mut sum = machine.splat(0.0);
            for group in self.near.of(at) {
                let [x, y, z, volume] = machine.turned(group.map(|j| &self.positions[j as usize].0));
                let [ux, uy, uz, _] = machine.turned(group.map(|j| &self.inputs[j as usize].velocity));
                let [dx, dy, dz] = apart::<M, PERIODIC>(middle, [x, y, z], self.common);
                let (up, down) = S::slope(per_length * (dx * dx + dy * dy + dz * dz).sqrt());
                let rate = dx * (vx - ux) + dy * (vy - uy) + dz * (vz - uz);
                sum = sum + volume * up * rate / down;
            }
            let scale = self.scales[at].factor * self.common.sigma_slope;
            let (wall, v) = (&self.walls[at].0, &input.velocity);
            let by_walls = wall[0] * v[0] + wall[1] * v[1] + wall[2] * v[2] + wall[3];
            row.0[3] = row.0[2] + dt * (scale * machine.total(sum) + by_walls);
        }
    }
}

struct Dispatched<'a> {
    all: Neighbours<'a>,
    kind: KernelKind,
    periodic: bool,
    sum: Sum<'a>,
}

impl Work for Dispatched<'_> {
    #[inline(always)]
    fn run<M: Machine>(self, machine: M) {
        let Self { all, kind, periodic, sum } = self;
        match (kind, periodic) {
            (KernelKind::CubicSpline, false) => all.run::<M, _, false>(machine, sum, PhantomData::<CubicSpline>),
            (KernelKind::CubicSpline, true) => all.run::<M, _, true>(machine, sum, PhantomData::<CubicSpline>),
            (KernelKind::WendlandC2, false) => all.run::<M, _, false>(machine, sum, PhantomData::<WendlandC2>),
            (KernelKind::WendlandC2, true) => all.run::<M, _, true>(machine, sum, PhantomData::<WendlandC2>),
        }
    }
}
