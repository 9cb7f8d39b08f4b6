//! Lagged contacts: the contacts at the start of the step, on which friction acts, in the order of the contact set. Reports the nodes of contacts
//! that change from step to step.

use glam::DVec3;
use pliant_core::FrictionResidual;

use super::contact_set::{ContactSet, pick};
use super::lagged_friction::{LaggedContact, PredictedForce};

/// A lagged contact with its sort key.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Entry {
    key: [u32; 3],
    lagged_contact: LaggedContact,
}

/// See the file head.
#[derive(Debug, Default)]
pub(super) struct LaggedContacts {
    holds: Vec<Entry>,
    /// Copy of their nodes, contiguous for fast search.
    nodes: Vec<[u32; 4]>,
    before: Vec<Entry>,
    /// Their forces in Newton's method; empty before the first derivative of a step.
    predicted: Vec<PredictedForce>,
}

impl LaggedContacts {
    /// Whether there are no lagged contacts.
    pub fn is_empty(&self) -> bool {
        self.holds.is_empty()
    }

    /// All lagged contacts in order.
    pub fn iter(&self) -> impl Iterator<Item = &LaggedContact> {
        self.holds.iter().map(|hold| &hold.lagged_contact)
    }

    /// Lagged contacts with a node for which `wants` holds, in order.
    pub fn with(&self, wants: impl Fn(u32) -> bool) -> impl Iterator<Item = &LaggedContact> {
        let meets = move |nodes: &[u32; 4]| nodes.iter().any(|node| wants(*node));
        self.nodes.iter().zip(&self.holds).filter(move |(nodes, _)| meets(nodes)).map(|(_, hold)| &hold.lagged_contact)
    }

    /// Predicts the forces at the iterate with velocities `v` from the iterate before; in the first one they are exact.
    pub fn predict(&mut self, v: &[DVec3], creep: f64, is_iterate: bool) {
        let sliding = self.holds.iter().map(|hold| hold.lagged_contact.sliding(&pick(v, hold.lagged_contact.nodes)));
        if is_iterate && self.predicted.len() == self.holds.len() {
            self.predicted.iter_mut().zip(sliding).for_each(|(force, u)| *force = force.advanced(u, creep));
        } else {
            self.predicted.clear();
            self.predicted.extend(sliding.map(|u| PredictedForce::exact(u, creep)));
        }
    }

    /// How far the forces at velocities `v` are from those predicted there.
    pub fn residual(&self, v: &[DVec3], creep: f64) -> FrictionResidual {
        let mut sum = FrictionResidual::default();
        for (hold, predicted) in self.holds.iter().zip(&self.predicted) {
            let contact = &hold.lagged_contact;
            let u = contact.sliding(&pick(v, contact.nodes));
            sum.unresolved += contact.strength * predicted.advanced(u, creep).error(creep);
            sum.limit += contact.strength;
        }
        sum
    }

    /// Lagged contacts with a node for which `wants` holds, with the forces of [`LaggedContacts::predict`].
    pub fn predicted_with(
        &self,
        wants: impl Fn(u32) -> bool,
    ) -> impl Iterator<Item = (&LaggedContact, &PredictedForce)> {
        let meets = move |nodes: &[u32; 4]| nodes.iter().any(|node| wants(*node));
        let contacts = self.holds.iter().map(|hold| &hold.lagged_contact).zip(&self.predicted);
        contacts.filter(move |(contact, _)| meets(&contact.nodes))
    }

    /// Replaces the lagged contacts by those of this contact set; calls `changed` with the nodes of every contact that is new, changed or gone.
    pub fn rebuild(&mut self, pairs: &ContactSet, mut changed: impl FnMut(&[u32; 4])) {
        std::mem::swap(&mut self.holds, &mut self.before);
        self.holds.clear();
        self.nodes.clear();
        self.predicted.clear();
        let mut before = self.before.iter().peekable();
        for entry in pairs.entries() {
            let Some(lagged_contact) = pairs.at(entry).lagged_contact() else { continue };
            let hold = Entry { key: entry.key, lagged_contact };
            while let Some(left) = before.next_if(|old| old.key < hold.key) {
                changed(&left.lagged_contact.nodes);
            }
            if before.next_if(|old| old.key == hold.key) != Some(&hold) {
                changed(&lagged_contact.nodes);
            }
            self.holds.push(hold);
            self.nodes.push(lagged_contact.nodes);
        }
        before.for_each(|left| changed(&left.lagged_contact.nodes));
    }
}
