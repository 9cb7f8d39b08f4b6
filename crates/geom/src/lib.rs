//! Geometry for contact and meshes; nothing here knows of forces or time.
//!
//! - [`distance`]: closest points of vertex-triangle and edge-edge pairs, with exact derivatives of the distance;
//! - [`mollifier`]: removes the kink in the distance of nearly parallel edges;
//! - [`ccd`]: the collision-free fraction of a step;
//! - [`bvh`]: the broad phase: which primitives may touch;
//! - [`cells`]: a cell list, to find points within a reach;
//! - [`topology`], [`mesh_check`], [`mesh_repair`]: connectivity of triangles, defects of a mesh, and repairs;
//! - [`tetra`]: meshes of tetrahedra: lattices, surfaces, defects, refinement;
//! - [`knot`]: linking, writhe, twist, and which knot a curve is;
//! - [`rope`]: curves, equal spacing along them, frames that do not turn about them;
//! - [`shapes`]: sheets, boxes, spheres, capsules, rings, a rabbit, a liver and a wine glass;
//! - [`stuffing`]: tetrahedra inside of a closed surface;
//! - [`grains`]: particles on a lattice inside of one, and the surfaces of the pieces that they break into.
//!
//! Lengths are metres, or the unit of the points: no function here has a built-in length.

pub mod aabb;
pub mod bvh;
pub mod ccd;
pub mod cells;
pub mod distance;
pub mod grains;
pub mod knot;
pub mod mesh_check;
pub mod mesh_repair;
pub mod mollifier;
pub mod pairs;
mod quad;
pub mod rope;
pub mod shapes;
pub mod stuffing;
pub mod tetra;
pub mod topology;

pub use aabb::Aabb;
pub use bvh::Bvh;
pub use ccd::Keep;
pub use cells::CellGrid;
pub use distance::{Closest, PairKind, closest};
pub use mesh_check::Defect;
pub use mollifier::Mollifier;
pub use pairs::Pairs;
pub use tetra::TetraMesh;
pub use topology::{BadSurface, Hinge, Surface, TriangleMesh, share_vertex};

use glam::{DMat3, DVec3};

/// The points with these numbers. (`map` on arrays is not inlined, and broad and narrow phase do little else.)
#[inline(always)]
pub fn points_of(x: &[DVec3], [a, b, c, d]: [u32; 4]) -> [DVec3; 4] {
    [x[a as usize], x[b as usize], x[c as usize], x[d as usize]]
}

/// `a bᵀ`.
pub(crate) fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}
