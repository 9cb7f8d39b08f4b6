//! Weakly compressible fluids: their state between evaluations. What acts is in `pass.rs` and `wall.rs`, who is near whom in `list.rs` and
//! `shore.rs`, and what the solver sees of it in `force.rs`.
//!
//! Lists of neighbours are made for the positions at which a step begins and kept over steps while no particle has gone farther than half the
//! skin. A view beyond that gets lists of its own; if the next step begins exactly there, they are kept, and the force that was
//! evaluated with them stays what it was. So a force is a function of the view and of the positions for which lists were kept, which
//! [`ForceModel::memory`] gives away, and an attempt that is thrown away leaves nothing behind.
//!
//! The smoothing of velocities called XSPH moves particles with another velocity than the one that carries their momentum. A force cannot
//! say so, and integrators here know one velocity; it is left out, and artificial viscosity is what keeps particles in order.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, Ordering};

use glam::DVec3;
use pliant_core::View;
use pliant_core::parallel::{Partials, for_each_task, for_each_task2};

use super::confine::Pressing;
use super::kernel::{CubicSpline, Dimension, Kernel, KernelKind, Shape, WendlandC2};
use super::lanes::{BLOCK, Motion, Period, Place};
use super::list::{BlockLists, Lists, NOWHERE};
use super::pass::{Common, Compress, Nature, Push, cohesion};
use super::settings::{Boundaries, Fluid, FluidError, SphSettings};
use super::shore::{Scale, Shore};
use super::stream::{Flow, Stream};
use super::wall::WallLaw;
use crate::vector::{Machine, Work, on_widest};

/// See the file head.
pub struct Sph {
    pub(super) settings: SphSettings,
    pub(super) kernel: Kernel,
    pub(super) common: Common,
    pub(super) fluids: Vec<Fluid>,
    pub(super) natures: Vec<Nature>,
    pub(super) fluid_particles: Vec<u32>,
    pub(super) law: WallLaw,
    pub(super) shore: Shore,
    pub(super) flows: Vec<Flow>,
    /// What walls make of s, sorted as the lists are.
    pub(super) walls: Vec<[Scale; BLOCK]>,
    pub(super) is_viscous: bool,
    pub(super) is_cohesive: bool,
    pub(super) kept: Lists,
    pub(super) passing: Lists,
    /// Sorted as the lists are.
    pub(super) places: Vec<[Place; BLOCK]>,
    pub(super) motions: Vec<[Motion; BLOCK]>,
    pub(super) forces: Vec<[Place; BLOCK]>,
    /// Lists of those within the support, of fluids alone, where compressions were evaluated last.
    pub(super) near: Vec<BlockLists>,
    /// Which lists, and which edition of them, the sorted particles were gathered for.
    pub(super) gathered: Option<(bool, u64)>,
    /// Stiffness of the fluid against the particles of sheets, N/m.
    pub(super) stiffness: Vec<f64>,
    pub(super) pressing: Pressing,
    /// Whether `forces` are those at the positions and velocities that were gathered last.
    pub(super) pushed: bool,
    sums: Vec<f64>,
    pub(super) partials: Partials,
}

