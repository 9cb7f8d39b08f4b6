//! The contact surface: one list of points, segments and triangles, surfaces of simulated bodies first, colliders after them. Every vertex and every
//! edge belongs to exactly one primitive, so that the pairs of near primitives contain each pair of near features once [Curtis].
//!
//! A rope is a chain of segments, each the axis of a capsule. Neighbours along a rope are no contact pairs: pairs that a rope of radius R can bring
//! into contact only by bending are excluded. Points at an arc length s of a circle of radius R are `2 R sin(s/2R)` apart, less than 2R up to
//! `s = π R`; this is the least arc length between two segments that can be in contact. Beyond it contact keeps a rope from folding more sharply
//! than to its own radius; below it neighbours never act on each other, however short the segments are.

use std::collections::HashSet;

use glam::DVec3;
use pliant_core::Motion;
use pliant_geom::bvh::Stretch;

use super::collider::{Collider, Shape};
use super::start_gaps::StartDistances;

/// Contact geometry of a body of the system: triangles, or the segments of one rope.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContactBody {
    /// Its triangles, as particle indices of the whole system.
    pub triangles: Vec<[u32; 3]>,
    /// Its segments in order, each beginning at the end of the previous one; a closed rope ends where it began.
    pub segments: Vec<[u32; 2]>,
    /// Radius around its mid-surface or axis, m: a hard lower bound of distances. 0 for sheets.
    pub radius: f64,
    /// Distance beyond the radius below which the barrier acts, m.
    pub thickness: f64,
    /// Coefficient of friction.
    pub friction: f64,
    /// Seams of the body: as the thread, or as the body that is sewn.
    pub seams: Seams,
}

/// Sets of seams, one bit per seam: a thread and the body it is sewn through interact in their holes only; contact excludes such pairs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seams {
    /// Seams of which it is the thread.
    pub thread: u64,
    /// Seams that are sewn through it.
    pub sewn: u64,
}

impl Seams {
    /// Whether one body is the thread that is sewn through the other.
    pub fn join(self, other: Self) -> bool {
        self.thread & other.sewn != 0 || self.sewn & other.thread != 0
    }
}

/// A point, a segment or a triangle, and the features that it owns.
#[derive(Clone, Debug)]
pub struct Primitive {
    /// Corners; a segment repeats its last, a point its only one.
    pub corners: [u32; 3],
    /// Whether it is a triangle.
    pub is_triangle: bool,
    /// Whether it is a segment.
    pub is_segment: bool,
    /// Whether its corners are particles of the system.
    pub is_simulated: bool,
    /// Seams of its body.
    pub seams: Seams,
    /// Vertices it owns.
    pub vertices: Vec<u32>,
    /// Edges it owns.
    pub edges: Vec<[u32; 2]>,
}

/// A half-space.
#[derive(Clone, Debug)]
pub struct Plane {
    point: DVec3,
    normal: DVec3,
    motion: Motion,
    /// Its name.
    pub name: String,
    /// Coefficient of friction.
    pub friction: f64,
    /// Top speed of its reference point, m/s.
    pub speed: f64,
}

impl Plane {
    /// Through a point, m, with the outward normal, at time 0.
    pub fn new(point: DVec3, normal: DVec3, motion: Motion, name: String, friction: f64) -> Self {
        let speed = motion.top_speed(point);
        Self { point, normal, motion, name, friction, speed }
    }

    /// Whether it has no motion.
    pub fn is_fixed(&self) -> bool {
        self.motion.is_fixed()
    }

    /// A point on it, m, its velocity, m/s, and the outward normal, at a time, s.
    pub fn at(&self, time: f64) -> (DVec3, DVec3, DVec3) {
        let (point, velocity) = self.motion.at(time, self.point);
        let (tip, _) = self.motion.at(time, self.point + self.normal);
        (point, velocity, tip - point)
    }

    /// Velocity of the plane's material at a point, m/s.
    pub fn velocity(&self, time: f64, place: DVec3) -> DVec3 {
        let (_, velocity) = self.motion.at(time, self.point);
        match &self.motion.turn {
            None => velocity,
            Some(turn) => {
                let (offset, rate) = self.motion.offset.at(time);
                rate + (turn.axis * turn.angle.at(time).1.x).cross(place - turn.centre - offset)
            }
        }
    }
}

