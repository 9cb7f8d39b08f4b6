//! Incremental evaluation: from a view to compressions, only where inputs have changed. In a fluid mostly at rest the cost is that of the moving
//! part.
//!
//! Sums run over each particle's own list in order, so the sums of particles with no change within the support keep the same bits. Particles that
//! are or were near a moved particle are compressed again; where a compression changes, the forces on its neighbours are computed again. A view with
//! other lists, or with many moved particles, is evaluated in full, and so is every view where boundaries move or fluids have sources and outlets.

use glam::DVec3;
use pliant_core::{DirtySet, Spread, View};
use pliant_parallel::for_each_task2;

use super::boundary_index::Scale;
use super::emitter::Flow;
use super::kernel::Dimension;
use super::lanes::{BLOCK, ForceInput, Vector4};
use super::model::Sph;
use super::neighbour_list::NOWHERE;
use super::neighbour_pass::ParticleConstants;
use super::particle_set::ParticleSet;

/// Changed particles, in the order of the lists.
#[derive(Debug, Default)]
pub(super) struct IncrementalState {
    /// Particles with a changed position, and with a changed velocity, at the last gather.
    moved: ParticleSet,
    turned: ParticleSet,
    /// Particles that are or were near moved ones.
    around: ParticleSet,
    /// These and, with bulk viscosity, the particles near them.
    wider: ParticleSet,
    /// Their compressions before the update.
    before: Vec<[f64; 2]>,
    fresh: ParticleSet,
    /// Particles with forces that are out of date.
    pub stale: ParticleSet,
    /// Particles with forces that may differ from those last returned.
    pub changed_forces: ParticleSet,
    /// Particles with an unknown energy of cohesion.
    pub contact_blocks: ParticleSet,
}

impl IncrementalState {
    /// All particles are out of date.
    pub fn new() -> Self {
        Self {
            stale: ParticleSet::all(),
            changed_forces: ParticleSet::all(),
            contact_blocks: ParticleSet::all(),
            ..Self::default()
        }
    }
}

impl Sph {
    /// Writes compressions and `p/s²` into [`ForceInput`]; whether the persistent lists were used.
    pub(super) fn evaluate(&mut self, view: &View) -> bool {
        let is_persistent = self.find(view.x);
        self.gather(view, is_persistent);
        self.update(view, is_persistent);
        is_persistent
    }

    /// The same for a view that differs from that of the last force in the particles `moved` only. Whether the dirty set is known.
    pub(super) fn catch_up(&mut self, view: &View, moved: &DirtySet) -> bool {
        if !self.can_update() || self.incremental.changed_forces.is_all() {
            return false;
        }
        if !self.gather_some(view, moved) {
            if !self.are_lists_valid(view.x) {
                return false;
            }
            self.gather(view, true);
        }
        self.update(view, true);
        !self.incremental.changed_forces.is_all()
    }

    /// Whether forces depend on nothing but the fluid's state.
    pub(super) fn can_update(&self) -> bool {
        self.settings.incompressible.is_none() && self.flows.is_empty() && !self.boundary.moves()
    }

    /// Gathers the sorted positions and velocities of a view.
    fn gather(&mut self, view: &View, is_persistent: bool) {
        let lists = if is_persistent { &self.persistent } else { &self.temporary };
        let (blocks, flat) = (lists.blocks.len(), self.settings.dimension == Dimension::Two);
        self.positions.resize(blocks, [Vector4::default(); BLOCK]);
        self.inputs.resize(blocks, [ForceInput::default(); BLOCK]);
        self.forces.resize(blocks, [Vector4::default(); BLOCK]);
        let (order, constants, empty) = (&lists.order, &self.constants, ParticleConstants::NONE);
        let of = |b: usize| order[(b * BLOCK).min(order.len())..].iter().map(|id| *id as usize).enumerate();
        // constants are rewritten only when the order changes
        let now = (is_persistent, lists.edition);
        let is_sorted = self.gathered.replace(now) == Some(now);
        let IncrementalState { moved, turned, .. } = &mut self.incremental;
        moved.clear(blocks);
        turned.clear(blocks);
        for_each_task2(&mut self.positions, moved.blocks_mut(), |b, positions, moved| {
            for ((at, id), position) in of(b).zip(positions) {
                if replace(&mut position.0, view.x[id], flat) {
                    moved.add(at);
                }
            }
        });
        for_each_task2(&mut self.inputs, turned.blocks_mut(), |b, inputs, turned| {
            for ((at, id), input) in of(b).zip(inputs) {
                if replace(&mut input.velocity, view.v[id], flat) {
                    turned.add(at);
                }
            }
        });
        if !is_sorted {
            moved.add_all();
            for_each_task2(&mut self.positions, &mut self.inputs, |b, positions, inputs| {
                for (k, (position, input)) in (b * BLOCK..).zip(positions.iter_mut().zip(inputs)) {
                    // padding behind the last particle has no volume
                    let constants = order.get(k).map_or(&empty, |&id| &constants[id as usize]);
                    let [a, l, c] = constants.pair;
                    position.0[3] = constants.volume;
                    (input.velocity[3], input.pair) = (0.0, [1.0, a, l, c]);
                }
            });
        }
    }

