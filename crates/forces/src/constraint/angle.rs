//! Keeps the angle between two edges that meet at a vertex: bending at a node of a rope.
//!
//! With `a = x₀ - x₁` (from the node before to the vertex) and `b = x₂ - x₀` (from the vertex to the node after) the turn of a polyline is
//! measured by the vector of [BergouRods] eq. 1,
//!
//! `κ = 2 a × b / (|a||b| + a·b)`, `|κ| = 2 tan(θ/2)`, θ the turning angle: 0 straight, π folded back,
//!
//! and `E = ½ k (|κ| - s₀)²` with `s₀ = 2 tan(θ₀/2)`: a spring of rest length s₀ in the space of κ. For small angles it is `½ k (θ - θ₀)²`;
//! unlike that, its force is smooth at a straight polyline, where θ has a kink, and it grows without bound towards a fold.
//!
//! With `D = ∂κ/∂x`, the moment `m = k (κ - s₀ κ̂)` and `B(w) = ∂²(w·κ)/∂x²`:
//!
//! `f = -Dᵀ m`, `∂f/∂x = -[ B(m) + k Dᵀ ((1 - s₀/|κ|) I + s₀/|κ| κ̂κ̂ᵀ) D ]`.
//!
//! The positive semi-definite kind leaves B out and keeps the part across κ̂ only where the angle is too large. Edges of zero length and folds have
//! no direction: no force. Where `s₀ > 0` the direction of bending of a straight polyline is undefined: no force either.
//!
//! There is no damping here. Three points have one angle as their only rigid invariant besides lengths, and the direction of its rate is
//! discontinuous where they are in line; the bending of a rope is damped by the springs to its wings ([`crate::rope`]).

use glam::{DMat3, DVec3};
use pliant_core::{Element, Elements, JacobianKind, Rates};
use pliant_scalar::math;

use super::relative::{RelativeBlocks, RelativeForce, undamped_methods};
use super::{BadConstraint, not_negative, positive};
use crate::cloth::algebra::{cross, outer, scalar};

/// `1 + cos θ` below which edges are folded, and |κ| below which a turn has no direction.
const NO_TURN: f64 = 1e-12;

/// The angle at one vertex.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Angle {
    /// Vertex, the node before it, the node after it.
    nodes: [u32; 3],
    /// s₀.
    rest: f64,
    /// k, J.
    stiffness: f64,
}

/// All angles of a body.
pub type Angles = Elements<Angle, 3>;

/// κ of a turn from a to b, whose lengths do not matter, and what its derivatives are made of.
pub(super) struct Turn {
    a: DVec3,
    b: DVec3,
    /// χ = |a||b| + a·b and its derivatives by a and b.
    chi: f64,
    chi_a: DVec3,
    chi_b: DVec3,
    pub(super) kappa: DVec3,
}

impl Turn {
    fn at(x: [DVec3; 3]) -> Option<Self> {
        Self::new(x[0] - x[1], x[2] - x[0])
    }

    /// `None` where one of them has no direction, or they are opposite.
    pub(super) fn new(a: DVec3, b: DVec3) -> Option<Self> {
        let (la, lb) = (a.length(), b.length());
        let chi = la * lb + a.dot(b);
        if !(la * lb > 0.0 && chi > NO_TURN * la * lb) {
            return None;
        }
        let kappa = a.cross(b) * (2.0 / chi);
        Some(Self { a, b, chi, chi_a: a * (lb / la) + b, chi_b: b * (la / lb) + a, kappa })
    }

    /// `∂κ/∂a` and `∂κ/∂b`. `δκ = [2 δa × b + 2 a × δb - κ δχ]/χ`.
    pub(super) fn derivative(&self) -> [DMat3; 2] {
        let by_a = (cross(self.b * -2.0) - outer(self.kappa, self.chi_a)) * self.chi.recip();
        let by_b = (cross(self.a * 2.0) - outer(self.kappa, self.chi_b)) * self.chi.recip();
        [by_a, by_b]
    }

    /// D by the node before, which is minus a from the vertex, and the node after.
    fn by_nodes(&self) -> [DMat3; 2] {
        let [by_a, by_b] = self.derivative();
        [-by_a, by_b]
    }

