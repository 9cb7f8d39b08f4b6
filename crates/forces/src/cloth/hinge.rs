//! Bending by the angle θ between two triangles, [DiscreteShells]: `½ κ (θ - θ₀)²`, with κ of [`super::bending`].
//!
//! Corners: the edge from 0 to 1, the triangle (0, 1, 2) on one side and (1, 0, 3) on the other. θ is signed, by `atan2`, and zero when the
//! sheet is flat; it jumps by 2π where a sheet is folded through itself, so a rest angle near ±π is asking for trouble.
//!
//! With `e = x₁ - x₀`, `L = |e|`, `a = x₂ - x₀ = α ê + h m` (m the unit vector at right angles to the edge in the triangle's plane, h the
//! height), the unit normal n, and the same with b, α', h', m', n' on the other side, the derivatives of [TamstorfGrinspun] section 4
//! become, in `(e, a, b)`, with `s(p, q) = p qᵀ + q pᵀ`,
//!
//! `θ_a = -n/h`, `θ_b = -n'/h'`, `θ_e = α/(L h) n + α'/(L h') n'`,
//! `θ_aa = s(n, m)/h²`, `θ_ab = 0`, `θ_ae = ê nᵀ/(L h) - α s(n, m)/(L h²)`,
//! `θ_ee = [½ + α²/h²] s(n, m)/L² - α s(ê, n)/(L² h)` plus the same of the other side.
//!
//! As a quadratic form of a displacement, one side of `∇²θ` is `2 p_n p_m + 2 q_n p_e + q_n q_m` with `p = (δa - α/L δe)/h`, `q = δe/L` and
//! their components along n, m, ê. The positive semi-definite kind is `κ ∇θ ∇θᵀ` plus, for each product, its positive half
//! `2 p q ≤ ½ (p ± q)²`: a sum of squares, never below the exact derivative.
//!
//! Damping has one relaxation time τ, `κ (θ - θ₀ + τ θ̇)`; it vanishes in rigid motion. A hinge with a triangle of no area has no angle:
//! no force.

use glam::{DMat3, DVec3};
use pliant_core::{Element, Elements, JacobianKind, Rates};

use super::algebra::{norm, outer};
use super::bending::shape_factor;

/// Height over edge below which a triangle has no area.
const NO_HEIGHT: f64 = 1e-12;

/// One hinge.
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

/// Forces on corners 1, 2, 3; corner 0 feels the opposite of all.
#[derive(Clone, Copy, Debug, Default)]
pub struct HingeForce(pub [DVec3; 3]);

/// Blocks of corners 1, 2, 3 by rows; rows and columns add up to nothing, which gives those of corner 0.
#[derive(Clone, Copy, Debug)]
pub struct HingeBlock(pub [[DMat3; 3]; 3]);

impl Default for HingeBlock {
    /// Nothing; a matrix's own default is the identity.
    fn default() -> Self {
        Self([[DMat3::ZERO; 3]; 3])
    }
}

/// One of the two triangles.
#[derive(Clone, Copy)]
struct Side {
    /// In-plane normal of the edge, and normal of the triangle.
    m: DVec3,
    n: DVec3,
    /// `1/h` and `α/(L h)`.
    inverse_height: f64,
    foot: f64,
}

/// A hinge's angle and what its derivatives are made of.
struct Fold {
    angle: f64,
    /// ê and 1/L.
    e: DVec3,
    inverse_length: f64,
    sides: [Side; 2],
}

impl Fold {
    #[inline]
    fn new(x: [DVec3; 4]) -> Option<Self> {
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
        let (n, other) = (sides[0].n, sides[1].n);
        let angle = e.dot(n.cross(other)).atan2(n.dot(other));
        Some(Self { angle, e, inverse_length, sides })
    }

    /// `∂θ/∂(e, a, b)`.
    #[inline]
    fn gradient(&self) -> [DVec3; 3] {
        let [p, q] = &self.sides;
        [p.n * p.foot + q.n * q.foot, p.n * -p.inverse_height, q.n * -q.inverse_height]
    }

    /// `∂²θ/∂(e, a, b)²`.
    fn hessian(&self) -> HingeBlock {
        let mut out = HingeBlock::default();
        let over = self.inverse_length;
        for (k, side) in self.sides.iter().enumerate() {
            let Side { m, n, inverse_height: w, foot } = *side;
            let (nm, en) = (outer(n, m), outer(self.e, n));
            let (nm, s_en) = (nm + nm.transpose(), en + en.transpose());
            let row = k + 1;
            out.0[0][0] += nm * (0.5 * over * over + foot * foot) - s_en * (foot * over);
            out.0[row][row] = nm * (w * w);
            let mixed = en * (over * w) - nm * (foot * w);
            out.0[row][0] = mixed;
            out.0[0][row] = mixed.transpose();
        }
        out
    }