/// Position of a particle along a rope.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RopePosition {
    /// Index of the rope.
    pub rope: u32,
    /// Arc length from its start, m.
    pub arc: f64,
}

/// Arc lengths of a rope.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RopeArc {
    /// Least arc length between segments that can be in contact, m.
    pub apart: f64,
    /// Total arc length of a closed rope, m; `None` for an open one.
    pub around: Option<f64>,
}

impl RopeArc {
    /// Arc length between two places, m.
    fn between(self, a: f64, b: f64) -> f64 {
        let arc = (a - b).abs();
        self.around.map_or(arc, |around| arc.min(around - arc))
    }
}

/// A corner of a collider.
#[derive(Clone, Debug)]
pub struct ColliderNode {
    /// Index of the collider's motion.
    pub motion: usize,
    /// Position at time 0, m.
    pub start: DVec3,
}

/// See the file head.
#[derive(Clone, Debug, Default)]
pub struct Surface {
    /// Number of simulated particles; nodes from here on are corners of colliders.
    pub particles: usize,
    /// Corners of colliders.
    pub collider_nodes: Vec<ColliderNode>,
    /// Motions of colliders.
    pub motions: Vec<Motion>,
    /// Names of colliders, in the order of their motions.
    pub names: Vec<String>,
    /// Half-spaces.
    pub planes: Vec<Plane>,
    /// All primitives.
    pub primitives: Vec<Primitive>,
    /// Simulated vertices that can be in contact with a plane.
    pub vertices: Vec<u32>,
    /// Radius of each node, m.
    pub radius: Vec<f64>,
    /// Half of the thickness of each node, m.
    pub half_thickness: Vec<f64>,
    /// The smallest thickness of a pair, m.
    pub min_thickness: f64,
    /// Number of the body or collider that each node belongs to: bodies first, then colliders by their motions, then planes.
    pub(super) owner: Vec<u32>,
    /// That of the first plane.
    first_plane: u32,
    /// Contact distances of bodies that start nearer than theirs.
    pub(super) start_distances: StartDistances,
    /// Coefficient of friction of each node.
    pub friction: Vec<f64>,
    /// Mass of each node, kg; 0 for colliders.
    pub masses: Vec<f64>,
    /// Top speed of each node of a collider, m/s; 0 for particles.
    pub speed: Vec<f64>,
    /// Rest positions, m.
    pub rest: Vec<DVec3>,
    /// Position of each particle along its rope, if it belongs to one.
    pub along: Vec<Option<RopePosition>>,
    /// All ropes.
    pub strands: Vec<RopeArc>,
}

impl Surface {
    /// Collects the primitives of bodies and colliders.
    pub fn new(masses: &[f64], rest: &[DVec3], bodies: &[ContactBody], colliders: &[Collider]) -> Self {
        let particles = masses.len();
        let thickest = bodies.iter().map(|body| body.thickness).fold(0.0, f64::max);
        let mut surface = Self {
            particles,
            radius: vec![0.0; particles],
            half_thickness: vec![0.0; particles],
            owner: vec![0; particles],
            friction: vec![0.0; particles],
            masses: masses.to_vec(),
            speed: vec![0.0; particles],
            rest: rest.to_vec(),
            along: vec![None; particles],
            ..Self::default()
        };
        let mut owned = Owned::default();
        for (number, body) in (0..).zip(bodies) {
            let nodes = body.triangles.iter().flatten().chain(body.segments.iter().flatten());
            nodes.for_each(|node| surface.owner[*node as usize] = number);
            for corners in &body.triangles {
                for corner in corners {
                    surface.half_thickness[*corner as usize] = 0.5 * body.thickness;
                    surface.friction[*corner as usize] = body.friction;
                }
                surface.primitives.push(Primitive { seams: body.seams, ..owned.primitive(*corners, 3, true) });
            }
            surface.add_rope(body, &mut owned);
        }
        surface.vertices = owned.vertices.iter().copied().collect();
        surface.vertices.sort_unstable();
        surface.min_thickness = bodies.iter().map(|body| body.thickness).fold(f64::INFINITY, f64::min);
        for collider in colliders {
            surface.add(collider, bodies.len(), 0.5 * thickest, &mut owned);
        }
        surface.first_plane = (bodies.len() + surface.motions.len()) as u32;
        surface
    }

