//! Linear elasticity in the frame of the polar decomposition `F = R S`: `ψ = μ |F - R|² + λ/2 tr(S - I)²`,
//!
//! `P = 2μ (F - R) + λ tr(S - I) R`, `dP = 2μ dF + λ (R:dF) R + c dR`, `c = λ tr(S - I) - 2μ`.
//!
//! R is current, so the force is the exact gradient; `dR` enters the derivative only. With `q = R G` and `dR` of [`rotation_and_turn`],
//! `∂f_a/∂x_b = -V [2μ (G_a·G_b) I + λ q_a q_bᵀ + c [q_a]× turn [q_b]×ᵀ]`. Its only negative eigenvalues are those of twists, `2μ + 2c/(s_i + s_j)`,
//! under compression. In inverted elements R is still a rotation (see [`super::polar`]), and the stress restores them.

use glam::{DMat3, DVec3};
use pliant_core::View;

use super::batch;
use super::cauchy::inner;
use super::element::SolidTetrahedron;
use super::material::Lame;
use super::measure::Measure;
#[cfg(test)]
use super::modes::{Modes, of_pairs};
#[cfg(test)]
use super::polar::guarded_inverse;
use super::polar::{limited_turn, rotation, rotation_and_turn};
use super::tetrahedron::{RestTetrahedron, TetraBlock};
use crate::cloth::algebra::{outer, scalar};

/// The linear measure in the element's own frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Corotational;

/// `turn [q_b]×ᵀ` of all corners, for [`spin`]: the transpose of `[q_b]× turn`, turn being symmetric.
#[inline]
pub(crate) fn half_spins(turn: &DMat3, q: &[DVec3; 3]) -> [DMat3; 3] {
    q.map(|q| crossed(q, turn).transpose())
}

/// `[q_a]× turn [q_b]×ᵀ`.
#[inline]
pub(crate) fn spin(qa: DVec3, half: &DMat3) -> DMat3 {
    crossed(qa, half)
}

/// `[q]× M`.
#[inline]
fn crossed(q: DVec3, m: &DMat3) -> DMat3 {
    DMat3::from_cols(q.cross(m.x_axis), q.cross(m.y_axis), q.cross(m.z_axis))
}

/// `c = λ tr(S - I) - 2μ`, the weight of `dR`.
#[inline]
fn coefficient(lame: Lame, r: &DMat3, f: &DMat3) -> f64 {
    lame.lambda * (inner(r, f) - 3.0) - 2.0 * lame.mu
}

/// The blocks with a weighted `turn`.
#[inline]
fn blocks(lame: Lame, rest: &RestTetrahedron, r: &DMat3, turn: DMat3) -> TetraBlock {
    let (q, g) = (rest.mapped(r), &rest.gradients);
    let halves = half_spins(&turn, &q);
    rest.symmetric_blocks(|a, b| {
        scalar(2.0 * lame.mu * g[a].dot(g[b])) + outer(q[a], q[b] * lame.lambda) + spin(q[a], &halves[b])
    })
}

#[cfg(test)]
impl Corotational {
    /// `ψ_i = 2μ (s_i - 1) + L`, `L = λ (Σ s - 3)`.
    pub(crate) fn modes(lame: Lame, s: DVec3) -> Modes {
        let Lame { mu, lambda } = lame;
        let c = lambda * (s.element_sum() - 3.0) - 2.0 * mu;
        Modes {
            stretch: outer(DVec3::ONE, DVec3::splat(lambda)) + scalar(2.0 * mu),
            twist: of_pairs(s, |i, j, _| 2.0 * mu + 2.0 * c * guarded_inverse(i + j, s.max_element())),
            flip: DVec3::splat(2.0 * mu),
        }
    }
}

impl Measure for Corotational {
    const NAME: &'static str = "corotational-solid";
    const MEASURE: &'static str = "corotational";
    const ROTATED: bool = true;

    fn energy_density(lame: Lame, _rest: &RestTetrahedron, f: &DMat3) -> f64 {
        let r = rotation(f);
        let (off, volume) = (*f - r, inner(&r, f) - 3.0);
        lame.mu * inner(&off, &off) + 0.5 * lame.lambda * volume * volume
    }

    #[inline]
    fn stress(lame: Lame, rest: &RestTetrahedron, f: &DMat3) -> DMat3 {
        Self::rotated_stress(lame, rest, f, &rotation(f))
    }

    #[inline]
    fn rotated_stress(lame: Lame, _rest: &RestTetrahedron, f: &DMat3, r: &DMat3) -> DMat3 {
        (*f - *r) * (2.0 * lame.mu) + *r * (lame.lambda * (inner(r, f) - 3.0))
    }

    fn exact_blocks(lame: Lame, rest: &RestTetrahedron, f: &DMat3) -> TetraBlock {
        let (r, turn) = rotation_and_turn(f);
        blocks(lame, rest, &r, turn * coefficient(lame, &r, f))
    }

    /// Limits `1/(s_i + s_j)` to `-μ/c`, which removes the negative part of the twists; all other modes are positive.
    fn psd_blocks(lame: Lame, rest: &RestTetrahedron, f: &DMat3) -> TetraBlock {
        let (r, mut turn) = rotation_and_turn(f);
        let c = coefficient(lame, &r, f);
        if c < 0.0 {
            turn = limited_turn(&turn, -lame.mu / c);
        }
        blocks(lame, rest, &r, turn * c)
    }

    fn write_psd(elements: &[SolidTetrahedron<Self>], view: &View, c: f64, out: &mut [TetraBlock]) {
        batch::write_psd(elements, view, c, out);
    }
}
