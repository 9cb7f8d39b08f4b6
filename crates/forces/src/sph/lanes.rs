//! Particle data of the loops over neighbours: sorted, in small contiguous records.

use crate::vector::Number;

/// Neighbours per vector group.
pub(super) const LANES: usize = 4;
/// Particles per task. It does not affect the bits: every particle sums its own neighbours.
pub(super) const BLOCK: usize = 128;

/// x, y, z and a fourth number: of a position the volume at rest.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(32))]
pub(super) struct Vector4(pub [f64; 4]);

/// Inputs of the force besides positions: velocity and `λ p/s²`; then s, and the square roots of three pair coefficients: artificial viscosity, laminar
/// viscosity, cohesion. One cache line.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
pub(super) struct ForceInput {
    pub velocity: [f64; 4],
    pub pair: [f64; 4],
}

/// A period of space and its inverse; two zeros: not periodic.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Period {
    length: f64,
    per_length: f64,
}

impl Period {
    pub fn new(length: Option<f64>) -> Self {
        length.map_or(Self::default(), |length| Self { length, per_length: 1.0 / length })
    }

    /// A difference of coordinates reduced by whole periods to the shortest.
    #[inline(always)]
    pub fn nearest<N: Number>(&self, difference: N) -> N {
        // adding and subtracting 1.5 · 2⁵² rounds to whole numbers, identically on every machine
        let round = difference.constant(6_755_399_441_055_744.0);
        let turns = (difference * difference.constant(self.per_length) + round) - round;
        difference - turns * difference.constant(self.length)
    }
}
