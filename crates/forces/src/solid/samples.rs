//! Deformation gradients for tests: turned identities with noise.

use glam::{DMat3, DQuat, DVec3};

/// Numbers in [-1, 1), the same every time (SplitMix64).
pub struct Numbers(pub u64);

impl Numbers {
    pub fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^= z >> 31;
        (z >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    pub fn vector(&mut self) -> DVec3 {
        DVec3::new(self.next(), self.next(), self.next())
    }

    pub fn matrix(&mut self) -> DMat3 {
        DMat3::from_cols(self.vector(), self.vector(), self.vector())
    }

    pub fn rotation(&mut self) -> DMat3 {
        DMat3::from_quat(DQuat::from_scaled_axis(self.vector() * 3.0))
    }
}

/// `Q (I + noise N)`, N with entries in [-1, 1).
pub fn gradients(count: usize, noise: f64) -> Vec<DMat3> {
    let mut numbers = Numbers(count as u64 ^ noise.to_bits());
    (0..count).map(|_| numbers.rotation() * (DMat3::IDENTITY + numbers.matrix() * noise)).collect()
}
