//! Weakly compressible fluids as a force. What acts is in `pass.rs`, who is near whom in `list.rs`.
//!
//! Lists of neighbours are made for the positions at which a step begins and kept over steps while no particle has gone farther than half the
//! skin. A view beyond that gets lists of its own; if the next step begins exactly there, they are kept, and the force that was
//! evaluated with them stays what it was. So a force is a function of the view and of the positions for which lists were kept, which
//! [`ForceModel::memory`] gives away, and an attempt that is thrown away leaves nothing behind.
//!
//! Steps are limited by `min(½ √(h/|a|), 0.8 h/(c (1 + 0.6 α)), ¼ h²/ν)`, half of which is the rule of [Monaghan] and [BeckerTeschner]. Rows of
//! the stiffness matrix (`rates.rs`) bound frequencies for whoever asks for those.
//!
//! The smoothing of velocities called XSPH moves particles with another velocity than the one that carries their momentum. A force cannot
//! say so, and integrators here know one velocity; it is left out, and artificial viscosity is what keeps particles in order.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, Ordering};

use glam::DVec3;
use pliant_core::parallel::{Cost, Partials, for_each_chunk_of, for_each_task, for_each_task2};
use pliant_core::{Fields, ForceModel, Rates, View};

use super::kernel::{CubicSpline, Dimension, Kernel, KernelKind, Shape, WendlandC2};
use super::lanes::{BLOCK, Motion, Period, Place};
use super::list::{BlockLists, Lists, NOWHERE};
use super::pass::{Common, Compress, Nature, Push, books};
use super::rates::Near;
use super::settings::{Fluid, FluidError, SphSettings, Wall};
use super::vector::{Machine, Work, on_widest};

/// See the file head.
pub struct Sph {
    settings: SphSettings,
    kernel: Kernel,
    pub(super) common: Common,
    fluids: Vec<Fluid>,
    natures: Vec<Nature>,
    fluid_particles: Vec<u32>,
    wall_particles: Vec<u32>,
    is_viscous: bool,
    is_cohesive: bool,
    kept: Lists,
    passing: Lists,
    /// Sorted as the lists are.
    pub(super) places: Vec<[Place; BLOCK]>,
    pub(super) motions: Vec<[Motion; BLOCK]>,
    pub(super) forces: Vec<[Place; BLOCK]>,
    /// Lists of those within the support, of fluids alone, where compressions were evaluated last.
    near: Vec<BlockLists>,
    /// Which lists, and which edition of them, the sorted particles were gathered for.
    gathered: Option<(bool, u64)>,
    sums: Vec<[f64; 2]>,
    partials: Partials,
}

