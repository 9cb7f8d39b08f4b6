//! The dirty set of contact changes.

use pliant_core::DirtySet;

use crate::contact::contact_pair::NO_NODE;

/// Compares the contacts of each first particle, in order, and marks all nodes of those that have changed. Both lists are in the order of first
/// particles, pairs before boundaries.
pub(super) fn mark_changed<T: PartialEq>(before: &[T], now: &[T], nodes: impl Fn(&T) -> [u32; 4], out: &mut DirtySet) {
    let key = |one: &T| {
        let [first, second, third, _] = nodes(one);
        (second == NO_NODE || third != NO_NODE, first)
    };
    let mut before = before.chunk_by(|a, b| key(a) == key(b)).peekable();
    let mut add =
        |all: &[T]| all.iter().flat_map(&nodes).filter(|node| *node != NO_NODE).for_each(|node| out.add(node));
    for all in now.chunk_by(|a, b| key(a) == key(b)) {
        while let Some(left) = before.next_if(|old| key(&old[0]) < key(&all[0])) {
            add(left);
        }
        match before.next_if(|old| key(&old[0]) == key(&all[0])) {
            Some(old) if old == all => {}
            Some(old) => {
                add(old);
                add(all);
            }
            None => add(all),
        }
    }
    before.for_each(add);
}
