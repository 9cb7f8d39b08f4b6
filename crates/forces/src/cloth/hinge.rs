//! Bending by the angle θ between two triangles, [DiscreteShells]: `½ κ (θ - θ₀)²`, with κ of [`super::bending`] and the derivatives of θ in
//! [`super::fold`].
//!
//! θ is signed, by `atan2`, and zero when the sheet is flat; it jumps by 2π where a sheet is folded through itself, so rest angles near ±π should be
//! avoided.
//!
//! The exact derivative is `-κ [∇θ (∇θ + τ ∇²θ v)ᵀ + (θ - θ₀ + τ θ̇) ∇²θ]`. The positive semi-definite kind is `κ ∇θ ∇θᵀ` plus the positive part
//! of the moment times `∇²θ`: never below the exact one.
//!
//! Damping has one relaxation time τ, `κ (θ - θ₀ + τ θ̇)`; it vanishes in rigid motion. A hinge with a triangle of no area has no angle:
//! no force.

use glam::{DMat3, DVec3};
use pliant_core::{Element, Elements, JacobianKind, Rates};

use super::bending::shape_factor;
use super::fold::{Fold, HingeBlock, fold_methods, mean_turning};

/// One hinge: the edge from corner 0 to corner 1, the triangle (0, 1, 2) on one side and (1, 0, 3) on the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hinge {
    nodes: [u32; 4],
    rest_angle: f64,
    /// κ, J.
    stiffness: f64,
    /// τ, s.
    damping_time: f64,
}

/// All hinges of a sheet.
pub type HingeBending = Elements<Hinge, 4>;

/// Forces on corners 1, 2, 3; that on corner 0 is minus their sum.
#[derive(Clone, Copy, Debug, Default)]
pub struct HingeForce(pub [DVec3; 3]);

impl Hinge {
    /// A hinge of bending stiffness B (N m) between two triangles at rest. `None` where one of them has no area or a number is
    /// negative.
    pub fn new(nodes: [u32; 4], rest: [DVec3; 4], bending: f64, damping_time: f64) -> Option<Self> {
        let stiffness = bending * shape_factor(rest)?;
        let rest_angle = Fold::new(rest)?.angle;
        let good = |value: f64| value >= 0.0 && value.is_finite();
        (good(stiffness) && good(damping_time)).then_some(Self { nodes, rest_angle, stiffness, damping_time })
    }

    /// The same with another rest angle, rad: 0 for a sheet that is flat at rest whatever shape it starts in.
    pub fn with_rest_angle(self, rest_angle: f64) -> Self {
        Self { rest_angle, ..self }
    }

    /// The angle at positions, rad; `None` where a triangle has no area.
    pub fn angle(x: [DVec3; 4]) -> Option<f64> {
        Fold::new(x).map(|fold| fold.angle)
    }

    /// Velocities relative to corner 0.
    fn relative(v: [DVec3; 4]) -> [DVec3; 3] {
        [v[1] - v[0], v[2] - v[0], v[3] - v[0]]
    }

    /// `κ (θ - θ₀ + τ θ̇)`, and `∇θ`.
    #[inline]
    fn moment(&self, fold: &Fold, v: [DVec3; 4]) -> (f64, [DVec3; 3]) {
        let gradient = fold.gradient();
        let mut turn = fold.angle - self.rest_angle;
        if self.damping_time != 0.0 {
            turn += self.damping_time * dot(gradient, Self::relative(v));
        }
        (self.stiffness * turn, gradient)
    }
}

#[inline]
fn dot(a: [DVec3; 3], b: [DVec3; 3]) -> f64 {
    a[0].dot(b[0]) + a[1].dot(b[1]) + a[2].dot(b[2])
}

impl Element<4> for Hinge {
    type Force = HingeForce;
    type Block = HingeBlock;

    const NAME: &'static str = "hinge-bending";
    const INTERNAL: bool = true;

    fn nodes(&self) -> [u32; 4] {
        self.nodes
    }

    fn energy(&self, x: [DVec3; 4]) -> f64 {
        let turn = Fold::new(x).map_or(0.0, |fold| fold.angle - self.rest_angle);
        0.5 * self.stiffness * turn * turn
    }

    fn viscous_power(&self, x: [DVec3; 4], v: [DVec3; 4]) -> f64 {
        let rate = Fold::new(x).map_or(0.0, |fold| dot(fold.gradient(), Self::relative(v)));
        -self.stiffness * self.damping_time * rate * rate
    }

    #[inline]
    fn force(&self, x: [DVec3; 4], v: [DVec3; 4]) -> HingeForce {
        let Some(fold) = Fold::new(x) else { return HingeForce::default() };
        let (moment, gradient) = self.moment(&fold, v);
        HingeForce(gradient.map(|g| g * -moment))
    }

    #[inline]
    fn force_on(force: &HingeForce, a: usize) -> DVec3 {
        if a == 0 { -(force.0[0] + force.0[1] + force.0[2]) } else { force.0[a - 1] }
    }

    fold_methods!();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_angle_is_that_between_the_triangles() {
        for angle in [-3.0_f64, -1.0, 0.0, 0.4, 2.5] {
            // the second triangle turned about the edge, away from flat
            let other = DVec3::new(0.3, -angle.cos(), angle.sin());
            let x = [DVec3::ZERO, DVec3::X, DVec3::new(0.6, 1.2, 0.0), other];
            let found = Hinge::angle(x).unwrap();
            assert!((found.abs() - angle.abs()).abs() < 1e-15, "{found} {angle}");
            let mirrored = x.map(|x| DVec3::new(x.x, x.y, -x.z));
            assert!((Hinge::angle(mirrored).unwrap() + found).abs() < 1e-15);
        }
    }

    #[test]
    fn triangles_without_area_have_no_force() {
        let rest = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::NEG_Y];
        let hinge = Hinge::new([0, 1, 2, 3], rest, 1.0, 0.1).unwrap();
        let bad = [
            [DVec3::ZERO, DVec3::X, DVec3::X * 2.0, DVec3::NEG_Y],
            [DVec3::ZERO, DVec3::ZERO, DVec3::Y, DVec3::NEG_Y],
            [DVec3::ZERO; 4],
        ];
        for x in bad {
            assert_eq!(hinge.energy(x), 0.0);
            assert_eq!(hinge.force(x, rest).0, [DVec3::ZERO; 3]);
            let (stiffness, damping) = hinge.jacobian(x, rest, JacobianKind::Exact);
            assert!((0..4).all(|a| stiffness.row(a) == [DMat3::ZERO; 4] && damping.row(a) == [DMat3::ZERO; 4]));
            assert_eq!(Hinge::new([0, 1, 2, 3], x, 1.0, 0.0), None);
        }
    }
}