impl Sph {
    /// Fluids and walls among `count` particles. No particle may belong to two of them.
    pub fn new(count: usize, fluids: Vec<Fluid>, walls: Vec<Wall>, settings: SphSettings) -> Result<Self, FluidError> {
        settings.check()?;
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
        let (mut fluid_particles, mut wall_particles) = (Vec::new(), Vec::new());
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
                stiffness: fluid.stiffness(),
                floor: if fluid.clamped { 0.0 } else { f64::NEG_INFINITY },
                background: fluid.background_pressure,
            });
        }
        for wall in &walls {
            wall.check()?;
            wall_particles.extend(own(&wall.particles)?);
            let brake = (spread * wall.viscosity).sqrt();
            for (k, particle) in wall.particles.clone().enumerate() {
                let pressure = wall.pressure.as_ref().map(|its| (its.compressions[k], its.stiffness));
                let (base, stiffness) = pressure.unwrap_or_default();
                let (volume, pair) = (wall.volumes[k], [brake, brake, 0.0]);
                natures[particle] = Nature { volume, pair, base, stiffness, ..nobody };
            }
        }
        let common = Common {
            per_length: 1.0 / h,
            sigma: kernel.sigma(),
            sigma_slope: kernel.sigma() / (h * h),
            softening: 0.01 * h * h,
            periods: settings.periods.map(Period::new),
        };
        let lists = Lists::new(settings.reach(), settings.periods, settings.dimension == Dimension::Two);
        Ok(Self {
            is_viscous: fluids.iter().any(|f| f.artificial_viscosity > 0.0 || f.kinematic_viscosity > 0.0),
            is_cohesive: fluids.iter().any(|f| f.cohesion > 0.0),
            settings,
            kernel,
            common,
            fluids,
            natures,
            fluid_particles,
            wall_particles,
            kept: lists.clone(),
            passing: lists,
            places: Vec::new(),
            motions: Vec::new(),
            forces: Vec::new(),
            near: Vec::new(),
            gathered: None,
            sums: Vec::new(),
            partials: Partials::default(),
        })
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
    fn holds(&mut self, x: &[DVec3]) -> bool {
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
            self.passing.make(x, &self.fluid_particles, &self.wall_particles);
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
        let moved = AtomicBool::new(!is_sorted);
        for_each_task2(&mut self.places, &mut self.motions, |b, places, motions| {
            let mut is_new = false;
            let rest = places.iter_mut().zip(motions);
            for (&id, (place, motion)) in order[(b * BLOCK).min(count)..].iter().zip(rest) {
                let (x, v) = (view.x[id as usize], view.v[id as usize]);
                is_new |= place.0[0] != x.x || place.0[1] != x.y || !flat && place.0[2] != x.z;
                (place.0[0], place.0[1]) = (x.x, x.y);
                (motion.velocity[0], motion.velocity[1]) = (v.x, v.y);
                if !flat {
                    (place.0[2], motion.velocity[2]) = (x.z, v.z);
                }
            }
            if is_new {
                moved.store(true, Ordering::Relaxed);
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
        (kept, moved.into_inner())
    }

    /// Compressions and `p/s²` into [`Motion`]; whether the kept lists were used.
    pub(super) fn evaluate(&mut self, view: &View) -> bool {
        let (kept, moved) = self.gather(view);
        // the energy and the power of viscosity are asked for where the force was
        if moved {
            self.compress(kept);
        }
        kept
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
        for_each_task2(&mut self.motions, &mut self.near, |b, out, near| {
            let (first, lists) = (b * BLOCK, &lists.blocks[b]);
            let work = Compress { first, lists, places, natures, order, common, nobody, out, near };
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
        let (near, fluids) = (&self.near, self.fluid_particles.len());
        for_each_task(&mut self.forces, |b, out| {
            let (first, near, lists) = (b * BLOCK, &near[b], &lists.blocks[b]);
            let work = Push { first, fluids, near, lists, places, motions, common, out };
            on_widest(Pushing::<S, PERIODIC, VISCOUS, COHESIVE>(work, PhantomData));
        });
    }

    fn is_periodic(&self) -> bool {
        self.settings.periods.iter().any(|period| period.is_some())
    }

    /// Sums over pairs, in a fixed order: power of viscosity, energy of cohesion.
    fn pair_sums(&mut self, kept: bool) -> [f64; 2] {
        let lists = if kept { &self.kept } else { &self.passing };
        let (places, motions) = (self.places.as_flattened(), self.motions.as_flattened());
        let (kernel, common) = (&self.kernel, &self.common);
        self.sums.resize(lists.blocks.len(), [0.0; 2]);
        for_each_task(&mut self.sums, |b, sum| {
            *sum = books(b * BLOCK, &lists.blocks[b], places, motions, kernel, common);
        });
        self.sums.iter().fold([0.0; 2], |[a, b], [c, d]| [a + c, b + d])
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
                out[particle] = self.natures[particle].pressure(out[particle] / fluid.rest_density);
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

impl ForceModel for Sph {
    fn name(&self) -> &'static str {
        "sph"
    }

    fn energy(&mut self, view: &View) -> Option<f64> {
        let kept = self.evaluate(view);
        let cohesion = if self.is_cohesive { self.pair_sums(kept)[1] } else { 0.0 };
        let lists = if kept { &self.kept } else { &self.passing };
        let (motions, natures, order) = (self.motions.as_flattened(), &self.natures, &lists.order);
        let pressure = self.partials.sum(order.len(), |range| {
            let of = |k: usize| {
                let nature = &natures[order[k] as usize];
                nature.volume * nature.energy_density(motions[k].pair[0])
            };
            range.map(of).sum()
        });
        Some(pressure + cohesion)
    }

    fn viscous_power(&mut self, view: &View) -> f64 {
        if !self.is_viscous {
            return 0.0;
        }
        let kept = self.evaluate(view);
        self.pair_sums(kept)[0]
    }

    fn begin_step(&mut self, from: &View) -> bool {
        if self.holds(from.x) {
            return false;
        }
        let evaluated_here = self.passing.are_for(from.x);
        if !evaluated_here {
            self.passing.make(from.x, &self.fluid_particles, &self.wall_particles);
        }
        std::mem::swap(&mut self.kept, &mut self.passing);
        self.gathered = None;
        // what was kept before must not be taken for lists of a view
        self.passing.reference.clear();
        !evaluated_here
    }

    fn forget(&mut self) {
        self.kept.reference.clear();
    }

    fn memory(&self) -> Vec<f64> {
        self.kept.reference.iter().flat_map(|x| x.to_array()).collect()
    }

    fn restore(&mut self, memory: &[f64]) -> usize {
        let count = self.natures.len();
        let Some(stored) = memory.get(..3 * count) else { return 0 };
        let reference: Vec<DVec3> = stored.as_chunks::<3>().0.iter().map(|x| DVec3::from_array(*x)).collect();
        self.kept.make(&reference, &self.fluid_particles, &self.wall_particles);
        stored.len()
    }

    fn add_force(&mut self, view: &View, out: &mut [DVec3]) {
        let kept = self.evaluate(view);
        self.push(kept);
        let lists = if kept { &self.kept } else { &self.passing };
        let (forces, rank) = (self.forces.as_flattened(), &lists.rank);
        for_each_chunk_of(Cost::Light, out, |start, out| {
            for (rank, out) in rank[start..].iter().zip(out) {
                if *rank != NOWHERE {
                    let [x, y, z, _] = forces[*rank as usize].0;
                    *out += DVec3::new(x, y, z);
                }
            }
        });
    }

    fn depends_on_velocity(&self) -> bool {
        self.is_viscous
    }

    fn is_internal(&self) -> bool {
        self.wall_particles.is_empty() && !self.is_periodic()
    }

    fn add_rates(&mut self, view: &View, _free: &[bool], out: &mut [Rates]) {
        let kept = self.evaluate(view);
        let lists = if kept { &self.kept } else { &self.passing };
        let (places, motions) = (self.places.as_flattened(), self.motions.as_flattened());
        let near = Near { places, motions, kernel: &self.kernel, common: &self.common };
        let (natures, order) = (&self.natures, &lists.order);
        for_each_task(&mut self.forces, |b, out| {
            for (at, out) in out.iter_mut().enumerate() {
                let i = b * BLOCK + at;
                let nature = order.get(i).map(|&id| &natures[id as usize]).filter(|nature| nature.stiffness > 0.0);
                out.0 = nature.map_or([0.0; 4], |nature| near.reaction(i, lists.blocks[b].of(at), nature));
            }
        });
        let reactions = self.forces.as_flattened();
        for_each_chunk_of(Cost::Heavy, out, |start, out| {
            for (rank, out) in lists.rank[start..].iter().zip(out) {
                if *rank != NOWHERE {
                    let i = *rank as usize;
                    let rates = near.rates(i, lists.blocks[i / BLOCK].of(i % BLOCK), reactions);
                    out.stiffness += rates.stiffness;
                    out.damping += rates.damping;
                }
            }
        });
    }

    fn step_limit(&mut self, _view: &View, force: &[DVec3], inverse_masses: &[f64]) -> f64 {
        let h = self.settings.smoothing_length;
        let mut limit = f64::INFINITY;
        for fluid in &self.fluids {
            limit = limit.min(0.8 * h / (fluid.sound_speed * (1.0 + 0.6 * fluid.artificial_viscosity)));
            limit = limit.min(0.25 * h * h / fluid.kinematic_viscosity);
            if let Some((force, weights)) =
                force.get(fluid.particles.clone()).zip(inverse_masses.get(fluid.particles.clone()))
            {
                let most = self.partials.max(force.len(), |i| force[i].length() * weights[i]);
                limit = limit.min(0.5 * (h / most.map_or(0.0, |(_, a)| a)).sqrt());
            }
        }
        limit
    }

    fn limits_steps(&self) -> bool {
        true
    }

    fn write_fields(&mut self, view: &View, out: &mut Fields) {
        type Write = fn(&mut Sph, &View, &mut [f64]);
        let both: [(_, Write); 2] =
            [(Fields::DENSITY, Self::write_densities), (Fields::PRESSURE, Self::write_pressures)];
        let mut values = vec![0.0; self.natures.len()];
        for (name, write) in both {
            write(self, view, &mut values);
            let field = out.field(name);
            for particles in self.fluids.iter().map(|fluid| fluid.particles.clone()) {
                field[particles.clone()].copy_from_slice(&values[particles]);
            }
        }
    }
}
