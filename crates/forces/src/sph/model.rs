//! Weakly compressible fluids: their state between evaluations. Forces are in `neighbour_pass.rs` and `boundary_density.rs`, neighbour search in
//! `neighbour_list.rs` and `boundary_index.rs`, incremental updates in `incremental.rs`, and the interface to the solver in `force.rs`.
//!
//! Neighbour lists are built for the positions at which a step begins and reused while no particle has moved farther than half the skin (Verlet lists). A
//! view beyond that gets temporary lists; if the next step begins exactly there, they become the persistent lists, and the force evaluated with them stays valid. So a
//! force is a function of the view and of the positions of the persistent lists, which [`pliant_core::Stateful::memory`] returns, and a rejected
//! step leaves no trace.
//!
//! The smoothing of velocities called XSPH moves particles with a velocity other than that of their momentum. A force cannot express this, and the
//! integrators here have one velocity; it is left out, and artificial viscosity keeps the particles ordered.

use glam::DVec3;
use pliant_core::View;
use pliant_parallel::Partials;

use super::boundary_density::BoundaryDensity;
use super::boundary_index::{BoundaryIndex, Scale};
use super::emitter::{Flow, Stream};
use super::incremental::IncrementalState;
use super::kernel::{Dimension, Kernel, KernelKind};
use super::lanes::{BLOCK, ForceInput, Period, Vector4};
use super::neighbour_list::{BlockLists, NeighbourLists};
use super::neighbour_pass::{Common, ParticleConstants, cohesion};
use super::pressure_solve::PressureSolve;
use super::settings::{Boundaries, Fluid, FluidError, SphSettings};

/// See the file head.
pub struct Sph {
    pub(super) settings: SphSettings,
    pub(super) kernel: Kernel,
    pub(super) common: Common,
    pub(super) fluids: Vec<Fluid>,
    pub(super) constants: Vec<ParticleConstants>,
    pub(super) fluid_particles: Vec<u32>,
    pub(super) law: BoundaryDensity,
    pub(super) boundary: BoundaryIndex,
    pub(super) flows: Vec<Flow>,
    /// Effect of walls on s, in the order of the lists.
    pub(super) walls: Vec<[Scale; BLOCK]>,
    pub(super) is_viscous: bool,
    pub(super) is_cohesive: bool,
    pub(super) has_bulk: bool,
    pub(super) persistent: NeighbourLists,
    pub(super) temporary: NeighbourLists,
    /// In the order of the lists.
    pub(super) positions: Vec<[Vector4; BLOCK]>,
    pub(super) inputs: Vec<[ForceInput; BLOCK]>,
    pub(super) forces: Vec<[Vector4; BLOCK]>,
    /// Of the bulk viscosity, in the same order: positions with compression rates `V g √ζ ṡ`, and powers, W.
    pub(super) compression_rates: Vec<[Vector4; BLOCK]>,
    pub(super) bulk_powers: Vec<[f64; BLOCK]>,
    /// σ and the value at 0 of its smoothing kernel.
    pub(super) smooth: [f64; 2],
    /// Neighbour lists within the support, fluids only, of the last evaluation of compressions.
    pub(super) near: Vec<BlockLists>,
    /// Lists and their edition for which the sorted particles were gathered.
    pub(super) gathered: Option<(bool, u64)>,
    /// Stiffness of the fluid against the particles of sheets, N/m, and its bulk viscosity there, N s/m.
    pub(super) stiffness: Vec<[f64; 2]>,
    pub(super) solve: PressureSolve,
    pub(super) incremental: IncrementalState,
    sums: Vec<f64>,
    pub(super) partials: Partials,
}

