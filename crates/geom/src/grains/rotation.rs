//! The rotation that best maps one set of points onto another.
//!
//! With `A = Σ (x - x̄)(r - r̄)ᵀ` the best rotation is the one that makes `tr(Rᵀ A)` largest. As a unit quaternion q that is `qᵀ N q` with a
//! symmetric 4x4 matrix N made of the entries of A, so that q is the eigenvector of N's largest eigenvalue (Horn's method). It is a rotation
//! always, never a reflection, for flat sets of points as well. Eigenvectors come from Jacobi's method, which cannot fail.

use glam::{DMat3, DQuat, DVec3};
use pliant_scalar::math;

/// Sweeps of Jacobi's method; six are enough for any 4x4 matrix, as it converges quadratically.
const SWEEPS: usize = 16;

/// The largest eigenvalue must be above the second by this part, or points on one line leave the turn around it open.
const MIN_GAP: f64 = 1e-6;

/// The rotation for `A = Σ (x - x̄)(r - r̄)ᵀ`, m². For points on a line the shortest that turns it; for fewer, or for NaN, the identity.
pub(super) fn best_rotation(a: DMat3) -> DMat3 {
    let largest = a.to_cols_array().iter().fold(0.0_f64, |most, entry| most.max(entry.abs()));
    if !(a.is_finite() && largest > f64::MIN_POSITIVE) {
        return DMat3::IDENTITY;
    }
    // Twice, because the inverse of a tiny number may be no number.
    let a = a * (1.0 / largest.sqrt()) * (1.0 / largest.sqrt());
    let [xx, yx, zx, xy, yy, zy, xz, yz, zz] = a.to_cols_array();
    let symmetric = [
        [xx + yy + zz, zy - yz, xz - zx, yx - xy],
        [zy - yz, xx - yy - zz, xy + yx, xz + zx],
        [xz - zx, xy + yx, yy - xx - zz, yz + zy],
        [yx - xy, xz + zx, yz + zy, zz - xx - yy],
    ];
    let (values, vectors) = eigen(symmetric);
    let best = (1..4).fold(0, |best, k| if values[k] > values[best] { k } else { best });
    let second = (0..4).filter(|&k| k != best).fold(f64::NEG_INFINITY, |most, k| most.max(values[k]));
    if values[best] - second <= MIN_GAP * values[best].abs() {
        return turn_of_a_line(a);
    }
    let [w, x, y, z] = vectors.map(|row| row[best]);
    DMat3::from_quat(DQuat::from_xyzw(x, y, z, w).normalize())
}

/// The shortest rotation for a matrix `u vᵀ`: from v to u.
fn turn_of_a_line(a: DMat3) -> DMat3 {
    let columns = [a.x_axis, a.y_axis, a.z_axis];
    let longest = columns.into_iter().fold(DVec3::ZERO, |u, c| if c.length() > u.length() { c } else { u });
    let to = longest.normalize_or_zero();
    let from = (a.transpose() * to).normalize_or_zero();
    if from == DVec3::ZERO { DMat3::IDENTITY } else { DMat3::from_quat(DQuat::from_rotation_arc(from, to)) }
}

/// Eigenvalues of a symmetric matrix and its eigenvectors in columns, by Jacobi's method.
fn eigen(mut a: [[f64; 4]; 4]) -> ([f64; 4], [[f64; 4]; 4]) {
    let mut vectors = [[0.0; 4]; 4];
    (0..4).for_each(|k| vectors[k][k] = 1.0);
    let pairs = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];
    for _ in 0..SWEEPS {
        if pairs.iter().all(|&(p, q)| a[p][q].abs() < f64::MIN_POSITIVE) {
            break;
        }
        for (p, q) in pairs {
            if a[p][q] == 0.0 {
                continue;
            }
            // The smaller of the two angles that make the entry vanish.
            let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
            let t = 1.0_f64.copysign(theta) / (theta.abs() + math::hypot(theta, 1.0));
            let c = 1.0 / math::hypot(t, 1.0);
            let s = t * c;
            for row in &mut a {
                (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
            }
            let rows = [a[p], a[q]];
            a[p] = std::array::from_fn(|k| c * rows[0][k] - s * rows[1][k]);
            a[q] = std::array::from_fn(|k| s * rows[0][k] + c * rows[1][k]);
            (a[p][q], a[q][p]) = (0.0, 0.0);
            for row in &mut vectors {
                (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
            }
        }
    }
    ([a[0][0], a[1][1], a[2][2], a[3][3]], vectors)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outer;

    fn fit(points: &[DVec3], turned: &[DVec3]) -> DMat3 {
        best_rotation(points.iter().zip(turned).fold(DMat3::ZERO, |sum, (p, q)| sum + outer(*q, *p)))
    }

    #[test]
    fn any_turn_of_bodies_plates_and_rods_is_found() {
        let body = [DVec3::X, DVec3::Y * 2.0, DVec3::Z * -0.5, DVec3::new(0.3, -1.0, 0.7)];
        let plate = [DVec3::X, DVec3::Y * 2.0, DVec3::new(-3.0, 1.0, 0.0)];
        let rod = [DVec3::X, DVec3::X * -2.0];
        for (axis, degrees) in
            [(DVec3::X, 0.0), (DVec3::Z, 90.0), (DVec3::new(1.0, 2.0, -3.0), 179.9), (DVec3::Y, 180.0)]
        {
            let turn = DQuat::from_axis_angle(axis.normalize(), f64::to_radians(degrees));
            for scale in [1e-8, 1.0, 1e9] {
                for points in [&body[..], &plate, &rod] {
                    let points: Vec<DVec3> = points.iter().map(|p| *p * scale).collect();
                    let turned: Vec<DVec3> = points.iter().map(|p| turn * *p).collect();
                    let found = fit(&points, &turned);
                    assert!((found.determinant() - 1.0).abs() < 1e-12);
                    for (p, q) in points.iter().zip(&turned) {
                        assert!((found * *p - *q).length() < 1e-12 * scale, "{degrees} {found} {p}");
                    }
                }
            }
        }
    }

    #[test]
    fn what_has_no_rotation_gets_none() {
        for a in [DMat3::ZERO, DMat3::from_diagonal(DVec3::splat(f64::NAN)), DMat3::IDENTITY * f64::INFINITY] {
            assert_eq!(best_rotation(a), DMat3::IDENTITY);
        }
        // A mirrored body gets the nearest rotation.
        let found = best_rotation(DMat3::from_diagonal(DVec3::new(3.0, 2.0, -1.0)));
        assert!((found.determinant() - 1.0).abs() < 1e-12 && (found - DMat3::IDENTITY).x_axis.length() < 1e-12);
    }
}
