//! Keeps the twist about a segment: `E = (k/2L) (u - u₀)²`, [Ropes] section 4, with u the angle about the segment from Rᵢ to Rⱼ that
//! turns the direction to the wing Qᵢ at one end into the direction to the wing Qⱼ at the other, and `u - u₀` wrapped to (-π, π].
//!
//! u is the dihedral angle of (Qᵢ, Rᵢ, Rⱼ, Qⱼ): that of a hinge (zero when flat, wings on opposite sides) shifted by π, so that its derivatives are
//! those of [`crate::cloth::fold`]. Departure from the paper: it turns Qⱼ alone, which conserves no momentum; the gradient of an energy acts on all
//! four and conserves momentum and angular momentum.
//!
//! k is the torsional stiffness GJ of the wing's share in N m², L the segment's length at rest. Twist of more than half a turn in one
//! segment is taken for less than half a turn the other way: use more segments. A wing in line with the segment has no direction: no
//! force. The positive semi-definite kind leaves `∇²u` out, as hinges do.

use glam::{DMat3, DVec3};
use pliant_core::{Element, Elements, JacobianKind, Rates};
use std::f64::consts::PI;

use super::relative::RelativeForce;
use super::{BadConstraint, not_negative, positive};
use crate::cloth::fold::{Fold, HingeBlock, fold_methods, mean_turning, wrapped};

/// Twist about one segment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Torsion {
    /// Rᵢ, Rⱼ, Qᵢ, Qⱼ.
    nodes: [u32; 4],
    /// u₀, rad.
    rest_twist: f64,
    /// k/L, J.
    stiffness: f64,
    /// τ, s.
    damping_time: f64,
}

/// All of a body.
pub type Torsions = Elements<Torsion, 4>;

impl Torsion {
    /// Twist about the segment from `nodes[0]` to `nodes[1]` with wings `nodes[2]` at the one and `nodes[3]` at the other, of stiffness
    /// k (N m²), length (m) and twist (rad) at rest.
    pub fn new(nodes: [u32; 4], length: f64, rest_twist: f64, stiffness: f64) -> Result<Self, BadConstraint> {
        positive("torsional stiffness", stiffness)?;
        positive("length of a segment", length)?;
        if !rest_twist.is_finite() {
            return Err(BadConstraint::Degenerate { what: "twist", nodes: nodes.to_vec() });
        }
        let rest_twist = wrapped(rest_twist);
        Ok(Self { nodes, rest_twist, stiffness: stiffness / length, damping_time: 0.0 })
    }

    /// The same, damped with a relaxation time, s.
    pub fn damped(self, damping_time: f64) -> Result<Self, BadConstraint> {
        not_negative("damping time", damping_time)?;
        Ok(Self { damping_time, ..self })
    }

    /// u of Rᵢ, Rⱼ, Qᵢ, Qⱼ, rad, in (-π, π]; `None` where a wing is in line with the segment.
    pub fn twist(x: [DVec3; 4]) -> Option<f64> {
        Fold::new(x).map(|fold| wrapped(fold.angle + PI))
    }

    /// `u - u₀`.
    fn turn(&self, fold: &Fold) -> f64 {
        wrapped(fold.angle + PI - self.rest_twist)
    }

    /// `k/L (u - u₀ + τ u̇)`, and ∇u.
    fn moment(&self, fold: &Fold, v: [DVec3; 4]) -> (f64, [DVec3; 3]) {
        let gradient = fold.gradient();
        let mut turn = self.turn(fold);
        if self.damping_time != 0.0 {
            turn += self.damping_time * rate(&gradient, v);
        }
        (self.stiffness * turn, gradient)
    }
}

/// u̇.
fn rate(gradient: &[DVec3; 3], v: [DVec3; 4]) -> f64 {
    super::relative::dot(gradient, &[v[1] - v[0], v[2] - v[0], v[3] - v[0]])
}

impl Element<4> for Torsion {
    type Force = RelativeForce<3>;
    type Block = HingeBlock;

    const NAME: &'static str = "torsion";
    const INTERNAL: bool = true;

    fn nodes(&self) -> [u32; 4] {
        self.nodes
    }

    fn energy(&self, x: [DVec3; 4]) -> f64 {
        let turn = Fold::new(x).map_or(0.0, |fold| self.turn(&fold));
        0.5 * self.stiffness * turn * turn
    }

    fn viscous_power(&self, x: [DVec3; 4], v: [DVec3; 4]) -> f64 {
        let rate = Fold::new(x).map_or(0.0, |fold| rate(&fold.gradient(), v));
        -self.stiffness * self.damping_time * rate * rate
    }

    #[inline]
    fn force(&self, x: [DVec3; 4], v: [DVec3; 4]) -> RelativeForce<3> {
        let Some(fold) = Fold::new(x) else { return RelativeForce::default() };
        let (moment, gradient) = self.moment(&fold, v);
        RelativeForce(gradient.map(|g| g * -moment))
    }

    #[inline]
    fn force_on(force: &RelativeForce<3>, a: usize) -> DVec3 {
        force.on(a)
    }

    fold_methods!();
}

#[cfg(test)]
mod tests {
    use super::super::checks::{check_element, check_psd};
    use super::*;
    use glam::DQuat;

