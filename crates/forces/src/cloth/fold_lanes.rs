//! [`Fold`] of eight hinges at once: angles and gradients in SIMD lanes, with the bits of the single function. Second derivatives are not
//! computed here.

use glam::DVec3;
use pliant_scalar::lanes::atan2;
use pliant_scalar::wide::widest;

use super::fold::NO_HEIGHT;
use super::lanes::{LANES, Lane, NONE, Vector, at, cross, dot, minus, put, times};

/// Angle and gradient of a hinge; zero where a triangle has no area.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Turn {
    /// θ, rad.
    pub angle: f64,
    /// ∂θ/∂x at corners 1, 2, 3.
    pub gradient: [DVec3; 3],
    /// Whether the hinge has an angle.
    pub exists: bool,
}

/// Calls `f(k, turn)` with each hinge at the positions `x(node)`, in order.
#[inline(always)]
pub(super) fn for_each_turn(hinges: &[[u32; 4]], x: impl Fn(usize) -> DVec3, mut f: impl FnMut(usize, Turn)) {
    widest(
        #[inline(always)]
        || {
            for (batch, nodes) in hinges.chunks(LANES).enumerate() {
                let turns = Turns::new(nodes, &x);
                for lane in 0..nodes.len() {
                    f(batch * LANES + lane, turns.at(lane));
                }
            }
        },
    );
}

/// Eight hinges.
struct Turns {
    angle: [f64; LANES],
    gradient: [Vector; 3],
    exists: [bool; LANES],
}

impl Turns {
    /// A partial batch is padded with the last hinge.
    #[inline(always)]
    fn new(hinges: &[[u32; 4]], x: &impl Fn(usize) -> DVec3) -> Self {
        let mut corners = [[NONE; 3]; 4];
        for lane in 0..LANES {
            let nodes = hinges[lane.min(hinges.len() - 1)];
            for (corner, node) in corners.iter_mut().zip(nodes) {
                put(corner, lane, x(node as usize));
            }
        }
        let edge = minus(&corners[1], &corners[0]);
        let length = dot(&edge, &edge).sqrt();
        let inverse_length = Lane::splat(1.0) / length;
        let e = times(&edge, inverse_length);
        let (n, height, inverse_height, foot) = side(&corners[0], &corners[2], &e, inverse_length);
        let (turned, other_height, other_inverse, other_foot) = side(&corners[0], &corners[3], &e, inverse_length);
        let other = turned.map(|c| -c);
        let angle = atan2(dot(&e, &cross(&n, &other)).0, dot(&n, &other).0);
        let gradient = [
            std::array::from_fn(|i| n[i] * foot + other[i] * other_foot),
            times(&n, -inverse_height),
            times(&other, -other_inverse),
        ];
        let exists = std::array::from_fn(|lane| {
            let least = NO_HEIGHT * length.0[lane];
            height.0[lane] > least && other_height.0[lane] > least && length.0[lane] > 0.0
        });
        Self { angle, gradient, exists }
    }

    #[inline(always)]
    fn at(&self, lane: usize) -> Turn {
        if !self.exists[lane] {
            return Turn::default();
        }
        let [a, b, c] = &self.gradient;
        Turn { angle: self.angle[lane], gradient: [at(a, lane), at(b, lane), at(c, lane)], exists: true }
    }
}

/// Normal, height, its inverse, and `α/(L h)` of a triangle with the edge e from `start`.
#[inline(always)]
fn side(start: &Vector, corner: &Vector, e: &Vector, inverse_length: Lane) -> (Vector, Lane, Lane, Lane) {
    let arm = minus(corner, start);
    let along = dot(&arm, e);
    let across = minus(&arm, &times(e, along));
    let height = dot(&across, &across).sqrt();
    let inverse_height = Lane::splat(1.0) / height;
    let m = times(&across, inverse_height);
    (cross(e, &m), height, inverse_height, along * inverse_length * inverse_height)
}

#[cfg(test)]
mod tests {
    use super::super::fold::Fold;
    use super::*;
    use crate::solid::samples::Numbers;

    /// Flat, folded, sharply folded, and without area, in batches of all sizes.
    #[test]
    fn lanes_have_the_bits_of_single_hinges() {
        let mut numbers = Numbers(7);
        let mut x = Vec::new();
        for k in 0..203 {
            let noise = [1e-6, 0.1, 0.6, 3.0][k % 4];
            x.extend(
                [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::new(1.0, -1.0, 0.0)].map(|c| c + numbers.vector() * noise),
            );
            match k % 29 {
                3 => x[4 * k + 1] = x[4 * k],
                7 => x[4 * k + 2] = x[4 * k] * 0.5 + x[4 * k + 1] * 0.5,
                11 => x[4 * k + 3] = x[4 * k + 1],
                13 => x[4 * k + 3] = x[4 * k + 2],
                _ => (),
            }
        }
        let hinges: Vec<[u32; 4]> = (0..203).map(|k| [0, 1, 2, 3].map(|a| 4 * k + a)).collect();
        let (mut missing, mut steep) = (0, 0);
        for size in [1, 2, 7, 8, 9, 64, 203] {
            for (c, chunk) in hinges.chunks(size).enumerate() {
                for_each_turn(
                    chunk,
                    |i| x[i],
                    |k, turn| {
                        let fold = Fold::new(hinges[c * size + k].map(|n| x[n as usize]));
                        assert_eq!(turn.exists, fold.is_some());
                        let (angle, gradient) =
                            fold.map_or_else(Default::default, |fold| (fold.angle, fold.gradient()));
                        assert_eq!(turn.angle.to_bits(), angle.to_bits());
                        assert_eq!(
                            turn.gradient.map(|g| g.to_array().map(f64::to_bits)),
                            gradient.map(|g| g.to_array().map(f64::to_bits))
                        );
                        missing += usize::from(fold.is_none());
                        steep += usize::from(angle.abs() > 1.6);
                    },
                );
            }
        }
        assert!(missing > 50 && steep > 50, "{missing} {steep}");
    }
}
