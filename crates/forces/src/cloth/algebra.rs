//! Small matrices that the sheets share.

use glam::{DMat3, DVec3};

/// `a bᵀ`.
#[inline]
pub fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

/// `s I`.
#[inline]
pub fn scalar(s: f64) -> DMat3 {
    DMat3::from_diagonal(DVec3::splat(s))
}

/// `[a]×`, the matrix of `b ↦ a × b`.
#[inline]
pub fn cross(a: DVec3) -> DMat3 {
    DMat3::from_cols(DVec3::new(0.0, a.z, -a.y), DVec3::new(-a.z, 0.0, a.x), DVec3::new(a.y, -a.x, 0.0))
}

/// `½ (A + Aᵀ)`; the same bits where `A` is symmetric.
#[inline]
pub fn symmetric_part(a: DMat3) -> DMat3 {
    (a + a.transpose()) * 0.5
}

/// Frobenius' norm: an upper bound of the spectral one, equal to it for `a bᵀ`.
pub fn norm(a: &DMat3) -> f64 {
    a.to_cols_array().iter().map(|value| value * value).sum::<f64>().sqrt()
}

/// An upper bound of the spectral norm of a symmetric matrix, at most 3^(1/8) = 1.15 times too large: `‖A⁴‖^(1/4)`.
pub fn symmetric_norm(a: &DMat3) -> f64 {
    // scaled, so that fourth powers of stiff cloth do not overflow
    let size = norm(a);
    if size == 0.0 || !size.is_finite() {
        return size;
    }
    let scaled = *a * size.recip();
    let square = scaled * scaled;
    norm(&(square * square)).sqrt().sqrt() * size
}

/// The symmetric 2 × 2 matrix `[[a, b], [b, d]]` without its negative eigenvalues; the same bits where it has none.
#[inline]
pub fn positive_part([a, b, d]: [f64; 3]) -> [f64; 3] {
    // Sylvester: no eigenvalue is negative
    if a >= 0.0 && d >= 0.0 && a * d >= b * b {
        return [a, b, d];
    }
    let mean = 0.5 * (a + d);
    let half = 0.5 * (a - d);
    let radius = (half * half + b * b).sqrt();
    let (high, low) = (mean + radius, mean - radius);
    if high <= 0.0 {
        return [0.0; 3];
    }
    if low >= 0.0 {
        return [a, b, d];
    }
    // high times the projector ½ (I + (S - mean I)/radius)
    let share = 0.5 * high / radius;
    [share * (radius + half), share * b, share * (radius - half)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positive_parts_of_small_matrices() {
        assert_eq!(positive_part([2.0, 0.5, 1.0]), [2.0, 0.5, 1.0]);
        assert_eq!(positive_part([-2.0, 0.5, -1.0]), [0.0; 3]);
        // diag(3, -1) turned by 45°
        let [a, b, d] = positive_part([1.0, 2.0, 1.0]);
        assert!((a - 1.5).abs() < 1e-15 && (b - 1.5).abs() < 1e-15 && (d - 1.5).abs() < 1e-15);
    }

    #[test]
    fn norms_bound_the_largest_eigenvalue_closely() {
        let a = DMat3::from_diagonal(DVec3::new(5e6, -3e6, 1e6));
        assert!((5e6..=5e6 * 3_f64.powf(0.125)).contains(&symmetric_norm(&a)));
        let identity = scalar(2.0);
        assert!((symmetric_norm(&identity) - 2.0 * 3_f64.powf(0.125)).abs() < 1e-12);
        assert_eq!(symmetric_norm(&DMat3::ZERO), 0.0);
    }

    #[test]
    fn cross_is_the_matrix_of_the_product() {
        let (a, b) = (DVec3::new(1.0, -2.0, 0.5), DVec3::new(0.3, 0.7, -1.1));
        assert_eq!(cross(a) * b, a.cross(b));
    }
}
