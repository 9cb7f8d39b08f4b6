//! Dispatch of the loops over neighbours: kernel, periodicity and active terms are chosen once, outside the loops.

use std::marker::PhantomData;

use super::kernel::{CubicSpline, KernelKind, Shape, WendlandC2};
use super::lanes::BLOCK;
use super::model::Sph;
use super::neighbour_list::BlockLists;
use super::neighbour_pass::{Compress, Push};
use super::particle_set::ParticleSet;
use crate::vector::{Machine, Work, on_widest};

impl Sph {
    /// Writes compressions and `p/s²` of some particles into [`ForceInput`], and their lists within the support.
    pub(super) fn compress(&mut self, is_persistent: bool, wanted: &ParticleSet) {
        match (self.settings.kernel, self.is_periodic()) {
            (KernelKind::CubicSpline, false) => self.compress_with::<CubicSpline, false>(is_persistent, wanted),
            (KernelKind::CubicSpline, true) => self.compress_with::<CubicSpline, true>(is_persistent, wanted),
            (KernelKind::WendlandC2, false) => self.compress_with::<WendlandC2, false>(is_persistent, wanted),
            (KernelKind::WendlandC2, true) => self.compress_with::<WendlandC2, true>(is_persistent, wanted),
        }
    }

    fn compress_with<S: Shape, const PERIODIC: bool>(&mut self, is_persistent: bool, wanted: &ParticleSet) {
        let lists = if is_persistent { &self.persistent } else { &self.temporary };
        let order = &lists.order[..];
        let (positions, constants, common) = (self.positions.as_flattened(), &self.constants, &self.common);
        let empty = lists.order.len() as u32;
        self.near.resize(lists.blocks.len(), BlockLists::default());
        let walls = &self.walls;
        wanted.for_each_block2(&mut self.inputs, &mut self.near, |b, wanted, out, near| {
            let (first, lists) = (b * BLOCK, &lists.blocks[b]);
            let walls = &walls[b];
            let work = Compress { first, wanted, lists, positions, constants, order, walls, common, empty, out, near };
            on_widest(Compressing::<S, PERIODIC>(work, PhantomData));
        });
    }

    fn push(&mut self, is_persistent: bool, wanted: &ParticleSet) {
        match (self.settings.kernel, self.is_periodic()) {
            (KernelKind::CubicSpline, false) => self.push_with::<CubicSpline, false>(is_persistent, wanted),
            (KernelKind::CubicSpline, true) => self.push_with::<CubicSpline, true>(is_persistent, wanted),
            (KernelKind::WendlandC2, false) => self.push_with::<WendlandC2, false>(is_persistent, wanted),
            (KernelKind::WendlandC2, true) => self.push_with::<WendlandC2, true>(is_persistent, wanted),
        }
    }

    /// Computes the forces of the values in the pressure slots only.
    pub(super) fn push_pressures(&mut self, is_persistent: bool) {
        let wanted = &ParticleSet::all();
        self.incremental.stale.add_all();
        match (self.settings.kernel, self.is_periodic()) {
            (KernelKind::CubicSpline, false) => {
                self.push_all::<CubicSpline, false, false, false>(is_persistent, wanted)
            }
            (KernelKind::CubicSpline, true) => self.push_all::<CubicSpline, true, false, false>(is_persistent, wanted),
            (KernelKind::WendlandC2, false) => self.push_all::<WendlandC2, false, false, false>(is_persistent, wanted),
            (KernelKind::WendlandC2, true) => self.push_all::<WendlandC2, true, false, false>(is_persistent, wanted),
        }
    }

    fn push_with<S: Shape, const PERIODIC: bool>(&mut self, is_persistent: bool, wanted: &ParticleSet) {
        match (self.is_viscous, self.is_cohesive) {
            (false, false) => self.push_all::<S, PERIODIC, false, false>(is_persistent, wanted),
            (true, false) => self.push_all::<S, PERIODIC, true, false>(is_persistent, wanted),
            (false, true) => self.push_all::<S, PERIODIC, false, true>(is_persistent, wanted),
            (true, true) => self.push_all::<S, PERIODIC, true, true>(is_persistent, wanted),
        }
    }

    fn push_all<S: Shape, const PERIODIC: bool, const VISCOUS: bool, const COHESIVE: bool>(
        &mut self,
        is_persistent: bool,
        wanted: &ParticleSet,
    ) {
        let lists = if is_persistent { &self.persistent } else { &self.temporary };
        let (positions, inputs, common) = (self.positions.as_flattened(), self.inputs.as_flattened(), &self.common);
        let (near, count) = (&self.near, lists.order.len());
        wanted.for_each_block(&mut self.forces, |b, wanted, out| {
            let (first, near) = (b * BLOCK, &near[b]);
            let work = Push { first, wanted, count, near, positions, inputs, common, out };
            on_widest(Pushing::<S, PERIODIC, VISCOUS, COHESIVE>(work, PhantomData));
        });
    }

    /// Computes the forces that are out of date.
    pub(super) fn push_once(&mut self, is_persistent: bool) {
        let mut stale = std::mem::take(&mut self.incremental.stale);
        if !stale.is_empty() {
            self.push(is_persistent, &stale);
            stale.clear(self.forces.len());
        }
        self.incremental.stale = stale;
    }
}

struct Compressing<'a, S, const PERIODIC: bool>(Compress<'a>, PhantomData<S>);

impl<S: Shape, const PERIODIC: bool> Work for Compressing<'_, S, PERIODIC> {
    #[inline(always)]
    fn run<M: Machine>(self, machine: M) {
        self.0.run::<M, S, PERIODIC>(machine);
    }
}

struct Pushing<'a, S, const PERIODIC: bool, const VISCOUS: bool, const COHESIVE: bool>(Push<'a>, PhantomData<S>);

impl<S: Shape, const PERIODIC: bool, const VISCOUS: bool, const COHESIVE: bool> Work
    for Pushing<'_, S, PERIODIC, VISCOUS, COHESIVE>
{
    #[inline(always)]
    fn run<M: Machine>(self, machine: M) {
        self.0.run::<M, S, PERIODIC, VISCOUS, COHESIVE>(machine);
    }
}
