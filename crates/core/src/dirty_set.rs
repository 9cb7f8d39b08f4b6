//! Dirty set of an evaluation: forces on particles with unchanged surroundings are those of the last evaluation, to the last bit.
//!
//! Before an evaluation the system finds the particles with another position or velocity than at the last one; models mark the particles
//! affected by that; the forces on those are summed again, by all models in their order, from what the models keep of the unchanged parts. The
//! result has the bits of a full evaluation, so it does not matter when the last one was, or whether its state was ever accepted.

use glam::DVec3;

use crate::force::View;

/// Above this share of all particles a full evaluation is faster: it needs no lists and runs on all threads.
const MAX_DIRTY_PART: f64 = 0.3;

/// A set of particles, each listed once.
#[derive(Clone, Debug, Default)]
pub struct DirtySet {
    list: Vec<u32>,
    marks: Vec<u32>,
    round: u32,
    is_all: bool,
}

impl DirtySet {
    /// Empties the set and sets the number of particles.
    pub fn clear(&mut self, count: usize) {
        self.list.clear();
        self.is_all = false;
        if self.marks.len() != count || self.round == u32::MAX {
            self.marks.clear();
            self.marks.resize(count, 0);
            self.round = 0;
        }
        self.round += 1;
    }

    /// Adds a particle.
    #[inline]
    pub fn add(&mut self, particle: u32) {
        let mark = &mut self.marks[particle as usize];
        if *mark != self.round {
            *mark = self.round;
            self.list.push(particle);
        }
    }

    /// Adds all particles.
    pub fn add_all(&mut self) {
        self.is_all = true;
    }

    /// Whether a particle is in the set.
    pub fn contains(&self, particle: u32) -> bool {
        self.is_all || self.marks[particle as usize] == self.round
    }

    /// Whether all particles are in the set.
    pub fn is_all(&self) -> bool {
        self.is_all
    }

    /// The particles of the set, unless it holds all of them.
    pub fn list(&self) -> &[u32] {
        &self.list
    }

    /// Sorts by particle, so that loops over the list follow memory.
    pub fn sort(&mut self) {
        self.list.sort_unstable();
    }
}

/// The last evaluation.
#[derive(Debug, Default)]
pub(crate) struct LastEvaluation {
    x: Vec<DVec3>,
    v: Vec<DVec3>,
    time: f64,
    pub force: Vec<DVec3>,
    /// Whether it is valid.
    pub is_valid: bool,
}

impl LastEvaluation {
    /// Whether it was made at this view.
    pub fn is_at(&self, view: &View) -> bool {
        self.time == view.time && self.x == view.x && self.v == view.v
    }

    /// Adds to `moved` the particles that differ from the last evaluation and stores the view. Returns whether they are few enough.
    pub fn update(&mut self, view: &View, moved: &mut DirtySet) -> bool {
        let count = view.x.len();
        self.time = view.time;
        moved.clear(count);
        if !self.is_valid || self.x.len() != count || self.force.len() != count {
            self.x.clear();
            self.x.extend_from_slice(view.x);
            self.v.clear();
            self.v.extend_from_slice(view.v);
            self.force.resize(count, DVec3::ZERO);
            return false;
        }
        for i in 0..count {
            // NaN is always new
            if self.x[i] != view.x[i] || self.v[i] != view.v[i] {
                (self.x[i], self.v[i]) = (view.x[i], view.v[i]);
                moved.add(i as u32);
            }
        }
        moved.list().len() as f64 <= MAX_DIRTY_PART * count as f64
    }
}
