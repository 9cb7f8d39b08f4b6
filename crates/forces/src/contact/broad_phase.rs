//! Broad phase: candidate pairs of features that may be within reach of each other.
//!
//! The candidate list is kept while no node has moved by more than half of the skin (`reserve`) from its position at the last search. A list longer
//! than necessary costs time only: candidates are in the order of their primitives, and those out of reach are dropped. Where few nodes move, the
//! list holds only the pairs of their primitives, and only the tree boxes of nodes that left their skin are refitted. Where all nodes move, each
//! candidate has the distance at the last search: most stay out of reach by more than their nodes have moved since, and cost no more than that.

use glam::DVec3;
use pliant_core::{DirtySet, Spread};
use pliant_geom::aabb::Aabb;
use pliant_geom::bvh::Bvh;
use pliant_geom::distance::{PairKind, certain_gap_at, distance};
use pliant_geom::pairs::Pairs;
use pliant_geom::points_of;
use pliant_parallel::{for_each_chunk, for_each_task};

use super::ccd::CcdScratch;
use super::contact_pair::Candidate;
use super::surface::{Primitive, Surface};

/// Skin as a part of the mean edge length: with a wider one most features of a mesh are listed with the neighbours of their neighbours.
const SKIN_PER_EDGE: f64 = 0.25;
/// Bounds of the skin in units of the largest distance at which anything acts.
const SKIN_PER_REACH: (f64, f64) = (3.0, 8.0);
/// Primitive pairs whose feature pairs one task lists.
const PAIRS_PER_TASK: usize = 1024;

/// See the file head.
pub struct BroadPhase {
    pub(super) tree: Bvh,
    /// Whether the boxes of the tree are those of `known_x`.
    pub(super) is_fitted: bool,
    pub(super) pairs: Pairs,
    pub(super) few_pairs: Vec<[u32; 2]>,
    /// Largest distance at which anything acts, m.
    pub(super) reach: f64,
    reserve: f64,
    /// Primitives of each node.
    owner_start: Vec<u32>,
    owners: Vec<u32>,
    /// Primitives with pairs in the list, and primitives with a node that has left its skin.
    pub(super) watched: DirtySet,
    outside_skin: DirtySet,
    pub(super) candidates: Vec<Candidate>,
    /// What each task of a search lists.
    pub(super) lists: Vec<Vec<Candidate>>,
    /// Position of each node at the last search, m.
    pub(super) known_x: Vec<DVec3>,
    /// Distance of each candidate at these positions, m; empty where only some primitives were searched.
    pub(super) distances: Vec<f64>,
    /// Bound of the rounding error of a distance, m.
    pub(super) rounding: f64,
    /// How far each node is from its position at the last search, m.
    shifts: Vec<f64>,
    is_near: Vec<bool>,
    /// Candidates within reach at the last call, and whether these are those of all nodes.
    pub(super) near: Vec<Candidate>,
    pub(super) near_is_complete: bool,
    pub(super) sweep: CcdScratch,
}

impl BroadPhase {
    /// Builds the tree and the node-to-primitive map of a surface.
    pub fn new(surface: &Surface) -> Self {
        let largest = |values: &[f64]| values.iter().copied().fold(0.0, f64::max);
        let thickness = 2.0 * largest(&surface.half_thickness);
        let centre = |p: &Primitive| p.corners.map(|corner| surface.rest[corner as usize]).iter().sum::<DVec3>() / 3.0;
        let centres: Vec<DVec3> = surface.primitives.iter().map(centre).collect();
        let mut of: Vec<(u32, u32)> =
            (0..).zip(&surface.primitives).flat_map(|(k, p)| p.corners.map(|corner| (corner, k))).collect();
        of.sort_unstable();
        // segments repeat a corner
        of.dedup();
        let starts = (0..=surface.nodes() as u32).map(|node| of.partition_point(|(n, _)| *n < node) as u32);
        let mut tree = Bvh::new(&centres);
        tree.set_passive(|k| !surface.primitives[k as usize].is_simulated);
        tree.set_stretches(|k| surface.stretch(&surface.primitives[k as usize]));
        Self {
            tree,
            is_fitted: false,
            pairs: Pairs::new(),
            few_pairs: Vec::new(),
            reach: thickness,
            reserve: skin(surface, thickness),
            owner_start: starts.collect(),
            owners: of.into_iter().map(|(_, primitive)| primitive).collect(),
            watched: DirtySet::default(),
            outside_skin: DirtySet::default(),
            candidates: Vec::new(),
            lists: Vec::new(),
            known_x: Vec::new(),
            distances: Vec::new(),
            rounding: 0.0,
            shifts: Vec::new(),
            is_near: Vec::new(),
            near: Vec::new(),
            near_is_complete: false,
            sweep: CcdScratch::default(),
        }
    }

