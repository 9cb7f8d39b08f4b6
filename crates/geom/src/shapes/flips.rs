//! Turning edges so that triangles become rounder.

use crate::topology::{Surface, TriangleMesh};
use glam::DVec3;
use pliant_scalar::math;
use std::collections::BTreeSet;

/// Flips every edge with opposite angles that sum to more than half a circle (Delaunay's criterion, for a surface that is nearly flat at
/// the scale of its triangles), in one pass over the edges; returns how many. The mesh stays what it is: no edge is made twice, no triangle is
/// turned over.
pub(super) fn turn_edges(mesh: &mut TriangleMesh) -> usize {
    let Ok(surface) = Surface::new(mesh.points.len(), &mesh.triangles) else { return 0 };
    let mut made = BTreeSet::new();
    let mut touched = vec![false; mesh.triangles.len()];
    let mut count = 0;
    for hinge in &surface.hinges {
        let [first, second] = hinge.triangles.map(|t| t as usize);
        let ([a, b], [c, d]) = (hinge.edge, hinge.opposite);
        let [pa, pb, pc, pd] =
            [mesh.points[a as usize], mesh.points[b as usize], mesh.points[c as usize], mesh.points[d as usize]];
        // Most are half a circle at most: neither is obtuse, or the cosine of one is not below that of the other's supplement.
        let is_obtuse = |at: DVec3| (pa - at).dot(pb - at) < 0.0;
        if !(is_obtuse(pc) || is_obtuse(pd)) {
            continue;
        }
        let cosine = |at: DVec3| math::cosine_between(pa - at, pb - at);
        let cosines = [cosine(pc), cosine(pd)];
        if cosines[0] + cosines[1] >= 0.0 {
            continue;
        }
        let new = [c.min(d), c.max(d)];
        let is_taken = c == d || surface.edges.binary_search(&new).is_ok() || made.contains(&new);
        if touched[first] || touched[second] || is_taken {
            continue;
        }
        let (normal, other) = ((pb - pa).cross(pc - pa), (pd - pa).cross(pb - pa));
        let (left, right) = ((pd - pa).cross(pc - pa), (pc - pb).cross(pd - pb));
        let whole = normal + other;
        let stays_up = left.dot(whole) > 0.0 && right.dot(whole) > 0.0;
        let [angle, opposite] = cosines.map(math::acos);
        if angle + opposite > std::f64::consts::PI + 1e-9 && stays_up {
            mesh.triangles[first] = [a, d, c];
            mesh.triangles[second] = [b, c, d];
            (touched[first], touched[second]) = (true, true);
            made.insert(new);
            count += 1;
        }
    }
    count
}
