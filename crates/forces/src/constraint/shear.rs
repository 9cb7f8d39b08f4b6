//! Keeps two sections of a rope from tilting the same way against the segment between them: shear of ropes that are curved at rest.
//!
//! A wing at each end of a segment has two diagonals to the other end of the segment. Stretch, twist and bending change both alike, a shear
//! makes one longer and the other shorter. With p, b and q from the first point to its wing, to the next point and to the wing there,
//! `e = (|p - b|² - |q|²)/2L`, which is `2 φ y` for a tilt φ and a wing at y, and `E = ½ k (e - e₀)²`.
//!
//! e is a quadratic form: `∂e/∂(p, b, q) = (p - b, b - p, -q)/L`, and its second derivatives are constant. The positive semi-definite kind is
//! `k ∇e ∇eᵀ`. There is no damping here, for the same reason as in [`super::angle`].

use glam::{DMat3, DVec3};
use pliant_core::{Element, Elements, JacobianKind, Rates};

use super::relative::{RelativeBlocks, RelativeForce, undamped_methods};
use super::{BadConstraint, positive};
use crate::cloth::algebra::scalar;

/// The diagonals of one pair of wings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shear {
    /// A point, its wing, the next point, the wing there.
    nodes: [u32; 4],
    /// L, m.
    length: f64,
    /// e₀, m.
    rest: f64,
    /// k, N/m.
    stiffness: f64,
}

/// All of them of a body.
pub type Shears = Elements<Shear, 4>;

impl Shear {
    /// Keeps e at `rest` (m) in a segment of a length L (m) from `nodes[0]` to `nodes[2]` with wings `nodes[1]` and `nodes[3]`, with a
    /// stiffness k (N/m).
    pub fn new(nodes: [u32; 4], length: f64, rest: f64, stiffness: f64) -> Result<Self, BadConstraint> {
        positive("length of the segment", length)?;
        positive("shear stiffness", stiffness)?;
        Ok(Self { nodes, length, rest, stiffness })
    }

    /// e of places, m.
    pub fn measure([x, wing, next, wing_there]: [DVec3; 4], length: f64) -> f64 {
        0.5 * ((wing - next).length_squared() - (wing_there - x).length_squared()) / length
    }

    fn gradient(&self, [x, wing, next, wing_there]: [DVec3; 4]) -> [DVec3; 3] {
        let diagonal = (wing - next) / self.length;
        [diagonal, -diagonal, (x - wing_there) / self.length]
    }
}

impl Element<4> for Shear {
    type Force = RelativeForce<3>;
    type Block = RelativeBlocks<3>;

    const NAME: &'static str = "shear";
    const INTERNAL: bool = true;

    fn nodes(&self) -> [u32; 4] {
        self.nodes
    }

    fn energy(&self, x: [DVec3; 4]) -> f64 {
        let sheared = Self::measure(x, self.length) - self.rest;
        0.5 * self.stiffness * sheared * sheared
    }

    #[inline]
    fn force(&self, x: [DVec3; 4], _v: [DVec3; 4]) -> RelativeForce<3> {
        let pull = -self.stiffness * (Self::measure(x, self.length) - self.rest);
        RelativeForce(self.gradient(x).map(|gradient| gradient * pull))
    }

    fn jacobian(&self, x: [DVec3; 4], _v: [DVec3; 4], kind: JacobianKind) -> (RelativeBlocks<3>, RelativeBlocks<3>) {
        let (mut stiffness, gradient) = (RelativeBlocks::default(), self.gradient(x));
        stiffness.add_outer(-self.stiffness, &gradient, &gradient);
        if kind != JacobianKind::Psd {
            let second = scalar(-self.stiffness * (Self::measure(x, self.length) - self.rest) / self.length);
            for (a, b, sign) in [(0, 0, 1.0), (1, 1, 1.0), (0, 1, -1.0), (1, 0, -1.0), (2, 2, -1.0)] {
                stiffness.0[a][b] += second * sign;
            }
        }
        (stiffness, RelativeBlocks::default())
    }

    undamped_methods!(4);
}

#[cfg(test)]
mod tests {
    use super::super::checks::{check_element, check_psd};
    use super::*;

    /// A segment of length 2 along x with wings at 0.5 across it, whose sections are tilted by angles.
    fn tilted(first: f64, second: f64) -> [DVec3; 4] {
        let wing = |angle: f64| DVec3::new(-angle.sin(), angle.cos(), 0.0) * 0.5;
        [DVec3::ZERO, wing(first), DVec3::X * 2.0, DVec3::X * 2.0 + wing(second)]
    }

    #[test]
    fn derivatives_at_rest_and_sheared() {
        for (first, second) in [(0.0, 0.0), (0.3, 0.2), (-0.4, 0.7)] {
            let shear = Shear::new([0, 1, 2, 3], 2.0, 0.05, 3.0).unwrap();
            check_element(&shear, tilted(first, second), 2e-9);
            check_psd(&shear, tilted(first, second));
        }
    }

    #[test]
    fn it_sees_shear_and_neither_bending_nor_stretch_nor_twist() {
        let measure = |x: [DVec3; 4]| Shear::measure(x, 2.0);
        for angle in [1e-6, 0.1, 0.8] {
            let sheared = measure(tilted(angle, angle));
            assert!((sheared - 2.0 * angle.sin() * 0.5).abs() < 1e-12, "{angle}: {sheared}");
            assert!(measure(tilted(angle, -angle)).abs() < 1e-15, "bent by {angle}");
            let [x, wing, next, _] = tilted(0.0, 0.0);
            let turned = DVec3::new(2.0, 0.5 * angle.cos(), 0.5 * angle.sin());
            assert!(measure([x, wing, next, turned]).abs() < 1e-15, "twisted by {angle}");
            let longer = DVec3::X * angle;
            assert!(measure([x, wing, next + longer, next + longer + wing]).abs() < 1e-15, "stretched by {angle}");
        }
    }
}
