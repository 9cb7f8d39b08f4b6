//! Points at equal distances along a fine polyline.

use glam::DVec3;

use super::{BadRope, Centreline, segments};

impl Centreline {
    /// The same curve with `count` segments of equal arc length. Ends stay where they are; of a closed one the first point does.
    pub fn resampled(&self, count: usize) -> Result<Self, BadRope> {
        segments(if self.is_closed() { 3 } else { 1 }, count)?;
        let mut ends = Vec::with_capacity(self.segments() + 1);
        let mut total = 0.0;
        ends.push(0.0);
        for k in 0..self.segments() {
            total += self.edge(k).length();
            ends.push(total);
        }
        let points = self.points();
        let last = if self.is_closed() { count - 1 } else { count };
        let mut segment = 0;
        let mut out: Vec<DVec3> = Vec::with_capacity(last + 1);
        for k in 0..=last {
            if k == count {
                out.push(points[points.len() - 1]);
                break;
            }
            let s = total * k as f64 / count as f64;
            while segment + 1 < self.segments() && ends[segment + 1] <= s {
                segment += 1;
            }
            let part = (s - ends[segment]) / (ends[segment + 1] - ends[segment]);
            out.push(points[self.ends(segment).0] + self.edge(segment) * part);
        }
        Self::new(out, self.is_closed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_along_the_curve_are_equal() {
        let points = vec![DVec3::ZERO, DVec3::X * 0.1, DVec3::X * 3.0, DVec3::new(3.0, 2.0, 0.0)];
        let line = Centreline::new(points.clone(), false).unwrap().resampled(10).unwrap();
        assert_eq!(line.points().len(), 11);
        for (k, p) in line.points().iter().enumerate() {
            let s = 0.5 * k as f64;
            let expected = if s <= 3.0 { DVec3::X * s } else { DVec3::new(3.0, s - 3.0, 0.0) };
            assert!((*p - expected).length() < 1e-15, "{p}");
        }
        let closed = Centreline::new(points, true).unwrap().resampled(7).unwrap();
        assert_eq!((closed.points().len(), closed.segments()), (7, 7));
        assert!(closed.is_closed() && closed.points()[0] == DVec3::ZERO);
        for bad in [0, super::super::MAX_SEGMENTS + 1] {
            assert!(matches!(line.resampled(bad), Err(BadRope::Segments { .. })));
        }
        assert_eq!(line.resampled(1).unwrap().points(), [DVec3::ZERO, DVec3::new(3.0, 2.0, 0.0)]);
    }
}
