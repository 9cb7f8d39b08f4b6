//! A smooth curve through points: Catmull and Rom's spline with centripetal parameters, `t_{i+1} = t_i + √|p_{i+1} - p_i|`, which has neither
//! loops nor cusps within a span [Yuksel]. Evaluated by the pyramid of [BarryGoldman]. Open curves get a point beyond each end by
//! reflection.

use glam::DVec3;

use super::{BadRope, Centreline};

/// Straight pieces per span of a spline before it is resampled.
const PIECES: usize = 64;

/// One span from `p[1]` to `p[2]`, at a part of the way in [0, 1].
fn span(p: [DVec3; 4], part: f64) -> DVec3 {
    let knot = |a: DVec3, b: DVec3| (b - a).length().sqrt();
    let t0 = 0.0;
    let t1 = t0 + knot(p[0], p[1]);
    let t2 = t1 + knot(p[1], p[2]);
    let t3 = t2 + knot(p[2], p[3]);
    let t = t1 + (t2 - t1) * part;
    let mix = |a: DVec3, ta: f64, b: DVec3, tb: f64| a * ((tb - t) / (tb - ta)) + b * ((t - ta) / (tb - ta));
    let (a1, a2, a3) = (mix(p[0], t0, p[1], t1), mix(p[1], t1, p[2], t2), mix(p[2], t2, p[3], t3));
    let (b1, b2) = (mix(a1, t0, a2, t2), mix(a2, t1, a3, t3));
    mix(b1, t1, b2, t2)
}

impl Centreline {
    /// A smooth curve through the points of this one, in `count` segments of equal arc length.
    pub fn smooth(&self, count: usize) -> Result<Self, BadRope> {
        let points = self.points();
        let n = points.len();
        let at = |k: isize| match usize::try_from(k) {
            _ if self.is_closed() => points[k.rem_euclid(n as isize) as usize],
            Err(_) => points[0] * 2.0 - points[1],
            Ok(k) if k >= n => points[n - 1] * 2.0 - points[n - 2],
            Ok(k) => points[k],
        };
        let mut fine = Vec::with_capacity(PIECES * self.segments() + 1);
        for k in 0..self.segments() as isize {
            let corners = [at(k - 1), at(k), at(k + 1), at(k + 2)];
            fine.extend((0..PIECES).map(|piece| span(corners, piece as f64 / PIECES as f64)));
        }
        if !self.is_closed() {
            fine.push(points[n - 1]);
        }
        Self::new(fine, self.is_closed())?.resampled(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_testkit::Random;

    #[test]
    fn it_goes_through_its_points_and_keeps_straight_lines() {
        let mut random = Random(5);
        let p: [DVec3; 4] = std::array::from_fn(|_| random.vector());
        assert!((span(p, 0.0) - p[1]).length() < 1e-15 && (span(p, 1.0) - p[2]).length() < 1e-15);
        let line = [0.0, 1.0, 1.5, 4.0].map(|x| DVec3::new(x, 2.0 * x, -x));
        for k in 0..=10 {
            let q = span(line, 0.1 * f64::from(k));
            assert!((q.y - 2.0 * q.x).abs() < 1e-14 && (q.z + q.x).abs() < 1e-14, "{q}");
        }
    }

    #[test]
    fn points_on_a_circle_give_almost_a_circle() {
        let mut last = f64::INFINITY;
        for n in [6, 12, 24] {
            let angle = |k: usize| std::f64::consts::TAU * k as f64 / n as f64;
            let points: Vec<DVec3> = (0..n).map(|k| DVec3::new(angle(k).cos(), angle(k).sin(), 0.3)).collect();
            let ring = Centreline::new(points, true).unwrap().smooth(500).unwrap();
            let off = ring.points().iter().map(|p| (p.truncate().length() - 1.0).abs()).fold(0.0, f64::max);
            // interpolation of third order or better
            assert!(off < last / 7.0, "{n} points: off by {off}");
            last = off;
        }
        assert!(last < 1e-3);
        // open: ends stay
        let points = vec![DVec3::ZERO, DVec3::new(1.0, 1.0, 0.0), DVec3::new(2.0, 0.0, 1.0)];
        let curve = Centreline::new(points.clone(), false).unwrap().smooth(20).unwrap();
        assert_eq!((curve.points()[0], curve.points()[20]), (points[0], points[2]));
        let near = curve.points().iter().map(|p| (*p - points[1]).length()).fold(f64::INFINITY, f64::min);
        assert!(near < curve.length() / 20.0);
    }
}
