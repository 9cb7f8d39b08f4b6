//! The torsional correction of [Ropes] section 4 by quaternions, kept for comparison with [`crate::constraint::torsion`]: a point j between i
//! and k turns its wing to where both of its segments are content.
//!
//! Each segment asks for the rotation by its full offset `d = u₀ - u` about itself, `q = (cos d/2, a sin d/2)`; as seen from j the
//! second one asks for the opposite. Eq. 15, with its indices put right:
//!
//! `q̃_j = slerp(q_ij, q_jk*, λ)`, `λ = L_ij/(L_ij + L_jk)`, along the short arc.
//!
//! On a straight rope that is exactly what makes `Σ (u - u₀)²/2L` of the two segments least. It is a projection of positions: it moves one wing
//! and leaves momentum to look after itself.

use glam::{DQuat, DVec3};
use pliant_scalar::math;

/// Two segments that meet at a point: from i to j, and from j to k.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TwistedPair {
    /// Their unit directions.
    pub axes: [DVec3; 2],
    /// Their lengths, m.
    pub lengths: [f64; 2],
    /// Their twist beyond that at rest, `u - u₀`, rad.
    pub twists: [f64; 2],
}

impl TwistedPair {
    /// The rotation of the wing at j.
    pub fn correction(&self) -> DQuat {
        let rotation = |k: usize, angle: f64| math::axis_angle(self.axes[k], angle);
        let (before, after) = (rotation(0, -self.twists[0]), rotation(1, self.twists[1]));
        slerp(before, after, self.lengths[0] / (self.lengths[0] + self.lengths[1]))
    }
}

/// From one rotation a part of the way to another, along the short arc: `p (p* q)^λ`. To rounding, where the usual formula with sines
/// falls back on a straight line for near rotations.
fn slerp(p: DQuat, q: DQuat, part: f64) -> DQuat {
    let mut between = p.conjugate() * q;
    if between.w < 0.0 {
        between = -between;
    }
    let axis = DVec3::new(between.x, between.y, between.z);
    let sine = axis.length();
    if sine == 0.0 {
        return p;
    }
    p * math::axis_angle(axis / sine, 2.0 * part * math::atan2(sine, between.w))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn angle_about(axis: DVec3, q: DQuat) -> f64 {
        2.0 * math::atan2(DVec3::new(q.x, q.y, q.z).dot(axis), q.w)
    }

    #[test]
    fn it_is_the_least_of_the_torsional_energy() {
        let axis = DVec3::new(0.36, 0.48, 0.8);
        // wings at angles 0, 0.5 and 0.2, segments of 1 and 2: the middle one goes to (0/1 + 0.2/2)/(1/1 + 1/2)
        let pair = TwistedPair { axes: [axis; 2], lengths: [1.0, 2.0], twists: [0.5, -0.3] };
        let found = angle_about(axis, pair.correction());
        assert!((found + 0.433_333_333_333_333_3).abs() < 1e-15, "{found}");
        for (lengths, wings) in [([0.3, 0.7], [0.1, -0.8, 1.2]), ([2.0, 0.1], [-1.0, 0.0, 0.4]), ([1.0, 1.0], [0.0; 3])]
        {
            let twists = [wings[1] - wings[0], wings[2] - wings[1]];
            let pair = TwistedPair { axes: [axis; 2], lengths, twists };
            let best = (wings[0] / lengths[0] + wings[2] / lengths[1]) / (1.0 / lengths[0] + 1.0 / lengths[1]);
            let found = angle_about(axis, pair.correction());
            assert!((wings[1] + found - best).abs() < 1e-15, "{found} {best}");
        }
    }

    #[test]
    fn the_short_arc_is_taken() {
        let axis = DVec3::X;
        // asked to turn by 3 and by -3: half-way is half a turn, not none
        let pair = TwistedPair { axes: [axis; 2], lengths: [1.0, 1.0], twists: [-3.0, -3.0] };
        let found = angle_about(axis, pair.correction());
        assert!((found.abs() - std::f64::consts::PI).abs() < 1e-14, "{found}");
    }

    /// On a bent rope both axes have their say, and the result is still a rotation.
    #[test]
    fn bent_ropes() {
        let axes = [DVec3::X, DVec3::new(0.8, 0.6, 0.0)];
        let pair = TwistedPair { axes, lengths: [1.0, 1.0], twists: [0.4, -0.4] };
        let found = pair.correction();
        assert!((found.length() - 1.0).abs() < 1e-15);
        let mean = (axes[0] + axes[1]).normalize();
        let turned = DVec3::new(found.x, found.y, found.z);
        assert!(turned.cross(mean).length() < 1e-15 && turned.dot(mean) < 0.0, "about the mean of both: {turned}");
    }
}
