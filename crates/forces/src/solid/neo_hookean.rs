//! Stable neo-Hookean material [SmithNeoHookean]: defined for every F, with a single minimum, and pushed back from inside out.
//!
//! `ψ = m/2 (I - 3) + l/2 (J - α)² - m/2 log(I + 1)`, `I = |F|²`, `J = det F`, `α = 1 + 3m/4l`, which makes the stress at rest zero;
//! `m = 4/3 μ`, `l = λ + 5/6 μ` make it agree with Hooke's law there. We count the energy from rest.
//!
//! `P = m (1 - 1/(I + 1)) F + l (J - α) cof F`, and with `p = F G`, `c = cof(F) G`,
//! `∂f_a/∂x_b = -V [m (1 - 1/(I + 1)) (G_a·G_b) I + 2m/(I + 1)² p_a p_bᵀ + l c_a c_bᵀ + l (J - α) [F (G_b × G_a)]×]`,
//! because `cof(F) (u × v) = F u × F v`. `l > 0` wherever `3λ + 2μ > 0`.

use glam::{DMat3, DVec3};
use pliant_scalar::math;

use super::cauchy::inner;
use super::material::Lame;
use super::measure::Measure;
use super::modes::{Modes, of_pairs, projected};
use super::tetrahedron::{RestTetrahedron, TetraBlock};
use crate::cloth::algebra::{cross, outer, scalar};

/// The measure of materials like rubber.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NeoHookean;

/// Constants of the energy.
struct Constants {
    m: f64,
    l: f64,
    alpha: f64,
}

impl Constants {
    #[inline]
    fn new(lame: Lame) -> Self {
        let (m, l) = (4.0 / 3.0 * lame.mu, lame.lambda + 5.0 / 6.0 * lame.mu);
        Self { m, l, alpha: 1.0 + 0.75 * m / l }
    }
}

/// `cof F`, the derivative of the determinant.
#[inline]
pub(crate) fn cofactor(f: &DMat3) -> DMat3 {
    let (x, y, z) = (f.x_axis, f.y_axis, f.z_axis);
    DMat3::from_cols(y.cross(z), z.cross(x), x.cross(y))
}

impl NeoHookean {
    /// `ψ_i = m (1 - 1/(I + 1)) s_i + l (J - α) s_j s_k`.
    pub(crate) fn modes(lame: Lame, s: DVec3) -> Modes {
        let Constants { m, l, alpha } = Constants::new(lame);
        let (square, j) = (s.length_squared(), s.x * s.y * s.z);
        let own = m * (1.0 - 1.0 / (square + 1.0));
        let cof = DVec3::new(s.y * s.z, s.z * s.x, s.x * s.y);
        let mixed = s * (l * (j - alpha));
        let zero_diagonal = DMat3::from_cols(
            DVec3::new(0.0, mixed.z, mixed.y),
            DVec3::new(mixed.z, 0.0, mixed.x),
            DVec3::new(mixed.y, mixed.x, 0.0),
        );
        Modes {
            stretch: scalar(own)
                + outer(s, s * (2.0 * m / (square + 1.0).powi(2)))
                + outer(cof, cof * l)
                + zero_diagonal,
            twist: of_pairs(s, |_, _, k| own + l * (j - alpha) * k),
            flip: of_pairs(s, |_, _, k| own - l * (j - alpha) * k),
        }
    }
}

impl Measure for NeoHookean {
    const NAME: &'static str = "neo-hookean-solid";
    const MEASURE: &'static str = "neo-hookean";

    fn energy_density(lame: Lame, _rest: &RestTetrahedron, f: &DMat3) -> f64 {
        let Constants { m, l, alpha } = Constants::new(lame);
        let square = inner(f, f);
        let volume = (f.determinant() - 1.0) * (f.determinant() + 1.0 - 2.0 * alpha);
        // the differences to rest: (J - α)² - (1 - α)² and log(I + 1) - log 4
        0.5 * (m * (square - 3.0) + l * volume - m * math::ln_1p(0.25 * (square - 3.0)))
    }

    #[inline]
    fn stress(lame: Lame, _rest: &RestTetrahedron, f: &DMat3) -> DMat3 {
        let Constants { m, l, alpha } = Constants::new(lame);
        *f * (m * (1.0 - 1.0 / (inner(f, f) + 1.0))) + cofactor(f) * (l * (f.determinant() - alpha))
    }

    fn exact_blocks(lame: Lame, rest: &RestTetrahedron, f: &DMat3) -> TetraBlock {
        let Constants { m, l, alpha } = Constants::new(lame);
        let square = inner(f, f);
        let own = m * (1.0 - 1.0 / (square + 1.0));
        let along = 2.0 * m / ((square + 1.0) * (square + 1.0));
        let pressure = l * (f.determinant() - alpha);
        let (p, c, g) = (rest.mapped(f), rest.mapped(&cofactor(f)), &rest.gradients);
        rest.symmetric_blocks(|a, b| {
            scalar(own * g[a].dot(g[b]))
                + outer(p[a], p[b] * along)
                + outer(c[a], c[b] * l)
                + cross(*f * g[b].cross(g[a]) * pressure)
        })
    }

    fn psd_blocks(lame: Lame, rest: &RestTetrahedron, f: &DMat3) -> TetraBlock {
        projected(rest, f, |s| Self::modes(lame, s), || Self::exact_blocks(lame, rest, f))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cloth::algebra::norm;

    /// Where nothing is to be clamped, as at a slight stretch, the bits are those of the exact derivative.
    #[test]
    fn psd_is_exact_where_no_mode_is_negative() {
        let lame = Lame { mu: 1.3, lambda: 1.1 };
        let rest = RestTetrahedron::new([DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z]).unwrap();
        let f = DMat3::from_cols(DVec3::new(1.1, 0.01, 0.0), DVec3::new(0.0, 1.12, 0.0), DVec3::new(0.02, 0.0, 1.09));
        assert_eq!(NeoHookean::psd_blocks(lame, &rest, &f).0, NeoHookean::exact_blocks(lame, &rest, &f).0);
        let pressed = f * 0.5;
        assert_ne!(NeoHookean::psd_blocks(lame, &rest, &pressed).0, NeoHookean::exact_blocks(lame, &rest, &pressed).0);
    }

    /// No stress at rest, and Hooke's law for small strains.
    #[test]
    fn rest_is_stress_free_and_small_strains_follow_hooke() {
        let lame = Lame { mu: 1.3, lambda: 7.1 };
        let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
        let rest = RestTetrahedron::new(corners).unwrap();
        assert!(norm(&NeoHookean::stress(lame, &rest, &DMat3::IDENTITY)) < 1e-14);
        assert_eq!(NeoHookean::energy_density(lame, &rest, &DMat3::IDENTITY), 0.0);
        let e = DMat3::from_cols(DVec3::new(1.0, 0.3, -0.2), DVec3::new(0.3, -0.4, 0.6), DVec3::new(-0.2, 0.6, 0.5));
        let s = 1e-6;
        let hooke = super::super::cauchy::hooke(lame, &e);
        let stress = NeoHookean::stress(lame, &rest, &(DMat3::IDENTITY + e * s)) * (1.0 / s);
        // s times the second derivative
        assert!(norm(&(stress - hooke)) < 100.0 * s * norm(&hooke), "{stress} {hooke}");
    }
}
