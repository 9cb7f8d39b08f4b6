//! Random numbers that are the same on every machine: SplitMix64.

use glam::{DQuat, DVec3};
use pliant_core::State;

/// A seed, and the sequence that follows from it.
#[derive(Clone, Debug)]
pub struct Random(pub u64);

impl Random {
    /// A number in [-1, 1).
    pub fn number(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^= z >> 31;
        (z >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    /// A vector in a cube.
    pub fn vector(&mut self) -> DVec3 {
        DVec3::new(self.number(), self.number(), self.number())
    }

    /// Many of them.
    pub fn vectors(&mut self, count: usize) -> Vec<DVec3> {
        (0..count).map(|_| self.vector()).collect()
    }

    /// A pose turned and moved as a whole, then disturbed by up to `disturbance` in each coordinate, with velocities of up to
    /// `speed`.
    pub fn pose(&mut self, x: &[DVec3], disturbance: f64, speed: f64) -> State {
        let turn = DQuat::from_scaled_axis(self.vector() * 2.0);
        let shift = self.vector();
        let x: Vec<DVec3> = x.iter().map(|x| turn * *x + shift + self.vector() * disturbance).collect();
        let v = x.iter().map(|_| self.vector() * speed).collect();
        State { time: 0.0, x, v }
    }
}
