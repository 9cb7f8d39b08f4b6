//! Green's strain, St. Venant-Kirchhoff material: `E = ½ (FᵀF - I)`, `ψ = μ E:E + λ/2 tr(E)²`, `S = 2μ E + λ tr(E) I`, `P = F S`.
//!
//! `∂f_a/∂x_b = -V [(G_a·S G_b) I + μ p_b p_aᵀ + μ (G_a·G_b) F Fᵀ + λ p_a p_bᵀ]`, `p = F G`. It softens under compression, below the stretch 1/√3,
//! and does not resist collapse or inversion: choose another measure where that can happen.

use glam::{DMat3, DVec3};

use super::cauchy::{hooke, quadratic_energy};
use super::material::Lame;
use super::measure::Measure;
use super::modes::{Modes, of_pairs, projected};
use super::tetrahedron::{RestTetrahedron, TetraBlock};
use crate::cloth::algebra::{outer, scalar};

/// The quadratic measure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Green;

/// `E`.
#[inline]
pub(crate) fn green_strain(f: &DMat3) -> DMat3 {
    (f.transpose() * *f - DMat3::IDENTITY) * 0.5
}

impl Green {
    /// `ψ_i = μ (s_i³ - s_i) + L s_i`, `L = λ tr E`.
    pub(crate) fn modes(lame: Lame, s: DVec3) -> Modes {
        let Lame { mu, lambda } = lame;
        let l = 0.5 * lambda * (s.length_squared() - 3.0);
        let own = s.map(|s| mu * (3.0 * s * s - 1.0) + l);
        Modes {
            stretch: outer(s, s * lambda) + DMat3::from_diagonal(own),
            twist: of_pairs(s, |i, j, _| mu * (i * i - i * j + j * j - 1.0) + l),
            flip: of_pairs(s, |i, j, _| mu * (i * i + i * j + j * j - 1.0) + l),
        }
    }
}

impl Measure for Green {
    const NAME: &'static str = "green-solid";
    const MEASURE: &'static str = "green";

    fn energy_density(lame: Lame, _rest: &RestTetrahedron, f: &DMat3) -> f64 {
        quadratic_energy(lame, &green_strain(f))
    }

    #[inline]
    fn stress(lame: Lame, _rest: &RestTetrahedron, f: &DMat3) -> DMat3 {
        *f * hooke(lame, &green_strain(f))
    }

    fn exact_blocks(lame: Lame, rest: &RestTetrahedron, f: &DMat3) -> TetraBlock {
        let stress = hooke(lame, &green_strain(f));
        let (p, sg, g) = (rest.mapped(f), rest.mapped(&stress), &rest.gradients);
        let fft = *f * f.transpose() * lame.mu;
        rest.symmetric_blocks(|a, b| {
            scalar(g[a].dot(sg[b]))
                + fft * g[a].dot(g[b])
                + outer(p[b], p[a] * lame.mu)
                + outer(p[a], p[b] * lame.lambda)
        })
    }

    fn psd_blocks(lame: Lame, rest: &RestTetrahedron, f: &DMat3) -> TetraBlock {
        // without compression in any direction S is positive, and so is the rest always
        let s = hooke(lame, &green_strain(f));
        let minor = s.x_axis.x * s.y_axis.y - s.x_axis.y * s.x_axis.y;
        if s.x_axis.x > 0.0 && minor > 0.0 && s.determinant() > 0.0 {
            return Self::exact_blocks(lame, rest, f);
        }
        projected(rest, f, |s| Self::modes(lame, s), || Self::exact_blocks(lame, rest, f))
    }
}