impl Sph {
    /// Fluids among `count` particles, and what bounds them. No particle may belong to two fluids.
    pub fn new(
        count: usize,
        fluids: Vec<Fluid>,
        boundaries: &Boundaries,
        settings: SphSettings,
    ) -> Result<Self, FluidError> {
        settings.check()?;
        boundaries.check(count)?;
        let (h, kernel) = (settings.smoothing_length, settings.kernel());
        let spread = 2.0 * (settings.dimension.number() as f64 + 2.0);
        let nobody = Nature::NOBODY;
        let mut natures = vec![nobody; count];
        let mut owned = vec![false; count];
        let mut own = |range: &std::ops::Range<usize>| -> Result<Vec<u32>, FluidError> {
            if range.end > count || range.start > range.end {
                return Err(FluidError::NoSuchParticles { from: range.start, to: range.end, count });
            }
            match range.clone().find(|&particle| std::mem::replace(&mut owned[particle], true)) {
                Some(particle) => Err(FluidError::TwoOwners { particle }),
                None => Ok(range.clone().map(|particle| particle as u32).collect()),
            }
        };
        let mut fluid_particles = Vec::new();
        for fluid in &fluids {
            fluid.check()?;
            fluid_particles.extend(own(&fluid.particles)?);
            let rho = fluid.rest_density;
            let artificial = rho * fluid.artificial_viscosity * h * fluid.sound_speed;
            let laminar = spread * rho * fluid.kinematic_viscosity;
            natures[fluid.particles.clone()].fill(Nature {
                volume: fluid.mass / rho,
                base: kernel.value(0.0) * fluid.mass / rho,
                pair: [artificial.sqrt(), laminar.sqrt(), (fluid.cohesion * rho).sqrt()],
                stiffness: if settings.incompressible.is_some() { 0.0 } else { fluid.stiffness() },
                floor: if fluid.clamped { 0.0 } else { f64::NEG_INFINITY },
                background: fluid.background_pressure,
            });
        }
        let common = Common {
            per_length: 1.0 / h,
            sigma: kernel.sigma(),
            sigma_slope: kernel.sigma() / (h * h),
            softening: 0.01 * h * h,
            periods: settings.periods.map(Period::new),
        };
        let lists = Lists::new(settings.reach(), settings.periods, settings.dimension == Dimension::Two);
        let spacing = if boundaries.spacing > 0.0 { boundaries.spacing } else { h };
        let law = WallLaw::new(&kernel, spacing);
        let shore = Shore::new(law, settings.skin.max(0.25) * h, count, &fluid_particles, boundaries);
        Ok(Self {
            is_viscous: fluids.iter().any(|f| f.artificial_viscosity > 0.0 || f.kinematic_viscosity > 0.0),
            is_cohesive: fluids.iter().any(|f| f.cohesion > 0.0),
            settings,
            kernel,
            common,
            fluids,
            natures,
            fluid_particles,
            law,
            shore,
            flows: Vec::new(),
            walls: Vec::new(),
            kept: lists.clone(),
            passing: lists,
            places: Vec::new(),
            motions: Vec::new(),
            forces: Vec::new(),
            near: Vec::new(),
            gathered: None,
            stiffness: Vec::new(),
            pressing: Pressing::default(),
            pushed: false,
            sums: Vec::new(),
            partials: Partials::default(),
        })
    }

    /// Adds a source and its outlets.
    pub fn add_stream(&mut self, stream: Stream) -> Result<(), FluidError> {
        stream.check(self.natures.len())?;
        self.flows.push(Flow::new(stream));
        Ok(())
    }

    /// The fluids.
    pub fn fluids(&self) -> &[Fluid] {
        &self.fluids
    }

    /// What holds for all of them.
    pub fn settings(&self) -> &SphSettings {
        &self.settings
    }

    /// How far a particle may go before lists are made anew, m.
    fn leash(&self) -> f64 {
        0.5 * self.settings.skin * self.settings.smoothing_length
    }

    /// Whether the kept lists hold for these positions.
    pub(super) fn holds(&mut self, x: &[DVec3]) -> bool {
        let (leash, kept, flat) = (self.leash(), &self.kept, self.settings.dimension == Dimension::Two);
        if kept.reference.len() != x.len() {
            return false;
        }
        let farthest = self.partials.max(x.len(), |i| {
            let d = x[i] - kept.reference[i];
            // those of other bodies may go where they like
            let square = d.x * d.x + d.y * d.y + if flat { 0.0 } else { d.z * d.z };
            if kept.rank[i] == NOWHERE { 0.0 } else { square }
        });
        farthest.is_none_or(|(_, square)| square <= leash * leash)
    }

    /// Lists that hold at a view: which of the two.
    fn find(&mut self, x: &[DVec3]) -> bool {
        let kept = self.holds(x);
        if !kept && !self.passing.are_for(x) {
            self.passing.make(x, &self.fluid_particles);
        }
        kept
    }

