//! Closest points of a vertex and a triangle, and of two edges; derivatives of their distance.
//!
//! One description serves both: four points `x_0..x_3` and weights `w` that sum to zero, with `r = Σ w_i x_i` the vector between the
//! closest points and `d = |r|`.
//!
//! | pair | points | weights |
//! |---|---|---|
//! | vertex-triangle | vertex; corners | `1; -b_1, -b_2, -b_3` with barycentric `b` |
//! | edge-edge | `x_0 x_1`; `x_2 x_3` | `1-s, s; -(1-t), -t` |
//!
//! The weights are `w_0 + B β` with `k ≤ 2` free parameters `β`: as many as the closest feature leaves free. `D = ½|r|²` is smallest
//! over `β`, so (envelope theorem) `∂D/∂x_i = w_i r`, and eliminating `β` from the second derivatives of `D(x, β)` gives the exact
//!
//! `∂²D/∂x_i∂x_j = w_i w_j I - Σ_kl c_ik (QᵀQ)⁻¹_kl c_jlᵀ`,  `Q = X B`,  `c_ik = w_i Q_k + B_ik r`.
//!
//! Then `∂d/∂x_i = w_i n`, `∂²d/∂x_i∂x_j = (∂²D/∂x_i∂x_j - w_i w_j n nᵀ)/d`, `n = r/d`. Across a change of feature `d` is continuously
//! differentiable except at parallel edges (see [`crate::mollifier`]); its Hessian jumps there and is that of the feature found.
//!
//! Degenerate input is no special case: a triangle without area is the nearest of its edges, an edge without length is a point. The result
//! is always a pair of points of the two primitives, so a distance is never too small by more than rounding.

use crate::outer;
use glam::{DMat3, DVec3};

/// The kind of the pair that the four points form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PairKind {
    /// A vertex and the three corners of a triangle.
    VertexTriangle,
    /// The ends of one edge and the ends of another.
    EdgeEdge,
}

impl PairKind {
    /// How many of the four points belong to the first primitive.
    pub fn split(self) -> usize {
        match self {
            PairKind::VertexTriangle => 1,
            PairKind::EdgeEdge => 2,
        }
    }
}

/// Closest points of a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Closest {
    /// `w`: the weights of the four points in [`Closest::r`]. They sum to zero.
    pub weights: [f64; 4],
    /// The vector from the closest point of the second primitive to that of the first, m.
    pub r: DVec3,
    /// Its length, m.
    pub distance: f64,
    /// How many parameters the closest feature leaves free: the rows of [`Closest::directions`] that mean something. Two for the
    /// inside of a face or of both edges, one for a vertex and the inside of an edge, none for two vertices.
    pub free: usize,
    /// `B`: how the weights change with each free parameter.
    pub directions: [[f64; 4]; 2],
}

/// Below this sine of the angle between two edges a plane through them is too inaccurate to be used alone: the boundary of the
/// feature is evaluated as well, and the nearest wins. Normals are then wrong by up to 2⁻⁵²/sine, here 2e-10.
const DOUBTFUL_SINE: f64 = 1e-6;

/// The closest points of a pair of the given kind.
pub fn closest(kind: PairKind, x: &[DVec3; 4]) -> Closest {
    match kind {
        PairKind::VertexTriangle => vertex_triangle(x),
        PairKind::EdgeEdge => edge_edge(x),
    }
}

/// A lower bound on the distance of two primitives while their points move straight from `start` to `end`: the gap along the line between
/// their centres, the smaller one of both ends, because in between it is a minimum of linear functions. Never more than the distance, often
/// much less, and -∞ where the centres coincide or a coordinate is not finite.
#[inline]
pub fn certain_gap(kind: PairKind, start: &[DVec3; 4], end: &[DVec3; 4]) -> f64 {
    let [a, b, c, d] = [start[0] + end[0], start[1] + end[1], start[2] + end[2], start[3] + end[3]];
    let axis = match kind {
        PairKind::VertexTriangle => a - (b + c + d) / 3.0,
        PairKind::EdgeEdge => (a + b) - (c + d),
    };
    let (before, after) = (gap_along(kind, axis, start, start[3]), gap_along(kind, axis, end, start[3]));
    // max: also discards NaN
    (before.min(after) / axis.length()).max(f64::NEG_INFINITY)
}

