//! Derivatives of isotropic energies without negative eigenvalues.
//!
//! An isotropic energy is a function ψ(s) of the singular values of `F = U diag(s) Vᵀ`. In the frame of U and V its second derivative falls
//! apart into nine eigenvectors at most [SmithNeoHookean], [SmithIsotropic]: three stretches, mixed by the 3 × 3 matrix
//! `A_ij = ∂²ψ/∂s_i∂s_j`, and for each pair of axes (i, j), with k the third one, a twist (antisymmetric) and a flip (symmetric) with
//!
//! `twist_k = (ψ_i + ψ_j) / (s_i + s_j)`, `flip_k = (ψ_i - ψ_j) / (s_i - s_j)`.
//!
//! Setting the negative ones to zero gives the nearest matrix that has none.

use glam::{DMat3, DVec3};

use super::polar::decomposed;
use super::svd::{Svd, symmetric_eigen};
use super::tetrahedron::{RestTetrahedron, TetraBlock};

/// Eigenvalues of an energy's second derivative, Pa.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Modes {
    /// `∂²ψ/∂s∂s`.
    pub stretch: DMat3,
    /// Of the antisymmetric modes; entry k of the plane across axis k.
    pub twist: DVec3,
    /// Of the symmetric modes.
    pub flip: DVec3,
}

/// The two other axes.
const OTHERS: [[usize; 2]; 3] = [[1, 2], [2, 0], [0, 1]];

/// For every axis k a function of `s_i, s_j`, the two others, and `s_k`.
pub fn of_pairs(s: DVec3, value: impl Fn(f64, f64, f64) -> f64) -> DVec3 {
    let [x, y, z] = [0, 1, 2].map(|k: usize| value(s[OTHERS[k][0]], s[OTHERS[k][1]], s[k]));
    DVec3::new(x, y, z)
}

impl Modes {
    /// Sylvester: no eigenvalue of the stretches is negative.
    fn stretches_are_positive(&self) -> bool {
        let a = &self.stretch;
        let minor = a.x_axis.x * a.y_axis.y - a.x_axis.y * a.x_axis.y;
        a.x_axis.x > 0.0 && minor > 0.0 && a.determinant() > 0.0
    }

    /// Whether no eigenvalue is negative.
    pub fn is_definite(&self) -> bool {
        self.stretches_are_positive() && self.twist.min_element() >= 0.0 && self.flip.min_element() >= 0.0
    }

    /// Without the negative ones.
    pub fn clamped(&self) -> Self {
        let stretch = if self.stretches_are_positive() {
            self.stretch
        } else {
            let (values, vectors) = symmetric_eigen(&self.stretch);
            vectors * DMat3::from_diagonal(values.max(DVec3::ZERO)) * vectors.transpose()
        };
        Self { stretch, twist: self.twist.max(DVec3::ZERO), flip: self.flip.max(DVec3::ZERO) }
    }

    /// The blocks of an element.
    ///
    /// In the frame of U and V, `dP_ii = Σ_j A_ij dF_jj` and `dP_ij = p_k dF_ij + q_k dF_ji` with `p = (flip + twist)/2`, `q = (flip -
    /// twist)/2`; `dF = d g_bᵀ` is used for the blocks.
    pub fn blocks(&self, svd: &Svd, rest: &RestTetrahedron) -> TetraBlock {
        let g = rest.mapped(&svd.v.transpose());
        let (p, q) = ((self.flip + self.twist) * 0.5, (self.flip - self.twist) * 0.5);
        let back = svd.u.transpose();
        rest.symmetric_blocks(|a, b| {
            let (ga, gb) = (g[a], g[b]);
            let mut m = [DVec3::ZERO; 3];
            for (j, column) in m.iter_mut().enumerate() {
                for i in 0..3 {
                    column[i] = ga[i] * self.stretch.col(j)[i] * gb[j];
                    if i != j {
                        column[i] += q[3 - i - j] * ga[j] * gb[i];
                    }
                }
                let [i, k] = OTHERS[j];
                column[j] += p[k] * ga[i] * gb[i] + p[i] * ga[k] * gb[k];
            }
            svd.u * DMat3::from_cols(m[0], m[1], m[2]) * back
        })
    }
}

/// The blocks of an element: exact ones where they are definite, else those of the clamped modes.
pub fn projected(
    rest: &RestTetrahedron,
    f: &DMat3,
    modes: impl Fn(DVec3) -> Modes,
    exact: impl Fn() -> TetraBlock,
) -> TetraBlock {
    let svd = decomposed(f);
    let modes = modes(svd.values);
    if modes.is_definite() { exact() } else { modes.clamped().blocks(&svd, rest) }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::cloth::algebra::norm;
    use crate::solid::corotational::Corotational;
    use crate::solid::green::Green;
    use crate::solid::hybrid::Hybrid;
    use crate::solid::material::Lame;
    use crate::solid::measure::Measure;
    use crate::solid::neo_hookean::NeoHookean;
    use crate::solid::samples;

    const LAME: Lame = Lame { mu: 1.3, lambda: 2.1 };

    fn rest() -> RestTetrahedron {
        let corners = [(0.1, -0.2, 0.0), (1.1, 0.1, 0.0), (0.2, 0.9, -0.3), (-0.1, 0.3, 1.2)]
            .map(|(x, y, z)| DVec3::new(x, y, z));
        RestTetrahedron::new(corners).unwrap()
    }

    /// Modes without a clamp are the exact derivative: two derivations of the same matrix.
    fn check<M: Measure>(modes: fn(Lame, DVec3) -> Modes) {
        let rest = rest();
        let mut compared = 0;
        for f in [0.1, 0.6, 1.5].iter().flat_map(|noise| samples::gradients(200, *noise)) {
            let svd = Svd::new(&f);
            // eigenvalues 1/(s₁ + s₂) of both ways lose digits alike
            if svd.values.y + svd.values.z < 1e-2 {
                continue;
            }
            let one = modes(LAME, svd.values).blocks(&svd, &rest);
            let two = M::exact_blocks(LAME, &rest, &f);
            let off = (0..9).map(|k| norm(&(one.0[k] - two.0[k]))).fold(0.0, f64::max);
            let size = two.0.iter().map(norm).fold(0.0, f64::max);
            assert!(off < 1e-11 * size, "{}: off by {off:e} of {size} at {f}", M::NAME);
            compared += 1;
        }
        assert!(compared > 500);
    }

    #[test]
    fn modes_without_a_clamp_are_the_exact_derivative() {
        check::<Green>(Green::modes);
        check::<Corotational>(Corotational::modes);
        check::<Hybrid>(Hybrid::modes);
        check::<NeoHookean>(NeoHookean::modes);
    }
}
