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
        let new = [c.min(d), c.max(d)];
        let is_taken = c == d || surface.edges.binary_search(&new).is_ok() || made.contains(&new);
        if touched[first] || touched[second] || is_taken {
            continue;
        }
        let [pa, pb, pc, pd] = [a, b, c, d].map(|v| mesh.points[v as usize]);
        let angle = |at: DVec3| math::angle_between(pa - at, pb - at);
        let (normal, other) = ((pb - pa).cross(pc - pa), (pd - pa).cross(pb - pa));
        let (left, right) = ((pd - pa).cross(pc - pa), (pc - pb).cross(pd - pb));
        let whole = normal + other;
        let stays_up = left.dot(whole) > 0.0 && right.dot(whole) > 0.0;
        if angle(pc) + angle(pd) > std::f64::consts::PI + 1e-9 && stays_up {
            mesh.triangles[first] = [a, d, c];
            mesh.triangles[second] = [b, c, d];
            (touched[first], touched[second]) = (true, true);
            made.insert(new);
            count += 1;
        }
    }
    count
}
