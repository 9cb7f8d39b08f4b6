//! Positions of the corners of cells, which are the vertices of shards: on the surface of the body where they are outside, jittered where cracks
//! may run, so that these do not look like stairs.

use crate::stuffing::SignedDistance;
use glam::DVec3;

/// Largest jitter of corners along each axis, in spacings. Below a half, so that cells stay cells.
const SHAKEN: f64 = 0.3;

/// How far corners are moved onto the surface at most, in spacings. A cell with its centre inside and one with its centre outside share the
/// corner, and the surface runs between them: it is at most half the diagonal of a cell away, 0.87.
const REACH: f64 = 0.9;

/// The eight places around a corner of the lattice, bit by bit: whether they are on the high side along x, y, z; with which are occupied.
#[derive(Clone, Copy)]
pub(super) struct Around(pub [bool; 8]);

impl Around {
    fn is_outer(self) -> bool {
        self.0.contains(&false)
    }

    /// Whether a corner that moves along an axis stays on the outside of the body: what is beside it is the same both ways.
    fn is_free_along(self, axis: usize) -> bool {
        (0..8).all(|place| self.0[place] == self.0[place ^ (1 << axis)])
    }
}

/// The position of a corner of the lattice, m. Corners inside are jittered; those outside are moved onto the surface if there is one, else jittered
/// within their face or edge, so that a block stays a block.
pub(super) fn place(
    corner: [i64; 3],
    at: DVec3,
    around: Around,
    spacing: f64,
    surface: Option<&SignedDistance>,
) -> DVec3 {
    if let (true, Some(surface)) = (around.is_outer(), surface) {
        return surface.nearest(at, REACH * spacing).unwrap_or(at);
    }
    let offset = noise(corner);
    let shaken = |axis: usize| if around.is_free_along(axis) { SHAKEN * spacing * offset[axis] } else { 0.0 };
    at + DVec3::new(shaken(0), shaken(1), shaken(2))
}

/// Three pseudorandom numbers from -1 to 1 that depend on the corner alone.
fn noise(corner: [i64; 3]) -> [f64; 3] {
    let mut state = corner.iter().fold(0x9e37_79b9_7f4a_7c15_u64, |state, k| mixed(state ^ *k as u64));
    std::array::from_fn(|_| {
        state = mixed(state);
        (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    })
}

/// One step of the generator SplitMix64.
fn mixed(state: u64) -> u64 {
    let z = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
