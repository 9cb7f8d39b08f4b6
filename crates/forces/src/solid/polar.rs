//! The rotation in a deformation gradient, `F = R S`.
//!
//! The fast path solves no matrix equation. `λ = tr S = s₀ + s₁ + s₂` is the largest root of the quartic
//!
//! `p(λ) = λ⁴ - 2 I λ² - 8 J λ + I² - 4 K`, `I = |F|²`, `J = det F`, `K = |cof F|²`,
//!
//! and as `tr S = max over rotations of Q:F`, its gradient in F is R itself, so that with `C = FᵀF`
//!
//! `R = -p_F / p_λ = [(λ² + I) F + 2 λ cof F - 2 F C] / (λ³ - I λ - 2 J)` [LinChitaluKomura].
//!
//! Newton's method from above, `λ² ≤ I + 2 √(3 K)`, needs three steps at strains of a few percent and five for every upright element; it
//! takes [`STEPS`] always: no branches, so that a loop over elements is a loop over lanes, and the bits of an element depend on nothing
//! but its F. The denominator is `2 (s₀ + s₁)(s₁ + s₂)(s₂ + s₀)`: what would be divided by zero is exactly what makes R undefined, two
//! singular values that add up to nothing. With the sign of J in the quartic, R is a rotation for inverted elements too, `U Vᵀ` with
//! the column of the smallest singular value flipped, where Higham's iteration, the usual way, gives a reflection.
//!
//! Where the denominator is below [`TRUSTED`] of `λ³`, or Newton's method has not come to rest (most inverted elements need six steps or more), R comes from the
//! singular values.

use glam::{DMat3, DVec3};

use super::svd::Svd;

/// Steps of Newton's method for λ.
pub const STEPS: usize = 5;
/// The fast path is taken where `2 (s₀ + s₁)(s₁ + s₂)(s₂ + s₀)` is above this part of `λ³`; at rest it is 16/27 of it. Rounding grows with
/// the inverse of it.
pub const TRUSTED: f64 = 0.05;
/// The last step of Newton's method is at most this part of λ: the one after would be its square.
const AT_REST: f64 = 1e-8;
/// Elements in a batch.
pub const LANES: usize = 8;
/// Sums of singular values below this part of the largest are replaced by it in derivatives.
const LEAST_SUM: f64 = 1e-8;

/// Entries of eight matrices, column by column, those of one place side by side.
pub type Lanes = [[f64; LANES]; 9];

/// `R`, `λ`, and how far the result can be trusted: the part of `λ³` that the denominator is, negative where λ is not at rest.
#[inline(always)]
fn fast(f: [f64; 9]) -> ([f64; 9], f64, f64) {
    let [a, b, c, d, e, g, h, i, j] = f;
    // cofactors: cross products of the columns (a b c), (d e g), (h i j)
    let cof = [
        e * j - g * i,
        g * h - d * j,
        d * i - e * h,
        i * c - j * b,
        j * a - h * c,
        h * b - i * a,
        b * g - c * e,
        c * d - a * g,
        a * e - b * d,
    ];
    let det = a * cof[0] + b * cof[1] + c * cof[2];
    let (c00, c11, c22) = (a * a + b * b + c * c, d * d + e * e + g * g, h * h + i * i + j * j);
    let (c01, c02, c12) = (a * d + b * e + c * g, a * h + b * i + c * j, d * h + e * i + g * j);
    let square = c00 + c11 + c22;
    let area = (cof[0] * cof[0] + cof[1] * cof[1] + cof[2] * cof[2])
        + (cof[3] * cof[3] + cof[4] * cof[4] + cof[5] * cof[5])
        + (cof[6] * cof[6] + cof[7] * cof[7] + cof[8] * cof[8]);
    let constant = square * square - 4.0 * area;
    let mut lambda = (square + 2.0 * (3.0 * area).sqrt()).sqrt();
    let mut step = 0.0;
    for _ in 0..STEPS {
        let l2 = lambda * lambda;
        let value = ((l2 - 2.0 * square) * lambda - 8.0 * det) * lambda + constant;
        let slope = 4.0 * ((l2 - square) * lambda - 2.0 * det);
        step = value / slope;
        lambda -= step;
    }
    let denominator = (lambda * lambda - square) * lambda - 2.0 * det;
    let trust = denominator / (lambda * lambda * lambda);
    let trust = if step.abs() <= AT_REST * lambda { trust } else { -1.0 };
    // R = α F + β cof F + F (γ C)
    let inverse = 1.0 / denominator;
    let (alpha, beta, gamma) = ((lambda * lambda + square) * inverse, 2.0 * lambda * inverse, -2.0 * inverse);
    let (k00, k11, k22) = (alpha + gamma * c00, alpha + gamma * c11, alpha + gamma * c22);
    let (k01, k02, k12) = (gamma * c01, gamma * c02, gamma * c12);
    let r = [
        beta * cof[0] + (a * k00 + d * k01 + h * k02),
        beta * cof[1] + (b * k00 + e * k01 + i * k02),
        beta * cof[2] + (c * k00 + g * k01 + j * k02),
        beta * cof[3] + (a * k01 + d * k11 + h * k12),
        beta * cof[4] + (b * k01 + e * k11 + i * k12),
        beta * cof[5] + (c * k01 + g * k11 + j * k12),
        beta * cof[6] + (a * k02 + d * k12 + h * k22),
        beta * cof[7] + (b * k02 + e * k12 + i * k22),
        beta * cof[8] + (c * k02 + g * k12 + j * k22),
    ];
    (r, lambda, trust)
}

