//! What has to be evaluated again. A bond reaches from one particle to another, so whoever has moved concerns those it is bonded to; and where
//! the change of volume counts, which sums up bonds, those that they are bonded to as well. All others keep what they have, to the bit.

use pliant_core::parallel::for_each_task;
use pliant_core::{DirtySet, View};

use super::model::Peridynamics;
use super::pass::{BLOCK, Dilate, Pull};
use crate::vector::on_widest;

/// More than this part of all particles, and it is faster to evaluate all.
const FEW: f64 = 0.3;

/// Whom it concerns, counted from the first particle of the bodies.
#[derive(Debug)]
pub(super) struct IncrementalState {
    moved: DirtySet,
    /// Those whose change of volume is another one, and those whose force is.
    dilated: DirtySet,
    pulled: DirtySet,
    /// Those whose force is another one than when it was asked for last.
    pub changed: DirtySet,
}

impl IncrementalState {
    /// Of so many particles: all of them.
    pub fn new(count: usize) -> Self {
        let mut all = DirtySet::default();
        all.clear(count);
        all.add_all();
        Self { moved: DirtySet::default(), dilated: DirtySet::default(), pulled: DirtySet::default(), changed: all }
    }
}

impl Peridynamics {
    /// Forces, energies and overlong bonds at a view, where they are not known.
    pub(super) fn evaluate(&mut self, view: &View) {
        let x = &view.x[self.first..self.first + self.families.len()];
        let is_new = self.known.len() != x.len();
        let Self { known, places, incremental, .. } = self;
        let moved = &mut incremental.moved;
        moved.clear(x.len());
        known.resize(x.len(), glam::DVec3::NAN);
        for (i, (known, place)) in known.iter_mut().zip(places).enumerate() {
            // what is no number is always elsewhere
            if *known != x[i] {
                *known = x[i];
                [place.0[0], place.0[1], place.0[2]] = x[i].to_array();
                moved.add(i as u32);
            }
        }
        if is_new || moved.list().len() as f64 > FEW * x.len() as f64 {
            moved.add_all();
        }
        self.evaluate_moved();
    }

    /// The same where some particles have other bonds than before.
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
            if !changed.is_all() {
                pulled.list().iter().for_each(|i| changed.add(*i));
            }
        }
        if moved.is_all() || !moved.list().is_empty() {
            if !self.states.is_empty() {
                self.dilate(dilated);
            }
            self.pull(pulled);
        }
        self.incremental = incremental;
    }

    /// Some particles and those that they are bonded to, in order.
    fn spread(&self, from: &DirtySet, to: &mut DirtySet) {
        to.clear(self.families.len());
        for i in from.list() {
            to.add(*i);
            for group in self.families.groups(*i as usize) {
                self.families.other[group].iter().for_each(|j| to.add(*j));
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

/// Those of some particles, in order, that are of a block.
fn of_block(these: &DirtySet, block: usize) -> impl Iterator<Item = usize> {
    let list = these.list();
    let from = list.partition_point(|i| (*i as usize) < block * BLOCK);
    list[from..].iter().map(|i| *i as usize).take_while(move |i| *i < (block + 1) * BLOCK)
}
