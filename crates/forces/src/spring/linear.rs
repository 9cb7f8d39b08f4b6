//! A spring with rest length, stiffness, and damping along its axis [Intro] eqs. 2 and 4, corrected:
//!
//! `f_a = (k (n - L) + c (w·u)) u`, `f_b = -f_a`, with `l = x_b - x_a`, `n = |l|`, `u = l/n`, `w = v_b - v_a`.
//!
//! The notes print `k (l - rl)`, a vector minus a scalar, and give the damping term the coefficient `k_s` and one power of `|l|`
//! too few. Derivatives, with `P = I - u uᵀ`:
//!
//! `∂f_a/∂l = k [u uᵀ + (1 - L/n) P] + c [u (P w)ᵀ + (w·u) P] / n`,  `∂f_a/∂w = c u uᵀ`.
//!
//! A spring of zero length has no direction: its damping and a positive rest length then give no force, and its matrix is `k I`.

use glam::{DMat3, DVec3};
use pliant_core::{Constraint, Element, Elements, JacobianKind, Rates, mean_rate};

use crate::cloth::algebra::outer;

/// Below this length, m, a spring has no direction.
const NO_LENGTH: f64 = 1e-12;

/// One spring between two particles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spring {
    /// Its particles.
    pub nodes: [u32; 2],
    /// Length without force, m.
    pub rest_length: f64,
    /// N/m.
    pub stiffness: f64,
    /// Along the spring, N s/m.
    pub damping: f64,
}

/// All springs of a body.
pub type Springs = Elements<Spring, 2>;

impl Element<2> for Spring {
    type Force = DVec3;
    type Block = DMat3;

    const NAME: &'static str = "springs";
    const INTERNAL: bool = true;

    fn nodes(&self) -> [u32; 2] {
        self.nodes
    }

    fn energy(&self, x: [DVec3; 2]) -> f64 {
        let stretch = (x[1] - x[0]).length() - self.rest_length;
        0.5 * self.stiffness * stretch * stretch
    }

    fn viscous_power(&self, x: [DVec3; 2], v: [DVec3; 2]) -> f64 {
        let l = x[1] - x[0];
        let n2 = l.length_squared();
        if n2 <= NO_LENGTH * NO_LENGTH {
            return 0.0;
        }
        let rate = (v[1] - v[0]).dot(l);
        -self.damping * rate * rate / n2
    }

    fn mean_viscous_power(&self, x: [DVec3; 2], v: [DVec3; 2], span: f64) -> f64 {
        let rate = mean_rate(x, v, span, |x| (x[1] - x[0]).length());
        -self.damping * rate * rate
    }

    #[inline]
    fn force(&self, x: [DVec3; 2], v: [DVec3; 2]) -> DVec3 {
        let l = x[1] - x[0];
        let n = l.length();
        if n <= NO_LENGTH {
            return if self.rest_length == 0.0 { l * self.stiffness } else { DVec3::ZERO };
        }
        // One division: u = l/n is never formed.
        let inverse = n.recip();
        let rate = (v[1] - v[0]).dot(l) * inverse;
        l * ((self.stiffness * (n - self.rest_length) + self.damping * rate) * inverse)
    }

    #[inline]
    fn force_on(force: &DVec3, a: usize) -> DVec3 {
        if a == 0 { *force } else { -*force }
    }

    fn jacobian(&self, x: [DVec3; 2], v: [DVec3; 2], kind: JacobianKind) -> (DMat3, DMat3) {
        let l = x[1] - x[0];
        let n = l.length();
        if n <= NO_LENGTH {
            return (DMat3::from_diagonal(DVec3::splat(self.stiffness)), DMat3::ZERO);
        }
        let u = l / n;
        let along = outer(u, u);
        let tension = 1.0 - self.rest_length / n;
        // A compressed spring has negative stiffness across its axis.
        let mut across = self.stiffness * if kind == JacobianKind::Psd { tension.max(0.0) } else { tension };
        let mut turning = None;
        if self.damping != 0.0 && kind != JacobianKind::Psd {
            let w = v[1] - v[0];
            let rate = w.dot(u);
            let sideways = outer(u, (w - u * rate) * (self.damping / n));
            turning =
                Some(if kind == JacobianKind::Exact { sideways } else { (sideways + sideways.transpose()) * 0.5 });
            across += self.damping * rate / n;
        }
        // k u uᵀ + across (I - u uᵀ)
        let mut stiffness = along * (self.stiffness - across) + DMat3::from_diagonal(DVec3::splat(across));
        if let Some(turning) = turning {
            stiffness += turning;
        }
        (stiffness, along * self.damping)
    }

    #[inline]
    fn block(blocks: &DMat3, a: usize, b: usize) -> DMat3 {
        if a == b { -*blocks } else { *blocks }
    }

    fn rates(&self, _x: [DVec3; 2], _v: [DVec3; 2]) -> Rates {
        Rates { stiffness: self.stiffness, damping: self.damping }
    }

    /// `|l|/L - 1`; springs of zero length, now or at rest, are no constraints.
    fn constraint(&self, x: [DVec3; 2]) -> Option<Constraint<2>> {
        let l = x[1] - x[0];
        let n = l.length();
        (n > NO_LENGTH && self.rest_length > NO_LENGTH).then(|| {
            let along = l / (n * self.rest_length);
            Constraint { error: n / self.rest_length - 1.0, gradient: [-along, along] }
        })
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
