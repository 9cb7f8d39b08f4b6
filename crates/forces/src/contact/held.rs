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

    /// Holds on to these contacts and to no others; `changed` is told of the nodes of every contact of which it held on to something else.
    pub fn renew(&mut self, touches: &Touches, mut changed: impl FnMut(&[u32; 4])) {
        std::mem::swap(&mut self.holds, &mut self.before);
        self.holds.clear();
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
        }
        before.for_each(|left| changed(&left.grip.nodes));
    }
}