    /// `∂²(w·κ)/∂a²`, `∂a∂b` and `∂b²`: with `N = 2 w·(a × b)` the second derivatives of N/χ.
    pub(super) fn second(&self, w: DVec3) -> [DMat3; 3] {
        let Self { a, b, chi, chi_a, chi_b, kappa } = *self;
        let value = kappa.dot(w);
        let inverse = chi.recip();
        let (n_a, n_b) = (b.cross(w) * 2.0, w.cross(a) * 2.0);
        let (la, lb) = (a.length(), b.length());
        let (ua, ub) = (a / la, b / lb);
        // ∇²(N/χ) = [∇²N - ∇(N/χ) ∇χᵀ - ∇χ ∇(N/χ)ᵀ - (N/χ) ∇²χ]/χ
        let (v_a, v_b) = ((n_a - chi_a * value) * inverse, (n_b - chi_b * value) * inverse);
        let chi_aa = (scalar(1.0) - outer(ua, ua)) * (lb / la);
        let chi_bb = (scalar(1.0) - outer(ub, ub)) * (la / lb);
        let chi_ab = outer(ua, ub) + scalar(1.0);
        let pair = |v: DVec3, c: DVec3| outer(v, c) + outer(c, v);
        let aa = (pair(v_a, chi_a) + chi_aa * value) * -inverse;
        let bb = (pair(v_b, chi_b) + chi_bb * value) * -inverse;
        let ab = (cross(w * -2.0) - outer(v_a, chi_b) - outer(chi_a, v_b) - chi_ab * value) * inverse;
        [aa, ab, bb]
    }
}

impl Angle {
    /// An angle at the vertex `nodes[0]` between `nodes[1]` before and `nodes[2]` after it, of stiffness k (J) and a turning angle at rest:
    /// 0 straight, below π.
    pub fn new(nodes: [u32; 3], rest_turn: f64, stiffness: f64) -> Result<Self, BadConstraint> {
        positive("bending stiffness", stiffness)?;
        not_negative("turning angle at rest", rest_turn)?;
        if rest_turn >= std::f64::consts::PI - 1e-6 {
            return Err(BadConstraint::Degenerate { what: "angle: it is folded back", nodes: nodes.to_vec() });
        }
        Ok(Self { nodes, rest: 2.0 * math::tan(0.5 * rest_turn), stiffness })
    }

    /// The vertex.
    pub fn vertex(&self) -> u32 {
        self.nodes[0]
    }

    /// The turning angle, rad, of vertex, node before and node after; `None` where an edge has no length.
    pub fn turn(x: [DVec3; 3]) -> Option<f64> {
        let (a, b) = (x[0] - x[1], x[2] - x[0]);
        let lengths = a.length() * b.length();
        (lengths > 0.0).then(|| math::atan2(a.cross(b).length(), a.dot(b)))
    }

    /// κ̂, and `s₀/|κ|`; of a turn without direction the latter as if it were at rest: no force.
    fn direction(&self, kappa: DVec3) -> (DVec3, f64) {
        let size = kappa.length();
        if self.rest == 0.0 {
            (DVec3::ZERO, 0.0)
        } else if size <= NO_TURN {
            (DVec3::ZERO, 1.0)
        } else {
            (kappa / size, self.rest / size)
        }
    }

    /// `k (κ - s₀ κ̂)`.
    fn moment(&self, kappa: DVec3) -> DVec3 {
        kappa * (self.stiffness * (1.0 - self.direction(kappa).1))
    }
}

impl Element<3> for Angle {
    type Force = RelativeForce<2>;
    type Block = RelativeBlocks<2>;

    const NAME: &'static str = "angle-constraint";
    const INTERNAL: bool = true;

    fn nodes(&self) -> [u32; 3] {
        self.nodes
    }

    fn energy(&self, x: [DVec3; 3]) -> f64 {
        let size = Turn::at(x).map_or(self.rest, |turn| turn.kappa.length());
        0.5 * self.stiffness * (size - self.rest) * (size - self.rest)
    }

    #[inline]
    fn force(&self, x: [DVec3; 3], _v: [DVec3; 3]) -> RelativeForce<2> {
        let Some(turn) = Turn::at(x) else { return RelativeForce::default() };
        let moment = self.moment(turn.kappa);
        RelativeForce(turn.by_nodes().map(|d| d.mul_transpose_vec3(-moment)))
    }

