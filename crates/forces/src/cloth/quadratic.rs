//! Isometric bending of [BergouQuadratic]: for sheets that are flat at rest and hardly stretch, the energy is quadratic in the positions
//! and its matrix is constant.
//!
//! `½ c |Σ_a k_a x_a|²`, `c = B/(A₁ + A₂)`, with the cotangents of the flat hinge (corners as in [`super::hinge`])
//! `k_0 = cot at 1 of both triangles`, `k_1 = cot at 0 of both`, `k_2 = -(cot at 0 + cot at 1)` of its triangle, `k_3` likewise.
//! `Σ k_a x_a` is `L θ n` for small angles.
//!
//! Departure: the paper has `3/(A₁ + A₂)`; without the 3 the energy is that of [`super::hinge`] for small angles, and of a plate on the
//! meshes named in [`super::bending`]. There is no damping: it would have to be along `Σ k_a x_a`, which turns, and the matrix would no
//! longer be constant.

use glam::{DMat3, DVec3};
use pliant_core::{Element, Elements, JacobianKind, Rates};

use super::algebra::scalar;
use super::bending::shape_factor;

/// One hinge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QuadraticHinge {
    nodes: [u32; 4],
    /// `√c k_a`, (N/m)^½: the energy is half the square of their sum with positions.
    weights: [f64; 4],
}

/// All hinges of a sheet.
pub type QuadraticBending = Elements<QuadraticHinge, 4>;

/// Cotangent of the angle between two vectors.
fn cotangent(a: DVec3, b: DVec3) -> f64 {
    a.dot(b) / a.cross(b).length()
}

impl QuadraticHinge {
    /// A hinge of bending stiffness B (N m). The triangles' angles are taken at rest; the rest shape counts as flat whatever it is.
    /// `None` where a triangle has no area or the stiffness is negative.
    pub fn new(nodes: [u32; 4], rest: [DVec3; 4], bending: f64) -> Option<Self> {
        let edge = rest[1] - rest[0];
        let c = bending * shape_factor(rest)? / edge.length_squared();
        if !(c >= 0.0 && c.is_finite()) {
            return None;
        }
        let at_start = [2, 3].map(|k| cotangent(edge, rest[k] - rest[0]));
        let at_end = [2, 3].map(|k| cotangent(-edge, rest[k] - rest[1]));
        let root = c.sqrt();
        let weights =
            [at_end[0] + at_end[1], at_start[0] + at_start[1], -(at_start[0] + at_end[0]), -(at_start[1] + at_end[1])];
        Some(Self { nodes, weights: weights.map(|k| k * root) })
    }

    /// `Σ k_a x_a` from differences, so that it is invariant under translation.
    #[inline]
    fn sum(&self, x: [DVec3; 4]) -> DVec3 {
        (x[1] - x[0]) * self.weights[1] + (x[2] - x[0]) * self.weights[2] + (x[3] - x[0]) * self.weights[3]
    }
}

impl Element<4> for QuadraticHinge {
    /// Forces on corners 1, 2, 3; that on corner 0 is minus their sum.
    type Force = [DVec3; 3];
    /// The weights: block (a, b) is `-k_a k_b I`.
    type Block = [f64; 4];

    const NAME: &'static str = "quadratic-bending";
    const INTERNAL: bool = true;

    fn nodes(&self) -> [u32; 4] {
        self.nodes
    }

    fn energy(&self, x: [DVec3; 4]) -> f64 {
        0.5 * self.sum(x).length_squared()
    }

    fn viscous_power(&self, _x: [DVec3; 4], _v: [DVec3; 4]) -> f64 {
        0.0
    }

    #[inline]
    fn force(&self, x: [DVec3; 4], _v: [DVec3; 4]) -> [DVec3; 3] {
        let sum = self.sum(x);
        [1, 2, 3].map(|a| sum * -self.weights[a])
    }

    #[inline]
    fn force_on(force: &[DVec3; 3], a: usize) -> DVec3 {
        if a == 0 { -(force[0] + force[1] + force[2]) } else { force[a - 1] }
    }

    fn jacobian(&self, _x: [DVec3; 4], _v: [DVec3; 4], _kind: JacobianKind) -> ([f64; 4], [f64; 4]) {
        (self.weights, [0.0; 4])
    }

    #[inline]
    fn block(blocks: &[f64; 4], a: usize, b: usize) -> DMat3 {
        scalar(-blocks[a] * blocks[b])
    }

    fn rates(&self, _x: [DVec3; 4], _v: [DVec3; 4]) -> Rates {
        Rates { stiffness: self.weights.iter().map(|k| k * k).fold(0.0, f64::max), damping: 0.0 }
    }

    fn row_rates(&self, _x: [DVec3; 4], _v: [DVec3; 4], free: [bool; 4]) -> [Rates; 4] {
        let sum: f64 = (0..4).filter(|b| free[*b]).map(|b| self.weights[b].abs()).sum();
        self.weights.map(|k| Rates { stiffness: k.abs() * sum, damping: 0.0 })
    }

    fn stretch(&self, _from: [DVec3; 4], _to: [DVec3; 4]) -> Option<f64> {
        None
    }

    fn is_damped(&self) -> bool {
        false
    }

    fn is_symmetric(&self) -> bool {
        true
    }
}
