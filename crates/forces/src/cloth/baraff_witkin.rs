//! Stretch and shear of [BaraffWitkin] section 4: conditions on a triangle that are zero at rest,
//!
//! `C_u = |w_u| - 1`, `C_v = |w_v| - 1`, `C_s = w_u·w_v`; energy `½ A (k_u C_u² + k_v C_v² + k_s C_s²)`,
//!
//! each with a damping force `-A d Ċ ∂C/∂x` (eq. 11).
//!
//! Departures. The paper multiplies each condition by the area, so that the energy goes with its square and a sheet grows softer as its
//! mesh gets finer: four triangles in the place of one hold a quarter of the energy. Here the energy goes with the area, stiffness is in
//! N/m (Young's modulus times thickness), and refinement changes nothing. Its `b_u`, `b_v` (a sheet larger or smaller at rest) belong into
//! the rest shape. The derivative of the damping force keeps the unsymmetric term that eq. 12 drops; [`JacobianKind::Symmetric`] keeps its
//! symmetric part. Bending across edges is the angle of [`super::hinge`].
//!
//! The exact derivative of `k C_u ∂C_u/∂w_u` is `k [n nᵀ + (1 - 1/|w|) (I - n nᵀ)]`, `n = w_u/|w_u|`, a spring's; of the shear
//! `k_s (w_v w_vᵀ, …)` and `k_s C_s I` beside the diagonal. What may be negative is therefore `G ⊗ I` with the 2 × 2 matrix
//! `G = [[k_u (1 - 1/|w_u|), k_s C_s], [k_s C_s, k_v (1 - 1/|w_v|)]]`; the positive semi-definite kind takes G's positive part, where a
//! compressed direction counts as zero.

use glam::{DMat3, DVec3};
use pliant_core::{Element, Elements, JacobianKind, Rates};

use super::algebra::{outer, positive_part, scalar};
use super::rest::{GradientBlock, RestTriangle, TriangleBlock, TriangleForce, edge_stretch, rates_of};

/// Below this stretch a direction of the sheet has no direction in space.
const NO_LENGTH: f64 = 1e-12;

/// Stiffness and damping of the conditions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Conditions {
    /// Stretch along warp and weft, N/m.
    pub stretch: [f64; 2],
    /// Shear, N/m.
    pub shear: f64,
    /// Damping of stretch along warp and weft, N s/m.
    pub stretch_damping: [f64; 2],
    /// Damping of shear, N s/m.
    pub shear_damping: f64,
}

/// One triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConditionTriangle {
    nodes: [u32; 3],
    rest: RestTriangle,
    /// Stiffness and damping of u, v and shear, times the area.
    stiffness: [f64; 3],
    damping: [f64; 3],
}

/// All triangles of a sheet.
pub type BaraffWitkin = Elements<ConditionTriangle, 3>;

/// One direction of the sheet at a state.
struct Direction {
    n: DVec3,
    length: f64,
    /// `k C + d Ċ`, times the area.
    tension: f64,
}

impl ConditionTriangle {
    /// A triangle; `None` where a stiffness or damping is negative or not finite.
    pub fn new(nodes: [u32; 3], rest: RestTriangle, conditions: &Conditions) -> Option<Self> {
        let Conditions { stretch, shear, stretch_damping, shear_damping } = *conditions;
        let stiffness = [stretch[0], stretch[1], shear].map(|k| k * rest.area);
        let damping = [stretch_damping[0], stretch_damping[1], shear_damping].map(|d| d * rest.area);
        let good = stiffness.iter().chain(&damping).all(|k| *k >= 0.0 && k.is_finite());
        good.then_some(Self { nodes, rest, stiffness, damping })
    }

    #[inline]
    fn direction(&self, k: usize, w: DVec3, rate: DVec3) -> Option<Direction> {
        let length = w.length();
        if length <= NO_LENGTH {
            return None;
        }
        let n = w * length.recip();
        let mut tension = self.stiffness[k] * (length - 1.0);
        if self.damping[k] != 0.0 {
            tension += self.damping[k] * n.dot(rate);
        }
        Some(Direction { n, length, tension })
    }

    /// `∂C_s/∂t` over the area is `w_u'·w_v + w_u·w_v'`; this is `k C_s + d Ċ_s`.
    #[inline]
    fn shear_tension(&self, w: [DVec3; 2], rate: [DVec3; 2]) -> f64 {
        let elastic = self.stiffness[2] * w[0].dot(w[1]);
        if self.damping[2] == 0.0 {
            return elastic;
        }
        elastic + self.damping[2] * (rate[0].dot(w[1]) + w[0].dot(rate[1]))
    }

    /// `∂(tension n)/∂w` less what is returned beside it, a multiple of the identity.
    fn stretch_block(&self, k: usize, w: DVec3, rate: DVec3, kind: JacobianKind) -> (DMat3, f64) {
        let (stiffness, damping) = (self.stiffness[k], self.damping[k]);
        let Some(Direction { n, length, tension }) = self.direction(k, w, rate) else {
            // as a spring without length
            return (DMat3::ZERO, stiffness);
        };
        let mut across = stiffness * (1.0 - length.recip());
        if kind == JacobianKind::Psd {
            across = across.max(0.0);
        } else if damping != 0.0 {
            across = tension / length;
        }
        let mut along = outer(n, n) * (stiffness - across);
        if damping != 0.0 && kind != JacobianKind::Psd {
            let turning = outer(n, (rate - n * n.dot(rate)) * (damping / length));
            along += if kind == JacobianKind::Exact { turning } else { super::algebra::symmetric_part(turning) };
        }
        (along, across)
    }

