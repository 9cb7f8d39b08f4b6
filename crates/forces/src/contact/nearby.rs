//! Which pairs of features may be near each other, and how far a motion may go before one passes through another.
//!
//! Lists of near pairs are kept while no node has moved by more than half of a reserve. A list that is longer than need be changes
//! nothing but the time it takes: pairs are in the order of their primitives, and those out of reach are dropped.

use glam::DVec3;
use pliant_core::{FreeWay, View};
use pliant_geom::aabb::Aabb;
use pliant_geom::bvh::Bvh;
use pliant_geom::ccd::{self, Keep};
use pliant_geom::distance::{PairKind, certain_gap};
use pliant_geom::pairs::Pairs;
use pliant_linalg::parallel::for_each_chunk;

use super::surface::{Primitive, Surface};
use super::touch::Candidate;

/// Part of a gap that must remain when something comes near,
const SLACK: f64 = 0.01;
/// but no more than this part of the thickness: what falls from afar may come as near as contact lets it.
const NEAREST: f64 = 1e-5;

/// See the file head.
pub struct Nearby {
    tree: Bvh,
    pairs: Pairs,
    /// Largest distance at which anything acts, m.
    reach: f64,
    reserve: f64,
    candidates: Vec<Candidate>,
    known_x: Vec<DVec3>,
    from: Vec<DVec3>,
    to: Vec<DVec3>,
    unused: Vec<DVec3>,
    swept: Vec<Candidate>,
    is_near: Vec<bool>,
    near: Vec<Candidate>,
    fractions: Vec<f64>,
}

impl Nearby {
    /// Prepares for a surface.
    pub fn new(surface: &Surface) -> Self {
        let largest = |values: &[f64]| values.iter().copied().fold(0.0, f64::max);
        let thickness = 2.0 * largest(&surface.half_thickness);
        let centre = |p: &Primitive| p.corners.map(|corner| surface.rest[corner as usize]).iter().sum::<DVec3>() / 3.0;
        let centres: Vec<DVec3> = surface.primitives.iter().map(centre).collect();
        Self {
            tree: Bvh::new(&centres),
            pairs: Pairs::new(),
            reach: thickness,
            reserve: 2.0 * thickness,
            candidates: Vec::new(),
            known_x: Vec::new(),
            from: Vec::new(),
            to: Vec::new(),
            unused: Vec::new(),
            swept: Vec::new(),
            is_near: Vec::new(),
            near: Vec::new(),
            fractions: Vec::new(),
        }
    }

    /// Pairs that may be within reach of each other at these positions.
    pub fn candidates(&mut self, surface: &Surface, x: &[DVec3]) -> &[Candidate] {
        self.refresh(surface, x);
        let all = &self.candidates;
        self.is_near.clear();
        self.is_near.resize(all.len(), false);
        for_each_chunk(&mut self.is_near, |start, chunk| {
            for (candidate, is_near) in all[start..].iter().zip(chunk) {
                let corners = candidate.nodes.map(|node| x[node as usize]);
                let ends = [candidate.nodes[0], candidate.nodes[3]].map(|node| node as usize);
                let [a, b] = ends;
                let reach = surface.thickness(a, b) + surface.radius[a] + surface.radius[b];
                *is_near = certain_gap(candidate.kind, &corners, &corners) < reach;
            }
        });
        self.near.clear();
        self.near.extend(all.iter().zip(&self.is_near).filter(|(_, near)| **near).map(|(candidate, _)| *candidate));
        &self.near
    }

    /// Makes the list fit these positions.
    fn refresh(&mut self, surface: &Surface, x: &[DVec3]) {
        let limit = 0.25 * self.reserve * self.reserve;
        let near = |(a, b): (&DVec3, &DVec3)| a.distance_squared(*b) <= limit;
        if self.known_x.len() == x.len() && self.known_x.iter().zip(x).all(near) {
            return;
        }
        self.known_x.clear();
        self.known_x.extend_from_slice(x);
        let margin = 0.5 * (self.reach + self.reserve);
        self.tree.refit(margin, |k| boxed(&surface.primitives[k], x, x, surface));
        self.tree.self_pairs(|a, b| can_meet(surface, a, b), &mut self.pairs);
        self.candidates.clear();
        for [a, b] in self.pairs.as_slice() {
            let pair = (&surface.primitives[*a as usize], &surface.primitives[*b as usize]);
            collect(surface, pair, &mut self.candidates, |nodes| near_features(nodes, x, x, surface, 2.0 * margin));
        }
    }

    /// Pairs of primitives whose boxes meet, the simulated one first.
    pub fn meeting(&mut self, surface: &Surface, x: &[DVec3]) -> Vec<[u32; 2]> {
        self.known_x.clear();
        self.tree.refit(0.0, |k| boxed(&surface.primitives[k], x, x, surface));
        self.tree.self_pairs(|a, b| can_meet(surface, a, b), &mut self.pairs);
        let ordered =
            |[a, b]: &[u32; 2]| if surface.primitives[*a as usize].is_simulated { [*a, *b] } else { [*b, *a] };
        self.pairs.as_slice().iter().map(ordered).collect()
    }

