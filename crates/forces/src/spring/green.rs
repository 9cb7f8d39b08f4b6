//! A spring in Green's strain: `E = (k/8L²) (l² - L²)²`, L its length at rest, `½ k (l - L)²` for small strains.
//!
//! `f_a = [k/2 (l² - L²) + c (w·l)] l/L²`, `f_b = -f_a`, with l and w from a to b, and
//! `∂f_a/∂l = { k [l lᵀ + ½ (l² - L²) I] + c [l wᵀ + (w·l) I] }/L²`, `∂f_a/∂w = c l lᵀ/L²`.
//!
//! It is a polynomial: smooth where its ends meet, and softer in compression than in tension. Ropes use it where the bending energy must not depend
//! on the orientation of the section: across a section, l² is linear in the curvature.

use glam::{DMat3, DVec3};
use pliant_core::{Element, Elements, JacobianKind, Rates};

use crate::cloth::algebra::{outer, scalar, symmetric_part};

/// One spring between two particles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GreenSpring {
    /// Its particles.
    pub nodes: [u32; 2],
    /// Length without force, m; above zero.
    pub rest_length: f64,
    /// k, N/m.
    pub stiffness: f64,
    /// c, along the spring, N s/m.
    pub damping: f64,
}

/// All such springs of a body.
pub type GreenSprings = Elements<GreenSpring, 2>;

impl GreenSpring {
    /// `(l² - L²)/2L²`, Green's strain.
    fn strain(&self, l: DVec3) -> f64 {
        0.5 * (l.length_squared() / (self.rest_length * self.rest_length) - 1.0)
    }
}

impl Element<2> for GreenSpring {
    type Force = DVec3;
    type Block = DMat3;

    const NAME: &'static str = "green-springs";
    const INTERNAL: bool = true;

    fn nodes(&self) -> [u32; 2] {
        self.nodes
    }

    fn energy(&self, x: [DVec3; 2]) -> f64 {
        let strain = self.strain(x[1] - x[0]) * self.rest_length;
        0.5 * self.stiffness * strain * strain
    }

    fn viscous_power(&self, x: [DVec3; 2], v: [DVec3; 2]) -> f64 {
        let rate = (v[1] - v[0]).dot(x[1] - x[0]) / self.rest_length;
        -self.damping * rate * rate
    }

    #[inline]
    fn force(&self, x: [DVec3; 2], v: [DVec3; 2]) -> DVec3 {
        let l = x[1] - x[0];
        let rate = (v[1] - v[0]).dot(l) / (self.rest_length * self.rest_length);
        l * (self.stiffness * self.strain(l) + self.damping * rate)
    }

    #[inline]
    fn force_on(force: &DVec3, a: usize) -> DVec3 {
        if a == 0 { *force } else { -*force }
    }

    fn jacobian(&self, x: [DVec3; 2], v: [DVec3; 2], kind: JacobianKind) -> (DMat3, DMat3) {
        let l = x[1] - x[0];
        let unit = (self.rest_length * self.rest_length).recip();
        let along = outer(l * unit, l);
        let strain = self.strain(l);
        let mut stiffness = along * self.stiffness;
        if kind == JacobianKind::Psd {
            return (stiffness + scalar(self.stiffness * strain.max(0.0)), along * self.damping);
        }
        stiffness += scalar(self.stiffness * strain);
        if self.damping != 0.0 {
            let w = v[1] - v[0];
            let turning = (outer(l, w) + scalar(w.dot(l))) * (self.damping * unit);
            stiffness += if kind == JacobianKind::Exact { turning } else { symmetric_part(turning) };
        }
        (stiffness, along * self.damping)
    }

    #[inline]
    fn block(blocks: &DMat3, a: usize, b: usize) -> DMat3 {
        if a == b { -*blocks } else { *blocks }
    }

    fn rates(&self, x: [DVec3; 2], _v: [DVec3; 2]) -> Rates {
        let l = x[1] - x[0];
        let square = l.length_squared() / (self.rest_length * self.rest_length);
        let strain = self.strain(l);
        // the larger of the two sizes of eigenvalues: along and across
        let stiffness = self.stiffness * (square + strain).abs().max(strain.abs());
        Rates { stiffness, damping: self.damping * square }
    }

    fn stretch(&self, from: [DVec3; 2], to: [DVec3; 2]) -> Option<f64> {
        Some(((to[1] - to[0]).length() - (from[1] - from[0]).length()).abs())
    }

    fn is_damped(&self) -> bool {
        self.damping != 0.0
    }

    fn is_symmetric(&self) -> bool {
        self.damping == 0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_strains_and_ends_that_meet() {
        let spring = GreenSpring { nodes: [0, 1], rest_length: 2.0, stiffness: 3.0, damping: 0.1 };
        for length in [2.0 + 1e-4, 2.0 - 1e-4] {
            let x = [DVec3::ZERO, DVec3::X * length];
            assert!((spring.energy(x) / 1.5e-8 - 1.0).abs() < 2e-4);
            assert!((spring.force(x, [DVec3::ZERO; 2]).x - 3.0 * (length - 2.0)).abs() < 1e-7);
        }
        let x = [DVec3::ONE; 2];
        assert_eq!(spring.force(x, [DVec3::ZERO; 2]), DVec3::ZERO);
        assert_eq!(spring.energy(x), 1.5, "k L²/8");
    }

    /// What ropes use it for: from the axis of a bend of radius r to a wing at distance y towards its middle and z beside it.
    #[test]
    fn the_square_of_a_tie_is_linear_in_the_curvature() {
        let (length, r, rho) = (0.02_f64, 0.05_f64, 0.005_f64);
        let chord = |turn: f64| 2.0 * r * (0.5 * turn).sin();
        let turn = 2.0 * (0.5 * length / r).asin();
        assert!((chord(turn) - length).abs() < 1e-15);
        for k in 0..12 {
            let (y, z) = (rho * f64::from(k).cos(), rho * f64::from(k).sin());
            let on = |radius: f64, angle: f64, z: f64| DVec3::new(radius * angle.cos(), radius * angle.sin(), z);
            let tie = on(r, 0.0, 0.0) - on(r - y, turn, z);
            let expected = rho * rho + length * length * (1.0 - y / r);
            assert!((tie.length_squared() - expected).abs() < 1e-16, "{k}");
        }
    }
}
