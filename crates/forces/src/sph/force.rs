//! Fluids as a force model.
//!
//! Steps are limited by `min(½ √(h/|a|), 0.8 h/(c (1 + 0.6 α)), ¼ h²/ν)`, half of which is the rule of [Monaghan] and [BeckerTeschner]. Row sums of
//! the stiffness matrix (`rates.rs`) bound frequencies for integrators that need them.

use glam::DVec3;
use pliant_core::{
    DirtySet, Dissipative, Emitter, Fields, ForceModel, ForceProperties, Incremental, Observable, PressureProjection,
    Rates, State, Stateful, StepFailure, StepLimited, View,
};
use pliant_parallel::{Cost, for_each_chunk_of, for_each_task};

use super::emitter::Flow;
use super::kernel::{Kernel, KernelKind};
use super::lanes::BLOCK;
use super::model::Sph;
use super::neighbour_list::NOWHERE;
use super::pressure_solve::PressureSolve;
use super::rates::Near;

/// Largest wave number of a particle discretization, times h: 1.16 in a lattice, and more beside walls, where neighbours have larger weights.
const WAVE_NUMBER: f64 = 1.5;

/// Largest step over h/c at which symplectic Euler is stable for sound damped by bulk viscosity: `z²/4 + β z k h/2 = 1`, `z = k h dt c/h`.
fn damped_limit(bulk: f64) -> f64 {
    let slope = bulk * WAVE_NUMBER;
    2.0 / (WAVE_NUMBER * (0.5 * slope + (0.25 * slope * slope + 1.0).sqrt()))
}

impl ForceModel for Sph {
    fn name(&self) -> &'static str {
        "sph"
    }

    fn properties(&self) -> ForceProperties {
        ForceProperties {
            powers_at_ends: true,
            is_steady: self.can_update(),
            depends_on_velocity: self.is_viscous || self.has_bulk,
            is_internal: self.boundary.has_sheets_alone() && !self.is_periodic(),
            limits_steps: true,
            ..ForceProperties::default()
        }
    }

    fn energy(&mut self, view: &View) -> Option<f64> {
        let is_persistent = self.evaluate(view);
        let cohesion = if self.is_cohesive { self.cohesion(is_persistent) } else { 0.0 };
        let lists = if is_persistent { &self.persistent } else { &self.temporary };
        let (inputs, constants, order) = (self.inputs.as_flattened(), &self.constants, &lists.order);
        let pressure = self.partials.sum(order.len(), |range| {
            let of = |k: usize| {
                let constants = &constants[order[k] as usize];
                constants.volume * constants.energy_density(inputs[k].pair[0])
            };
            range.map(of).sum()
        });
        Some(pressure + cohesion)
    }

    fn add_force(&mut self, view: &View, out: &mut [DVec3]) {
        let is_persistent = self.evaluate(view);
        self.push_once(is_persistent);
        let lists = if is_persistent { &self.persistent } else { &self.temporary };
        let (forces, rank) = (self.forces.as_flattened(), &lists.rank);
        for_each_chunk_of(Cost::Light, out, |start, out| {
            for (rank, out) in rank[start..].iter().zip(out) {
                if *rank != NOWHERE {
                    let [x, y, z, _] = forces[*rank as usize].0;
                    *out += DVec3::new(x, y, z);
                }
            }
        });
        self.add_wall_forces(view, is_persistent, out);
        self.incremental.changed_forces.clear(self.forces.len());
    }

    fn add_rates(&mut self, view: &View, _free: &[bool], out: &mut [Rates]) {
        let is_persistent = self.evaluate(view);
        self.for_each_wall_rate(view, is_persistent, |i, rates| {
            out[i].stiffness += rates.stiffness;
            out[i].damping += rates.damping;
        });
        let lists = if is_persistent { &self.persistent } else { &self.temporary };
        let (positions, inputs) = (self.positions.as_flattened(), self.inputs.as_flattened());
        let smooth = Kernel::new(KernelKind::WendlandC2, self.settings.dimension, self.settings.smoothing_length);
        let near = Near { positions, inputs, kernel: &self.kernel, smooth: &smooth, common: &self.common };
        let (constants, order) = (&self.constants, &lists.order);
        self.incremental.stale.add_all();
        for_each_task(&mut self.forces, |b, out| {
            for (at, out) in out.iter_mut().enumerate() {
                let i = b * BLOCK + at;
                let constants = order.get(i).map(|&id| &constants[id as usize]);
                out.0 = constants.map_or([0.0; 4], |constants| near.reaction(i, lists.blocks[b].of(at), constants));
            }
        });
        let reactions = self.forces.as_flattened();
        let most = self.partials.max(order.len(), |i| reactions[i].0[3]).map_or(0.0, |(_, most)| most);
        for_each_chunk_of(Cost::Heavy, out, |start, out| {
            for (rank, out) in lists.rank[start..].iter().zip(out) {
                if *rank != NOWHERE {
                    let i = *rank as usize;
                    let rates = near.rates(i, lists.blocks[i / BLOCK].of(i % BLOCK), reactions, most);
                    out.stiffness += rates.stiffness;
                    out.damping += rates.damping;
                }
            }
        });
    }

    pliant_core::capabilities!(dissipative, stateful, incremental);

    fn is_incompressible(&self) -> bool {
        self.settings.incompressible.is_some()
    }

    fn as_incompressible(&mut self) -> Option<&mut dyn PressureProjection> {
        Some(self)
    }

    fn has_emitters(&self) -> bool {
        !self.flows.is_empty()
    }

    pliant_core::capabilities!(emitter, step_limited, observable);
}