    /// `∂C_s/∂[w_u w_v]` times `[p_u p_v]`: the part of the shear's derivative that is no multiple of the identity.
    fn shear_block([u, v]: [DVec3; 2], [p, q]: [DVec3; 2]) -> GradientBlock {
        GradientBlock { uu: outer(v, q), uv: outer(v, p), vu: outer(u, q), vv: outer(u, p) }
    }
}

impl Element<3> for ConditionTriangle {
    type Force = TriangleForce;
    type Block = TriangleBlock;

    const NAME: &'static str = "baraff-witkin";
    const INTERNAL: bool = true;

    fn nodes(&self) -> [u32; 3] {
        self.nodes
    }

    fn energy(&self, x: [DVec3; 3]) -> f64 {
        let [u, v] = self.rest.gradient(x);
        let conditions = [u.length() - 1.0, v.length() - 1.0, u.dot(v)];
        (0..3).map(|k| 0.5 * self.stiffness[k] * conditions[k] * conditions[k]).sum()
    }

    fn viscous_power(&self, x: [DVec3; 3], v: [DVec3; 3]) -> f64 {
        let (w, rate) = (self.rest.gradient(x), self.rest.gradient(v));
        let stretch = |k: usize| self.direction(k, w[k], rate[k]).map_or(0.0, |d| d.n.dot(rate[k]));
        let rates = [stretch(0), stretch(1), rate[0].dot(w[1]) + w[0].dot(rate[1])];
        (0..3).map(|k| -self.damping[k] * rates[k] * rates[k]).sum()
    }

    #[inline]
    fn force(&self, x: [DVec3; 3], v: [DVec3; 3]) -> TriangleForce {
        let w = self.rest.gradient(x);
        let rate = if self.is_damped() { self.rest.gradient(v) } else { [DVec3::ZERO; 2] };
        let stretch = |k: usize| self.direction(k, w[k], rate[k]).map_or(DVec3::ZERO, |d| d.n * d.tension);
        let shear = self.shear_tension(w, rate);
        self.rest.forces([stretch(0) + w[1] * shear, stretch(1) + w[0] * shear])
    }

    #[inline]
    fn force_on(force: &TriangleForce, a: usize) -> DVec3 {
        force.on(a)
    }

    fn jacobian(&self, x: [DVec3; 3], v: [DVec3; 3], kind: JacobianKind) -> (TriangleBlock, TriangleBlock) {
        let w = self.rest.gradient(x);
        let damped = self.is_damped();
        let psd = kind == JacobianKind::Psd;
        let rate = if damped { self.rest.gradient(v) } else { [DVec3::ZERO; 2] };
        let (uu, across_u) = self.stretch_block(0, w[0], rate[0], kind);
        let (vv, across_v) = self.stretch_block(1, w[1], rate[1], kind);
        let mut p = w.map(|w| w * self.stiffness[2]);
        if damped && !psd {
            (0..2).for_each(|k| p[k] += rate[k] * self.damping[2]);
        }
        let mut block = Self::shear_block(w, p);
        if damped && kind == JacobianKind::Symmetric {
            block = block.symmetric();
        }
        let still = [DVec3::ZERO; 2];
        let shear = self.shear_tension(w, if psd { still } else { rate });
        let identity = [across_u, shear, across_v];
        let [gu, gs, gv] = if psd { positive_part(identity) } else { identity };
        block.uu += uu + scalar(gu);
        block.uv += scalar(gs);
        block.vu += scalar(gs);
        block.vv += vv + scalar(gv);
        let stiffness = self.rest.blocks(&block);
        if !damped {
            return (stiffness, TriangleBlock::default());
        }
        let mut block = Self::shear_block(w, w.map(|w| w * self.damping[2]));
        let along =
            |k: usize| self.direction(k, w[k], rate[k]).map_or(DMat3::ZERO, |d| outer(d.n, d.n) * self.damping[k]);
        block.uu += along(0);
        block.vv += along(1);
        (stiffness, self.rest.blocks(&block))
    }

    #[inline]
    fn block(blocks: &TriangleBlock, a: usize, b: usize) -> DMat3 {
        blocks.at(a, b)
    }

    fn rates(&self, x: [DVec3; 3], v: [DVec3; 3]) -> Rates {
        rates_of(&self.jacobian(x, v, JacobianKind::Psd))
    }

    fn stretch(&self, from: [DVec3; 3], to: [DVec3; 3]) -> Option<f64> {
        Some(edge_stretch(from, to))
    }

    fn is_damped(&self) -> bool {
        self.damping != [0.0; 3]
    }

    fn is_symmetric(&self) -> bool {
        !self.is_damped()
    }
}