    /// The primitives of a node.
    pub fn owners(&self, node: u32) -> &[u32] {
        let node = node as usize;
        &self.owners[self.owner_start[node] as usize..self.owner_start[node + 1] as usize]
    }

    /// Candidate pairs with at least one of the moved nodes that may be within reach of each other at these positions.
    pub fn candidates(&mut self, surface: &Surface, x: &[DVec3], moved: &DirtySet) -> &[Candidate] {
        self.refresh(surface, x, moved);
        let has_distances = self.watched.is_all() && !moved.is_small(Spread::Wide);
        if has_distances {
            let known_x = &self.known_x;
            self.shifts.resize(x.len(), 0.0);
            for_each_chunk(&mut self.shifts, |start, chunk| {
                (start..).zip(chunk).for_each(|(node, shift)| *shift = known_x[node].distance(x[node]));
            });
        }
        let (all, distances, shifts, rounding) = (&self.candidates, &self.distances, &self.shifts, self.rounding);
        self.is_near.clear();
        self.is_near.resize(all.len(), false);
        for_each_chunk(&mut self.is_near, |start, chunk| {
            for ((k, candidate), is_near) in (start..).zip(&all[start..]).zip(chunk) {
                if !candidate.nodes.iter().any(|node| moved.contains(*node)) {
                    continue;
                }
                let [a, b] = [candidate.nodes[0] as usize, candidate.nodes[3] as usize];
                let reach = surface.thickness(a, b) + surface.radius[a] + surface.radius[b];
                if has_distances && stays_apart(candidate, distances[k], shifts, reach + rounding) {
                    continue;
                }
                *is_near = certain_gap_at(candidate.kind, &points_of(x, candidate.nodes)) < reach;
            }
        });
        self.near_is_complete = moved.is_all();
        self.near.clear();
        self.near.extend(all.iter().zip(&self.is_near).filter(|(_, near)| **near).map(|(candidate, _)| *candidate));
        &self.near
    }

    /// Margin by which the boxes of the tree exceed their primitives, m.
    pub(super) fn margin(&self) -> f64 {
        0.5 * (self.reach + self.reserve)
    }

    /// Whether a node has moved by more than half of the skin since the last search.
    pub(super) fn has_left_skin(&self, node: usize, x: DVec3) -> bool {
        let is_near = self.known_x[node].distance_squared(x) <= 0.25 * self.reserve * self.reserve;
        // NaN counts as outside the skin
        !is_near
    }

