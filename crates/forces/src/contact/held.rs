//! What friction holds on to from the start of a step, in the order of contacts, and whom it concerns that it holds on to something else.

use super::friction::Grip;
use super::touches::Touches;

/// A contact that friction holds on to, and its place in the order.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Hold {
    key: [u32; 3],
    grip: Grip,
}

/// See the file head.
#[derive(Debug, Default)]
pub(super) struct Held {
    holds: Vec<Hold>,
    /// Their nodes once more, which are looked through often.
    nodes: Vec<[u32; 4]>,
    before: Vec<Hold>,
}

impl Held {
    /// Whether it holds on to nothing.
    pub fn is_empty(&self) -> bool {
        self.holds.is_empty()
    }

    /// All in order.
    pub fn iter(&self) -> impl Iterator<Item = &Grip> {
        self.holds.iter().map(|hold| &hold.grip)
    }

    /// Those with a node that `wants` wants, in order.
    pub fn with(&self, wants: impl Fn(u32) -> bool) -> impl Iterator<Item = &Grip> {
        let meets = move |nodes: &[u32; 4]| nodes.iter().any(|node| wants(*node));
        self.nodes.iter().zip(&self.holds).filter(move |(nodes, _)| meets(nodes)).map(|(_, hold)| &hold.grip)
    }

    /// Holds on to these contacts and to no others; `changed` is told of the nodes of every contact of which it held on to something else.
    pub fn renew(&mut self, touches: &Touches, mut changed: impl FnMut(&[u32; 4])) {
        std::mem::swap(&mut self.holds, &mut self.before);
        self.holds.clear();
        self.nodes.clear();
        let mut before = self.before.iter().peekable();
        for entry in touches.entries() {
            let Some(grip) = touches.at(entry).grip() else { continue };
            let hold = Hold { key: entry.key, grip };
            while let Some(left) = before.next_if(|old| old.key < hold.key) {
                changed(&left.grip.nodes);
            }
            if before.next_if(|old| old.key == hold.key) != Some(&hold) {
                changed(&grip.nodes);
            }
            self.holds.push(hold);
            self.nodes.push(grip.nodes);
        }
        before.for_each(|left| changed(&left.grip.nodes));
    }
}
