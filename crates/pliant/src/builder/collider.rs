//! Rigid colliders.

use glam::DVec3;
use toml::Value;

use super::value::{Amount, corners, keys, mesh, part, table, vector};

part! {
    /// A rigid body that is fixed or moves on a prescribed path.
    Collider, "collider"
}

impl Collider {
    fn shaped(name: &str, key: &str, shape: Value) -> Self {
        let pairs = [("name", Value::from(name)), (key, shape)];
        Self(pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
    }

    /// A ball: centre in metres, radius.
    pub fn sphere(name: &str, centre: impl Into<DVec3>, radius: impl Into<Amount>) -> Self {
        Self::shaped(name, "sphere", table([("centre", vector(centre)), ("radius", radius.into().into())]))
    }

    /// Everything below a plane through a point (m); the normal points away from the solid side.
    pub fn plane(name: &str, point: impl Into<DVec3>, normal: impl Into<DVec3>) -> Self {
        Self::shaped(name, "plane", table([("point", vector(point)), ("normal", vector(normal))]))
    }

    /// Everything below a height, m.
    pub fn floor(name: &str, height: f64) -> Self {
        Self::plane(name, DVec3::Y * height, DVec3::Y)
    }

    /// A cylinder with round ends, about a segment (m).
    pub fn capsule(name: &str, ends: [DVec3; 2], radius: impl Into<Amount>) -> Self {
        let shape = [("from", vector(ends[0])), ("to", vector(ends[1])), ("radius", radius.into().into())];
        Self::shaped(name, "capsule", table(shape))
    }

    /// An axis-aligned box from its lowest to its highest corner, m.
    pub fn block(name: &str, min: impl Into<DVec3>, max: impl Into<DVec3>) -> Self {
        Self::shaped(name, "box", corners(min, max))
    }

    /// A closed mesh of points (m) and triangles, which stay in memory.
    pub fn mesh(name: &str, points: &[DVec3], triangles: &[[u32; 3]]) -> Self {
        Self::shaped(name, "mesh", mesh(points, "triangles", triangles))
    }

    /// A closed mesh from a file: OBJ, PLY or STL.
    pub fn file(name: &str, file: impl Into<String>) -> Self {
        Self::shaped(name, "mesh", table([("file", file.into().into())]))
    }

    keys! {
        /// Coefficient of friction; that of a contact is the geometric mean of those of both bodies.
        number friction;
        /// Moves at this velocity, m/s.
        vector velocity;
    }
}
