//! A membrane of St. Venant-Kirchhoff material in plane stress, orthotropic: a sheet with a warp and a weft.
//!
//! `E = ½ (FᵀF - I)`, `W = A t ½ E:C:E`, `S = C:E`, `P = F S`: constant over a triangle with its first-order hat functions
//! [SifakisBarbic] section 3.3. In (u, v) = (warp, weft), with `γ = 2 E_uv`,
//!
//! `S_uu = C11 E_uu + C12 E_vv`, `S_vv = C12 E_uu + C22 E_vv`, `S_uv = G γ`,
//! `C11 = E1/(1 - ν12 ν21)`, `C22 = E2/(1 - ν12 ν21)`, `C12 = ν12 C22`, `ν21 = ν12 E2/E1` (plane stress).
//!
//! Damping is of Kelvin-Voigt type, `S = C:(E + τ Ė)`, with one relaxation time τ: zero in rigid motion, and its power is
//! `-A t τ Ė:C:Ė`. With `p = w + τ ẇ` the exact derivative is `∂P_u/∂w_u = S_uu I + C11 w_u p_uᵀ + G w_v p_vᵀ` and so on, unsymmetric
//! where `ẇ` is not zero.
//!
//! The positive semi-definite kind takes `p = w`, which makes the material part `Fᵀ`-conjugate to C and so non-negative, and replaces S
//! in the geometric part `S ⊗ I` by its positive part (a 2 × 2 eigenproblem): compressed directions lose their negative stiffness, as in
//! [TeranQuasistatic] but without an eigenproblem of size 6. Under compression to `F = 0` the material has no force: St.
//! Venant-Kirchhoff material softens when it is crushed, which a sheet avoids by buckling.

use glam::{DMat3, DVec3};
use pliant_core::element::gather;
use pliant_core::{Element, Elements, JacobianKind, Merged, Rates, View};

use super::algebra::{outer, positive_part, scalar};
use super::lanes::WORTHWHILE;
use super::rest::{GradientBlock, RestTriangle, TriangleBlock, TriangleForce, edge_stretch, rates_of};
use super::stvk_lanes;

/// Elasticity of a sheet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Orthotropic {
    /// Young's moduli along warp and weft, Pa.
    pub young: [f64; 2],
    /// Contraction along the weft by a pull along the warp.
    pub poisson: f64,
    /// Shear modulus, Pa.
    pub shear: f64,
    /// m
    pub thickness: f64,
    /// Relaxation time τ of the damping, s.
    pub damping_time: f64,
}

impl Orthotropic {
    /// The same in all directions: `G = E / 2(1 + ν)`.
    pub fn isotropic(young: f64, poisson: f64, thickness: f64) -> Self {
        Self { young: [young; 2], poisson, shear: young / (2.0 * (1.0 + poisson)), thickness, damping_time: 0.0 }
    }

    /// With damping of relaxation time τ, s.
    pub fn damped(self, damping_time: f64) -> Self {
        Self { damping_time, ..self }
    }

    /// `C11, C12, C22, G` times thickness, N/m. `None` where the energy would not be positive: moduli that are not, or
    /// `ν² ≥ E_warp / E_weft`.
    pub fn plane_stress(&self) -> Option<[f64; 4]> {
        let [warp, weft] = self.young;
        let free = 1.0 - self.poisson * self.poisson * weft / warp;
        let positive = |value: f64| value > 0.0 && value.is_finite();
        if !(positive(warp) && positive(weft) && positive(self.shear) && positive(self.thickness) && free > 0.0) {
            return None;
        }
        Some([warp / free, self.poisson * weft / free, weft / free, self.shear].map(|c| c * self.thickness))
    }
}

/// One triangle of a membrane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StvkTriangle {
    pub(super) nodes: [u32; 3],
    pub(super) rest: RestTriangle,
    /// `C11, C12, C22, G` times the triangle's area and thickness, J.
    pub(super) moduli: [f64; 4],
    pub(super) damping_time: f64,
}

