//! Dirty set of an evaluation: forces on particles with unchanged surroundings are those of the last evaluation, to the last bit.
//!
//! Before an evaluation the system finds the particles with another position or velocity than at the last one; models mark the particles
//! affected by that; the forces on those are summed again, by all models in their order, from what the models keep of the unchanged parts. The
//! result has the bits of a full evaluation, so it does not matter when the last one was, or whether its state was ever accepted.
//!
//! Whether dirty items are few enough for an incremental evaluation is decided here for all models ([`DirtySet::are_few`]); the evaluation itself
//! is in `restraint/effective_view.rs`. It changes the time of an evaluation only.

use glam::DVec3;

use crate::force::View;

/// Above this share of dirty items a full evaluation is faster: it needs no lists.
const MAX_DIRTY_PART: f64 = 0.3;

/// Work of an incremental evaluation for each dirty item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spread {
    /// The item and its neighbours are evaluated again.
    Direct,
    /// The neighbours of neighbours too, or each item needs a search of its own: half as many are worth it.
    Wide,
}

/// A set of particles (or of other numbered items), each listed once.
#[derive(Clone, Debug, Default)]
pub struct DirtySet {
    list: Vec<u32>,
    marks: Vec<u32>,
    round: u32,
    is_all: bool,
}

impl DirtySet {
    /// The set of all of `count` particles.
    pub fn all(count: usize) -> Self {
        let mut all = Self::default();
        all.clear(count);
        all.add_all();
        all
    }

    /// Whether `dirty` of `all` items are few enough for an incremental evaluation.
    pub fn are_few(dirty: usize, all: usize, spread: Spread) -> bool {
        let part = match spread {
            Spread::Direct => MAX_DIRTY_PART,
            Spread::Wide => 0.5 * MAX_DIRTY_PART,
        };
        dirty as f64 <= part * all as f64
    }

    /// Whether the set is small enough for an incremental evaluation.
    pub fn is_small(&self, spread: Spread) -> bool {
        !self.is_all && Self::are_few(self.list.len(), self.marks.len(), spread)
    }

    /// Sorts the set if it is small enough for an incremental evaluation, else adds all particles.
    pub fn sort_or_add_all(&mut self, spread: Spread) {
        if self.is_small(spread) {
            self.sort();
        } else {
            self.add_all();
        }
    }

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

    /// Adds some particles.
    pub fn extend<'a>(&mut self, particles: impl IntoIterator<Item = &'a u32>) {
        particles.into_iter().for_each(|particle| self.add(*particle));
    }

    /// Adds the particles of another set, with their numbers raised by `first`.
    pub fn join(&mut self, other: &Self, first: usize) {
        if other.is_all {
            self.add_all();
        } else if !self.is_all {
            other.list.iter().for_each(|particle| self.add(first as u32 + *particle));
        }
    }

    /// Overwrites the known value of a particle; adds the particle, and returns true, if the value has changed. NaN has always changed.
    #[inline]
    pub fn update<T: Copy + PartialEq>(&mut self, particle: usize, known: &mut T, now: T) -> bool {
        let has_changed = *known != now;
        if has_changed {
            *known = now;
            self.add(particle as u32);
        }
        has_changed
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

    /// Stores the view and makes `moved` the particles that differ from the last evaluation. Returns whether they are few enough; never after no
    /// valid one, where `moved` is empty.
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
            moved.update(i, &mut self.x[i], view.x[i]);
            moved.update(i, &mut self.v[i], view.v[i]);
        }
        moved.is_small(Spread::Direct)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_values_are_dirty_and_nan_always_is() {
        let mut set = DirtySet::default();
        set.clear(3);
        let mut known = [1.0, 2.0, f64::NAN];
        let changes: Vec<bool> = (0..3).map(|i| set.update(i, &mut known[i], [1.0, 3.0, f64::NAN][i])).collect();
        assert_eq!((changes, set.list(), known[1]), (vec![false, true, true], &[1, 2][..], 3.0));
    }

    #[test]
    fn large_sets_become_all() {
        for (spread, few) in [(Spread::Direct, 30), (Spread::Wide, 15)] {
            let mut set = DirtySet::default();
            set.clear(100);
            set.extend((0..few).collect::<Vec<_>>().iter().rev());
            set.sort_or_add_all(spread);
            assert!(!set.is_all() && set.list().is_sorted());
            set.add(few);
            set.sort_or_add_all(spread);
            assert!(set.is_all() && set.contains(99));
        }
    }

    #[test]
    fn sets_join_with_shifted_numbers() {
        let (mut set, mut part) = (DirtySet::default(), DirtySet::default());
        set.clear(10);
        part.clear(3);
        part.extend(&[0, 2]);
        set.add(5);
        set.join(&part, 5);
        assert_eq!(set.list(), [5, 7]);
        set.join(&DirtySet::all(3), 5);
        assert!(set.is_all());
    }

    #[test]
    fn an_evaluation_is_known_at_its_own_state_and_time_only() {
        let (here, there) = ([DVec3::X, DVec3::Y], [DVec3::X, DVec3::Z]);
        let mut known = LastEvaluation::default();
        known.update(&View { time: 1.0, x: &here, v: &there }, &mut DirtySet::default());
        let is_at = |time: f64, x: &[DVec3], v: &[DVec3]| known.is_at(&View { time, x, v });
        assert!(is_at(1.0, &here, &there));
        assert!(!is_at(2.0, &here, &there) && !is_at(1.0, &there, &there) && !is_at(1.0, &here, &here));
    }
}
