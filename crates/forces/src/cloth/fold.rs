//! The angle of a hinge and its derivatives, in the form in which [`super::hinge`] keeps them.
//!
//! Corners: the edge from 0 to 1, the triangle (0, 1, 2) on one side and (1, 0, 3) on the other. With `e = x₁ - x₀`, `L = |e|`,
//! `x₂ - x₀ = α ê + h m` (m the unit vector at right angles to the edge in the triangle's plane, h the height) and the unit normal n, the
//! derivatives of [TamstorfGrinspun] come down to two linear forms of a displacement δ, one pair for each side,
//!
//! `p = (δ₂ - δ₀)/h - α/(L h) (δ₁ - δ₀) = Σ P_a δ_a`, `q = (δ₁ - δ₀)/L = Σ Q_a δ_a`,
//!
//! and to their components along n, m and ê: `∇θ·δ = -p_n`, `δ·∇²θ δ = 2 p_n p_m + 2 q_n p_e + q_n q_m`, summed over both sides. (One side's
//! `q_n q_m` stands for `q n mᵀ q`, which is symmetric only together with the other side's; here it is made so at once.) The blocks are
//!
//! `∂²θ/∂x_a∂x_b = (P_a P_b + ½ Q_a Q_b) (n mᵀ + m nᵀ) + Q_a P_b n êᵀ + P_a Q_b ê nᵀ`.
//!
//! The projected matrix leaves `∇²θ` out. A bound of it from above, a sum of squares, was tried: on paper that twists it took 1.3 times the solves,
//! on paper that falls on a ball 1.4 times, because the added definiteness also shortens the steps.

use std::f64::consts::PI;

use glam::{DMat3, DVec3};
use pliant_core::{JacobianKind, Rates};
use pliant_scalar::math;

use super::algebra::{norm, outer};

/// Height over edge below which a triangle has no area.
pub(super) const NO_HEIGHT: f64 = 1e-12;

/// One of the two triangles.
#[derive(Clone, Copy, Debug, Default)]
struct Side {
    /// In-plane normal of the edge, and normal of the triangle.
    m: DVec3,
    n: DVec3,
    /// `1/h` and `α/(L h)`.
    inverse_height: f64,
    foot: f64,
}

impl Side {
    /// `P_a` of side `k`: corners 0, 1 and its own; nothing of the other side's.
    #[inline]
    fn weight(&self, k: usize, a: usize) -> f64 {
        match a {
            0 => self.foot - self.inverse_height,
            1 => -self.foot,
            _ if a == k + 2 => self.inverse_height,
            _ => 0.0,
        }
    }
}

/// An angle, rad, in (-π, π].
pub fn wrapped(angle: f64) -> f64 {
    let turns = (angle / (2.0 * PI)).round();
    let rest = angle - turns * 2.0 * PI;
    if rest <= -PI {
        rest + 2.0 * PI
    } else if rest > PI {
        rest - 2.0 * PI
    } else {
        rest
    }
}

/// Mean θ̇ over a straight path of `span` seconds with a given midpoint, by the smaller turn; 0 where it begins or ends without an angle. At the
/// midpoint itself, with all corners halfway, a wing that turned by half a turn lies on its own axis.
pub fn mean_turning(x: [DVec3; 4], v: [DVec3; 4], span: f64) -> f64 {
    let end = |part: f64| Fold::new(std::array::from_fn(|a| x[a] + v[a] * (part * span)));
    match (end(-0.5), end(0.5)) {
        (Some(from), Some(to)) => wrapped(to.angle - from.angle) / span,
        _ => 0.0,
    }
}

/// A hinge's angle and what its derivatives are made of.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fold {
    /// θ, rad.
    pub angle: f64,
    /// ê and 1/L.
    e: DVec3,
    inverse_length: f64,
    sides: [Side; 2],
}

impl Fold {
    /// At positions; `None` where a triangle has no area.
    #[inline]
    pub fn new(x: [DVec3; 4]) -> Option<Self> {
        let fold = Self::without_angle(x)?;
        let (n, other) = (fold.sides[0].n, fold.sides[1].n);
        let angle = math::atan2(fold.e.dot(n.cross(other)), n.dot(other));
        Some(Self { angle, ..fold })
    }

