//! Axis-aligned bounding boxes: of points, swept over a step, grown by a margin.

use glam::DVec3;

/// An axis-aligned bounding box. Empty if a `low` exceeds its `high` or is NaN.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// The smallest coordinates, m.
    pub low: DVec3,
    /// The largest coordinates, m.
    pub high: DVec3,
}

impl Aabb {
    /// Contains nothing.
    pub const EMPTY: Self = Self { low: DVec3::INFINITY, high: DVec3::NEG_INFINITY };

    /// The smallest box around points. A coordinate that is not finite makes the box NaN, so that it overlaps nothing.
    #[inline]
    pub fn around(points: impl IntoIterator<Item = DVec3>) -> Self {
        let mut all = Self::EMPTY;
        let mut nothing = DVec3::ZERO;
        for p in points {
            all = Self { low: all.low.min(p), high: all.high.max(p) };
            nothing += p * 0.0; // NaN from the first coordinate on that is not finite: `min` would skip it
        }
        Self { low: all.low + nothing, high: all.high + nothing }
    }

    /// The box around the points with the given indices at both ends of a step: a straight path from `start` to `end` stays inside.
    /// Coordinates that are not finite: as for [`Aabb::around`].
    ///
    /// # Panics
    /// If an index is out of range.
    #[inline]
    pub fn swept<const N: usize>(points: &[u32; N], start: &[DVec3], end: &[DVec3]) -> Self {
        // A plain loop: as an iterator over both ends it took thirteen times as long.
        let mut all = Self::EMPTY;
        let mut nothing = DVec3::ZERO;
        for &i in points {
            let (a, b) = (start[i as usize], end[i as usize]);
            all.low = all.low.min(a).min(b);
            all.high = all.high.max(a).max(b);
            nothing += (a - b) * 0.0;
        }
        Self { low: all.low + nothing, high: all.high + nothing }
    }

    /// Grown by `margin` on every side.
    pub fn grown(self, margin: f64) -> Self {
        Self { low: self.low - margin, high: self.high + margin }
    }

    /// Whether the boxes overlap.
    pub fn meets(&self, other: &Self) -> bool {
        self.low.cmple(other.high).all() && other.low.cmple(self.high).all()
    }

    /// Its centre.
    pub fn centre(&self) -> DVec3 {
        0.5 * self.low + 0.5 * self.high
    }
}
