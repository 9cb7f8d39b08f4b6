//! The contact pairs of a state, in a deterministic order that does not depend on the search, so that sums over them have the same bits.
//!
//! Where few nodes move, only their pairs are replaced; only the order is moved in memory, not the pairs.

use glam::DVec3;
use pliant_core::DirtySet;
use pliant_parallel::for_each_chunk;

use super::contact_pair::{ContactPair, NO_NODE};

/// One contact pair in the order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    /// Key of its candidate; on a plane [`ON_PLANE`], the plane and the vertex.
    pub key: [u32; 3],
    /// Storage slot of the pair.
    slot: u32,
    pub nodes: [u32; 4],
}

/// Sort key of contacts on planes: after all primitives.
pub(super) const ON_PLANE: u32 = u32::MAX;

impl Entry {
    /// The plane in contact, if any.
    pub fn plane(&self) -> Option<usize> {
        (self.key[0] == ON_PLANE).then_some(self.key[1] as usize)
    }

    /// Whether any of its nodes is in the set.
    pub fn meets(&self, these: &DirtySet) -> bool {
        self.nodes.iter().any(|node| *node != NO_NODE && these.contains(*node))
    }
}

/// See the file head.
#[derive(Debug, Default)]
pub(super) struct ContactSet {
    entries: Vec<Entry>,
    pairs: Vec<ContactPair>,
    /// Forces of each contact pair on its nodes, N; valid if `has_forces`.
    forces: Vec<[DVec3; 4]>,
    has_forces: bool,
    /// Unused slots.
    free: Vec<u32>,
    /// Positions in the order that are removed, entries that are inserted, and the next order.
    gone: Vec<u32>,
    added: Vec<Entry>,
    next: Vec<Entry>,
}

impl ContactSet {
    /// Removes all pairs.
    pub fn clear(&mut self) {
        self.entries.clear();
        self.pairs.clear();
        self.free.clear();
        self.has_forces = false;
    }

    /// The entries in order.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// All pairs in order.
    pub fn iter(&self) -> impl Iterator<Item = &ContactPair> {
        self.entries.iter().map(|entry| self.at(entry))
    }

    /// The pair of an entry.
    pub fn at(&self, entry: &Entry) -> &ContactPair {
        &self.pairs[entry.slot as usize]
    }

    /// Forces of the pair on its nodes, N, after [`ContactSet::write_forces`].
    pub fn forces(&self, entry: &Entry) -> &[DVec3; 4] {
        &self.forces[entry.slot as usize]
    }

    /// Updates the `carried` velocity of the pairs for which `carried` returns one.
    pub fn carry(&mut self, carried: impl Fn(&Entry, &ContactPair) -> Option<DVec3>) {
        for entry in &self.entries {
            let pair = &mut self.pairs[entry.slot as usize];
            if let Some(carried) = carried(entry, pair) {
                pair.carried = carried;
            }
        }
    }

    /// Marks the pairs for which `goes` holds for removal by [`ContactSet::merge_added`]; calls `tell` with each.
    pub fn remove(&mut self, goes: impl Fn(&Entry) -> bool, mut tell: impl FnMut(&Entry)) {
        for (k, entry) in (0..).zip(&self.entries).filter(|(_, entry)| goes(entry)) {
            tell(entry);
            self.free.push(entry.slot);
            self.gone.push(k);
        }
    }

    /// Adds a pair, to be inserted by [`ContactSet::merge_added`]; keys must ascend from call to call.
    pub fn add(&mut self, key: [u32; 3], pair: ContactPair) {
        let slot = self.free.pop().unwrap_or(self.pairs.len() as u32);
        match self.pairs.get_mut(slot as usize) {
            Some(place) => *place = pair,
            None => self.pairs.push(pair),
        }
        self.added.push(Entry { key, slot, nodes: pair.nodes });
    }

    /// Removes the marked pairs and inserts the added ones, at positions `x` of all nodes; calls `new` with each added pair.
    pub fn merge_added(&mut self, x: &[DVec3], mut new: impl FnMut(&Entry)) {
        self.added.iter().for_each(&mut new);
        if self.has_forces {
            self.forces.resize(self.pairs.len(), [DVec3::ZERO; 4]);
            for entry in &self.added {
                self.forces[entry.slot as usize] = self.pairs[entry.slot as usize].forces(&pick(x, entry.nodes));
            }
        }
        let places = || self.gone.iter().map(|k| *k as usize);
        let are_same = self.gone.len() == self.added.len()
            && places().zip(&self.added).all(|(k, new)| self.entries[k].key == new.key);
        if are_same {
            // common case: the set of pairs is unchanged
            for (k, new) in self.gone.iter().zip(&self.added) {
                self.entries[*k as usize] = *new;
            }
        } else {
            self.next.clear();
            let (mut gone, mut added) = (places().peekable(), self.added.iter().peekable());
            for (k, entry) in self.entries.iter().enumerate() {
                if gone.next_if_eq(&k).is_some() {
                    continue;
                }
                while let Some(before) = added.next_if(|new| new.key < entry.key) {
                    self.next.push(*before);
                }
                self.next.push(*entry);
            }
            self.next.extend(added);
            std::mem::swap(&mut self.entries, &mut self.next);
        }
        self.gone.clear();
        self.added.clear();
    }

    /// Computes the forces of all pairs unless they are valid, at positions `x` of all nodes.
    pub fn write_forces(&mut self, x: &[DVec3]) {
        if self.has_forces {
            return;
        }
        let pairs = &self.pairs;
        self.forces.resize(pairs.len(), [DVec3::ZERO; 4]);
        for_each_chunk(&mut self.forces, |start, chunk| {
            for (pair, force) in pairs[start..].iter().zip(chunk) {
                *force = pair.forces(&pick(x, pair.nodes));
            }
        });
        self.has_forces = true;
    }
}

/// The values of four nodes; zero for [`NO_NODE`].
pub(super) fn pick(values: &[DVec3], nodes: [u32; 4]) -> [DVec3; 4] {
    nodes.map(|node| if node == NO_NODE { DVec3::ZERO } else { values[node as usize] })
}