    /// The same with an angle of 0: enough for [`Fold::gradient`].
    #[inline]
    pub fn without_angle(x: [DVec3; 4]) -> Option<Self> {
        let edge = x[1] - x[0];
        let length = edge.length();
        let inverse_length = length.recip();
        let e = edge * inverse_length;
        let side = |corner: DVec3, sign: f64| {
            let arm = corner - x[0];
            let along = arm.dot(e);
            let across = arm - e * along;
            let height = across.length();
            if !(height > NO_HEIGHT * length && length > 0.0) {
                return None;
            }
            let inverse_height = height.recip();
            let m = across * inverse_height;
            Some(Side { m, n: e.cross(m) * sign, inverse_height, foot: along * inverse_length * inverse_height })
        };
        let sides = [side(x[2], 1.0)?, side(x[3], -1.0)?];
        Some(Self { angle: 0.0, e, inverse_length, sides })
    }

    /// Whether this is the default, used where the angle does not exist.
    pub(super) fn is_none(&self) -> bool {
        self.inverse_length == 0.0
    }

    /// `∂θ/∂x_a`, a = 1, 2, 3; that of corner 0 is minus their sum.
    #[inline]
    pub fn gradient(&self) -> [DVec3; 3] {
        let [p, q] = &self.sides;
        [p.n * p.foot + q.n * q.foot, p.n * -p.inverse_height, q.n * -q.inverse_height]
    }

    #[inline]
    fn gradient_at(&self, a: usize) -> DVec3 {
        let [p, q] = &self.sides;
        p.n * -p.weight(0, a) - q.n * q.weight(1, a)
    }

    /// `Q_a`.
    #[inline]
    fn edge_weight(&self, a: usize) -> f64 {
        match a {
            0 => -self.inverse_length,
            1 => self.inverse_length,
            _ => 0.0,
        }
    }

    /// `∇²θ v` at corners 1, 2, 3.
    pub fn turning(&self, v: [DVec3; 4]) -> [DVec3; 3] {
        let q = (v[1] - v[0]) * self.inverse_length;
        let mut out = [DVec3::ZERO; 3];
        for (k, side) in self.sides.iter().enumerate() {
            let Side { m, n, inverse_height, foot } = *side;
            let p = (v[k + 2] - v[0]) * inverse_height - (v[1] - v[0]) * foot;
            // half of the derivative of the quadratic form in p and in q
            let by_p = n * p.dot(m) + m * p.dot(n) + self.e * q.dot(n);
            let by_q = n * p.dot(self.e) + (n * q.dot(m) + m * q.dot(n)) * 0.5;
            out[0] += by_q * self.inverse_length - by_p * foot;
            out[k + 1] += by_p * inverse_height;
        }
        out
    }

    /// `∂²θ/∂x_a∂x_b` of corner a with all four.
    pub(super) fn turnings_at(&self, a: usize) -> [DMat3; 4] {
        let mut sums = [DMat3::ZERO; 4];
        let qa = self.edge_weight(a);
        for (k, side) in self.sides.iter().enumerate() {
            let other = 3 - k;
            if a == other {
                continue;
            }
            let Side { m, n, .. } = *side;
            let pa = side.weight(k, a);
            let nm = outer(n, m);
            let both = nm + nm.transpose();
            for (b, sum) in sums.iter_mut().enumerate().filter(|(b, _)| *b != other) {
                let (pb, qb) = (side.weight(k, b), self.edge_weight(b));
                *sum += both * (pa * pb + 0.5 * qa * qb);
                *sum += outer(n, self.e * (qa * pb)) + outer(self.e, n * (pa * qb));
            }
        }
        sums
    }
}

/// All blocks of `-(κ ∇θ ∇θᵀ + ∇θ rᵀ + l ∇θᵀ + c ∇²θ)`, kept as what they are computed from: a third of the memory of the blocks.
#[derive(Clone, Copy, Debug, Default)]
pub struct HingeBlock {
    /// The hinge.
    pub fold: Fold,
    /// κ, J.
    pub stiffness: f64,
    /// Factor of `∇²θ`.
    pub curvature: f64,
    /// r at corners 1, 2, 3.
    pub right: [DVec3; 3],
    /// How much of r is on the left as well: l = share r.
    pub left: f64,
}

impl HingeBlock {
    /// Derivatives by position and by velocity of the force `-κ (θ - θ₀ + τ θ̇) ∇θ` of a hinge of stiffness κ, whose moment is
    /// `κ (θ - θ₀ + τ θ̇)`.
    pub fn of_spring(
        fold: Fold,
        stiffness: f64,
        moment: f64,
        damping_time: f64,
        v: [DVec3; 4],
        kind: JacobianKind,
    ) -> (Self, Self) {
        let mut by_position = Self { fold, stiffness, ..Self::default() };
        by_position.curvature = if kind == JacobianKind::Psd { 0.0 } else { moment };
        if damping_time == 0.0 {
            return (by_position, Self::default());
        }
        if kind != JacobianKind::Psd {
            let (share, left) = if kind == JacobianKind::Exact { (1.0, 0.0) } else { (0.5, 1.0) };
            by_position.right = fold.turning(v).map(|t| t * (share * stiffness * damping_time));
            by_position.left = left;
        }
        (by_position, Self { fold, stiffness: stiffness * damping_time, ..Self::default() })
    }

