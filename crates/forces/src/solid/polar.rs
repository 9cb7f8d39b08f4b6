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
//! Halley's method from above, `λ² ≤ I + 2 √(3 K)`, needs two steps at strains of a few percent and three for every upright element; it
//! takes [`STEPS`] always: no branches, so that eight elements go through at once (see [`super::pack`]), and the bits of an element depend
//! on nothing but its F. The denominator is `2 (s₀ + s₁)(s₁ + s₂)(s₂ + s₀)`: what would be divided by zero is exactly what makes R
//! undefined, two singular values that add up to nothing. With the sign of J in the quartic, R is a rotation for inverted elements too,
//! `U Vᵀ` with the column of the smallest singular value flipped, where Higham's iteration, the usual way, gives a reflection.
//!
//! Where the denominator is below [`TRUSTED`] of `λ³`, or Halley's method has not come to rest (a few of the inverted), R comes from the
//! singular values.
//!
//! Cost, in ns a matrix on one shared core of an AMD EPYC at strains of 0.2: 81 alone, 20.5 in lanes (SSE2, what is compiled for by default;
//! the lanes alone take 14 when compiled for AVX2), 440 by singular values, 197 by Higham's scaled iteration to 1e-12. Measured by
//! `cargo run --release -p pliant-forces --example solid_speed`.

use glam::{DMat3, DVec3};

use super::svd::{Svd, symmetric_eigen};
use pliant_scalar::pack::Pack;

/// Steps of Halley's method for λ.
pub const STEPS: usize = 4;
/// The fast path is taken where `2 (s₀ + s₁)(s₁ + s₂)(s₂ + s₀)` is above this part of `λ³`; at rest it is 16/27 of it. Rounding grows with
/// the inverse of it.
pub const TRUSTED: f64 = 0.05;
/// The last step of Halley's method is at most this part of λ: the one after would be its cube, times at most 1/TRUSTED².
const AT_REST: f64 = 1e-6;
/// Elements in a batch.
pub const LANES: usize = 8;
/// Sums of singular values below this part of the largest are replaced by it in derivatives.
const MIN_SUM: f64 = 1e-8;

/// Entries of eight matrices, column by column, those of one place side by side.
pub type Lanes = [[f64; LANES]; 9];

/// `R`, `λ = tr S`, the denominator, and the last step of λ.
pub(super) struct Fast<const L: usize> {
    pub(super) rotation: [Pack<L>; 9],
    pub(super) trace: Pack<L>,
    denominator: Pack<L>,
    last_step: Pack<L>,
}

impl<const L: usize> Fast<L> {
    /// Whether a lane can be trusted; NaN cannot.
    #[inline]
    pub(super) fn is_good(&self, lane: usize) -> bool {
        let trace = self.trace.0[lane];
        self.denominator.0[lane] > TRUSTED * (trace * trace * trace) && self.last_step.0[lane].abs() <= AT_REST * trace
    }
}

