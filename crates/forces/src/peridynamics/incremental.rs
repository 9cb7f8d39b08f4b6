//! Incremental evaluation. A moved particle changes the forces on the particles bonded to it; in state-based bodies, where the dilatation sums over
//! bonds, also on the particles bonded to those. All other particles keep the same bits.

use pliant_core::{DirtySet, Spread, View};
use pliant_parallel::for_each_task;

use super::model::Peridynamics;
use super::pass::{BLOCK, Dilate, Pull};
use crate::vector::on_widest;

/// Dirty sets, indexed from the first particle of the bodies.
#[derive(Debug)]
pub(super) struct IncrementalState {
    moved: DirtySet,
    /// Particles with a changed dilatation, and particles with a changed force.
    dilated: DirtySet,
    pulled: DirtySet,
    /// Particles with forces that have changed since they were last queried.
    pub changed: DirtySet,
}

impl IncrementalState {
    /// All of `count` particles are dirty.
    pub fn new(count: usize) -> Self {
        Self {
            moved: DirtySet::default(),
            dilated: DirtySet::default(),
            pulled: DirtySet::default(),
            changed: DirtySet::all(count),
        }
    }
}

impl Peridynamics {
    /// Updates forces, energies and overlong bonds to a view.
    pub(super) fn evaluate(&mut self, view: &View) {
        let x = &view.x[self.first..self.first + self.families.len()];
        let is_new = self.known.len() != x.len();
        let Self { known, places, incremental, .. } = self;
        let moved = &mut incremental.moved;
        moved.clear(x.len());
        known.resize(x.len(), glam::DVec3::NAN);
        for (i, (known, place)) in known.iter_mut().zip(places).enumerate() {
            if moved.update(i, known, x[i]) {
                [place.0[0], place.0[1], place.0[2]] = x[i].to_array();
            }
        }
        if is_new {
            moved.add_all();
        }
        moved.sort_or_add_all(Spread::Direct);
        self.evaluate_moved();
    }

    /// The same after a change of the bonds of some particles.
    pub(super) fn evaluate_around(&mut self, particles: impl Iterator<Item = usize>) {
        self.incremental.moved.clear(self.families.len());
        particles.for_each(|particle| self.incremental.moved.add(particle as u32));
        self.evaluate_moved();
    }

    fn evaluate_moved(&mut self) {
        let mut incremental = std::mem::replace(&mut self.incremental, IncrementalState::new(0));
        let IncrementalState { moved, dilated, pulled, changed } = &mut incremental;
        if moved.is_all() {
            [&mut *dilated, pulled].into_iter().for_each(|all| {
                all.clear(self.families.len());
                all.add_all();
            });
            changed.add_all();
        } else if !moved.list().is_empty() {
            self.spread(moved, dilated);
            if self.states.is_empty() {
                std::mem::swap(dilated, pulled);
            } else {
                self.spread(dilated, pulled);
            }
            changed.join(pulled, 0);
        }
        if moved.is_all() || !moved.list().is_empty() {
            if !self.states.is_empty() {
                self.dilate(dilated);
            }
            self.pull(pulled);
        }
        self.incremental = incremental;
    }

    /// Some particles and the particles bonded to them, in order.
    fn spread(&self, from: &DirtySet, to: &mut DirtySet) {
        to.clear(self.families.len());
        for i in from.list() {
            to.add(*i);
            for group in self.families.groups(*i as usize) {
                to.extend(&self.families.other[group]);
            }
        }
        to.sort();
    }

    fn dilate(&mut self, these: &DirtySet) {
        let (families, places) = (&self.families, &self.places);
        let mut blocks: Vec<&mut [f64]> = self.dilated.chunks_mut(BLOCK).collect();
        for_each_task(&mut blocks, |b, out| {
            if these.is_all() {
                return on_widest(Dilate { first: b * BLOCK, families, places, out });
            }
            for i in of_block(these, b) {
                let out = &mut out[i % BLOCK..i % BLOCK + 1];
                on_widest(Dilate { first: i, families, places, out });
            }
        });
        let (dilated, states) = (&self.dilated, &self.states);
        let pressure = |i: usize| states[i][0] * states[i][1] * (states[i][0] * dilated[i]);
        if these.is_all() {
            self.places.iter_mut().enumerate().for_each(|(i, place)| place.0[3] = pressure(i));
        } else {
            these.list().iter().map(|i| *i as usize).for_each(|i| self.places[i].0[3] = pressure(i));
        }
    }

    fn pull(&mut self, these: &DirtySet) {
        let (families, places, constants, nature_of) = (&self.families, &self.places, &self.constants, &self.nature_of);
        for_each_task(&mut self.pulled, |b, result| {
            let first = b * BLOCK;
            if these.is_all() {
                let range = 0..BLOCK.min(families.len() - first);
                return on_widest(Pull { first, range, families, places, constants, nature_of, result });
            }
            for i in of_block(these, b) {
                let range = i - first..i - first + 1;
                on_widest(Pull { first, range, families, places, constants, nature_of, result });
            }
        });
    }
}

/// The particles of a sorted set that belong to a block.
fn of_block(these: &DirtySet, block: usize) -> impl Iterator<Item = usize> {
    let list = these.list();
    let from = list.partition_point(|i| (*i as usize) < block * BLOCK);
    list[from..].iter().map(|i| *i as usize).take_while(move |i| *i < (block + 1) * BLOCK)
}
