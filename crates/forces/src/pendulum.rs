//! The pendulum of [Ropes] section 6 in its angle: `θ'' = -ω² sin θ`, `ω² = g / length`.
//!
//! The x coordinate of the particle *is* the angle in radians (one metre represents one radian), so that every integrator solves the paper's
//! equation and not a constrained bob; y and z have no force. `E = m ω² (1 - cos θ)`.

use glam::{DMat3, DVec3};
use pliant_core::{Element, Elements, EnergyKind, JacobianKind, Rates};
use pliant_scalar::math;

/// One pendulum.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pendulum {
    /// The particle whose x is the angle.
    pub node: u32,
    /// `m ω²`: mass of the particle times gravity over length, N/m.
    pub strength: f64,
}

/// All pendulums of a body.
pub type PendulumForce = Elements<Pendulum, 1>;

impl Element<1> for Pendulum {
    type Force = f64;
    type Block = f64;

    const NAME: &'static str = "pendulum";
    const INTERNAL: bool = false;
    const ENERGY: EnergyKind = EnergyKind::Gravity;

    fn nodes(&self) -> [u32; 1] {
        [self.node]
    }

    fn energy(&self, x: [DVec3; 1]) -> f64 {
        // 1 - cos θ without cancellation
        2.0 * self.strength * math::sin(0.5 * x[0].x).powi(2)
    }

    fn viscous_power(&self, _x: [DVec3; 1], _v: [DVec3; 1]) -> f64 {
        0.0
    }

    fn force(&self, x: [DVec3; 1], _v: [DVec3; 1]) -> f64 {
        -self.strength * math::sin(x[0].x)
    }

    fn force_on(force: &f64, _a: usize) -> DVec3 {
        DVec3::new(*force, 0.0, 0.0)
    }

    fn jacobian(&self, x: [DVec3; 1], _v: [DVec3; 1], kind: JacobianKind) -> (f64, f64) {
        let stiffness = self.strength * math::cos(x[0].x);
        (if kind == JacobianKind::Psd { -stiffness.max(0.0) } else { -stiffness }, 0.0)
    }

    fn block(blocks: &f64, _a: usize, _b: usize) -> DMat3 {
        DMat3::from_diagonal(DVec3::new(*blocks, 0.0, 0.0))
    }

    fn rates(&self, _x: [DVec3; 1], _v: [DVec3; 1]) -> Rates {
        Rates { stiffness: self.strength, damping: 0.0 }
    }

    fn stretch(&self, _from: [DVec3; 1], _to: [DVec3; 1]) -> Option<f64> {
        None
    }

    fn is_damped(&self) -> bool {
        false
    }

    fn is_symmetric(&self) -> bool {
        true
    }
}
