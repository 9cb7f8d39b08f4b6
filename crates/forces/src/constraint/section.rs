//! Keeps a segment at right angles to a section: bending at a clamped point of a rope, where the pinned section prescribes the direction.
//!
//! With the vectors p and q from a point to two particles of its section, `a = p × q` is the normal of the section and b the segment to
//! the next point. The turn from a to b is that of [`super::angle`], κ with |κ| = 2 tan(θ/2), and `E = ½ k |κ|²`.
//!
//! `∂a/∂p = -[q]ₓ = A_p`, `∂a/∂q = [p]ₓ = A_q`. With the moment `m = k κ` and `g = ∂E/∂a`:
//!
//! `∂E/∂p = A_pᵀ g`, `∂²E/∂p∂q = A_pᵀ (∂²E/∂a²) A_q - [g]ₓ`, and so on. The positive semi-definite kind is `k Dᵀ D` with D = ∂κ/∂(p, q, b).
//!
//! There is no damping here, for the same reason as in [`super::angle`].

use glam::{DMat3, DVec3};
use pliant_core::{Element, Elements, JacobianKind, Rates};

use super::angle::Turn;
use super::relative::{RelativeBlocks, RelativeForce, undamped_methods};
use super::{BadConstraint, positive};
use crate::cloth::algebra::{cross, scalar};

/// The angle between one section and one segment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SectionAngle {
    /// The point, two particles of its section, the next point.
    nodes: [u32; 4],
    /// k, J.
    stiffness: f64,
}

/// All of them of a body.
pub type SectionAngles = Elements<SectionAngle, 4>;

impl SectionAngle {
    /// Keeps the vector from `nodes[0]` to `nodes[3]` along the normal `p × q` of the section with p and q from `nodes[0]` to `nodes[1]` and
    /// `nodes[2]`, with a stiffness k (J).
    pub fn new(nodes: [u32; 4], stiffness: f64) -> Result<Self, BadConstraint> {
        positive("bending stiffness", stiffness)?;
        Ok(Self { nodes, stiffness })
    }

    fn turn([x, p, q, next]: [DVec3; 4]) -> Option<Turn> {
        Turn::new((p - x).cross(q - x), next - x)
    }

    /// A_p and A_q.
    fn of_normal([x, p, q, _]: [DVec3; 4]) -> [DMat3; 2] {
        [cross(x - q), cross(p - x)]
    }
}

impl Element<4> for SectionAngle {
    type Force = RelativeForce<3>;
    type Block = RelativeBlocks<3>;

    const NAME: &'static str = "section-angle";
    const INTERNAL: bool = true;

    fn nodes(&self) -> [u32; 4] {
        self.nodes
    }

    fn energy(&self, x: [DVec3; 4]) -> f64 {
        Self::turn(x).map_or(0.0, |turn| 0.5 * self.stiffness * turn.kappa.length_squared())
    }

    #[inline]
    fn force(&self, x: [DVec3; 4], _v: [DVec3; 4]) -> RelativeForce<3> {
        let Some(turn) = Self::turn(x) else { return RelativeForce::default() };
        let ([by_a, by_b], [a_p, a_q]) = (turn.derivative(), Self::of_normal(x));
        let moment = turn.kappa * -self.stiffness;
        let on_normal = by_a.mul_transpose_vec3(moment);
        let on =
            [a_p.mul_transpose_vec3(on_normal), a_q.mul_transpose_vec3(on_normal), by_b.mul_transpose_vec3(moment)];
        RelativeForce(on)
    }

    fn jacobian(&self, x: [DVec3; 4], _v: [DVec3; 4], kind: JacobianKind) -> (RelativeBlocks<3>, RelativeBlocks<3>) {
        let Some(turn) = Self::turn(x) else { return Default::default() };
        let ([by_a, by_b], [a_p, a_q]) = (turn.derivative(), Self::of_normal(x));
        let d = [by_a * a_p, by_a * a_q, by_b];
        let inner = scalar(-self.stiffness);
        let each = [0, 1, 2];
        let mut stiffness = RelativeBlocks(each.map(|a| each.map(|b| d[a].transpose() * inner * d[b]))).symmetric();
        if kind != JacobianKind::Psd && turn.kappa != DVec3::ZERO {
            let moment = turn.kappa * self.stiffness;
            let ([aa, ab, bb], of) = (turn.second(moment), [a_p, a_q]);
            let mut second = RelativeBlocks([[DMat3::ZERO; 3]; 3]);
            for i in 0..2 {
                for j in 0..2 {
                    second.0[i][j] = of[i].transpose() * aa * of[j];
                }
                second.0[i][2] = of[i].transpose() * ab;
                second.0[2][i] = second.0[i][2].transpose();
            }
            let curl = cross(by_a.mul_transpose_vec3(moment));
            second.0[0][1] -= curl;
            second.0[1][0] += curl;
            second.0[2][2] = bb;
            stiffness.add_scaled(-1.0, &second);
        }
        (stiffness, RelativeBlocks::default())
    }

    undamped_methods!(4);
}

#[cfg(test)]
mod tests {
    use super::super::angle::Angle;
    use super::super::checks::{check_element, check_psd};
    use super::*;

    /// A section at no special place, and a segment that is turned by an angle from its normal.
    fn bent(turn: f64) -> [DVec3; 4] {
        let (t, n) = (DVec3::new(0.48, 0.6, 0.64), DVec3::new(0.8, 0.0, -0.6));
        let point = DVec3::new(0.3, -0.2, 0.1);
        let other = t.cross(n);
        let (p, q) = (n * 0.7 + other * 0.2, other * 0.9 - n * 0.5);
        [point, point + p, point + q, point + (t * turn.cos() + n * turn.sin()) * 1.1]
    }

    #[test]
    fn derivatives_straight_bent_and_nearly_folded() {
        for (turn, tolerance) in [(0.0, 2e-9), (1e-9, 2e-9), (0.7, 4e-9), (2.2, 1e-7)] {
            let angle = SectionAngle::new([0, 1, 2, 3], 2.0).unwrap();
            check_element(&angle, bent(turn), tolerance);
            check_psd(&angle, bent(turn));
        }
    }

    /// The same as the angle to a point on the other side of the section.
    #[test]
    fn it_is_the_angle_to_the_normal() {
        let (section, angle) =
            (SectionAngle::new([0, 1, 2, 3], 3.0).unwrap(), Angle::new([0, 1, 2], 0.0, 3.0).unwrap());
        for turn in [0.0, 0.3, 1.5, 2.9] {
            let x = bent(turn);
            let behind = x[0] - DVec3::new(0.48, 0.6, 0.64);
            let (one, other) = (section.energy(x), angle.energy([x[0], behind, x[3]]));
            assert!((one - other).abs() <= 1e-12 * other + 1e-30, "{turn}: {one} {other}");
        }
    }

    #[test]
    fn what_has_no_direction_has_no_force() {
        let (angle, x) = (SectionAngle::new([0, 1, 2, 3], 2.0).unwrap(), bent(0.4));
        for x in [[x[0], x[1], x[1], x[3]], [x[0], x[1], x[2], x[0]], [x[0]; 4]] {
            assert_eq!(angle.force(x, [DVec3::ZERO; 4]).0, [DVec3::ZERO; 3]);
            assert_eq!(angle.jacobian(x, [DVec3::ZERO; 4], JacobianKind::Exact).0.largest(), 0.0);
        }
        assert!(SectionAngle::new([0, 1, 2, 3], 0.0).is_err());
    }
}