/// All triangles of a membrane.
pub type StvkMembrane = Elements<StvkTriangle, 3>;

impl StvkTriangle {
    /// A triangle of a material; `None` where [`Orthotropic::plane_stress`] is none or the damping is negative.
    pub fn new(nodes: [u32; 3], rest: RestTriangle, material: &Orthotropic) -> Option<Self> {
        let moduli = material.plane_stress()?.map(|c| c * rest.area);
        let damping_time = material.damping_time;
        (damping_time >= 0.0 && damping_time.is_finite()).then_some(Self { nodes, rest, moduli, damping_time })
    }

    /// `E_uu, E_vv, γ`.
    #[inline]
    fn strain([u, v]: [DVec3; 2]) -> [f64; 3] {
        [0.5 * (u.length_squared() - 1.0), 0.5 * (v.length_squared() - 1.0), u.dot(v)]
    }

    /// `Ė_uu, Ė_vv, γ̇`.
    #[inline]
    fn strain_rate([u, v]: [DVec3; 2], [du, dv]: [DVec3; 2]) -> [f64; 3] {
        [u.dot(du), v.dot(dv), du.dot(v) + u.dot(dv)]
    }

    /// `S_uu, S_uv, S_vv` of a strain, times area and thickness.
    #[inline]
    fn stress(&self, [uu, vv, shear]: [f64; 3]) -> [f64; 3] {
        let [c11, c12, c22, g] = self.moduli;
        [c11 * uu + c12 * vv, g * shear, c12 * uu + c22 * vv]
    }

    /// Elastic and viscous stress.
    #[inline]
    fn total_stress(&self, w: [DVec3; 2], v: [DVec3; 3]) -> [f64; 3] {
        let mut strain = Self::strain(w);
        if self.damping_time != 0.0 {
            let rate = Self::strain_rate(w, self.rest.gradient(v));
            (0..3).for_each(|k| strain[k] += self.damping_time * rate[k]);
        }
        self.stress(strain)
    }

    /// The material part of the derivative, `S` changing with `F` along `p`.
    #[inline]
    fn material(&self, [u, v]: [DVec3; 2], [p, q]: [DVec3; 2]) -> GradientBlock {
        let [c11, c12, c22, g] = self.moduli;
        GradientBlock {
            uu: outer(u, p) * c11 + outer(v, q) * g,
            uv: outer(u, q) * c12 + outer(v, p) * g,
            vu: outer(v, p) * c12 + outer(u, q) * g,
            vv: outer(v, q) * c22 + outer(u, p) * g,
        }
    }
}

impl StvkTriangle {
    /// `∂f/∂x + c ∂f/∂v`.
    pub(super) fn merged(&self, view: &View, kind: JacobianKind, at: Merged) -> TriangleBlock {
        let (w, v) = (self.rest.gradient(gather(self.nodes, view.x)), gather(self.nodes, view.v));
        let (is_psd, damped) = (kind == JacobianKind::Psd, self.damping_time * at.rate);
        let mut stress = self.total_stress(w, v);
        let mut block = self.material(w, w);
        if is_psd || self.damping_time == 0.0 {
            block = block.scaled(1.0 + damped);
        } else {
            let rate = self.rest.gradient(v);
            let of_rate = self.material(w, std::array::from_fn(|k| rate[k] * self.damping_time));
            let of_rate = if kind == JacobianKind::Symmetric { of_rate.symmetric() } else { of_rate };
            block = block.scaled(1.0 + damped).plus(&of_rate);
        }
        if !at.correction.is_empty() && is_psd {
            // `½ dFᵀ dF` of strain and `dFᵀ dF/γ` of its rate
            let [u, v] = self.rest.gradient(gather(self.nodes, at.correction));
            let second = [u.length_squared(), v.length_squared(), 2.0 * u.dot(v)].map(|s| s * (0.5 + damped));
            let excess = self.stress(second);
            (0..3).for_each(|k| stress[k] -= excess[k]);
        }
        let [uu, uv, vv] = if is_psd { positive_part(stress) } else { stress };
        block.uu += scalar(uu);
        block.uv += scalar(uv);
        block.vu += scalar(uv);
        block.vv += scalar(vv);
        self.rest.blocks(&block)
    }
}

