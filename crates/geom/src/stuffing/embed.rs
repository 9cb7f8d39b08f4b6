//! Which tetrahedron carries which vertex of a fine surface, so that the picture keeps the detail that the tetrahedra have not.

use super::error::StuffingError;
use super::quality::volume_of;
use super::tree::BoxTree;
use crate::aabb::Aabb;
use crate::distance::{self, PairKind};
use glam::DVec3;
use pliant_parallel::for_each_chunk;
use std::ops::{Add, Mul, Sub};

/// Tetrahedra with less volume than this part of a cube around them are flat.
const FLAT: f64 = 1e-5;

/// A point tied to a tetrahedron: it is where the weighted corners are.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Anchor {
    /// Corners of the tetrahedron.
    pub corners: [u32; 4],
    /// Their barycentric weights, which sum to one. Below zero for a point outside, which is carried as if the tetrahedron went on.
    pub weights: [f64; 4],
}

impl Anchor {
    /// Interpolates a value per corner to the point: position, velocity, temperature.
    ///
    /// # Panics
    /// If there are fewer values than the points that it was made for.
    pub fn carry<T>(&self, values: &[T]) -> T
    where
        T: Copy + Add<Output = T> + Sub<Output = T>,
        f64: Mul<T, Output = T>,
    {
        let [first, rest @ ..] = self.corners.map(|c| values[c as usize]);
        // Differences from one corner: far from the origin no digits are lost.
        rest.iter().zip(&self.weights[1..]).fold(first, |sum, (value, weight)| sum + *weight * (*value - first))
    }

    /// The same anchor where the points are numbered from `first` on.
    pub fn shifted(self, first: u32) -> Self {
        Self { corners: self.corners.map(|c| c + first), ..self }
    }
}

/// Ties each vertex to the tetrahedron that contains it, or to the nearest; the lowest index on ties.
pub fn embed(points: &[DVec3], tets: &[[u32; 4]], vertices: &[DVec3]) -> Result<Vec<Anchor>, StuffingError> {
    if tets.is_empty() {
        return Err(StuffingError::NoTets);
    }
    for (number, tet) in tets.iter().enumerate() {
        if let Some(&corner) = tet.iter().find(|c| **c as usize >= points.len()) {
            return Err(StuffingError::OutOfRange { what: "tetrahedron", number, corner, vertices: points.len() });
        }
        if let Some(&vertex) = tet.iter().find(|c| !points[**c as usize].is_finite()) {
            return Err(StuffingError::NotFinite { vertex, at: points[vertex as usize] });
        }
    }
    if let Some(vertex) = vertices.iter().position(|x| !x.is_finite()) {
        return Err(StuffingError::NotFinite { vertex: vertex as u32, at: vertices[vertex] });
    }
    let corners = |tet: u32| tets[tet as usize].map(|c| points[c as usize]);
    let boxes: Vec<Aabb> = (0..tets.len()).map(|t| Aabb::around(corners(t as u32))).collect();
    let mut tree = BoxTree::new(&boxes);
    // Weights of flat ones, and with them what is inside, are mostly rounding.
    tree.distrust(|t| {
        let size = (boxes[t as usize].high - boxes[t as usize].low).max_element();
        let is_solid = volume_of(corners(t)).abs() > FLAT * size.powi(3);
        !is_solid
    });
    let mut anchors = vec![Anchor::default(); vertices.len()];
    for_each_chunk(&mut anchors, |first, anchors| {
        for (anchor, &x) in anchors.iter_mut().zip(&vertices[first..]) {
            let found = tree.nearest(x, f64::INFINITY, |tet| distance(corners(tet), x));
            let tet = found.map_or(0, |(_, tet)| tet);
            *anchor = Anchor { corners: tets[tet as usize], weights: weights(corners(tet), x) };
        }
    });
    Ok(anchors)
}

/// How far a point is from a tetrahedron: zero inside.
fn distance(corners: [DVec3; 4], x: DVec3) -> f64 {
    if weights(corners, x).iter().all(|w| *w >= 0.0) {
        return 0.0;
    }
    let [a, b, c, d] = corners;
    let faces = [[b, c, d], [a, c, d], [a, b, d], [a, b, c]];
    faces
        .iter()
        .fold(f64::INFINITY, |least, f| least.min(distance::distance(PairKind::VertexTriangle, &[x, f[0], f[1], f[2]])))
}

/// Barycentric weights; those of the first corner alone if the tetrahedron has no volume.
fn weights(corners: [DVec3; 4], x: DVec3) -> [f64; 4] {
    let whole = volume_of(corners);
    let part = |k: usize| {
        let mut with = corners;
        with[k] = x;
        volume_of(with) / whole
    };
    let rest = [part(1), part(2), part(3)];
    if !rest.iter().all(|w| w.is_finite()) {
        return [1.0, 0.0, 0.0, 0.0];
    }
    [1.0 - rest[0] - rest[1] - rest[2], rest[0], rest[1], rest[2]]
}