    /// Updates the list for these positions; `moved` holds the nodes that have changed since the last call.
    fn refresh(&mut self, surface: &Surface, x: &[DVec3], moved: &DirtySet) {
        let all = surface.primitives.len();
        let is_first = self.known_x.len() != x.len();
        if is_first || moved.is_all() {
            if is_first || !self.watched.is_all() || (0..x.len()).any(|node| self.has_left_skin(node, x[node])) {
                self.list_all(surface, x);
            }
            return;
        }
        let mut outside_skin = std::mem::take(&mut self.outside_skin);
        let mut watched = std::mem::take(&mut self.watched);
        outside_skin.clear(all);
        let moving: usize = moved.list().iter().map(|node| self.owners(*node).len()).sum();
        // a full list is replaced by a short one where few primitives move
        let mut is_unwatched = watched.is_all() && DirtySet::are_few(moving, all, Spread::Wide);
        for node in moved.list() {
            is_unwatched |= self.owners(*node).iter().any(|owner| !watched.contains(*owner));
            if self.has_left_skin(*node as usize, x[*node as usize]) {
                self.known_x[*node as usize] = x[*node as usize];
                outside_skin.extend(self.owners(*node));
            }
        }
        let has_left_skin = !outside_skin.list().is_empty();
        if has_left_skin && self.is_fitted {
            let (margin, x) = (self.margin(), &self.known_x);
            self.tree.refit_few(outside_skin.list(), margin, |k| swept_box(&surface.primitives[k], x, x, surface));
        }
        let is_stale = has_left_skin || is_unwatched;
        if is_stale {
            // primitives that moved before are kept in the list, unless most of them have come to rest
            if watched.is_all() || watched.list().len() > 2 * moving {
                watched.clear(all);
            }
            moved.list().iter().for_each(|node| watched.extend(self.owners(*node)));
        }
        let is_little = watched.is_small(Spread::Wide);
        (self.outside_skin, self.watched) = (outside_skin, watched);
        match (is_stale, is_little) {
            (false, _) => {}
            (true, true) => self.list_few(surface),
            (true, false) => self.list_all(surface, x),
        }
    }

    /// Lists the pairs of all primitives.
    fn list_all(&mut self, surface: &Surface, x: &[DVec3]) {
        self.known_x.clear();
        self.known_x.extend_from_slice(x);
        self.fit(surface);
        self.watched.clear(surface.primitives.len());
        self.watched.add_all();
        self.tree.self_pairs(|a, b| may_collide(surface, a, b), &mut self.pairs);
        let margin = self.margin();
        self.candidates.clear();
        collect_all(surface, self.pairs.as_slice(), &mut self.lists, &mut self.candidates, |candidate| {
            is_listed(candidate, x, surface, 2.0 * margin)
        });
        self.measure();
    }

    /// Measures the distances of all candidates.
    fn measure(&mut self) {
        let (candidates, x) = (&self.candidates, &self.known_x);
        let size = x.iter().map(|x| x.abs().max_element()).fold(0.0, f64::max);
        self.rounding = 64.0 * f64::EPSILON * size;
        self.distances.resize(candidates.len(), 0.0);
        for_each_chunk(&mut self.distances, |start, chunk| {
            for (candidate, known) in candidates[start..].iter().zip(chunk) {
                *known = distance(candidate.kind, &points_of(x, candidate.nodes));
            }
        });
    }

    /// Lists the pairs of the watched primitives.
    fn list_few(&mut self, surface: &Surface) {
        if !self.is_fitted {
            self.fit(surface);
        }
        self.watched.sort();
        let (margin, x) = (self.margin(), &self.known_x);
        let around = |k: u32| swept_box(&surface.primitives[k as usize], x, x, surface).grown(margin);
        pairs_of(&self.tree, surface, &self.watched, around, &mut self.few_pairs);
        self.candidates.clear();
        collect_all(surface, &self.few_pairs, &mut self.lists, &mut self.candidates, |candidate| {
            is_listed(candidate, x, surface, 2.0 * margin)
        });
    }

    /// Refits the boxes of the tree to the positions of the last search.
    pub(super) fn fit(&mut self, surface: &Surface) {
        let (margin, x) = (self.margin(), &self.known_x);
        self.tree.refit(margin, |k| swept_box(&surface.primitives[k], x, x, surface));
        self.is_fitted = true;
    }

