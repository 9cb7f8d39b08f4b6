//! Initial cracks.

use glam::DVec3;

/// A parallelogram that no bond crosses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crack {
    /// One of its corners, m.
    pub corner: DVec3,
    /// Its sides from there, m.
    pub sides: [DVec3; 2],
}

impl Crack {
    /// Whether the segment between two points crosses it. A segment that touches it, to rounding, crosses it too.
    pub fn cuts(&self, from: DVec3, to: DVec3) -> bool {
        const SLACK: f64 = 1e-9;
        let [a, b] = self.sides;
        let normal = a.cross(b);
        let (start, end) = ((from - self.corner).dot(normal), (to - self.corner).dot(normal));
        let size = normal.length() * (from - to).length();
        // both on one side, or both in its plane
        if start * end > 0.0 && start.abs().min(end.abs()) > SLACK * size || (start - end).abs() <= SLACK * size {
            return false;
        }
        let at = from + (to - from) * (start / (start - end)).clamp(0.0, 1.0) - self.corner;
        let square = normal.length_squared();
        let (u, v) = (at.cross(b).dot(normal) / square, a.cross(at).dot(normal) / square);
        let inside = |part: f64| (-SLACK..=1.0 + SLACK).contains(&part);
        inside(u) && inside(v)
    }
}