    /// How much of the straight way between two states is free.
    pub fn free_way(&mut self, surface: &Surface, from: &View, to: &View) -> FreeWay {
        surface.place(from.time, from.x, from.v, &mut self.from, &mut self.unused);
        surface.place(to.time, to.x, to.v, &mut self.to, &mut self.unused);
        if self.from == self.to && surface.planes.is_empty() {
            return FreeWay::CLEAR;
        }
        let most = NEAREST * self.reach;
        let mut way = planes(surface, from, to, most);
        let (x0, x1) = (&self.from, &self.to);
        self.tree.refit(0.0, |k| boxed(&surface.primitives[k], x0, x1, surface));
        self.tree.self_pairs(|a, b| can_meet(surface, a, b), &mut self.pairs);
        self.swept.clear();
        for [a, b] in self.pairs.as_slice() {
            let pair = (&surface.primitives[*a as usize], &surface.primitives[*b as usize]);
            collect(surface, pair, &mut self.swept, |nodes| near_features(nodes, x0, x1, surface, 0.0));
        }
        self.fractions.clear();
        self.fractions.resize(self.swept.len(), 1.0);
        let swept = &self.swept;
        for_each_chunk(&mut self.fractions, |start, fractions| {
            for (candidate, fraction) in swept[start..].iter().zip(fractions) {
                let nodes = candidate.nodes.map(|node| node as usize);
                let radius = surface.radius[nodes[0]] + surface.radius[nodes[3]];
                let (from, to) = (nodes.map(|node| x0[node]), nodes.map(|node| x1[node]));
                if certain_gap(candidate.kind, &from, &to) < radius + most {
                    *fraction =
                        ccd::fraction(&from, &to, candidate.kind, Keep { separation: radius, part: SLACK, most });
                }
            }
        });
        for (candidate, fraction) in self.swept.iter().zip(&self.fractions) {
            if *fraction < way.fraction {
                let particle = candidate.nodes.iter().find(|node| (**node as usize) < surface.particles);
                way = FreeWay { fraction: *fraction, particle: particle.map_or(0, |node| *node as usize) };
            }
        }
        way
    }
}

/// The box around a primitive on its way, radius included.
fn boxed(primitive: &Primitive, x0: &[DVec3], x1: &[DVec3], surface: &Surface) -> Aabb {
    Aabb::swept(&primitive.corners, x0, x1).grown(surface.radius[primitive.corners[0] as usize])
}

/// Colliders do not meet each other, nor threads what they are sewn through.
fn can_meet(surface: &Surface, a: u32, b: u32) -> bool {
    let (a, b) = (&surface.primitives[a as usize], &surface.primitives[b as usize]);
    (a.is_simulated || b.is_simulated) && !a.seams.join(b.seams)
}

/// Lists the pairs of features of two primitives that are near each other, but for neighbours along a rope.
fn collect(
    surface: &Surface,
    (a, b): (&Primitive, &Primitive),
    out: &mut Vec<Candidate>,
    near: impl Fn(&Candidate) -> bool,
) {
    let mut add = |candidate: Candidate| {
        let (one, other) = candidate.nodes.split_at(candidate.kind.split());
        if near(&candidate) && !surface.are_neighbours(one, other) {
            out.push(candidate);
        }
    };
    for (one, other) in [(a, b), (b, a)] {
        if other.is_triangle {
            let [i, j, k] = other.corners;
            for vertex in one.vertices.iter().filter(|vertex| !other.corners.contains(vertex)) {
                add(Candidate { kind: PairKind::VertexTriangle, nodes: [*vertex, i, j, k] });
            }
        }
        // Where two segments are parallel their edges say nothing, and a ball has none: ends stand in. A segment is a triangle without
        // area. Surfaces need no such pairs: their vertices have edges in other directions.
        if other.is_segment && !one.is_triangle {
            let [i, j, _] = other.corners;
            for vertex in one.vertices.iter().filter(|vertex| !other.corners.contains(vertex)) {
                add(Candidate { kind: PairKind::VertexTriangle, nodes: [*vertex, i, j, j] });
            }
        }
    }
    for [i, j] in &a.edges {
        for [k, l] in b.edges.iter().filter(|edge| !edge.contains(i) && !edge.contains(j)) {
            add(Candidate { kind: PairKind::EdgeEdge, nodes: [*i, *j, *k, *l] });
        }
    }
}

/// Whether the boxes of two features, swept from one state to another, are within `margin` of each other.
fn near_features(candidate: &Candidate, x0: &[DVec3], x1: &[DVec3], surface: &Surface, margin: f64) -> bool {
    let split = candidate.kind.split();
    let swept = |nodes: &[u32]| {
        nodes.iter().fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), node| {
            let (a, b) = (x0[*node as usize], x1[*node as usize]);
            (low.min(a.min(b)), high.max(a.max(b)))
        })
    };
    let ((low_a, high_a), (low_b, high_b)) = (swept(&candidate.nodes[..split]), swept(&candidate.nodes[split..]));
    let radius = surface.radius[candidate.nodes[0] as usize] + surface.radius[candidate.nodes[3] as usize];
    let gap = (low_a - high_b).max(low_b - high_a).max_element();
    gap <= margin + radius
}

/// The free way above all planes. A turning plane is taken to move evenly between the two states.
fn planes(surface: &Surface, from: &View, to: &View, most: f64) -> FreeWay {
    let mut way = FreeWay::CLEAR;
    for plane in &surface.planes {
        let ((point0, _, normal0), (point1, _, normal1)) = (plane.at(from.time), plane.at(to.time));
        for &vertex in &surface.vertices {
            let particle = vertex as usize;
            let radius = surface.radius[particle];
            let before = (from.x[particle] - point0).dot(normal0) - radius;
            let after = (to.x[particle] - point1).dot(normal1) - radius;
            let keep = (SLACK * before).min(most);
            if !(after >= keep && before > 0.0) {
                let fraction = ((before - keep) / (before - after)).clamp(0.0, 1.0);
                let fraction = if fraction.is_nan() || before <= 0.0 { 0.0 } else { fraction };
                if fraction < way.fraction {
                    way = FreeWay { fraction, particle };
                }
            }
        }
    }
    way
}
