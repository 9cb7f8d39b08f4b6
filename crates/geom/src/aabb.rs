//! Boxes along the axes: of points, swept over a step, grown by a margin.

use glam::DVec3;

/// A box along the axes. Empty if a `low` is above its `high` or no number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// The least coordinates, m.
    pub low: DVec3,
    /// The largest, m.
    pub high: DVec3,
}

impl Aabb {
    /// Contains nothing.
    pub const EMPTY: Self = Self { low: DVec3::INFINITY, high: DVec3::NEG_INFINITY };

    /// The smallest box around points. A coordinate that is not finite makes it no number, so that it meets nothing.
    #[inline]
    pub fn around(points: impl IntoIterator<Item = DVec3>) -> Self {
        let mut all = Self::EMPTY;
        let mut nothing = DVec3::ZERO;
        for p in points {
            all = Self { low: all.low.min(p), high: all.high.max(p) };
            nothing += p * 0.0; // NaN from the first coordinate on that is not finite: `min` would pass over it
        }
        Self { low: all.low + nothing, high: all.high + nothing }
    }

    /// Around the points with the given numbers at both ends of a step: what moves on a straight path from `start` to `end` stays inside.
    /// Not finite as for [`Aabb::around`].
    ///
    /// # Panics
    /// If a number is out of range.
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

    /// Whether the boxes have a point in common.
    pub fn meets(&self, other: &Self) -> bool {
        self.low.cmple(other.high).all() && other.low.cmple(self.high).all()
    }

    /// Its middle.
    pub fn centre(&self) -> DVec3 {
        0.5 * self.low + 0.5 * self.high
    }
}
