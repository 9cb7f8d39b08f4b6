//! A binary tree of boxes for queries of one point: the nearest primitive, and groups far enough away to be approximated together.
//!
//! [`crate::Bvh`] finds pairs of overlapping boxes and is refitted at every step; this one is built once for points that do not move, and its
//! nodes are numbered so that sums over their subtrees can be kept beside it (see [`super::winding`]).

use crate::aabb::Aabb;
use glam::DVec3;

/// Primitives per leaf: fewer cost more boxes, more cost more distances.
const LEAF: usize = 4;

/// Halving 2³² primitives ends after 32 levels; a depth-first traversal leaves one sibling behind on each.
pub(super) const STACK: usize = 40;

/// A node: the left child of an inner one is the next node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub bounds: Aabb,
    /// The places of its primitives in [`BoxTree::order`].
    pub first: u32,
    pub end: u32,
    /// The right child; 0 for a leaf.
    pub right: u32,
}

impl Node {
    pub fn is_leaf(&self) -> bool {
        self.right == 0
    }

    fn distance_squared(&self, p: DVec3) -> f64 {
        distance_squared(&self.bounds, p)
    }
}

/// How far a point is from a box, squared.
#[inline]
fn distance_squared(bounds: &Aabb, p: DVec3) -> f64 {
    (p - p.clamp(bounds.low, bounds.high)).length_squared()
}

/// Rounding errors of a distance to a primitive, in parts of its size and of the distance: far above them.
const ROUNDING: f64 = 1e-9;

/// A tree of boxes, every node before its subtree.
#[derive(Clone, Debug, Default)]
pub(super) struct BoxTree {
    pub order: Vec<u32>,
    pub nodes: Vec<Node>,
    /// The boxes of the primitives in that order, and how much nearer than its box a primitive could seem by rounding.
    near: Vec<(Aabb, f64)>,
}

impl BoxTree {
    /// The tree of some boxes with finite corners, numbered in their order.
    pub fn new(boxes: &[Aabb]) -> Self {
        let mut tree = Self { order: (0..boxes.len() as u32).collect(), nodes: Vec::new(), near: Vec::new() };
        if !boxes.is_empty() {
            tree.grow(boxes, 0, boxes.len());
        }
        let size = |bounds: &Aabb| (bounds.high - bounds.low).max_element();
        tree.near = tree.order.iter().map(|&i| boxes[i as usize]).map(|b| (b, ROUNDING * size(&b))).collect();
        tree
    }

    /// Primitives that may seem nearer than their boxes: [`BoxTree::nearest`] asks for the distance of every one it meets.
    pub fn distrust(&mut self, is_doubtful: impl Fn(u32) -> bool) {
        for (near, _) in self.near.iter_mut().zip(&self.order).filter(|(_, i)| is_doubtful(**i)) {
            near.1 = f64::INFINITY;
        }
    }

    fn grow(&mut self, boxes: &[Aabb], first: usize, end: usize) {
        let members = &mut self.order[first..end];
        let bounds = Aabb::around(members.iter().flat_map(|&i| [boxes[i as usize].low, boxes[i as usize].high]));
        let number = self.nodes.len();
        self.nodes.push(Node { bounds, first: first as u32, end: end as u32, right: 0 });
        if end - first <= LEAF {
            return;
        }
        let centres = Aabb::around(members.iter().map(|&i| boxes[i as usize].centre()));
        let sides = centres.high - centres.low;
        let axis = (0..3).fold(0, |best, axis| if sides[axis] > sides[best] { axis } else { best });
        let key = |i: u32| boxes[i as usize].centre()[axis];
        let middle = (end - first) / 2;
        // Ties are broken by index: the tree is deterministic.
        members.select_nth_unstable_by(middle, |&a, &b| key(a).total_cmp(&key(b)).then(a.cmp(&b)));
        self.grow(boxes, first, first + middle);
        self.nodes[number].right = self.nodes.len() as u32;
        self.grow(boxes, first + middle, end);
    }

    /// The primitives of a node.
    pub fn members(&self, node: &Node) -> &[u32] {
        &self.order[node.first as usize..node.end as usize]
    }

    /// The primitive nearest to a point, and its distance; the lowest index on ties. Nothing beyond `limit` is searched.
    pub fn nearest(&self, p: DVec3, limit: f64, mut distance: impl FnMut(u32) -> f64) -> Option<(f64, u32)> {
        let mut best: Option<(f64, u32)> = None;
        let mut reach = limit;
        let mut stack = [(0_u32, 0.0_f64); STACK];
        let mut height = usize::from(!self.nodes.is_empty());
        while height > 0 {
            height -= 1;
            let (number, squared) = stack[height];
            // Rounded up a little, so that a tie is not lost to the square.
            if squared > reach * reach * (1.0 + 1e-12) {
                continue;
            }
            let node = &self.nodes[number as usize];
            if node.is_leaf() {
                let range = node.first as usize..node.end as usize;
                for (&i, (bounds, margin)) in self.order[range.clone()].iter().zip(&self.near[range]) {
                    let beyond = reach * (1.0 + ROUNDING) + margin;
                    if distance_squared(bounds, p) > beyond * beyond {
                        continue;
                    }
                    let d = distance(i);
                    if d <= reach && best.is_none_or(|(least, at)| d < least || i < at) {
                        best = Some((d, i));
                        reach = d;
                    }
                }
                continue;
            }
            let children = [number + 1, node.right].map(|c| (c, self.nodes[c as usize].distance_squared(p)));
            // The nearer child is pushed last and visited first.
            let [near, far] = if children[0].1 <= children[1].1 { children } else { [children[1], children[0]] };
            stack[height] = far;
            stack[height + 1] = near;
            height += 2;
        }
        best
    }

    /// Calls `found` with the primitives of every leaf with a box that overlaps this one, until it returns `false`.
    pub fn meeting(&self, query: &Aabb, mut found: impl FnMut(u32) -> bool) {
        let mut stack = [0_u32; STACK];
        let mut height = usize::from(!self.nodes.is_empty());
        while height > 0 {
            height -= 1;
            let number = stack[height];
            let node = &self.nodes[number as usize];
            if !node.bounds.meets(query) {
                continue;
            }
            if node.is_leaf() {
                if !self.members(node).iter().all(|&i| found(i)) {
                    return;
                }
                continue;
            }
            stack[height] = node.right;
            stack[height + 1] = number + 1;
            height += 2;
        }
    }
}