impl Dissipative for Sph {
    fn viscous_power(&mut self, view: &View) -> f64 {
        if !self.properties().depends_on_velocity {
            return 0.0;
        }
        let is_persistent = self.evaluate(view);
        self.push_once(is_persistent);
        let count = if is_persistent { &self.persistent } else { &self.temporary }.order.len();
        let forces = self.forces.as_flattened();
        let pairs = self.partials.sum(count, |range| range.map(|k| forces[k].0[3]).sum());
        let bulk = if self.has_bulk { self.bulk_power(count) } else { 0.0 };
        pairs + bulk + self.wall_powers(view, is_persistent)[0]
    }

    fn collider_power(&mut self, view: &View) -> f64 {
        if !self.boundary.moves() {
            return 0.0;
        }
        let is_persistent = self.evaluate(view);
        self.wall_powers(view, is_persistent)[1]
    }
}

impl Stateful for Sph {
    fn begin_step(&mut self, from: &View) -> bool {
        let PressureSolve { known, found, .. } = &mut self.solve;
        known.clone_from(found);
        if self.are_lists_valid(from.x) {
            return false;
        }
        let evaluated_here = self.temporary.were_built_at(from.x);
        if !evaluated_here {
            self.temporary.rebuild(from.x, &self.fluid_particles);
        }
        std::mem::swap(&mut self.persistent, &mut self.temporary);
        // the data gathered for these lists stays valid
        self.gathered =
            self.gathered.filter(|_| self.can_update()).map(|(is_persistent, edition)| (!is_persistent, edition));
        // the previous persistent lists must not be used as lists of a view
        self.temporary.reference.clear();
        !evaluated_here
    }

    fn reset(&mut self) {
        self.persistent.reference.clear();
        self.solve = PressureSolve::default();
        self.flows.iter_mut().for_each(Flow::forget);
    }

    fn memory(&self) -> Vec<f64> {
        let pressures = self.solve.known.iter().flatten().copied();
        let mut memory = self.persistent.reference.iter().flat_map(|x| x.to_array()).chain(pressures).collect();
        self.flows.iter().for_each(|flow| flow.remember(&mut memory));
        memory
    }