    fn add_rope(&mut self, body: &ContactBody, owned: &mut Owned) {
        let (Some([first, _]), Some([_, last])) = (body.segments.first(), body.segments.last()) else { return };
        let rope = self.strands.len() as u32;
        let mut arc = 0.0;
        for [a, b] in &body.segments {
            for (node, arc) in [(*a, arc), (*b, arc + self.rest[*a as usize].distance(self.rest[*b as usize]))] {
                let k = node as usize;
                self.radius[k] = body.radius;
                self.half_thickness[k] = 0.5 * body.thickness;
                self.friction[k] = body.friction;
                // the first point of a closed rope stays at arc length 0
                self.along[k].get_or_insert(RopePosition { rope, arc });
            }
            arc += self.rest[*a as usize].distance(self.rest[*b as usize]);
            self.primitives.push(Primitive { seams: body.seams, ..owned.primitive([*a, *b, *b], 2, true) });
        }
        let apart = std::f64::consts::PI * (body.radius + 0.5 * body.thickness);
        self.strands.push(RopeArc { apart, around: (first == last).then_some(arc) });
    }

    /// Whether two features belong to one rope and are too near along it to be in contact.
    pub fn are_neighbours(&self, one: &[u32], other: &[u32]) -> bool {
        let along = |node: &u32| self.along.get(*node as usize).copied().flatten();
        let (Some(a), Some(b)) = (one.first().and_then(along), other.first().and_then(along)) else { return false };
        if a.rope != b.rope {
            return false;
        }
        let rope = self.strands[a.rope as usize];
        let is_near = |a: RopePosition, b: RopePosition| rope.between(a.arc, b.arc) < rope.apart;
        one.iter().filter_map(along).any(|a| other.iter().filter_map(along).any(|b| is_near(a, b)))
    }

    /// The stretch of a rope that a segment is.
    pub fn stretch(&self, primitive: &Primitive) -> Option<Stretch> {
        if !(primitive.is_segment && primitive.is_simulated) {
            return None;
        }
        let [a, b, _] = primitive.corners.map(|node| self.along[node as usize]);
        let (a, b) = a.zip(b)?;
        let apart = self.strands[a.rope as usize].apart;
        Some(Stretch { curve: a.rope, ends: [a.arc.min(b.arc), a.arc.max(b.arc)], apart })
    }

    /// Whether two segments belong to one rope and are too near along it to be in contact anywhere, so that all of their features are neighbours.
    pub fn are_neighbours_throughout(&self, one: &Primitive, other: &Primitive) -> bool {
        let (Some(a), Some(b)) = (self.stretch(one), self.stretch(other)) else { return false };
        if a.curve != b.curve {
            return false;
        }
        let rope = self.strands[a.curve as usize];
        a.ends.iter().all(|end| b.ends.iter().all(|other| rope.between(*end, *other) < rope.apart))
    }

    /// Gap below which the barrier between two nodes' features acts, m. A collider takes the thickness of the other body.
    pub fn thickness(&self, a: usize, b: usize) -> f64 {
        let half = |node: usize, other: usize| self.half_thickness[if node < self.particles { node } else { other }];
        self.start_distances.within(self.owner[a], self.owner[b], half(a, b) + half(b, a))
    }

    /// Gap below which the barrier between a particle and a plane, by its number, acts, m.
    pub fn plane_thickness(&self, particle: usize, plane: usize) -> f64 {
        let thickness = 2.0 * self.half_thickness[particle];
        self.start_distances.within(self.owner[particle], self.owner_of_plane(plane), thickness)
    }

    /// The owner that a plane, by its number, counts as.
    pub(super) fn owner_of_plane(&self, plane: usize) -> u32 {
        self.first_plane + plane as u32
    }

