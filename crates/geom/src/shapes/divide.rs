//! Every triangle in four, with the new vertices on the curve that the normals at the ends of an edge suggest [CurvedPN].
//!
//! The cubic from a to b that leaves and arrives at right angles to the normals `n` has its middle at
//! `(a + b)/2 - ((b - a)·n_a n_a + (a - b)·n_b n_b)/8`. Normals are means of the triangles', by area; that leaves about an eighth of the
//! distance between the middle of a straight edge and the surface.

use std::collections::HashMap;

use glam::DVec3;

use crate::topology::TriangleMesh;

/// The same surface with four times the triangles, rounder; the old vertices come first and stay where they are. Its edges must be round:
/// those that are sharp would bulge.
pub fn divided(mesh: &TriangleMesh) -> TriangleMesh {
    let mut normals = vec![DVec3::ZERO; mesh.points.len()];
    for (number, triangle) in mesh.triangles.iter().enumerate() {
        let [a, b, c] = mesh.corners(number);
        triangle.iter().for_each(|corner| normals[*corner as usize] += (b - a).cross(c - a));
    }
    normals.iter_mut().for_each(|normal| *normal = normal.normalize_or_zero());
    let mut points = mesh.points.clone();
    let mut middles: HashMap<[u32; 2], u32> = HashMap::new();
    let mut triangles = Vec::with_capacity(4 * mesh.triangles.len());
    for &[a, b, c] in &mesh.triangles {
        let [ab, bc, ca] = [[a, b], [b, c], [c, a]].map(|[from, to]| {
            *middles.entry([from.min(to), from.max(to)]).or_insert_with(|| {
                let ends = [from.min(to), from.max(to)].map(|end| end as usize);
                let [p, q] = ends.map(|end| mesh.points[end]);
                let [m, n] = ends.map(|end| normals[end]);
                points.push(0.5 * (p + q) - 0.125 * ((q - p).dot(m) * m + (p - q).dot(n) * n));
                points.len() as u32 - 1
            })
        });
        triangles.extend([[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]]);
    }
    TriangleMesh { points, triangles }
}
