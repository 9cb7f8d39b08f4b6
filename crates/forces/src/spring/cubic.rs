//! The nonlinear spring of [Adaptive] section 4, which ties a particle to an anchor and damps it relative to the fixed frame:
//!
//! `f = -Kx (1 + |d|²) d - Kv (1 + |v|²) v`, `d = x - anchor`,
//!
//! in one dimension the paper's `-Kx (x + x³) - Kv (v + v³)`; written with norms so that it does not depend on the axes. The cubic
//! terms carry coefficients of 1/m² and 1 s²/m², as in the paper.
//! `E = Kx (|d|²/2 + |d|⁴/4)`; `∂f/∂x = -Kx [(1 + |d|²) I + 2 d dᵀ]` and likewise in v: always negative definite.

use glam::{DMat3, DVec3};
use pliant_core::{Element, Elements, JacobianKind, Rates};

/// One particle on its spring.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CubicSpring {
    /// The particle.
    pub node: u32,
    /// Rest position, m.
    pub anchor: DVec3,
    /// Kx, N/m.
    pub stiffness: f64,
    /// Kv, N s/m.
    pub damping: f64,
}

/// All such springs of a body.
pub type CubicSprings = Elements<CubicSpring, 1>;

/// `(1 + |a|²) I + 2 a aᵀ`, the derivative of `(1 + |a|²) a`.
fn derivative(a: DVec3) -> DMat3 {
    DMat3::from_diagonal(DVec3::splat(1.0 + a.length_squared())) + DMat3::from_cols(a * a.x, a * a.y, a * a.z) * 2.0
}

impl Element<1> for CubicSpring {
    type Force = DVec3;
    type Block = DMat3;

    const NAME: &'static str = "cubic-springs";
    const INTERNAL: bool = false;

    fn nodes(&self) -> [u32; 1] {
        [self.node]
    }

    fn energy(&self, x: [DVec3; 1]) -> f64 {
        let d2 = (x[0] - self.anchor).length_squared();
        self.stiffness * (0.5 * d2 + 0.25 * d2 * d2)
    }

    fn viscous_power(&self, _x: [DVec3; 1], v: [DVec3; 1]) -> f64 {
        let v2 = v[0].length_squared();
        -self.damping * (1.0 + v2) * v2
    }

    fn force(&self, x: [DVec3; 1], v: [DVec3; 1]) -> DVec3 {
        let d = x[0] - self.anchor;
        d * (-self.stiffness * (1.0 + d.length_squared())) - v[0] * (self.damping * (1.0 + v[0].length_squared()))
    }

    fn force_on(force: &DVec3, _a: usize) -> DVec3 {
        *force
    }

    fn jacobian(&self, x: [DVec3; 1], v: [DVec3; 1], _kind: JacobianKind) -> (DMat3, DMat3) {
        (derivative(x[0] - self.anchor) * -self.stiffness, derivative(v[0]) * -self.damping)
    }

    fn block(blocks: &DMat3, _a: usize, _b: usize) -> DMat3 {
        *blocks
    }

    fn rates(&self, x: [DVec3; 1], v: [DVec3; 1]) -> Rates {
        Rates {
            stiffness: self.stiffness * (1.0 + 3.0 * (x[0] - self.anchor).length_squared()),
            damping: self.damping * (1.0 + 3.0 * v[0].length_squared()),
        }
    }

    fn stretch(&self, from: [DVec3; 1], to: [DVec3; 1]) -> Option<f64> {
        Some(((to[0] - self.anchor).length() - (from[0] - self.anchor).length()).abs())
    }

    fn is_damped(&self) -> bool {
        self.damping != 0.0
    }

    fn is_symmetric(&self) -> bool {
        true
    }
}