    fn add(&mut self, collider: &Collider, bodies: usize, half_thickness: f64, owned: &mut Owned) {
        match &collider.shape {
            Shape::Plane { point, normal } => {
                let (motion, name) = (collider.motion.clone(), collider.name.clone());
                self.planes.push(Plane::new(*point, *normal, motion, name, collider.friction));
            }
            Shape::Simplices { points, segments, triangles, radius } => {
                let first = self.masses.len() as u32;
                let motion = self.motions.len();
                self.motions.push(collider.motion.clone());
                self.names.push(collider.name.clone());
                self.rest.extend_from_slice(points);
                self.speed.extend(points.iter().map(|point| collider.motion.top_speed(*point)));
                self.collider_nodes.extend(points.iter().map(|start| ColliderNode { motion, start: *start }));
                let count = self.masses.len() + points.len();
                self.masses.resize(count, 0.0);
                self.radius.resize(count, *radius);
                self.half_thickness.resize(count, half_thickness);
                self.owner.resize(count, (bodies + motion) as u32);
                self.friction.resize(count, collider.friction);
                for corners in triangles {
                    self.primitives.push(owned.primitive(corners.map(|c| first + c), 3, false));
                }
                for [a, b] in segments {
                    self.primitives.push(owned.primitive([first + a, first + b, first + b], 2, false));
                }
                for point in first..count as u32 {
                    if !owned.vertices.contains(&point) {
                        self.primitives.push(owned.primitive([point; 3], 1, false));
                    }
                }
            }
        }
    }

    /// Number of nodes, colliders included.
    pub fn nodes(&self) -> usize {
        self.masses.len()
    }

    /// Index of the motion that a node follows; `None` for particles.
    pub fn motion_of(&self, node: u32) -> Option<usize> {
        (node as usize).checked_sub(self.particles).map(|k| self.collider_nodes[k].motion)
    }

    /// The name of the collider that a node belongs to; `None` for particles.
    pub fn collider_of(&self, node: u32) -> Option<&str> {
        self.motion_of(node).map(|motion| self.names[motion].as_str())
    }

    /// Velocity of the surface of a turning collider relative to its axis or centre, m/s, at the contact point of a pair of these nodes; `normal`
    /// points from the second feature to the first.
    pub fn rolling(&self, time: f64, nodes: [u32; 4], normal: DVec3) -> DVec3 {
        let of = |node: u32| {
            let turn = self.motions[self.motion_of(node)?].turn.as_ref()?;
            Some((turn.axis * turn.angle.at(time).1.x).cross(normal * self.radius[node as usize]))
        };
        of(nodes[0]).or_else(|| of(nodes[3])).unwrap_or_default()
    }

    /// Whether any collider moves.
    pub fn has_moving(&self) -> bool {
        self.motions.iter().chain(self.planes.iter().map(|plane| &plane.motion)).any(|motion| !motion.is_fixed())
    }

    /// Positions, m, (and velocities, m/s) of all nodes.
    pub fn place(&self, time: f64, x: &[DVec3], v: &[DVec3], all_x: &mut Vec<DVec3>, all_v: &mut Vec<DVec3>) {
        all_x.clear();
        all_v.clear();
        all_x.extend_from_slice(&x[..self.particles]);
        all_v.extend_from_slice(&v[..self.particles]);
        for collider_nodes in &self.collider_nodes {
            let (x, v) = self.motions[collider_nodes.motion].at(time, collider_nodes.start);
            all_x.push(x);
            all_v.push(v);
        }
    }
}

/// Vertices and edges that already belong to a primitive.
#[derive(Default)]
struct Owned {
    vertices: HashSet<u32>,
    edges: HashSet<[u32; 2]>,
}

impl Owned {
    fn primitive(&mut self, corners: [u32; 3], count: usize, is_simulated: bool) -> Primitive {
        let [a, b, c] = corners;
        let edges: &[[u32; 2]] = match count {
            3 => &[[a, b], [b, c], [c, a]],
            2 => &[[a, b]],
            _ => &[],
        };
        let sorted = edges.iter().map(|[a, b]| [*a.min(b), *a.max(b)]);
        Primitive {
            corners,
            is_triangle: count == 3,
            is_segment: count == 2,
            is_simulated,
            seams: Seams::default(),
            vertices: corners[..count].iter().copied().filter(|v| self.vertices.insert(*v)).collect(),
            edges: sorted.filter(|edge| self.edges.insert(*edge)).collect(),
        }
    }
}