/// [`certain_gap`] of two primitives that do not move.
#[inline]
pub fn certain_gap_at(kind: PairKind, x: &[DVec3; 4]) -> f64 {
    let axis = match kind {
        PairKind::VertexTriangle => x[0] - (x[1] + x[2] + x[3]) / 3.0,
        PairKind::EdgeEdge => (x[0] + x[1]) - (x[2] + x[3]),
    };
    (gap_along(kind, axis, x, x[3]) / axis.length()).max(f64::NEG_INFINITY)
}

/// The gap of two primitives along an axis times its length. Written out: `map` on arrays is not inlined.
#[inline(always)]
fn gap_along(kind: PairKind, axis: DVec3, x: &[DVec3; 4], origin: DVec3) -> f64 {
    let along = |i: usize| axis.dot(x[i] - origin);
    match kind {
        PairKind::VertexTriangle => along(0) - along(1).max(along(2)).max(along(3)),
        PairKind::EdgeEdge => along(0).min(along(1)) - along(2).max(along(3)),
    }
}

/// The closest points of the vertex `x[0]` and the triangle `x[1] x[2] x[3]`.
pub fn vertex_triangle(x: &[DVec3; 4]) -> Closest {
    inlined_vertex_triangle(x)
}

#[inline(always)]
fn inlined_vertex_triangle(x: &[DVec3; 4]) -> Closest {
    let (e1, e2, p) = (x[2] - x[1], x[3] - x[1], x[0] - x[1]);
    let n = e1.cross(e2);
    let n2 = n.length_squared();
    let mut inside = None;
    if n2 > 0.0 {
        let b2 = p.cross(e2).dot(n) / n2;
        let b3 = e1.cross(p).dot(n) / n2;
        if b2 >= 0.0 && b3 >= 0.0 && b2 + b3 <= 1.0 {
            let weights = [1.0, -(1.0 - b2 - b3), -b2, -b3];
            inside = Some(Closest::new(x, weights, &[[0.0, 1.0, -1.0, 0.0], [0.0, 1.0, 0.0, -1.0]]));
        }
    }
    match inside {
        Some(found) if is_sure(n2, e1, e2) => found,
        _ => {
            // Not by `map`, which would not be inlined.
            let edge = |i: usize, j: usize| vertex_edge(x, 0, i, j, 1.0);
            nearest(inside, [edge(1, 2), edge(2, 3), edge(3, 1)])
        }
    }
}

/// The closest points of the edges `x[0] x[1]` and `x[2] x[3]`.
pub fn edge_edge(x: &[DVec3; 4]) -> Closest {
    inlined_edge_edge(x)
}

#[inline(always)]
fn inlined_edge_edge(x: &[DVec3; 4]) -> Closest {
    let (a, b, p) = (x[1] - x[0], x[3] - x[2], x[2] - x[0]);
    let n = a.cross(b);
    let n2 = n.length_squared();
    let mut inside = None;
    if n2 > 0.0 {
        let s = p.cross(b).dot(n) / n2;
        let t = p.cross(a).dot(n) / n2;
        if (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t) {
            let weights = [1.0 - s, s, -(1.0 - t), -t];
            inside = Some(Closest::new(x, weights, &[[-1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, -1.0]]));
        }
    }
    match inside {
        Some(found) if is_sure(n2, a, b) => found,
        _ => {
            let end = |v: usize, i: usize, j: usize, sign: f64| vertex_edge(x, v, i, j, sign);
            nearest(inside, [end(0, 2, 3, 1.0), end(1, 2, 3, 1.0), end(2, 0, 1, -1.0), end(3, 0, 1, -1.0)])
        }
    }
}

/// The distance of [`closest`] alone.
pub fn distance(kind: PairKind, x: &[DVec3; 4]) -> f64 {
    match kind {
        PairKind::VertexTriangle => inlined_vertex_triangle(x).distance,
        PairKind::EdgeEdge => inlined_edge_edge(x).distance,
    }
}

/// Vertex `v` against the edge from `i` to `j`; `sign` is the weight of the vertex.
#[inline(always)]
fn vertex_edge(x: &[DVec3; 4], v: usize, i: usize, j: usize, sign: f64) -> Closest {
    let edge = x[j] - x[i];
    let along = (x[v] - x[i]).dot(edge) / edge.length_squared();
    let mut weights = [0.0; 4];
    weights[v] = sign;
    if along > 0.0 && along < 1.0 {
        let mut direction = [0.0; 4];
        (weights[i], weights[j]) = (-sign * (1.0 - along), -sign * along);
        (direction[i], direction[j]) = (sign, -sign);
        Closest::new(x, weights, &[direction])
    } else {
        // An edge without length gives a NaN and comes here, too: it is its first vertex.
        weights[if along >= 1.0 { j } else { i }] = -sign;
        Closest::new(x, weights, &[])
    }
}

