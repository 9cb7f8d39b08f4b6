//! Singular values of 3 × 3 matrices and eigenvalues of symmetric ones, by Jacobi's rotations: no matrix is too ill-conditioned for
//! them, and they end after a fixed number of sweeps whatever the numbers are.

use glam::{DMat3, DVec3};

/// Sweeps of three rotations. Convergence is quadratic: 5 reach rounding for every matrix of random tests, 4 for most.
const SWEEPS: usize = 8;

/// `F = U diag(values) Vᵀ` with rotations U and V.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Svd {
    /// A rotation.
    pub u: DMat3,
    /// Falling in size; only the last may be negative, and is where `det F < 0`.
    pub values: DVec3,
    /// A rotation.
    pub v: DMat3,
}

impl Svd {
    /// Of any matrix: one-sided rotations make the columns of `F V` orthogonal. Singular values of zero get directions that complete the
    /// others to a rotation.
    pub fn new(f: &DMat3) -> Self {
        let scale = f.to_cols_array().iter().fold(0.0, |m, value| f64::max(m, value.abs()));
        if !(scale > 0.0 && scale.is_finite()) {
            return Self { u: DMat3::IDENTITY, values: DVec3::splat(scale), v: DMat3::IDENTITY };
        }
        // scaled, so that squares neither overflow nor vanish
        let mut a = [0, 1, 2].map(|c| f.col(c) / scale);
        let mut v = [DVec3::X, DVec3::Y, DVec3::Z];
        for _ in 0..SWEEPS {
            let mut turned = false;
            for (p, q) in [(0, 1), (0, 2), (1, 2)] {
                let (app, aqq, apq) = (a[p].length_squared(), a[q].length_squared(), a[p].dot(a[q]));
                if apq.abs() > f64::EPSILON * (app * aqq).sqrt() && apq != 0.0 {
                    let (c, s) = rotation(app, aqq, apq);
                    (a[p], a[q]) = (a[p] * c - a[q] * s, a[p] * s + a[q] * c);
                    (v[p], v[q]) = (v[p] * c - v[q] * s, v[p] * s + v[q] * c);
                    turned = true;
                }
            }
            if !turned {
                break;
            }
        }
        let mut order = [0, 1, 2];
        order.sort_by(|p, q| a[*q].length_squared().total_cmp(&a[*p].length_squared()));
        let (a, v) = (order.map(|k: usize| a[k]), order.map(|k| v[k]));
        let u0 = a[0].try_normalize().unwrap_or(DVec3::X);
        // against the rounding of a[1], which may be all of it
        let across = a[1] - u0 * u0.dot(a[1]);
        let u1 = if a[1].length_squared() > f64::EPSILON * f64::EPSILON * a[0].length_squared() {
            across.try_normalize().unwrap_or_else(|| u0.any_orthonormal_vector())
        } else {
            u0.any_orthonormal_vector()
        };
        let u2 = u0.cross(u1);
        let v2 = v[0].cross(v[1]);
        // v[2] = ±v2: the sign goes to the last value
        let last = u2.dot(a[2]) * v[2].dot(v2).signum();
        Self {
            u: DMat3::from_cols(u0, u1, u2),
            values: DVec3::new(u0.dot(a[0]), u1.dot(a[1]), last) * scale,
            v: DMat3::from_cols(v[0], v[1], v2),
        }
    }

    /// The rotation nearest to F: `U Vᵀ`. Where F turns the inside out it differs from F by a reflection across the direction of the
    /// smallest singular value.
    pub fn rotation(&self) -> DMat3 {
        self.u * self.v.transpose()
    }
}

/// Cosine and sine of the rotation that makes `[[p, r], [r, q]]` diagonal, of at most 45°.
fn rotation(p: f64, q: f64, r: f64) -> (f64, f64) {
    let theta = (q - p) / (2.0 * r);
    // for θ too large for its square, t = 1/2θ
    let t = if theta.abs() < 1e150 {
        f64::copysign(1.0, theta) / (theta.abs() + (theta * theta + 1.0).sqrt())
    } else {
        0.5 / theta
    };
    let c = 1.0 / (t * t + 1.0).sqrt();
    (c, t * c)
}