    /// The same where only the particles in `among` can have changed since the last force. Fails if anything else was gathered since, or the persistent
    /// lists are not valid.
    fn gather_some(&mut self, view: &View, among: &DirtySet) -> bool {
        let (persistent, max_drift, flat) =
            (&self.persistent, self.max_drift(), self.settings.dimension == Dimension::Two);
        let is_last = self.incremental.changed_forces.is_empty() && self.gathered == Some((true, persistent.edition));
        let holds =
            |id: &u32| persistent.displacement_squared(*id as usize, view.x[*id as usize]) <= max_drift * max_drift;
        if !is_last || persistent.reference.len() != view.x.len() || !among.list().iter().all(holds) {
            return false;
        }
        let IncrementalState { moved, turned, .. } = &mut self.incremental;
        moved.clear(persistent.blocks.len());
        turned.clear(persistent.blocks.len());
        let (positions, inputs) = (self.positions.as_flattened_mut(), self.inputs.as_flattened_mut());
        for id in among.list().iter().map(|id| *id as usize).filter(|id| persistent.rank[*id] != NOWHERE) {
            let k = persistent.rank[id];
            if replace(&mut positions[k as usize].0, view.x[id], flat) {
                moved.add(k);
            }
            if replace(&mut inputs[k as usize].velocity, view.v[id], flat) {
                turned.add(k);
            }
        }
        true
    }

    /// Updates everything derived from the gathered data.
    fn update(&mut self, view: &View, is_persistent: bool) {
        let mut incremental = std::mem::take(&mut self.incremental);
        let IncrementalState { moved, turned, stale, changed_forces, contact_blocks, .. } = &mut incremental;
        let count = if is_persistent { &self.persistent } else { &self.temporary }.order.len();
        let are_few = |moved: usize, turned: usize| DirtySet::are_few(moved + turned, count, Spread::Wide);
        if !moved.is_all() && self.can_update() && are_few(moved.count(), turned.count()) {
            // the energy and the viscous power are queried at the view of the force
            if !moved.is_empty() || !turned.is_empty() {
                self.update_some(view, is_persistent, &mut incremental);
            }
        } else {
            let is_new = !moved.is_empty() || self.boundary.moves();
            if is_new {
                self.add_walls(view, is_persistent);
                self.compress(is_persistent, &ParticleSet::all());
                contact_blocks.add_all();
            }
            if is_new || !turned.is_empty() {
                if self.has_bulk {
                    self.write_compression_rates(view, is_persistent, &ParticleSet::all());
                    self.add_bulk_pressure(is_persistent, &ParticleSet::all());
                }
                stale.add_all();
                changed_forces.add_all();
            }
        }
        self.incremental = incremental;
    }