    /// Pairs of primitives whose boxes overlap, the simulated one first.
    pub fn overlapping_pairs(&mut self, surface: &Surface, x: &[DVec3]) -> Vec<[u32; 2]> {
        self.known_x.clear();
        self.is_fitted = false;
        self.tree.refit(0.0, |k| swept_box(&surface.primitives[k], x, x, surface));
        self.tree.self_pairs(|a, b| may_collide(surface, a, b), &mut self.pairs);
        let ordered =
            |[a, b]: &[u32; 2]| if surface.primitives[*a as usize].is_simulated { [*a, *b] } else { [*b, *a] };
        self.pairs.as_slice().iter().map(ordered).collect()
    }
}

/// The distance beyond `reach` within which pairs are listed, m.
fn skin(surface: &Surface, reach: f64) -> f64 {
    let edge = |p: &Primitive| surface.rest[p.corners[0] as usize].distance(surface.rest[p.corners[1] as usize]);
    let simulated = || surface.primitives.iter().filter(|p| p.is_simulated);
    let mean = simulated().map(edge).sum::<f64>() / simulated().count().max(1) as f64;
    (SKIN_PER_EDGE * mean).min(SKIN_PER_REACH.1 * reach).max(SKIN_PER_REACH.0 * reach)
}

/// The swept box of a primitive between two states, radius included.
pub(super) fn swept_box(primitive: &Primitive, x0: &[DVec3], x1: &[DVec3], surface: &Surface) -> Aabb {
    Aabb::swept(&primitive.corners, x0, x1).grown(surface.radius[primitive.corners[0] as usize])
}

/// Sorted pairs with one of `these` primitives whose box by `around` overlaps a box of the tree.
pub(super) fn pairs_of(
    tree: &Bvh,
    surface: &Surface,
    these: &DirtySet,
    around: impl Fn(u32) -> Aabb,
    out: &mut Vec<[u32; 2]>,
) {
    out.clear();
    for &a in these.list() {
        tree.meeting_box(&around(a), |b| {
            // a pair of two of `these` is emitted once, by the lower index
            if b != a && (b > a || !these.contains(b)) && may_collide(surface, a, b) {
                out.push([a.min(b), a.max(b)]);
            }
        });
    }
    out.sort_unstable();
}

/// Filters pairs: colliders do not collide with each other, nor threads with the bodies they are sewn through, nor a rope with what is next to it
/// along it.
pub(super) fn may_collide(surface: &Surface, a: u32, b: u32) -> bool {
    let (a, b) = (&surface.primitives[a as usize], &surface.primitives[b as usize]);
    (a.is_simulated || b.is_simulated) && !a.seams.join(b.seams) && !surface.are_neighbours_throughout(a, b)
}

/// Collects the feature pairs of these primitive pairs that `near` accepts, in their order. `lists` is scratch.
pub(super) fn collect_all(
    surface: &Surface,
    pairs: &[[u32; 2]],
    lists: &mut Vec<Vec<Candidate>>,
    out: &mut Vec<Candidate>,
    near: impl Fn(&Candidate) -> bool + Sync,
) {
    let tasks = pairs.len().div_ceil(PAIRS_PER_TASK);
    if tasks > lists.len() {
        lists.resize(tasks, Vec::new());
    }
    for_each_task(&mut lists[..tasks], |task, list| {
        list.clear();
        let pairs = &pairs[task * PAIRS_PER_TASK..pairs.len().min((task + 1) * PAIRS_PER_TASK)];
        pairs.iter().for_each(|pair| collect(surface, *pair, list, &near));
    });
    lists[..tasks].iter().for_each(|list| out.extend_from_slice(list));
}