/// The rotation nearest to F, whatever F is.
#[inline]
pub fn rotation(f: &DMat3) -> DMat3 {
    let (r, _, trust) = fast(f.to_cols_array());
    if trust > TRUSTED { DMat3::from_cols_array(&r) } else { Svd::new(f).rotation() }
}

/// The same for eight matrices at once, with the same bits.
pub fn rotations(f: &Lanes) -> Lanes {
    let mut out = [[0.0; LANES]; 9];
    let mut trust = [0.0; LANES];
    #[allow(clippy::needless_range_loop)] // a loop over lanes is what is vectorised
    for lane in 0..LANES {
        let (r, _, t) = fast([
            f[0][lane], f[1][lane], f[2][lane], f[3][lane], f[4][lane], f[5][lane], f[6][lane], f[7][lane], f[8][lane],
        ]);
        for k in 0..9 {
            out[k][lane] = r[k];
        }
        trust[lane] = t;
    }
    for lane in 0..LANES {
        // negated, so that what is no number takes the slow path too
        if !(trust[lane] > TRUSTED) {
            let matrix = DMat3::from_cols_array(&std::array::from_fn(|k| f[k][lane]));
            for (k, value) in Svd::new(&matrix).rotation().to_cols_array().into_iter().enumerate() {
                out[k][lane] = value;
            }
        }
    }
    out
}

/// The rotation and how it turns with F: for `dF = d gᵀ`, `dR R⁻¹ = [turn (R g × d)]×`.
///
/// With `dR = R [w]×`, `(tr(S) I - S) w = axial(A - Aᵀ)`, `A = Rᵀ dF`; `turn` is `R (tr(S) I - S)⁻¹ Rᵀ`, whose eigenvalues are
/// `1/(s_i + s_j)`. Sums below a hundred-millionth of the largest singular value are replaced by that.
#[inline]
pub fn rotation_and_turn(f: &DMat3) -> (DMat3, DMat3) {
    let (r, lambda, trust) = fast(f.to_cols_array());
    if trust > TRUSTED {
        let r = DMat3::from_cols_array(&r);
        let s = *f * r.transpose();
        let m = DMat3::from_diagonal(DVec3::splat(lambda)) - (s + s.transpose()) * 0.5;
        return (r, inverse_of_symmetric(&m));
    }
    let svd = Svd::new(f);
    let s = svd.values;
    let turned = DVec3::new(s.y + s.z, s.z + s.x, s.x + s.y).map(|sum| guarded_inverse(sum, s.x));
    (svd.rotation(), svd.u * DMat3::from_diagonal(turned) * svd.u.transpose())
}