#[inline(always)]
pub(super) fn fast<const L: usize>(f: [Pack<L>; 9]) -> Fast<L> {
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
    let mut step = lambda;
    for _ in 0..STEPS {
        let l2 = lambda * lambda;
        let value = ((l2 - 2.0 * square) * lambda - 8.0 * det) * lambda + constant;
        let slope = 4.0 * ((l2 - square) * lambda - 2.0 * det);
        let bend = 12.0 * l2 - 4.0 * square;
        step = 2.0 * (value * slope) / (2.0 * (slope * slope) - value * bend);
        lambda = lambda - step;
    }
    let denominator = (lambda * lambda - square) * lambda - 2.0 * det;
    // R = α F + β cof F + F (γ C)
    let inverse = Pack::splat(1.0) / denominator;
    let (alpha, beta, gamma) = ((lambda * lambda + square) * inverse, 2.0 * lambda * inverse, -2.0 * inverse);
    let (k00, k11, k22) = (alpha + gamma * c00, alpha + gamma * c11, alpha + gamma * c22);
    let (k01, k02, k12) = (gamma * c01, gamma * c02, gamma * c12);
    let rotation = [
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
    Fast { rotation, trace: lambda, denominator, last_step: step }
}

/// One matrix on the fast path; `None` where it cannot be trusted.
#[inline]
fn fast_rotation(f: &DMat3) -> Option<(DMat3, f64)> {
    let fast = fast::<1>(f.to_cols_array().map(Pack::splat));
    let r = fast.rotation.map(|entry| entry.0[0]);
    fast.is_good(0).then(|| (DMat3::from_cols_array(&r), fast.trace.0[0]))
}

/// The rotation nearest to F, whatever F is.
#[inline]
pub fn rotation(f: &DMat3) -> DMat3 {
    fast_rotation(f).map_or_else(|| Svd::new(f).rotation(), |(r, _)| r)
}

/// The same for eight matrices at once, with the same bits.
#[inline(always)]
pub fn write_rotations(f: &Lanes, out: &mut Lanes) {
    let fast = fast(f.map(Pack));
    for (out, entry) in out.iter_mut().zip(&fast.rotation) {
        *out = entry.0;
    }
    for lane in 0..LANES {
        if !fast.is_good(lane) {
            let matrix = DMat3::from_cols_array(&f.map(|entry| entry[lane]));
            let r = Svd::new(&matrix).rotation().to_cols_array();
            out.iter_mut().zip(r).for_each(|(entry, value)| entry[lane] = value);
        }
    }
}

/// `F = U diag(s) Vᵀ` with rotations U and V as in [`Svd`], but in no order: from the polar decomposition where it is fast.
pub fn decomposed(f: &DMat3) -> Svd {
    let Some((r, _)) = fast_rotation(f) else { return Svd::new(f) };
    let s = r.transpose() * *f;
    let (values, v) = symmetric_eigen(&((s + s.transpose()) * 0.5));
    Svd { u: r * v, values, v }
}

/// `turn` of [`rotation_and_turn`] with eigenvalues of at most `limit`, which is not negative; the same bits where none is larger.
#[inline]
pub fn limited_turn(turn: &DMat3, limit: f64) -> DMat3 {
    let m = DMat3::from_diagonal(DVec3::splat(limit)) - *turn;
    let minor = m.x_axis.x * m.y_axis.y - m.x_axis.y * m.x_axis.y;
    // Sylvester: no eigenvalue of limit I - turn is negative
    if m.x_axis.x > 0.0 && minor > 0.0 && m.determinant() > 0.0 {
        return *turn;
    }
    let (values, vectors) = symmetric_eigen(turn);
    vectors * DMat3::from_diagonal(values.min(DVec3::splat(limit))) * vectors.transpose()
}

/// The rotation and its derivative in F: for `dF = d gᵀ`, `dR R⁻¹ = [turn (R g × d)]×`.
///
/// With `dR = R [w]×`, `(tr(S) I - S) w = axial(A - Aᵀ)`, `A = Rᵀ dF`; `turn` is `R (tr(S) I - S)⁻¹ Rᵀ`, whose eigenvalues are
/// `1/(s_i + s_j)`. Sums below a hundred-millionth of the largest singular value are replaced by that.
#[inline]
pub fn rotation_and_turn(f: &DMat3) -> (DMat3, DMat3) {
    if let Some((r, lambda)) = fast_rotation(f) {
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
    let least = MIN_SUM * largest;
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
            let one = fast::<1>(f.to_cols_array().map(Pack::splat));
            let trust = one.denominator.0[0] / one.trace.0[0].powi(3);
            if let Some((r, _)) = fast_rotation(f) {
                worst = worst.max(norm(&(r - Svd::new(f).rotation())) * trust);
                worst = worst.max(norm(&(r.transpose() * r - DMat3::IDENTITY)) * trust);
                fast_ones += 1;
                inverted += usize::from(f.determinant() < 0.0);
            }
        }
        assert!(worst < 2e-14, "off by {worst:e} at a denominator of 1");
        assert!(fast_ones > 1700 && inverted > 100, "{fast_ones} {inverted} of {}", all.len());
    }

    #[test]
    fn small_strains_always_take_the_fast_path() {
        for f in samples::gradients(1000, 0.2) {
            assert!(fast_rotation(&f).is_some());
        }
    }

    #[test]
    fn lanes_have_the_bits_of_single_matrices() {
        let mut all = samples::gradients(60, 1.5);
        all.extend([DMat3::ZERO, DMat3::from_diagonal(DVec3::new(1.0, 1.0, -1.0))]);
        all.extend([DMat3::IDENTITY * 1e200, DMat3::IDENTITY * 1e-200]);
        for chunk in all.as_chunks::<LANES>().0 {
            let lanes: Lanes = std::array::from_fn(|k| chunk.map(|f| f.to_cols_array()[k]));
            let mut out = lanes;
            write_rotations(&lanes, &mut out);
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
