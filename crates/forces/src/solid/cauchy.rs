//! Cauchy's strain, linear in the displacement: `e = sym(F) - I`, `ψ = μ e:e + λ/2 tr(e)²`, `P = 2μ e + λ tr(e) I`.
//!
//! Its matrix is constant. It is valid for small rotations only: a rotated element counts as stretched, and internal forces exert a net torque.
//! `∂f_a/∂x_b = -V [μ (G_a·G_b) I + μ G_b G_aᵀ + λ G_a G_bᵀ]`.

use glam::DMat3;

use super::material::Lame;
use super::measure::Measure;
use super::tetrahedron::{RestTetrahedron, TetraBlock};
use crate::cloth::algebra::{outer, scalar, symmetric_part};

/// The linear measure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cauchy;

/// The trace of a matrix.
#[inline]
pub(crate) fn trace(a: &DMat3) -> f64 {
    a.x_axis.x + a.y_axis.y + a.z_axis.z
}

/// `A:B`.
#[inline]
pub(crate) fn inner(a: &DMat3, b: &DMat3) -> f64 {
    a.x_axis.dot(b.x_axis) + a.y_axis.dot(b.y_axis) + a.z_axis.dot(b.z_axis)
}

/// `ψ = μ e:e + λ/2 tr(e)²`.
#[inline]
pub(crate) fn quadratic_energy(lame: Lame, e: &DMat3) -> f64 {
    lame.mu * inner(e, e) + 0.5 * lame.lambda * trace(e).powi(2)
}

/// `2μ e + λ tr(e) I`.
#[inline]
pub(crate) fn hooke(lame: Lame, e: &DMat3) -> DMat3 {
    *e * (2.0 * lame.mu) + scalar(lame.lambda * trace(e))
}

/// The matrix of linear elasticity in a frame turned by R.
#[inline]
pub(crate) fn turned_blocks(lame: Lame, rest: &RestTetrahedron, r: &DMat3) -> TetraBlock {
    let q = rest.mapped(r);
    let g = &rest.gradients;
    rest.symmetric_blocks(|a, b| {
        scalar(lame.mu * g[a].dot(g[b])) + outer(q[b], q[a] * lame.mu) + outer(q[a], q[b] * lame.lambda)
    })
}

impl Measure for Cauchy {
    const NAME: &'static str = "cauchy-solid";
    const MEASURE: &'static str = "cauchy";
    const TURNS_NOTHING: bool = false;
    const LINEAR: bool = true;

    fn energy_density(lame: Lame, _rest: &RestTetrahedron, f: &DMat3) -> f64 {
        quadratic_energy(lame, &(symmetric_part(*f) - DMat3::IDENTITY))
    }

    #[inline]
    fn stress(lame: Lame, _rest: &RestTetrahedron, f: &DMat3) -> DMat3 {
        hooke(lame, &(symmetric_part(*f) - DMat3::IDENTITY))
    }

    fn exact_blocks(lame: Lame, rest: &RestTetrahedron, _f: &DMat3) -> TetraBlock {
        turned_blocks(lame, rest, &DMat3::IDENTITY)
    }

    fn psd_blocks(lame: Lame, rest: &RestTetrahedron, f: &DMat3) -> TetraBlock {
        Self::exact_blocks(lame, rest, f)
    }
}
