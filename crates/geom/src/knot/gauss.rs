//! Gauss' integral over two polylines, exactly: `(1/4π) ∫∫ (dr₁ × dr₂)·(r₁ - r₂)/|r₁ - r₂|³`.
//!
//! For two straight segments the differences `r₁ - r₂` fill a plane parallelogram, and the integral is the solid angle under which it is
//! seen from the origin, over 4π [Banchoff]: two triangles by [Oosterom]. Over two closed curves the sum is their linking number, over
//! one curve with itself its writhe, where a segment gives nothing with itself or its neighbours, which lie in one plane. Right-handed
//! crossings count as positive.

use glam::DVec3;
use pliant_scalar::math;
use std::f64::consts::PI;

/// Signed solid angle of a triangle seen from the origin.
fn solid_angle(a: DVec3, b: DVec3, c: DVec3) -> f64 {
    let (la, lb, lc) = (a.length(), b.length(), c.length());
    let above = a.dot(b.cross(c));
    if above == 0.0 {
        // the origin is in the triangle's plane: nothing is seen of it, unless the curves touch
        return 0.0;
    }
    2.0 * math::atan2(above, la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb)
}

/// Gauss' integral over the segments from `p[0]` to `p[1]` and from `q[0]` to `q[1]`.
pub fn segment_pair(p: [DVec3; 2], q: [DVec3; 2]) -> f64 {
    let corner = |s: usize, t: usize| p[s] - q[t];
    let [a, b, c, d] = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
    // ∂(r₁ - r₂)/∂s × ∂(r₁ - r₂)/∂t = -dr₁ × dr₂
    -(solid_angle(a, b, c) + solid_angle(a, c, d)) / (4.0 * PI)
}

fn segments(points: &[DVec3], closed: bool) -> usize {
    if closed { points.len() } else { points.len().saturating_sub(1) }
}

fn segment(points: &[DVec3], k: usize) -> [DVec3; 2] {
    [points[k], points[(k + 1) % points.len()]]
}

/// Linking number of two closed polylines that do not touch: a whole number but for rounding.
pub fn linking(one: &[DVec3], other: &[DVec3]) -> f64 {
    let pairs = (0..one.len()).flat_map(|i| (0..other.len()).map(move |j| (i, j)));
    pairs.map(|(i, j)| segment_pair(segment(one, i), segment(other, j))).sum()
}

/// Writhe of a polyline.
pub fn writhe(points: &[DVec3], closed: bool) -> f64 {
    let n = segments(points, closed);
    let mut sum = 0.0;
    for i in 0..n {
        // neighbours are left out; the last segment of a closed polyline is one of the first
        let end = if closed && i == 0 { n - 1 } else { n };
        sum += (i + 2..end).map(|j| segment_pair(segment(points, i), segment(points, j))).sum::<f64>();
    }
    2.0 * sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rope::Curve;
    use glam::DQuat;
    use pliant_testkit::Random;
    use std::f64::consts::TAU;

    /// Midpoint sums of the integrand, as a check of the closed form.
    #[test]
    fn a_pair_is_the_integral() {
        let mut random = Random(3);
        for _ in 0..10 {
            let p = [random.vector(), random.vector()];
            let q = [random.vector() + DVec3::X * 2.5, random.vector() + DVec3::X * 2.5];
            let n = 200;
            let (dp, dq) = ((p[1] - p[0]) / f64::from(n), (q[1] - q[0]) / f64::from(n));
            let mut sum = 0.0;
            for i in 0..n {
                for j in 0..n {
                    let r = p[0] + dp * (f64::from(i) + 0.5) - q[0] - dq * (f64::from(j) + 0.5);
                    sum += dp.cross(dq).dot(r) / r.length().powi(3);
                }
            }
            let exact = segment_pair(p, q);
            assert!((sum / (4.0 * PI) - exact).abs() < 1e-4 * exact.abs() + 1e-9, "{exact}");
            assert!((segment_pair(q, p) - exact).abs() < 1e-15, "symmetric");
            assert!((segment_pair([p[1], p[0]], q) + exact).abs() < 1e-15, "odd");
        }
    }

    #[test]
    fn linking_numbers() {
        let ring = Curve::Ring { radius: 1.0 }.centreline(40).unwrap().points().to_vec();
        let turn = DQuat::from_rotation_x(PI / 2.0);
        let hopf: Vec<DVec3> = ring.iter().map(|p| turn * *p + DVec3::X).collect();
        let far: Vec<DVec3> = ring.iter().map(|p| turn * *p + DVec3::X * 2.5).collect();
        let found = linking(&ring, &hopf);
        assert!((found.abs() - 1.0).abs() < 1e-13, "{found}");
        let back: Vec<DVec3> = hopf.iter().rev().copied().collect();
        assert!((linking(&ring, &back) + found).abs() < 1e-13);
        assert!(linking(&ring, &far).abs() < 1e-13);
        // three times around, right-handed: up while turning from z to x
        let spiral = |k: usize| {
            let a = TAU * k as f64 / 300.0;
            let r = 1.0 + 0.3 * (3.0 * a).cos();
            DVec3::new(r * a.cos(), 0.3 * (3.0 * a).sin(), -r * a.sin())
        };
        let coil: Vec<DVec3> = (0..300).map(spiral).collect();
        assert!((linking(&ring, &coil).abs() - 3.0).abs() < 1e-12);
    }

    #[test]
    fn writhe_of_plane_curves_and_knots() {
        let ring = Curve::Ring { radius: 1.0 }.centreline(50).unwrap();
        assert!(writhe(ring.points(), true).abs() < 1e-12);
        let wave = Curve::Wave { length: 2.0, height: 0.5, waves: 2.0 }.centreline(50).unwrap();
        assert!(writhe(wave.points(), false).abs() < 1e-12);
        // a long right-handed helix has a writhe of 1 - sin(pitch angle) per turn [Fuller]; what the ends do to it falls with the square of
        // the number of turns
        let (radius, pitch) = (1.0, 0.5);
        let of = |turns: usize| {
            let helix = Curve::Helix { radius, pitch, turns: turns as f64 }.centreline(60 * turns).unwrap();
            writhe(helix.points(), false)
        };
        let last_turn = |turns: usize| of(turns + 1) - of(turns);
        let (short, long) = (last_turn(10), last_turn(20));
        let per_turn = (4.0 * long - short) / 3.0;
        let sine = pitch / (pitch * pitch + (TAU * radius).powi(2)).sqrt();
        assert!((per_turn - (1.0 - sine)).abs() < 2e-3, "{short} {long}: {per_turn}, {}", 1.0 - sine);
        let trefoil = Curve::Trefoil { size: 1.0 }.centreline(200).unwrap();
        let found = writhe(trefoil.points(), true);
        let mirrored: Vec<DVec3> = trefoil.points().iter().map(|p| DVec3::new(p.x, -p.y, p.z)).collect();
        assert!((writhe(&mirrored, true) + found).abs() < 1e-12 && (3.0..4.0).contains(&found.abs()), "{found}");
    }
}