impl Sph {
    /// Fluids among `count` particles, and their boundaries. No particle may belong to two fluids.
    pub fn new(
        count: usize,
        fluids: Vec<Fluid>,
        boundaries: &Boundaries,
        settings: SphSettings,
    ) -> Result<Self, FluidError> {
        settings.check()?;
        boundaries.check(count)?;
        let (h, kernel) = (settings.smoothing_length, settings.kernel());
        let smooth = Kernel::new(KernelKind::WendlandC2, settings.dimension, h);
        let spread = 2.0 * (settings.dimension.number() as f64 + 2.0);
        let empty = ParticleConstants::NONE;
        let mut constants = vec![empty; count];
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
            constants[fluid.particles.clone()].fill(ParticleConstants {
                volume: fluid.mass / rho,
                base: kernel.value(0.0) * fluid.mass / rho - fluid.excess,
                pair: [artificial.sqrt(), laminar.sqrt(), (fluid.cohesion * rho).sqrt()],
                stiffness: if settings.incompressible.is_some() { 0.0 } else { fluid.stiffness() },
                bulk: if settings.incompressible.is_some() {
                    0.0
                } else {
                    fluid.bulk_viscosity * rho * h * fluid.sound_speed
                },
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
        let lists = NeighbourLists::new(settings.reach(), settings.periods, settings.dimension == Dimension::Two);
        let spacing = if boundaries.spacing > 0.0 { boundaries.spacing } else { h };
        let excess = fluids.first().map_or(0.0, |fluid| fluid.excess * fluid.rest_density / fluid.mass);
        let law = BoundaryDensity::new(&kernel, spacing, excess);
        let boundary = BoundaryIndex::new(law, settings.skin.max(0.25) * h, count, &fluid_particles, boundaries);
        Ok(Self {
            is_viscous: fluids.iter().any(|f| f.artificial_viscosity > 0.0 || f.kinematic_viscosity > 0.0),
            is_cohesive: fluids.iter().any(|f| f.cohesion > 0.0),
            has_bulk: constants.iter().any(|constants| constants.bulk > 0.0),
            settings,
            kernel,
            common,
            fluids,
            constants,
            fluid_particles,
            law,
            boundary,
            flows: Vec::new(),
            walls: Vec::new(),
            persistent: lists.clone(),
            temporary: lists,
            positions: Vec::new(),
            inputs: Vec::new(),
            forces: Vec::new(),
            compression_rates: Vec::new(),
            bulk_powers: Vec::new(),
            smooth: [smooth.sigma(), smooth.value(0.0)],
            near: Vec::new(),
            gathered: None,
            stiffness: Vec::new(),
            solve: PressureSolve::default(),
            incremental: IncrementalState::new(),
            sums: Vec::new(),
            partials: Partials::default(),
        })
    }

    /// Adds a source and its outlets.
    pub fn add_stream(&mut self, stream: Stream) -> Result<(), FluidError> {
        stream.check(self.constants.len())?;
        self.flows.push(Flow::new(stream));
        Ok(())
    }

    /// The fluids.
    pub fn fluids(&self) -> &[Fluid] {
        &self.fluids
    }

    /// Settings shared by all fluids.
    pub fn settings(&self) -> &SphSettings {
        &self.settings
    }

    /// Largest displacement of a particle for which neighbour lists stay valid, m.
    pub(super) fn max_drift(&self) -> f64 {
        0.5 * self.settings.skin * self.settings.smoothing_length
    }

    /// Whether the persistent lists are valid for these positions.
    pub(super) fn are_lists_valid(&mut self, x: &[DVec3]) -> bool {
        let (max_drift, persistent) = (self.max_drift(), &self.persistent);
        if persistent.reference.len() != x.len() {
            return false;
        }
        let farthest = self.partials.max(x.len(), |i| persistent.displacement_squared(i, x[i]));
        farthest.is_none_or(|(_, square)| square <= max_drift * max_drift)
    }

    /// Finds lists that are valid at a view; whether these are the persistent ones.
    pub(super) fn find(&mut self, x: &[DVec3]) -> bool {
        let is_persistent = self.are_lists_valid(x);
        if !is_persistent && !self.temporary.were_built_at(x) {
            self.temporary.rebuild(x, &self.fluid_particles);
        }
        is_persistent
    }

    pub(super) fn is_periodic(&self) -> bool {
        self.settings.periods.iter().any(|period| period.is_some())
    }

    /// Energy of cohesion, J, summed in a fixed order.
    pub(super) fn cohesion(&mut self, is_persistent: bool) -> f64 {
        let lists = if is_persistent { &self.persistent } else { &self.temporary };
        let (positions, inputs) = (self.positions.as_flattened(), self.inputs.as_flattened());
        let (kernel, common) = (&self.kernel, &self.common);
        self.sums.resize(lists.blocks.len(), 0.0);
        self.incremental.contact_blocks.for_each_block(&mut self.sums, |b, _, sum| {
            *sum = cohesion(b * BLOCK, &lists.blocks[b], positions, inputs, kernel, common);
        });
        self.incremental.contact_blocks.clear(lists.blocks.len());
        self.sums.iter().sum()
    }

    /// Writes the density of every particle, kg/m³; zero for particles of no fluid.
    pub fn write_densities(&mut self, view: &View, out: &mut [f64]) {
        let is_persistent = self.evaluate(view);
        let lists = if is_persistent { &self.persistent } else { &self.temporary };
        let inputs = self.inputs.as_flattened();
        out.fill(0.0);
        for fluid in &self.fluids {
            for particle in fluid.particles.clone() {
                out[particle] = fluid.rest_density * inputs[lists.rank[particle] as usize].pair[0];
            }
        }
    }

    /// Writes the pressure at every particle, Pa; zero for particles of no fluid.
    pub fn write_pressures(&mut self, view: &View, out: &mut [f64]) {
        self.write_densities(view, out);
        for fluid in &self.fluids {
            for particle in fluid.particles.clone() {
                let s = out[particle] / fluid.rest_density;
                let solved = self.solve.known[1].get(particle).map_or(0.0, |q| q * s * s);
                out[particle] = self.constants[particle].pressure(s) + solved;
            }
        }
    }
}
