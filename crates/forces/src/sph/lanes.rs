//! Particles as the loops over neighbours see them: sorted, a few numbers side by side.

use crate::vector::Number;

/// Neighbours at once.
pub(super) const LANES: usize = 4;
/// Particles whose loops are one task. It is not part of the bits: every particle sums its own neighbours.
pub(super) const BLOCK: usize = 128;

/// x, y, z, and the volume at rest.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(32))]
pub(super) struct Place(pub [f64; 4]);

/// What the force needs besides: velocity and `λ p/s²`; then s, and the roots of three strengths of pairs: artificial viscosity, laminar
/// viscosity, cohesion. One line of cache.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
pub(super) struct Motion {
    pub velocity: [f64; 4],
    pub pair: [f64; 4],
}

/// A length after which space repeats, and its inverse; two zeros: it does not.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Period {
    length: f64,
    per_length: f64,
}

impl Period {
    pub fn new(length: Option<f64>) -> Self {
        length.map_or(Self::default(), |length| Self { length, per_length: 1.0 / length })
    }

    /// A difference of coordinates, less a whole number of periods: the shortest.
    #[inline(always)]
    pub fn nearest<N: Number>(&self, difference: N) -> N {
        // adding and taking away 1.5 · 2⁵² rounds to whole numbers on every machine alike
        let round = difference.constant(6_755_399_441_055_744.0);
        let turns = (difference * difference.constant(self.per_length) + round) - round;
        difference - turns * difference.constant(self.length)
    }
}