    /// Lists, sorted positions and velocities for a view; whether the kept lists hold, and whether anyone is elsewhere than the last time.
    fn gather(&mut self, view: &View) -> (bool, bool) {
        let kept = self.find(view.x);
        let lists = if kept { &self.kept } else { &self.passing };
        let (blocks, flat) = (lists.blocks.len(), self.settings.dimension == Dimension::Two);
        self.places.resize(blocks, [Place::default(); BLOCK]);
        self.motions.resize(blocks, [Motion::default(); BLOCK]);
        self.forces.resize(blocks, [Place::default(); BLOCK]);
        let (order, natures, nobody) = (&lists.order, &self.natures, Nature::NOBODY);
        let count = order.len();
        // what never changes stays where it is as long as the order does
        let now = (kept, lists.edition);
        let is_sorted = self.gathered.replace(now) == Some(now);
        let (moved, turned) = (AtomicBool::new(!is_sorted), AtomicBool::new(false));
        for_each_task2(&mut self.places, &mut self.motions, |b, places, motions| {
            let (mut is_new, mut is_turned) = (false, false);
            let rest = places.iter_mut().zip(motions);
            for (&id, (place, motion)) in order[(b * BLOCK).min(count)..].iter().zip(rest) {
                let (x, v) = (view.x[id as usize], view.v[id as usize]);
                is_new |= place.0[0] != x.x || place.0[1] != x.y || !flat && place.0[2] != x.z;
                is_turned |=
                    motion.velocity[0] != v.x || motion.velocity[1] != v.y || !flat && motion.velocity[2] != v.z;
                (place.0[0], place.0[1]) = (x.x, x.y);
                (motion.velocity[0], motion.velocity[1]) = (v.x, v.y);
                if !flat {
                    (place.0[2], motion.velocity[2]) = (x.z, v.z);
                }
            }
            if is_new {
                moved.store(true, Ordering::Relaxed);
            }
            if is_turned {
                turned.store(true, Ordering::Relaxed);
            }
        });
        if !is_sorted {
            for_each_task2(&mut self.places, &mut self.motions, |b, places, motions| {
                for (k, (place, motion)) in (b * BLOCK..).zip(places.iter_mut().zip(motions)) {
                    // whoever stands behind the last has no volume
                    let nature = order.get(k).map_or(&nobody, |&id| &natures[id as usize]);
                    let [a, l, c] = nature.pair;
                    place.0[3] = nature.volume;
                    (motion.velocity[3], motion.pair) = (0.0, [1.0, a, l, c]);
                }
            });
        }
        let moved = moved.into_inner();
        self.pushed &= !moved && !turned.into_inner();
        (kept, moved)
    }

    /// Compressions and `p/s²` into [`Motion`]; whether the kept lists were used.
    pub(super) fn evaluate(&mut self, view: &View) -> bool {
        let (kept, moved) = self.gather(view);
        // the energy and the power of viscosity are asked for where the force was
        if moved || self.shore.moves() {
            self.pushed = false;
            self.add_walls(view, kept);
            self.compress(kept);
        }
        kept
    }

    /// What walls make of s.
    fn add_walls(&mut self, view: &View, kept: bool) {
        let lists = if kept { &self.kept } else { &self.passing };
        self.walls.resize(lists.blocks.len(), [Scale::NONE; BLOCK]);
        let walls = self.walls.as_flattened_mut();
        // whoever touched a wall may touch none now
        walls.fill(Scale::NONE);
        self.shore.find(view);
        for wet in self.shore.blocks.iter().flat_map(|block| &block.wet) {
            if let Some(wall) = walls.get_mut(lists.rank[wet.particle as usize] as usize) {
                *wall = wet.scale;
            }
        }
        // what is still in a pipe feels no walls
        for particle in self.flows.iter().flat_map(Flow::held) {
            if let Some(wall) = walls.get_mut(lists.rank[particle] as usize) {
                *wall = Scale::NONE;
            }
        }
    }

    fn compress(&mut self, kept: bool) {
        match (self.settings.kernel, self.is_periodic()) {
            (KernelKind::CubicSpline, false) => self.compress_with::<CubicSpline, false>(kept),
            (KernelKind::CubicSpline, true) => self.compress_with::<CubicSpline, true>(kept),
            (KernelKind::WendlandC2, false) => self.compress_with::<WendlandC2, false>(kept),
            (KernelKind::WendlandC2, true) => self.compress_with::<WendlandC2, true>(kept),
        }
    }

    fn compress_with<S: Shape, const PERIODIC: bool>(&mut self, kept: bool) {
        let lists = if kept { &self.kept } else { &self.passing };
        let order = &lists.order[..];
        let (places, natures, common) = (self.places.as_flattened(), &self.natures, &self.common);
        let nobody = lists.order.len() as u32;
        self.near.resize(lists.blocks.len(), BlockLists::default());
        let walls = &self.walls;
        for_each_task2(&mut self.motions, &mut self.near, |b, out, near| {
            let (first, lists) = (b * BLOCK, &lists.blocks[b]);
            let walls = &walls[b];
            let work = Compress { first, lists, places, natures, order, walls, common, nobody, out, near };
            on_widest(Compressing::<S, PERIODIC>(work, PhantomData));
        });
    }

