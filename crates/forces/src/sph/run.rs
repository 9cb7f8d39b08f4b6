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
    /// Writes compressions and `p/s²` of some particles into [`Motion`], and their lists within the support.
    pub(super) fn compress(&mut self, kept: bool, wanted: &ParticleSet) {
        match (self.settings.kernel, self.is_periodic()) {
            (KernelKind::CubicSpline, false) => self.compress_with::<CubicSpline, false>(kept, wanted),
            (KernelKind::CubicSpline, true) => self.compress_with::<CubicSpline, true>(kept, wanted),
            (KernelKind::WendlandC2, false) => self.compress_with::<WendlandC2, false>(kept, wanted),
            (KernelKind::WendlandC2, true) => self.compress_with::<WendlandC2, true>(kept, wanted),
        }
    }

    fn compress_with<S: Shape, const PERIODIC: bool>(&mut self, kept: bool, wanted: &ParticleSet) {
        let lists = if kept { &self.kept } else { &self.passing };
        let order = &lists.order[..];
        let (places, constants, common) = (self.places.as_flattened(), &self.constants, &self.common);
        let empty = lists.order.len() as u32;
        self.near.resize(lists.blocks.len(), BlockLists::default());
        let walls = &self.walls;
        wanted.for_each_block2(&mut self.motions, &mut self.near, |b, wanted, out, near| {
            let (first, lists) = (b * BLOCK, &lists.blocks[b]);
            let walls = &walls[b];
            let work = Compress { first, wanted, lists, places, constants, order, walls, common, empty, out, near };
            on_widest(Compressing::<S, PERIODIC>(work, PhantomData));
        });
    }

    fn push(&mut self, kept: bool, wanted: &ParticleSet) {
        match (self.settings.kernel, self.is_periodic()) {
            (KernelKind::CubicSpline, false) => self.push_with::<CubicSpline, false>(kept, wanted),
            (KernelKind::CubicSpline, true) => self.push_with::<CubicSpline, true>(kept, wanted),
            (KernelKind::WendlandC2, false) => self.push_with::<WendlandC2, false>(kept, wanted),
            (KernelKind::WendlandC2, true) => self.push_with::<WendlandC2, true>(kept, wanted),
        }
    }

    /// Computes the forces of the values in the pressure slots only.
    pub(super) fn push_pressures(&mut self, kept: bool) {
        let wanted = &ParticleSet::all();
        self.incremental.stale.add_all();
        match (self.settings.kernel, self.is_periodic()) {
            (KernelKind::CubicSpline, false) => self.push_all::<CubicSpline, false, false, false>(kept, wanted),
            (KernelKind::CubicSpline, true) => self.push_all::<CubicSpline, true, false, false>(kept, wanted),
            (KernelKind::WendlandC2, false) => self.push_all::<WendlandC2, false, false, false>(kept, wanted),
            (KernelKind::WendlandC2, true) => self.push_all::<WendlandC2, true, false, false>(kept, wanted),
        }
    }

    fn push_with<S: Shape, const PERIODIC: bool>(&mut self, kept: bool, wanted: &ParticleSet) {
        match (self.is_viscous, self.is_cohesive) {
            (false, false) => self.push_all::<S, PERIODIC, false, false>(kept, wanted),
            (true, false) => self.push_all::<S, PERIODIC, true, false>(kept, wanted),
            (false, true) => self.push_all::<S, PERIODIC, false, true>(kept, wanted),
            (true, true) => self.push_all::<S, PERIODIC, true, true>(kept, wanted),
        }
    }

    fn push_all<S: Shape, const PERIODIC: bool, const VISCOUS: bool, const COHESIVE: bool>(
        &mut self,
        kept: bool,
        wanted: &ParticleSet,
    ) {
        let lists = if kept { &self.kept } else { &self.passing };
        let (places, motions, common) = (self.places.as_flattened(), self.motions.as_flattened(), &self.common);
        let (near, count) = (&self.near, lists.order.len());
        wanted.for_each_block(&mut self.forces, |b, wanted, out| {
            let (first, near) = (b * BLOCK, &near[b]);
            let work = Push { first, wanted, count, near, places, motions, common, out };
            on_widest(Pushing::<S, PERIODIC, VISCOUS, COHESIVE>(work, PhantomData));
        });
    }

    /// Computes the forces that are out of date.
    pub(super) fn push_once(&mut self, kept: bool) {
        let mut stale = std::mem::take(&mut self.incremental.stale);
        if !stale.is_empty() {
            self.push(kept, &stale);
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
