//! Contact distances of bodies that start well within their contact distance. Their barrier would begin with energy, which was never put in, and
//! push them apart at up to the impact speed. As in [Codim], where the rest distance is a part of the scene, contact between two such bodies acts below
//! their smallest gap at the start instead: no pair begins with a force. It is one distance for both bodies as a whole, so that a feature that slides
//! from one partner to the next finds the same barrier. It depends on the start of the scene alone, and is found again whenever the scene is built.

use std::collections::BTreeMap;

use pliant_core::{DirtySet, View};
use pliant_geom::distance::closest;

use super::contact_pair::Candidate;
use super::model::Contact;
use super::surface::Surface;

/// Gaps below this part of the coordinates are rounding errors.
const ROUNDING: f64 = 1e4 * f64::EPSILON;
/// Bodies that are nearer than this part r of their contact distance keep their gap. Beyond it one may lie on the other, at a gap that the scene
/// gives: the barrier then bears fourteen times the weight of a particle (2 mm, 1 m/s), and throws what does not weigh on it apart with at most
/// `√(2 (1 - r)³/r)`, a fifth, of the impact speed.
const NEAR: f64 = 0.75;

/// The other side of a contact pair at the start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Partner {
    /// A particle of a body.
    Particle(u32),
    /// A collider, by its name.
    Collider(String),
}

/// The nearest contact pair of two bodies that start nearer than their contact distance.
#[derive(Clone, Debug, PartialEq)]
pub struct StartGap {
    /// Numbers of the two, the smaller first: bodies, then colliders.
    owners: [u32; 2],
    /// A particle of the pair.
    pub particle: u32,
    /// What it is near to.
    pub partner: Partner,
    /// The gap, m.
    pub gap: f64,
    /// The contact distance of the two bodies, m.
    pub thickness: f64,
    /// Whether the gap is no more than the rounding error of the coordinates: the two touch, and contact has no direction.
    pub touches: bool,
}

/// Contact distances, m, of pairs of owners of nodes, the smaller number first, in their order.
#[derive(Clone, Debug, Default)]
pub(super) struct StartDistances(Vec<([u32; 2], f64)>);

impl StartDistances {
    /// The contact distance of two owners: `thickness`, m, or less.
    pub fn within(&self, a: u32, b: u32, thickness: f64) -> f64 {
        if self.0.is_empty() {
            return thickness;
        }
        let found = self.0.binary_search_by_key(&[a.min(b), a.max(b)], |(pair, _)| *pair);
        found.map_or(thickness, |k| thickness.min(self.0[k].1))
    }

    fn smallest(&self) -> f64 {
        self.0.iter().map(|(_, distance)| *distance).fold(f64::INFINITY, f64::min)
    }
}

impl Contact {
    /// Makes these gaps the contact distances; before anything else is evaluated.
    pub fn keep_start_gaps(&mut self, gaps: &[StartGap]) {
        let distances = StartDistances(gaps.iter().map(|gap| (gap.owners, gap.gap)).collect());
        self.surface.min_thickness = self.surface.min_thickness.min(distances.smallest());
        self.surface.start_distances = distances;
    }

    /// The bodies that are well within their contact distance of each other or of a collider at the start, each pair of them once.
    pub fn start_gaps(&mut self, start: &View) -> Vec<StartGap> {
        let mut x = Vec::new();
        self.surface.place(start.time, start.x, start.v, &mut x, &mut Vec::new());
        let touching = ROUNDING * x.iter().map(|x| x.abs().max_element()).fold(0.0, f64::max);
        let mut nearest: BTreeMap<[u32; 2], StartGap> = BTreeMap::new();
        let mut add = |[a, b]: [u32; 2], sides: &dyn Fn() -> (u32, Partner), gap: f64, thickness: f64| {
            let owners = [a.min(b), a.max(b)];
            if gap < NEAR * thickness && nearest.get(&owners).is_none_or(|known| gap < known.gap) {
                let ((particle, partner), touches) = (sides(), gap <= touching);
                nearest.insert(owners, StartGap { owners, particle, partner, gap, thickness, touches });
            }
        };
        let surface = &self.surface;
        for candidate in self.broad_phase.candidates(surface, &x, &DirtySet::all(x.len())) {
            let [a, b] = [candidate.nodes[0], candidate.nodes[3]].map(|node| node as usize);
            let near = closest(candidate.kind, &candidate.nodes.map(|node| x[node as usize]));
            let gap = near.distance - surface.radius[a] - surface.radius[b];
            let thickness = surface.thickness(a, b);
            let owners = [a, b].map(|node| surface.owner[node]);
            add(owners, &|| sides(surface, candidate, near.weights), gap, thickness);
        }
        for (k, plane) in surface.planes.iter().enumerate() {
            let (point, _, normal) = plane.at(start.time);
            for &particle in &surface.vertices {
                let node = particle as usize;
                let gap = (x[node] - point).dot(normal) - surface.radius[node];
                let thickness = surface.plane_thickness(node, k);
                let owners = [surface.owner[node], surface.owner_of_plane(k)];
                add(owners, &|| (particle, Partner::Collider(plane.name.clone())), gap, thickness);
            }
        }
        nearest.into_values().collect()
    }
}

/// The nodes of both features that are nearest to the other feature; a particle first.
fn sides(surface: &Surface, candidate: &Candidate, weights: [f64; 4]) -> (u32, Partner) {
    let split = candidate.kind.split();
    let nearest = |range: std::ops::Range<usize>| {
        let heavier = |k: usize, best: usize| if weights[k].abs() > weights[best].abs() { k } else { best };
        candidate.nodes[range.clone().fold(range.start, |best, k| heavier(k, best))]
    };
    let (one, other) = (nearest(0..split), nearest(split..4));
    match (surface.collider_of(one), surface.collider_of(other)) {
        (None, None) => (one, Partner::Particle(other)),
        (None, Some(name)) => (one, Partner::Collider(name.to_owned())),
        (Some(name), _) => (other, Partner::Collider(name.to_owned())),
    }
}