    /// A segment along z, wings at angles 0 and u, not at right angles to it.
    fn twisted(u: f64) -> [DVec3; 4] {
        let end = DVec3::new(0.0, 0.0, 1.3);
        let wing = DVec3::new(1.2 * u.cos(), 1.2 * u.sin(), 0.2);
        [DVec3::ZERO, end, DVec3::new(0.9, 0.0, -0.3), end + wing]
    }

    #[test]
    fn twist_is_the_angle_about_the_segment() {
        for u in [-3.1, -1.0, 0.0, 1e-9, 0.4, 2.0, 3.0] {
            let x = twisted(u);
            assert!((Torsion::twist(x).unwrap() - u).abs() < 1e-14, "{u}");
            // atan2(a·(wₐ × w_b), wₐ·w_b) of the projected wings
            let (wa, wb, axis) = (x[2] - x[0], x[3] - x[1], DVec3::Z);
            let (wa, wb) = (wa - axis * wa.z, wb - axis * wb.z);
            let plain = axis.dot(wa.cross(wb)).atan2(wa.dot(wb));
            assert!((plain - u).abs() < 1e-14);
        }
    }

    /// The gradient in the form of the notes: F = Qᵢ - Rᵢ, G = Rᵢ - Rⱼ, H = Qⱼ - Rⱼ, A = F × G, B = H × G.
    #[test]
    fn the_gradient_is_that_of_the_dihedral() {
        let x = twisted(0.8);
        let torsion = Torsion::new([0, 1, 2, 3], 1.0, 0.0, 1.0).unwrap();
        let force = torsion.force(x, [DVec3::ZERO; 4]);
        let (f, g, h) = (x[2] - x[0], x[0] - x[1], x[3] - x[1]);
        let (a, b, length) = (f.cross(g), h.cross(g), g.length());
        let (aa, bb) = (a / a.length_squared(), b / b.length_squared());
        let ri = aa * length + aa * (f.dot(g) / length) - bb * (h.dot(g) / length);
        let rj = bb * (h.dot(g) / length) - aa * (f.dot(g) / length) - bb * length;
        for (node, gradient) in [ri, rj, aa * -length, bb * length].into_iter().enumerate() {
            assert!((force.on(node) + gradient * 0.8).length() < 1e-14, "{node}");
        }
    }

    #[test]
    fn derivatives_at_rest_twisted_and_past_half_a_turn() {
        for (rest, u) in [(0.0, 0.0), (0.0, 1.0), (0.5, -1.2), (3.0, -3.0), (0.0, 3.1)] {
            for tau in [0.0, 0.2] {
                let torsion = Torsion::new([0, 1, 2, 3], 1.3, rest, 2.0).unwrap().damped(tau).unwrap();
                check_element(&torsion, twisted(u), 1e-9);
                check_psd(&torsion, twisted(u));
                let turn = wrapped(u - rest);
                let energy = torsion.energy(twisted(u));
                assert!((energy - 0.5 * 2.0 / 1.3 * turn * turn).abs() < 1e-13, "{energy}");
            }
        }
        assert!((wrapped(6.0) - (6.0 - 2.0 * PI)).abs() < 1e-15 && wrapped(-PI) == PI && wrapped(PI) == PI);
    }

    /// Both wings turn almost to the other side, and the twist hardly changes: halfway they are near the axis, where their rates are arbitrary.
    #[test]
    fn the_mean_of_a_long_way_is_damped_by_what_changed() {
        let torsion = Torsion::new([0, 1, 2, 3], 1.0, 0.0, 2.0).unwrap().damped(0.5).unwrap();
        let turned = |u: f64, by: f64| twisted(u).map(|x| DQuat::from_rotation_z(by) * x);
        let (from, to, span) = (turned(0.2, 0.0), turned(0.3, 2.9), 0.01);
        let x = std::array::from_fn(|a| from[a].midpoint(to[a]));
        let v = std::array::from_fn(|a| (to[a] - from[a]) / span);
        let (mean, halfway) = (torsion.mean_viscous_power(x, v, span), torsion.viscous_power(x, v));
        assert!((mean + 2.0 * 0.5 * (0.1_f64 / span).powi(2)).abs() < 1e-9 * mean.abs(), "{mean}");
        assert!(halfway < 5.0 * mean, "{halfway} W says nothing");
    }

    #[test]
    fn wings_in_line_with_the_segment_have_no_force() {
        let torsion = Torsion::new([0, 1, 2, 3], 1.0, 0.3, 1.0).unwrap();
        let x = twisted(1.0);
        for x in [[x[0], x[1], x[1] * 2.0, x[3]], [x[0], x[0], x[2], x[3]], [x[0], x[1], x[0], x[3]]] {
            assert_eq!(torsion.energy(x), 0.0);
            assert_eq!(torsion.force(x, x).0, [DVec3::ZERO; 3]);
            assert_eq!(Torsion::twist(x), None);
        }
        for (length, twist, stiffness) in [(0.0, 0.0, 1.0), (1.0, f64::NAN, 1.0), (1.0, 0.0, -1.0)] {
            assert!(Torsion::new([0, 1, 2, 3], length, twist, stiffness).is_err());
        }
    }
}