    fn right_at(&self, a: usize) -> DVec3 {
        let [e, p, q] = self.right;
        if a == 0 { -(e + p + q) } else { self.right[a - 1] }
    }

    /// The largest rates of derivatives by position and by velocity.
    pub fn rates((stiffness, damping): (Self, Self)) -> Rates {
        let largest = |blocks: &Self| (0..4).map(|a| norm(&blocks.row(a)[a])).fold(0.0, f64::max);
        Rates { stiffness: largest(&stiffness), damping: largest(&damping) }
    }

    /// The same by corner. Row sums differ widely: a corner close to the edge has a short arm.
    pub fn row_rates((stiffness, damping): (Self, Self), free: [bool; 4]) -> [Rates; 4] {
        [0, 1, 2, 3].map(|a| Rates { stiffness: stiffness.row_sum(a, free), damping: damping.row_sum(a, free) })
    }

    /// The blocks of one corner with all four.
    #[inline]
    pub fn row(&self, a: usize) -> [DMat3; 4] {
        let fold = &self.fold;
        let gradients: [DVec3; 4] = std::array::from_fn(|b| fold.gradient_at(b));
        let g = gradients[a] * -self.stiffness;
        let mut row = gradients.map(|h| outer(g, h));
        if self.right != [DVec3::ZERO; 3] {
            let right = self.right_at(a) * self.left;
            for (b, block) in row.iter_mut().enumerate() {
                *block -= outer(gradients[a], self.right_at(b)) + outer(right, gradients[b]);
            }
        }
        if self.curvature != 0.0 {
            for (block, turning) in row.iter_mut().zip(fold.turnings_at(a)) {
                *block -= turning * self.curvature;
            }
        }
        row
    }

    /// Adds the blocks of a corner with all four to their places.
    #[inline]
    pub fn add_row(&self, a: usize, places: [usize; 4], values: &mut [DMat3]) {
        for (place, block) in places.into_iter().zip(self.row(a)) {
            values[place] += block;
        }
    }

    /// Sum of the norms of a row's blocks over free columns.
    pub fn row_sum(&self, a: usize, free: [bool; 4]) -> f64 {
        self.row(a).iter().zip(free).filter(|(_, free)| *free).map(|(block, _)| norm(block)).sum()
    }
}

/// The methods of a [`pliant_core::Element`] that follow from `moment` of a [`Fold`], `stiffness` and `damping_time`.
macro_rules! fold_methods {
    () => {
        fn mean_viscous_power(&self, x: [DVec3; 4], v: [DVec3; 4], span: f64) -> f64 {
            let rate = mean_turning(x, v, span);
            -self.stiffness * self.damping_time * rate * rate
        }

        fn jacobian(&self, x: [DVec3; 4], v: [DVec3; 4], kind: JacobianKind) -> (HingeBlock, HingeBlock) {
            let Some(fold) = Fold::new(x) else { return Default::default() };
            HingeBlock::of_spring(fold, self.stiffness, self.moment(&fold, v).0, self.damping_time, v, kind)
        }

        #[inline]
        fn block(blocks: &HingeBlock, a: usize, b: usize) -> DMat3 {
            blocks.row(a)[b]
        }

        #[inline]
        fn add_row(blocks: &HingeBlock, a: usize, places: [usize; 4], values: &mut [DMat3]) {
            blocks.add_row(a, places, values);
        }

        fn rates(&self, x: [DVec3; 4], v: [DVec3; 4]) -> Rates {
            HingeBlock::rates(self.jacobian(x, v, JacobianKind::Symmetric))
        }

        fn row_rates(&self, x: [DVec3; 4], v: [DVec3; 4], free: [bool; 4]) -> [Rates; 4] {
            HingeBlock::row_rates(self.jacobian(x, v, JacobianKind::Symmetric), free)
        }

        fn stretch(&self, _from: [DVec3; 4], _to: [DVec3; 4]) -> Option<f64> {
            None
        }

        fn is_damped(&self) -> bool {
            self.damping_time != 0.0
        }

        fn is_symmetric(&self) -> bool {
            self.damping_time == 0.0
        }
    };
}
pub(crate) use fold_methods;