    fn push(&mut self, kept: bool) {
        match (self.settings.kernel, self.is_periodic()) {
            (KernelKind::CubicSpline, false) => self.push_with::<CubicSpline, false>(kept),
            (KernelKind::CubicSpline, true) => self.push_with::<CubicSpline, true>(kept),
            (KernelKind::WendlandC2, false) => self.push_with::<WendlandC2, false>(kept),
            (KernelKind::WendlandC2, true) => self.push_with::<WendlandC2, true>(kept),
        }
    }

    /// Forces of what stands in the place of pressures, and of nothing else.
    pub(super) fn push_pressures(&mut self, kept: bool) {
        self.pushed = false;
        match (self.settings.kernel, self.is_periodic()) {
            (KernelKind::CubicSpline, false) => self.push_all::<CubicSpline, false, false, false>(kept),
            (KernelKind::CubicSpline, true) => self.push_all::<CubicSpline, true, false, false>(kept),
            (KernelKind::WendlandC2, false) => self.push_all::<WendlandC2, false, false, false>(kept),
            (KernelKind::WendlandC2, true) => self.push_all::<WendlandC2, true, false, false>(kept),
        }
    }

    fn push_with<S: Shape, const PERIODIC: bool>(&mut self, kept: bool) {
        match (self.is_viscous, self.is_cohesive) {
            (false, false) => self.push_all::<S, PERIODIC, false, false>(kept),
            (true, false) => self.push_all::<S, PERIODIC, true, false>(kept),
            (false, true) => self.push_all::<S, PERIODIC, false, true>(kept),
            (true, true) => self.push_all::<S, PERIODIC, true, true>(kept),
        }
    }

    fn push_all<S: Shape, const PERIODIC: bool, const VISCOUS: bool, const COHESIVE: bool>(&mut self, kept: bool) {
        let lists = if kept { &self.kept } else { &self.passing };
        let (places, motions, common) = (self.places.as_flattened(), self.motions.as_flattened(), &self.common);
        let (near, count) = (&self.near, lists.order.len());
        for_each_task(&mut self.forces, |b, out| {
            let (first, near) = (b * BLOCK, &near[b]);
            let work = Push { first, count, near, places, motions, common, out };
            on_widest(Pushing::<S, PERIODIC, VISCOUS, COHESIVE>(work, PhantomData));
        });
    }

    pub(super) fn is_periodic(&self) -> bool {
        self.settings.periods.iter().any(|period| period.is_some())
    }

    /// Forces, unless they are known.
    pub(super) fn push_once(&mut self, kept: bool) {
        if !std::mem::replace(&mut self.pushed, true) {
            self.push(kept);
        }
    }

    /// Energy of cohesion, J, summed in a fixed order.
    pub(super) fn cohesion(&mut self, kept: bool) -> f64 {
        let lists = if kept { &self.kept } else { &self.passing };
        let (places, motions) = (self.places.as_flattened(), self.motions.as_flattened());
        let (kernel, common) = (&self.kernel, &self.common);
        self.sums.resize(lists.blocks.len(), 0.0);
        for_each_task(&mut self.sums, |b, sum| {
            *sum = cohesion(b * BLOCK, &lists.blocks[b], places, motions, kernel, common);
        });
        self.sums.iter().sum()
    }

    /// Writes the density of every particle, kg/m³; zero for those that are of no fluid.
    pub fn write_densities(&mut self, view: &View, out: &mut [f64]) {
        let kept = self.evaluate(view);
        let lists = if kept { &self.kept } else { &self.passing };
        let motions = self.motions.as_flattened();
        out.fill(0.0);
        for fluid in &self.fluids {
            for particle in fluid.particles.clone() {
                out[particle] = fluid.rest_density * motions[lists.rank[particle] as usize].pair[0];
            }
        }
    }

    /// Writes the pressure at every particle, Pa; zero for those that are of no fluid.
    pub fn write_pressures(&mut self, view: &View, out: &mut [f64]) {
        self.write_densities(view, out);
        for fluid in &self.fluids {
            for particle in fluid.particles.clone() {
                let s = out[particle] / fluid.rest_density;
                let solved = self.pressing.known[1].get(particle).map_or(0.0, |q| q * s * s);
                out[particle] = self.natures[particle].pressure(s) + solved;
            }
        }
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
