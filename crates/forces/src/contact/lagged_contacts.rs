//! Lagged contacts: the contacts at the start of the step, on which friction acts, in the order of the contact set. Reports the nodes of contacts
//! that change from step to step.

use super::contact_set::ContactSet;
use super::lagged_friction::LaggedContact;

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

    /// Replaces the lagged contacts by those of this contact set; calls `changed` with the nodes of every contact that is new, changed or gone.
    pub fn renew(&mut self, touches: &ContactSet, mut changed: impl FnMut(&[u32; 4])) {
        std::mem::swap(&mut self.holds, &mut self.before);
        self.holds.clear();
        self.nodes.clear();
        let mut before = self.before.iter().peekable();
        for entry in touches.entries() {
            let Some(lagged_contact) = touches.at(entry).lagged_contact() else { continue };
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
