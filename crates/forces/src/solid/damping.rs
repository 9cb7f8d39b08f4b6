//! Damping by the rate of Green's strain, for every measure: `Ė = sym(FᵀḞ)`, `T = 2η Ė + ζ tr(Ė) I`, `P = F T`.
//!
//! Rigid motion, `Ḟ = W F` with antisymmetric W, has `Ė = 0` in every deformed state. The rate in the corotated frame, `sym(RᵀḞ)`, which is
//! sometimes used with corotated measures, does not: it vanishes for `S = I` only, and the rotation of a stretched body would be damped. The forces
//! exert no net torque, T being symmetric; the power is `-V (2η Ė:Ė + ζ tr(Ė)²)`, never positive.
//!
//! With `p = F G` and `r = Ḟ G`: `∂f_a/∂v_b = -V [η p_b p_aᵀ + η (G_a·G_b) F Fᵀ + ζ p_a p_bᵀ]`, symmetric and negative semi-definite, and
//! `∂f_a/∂x_b = -V [(G_a·T G_b) I + η p_b r_aᵀ + η (G_a·G_b) F Ḟᵀ + ζ p_a r_bᵀ]`, unsymmetric, which the positive kind leaves out.

use glam::DMat3;

use super::cauchy::{inner, trace};
use super::material::Viscosity;
use super::tetrahedron::{RestTetrahedron, TetraBlock};
use crate::cloth::algebra::{outer, scalar, symmetric_part};

/// `Ė`.
#[inline]
fn strain_rate(f: &DMat3, rate: &DMat3) -> DMat3 {
    symmetric_part(f.transpose() * *rate)
}

#[inline]
fn second_stress(viscosity: Viscosity, e: &DMat3) -> DMat3 {
    *e * (2.0 * viscosity.shear) + scalar(viscosity.bulk * trace(e))
}

/// First Piola stress of a deformation gradient and its rate, Pa.
#[inline]
pub fn stress(viscosity: Viscosity, f: &DMat3, rate: &DMat3) -> DMat3 {
    *f * second_stress(viscosity, &strain_rate(f, rate))
}

/// Power, W/m³ at rest.
pub fn power_density(viscosity: Viscosity, f: &DMat3, rate: &DMat3) -> f64 {
    let e = strain_rate(f, rate);
    -(2.0 * viscosity.shear * inner(&e, &e) + viscosity.bulk * trace(&e).powi(2))
}

/// `∂f/∂v`.
pub fn velocity_blocks(viscosity: Viscosity, rest: &RestTetrahedron, f: &DMat3) -> TetraBlock {
    let Viscosity { shear, bulk } = viscosity;
    let (p, g) = (rest.mapped(f), &rest.gradients);
    let fft = *f * f.transpose() * shear;
    rest.symmetric_blocks(|a, b| fft * g[a].dot(g[b]) + outer(p[b], p[a] * shear) + outer(p[a], p[b] * bulk))
}

/// `∂f/∂x`.
pub fn position_blocks(viscosity: Viscosity, rest: &RestTetrahedron, f: &DMat3, rate: &DMat3) -> TetraBlock {
    let Viscosity { shear, bulk } = viscosity;
    let tg = rest.mapped(&second_stress(viscosity, &strain_rate(f, rate)));
    let (p, r, g) = (rest.mapped(f), rest.mapped(rate), &rest.gradients);
    let frt = *f * rate.transpose() * shear;
    rest.blocks(|a, b| {
        scalar(g[a].dot(tg[b])) + frt * g[a].dot(g[b]) + outer(p[b], r[a] * shear) + outer(p[a], r[b] * bulk)
    })
}
