//! Shear as in [`super::corotational`], change of volume as in [`super::green`]: `ψ = μ |F - R|² + λ/2 tr(E)²`,
//!
//! `P = 2μ (F - R) + λ tr(E) F`, `dP = 2μ (dF - dR) + λ (tr(dE) F + tr(E) dF)`.
//!
//! `∂f_a/∂x_b = -V [(2μ + λ tr E) (G_a·G_b) I + λ p_a p_bᵀ - 2μ [q_a]× turn [q_b]×ᵀ]`, `p = F G`, `q = R G`. Of the measures with a rotation it
//! is the nearest to Green's, and exact in its pressure.

use glam::{DMat3, DVec3};

use super::cauchy::inner;
use super::corotational::{half_spins, spin};
use super::material::Lame;
use super::measure::Measure;
use super::modes::{Modes, of_pairs, projected};
use super::polar::{guarded_inverse, limited_turn, rotation, rotation_and_turn};
use super::tetrahedron::{RestTetrahedron, TetraBlock};
use crate::cloth::algebra::{outer, scalar};

/// The mixed measure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hybrid;

/// `tr E`.
#[inline]
fn volume_strain(f: &DMat3) -> f64 {
    0.5 * (inner(f, f) - 3.0)
}

#[inline]
fn blocks(lame: Lame, rest: &RestTetrahedron, f: &DMat3, r: &DMat3, turn: DMat3) -> TetraBlock {
    let turn = turn * (-2.0 * lame.mu);
    let own = 2.0 * lame.mu + lame.lambda * volume_strain(f);
    let (p, q, g) = (rest.mapped(f), rest.mapped(r), &rest.gradients);
    let halves = half_spins(&turn, &q);
    rest.symmetric_blocks(|a, b| {
        scalar(own * g[a].dot(g[b])) + outer(p[a], p[b] * lame.lambda) + spin(q[a], &halves[b])
    })
}

impl Hybrid {
    /// `ψ_i = 2μ (s_i - 1) + L s_i`, `L = λ tr E`.
    pub(crate) fn modes(lame: Lame, s: DVec3) -> Modes {
        let Lame { mu, lambda } = lame;
        let own = 2.0 * mu + 0.5 * lambda * (s.length_squared() - 3.0);
        Modes {
            stretch: outer(s, s * lambda) + scalar(own),
            twist: of_pairs(s, |i, j, _| own - 4.0 * mu * guarded_inverse(i + j, s.max_element())),
            flip: DVec3::splat(own),
        }
    }
}

impl Measure for Hybrid {
    const NAME: &'static str = "hybrid-solid";
    const MEASURE: &'static str = "hybrid";
    const ROTATED: bool = true;

    fn energy_density(lame: Lame, _rest: &RestTetrahedron, f: &DMat3) -> f64 {
        let off = *f - rotation(f);
        lame.mu * inner(&off, &off) + 0.5 * lame.lambda * volume_strain(f).powi(2)
    }

    #[inline]
    fn stress(lame: Lame, rest: &RestTetrahedron, f: &DMat3) -> DMat3 {
        Self::rotated_stress(lame, rest, f, &rotation(f))
    }

    #[inline]
    fn rotated_stress(lame: Lame, _rest: &RestTetrahedron, f: &DMat3, r: &DMat3) -> DMat3 {
        (*f - *r) * (2.0 * lame.mu) + *f * (lame.lambda * volume_strain(f))
    }

    fn exact_blocks(lame: Lame, rest: &RestTetrahedron, f: &DMat3) -> TetraBlock {
        let (r, turn) = rotation_and_turn(f);
        blocks(lame, rest, f, &r, turn)
    }

    fn psd_blocks(lame: Lame, rest: &RestTetrahedron, f: &DMat3) -> TetraBlock {
        let own = 2.0 * lame.mu + lame.lambda * volume_strain(f);
        if own < 0.0 || lame.lambda < 0.0 {
            return projected(rest, f, |s| Self::modes(lame, s), || Self::exact_blocks(lame, rest, f));
        }
        // only twists can be negative: limits 1/(s_i + s_j)
        let (r, turn) = rotation_and_turn(f);
        blocks(lame, rest, f, &r, limited_turn(&turn, 0.25 * own / lame.mu))
    }
}