    /// The positive halves of the products that make up `sign ∇²θ`.
    fn positive_hessian(&self, sign: f64) -> HingeBlock {
        let mut out = HingeBlock::default();
        let over = self.inverse_length;
        for (k, side) in self.sides.iter().enumerate() {
            let Side { m, n, inverse_height: w, foot } = *side;
            // each a linear form of (δe, δa): p_n ± p_m, q_n ± p_e, q_n ± q_m
            let twist = n + m * sign;
            let forms = [
                (0.5, twist * -foot, twist * w),
                (0.5, n * over - self.e * (sign * foot), self.e * (sign * w)),
                (0.25, twist * over, DVec3::ZERO),
            ];
            for (weight, e, a) in forms {
                out.0[0][0] += outer(e, e) * weight;
                out.0[k + 1][k + 1] += outer(a, a) * weight;
                let mixed = outer(a, e) * weight;
                out.0[k + 1][0] += mixed;
                out.0[0][k + 1] += mixed.transpose();
            }
        }
        out
    }
}

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

impl HingeBlock {
    /// `-(a bᵀ + s H)`.
    fn minus(a: [DVec3; 3], b: [DVec3; 3], s: f64, h: &HingeBlock) -> Self {
        let mut out = *h;
        for (row, a) in out.0.iter_mut().zip(a) {
            for (block, b) in row.iter_mut().zip(b) {
                *block = -(outer(a, b) + *block * s);
            }
        }
        out
    }

    fn at(&self, a: usize, b: usize) -> DMat3 {
        let row = |a: usize| self.0[a][0] + self.0[a][1] + self.0[a][2];
        match (a, b) {
            (0, 0) => row(0) + row(1) + row(2),
            (0, b) => -(self.0[0][b - 1] + self.0[1][b - 1] + self.0[2][b - 1]),
            (a, 0) => -row(a - 1),
            (a, b) => self.0[a - 1][b - 1],
        }
    }

    /// Sums of the norms of a row's blocks over free columns.
    fn row_sum(&self, a: usize, free: [bool; 4]) -> f64 {
        (0..4).filter(|b| free[*b]).map(|b| norm(&self.at(a, b))).sum()
    }
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

    fn jacobian(&self, x: [DVec3; 4], v: [DVec3; 4], kind: JacobianKind) -> (HingeBlock, HingeBlock) {
        let Some(fold) = Fold::new(x) else { return Default::default() };
        let (moment, gradient) = self.moment(&fold, v);
        let k = self.stiffness;
        let stiff = gradient.map(|g| g * k);
        let stiffness = if kind == JacobianKind::Psd {
            HingeBlock::minus(gradient, stiff, moment.abs(), &fold.positive_hessian(moment.signum()))
        } else {
            let hessian = fold.hessian();
            let mut right = stiff;
            let mut turning = [DVec3::ZERO; 3];
            if self.damping_time != 0.0 {
                let w = Self::relative(v);
                for (turning, row) in turning.iter_mut().zip(&hessian.0) {
                    *turning = (row[0] * w[0] + row[1] * w[1] + row[2] * w[2]) * (k * self.damping_time);
                }
            }
            let exact = kind == JacobianKind::Exact;
            (0..3).for_each(|b| right[b] += turning[b] * if exact { 1.0 } else { 0.5 });
            let mut blocks = HingeBlock::minus(gradient, right, moment, &hessian);
            if !exact && self.damping_time != 0.0 {
                // the other half of the symmetric part
                let half = turning.map(|t| t * 0.5);
                for (row, half) in blocks.0.iter_mut().zip(half) {
                    (0..3).for_each(|b| row[b] -= outer(half, gradient[b]));
                }
            }
            blocks
        };
        if self.damping_time == 0.0 {
            return (stiffness, HingeBlock::default());
        }
        let viscous = gradient.map(|g| g * (k * self.damping_time));
        (stiffness, HingeBlock::minus(gradient, viscous, 0.0, &HingeBlock::default()))
    }

    #[inline]
    fn block(blocks: &HingeBlock, a: usize, b: usize) -> DMat3 {
        blocks.at(a, b)
    }

    fn rates(&self, x: [DVec3; 4], v: [DVec3; 4]) -> Rates {
        let (stiffness, damping) = self.jacobian(x, v, JacobianKind::Symmetric);
        let largest = |blocks: &HingeBlock| (0..4).map(|a| norm(&blocks.at(a, a))).fold(0.0, f64::max);
        Rates { stiffness: largest(&stiffness), damping: largest(&damping) }
    }

    /// Corners of a hinge feel it very differently: one close to the edge has a short arm.
    fn row_rates(&self, x: [DVec3; 4], v: [DVec3; 4], free: [bool; 4]) -> [Rates; 4] {
        let (stiffness, damping) = self.jacobian(x, v, JacobianKind::Symmetric);
        [0, 1, 2, 3].map(|a| Rates { stiffness: stiffness.row_sum(a, free), damping: damping.row_sum(a, free) })
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
            assert!(stiffness.0.iter().chain(&damping.0).flatten().all(|block| *block == DMat3::ZERO));
            assert_eq!(Hinge::new([0, 1, 2, 3], x, 1.0, 0.0), None);
        }
    }
}