/// Collects the feature pairs of two primitives that `near` accepts, except neighbours along a rope.
fn collect(surface: &Surface, pair: [u32; 2], out: &mut Vec<Candidate>, near: impl Fn(&Candidate) -> bool) {
    let [a, b] = pair.map(|k| &surface.primitives[k as usize]);
    let mut count = 0;
    let mut add = |kind: PairKind, nodes: [u32; 4]| {
        let candidate = Candidate { kind, nodes, key: [pair[0], pair[1], count] };
        count += 1;
        let (one, other) = candidate.nodes.split_at(candidate.kind.split());
        if near(&candidate) && !surface.are_neighbours(one, other) {
            out.push(candidate);
        }
    };
    for (one, other) in [(a, b), (b, a)] {
        if other.is_triangle {
            let [i, j, k] = other.corners;
            for vertex in one.vertices.iter().filter(|vertex| !other.corners.contains(vertex)) {
                add(PairKind::VertexTriangle, [*vertex, i, j, k]);
            }
        }
        // Parallel segments have no unique edge-edge pair, and spheres have no edges: vertex-segment pairs cover both. The segment is a degenerate
        // triangle. Surfaces need no such pairs: their vertices have edges in other directions.
        if other.is_segment && !one.is_triangle {
            let [i, j, _] = other.corners;
            for vertex in one.vertices.iter().filter(|vertex| !other.corners.contains(vertex)) {
                add(PairKind::VertexTriangle, [*vertex, i, j, j]);
            }
        }
    }
    for [i, j] in &a.edges {
        for [k, l] in b.edges.iter().filter(|edge| !edge.contains(i) && !edge.contains(j)) {
            add(PairKind::EdgeEdge, [*i, *j, *k, *l]);
        }
    }
}

/// Whether two features may be within `margin` of each other. Boxes alone would list most features of a mesh with their neighbours.
fn is_listed(candidate: &Candidate, x: &[DVec3], surface: &Surface, margin: f64) -> bool {
    let corners = points_of(x, candidate.nodes);
    let radius = surface.radius[candidate.nodes[0] as usize] + surface.radius[candidate.nodes[3] as usize];
    let most = margin + radius;
    let are_apart = box_gap(candidate.kind, &corners, &corners) > most;
    !are_apart && certain_gap_at(candidate.kind, &corners) <= most
}

/// Whether two features stay farther apart than `most`: from their distance at the last search, and how far each node is from there at most.
pub(super) fn stays_apart(candidate: &Candidate, distance: f64, shifts: &[f64], most: f64) -> bool {
    let [a, b, c, d] = candidate.nodes;
    let shift = |node: u32| shifts[node as usize];
    let (one, other) = match candidate.kind {
        PairKind::VertexTriangle => (shift(a), shift(b).max(shift(c)).max(shift(d))),
        PairKind::EdgeEdge => (shift(a).max(shift(b)), shift(c).max(shift(d))),
    };
    // false for NaN
    distance - one - other > most
}

/// The gap between the boxes of two features along the axis where it is largest, from the lowest and highest coordinates of their nodes.
#[inline(always)]
fn box_gap(kind: PairKind, low: &[DVec3; 4], high: &[DVec3; 4]) -> f64 {
    let [(low_a, high_a), (low_b, high_b)] = match kind {
        PairKind::VertexTriangle => {
            [(low[0], high[0]), (low[1].min(low[2]).min(low[3]), high[1].max(high[2]).max(high[3]))]
        }
        PairKind::EdgeEdge => [(low[0].min(low[1]), high[0].max(high[1])), (low[2].min(low[3]), high[2].max(high[3]))],
    };
    (low_a - high_b).max(low_b - high_a).max_element()
}

/// Whether the boxes of two features, swept from one state to another, are within `margin` of each other.
pub(super) fn near_features(candidate: &Candidate, x0: &[DVec3], x1: &[DVec3], surface: &Surface, margin: f64) -> bool {
    let ([a, b, c, d], [e, f, g, h]) = (points_of(x0, candidate.nodes), points_of(x1, candidate.nodes));
    let low = [a.min(e), b.min(f), c.min(g), d.min(h)];
    let high = [a.max(e), b.max(f), c.max(g), d.max(h)];
    let radius = surface.radius[candidate.nodes[0] as usize] + surface.radius[candidate.nodes[3] as usize];
    box_gap(candidate.kind, &low, &high) <= margin + radius
}