    fn restore(&mut self, memory: &[f64]) -> usize {
        let count = self.constants.len();
        let Some(stored) = memory.get(..3 * count) else { return 0 };
        let reference: Vec<DVec3> = stored.as_chunks::<3>().0.iter().map(|x| DVec3::from_array(*x)).collect();
        self.persistent.rebuild(&reference, &self.fluid_particles);
        let mut taken = stored.len();
        if self.is_incompressible() {
            let PressureSolve { known, found, .. } = &mut self.solve;
            for (known, found) in known.iter_mut().zip(found) {
                let Some(stored) = memory.get(taken..taken + count) else { break };
                known.clear();
                known.extend_from_slice(stored);
                found.clone_from(known);
                taken += count;
            }
        }
        for flow in &mut self.flows {
            taken += flow.restore(memory.get(taken..).unwrap_or_default());
        }
        taken
    }
}

impl Incremental for Sph {
    fn mark_dirty(&mut self, view: &View, moved: &DirtySet, out: &mut DirtySet) {
        if !self.catch_up(view, moved) {
            return out.add_all();
        }
        let order = &self.persistent.order;
        self.incremental.changed_forces.each(order.len()).for_each(|k| out.add(order[k]));
    }

    fn update_force(&mut self, view: &View, reached: &[u32], out: &mut [DVec3]) {
        // the dirty set is known only while the persistent lists are valid
        self.push_once(true);
        let forces = self.forces.as_flattened();
        for &particle in reached {
            let rank = self.persistent.rank[particle as usize];
            if rank != NOWHERE {
                let [x, y, z, _] = forces[rank as usize].0;
                let out = &mut out[particle as usize];
                *out += DVec3::new(x, y, z);
                self.add_wall_force(view, true, particle, out);
            }
        }
        self.incremental.changed_forces.clear(self.forces.len());
    }
}

impl PressureProjection for Sph {
    fn project_velocities(
        &mut self,
        view: &View,
        dt: f64,
        weights: &[f64],
        v: &mut [DVec3],
    ) -> Result<u64, StepFailure> {
        self.solve_pressure(view, dt, weights, v)
    }
}

impl Emitter for Sph {
    fn emit_and_recycle(&mut self, state: &mut State, free: &mut [bool]) -> bool {
        let mut moved = false;
        for flow in &mut self.flows {
            moved |= flow.recycle(state, free);
        }
        moved
    }
}

impl StepLimited for Sph {
    fn step_limit(&mut self, view: &View, force: &[DVec3], inverse_masses: &[f64]) -> f64 {
        let h = self.settings.smoothing_length;
        let mut limit = self.limit_of_sheets(view, inverse_masses);
        let is_confined = self.is_incompressible();
        for fluid in &self.fluids {
            // an incompressible fluid has no sound
            let sound = if is_confined { 0.0 } else { fluid.sound_speed };
            limit = limit.min(0.8 * h / (sound + 0.6 * fluid.artificial_viscosity * fluid.sound_speed));
            if !is_confined {
                limit = limit.min(h / fluid.sound_speed * damped_limit(fluid.bulk_viscosity));
            }
            if is_confined {
                let v = &view.v[fluid.particles.clone()];
                let most = self.partials.max(v.len(), |i| v[i].length());
                limit = limit.min(0.8 * self.law.spacing() / most.map_or(0.0, |(_, speed)| speed));
            }
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
}

impl Observable for Sph {
    fn write_fields(&mut self, view: &View, out: &mut Fields) {
        type Write = fn(&mut Sph, &View, &mut [f64]);
        let both: [(_, Write); 2] =
            [(Fields::DENSITY, Self::write_densities), (Fields::PRESSURE, Self::write_pressures)];
        let mut values = vec![0.0; self.constants.len()];
        for (name, write) in both {
            write(self, view, &mut values);
            let field = out.field(name);
            for particles in self.fluids.iter().map(|fluid| fluid.particles.clone()) {
                field[particles.clone()].copy_from_slice(&values[particles]);
            }
        }
    }
}
