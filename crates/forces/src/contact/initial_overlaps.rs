//! Overlap test of the initial state: bodies that intersect each other or a collider. The barrier keeps features apart, but it cannot tell which
//! side is the right one, so an overlapping initial state is rejected.

use glam::DVec3;
use pliant_core::View;
use pliant_geom::Aabb;
use pliant_scalar::math;

use super::model::Contact;
use super::surface::{Primitive, Surface};

/// Two primitives that overlap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Overlap {
    /// Two triangles of bodies, or segments of ropes (which repeat their last corner), intersect.
    Bodies([[u32; 3]; 2]),
    /// A triangle or segment of a body intersects a collider.
    Cut([u32; 3], String),
    /// A particle is inside a collider.
    Inside(u32, String),
}

impl Contact {
    /// All overlaps of a state.
    pub fn overlaps(&mut self, view: &View) -> Vec<Overlap> {
        let mut found = Vec::new();
        let mut x = Vec::new();
        self.surface().place(view.time, view.x, view.v, &mut x, &mut Vec::new());
        let pairs = self.near_triangles(&x);
        let surface = self.surface();
        for plane in &surface.planes {
            let (point, _, normal) = plane.at(view.time);
            let height = |v: usize| (x[v] - point).dot(normal) - surface.radius[v];
            let below = surface.vertices.iter().filter(|v| height(**v as usize) <= 0.0);
            found.extend(below.map(|vertex| Overlap::Inside(*vertex, plane.name.clone())));
        }
        for [a, b] in pairs {
            let [one, other] = [a, b].map(|k| &surface.primitives[k as usize]);
            if one.corners.iter().any(|corner| other.corners.contains(corner)) || !one.is_simulated {
                continue;
            }
            if !meet(surface, one, other, &x) {
                continue;
            }
            found.push(match surface.collider_of(other.corners[0]) {
                None => Overlap::Bodies([one.corners, other.corners]),
                Some(name) => Overlap::Cut(one.corners, name.to_owned()),
            });
        }
        self.add_inside(&x, &mut found);
        found
    }

    /// Particles inside closed colliders, which need not intersect their surface: found by the solid angle of the surface.
    fn add_inside(&self, x: &[DVec3], found: &mut Vec<Overlap>) {
        let surface = self.surface();
        for (motion, name) in surface.names.iter().enumerate() {
            let of_this = |corner: u32| surface.motion_of(corner) == Some(motion);
            let faces: Vec<[DVec3; 3]> = surface
                .primitives
                .iter()
                .filter(|p| p.is_triangle && of_this(p.corners[0]))
                .map(|p| p.corners.map(|corner| x[corner as usize]))
                .collect();
            if faces.is_empty() {
                continue;
            }
            let bounds = Aabb::around(faces.iter().flatten().copied());
            let is_inside = |v: &&u32| {
                let at = x[**v as usize];
                let in_box = at.cmpge(bounds.low).all() && at.cmple(bounds.high).all();
                in_box && solid_angle(at, &faces) > std::f64::consts::TAU
            };
            let inside = surface.vertices.iter().filter(is_inside);
            found.extend(inside.map(|vertex| Overlap::Inside(*vertex, name.clone())));
        }
    }
}

/// Whether two primitives overlap: they intersect, or come within the sum of their radii.
fn meet(surface: &Surface, one: &Primitive, other: &Primitive, x: &[DVec3]) -> bool {
    use pliant_geom::distance::{edge_edge, vertex_triangle};
    let at = |primitive: &Primitive| primitive.corners.map(|corner| x[corner as usize]);
    let (s, t) = (at(one), at(other));
    if cut(s, t) {
        return true;
    }
    let radius = [one, other].iter().map(|p| surface.radius[p.corners[0] as usize]).sum::<f64>();
    if radius == 0.0 || surface.are_neighbours(&one.corners, &other.corners) {
        return false;
    }
    let corner_near = |[a, b, c]: [DVec3; 3], t: [DVec3; 3]| {
        [a, b, c].iter().any(|corner| vertex_triangle(&[*corner, t[0], t[1], t[2]]).distance <= radius)
    };
    let sides = |[a, b, c]: [DVec3; 3]| [[a, b], [b, c], [c, a]];
    let sides_near =
        || sides(s).iter().any(|[a, b]| sides(t).iter().any(|[c, d]| edge_edge(&[*a, *b, *c, *d]).distance <= radius));
    corner_near(s, t) || corner_near(t, s) || sides_near()
}

/// Whether two triangles intersect: an edge of one passes through the other. Volumes within the rounding error of the coordinates count as zero,
/// else coplanar adjacent triangles would intersect.
fn cut(s: [DVec3; 3], t: [DVec3; 3]) -> bool {
    let all = || s.iter().chain(&t);
    let size = all().map(|x| x.abs().max_element()).fold(0.0, f64::max);
    let reach = all().map(|x| x.distance(s[0])).fold(0.0, f64::max);
    let least = 32.0 * f64::EPSILON * (size + reach) * reach * reach;
    let side = |u: DVec3, v: DVec3, w: DVec3, x: DVec3| {
        let volume = (v - u).cross(w - u).dot(x - u);
        if volume.abs() > least { volume } else { 0.0 }
    };
    let pierces = |p: DVec3, q: DVec3, [a, b, c]: [DVec3; 3]| {
        let opposite = side(a, b, c, p) * side(a, b, c, q) < 0.0;
        let round = [side(p, q, a, b), side(p, q, b, c), side(p, q, c, a)];
        opposite && (round.iter().all(|r| *r > 0.0) || round.iter().all(|r| *r < 0.0))
    };
    (0..3).any(|k| pierces(s[k], s[(k + 1) % 3], t) || pierces(t[k], t[(k + 1) % 3], s))
}

/// Solid angle of all faces from a point: 4π inside a closed surface, 0 outside.
fn solid_angle(point: DVec3, faces: &[[DVec3; 3]]) -> f64 {
    let one = |face: &[DVec3; 3]| {
        let [a, b, c] = face.map(|corner| corner - point);
        let (la, lb, lc) = (a.length(), b.length(), c.length());
        2.0 * math::atan2(a.cross(b).dot(c), la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb)
    };
    faces.iter().map(one).sum::<f64>().abs()
}