    fn update_some(&mut self, view: &View, is_persistent: bool, incremental: &mut IncrementalState) {
        let IncrementalState { moved, turned, around, wider, before, fresh, stale, changed_forces, contact_blocks } =
            incremental;
        let lists = if is_persistent { &self.persistent } else { &self.temporary };
        let (blocks, count) = (lists.blocks.len(), lists.order.len());
        around.clear(blocks);
        around.join(moved);
        self.add_near(moved.each(count), around);
        self.update_walls(view, is_persistent, moved);
        self.compress(is_persistent, moved);
        self.add_near(moved.each(count), around);
        contact_blocks.join(around);
        // all of them need new forces, and so do the neighbours of particles with a changed compression
        fresh.clear(blocks);
        if self.has_bulk {
            // with bulk viscosity, velocities change the pressure of the neighbours too
            around.join(turned);
            self.add_near(turned.each(count), around);
        }
        fresh.join(around);
        around.remove(moved);
        let known = |input: &ForceInput| [input.velocity[3], input.pair[0]];
        wider.clear(blocks);
        wider.join(around);
        if self.has_bulk {
            self.add_near(moved.each(count), wider);
            self.add_near(around.each(count), wider);
            wider.remove(moved);
        }
        before.clear();
        before.reserve(count);
        before.extend(wider.each(count).map(|k| known(&self.inputs.as_flattened()[k])));
        self.compress(is_persistent, around);
        if self.has_bulk {
            self.write_compression_rates(view, is_persistent, moved);
            self.write_compression_rates(view, is_persistent, around);
            wider.join(moved);
            self.add_bulk_pressure(is_persistent, wider);
        }
        let inputs = self.inputs.as_flattened();
        let differs = |k: usize, before: &[f64; 2]| known(&inputs[k]).map(f64::to_bits) != before.map(f64::to_bits);
        if self.has_bulk {
            wider.remove(moved);
        }
        let changed = || wider.each(count).zip(&*before).filter(|(k, before)| differs(*k, before)).map(|(k, _)| k);
        self.add_near(changed(), fresh);
        changed().for_each(|k| fresh.add(k as u32));
        fresh.join(turned);
        if self.is_viscous {
            self.add_near(turned.each(count), fresh);
        }
        stale.join(fresh);
        changed_forces.join(fresh);
    }

    /// Adds the neighbours of some particles to a set.
    fn add_near(&self, some: impl Iterator<Item = usize>, out: &mut ParticleSet) {
        some.for_each(|k| out.add_list(self.near[k / BLOCK].of(k % BLOCK).as_flattened()));
    }

    /// Computes the effect of walls on s.
    fn add_walls(&mut self, view: &View, is_persistent: bool) {
        let lists = if is_persistent { &self.persistent } else { &self.temporary };
        self.walls.resize(lists.blocks.len(), [Scale::NONE; BLOCK]);
        let walls = self.walls.as_flattened_mut();
        // particles that had a boundary contact may have none now
        walls.fill(Scale::NONE);
        self.boundary.find(view);
        for near_boundary in self.boundary.blocks.iter().flat_map(|block| &block.near_boundary) {
            if let Some(wall) = walls.get_mut(lists.rank[near_boundary.particle as usize] as usize) {
                *wall = near_boundary.scale;
            }
        }
        // particles in a pipe ignore walls
        for particle in self.flows.iter().flat_map(Flow::held) {
            if let Some(wall) = walls.get_mut(lists.rank[particle] as usize) {
                *wall = Scale::NONE;
            }
        }
    }

    /// The same where only some particles have moved, and no wall.
    fn update_walls(&mut self, view: &View, is_persistent: bool, moved: &ParticleSet) {
        let lists = if is_persistent { &self.persistent } else { &self.temporary };
        let (order, boundary, count) = (&lists.order, &mut self.boundary, lists.order.len());
        if !moved.each(count).all(|k| boundary.find_one(view, order[k])) {
            return self.add_walls(view, is_persistent);
        }
        let walls = self.walls.as_flattened_mut();
        for k in moved.each(count) {
            walls[k] = boundary.near_boundary(order[k]).map_or(Scale::NONE, |(near_boundary, _)| near_boundary.scale);
        }
    }
}

/// Overwrites the vector in the first three entries; whether it has changed.
#[inline(always)]
fn replace(old: &mut [f64; 4], new: DVec3, flat: bool) -> bool {
    let differs = old[0] != new.x || old[1] != new.y || !flat && old[2] != new.z;
    (old[0], old[1]) = (new.x, new.y);
    if !flat {
        old[2] = new.z;
    }
    differs
}