    fn jacobian(&self, x: [DVec3; 3], _v: [DVec3; 3], kind: JacobianKind) -> (RelativeBlocks<2>, RelativeBlocks<2>) {
        let Some(turn) = Turn::at(x) else { return Default::default() };
        let d = turn.by_nodes();
        let (unit, ratio) = self.direction(turn.kappa);
        let across = if kind == JacobianKind::Psd { (1.0 - ratio).max(0.0) } else { 1.0 - ratio };
        let inner = (scalar(across) + outer(unit * (1.0 - across), unit)) * -self.stiffness;
        let mut stiffness = RelativeBlocks([0, 1].map(|a| [0, 1].map(|b| d[a].transpose() * inner * d[b]))).symmetric();
        if kind != JacobianKind::Psd && turn.kappa != DVec3::ZERO {
            let [aa, ab, bb] = turn.second(self.moment(turn.kappa));
            stiffness.add_scaled(-1.0, &RelativeBlocks([[aa, -ab], [-ab.transpose(), bb]]));
        }
        (stiffness, RelativeBlocks::default())
    }

    undamped_methods!(3);
}

#[cfg(test)]
mod tests {
    use super::super::checks::{check_element, check_psd};
    use super::*;

    /// Two edges that turn by an angle, in no special place.
    fn bent(turn: f64) -> [DVec3; 3] {
        let (t, n) = (DVec3::new(0.48, 0.6, 0.64), DVec3::new(0.8, 0.0, -0.6));
        let vertex = DVec3::new(0.3, -0.2, 0.1);
        [vertex, vertex - t * 0.9, vertex + (t * turn.cos() + n * turn.sin()) * 1.1]
    }

    #[test]
    fn derivatives_straight_bent_and_nearly_folded() {
        // near a fold, and near the line from a bend at rest, higher derivatives make differences less exact
        let easy = [(0.0, 0.0), (0.0, 1e-9), (0.0, 0.7), (0.6, 0.6), (0.6, 1.4)].map(|case| (case, 2e-9));
        let hard = [(0.0, 2.5), (0.6, 0.1)].map(|case| (case, 1e-7));
        for ((rest, turn), tolerance) in easy.into_iter().chain(hard) {
            let angle = Angle::new([0, 1, 2], rest, 2.0).unwrap();
            assert!((Angle::turn(bent(turn)).unwrap() - turn).abs() < 1e-15);
            check_element(&angle, bent(turn), tolerance);
            check_psd(&angle, bent(turn));
        }
    }

    #[test]
    fn small_turns_cost_what_a_linear_hinge_costs() {
        let angle = Angle::new([0, 1, 2], 0.5, 3.0).unwrap();
        for turn in [0.5 + 1e-4, 0.5 - 1e-4] {
            // ½ k (θ - θ₀)² (sec² θ₀/2)², the slope of 2 tan(θ/2)
            let slope = 1.0 / 0.25_f64.cos().powi(2);
            let expected = 1.5 * (slope * 1e-4_f64).powi(2);
            assert!((angle.energy(bent(turn)) / expected - 1.0).abs() < 1e-3);
        }
        let straight = Angle::new([0, 1, 2], 0.0, 3.0).unwrap();
        assert!((straight.energy(bent(1e-3)) / 1.5e-6 - 1.0).abs() < 1e-6);
        // and a fold is out of reach
        assert!(straight.energy(bent(std::f64::consts::PI - 1e-4)) > 1e8);
    }

    #[test]
    fn what_has_no_direction_has_no_force() {
        let still = bent(0.3);
        for rest in [0.0, 0.6] {
            let angle = Angle::new([0, 1, 2], rest, 2.0).unwrap();
            let x = bent(0.4);
            for x in [[x[0], x[0], x[2]], [x[0], x[1], x[0]], [x[0], x[1], x[1]], [x[0]; 3]] {
                assert_eq!(angle.force(x, still).0, [DVec3::ZERO; 2]);
                assert_eq!(angle.jacobian(x, still, JacobianKind::Exact).0.largest(), 0.0);
            }
        }
        // a straight polyline that is bent at rest has no direction of bending
        let bent_at_rest = Angle::new([0, 1, 2], 0.6, 2.0).unwrap();
        let x = [DVec3::ZERO, DVec3::NEG_X, DVec3::X];
        assert_eq!(bent_at_rest.force(x, [DVec3::ZERO; 3]).0, [DVec3::ZERO; 2]);
        check_psd(&bent_at_rest, x);
        assert!(Angle::new([0, 1, 2], std::f64::consts::PI, 1.0).is_err());
        assert!(Angle::new([0, 1, 2], -0.1, 1.0).is_err());
        assert!(Angle::new([0, 1, 2], 0.1, f64::NAN).is_err());
    }
}
