//! A bounding volume hierarchy for the broad phase.
//!
//! Built once by median splits of the centres; refitted to every new state of the points, optionally swept over a step. Every node (a
//! `Quad`) holds the boxes of four children, coordinate by coordinate, so that one box is compared with four at a time, in f32
//! rounded outward: half the memory, and never a pair missed. Groups of four follow each other in memory, level by level: the children of
//! node `q` are the nodes `4q..4q+4` of the level below, and there are no pointers.
//!
//! All nodes of a level are refitted independently. Queries are split into tasks of a fixed size, and their lists are joined in order.
//! The pairs are then sorted by index: the result does not depend on the number of threads.
//!
//! Why not a library such as parry: the engine needs boxes swept over a step, the same order of pairs for any number of threads, and no
//! allocation when warm. None of this is promised there; with implicit children all of it is less code than an adapter.

use crate::aabb::Aabb;
use crate::pairs::Pairs;
use crate::quad::{Quad, Small};
use glam::DVec3;
use pliant_parallel::{for_each_chunk, for_each_task};

/// Nodes of the second level (groups of sixteen primitives) in one task of a query.
const TASK: usize = 32;

/// Deep enough for 4¹⁶ primitives.
const MAX_LEVELS: usize = 16;

/// Entries of the stack of a depth-first traversal that leaves at most three siblings behind on every level.
const STACK: usize = 4 * MAX_LEVELS;

/// A bounding volume hierarchy over primitives numbered from 0.
#[derive(Clone, Debug, Default)]
pub struct Bvh {
    /// The primitive in each slot of the lowest level, and the slot of each primitive.
    order: Vec<u32>,
    place: Vec<u32>,
    /// `levels[0]` holds the boxes of the primitives; the last level is the root alone.
    levels: Vec<Vec<Quad>>,
    /// Dirty nodes of a level: their boxes are to be refitted.
    stale: Vec<u32>,
    /// Groups of sixteen primitives that are all passive; empty where there is none.
    passive: Vec<bool>,
    /// The stretch of each group of sixteen primitives that all lie on one curve; empty where there is none.
    stretches: Vec<Option<Stretch>>,
}

/// A part of a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stretch {
    /// Index of the curve.
    pub curve: u32,
    /// Arc lengths of its ends, m, in this order.
    pub ends: [f64; 2],
    /// Primitives of the curve nearer than this along it form no pairs, m.
    pub apart: f64,
}

impl Stretch {
    fn join(self, other: Self) -> Option<Self> {
        let ends = [self.ends[0].min(other.ends[0]), self.ends[1].max(other.ends[1])];
        (self.curve == other.curve).then_some(Self { ends, ..self })
    }

    /// Whether no primitive of one forms a pair with one of the other.
    fn excludes(self, other: Self) -> bool {
        self.join(other).is_some_and(|both| both.ends[1] - both.ends[0] < both.apart)
    }
}

impl Bvh {
    /// The tree for primitives with these centres; primitives near each other share nodes. Its boxes are empty until [`Bvh::refit`].
    ///
    /// # Panics
    /// If there are more than 2³² - 1 primitives.
    pub fn new(centres: &[DVec3]) -> Self {
        let count = u32::try_from(centres.len()).expect("primitives are numbered with 32 bits");
        let mut order: Vec<u32> = (0..count).collect();
        split(&mut order, centres);
        let mut levels = Vec::new();
        let mut nodes = order.len();
        while nodes > 1 || levels.len() < 2 {
            nodes = nodes.div_ceil(4).max(1); // at least one, even without primitives: queries traverse groups of groups
            levels.push(vec![Quad::EMPTY; nodes]);
        }
        let mut place = vec![0; order.len()];
        (0..).zip(&order).for_each(|(at, i)| place[*i as usize] = at);
        Self { order, place, levels, stale: Vec::new(), passive: Vec::new(), stretches: Vec::new() }
    }

    /// Marks primitives that form no pairs with each other, such as those of colliders: [`Bvh::self_pairs`] does not look for such pairs where all
    /// sixteen primitives of a group are passive, and `keep` need not be asked for them.
    pub fn set_passive(&mut self, is_passive: impl Fn(u32) -> bool) {
        self.passive.clear();
        self.passive.extend(self.order.chunks(16).map(|group| group.iter().all(|i| is_passive(*i))));
        if !self.passive.contains(&true) {
            self.passive.clear();
        }
    }