fn is_sure(n2: f64, a: DVec3, b: DVec3) -> bool {
    n2 > DOUBTFUL_SINE * DOUBTFUL_SINE * a.length_squared() * b.length_squared()
}

/// The nearest of the candidates: the earliest on ties.
#[inline(always)]
fn nearest<const N: usize>(first: Option<Closest>, others: [Closest; N]) -> Closest {
    let mut best = first.unwrap_or(others[0]);
    for other in others {
        if other.distance < best.distance {
            best = other;
        }
    }
    best
}

impl Closest {
    #[inline(always)]
    fn new(x: &[DVec3; 4], weights: [f64; 4], free: &[[f64; 4]]) -> Self {
        // Differences from one point: a pair far from the origin loses no digits to its position.
        let r = (1..4).fold(DVec3::ZERO, |r, i| r + weights[i] * (x[i] - x[0]));
        let mut directions = [[0.0; 4]; 2];
        directions[..free.len()].copy_from_slice(free);
        Self { weights, r, distance: r.length(), free: free.len(), directions }
    }

    /// The unit vector along [`Closest::r`]; zero for points that coincide, which have no direction.
    pub fn normal(&self) -> DVec3 {
        if self.distance > 0.0 { self.r / self.distance } else { DVec3::ZERO }
    }

    /// `∂d/∂x_i`.
    pub fn gradient_of_distance(&self) -> [DVec3; 4] {
        let n = self.normal();
        self.weights.map(|w| w * n)
    }

    /// `∂²D/∂x_i∂x_j` of `D = ½ d²`, at the points the pair was found for.
    pub fn hessian_of_half_square(&self, x: &[DVec3; 4]) -> [[DMat3; 4]; 4] {
        let w = &self.weights;
        let q = self.directions.map(|b| (1..4).fold(DVec3::ZERO, |q, i| q + b[i] * (x[i] - x[0])));
        let inverse = self.inverse_of_gram(&q);
        let c = |i: usize, k: usize| w[i] * q[k] + self.directions[k][i] * self.r;
        let mut hessian = [[DMat3::ZERO; 4]; 4];
        for i in 0..4 {
            for j in 0..4 {
                let mut block = DMat3::from_diagonal(DVec3::splat(w[i] * w[j]));
                for (k, row) in inverse.iter().enumerate().take(self.free) {
                    // Σ_l (QᵀQ)⁻¹_kl c_jl
                    let solved = (0..self.free).fold(DVec3::ZERO, |sum, l| sum + row[l] * c(j, l));
                    block -= outer(c(i, k), solved);
                }
                hessian[i][j] = block;
            }
        }
        hessian
    }

    /// `∂²d/∂x_i∂x_j`, at the points the pair was found for; zero where `d` is.
    pub fn hessian_of_distance(&self, x: &[DVec3; 4]) -> [[DMat3; 4]; 4] {
        if self.distance <= 0.0 {
            return [[DMat3::ZERO; 4]; 4];
        }
        let n = self.normal();
        let nn = outer(n, n);
        let mut hessian = self.hessian_of_half_square(x);
        for (i, row) in hessian.iter_mut().enumerate() {
            for (j, block) in row.iter_mut().enumerate() {
                *block = (*block - nn * (self.weights[i] * self.weights[j])) * (1.0 / self.distance);
            }
        }
        hessian
    }

    /// `(QᵀQ)⁻¹` of the free parameters.
    fn inverse_of_gram(&self, q: &[DVec3; 2]) -> [[f64; 2]; 2] {
        match self.free {
            0 => [[0.0; 2]; 2],
            1 => [[1.0 / q[0].length_squared(), 0.0], [0.0; 2]],
            _ => {
                // The determinant as |q_0 × q_1|²: the difference of products would cancel for thin triangles. It is above zero where
                // two parameters were found free.
                let scale = 1.0 / q[0].cross(q[1]).length_squared();
                let off = -q[0].dot(q[1]) * scale;
                [[q[1].length_squared() * scale, off], [off, q[0].length_squared() * scale]]
            }
        }
    }
}
