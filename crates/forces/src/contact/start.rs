//! What is wrong with a start: bodies that already cut each other or are inside a collider. The barrier keeps what is apart, but it cannot
//! tell which side is the right one, so such a start is refused.

use glam::DVec3;
use pliant_core::View;

use super::model::Contact;
use super::surface::Surface;

/// Two things that are where only one can be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Overlap {
    /// Two triangles of bodies cut each other.
    Bodies([[u32; 3]; 2]),
    /// A triangle of a body cuts a collider.
    Cut([u32; 3], String),
    /// A particle is inside a collider.
    Inside(u32, String),
}

impl Contact {
    /// Everything that overlaps in a state.
    pub fn overlaps(&mut self, view: &View) -> Vec<Overlap> {
        let mut found = Vec::new();
        let mut x = Vec::new();
        self.surface().place(view.time, view.x, view.v, &mut x, &mut Vec::new());
        let pairs = self.near_triangles(&x);
        let surface = self.surface();
        for plane in &surface.planes {
            let (point, _, normal) = plane.at(view.time);
            let below = surface.vertices.iter().filter(|v| (x[**v as usize] - point).dot(normal) <= 0.0);
            found.extend(below.map(|vertex| Overlap::Inside(*vertex, plane.name.clone())));
        }
        for [a, b] in pairs {
            let [one, other] = [a, b].map(|k| &surface.primitives[k as usize]);
            if one.corners.iter().any(|corner| other.corners.contains(corner)) || !one.is_simulated {
                continue;
            }
            let at = |corners: [u32; 3]| corners.map(|corner| x[corner as usize]);
            match (surface.collider_of(other.corners[0]), other.is_triangle) {
                (None, _) if cut(at(one.corners), at(other.corners)) => {
                    found.push(Overlap::Bodies([one.corners, other.corners]));
                }
                (Some(name), true) if cut(at(one.corners), at(other.corners)) => {
                    found.push(Overlap::Cut(one.corners, name.to_owned()));
                }
                (Some(name), false) if is_within(surface, at(one.corners), &other.corners, &x) => {
                    found.push(Overlap::Cut(one.corners, name.to_owned()));
                }
                _ => {}
            }
        }
        self.add_inside(&x, &mut found);
        found
    }

    /// Particles inside closed colliders whose surface they need not cut: seen from inside, the surface is all around.
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
            let inside =
                surface.vertices.iter().filter(|v| solid_angle(x[**v as usize], &faces) > std::f64::consts::TAU);
            found.extend(inside.map(|vertex| Overlap::Inside(*vertex, name.clone())));
        }
    }
}

/// Whether a triangle comes within the radius of a point or segment.
fn is_within(surface: &Surface, triangle: [DVec3; 3], corners: &[u32; 3], x: &[DVec3]) -> bool {
    use pliant_geom::distance::{edge_edge, vertex_triangle};
    let radius = surface.radius[corners[0] as usize];
    let [a, b, c] = triangle;
    let ends = corners.map(|corner| x[corner as usize]);
    let near_end = ends.iter().any(|end| vertex_triangle(&[*end, a, b, c]).distance <= radius);
    let near_side = [[a, b], [b, c], [c, a]]
        .iter()
        .any(|[p, q]| ends[0] != ends[1] && edge_edge(&[ends[0], ends[1], *p, *q]).distance <= radius);
    near_end || near_side
}

/// Whether two triangles cut each other: an edge of one passes through the other.
fn cut(s: [DVec3; 3], t: [DVec3; 3]) -> bool {
    let side = |u: DVec3, v: DVec3, w: DVec3, x: DVec3| (v - u).cross(w - u).dot(x - u);
    let pierces = |p: DVec3, q: DVec3, [a, b, c]: [DVec3; 3]| {
        let opposite = side(a, b, c, p) * side(a, b, c, q) < 0.0;
        let round = [side(p, q, a, b), side(p, q, b, c), side(p, q, c, a)];
        opposite && (round.iter().all(|r| *r > 0.0) || round.iter().all(|r| *r < 0.0))
    };
    (0..3).any(|k| pierces(s[k], s[(k + 1) % 3], t) || pierces(t[k], t[(k + 1) % 3], s))
}

/// Of all faces, seen from a point: 4π inside a closed surface, 0 outside.
fn solid_angle(point: DVec3, faces: &[[DVec3; 3]]) -> f64 {
    let one = |face: &[DVec3; 3]| {
        let [a, b, c] = face.map(|corner| corner - point);
        let (la, lb, lc) = (a.length(), b.length(), c.length());
        2.0 * a.cross(b).dot(c).atan2(la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb)
    };
    faces.iter().map(one).sum::<f64>().abs()
}