    /// Says which primitives lie on curves, and where: [`Bvh::self_pairs`] does not look for pairs of two groups of sixteen primitives that are too
    /// near each other along one, and `keep` need not be asked for them; it must reject them.
    pub fn set_stretches(&mut self, stretch: impl Fn(u32) -> Option<Stretch>) {
        self.stretches.clear();
        let of_group = |group: &[u32]| {
            let first = stretch(*group.first()?)?;
            group.iter().try_fold(first, |whole, i| whole.join(stretch(*i)?))
        };
        self.stretches.extend(self.order.chunks(16).map(of_group));
        if self.stretches.iter().all(Option::is_none) {
            self.stretches.clear();
        }
    }

    /// The number of primitives.
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// Whether there are no primitives.
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// Refits all boxes: `bounds(i)` of primitive `i`, grown by `margin` on every side. Two primitives nearer than twice the margin (the sum of
    /// the margins for a query of two trees) are then found. A primitive with a box that is NaN overlaps nothing.
    pub fn refit(&mut self, margin: f64, bounds: impl Fn(usize) -> Aabb + Sync) {
        let order = &self.order;
        let mut levels = self.levels.iter_mut();
        let Some(mut below) = levels.next() else { return };
        for_each_chunk(below, |first, quads| {
            for (q, quad) in (first..).zip(quads) {
                *quad = leaf(order, q, margin, &bounds);
            }
        });
        for level in levels {
            for_each_chunk(level, |first, quads| {
                for (q, quad) in quads.iter_mut().enumerate() {
                    *quad = Quad::of(below[4 * (first + q)..].iter().take(4).map(Quad::whole));
                }
            });
            below = level;
        }
    }

    /// Refits the boxes of some primitives, of those that share a node with them, and of their ancestors; all other boxes stay.
    pub fn refit_few(&mut self, primitives: &[u32], margin: f64, bounds: impl Fn(usize) -> Aabb) {
        let Self { order, place, levels, stale, .. } = self;
        stale.clear();
        stale.extend(primitives.iter().map(|i| place[*i as usize] / 4));
        stale.sort_unstable();
        stale.dedup();
        for q in stale.iter().map(|q| *q as usize) {
            levels[0][q] = leaf(order, q, margin, &bounds);
        }
        for level in 1..levels.len() {
            stale.iter_mut().for_each(|q| *q /= 4);
            stale.dedup();
            let (below, above) = levels.split_at_mut(level);
            for q in stale.iter().map(|q| *q as usize) {
                above[0][q] = Quad::of(below[level - 1][4 * q..].iter().take(4).map(Quad::whole));
            }
        }
    }

    /// All pairs `i < j` of primitives of this tree with overlapping boxes that `keep` accepts, sorted.
    pub fn self_pairs(&self, keep: impl Fn(u32, u32) -> bool + Sync, pairs: &mut Pairs) {
        self.collect(self, true, keep, pairs);
    }

    /// All pairs of a primitive `i` of this tree and `j` of the other with overlapping boxes that `keep` accepts, sorted.
    pub fn pairs_with(&self, other: &Bvh, keep: impl Fn(u32, u32) -> bool + Sync, pairs: &mut Pairs) {
        self.collect(other, false, keep, pairs);
    }

    /// Calls `found` with every primitive with a box that overlaps this one, in no particular order.
    pub fn meeting_box(&self, query: &Aabb, mut found: impl FnMut(u32)) {
        let query = Small::around(query);
        self.meeting(&query, 0, |met, boxes| {
            let mut groups = boxes.meets(&query);
            while groups != 0 {
                let node = 4 * met + groups.trailing_zeros() as usize;
                groups &= groups - 1;
                let mut hits = self.levels[0][node].meets(&query);
                while hits != 0 {
                    found(self.order[4 * node + hits.trailing_zeros() as usize]);
                    hits &= hits - 1;
                }
            }
        });
    }

    fn collect(&self, other: &Bvh, within: bool, keep: impl Fn(u32, u32) -> bool + Sync, pairs: &mut Pairs) {
        let groups = &self.levels[1];
        let lists = pairs.lists(groups.len().div_ceil(TASK));
        for_each_task(lists, |task, list| {
            list.clear();
            let first = task * TASK;
            for (g, group) in groups[first..].iter().take(TASK).enumerate() {
                // One traversal for a group of sixteen; then its four nodes are compared with what was found.
                let group_number = first + g;
                let is_passive = |group: usize| within && self.passive.get(group).is_some_and(|passive| *passive);
                if is_passive(group_number) {
                    continue;
                }
                let stretch = self.stretches.get(group_number).copied().flatten().filter(|_| within);
                let from = if within && self.passive.is_empty() { group_number } else { 0 };
                other.meeting(&group.whole(), from, |met, boxes| {
                    // an active group finds passive ones before it, which do not look for it
                    let is_all = !within || is_passive(met);
                    if !is_all && met < group_number {
                        return;
                    }
                    let theirs = stretch.and_then(|_| self.stretches[met]);
                    if stretch.zip(theirs).is_some_and(|(mine, theirs)| mine.excludes(theirs)) {
                        return;
                    }
                    for child in 0..4 {
                        let mine = 4 * group_number + child;
                        let mut hits = boxes.meets(&group.get(child));
                        while hits != 0 {
                            let theirs = 4 * met + hits.trailing_zeros() as usize;
                            hits &= hits - 1;
                            if is_all || theirs >= mine {
                                self.compare(mine, other, theirs, within, &keep, list);
                            }
                        }
                    }
                });
            }
        });
        pairs.join(self.len());
    }

