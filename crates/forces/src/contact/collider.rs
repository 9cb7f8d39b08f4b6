//! Colliders: rigid shapes, fixed or with a scripted motion. A sphere is a point with a radius, a capsule a segment with one, boxes and meshes are
//! triangles: all of them use the distances that act between two sheets of cloth, so that the whole surface is impenetrable, not only its vertices.
//! A plane is a half-space.

use glam::DVec3;
use pliant_core::Motion;

/// The shape of a collider at time 0.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A half-space below a plane.
    Plane {
        /// A point on it, m.
        point: DVec3,
        /// Outward unit normal.
        normal: DVec3,
    },
    /// Points, segments and triangles, each offset by `radius`.
    Simplices {
        /// Their corners, m.
        points: Vec<DVec3>,
        /// Corners of segments that belong to no triangle.
        segments: Vec<[u32; 2]>,
        /// Corners of triangles, counter-clockwise from outside.
        triangles: Vec<[u32; 3]>,
        /// m
        radius: f64,
    },
}

impl Shape {
    /// A sphere; lengths in m.
    pub fn sphere(centre: DVec3, radius: f64) -> Self {
        Self::Simplices { points: vec![centre], segments: Vec::new(), triangles: Vec::new(), radius }
    }

    /// A capsule; lengths in m.
    pub fn capsule(ends: [DVec3; 2], radius: f64) -> Self {
        Self::Simplices { points: ends.to_vec(), segments: vec![[0, 1]], triangles: Vec::new(), radius }
    }

    /// A triangle surface.
    pub fn mesh(points: Vec<DVec3>, triangles: Vec<[u32; 3]>) -> Self {
        Self::Simplices { points, segments: Vec::new(), triangles, radius: 0.0 }
    }
}

/// A rigid body with a prescribed motion; contact forces do not move it.
#[derive(Clone, Debug, PartialEq)]
pub struct Collider {
    /// Name, used in messages.
    pub name: String,
    /// Its shape.
    pub shape: Shape,
    /// Its motion.
    pub motion: Motion,
    /// Coefficient of friction.
    pub friction: f64,
}
