//! Bonds as a force model.

use glam::{DMat3, DVec3};
use pliant_core::rows::for_each_row;
use pliant_core::{
    CollisionFreeStep, CollisionModel, DirtySet, Fields, ForceModel, ForceProperties, Incremental, Jacobian,
    JacobianKind, Observable, Rates, Stateful, StepLimited, Stretchable, View,
};
use pliant_linalg::pattern::{Pattern, PatternBuilder};
use pliant_parallel::for_each_chunk;

use super::families::LANES;
use super::model::Peridynamics;
use super::pass::BLOCK;
use crate::cloth::algebra::outer;

/// Bits of broken bonds per number of the memory.
const BITS: usize = 32;

impl Peridynamics {
    /// `∂f_i/∂x_j` of a bond: `k (n nᵀ + (e/l) (I - n nᵀ))`, where e is the elongation that its force is proportional to; zero where it has no
    /// force.
    fn block(&self, i: usize, group: usize, lane: usize, kind: JacobianKind) -> DMat3 {
        let (k, rest) = (self.families.stiffness[group][lane], self.families.rest[group][lane]);
        let j = self.families.other[group][lane] as usize;
        let ([ax, ay, az, _], [bx, by, bz, _]) = (self.places[i].0, self.places[j].0);
        let apart = DVec3::new(bx - ax, by - ay, bz - az);
        let length = apart.length();
        let near = self.constants[self.nature_of[i] as usize].near;
        let long = if k > 0.0 { length - rest } else { (length - rest.min(near)).min(0.0) };
        if k < 0.0 && long == 0.0 || length == 0.0 {
            return DMat3::ZERO;
        }
        let n = apart / length;
        let across = if kind == JacobianKind::Psd { long.max(0.0) } else { long } / length;
        let along = outer(n, n);
        (along * (1.0 - across) + DMat3::from_diagonal(DVec3::splat(across))) * k.abs()
    }

    /// All bonds once, with the lower index first, in order.
    fn each_once(&self) -> impl Iterator<Item = (usize, usize, usize, usize)> {
        (0..self.families.len()).flat_map(|i| {
            let own = self.families.bonds(i).filter(move |(_, _, j)| *j > i);
            own.map(move |(group, lane, j)| (i, group, lane, j))
        })
    }
}

impl ForceModel for Peridynamics {
    fn name(&self) -> &'static str {
        "peridynamics"
    }

    fn properties(&self) -> ForceProperties {
        ForceProperties {
            is_steady: !self.just_broke,
            is_internal: true,
            limits_steps: true,
            breaks: self.bodies().iter().any(|body| body.material.release.is_finite()),
            ..ForceProperties::default()
        }
    }

    fn energy(&mut self, view: &View) -> Option<f64> {
        self.evaluate(view);
        Some(self.energy_there())
    }

    fn add_force(&mut self, view: &View, out: &mut [DVec3]) {
        self.evaluate(view);
        let pulled = &self.pulled;
        for_each_chunk(&mut out[self.first..self.first + self.families.len()], |start, chunk| {
            for (i, out) in (start..).zip(chunk) {
                let [x, y, z, _] = pulled[i / BLOCK].out[i % BLOCK].0;
                *out += DVec3::new(x, y, z);
            }
        });
        self.incremental.changed.clear(self.families.len());
    }

    fn couple(&self, pattern: &mut PatternBuilder) {
        for (i, _, _, j) in self.each_once() {
            pattern.couple(self.first + i, self.first + j);
        }
    }

    fn bind(&mut self, pattern: &Pattern) {
        self.positions.clear();
        for i in 0..self.families.len() {
            for group in self.families.groups(i) {
                let at = |lane: usize| {
                    let j = self.families.other[group][lane] as usize;
                    pattern.find(self.first + i, self.first + j).expect("couple() announced every bond") as u32
                };
                self.positions.push(std::array::from_fn(at));
            }
        }
    }

    fn add_jacobian(&mut self, view: &View, kind: JacobianKind, out: &mut Jacobian) {
        self.evaluate(view);
        let pattern = out.stiffness.pattern.clone();
        let rows = self.first..self.first + self.families.len();
        let values = pattern.row_start[rows.start] as usize..pattern.row_start[rows.end] as usize;
        let own = &*self;
        let add_row = |row: usize, first: usize, values: &mut [DMat3]| {
            let i = row - own.first;
            let mut sum = DMat3::ZERO;
            for group in own.families.groups(i) {
                for lane in 0..LANES {
                    if own.families.stiffness[group][lane] != 0.0 {
                        let block = own.block(i, group, lane, kind);
                        values[own.positions[group][lane] as usize - first] += block;
                        sum += block;
                    }
                }
            }
            values[pattern.diagonal[row] as usize - first] -= sum;
        };
        if out.is_partial {
            let wanted = out.rows.iter().map(|row| *row as usize).filter(|row| rows.contains(row));
            return wanted.for_each(|row| add_row(row, 0, &mut out.stiffness.values));
        }
        for_each_row(&pattern, rows, &mut out.stiffness.values[values], &mut [], &|row, first, values, _| {
            add_row(row, first, values);
        });
    }

    fn add_rates(&mut self, view: &View, free: &[bool], out: &mut [Rates]) {
        self.evaluate(view);
        for i in 0..self.families.len() {
            for (group, lane, j) in self.families.bonds(i) {
                let k = self.families.stiffness[group][lane];
                let near = self.constants[self.nature_of[i] as usize].near;
                if k > 0.0 || self.length(i, j) < near {
                    // pinned partners are not part of the system
                    let partners = 1.0 + f64::from(u8::from(free[self.first + j]));
                    out[self.first + i].stiffness += partners * k.abs();
                }
            }
        }
    }

    pliant_core::capabilities!(stateful, incremental, collision, step_limited, observable, stretchable);
}

