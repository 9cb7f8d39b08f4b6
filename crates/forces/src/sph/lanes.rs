//! Particles as the loops over neighbours see them: sorted, a few numbers side by side, gathered several at a time.

use crate::solid::pack::Pack;

/// Neighbours at once.
pub(super) const LANES: usize = 4;
/// Particles whose loops are one task. It is not part of the bits: every particle sums its own neighbours.
pub(super) const BLOCK: usize = 128;

pub(super) type Lane = Pack<LANES>;

/// x, y, z, and the volume at rest.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(32))]
pub(super) struct Place(pub [f64; 4]);

/// What the force needs besides: velocity and `p/s²`; then s, and the roots of three strengths of pairs: artificial viscosity, laminar
/// viscosity, cohesion. One line of cache.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
pub(super) struct Motion {
    pub velocity: [f64; 4],
    pub pair: [f64; 4],
}

/// Rows of four neighbours as columns.
#[inline(always)]
pub(super) fn turned(rows: [[f64; 4]; LANES]) -> [Lane; 4] {
    std::array::from_fn(|column| Pack(std::array::from_fn(|lane| rows[lane][column])))
}

/// The sum of all lanes, always in the same order.
#[inline(always)]
pub(super) fn total(lane: Lane) -> f64 {
    let [a, b, c, d] = lane.0;
    (a + c) + (b + d)
}

/// A difference of coordinates, less a whole number of periods: the shortest. An infinite period changes nothing.
#[inline(always)]
pub(super) fn nearest_image(difference: f64, period: f64) -> f64 {
    // adding and taking away 1.5 · 2⁵² rounds to whole numbers on every machine alike
    const ROUND: f64 = 6_755_399_441_055_744.0;
    let turns = (difference / period + ROUND) - ROUND;
    // 0 · ∞ is none
    if turns == 0.0 { difference } else { difference - turns * period }
}