/// `1 / sum` with the guard for sums of singular values of which the largest is given.
pub(crate) fn guarded_inverse(sum: f64, largest: f64) -> f64 {
    let least = LEAST_SUM * largest;
    if least > 0.0 { 1.0 / sum.max(least) } else { 0.0 }
}

/// By cofactors, so that the result is symmetric to the last bit.
fn inverse_of_symmetric(m: &DMat3) -> DMat3 {
    let [a, b, c, _, d, e, _, _, f] = m.to_cols_array();
    let (c00, c01, c02) = (d * f - e * e, c * e - b * f, b * e - c * d);
    let (c11, c12, c22) = (a * f - c * c, b * c - a * e, a * d - b * b);
    let inverse = 1.0 / (a * c00 + b * c01 + c * c02);
    DMat3::from_cols_array(&[c00, c01, c02, c01, c11, c12, c02, c12, c22].map(|value| value * inverse))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cloth::algebra::norm;
    use crate::solid::samples;

    /// Rounding of the fast path is at most about ε/TRUSTED times the number of operations.
    #[test]
    fn both_paths_give_the_same_rotation_for_upright_and_inverted_elements() {
        let (mut fast_ones, mut inverted, mut worst) = (0, 0, 0.0_f64);
        let all: Vec<DMat3> = [0.05, 0.3, 1.0, 3.0].iter().flat_map(|noise| samples::gradients(500, *noise)).collect();
        for f in &all {
            let (r, _, trust) = fast(f.to_cols_array());
            if trust > TRUSTED {
                let r = DMat3::from_cols_array(&r);
                worst = worst.max(norm(&(r - Svd::new(f).rotation())) * trust);
                worst = worst.max(norm(&(r.transpose() * r - DMat3::IDENTITY)) * trust);
                fast_ones += 1;
                inverted += usize::from(f.determinant() < 0.0);
            }
        }
        assert!(worst < 2e-14, "off by {worst:e} at a denominator of 1");
        assert!(fast_ones > 1600 && inverted > 5, "{fast_ones} {inverted} of {}", all.len());
    }

    #[test]
    fn small_strains_always_take_the_fast_path() {
        for f in samples::gradients(1000, 0.2) {
            assert!(fast(f.to_cols_array()).2 > TRUSTED);
        }
    }

    #[test]
    fn lanes_have_the_bits_of_single_matrices() {
        let mut all = samples::gradients(60, 1.5);
        all.extend([DMat3::ZERO, DMat3::from_diagonal(DVec3::new(1.0, 1.0, -1.0))]);
        all.extend([DMat3::IDENTITY * 1e200, DMat3::IDENTITY * 1e-200]);
        for chunk in all.as_chunks::<LANES>().0 {
            let lanes: Lanes = std::array::from_fn(|k| chunk.map(|f| f.to_cols_array()[k]));
            let out = rotations(&lanes);
            for (lane, f) in chunk.iter().enumerate() {
                let single = rotation(f).to_cols_array();
                assert!((0..9).all(|k| single[k].to_bits() == out[k][lane].to_bits()), "{f}");
            }
        }
    }

    #[test]
    fn any_matrix_has_a_rotation() {
        let hard = [
            DMat3::ZERO,
            DMat3::from_diagonal(DVec3::new(2.0, 1.0, -1.0)),
            DMat3::from_diagonal(DVec3::new(2.0, 0.0, 0.0)),
            DMat3::from_cols(DVec3::ONE, DVec3::ONE, DVec3::ONE),
            DMat3::IDENTITY * 1e250,
            DMat3::IDENTITY * 1e-250,
            -DMat3::IDENTITY,
        ];
        for f in hard {
            let (r, turn) = rotation_and_turn(&f);
            assert!(norm(&(r.transpose() * r - DMat3::IDENTITY)) < 1e-13 && r.determinant() > 0.0, "{f}: {r}");
            assert!(turn.is_finite(), "{f}: {turn}");
        }
        assert!(rotation(&DMat3::from_cols(DVec3::splat(f64::NAN), DVec3::X, DVec3::Y)).is_finite());
    }
}