impl Element<3> for StvkTriangle {
    type Force = TriangleForce;
    type Block = TriangleBlock;

    const NAME: &'static str = "stvk-membrane";
    const INTERNAL: bool = true;
    const MERGES: bool = true;

    fn nodes(&self) -> [u32; 3] {
        self.nodes
    }

    fn energy(&self, x: [DVec3; 3]) -> f64 {
        let strain = Self::strain(self.rest.gradient(x));
        let [uu, shear, vv] = self.stress(strain);
        0.5 * (uu * strain[0] + vv * strain[1] + shear * strain[2])
    }

    fn viscous_power(&self, x: [DVec3; 3], v: [DVec3; 3]) -> f64 {
        let rate = Self::strain_rate(self.rest.gradient(x), self.rest.gradient(v));
        let [uu, shear, vv] = self.stress(rate);
        -self.damping_time * (uu * rate[0] + vv * rate[1] + shear * rate[2])
    }

    #[inline]
    fn force(&self, x: [DVec3; 3], v: [DVec3; 3]) -> TriangleForce {
        let w = self.rest.gradient(x);
        let [uu, uv, vv] = self.total_stress(w, v);
        self.rest.forces([w[0] * uu + w[1] * uv, w[0] * uv + w[1] * vv])
    }

    fn write_forces(elements: &[Self], view: &View, out: &mut [TriangleForce]) {
        if elements.len() >= WORTHWHILE {
            return stvk_lanes::write_forces(elements, view, out);
        }
        for (element, force) in elements.iter().zip(out) {
            *force = element.force(gather(element.nodes, view.x), gather(element.nodes, view.v));
        }
    }

    #[inline]
    fn force_on(force: &TriangleForce, a: usize) -> DVec3 {
        force.on(a)
    }

    fn jacobian(&self, x: [DVec3; 3], v: [DVec3; 3], kind: JacobianKind) -> (TriangleBlock, TriangleBlock) {
        let w = self.rest.gradient(x);
        let (psd, damped) = (kind == JacobianKind::Psd, self.damping_time != 0.0);
        let mut p = w;
        if damped && !psd {
            let rate = self.rest.gradient(v);
            (0..2).for_each(|k| p[k] += rate[k] * self.damping_time);
        }
        let mut block = self.material(w, p);
        if damped && kind == JacobianKind::Symmetric {
            block = block.symmetric();
        }
        let stress = self.total_stress(w, v);
        let [uu, uv, vv] = if psd { positive_part(stress) } else { stress };
        block.uu += scalar(uu);
        block.uv += scalar(uv);
        block.vu += scalar(uv);
        block.vv += scalar(vv);
        let stiffness = self.rest.blocks(&block);
        if !damped {
            return (stiffness, TriangleBlock::default());
        }
        let damping = self.rest.blocks(&self.material(w, w));
        (stiffness, TriangleBlock(damping.0.map(|block| block * self.damping_time)))
    }

    fn write_merged(elements: &[Self], view: &View, kind: JacobianKind, at: Merged, out: &mut [TriangleBlock]) {
        if kind == JacobianKind::Psd && elements.len() >= WORTHWHILE {
            return stvk_lanes::write_psd(elements, view, at, out);
        }
        for (element, out) in elements.iter().zip(out) {
            *out = element.merged(view, kind, at);
        }
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
        self.damping_time != 0.0
    }

    fn is_symmetric(&self) -> bool {
        self.damping_time == 0.0
    }
}