impl Stateful for Peridynamics {
    fn begin_step(&mut self, from: &View) -> bool {
        self.evaluate(from);
        self.just_broke = self.break_overlong();
        self.just_broke
    }

    fn released_energy(&self) -> f64 {
        self.released
    }

    fn max_next_step(&self) -> f64 {
        if self.just_broke { self.step_after } else { f64::INFINITY }
    }

    fn reset(&mut self) {
        self.mend();
    }

    fn memory(&self) -> Vec<f64> {
        let broken: Vec<bool> =
            self.each_once().map(|(_, group, lane, _)| self.families.stiffness[group][lane] < 0.0).collect();
        let number = |bits: &[bool]| bits.iter().rev().fold(0.0, |sum, bit| 2.0 * sum + f64::from(u8::from(*bit)));
        [self.released, self.broken as f64].into_iter().chain(broken.chunks(BITS).map(number)).collect()
    }

    fn restore(&mut self, memory: &[f64]) -> usize {
        let bonds: Vec<_> = self.each_once().collect();
        let count = 2 + bonds.len().div_ceil(BITS);
        let Some(([released, broken], words)) = memory.get(..count).and_then(|all| all.split_first_chunk::<2>()) else {
            return 0;
        };
        for (at, (i, group, lane, j)) in bonds.into_iter().enumerate() {
            let is_broken = (words[at / BITS] as u64) >> (at % BITS) & 1 == 1;
            let sign = if is_broken { -1.0 } else { 1.0 };
            for (group, lane) in [Some((group, lane)), self.families.find(j, i)].into_iter().flatten() {
                let k = &mut self.families.stiffness[group][lane];
                *k = sign * k.abs();
            }
        }
        (self.released, self.broken) = (*released, *broken as u64);
        self.changed();
        count
    }
}

impl Incremental for Peridynamics {
    fn mark_dirty(&mut self, view: &View, _moved: &DirtySet, out: &mut DirtySet) {
        self.evaluate(view);
        out.join(&self.incremental.changed, self.first);
    }

    fn update_force(&mut self, _view: &View, reached: &[u32], out: &mut [DVec3]) {
        let own = reached.iter().filter_map(|particle| (*particle as usize).checked_sub(self.first));
        for i in own.filter(|i| *i < self.families.len()) {
            let [x, y, z, _] = self.pulled[i / BLOCK].out[i % BLOCK].0;
            out[self.first + i] += DVec3::new(x, y, z);
        }
        self.incremental.changed.clear(self.families.len());
    }
}

impl CollisionModel for Peridynamics {
    fn collision_free_step(&mut self, from: &View, to: &View) -> CollisionFreeStep {
        let tearing = self.free_of_tearing(from, to);
        let apart = self.free_of_passing(from, to);
        if apart.fraction < tearing.fraction { apart } else { tearing }
    }
}

impl StepLimited for Peridynamics {
    fn step_limit(&mut self, _view: &View, _force: &[DVec3], _inverse_masses: &[f64]) -> f64 {
        self.longest_step
    }
}

impl Observable for Peridynamics {
    fn write_fields(&mut self, _view: &View, out: &mut Fields) {
        let range = self.first..self.first + self.families.len();
        out.field(Fields::DAMAGE)[range.clone()].copy_from_slice(&self.damage());
        let fragments = self.fragments();
        let numbers = out.field(Fields::FRAGMENT)[range].iter_mut().zip(&fragments.of);
        // 0 marks particles of no fragment
        numbers.for_each(|(out, fragment)| *out = f64::from(*fragment) + 1.0);
    }
}

impl Stretchable for Peridynamics {
    fn stretch(&self, from: &View, to: &View) -> Option<f64> {
        let length = |view: &View, i: usize, j: usize| view.x[self.first + i].distance(view.x[self.first + j]);
        let holding = self.each_once().filter(|(_, group, lane, _)| self.families.stiffness[*group][*lane] > 0.0);
        let changes = holding.map(|(i, _, _, j)| (length(to, i, j) - length(from, i, j)).abs());
        changes.reduce(|a, b| if b > a || b.is_nan() { b } else { a })
    }
}