    /// The pairs of primitives of two nodes of the lowest level.
    #[inline]
    fn compare(
        &self,
        mine: usize,
        other: &Bvh,
        theirs: usize,
        within: bool,
        keep: &impl Fn(u32, u32) -> bool,
        list: &mut Vec<[u32; 2]>,
    ) {
        // One bit for each of the sixteen pairs of boxes. One loop over all set bits, and a count that grows by the result of `keep`:
        // unpredictable branches cost more than everything else here.
        let (quad, boxes) = (&self.levels[0][mine], &other.levels[0][theirs]);
        let mut hits = (0..4).fold(0, |hits, child| hits | boxes.meets(&quad.get(child)) << (4 * child));
        if within && theirs == mine {
            hits &= 0b_0000_1000_1100_1110; // each pair once, and none with itself
        }
        let (mut kept, mut count) = ([[0; 2]; 16], 0);
        while hits != 0 {
            let bit = hits.trailing_zeros() as usize;
            hits &= hits - 1;
            let (i, j) = (self.order[4 * mine + bit / 4], other.order[4 * theirs + bit % 4]);
            let pair = if within { [i.min(j), i.max(j)] } else { [i, j] };
            kept[count] = pair;
            count += usize::from(keep(pair[0], pair[1]));
        }
        list.extend_from_slice(&kept[..count]);
    }

    /// Calls `found` with every node of the second level, from index `from` on, that the box overlaps.
    #[inline]
    fn meeting(&self, query: &Small, from: usize, mut found: impl FnMut(usize, &Quad)) {
        let mut stack = [(0u32, 0u8); STACK];
        stack[0] = (0, (self.levels.len() - 1) as u8);
        let mut height = 1;
        while height > 0 {
            height -= 1;
            let (node, level) = (stack[height].0 as usize, stack[height].1 as usize);
            let quad = &self.levels[level][node];
            if level == 1 {
                found(node, quad);
                continue;
            }
            let mut hits = quad.meets(query);
            // A child covers the nodes of the second level below (child + 1) 4^(level - 2).
            let shift = 2 * (level - 2);
            while hits != 0 {
                let child = 4 * node + hits.trailing_zeros() as usize;
                hits &= hits - 1;
                if (child + 1) << shift > from {
                    stack[height] = (child as u32, (level - 1) as u8);
                    height += 1;
                }
            }
        }
    }
}

/// A node of the lowest level.
#[inline]
fn leaf(order: &[u32], q: usize, margin: f64, bounds: &impl Fn(usize) -> Aabb) -> Quad {
    let primitives = order[(4 * q).min(order.len())..].iter().take(4);
    Quad::of(primitives.map(|&i| Small::around(&bounds(i as usize).grown(margin))))
}

/// Orders primitives so that consecutive groups of 4, 16, 64 … are near each other: halves by the longest side of the box
/// of the centres, at a multiple of the largest group that fits. Ties are broken by index: the order is deterministic.
fn split(order: &mut [u32], centres: &[DVec3]) {
    if order.len() <= 4 {
        return;
    }
    let extent = Aabb::around(order.iter().map(|&i| centres[i as usize]).filter(|c| !c.is_nan()));
    let sides = extent.high - extent.low;
    let axis = (0..3).fold(0, |best, axis| if sides[axis] > sides[best] { axis } else { best });
    let mut group = 4;
    while group * 4 < order.len() {
        group *= 4;
    }
    let groups = order.len().div_ceil(group);
    let middle = groups.div_ceil(2) * group;
    let key = |i: u32| centres[i as usize][axis];
    order.select_nth_unstable_by(middle, |&a, &b| key(a).total_cmp(&key(b)).then(a.cmp(&b)));
    let (left, right) = order.split_at_mut(middle);
    split(left, centres);
    split(right, centres);
}