/// Eigenvalues of a symmetric matrix, in no order, and its eigenvectors as columns.
#[allow(clippy::needless_range_loop)] // two rows of one matrix
pub fn symmetric_eigen(a: &DMat3) -> (DVec3, DMat3) {
    let mut m = [0, 1, 2].map(|c| a.col(c).to_array());
    let mut v = [DVec3::X, DVec3::Y, DVec3::Z];
    for _ in 0..SWEEPS {
        let mut turned = false;
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            let (diagonal, outside) = (m[p][p].abs() + m[q][q].abs(), m[p][q]);
            if outside.abs() <= f64::MIN_POSITIVE + 1e-17 * diagonal || outside.is_nan() {
                continue;
            }
            let (c, s) = rotation(m[p][p], m[q][q], outside);
            for row in &mut m {
                (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
            }
            for k in 0..3 {
                (m[p][k], m[q][k]) = (c * m[p][k] - s * m[q][k], s * m[p][k] + c * m[q][k]);
            }
            (v[p], v[q]) = (v[p] * c - v[q] * s, v[p] * s + v[q] * c);
            turned = true;
        }
        if !turned {
            break;
        }
    }
    (DVec3::new(m[0][0], m[1][1], m[2][2]), DMat3::from_cols(v[0], v[1], v[2]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cloth::algebra::norm;
    use crate::solid::samples;

    #[test]
    fn factors_multiply_to_the_matrix_and_are_rotations() {
        let mut hard = vec![
            DMat3::ZERO,
            DMat3::from_diagonal(DVec3::new(0.0, 3.0, 0.0)),
            DMat3::from_diagonal(DVec3::new(1.0, 1.0, -1.0)),
            DMat3::from_cols(DVec3::ONE, DVec3::ONE, DVec3::ONE),
            DMat3::from_cols(DVec3::ONE, DVec3::ONE * (1.0 + 1e-15), DVec3::ONE),
            DMat3::from_diagonal(DVec3::new(1e-160, 1e-180, 1e-200)),
            DMat3::from_diagonal(DVec3::new(1e160, 1e3, -1e-200)),
        ];
        hard.extend(samples::gradients(500, 2.0));
        for f in hard {
            let Svd { u, values, v } = Svd::new(&f);
            let size = norm(&(f * values.x.recip().min(1e300))).max(1e-300);
            let off = norm(&((u * DMat3::from_diagonal(values) * v.transpose() - f) * values.x.recip().min(1e300)));
            assert!(off <= 1e-14 * size, "{f}: off by {off:e}");
            for r in [u, v] {
                assert!(norm(&(r.transpose() * r - DMat3::IDENTITY)) < 1e-14 && r.determinant() > 0.9, "{f}: {r}");
            }
            assert!(values.x >= values.y && values.y >= values.z.abs() * (1.0 - 1e-14), "{values}");
        }
    }

    #[test]
    fn what_is_no_number_ends() {
        let svd = Svd::new(&DMat3::from_cols(DVec3::splat(f64::NAN), DVec3::X, DVec3::Y));
        assert!(svd.rotation().is_finite());
        symmetric_eigen(&DMat3::from_cols(DVec3::splat(f64::NAN), DVec3::X, DVec3::splat(f64::INFINITY)));
    }

    #[test]
    fn eigenvectors_make_symmetric_matrices_diagonal() {
        for f in samples::gradients(200, 2.0) {
            let a = f + f.transpose();
            let (values, vectors) = symmetric_eigen(&a);
            let back = vectors * DMat3::from_diagonal(values) * vectors.transpose();
            assert!(norm(&(back - a)) < 1e-14 * norm(&a), "{a}");
        }
        assert_eq!(symmetric_eigen(&DMat3::ZERO).0, DVec3::ZERO);
    }
}
