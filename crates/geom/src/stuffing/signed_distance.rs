//! The distance to a triangle surface with a sign: below zero inside.
//!
//! The distance is that to the nearest triangle; the sign is that of the winding number, which tolerates holes, unlike
//! the side of the nearest triangle or counting along a ray.

use super::error::StuffingError;
use super::tree::BoxTree;
use super::winding::Winding;
use crate::aabb::Aabb;
use crate::distance::{PairKind, distance, vertex_triangle};
use crate::topology::TriangleMesh;
use glam::DVec3;

/// Lengths up to which squared areas, and quotients by them, do not overflow, m.
const MAX_LENGTH: f64 = 1e60;

/// A surface with queries for the distance and the side of a point.
#[derive(Clone, Debug)]
pub struct SignedDistance<'a> {
    mesh: &'a TriangleMesh,
    pub(super) tree: BoxTree,
    winding: Winding,
    /// Around all triangles.
    pub bounds: Aabb,
}

impl<'a> SignedDistance<'a> {
    /// Prepares a surface. It must have triangles, corners in range, and finite coordinates; it may have holes.
    pub fn new(mesh: &'a TriangleMesh) -> Result<Self, StuffingError> {
        if mesh.triangles.is_empty() {
            return Err(StuffingError::Empty { vertices: mesh.points.len() });
        }
        let vertices = mesh.points.len();
        for (triangle, corners) in mesh.triangles.iter().enumerate() {
            if let Some(&corner) = corners.iter().find(|c| **c as usize >= vertices) {
                return Err(StuffingError::OutOfRange { what: "triangle", number: triangle, corner, vertices });
            }
            if let Some(&vertex) = corners.iter().find(|c| !mesh.points[**c as usize].is_finite()) {
                return Err(StuffingError::NotFinite { vertex, at: mesh.points[vertex as usize] });
            }
        }
        let boxes: Vec<Aabb> = (0..mesh.triangles.len()).map(|t| Aabb::around(mesh.corners(t))).collect();
        let tree = BoxTree::new(&boxes);
        let bounds = tree.nodes[0].bounds;
        let size = (bounds.high - bounds.low).max_element();
        if size.is_nan() || size > MAX_LENGTH {
            return Err(StuffingError::TooLarge { size });
        }
        let winding = Winding::new(mesh, &tree);
        Ok(Self { mesh, tree, winding, bounds })
    }

    /// The generalised winding number: about 1 inside, about 0 outside; below zero inside of triangles that face inward.
    pub fn winding(&self, p: DVec3) -> f64 {
        self.winding.at(self.mesh, &self.tree, p)
    }

    /// How far the nearest triangle is, but no more than `limit`.
    pub fn distance(&self, p: DVec3, limit: f64) -> f64 {
        let to = |t: u32| distance(PairKind::VertexTriangle, &self.with(p, t));
        self.tree.nearest(p, limit, to).map_or(limit, |(distance, _)| distance)
    }

    /// The point of the surface nearest to `p`, m; none if there is nothing within `limit`.
    pub fn nearest(&self, p: DVec3, limit: f64) -> Option<DVec3> {
        let to = |t: u32| distance(PairKind::VertexTriangle, &self.with(p, t));
        let (_, triangle) = self.tree.nearest(p, limit, to)?;
        Some(p - vertex_triangle(&self.with(p, triangle)).r)
    }

    fn with(&self, p: DVec3, triangle: u32) -> [DVec3; 4] {
        let [a, b, c] = self.mesh.corners(triangle as usize);
        [p, a, b, c]
    }

    /// The distance, but no more than `limit`, with a minus inside: where the winding number is above a half, or below minus a half, because
    /// a body that is turned inside out is one, too.
    pub fn signed(&self, p: DVec3, limit: f64) -> f64 {
        let distance = self.distance(p, limit);
        if self.winding(p).abs() > 0.5 { -distance } else { distance }
    }
}
