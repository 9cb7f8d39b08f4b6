//! A strain limit along edges as a force, for any integrator: beyond the limit the edge resists with growing stiffness.
//!
//! With the strain `ε = l/L - 1` and `s = ε - limit`, the energy is `K L s³ / 6 r` where `s > 0` and nothing below: twice continuously
//! differentiable in the positions. The tension is `K s²/2r`, and its slope `K s/r` reaches the stiffness K (N) at the strain
//! `limit + r` and goes on growing: a sheet under tension T settles at `limit + √(2 r T/K)`. It is added to a membrane, it does not
//! replace one. Bias directions are limited as far as the mesh has edges there.
//!
//! It replaces projections after the step ([Provot], [BridsonFolds]): those need no stiffness but invalidate the error estimates and the energy
//! budget. The cost here is a stiff force, for an implicit scheme.

use glam::{DMat3, DVec3};
use pliant_core::{Element, Elements, JacobianKind, Rates};

use super::algebra::outer;

/// One edge with a limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LimitedEdge {
    nodes: [u32; 2],
    /// Length at the limit, m.
    limit_length: f64,
    /// `K/(r L²)`: the tension is half of it times the square of the excess length, N/m².
    growth: f64,
}

/// All limited edges of a sheet.
pub type StrainLimit = Elements<LimitedEdge, 2>;

impl LimitedEdge {
    /// An edge of rest length `rest_length` (m) that is free up to the strain `limit` and has the stiffness `stiffness` (N, force per
    /// strain) at the strain `limit + ramp`. `None` where a length, the ramp or the stiffness is not positive or the limit is below 0.
    pub fn new(nodes: [u32; 2], rest_length: f64, limit: f64, ramp: f64, stiffness: f64) -> Option<Self> {
        let growth = stiffness / (ramp * rest_length * rest_length);
        let good = rest_length > 0.0 && limit >= 0.0 && limit.is_finite() && ramp > 0.0;
        (good && growth > 0.0 && growth.is_finite()).then_some(Self {
            nodes,
            limit_length: rest_length * (1.0 + limit),
            growth,
        })
    }

    /// Length above the limit, m.
    #[inline]
    fn excess(&self, l: DVec3) -> f64 {
        (l.length() - self.limit_length).max(0.0)
    }
}

impl Element<2> for LimitedEdge {
    type Force = DVec3;
    type Block = DMat3;

    const NAME: &'static str = "strain-limit";
    const INTERNAL: bool = true;

    fn nodes(&self) -> [u32; 2] {
        self.nodes
    }

    fn energy(&self, x: [DVec3; 2]) -> f64 {
        self.growth * self.excess(x[1] - x[0]).powi(3) / 6.0
    }

    fn viscous_power(&self, _x: [DVec3; 2], _v: [DVec3; 2]) -> f64 {
        0.0
    }

    #[inline]
    fn force(&self, x: [DVec3; 2], _v: [DVec3; 2]) -> DVec3 {
        let l = x[1] - x[0];
        // most edges are within their limit: no square root for them
        let square = l.length_squared();
        if square <= self.limit_length * self.limit_length {
            return DVec3::ZERO;
        }
        let length = square.sqrt();
        let excess = length - self.limit_length;
        l * (0.5 * self.growth * excess * excess / length)
    }

    #[inline]
    fn force_on(force: &DVec3, a: usize) -> DVec3 {
        if a == 0 { *force } else { -*force }
    }

    fn jacobian(&self, x: [DVec3; 2], _v: [DVec3; 2], _kind: JacobianKind) -> (DMat3, DMat3) {
        let l = x[1] - x[0];
        let (length, excess) = (l.length(), self.excess(l));
        if excess == 0.0 {
            return (DMat3::ZERO, DMat3::ZERO);
        }
        // A stretched edge has no negative stiffness: every kind is the exact one.
        let u = l / length;
        let across = 0.5 * self.growth * excess * excess / length;
        let along = outer(u, u) * (self.growth * excess - across);
        (along + DMat3::from_diagonal(DVec3::splat(across)), DMat3::ZERO)
    }

    #[inline]
    fn block(blocks: &DMat3, a: usize, b: usize) -> DMat3 {
        if a == b { -*blocks } else { *blocks }
    }

    fn rates(&self, x: [DVec3; 2], _v: [DVec3; 2]) -> Rates {
        // across the edge it is half of excess over length of that
        Rates { stiffness: self.growth * self.excess(x[1] - x[0]), damping: 0.0 }
    }

    fn stretch(&self, from: [DVec3; 2], to: [DVec3; 2]) -> Option<f64> {
        Some(((to[1] - to[0]).length() - (from[1] - from[0]).length()).abs())
    }

    fn is_damped(&self) -> bool {
        false
    }

    fn is_symmetric(&self) -> bool {
        true
    }
}
