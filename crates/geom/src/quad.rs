//! Four boxes side by side, compared with one at a time; in f32, rounded outward.
//!
//! Coordinates are first clamped to ±2¹²⁶, which keeps the order of any two, so that rounding never leaves the finite numbers; an empty
//! box (low above high, infinite) then overlaps nothing, not even one that spans all.

use crate::aabb::Aabb;
use glam::Vec4;

/// One box.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Small {
    low: [f32; 3],
    high: [f32; 3],
}

/// Four boxes, coordinate by coordinate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Quad {
    low: [Vec4; 3],
    high: [Vec4; 3],
}

const LARGEST: f64 = (1_u128 << 126) as f64;

impl Small {
    const EMPTY: Self = Self { low: [f32::INFINITY; 3], high: [f32::NEG_INFINITY; 3] };

    /// The box rounded outward; empty if it is empty or NaN.
    #[inline]
    pub(crate) fn around(all: &Aabb) -> Self {
        if !all.low.cmple(all.high).all() {
            return Self::EMPTY;
        }
        // Rounding to nearest errs by at most half of EPSILON |v|, and the difference below by as much again.
        let slack = |f: f32| f.abs() * f32::EPSILON + f32::MIN_POSITIVE;
        let near = |v: f64| v.clamp(-LARGEST, LARGEST) as f32;
        let (low, high) = (all.low.to_array().map(near), all.high.to_array().map(near));
        Self { low: low.map(|f| f - slack(f)), high: high.map(|f| f + slack(f)) }
    }
}

impl Quad {
    pub(crate) const EMPTY: Self = Self { low: [Vec4::INFINITY; 3], high: [Vec4::NEG_INFINITY; 3] };

    /// Four boxes.
    #[inline]
    pub(crate) fn new(boxes: [Small; 4]) -> Self {
        let [a, b, c, d] = boxes;
        let low = std::array::from_fn(|k| Vec4::new(a.low[k], b.low[k], c.low[k], d.low[k]));
        let high = std::array::from_fn(|k| Vec4::new(a.high[k], b.high[k], c.high[k], d.high[k]));
        Self { low, high }
    }

    /// Up to four boxes, the others empty.
    #[inline]
    pub(crate) fn of(boxes: impl Iterator<Item = Small>) -> Self {
        let mut all = [Small::EMPTY; 4];
        for (place, small) in all.iter_mut().zip(boxes) {
            *place = small;
        }
        Self::new(all)
    }

    /// One of the boxes.
    #[inline]
    pub(crate) fn get(&self, child: usize) -> Small {
        Small { low: self.low.map(|l| l[child]), high: self.high.map(|h| h[child]) }
    }

    /// Around all four.
    #[inline]
    pub(crate) fn whole(&self) -> Small {
        Small { low: self.low.map(Vec4::min_element), high: self.high.map(Vec4::max_element) }
    }

    /// One bit for each box that the query overlaps.
    #[inline]
    pub(crate) fn meets(&self, query: &Small) -> u32 {
        let mut all = self.low[0].cmple(Vec4::splat(query.high[0])) & self.high[0].cmpge(Vec4::splat(query.low[0]));
        for axis in 1..3 {
            all &= self.low[axis].cmple(Vec4::splat(query.high[axis]));
            all &= self.high[axis].cmpge(Vec4::splat(query.low[axis]));
        }
        all.bitmask()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    #[test]
    fn rounding_is_outward_and_tight() {
        for v in [0.0, 0.1, -0.3, 1.0, 1e-30, 1e-45, -1e-50, 123456.789, -7e37] {
            let at = Aabb { low: DVec3::splat(v), high: DVec3::splat(v) };
            let small = Small::around(&at);
            let (low, high) = (f64::from(small.low[0]), f64::from(small.high[0]));
            assert!(low < v && v < high, "{v}: {low} {high}");
            assert!(high - low <= 4.0 * f64::from(f32::EPSILON) * v.abs() + 4.0 * f64::from(f32::MIN_POSITIVE));
        }
    }

    #[test]
    fn what_is_not_there_meets_nothing() {
        let all = Aabb { low: DVec3::NEG_INFINITY, high: DVec3::INFINITY };
        let far = Aabb { low: DVec3::splat(1e200), high: DVec3::splat(1e201) };
        let odd = Aabb { low: DVec3::NAN, high: DVec3::NAN };
        let quad = Quad::of([all, far, odd].iter().map(Small::around));
        assert_eq!(quad.meets(&Small::around(&all)), 0b0011);
        assert_eq!(quad.meets(&Small::around(&far)), 0b0011);
        assert_eq!(quad.meets(&Small::around(&odd)), 0);
        assert_eq!(Quad::EMPTY.meets(&Small::around(&all)), 0);
        assert_eq!(Quad::EMPTY.meets(&Quad::EMPTY.whole()), 0);
    }
}
