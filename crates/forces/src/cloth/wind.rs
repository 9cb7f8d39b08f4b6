//! Wind as a function of time and place, without any state: a mean and a few travelling waves.
//!
//! `w(x, t) = U + Σ_k a_k sin(k_k·x - ω_k t + φ_k)`, smooth everywhere, with `a_k ⟂ k_k`, so that the air is neither compressed nor thinned.
//! The waves of [`Wind::gusty`] are carried along by the mean, `ω = k·U` ([Taylor]'s frozen turbulence), plus their own turning over, and
//! their speeds go with the cube root of their lengths, as eddies' do [Kolmogorov].

use std::f64::consts::TAU;

use glam::{DMat3, DVec3};
use pliant_scalar::math;

use super::algebra::outer;

/// One travelling wave of the wind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gust {
    /// Largest velocity, m/s.
    pub amplitude: DVec3,
    /// Wave vector, rad/m.
    pub wave: DVec3,
    /// rad/s
    pub frequency: f64,
    /// rad
    pub phase: f64,
}

impl Gust {
    fn angle(&self, x: DVec3, time: f64) -> f64 {
        self.wave.dot(x) - self.frequency * time + self.phase
    }
}

/// The wind.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wind {
    /// Mean velocity, m/s.
    pub mean: DVec3,
    /// Waves on top of it.
    pub gusts: Vec<Gust>,
}

/// Waves of a gusty wind.
const WAVES: usize = 6;
/// Ratio of the lengths of two neighbours: none is a multiple of another.
const RATIO: f64 = 1.618_033_988_749_895;

impl Wind {
    /// Constant in space and time.
    pub fn uniform(mean: DVec3) -> Self {
        Self { mean, gusts: Vec::new() }
    }

    /// A mean with gusts whose speed has the root mean square `strength` (m/s) and the longest of which is `length` (m) long. The same
    /// arguments give the same wind. No gusts where the length is not positive.
    pub fn gusty(mean: DVec3, strength: f64, length: f64) -> Self {
        if !(length > 0.0 && strength > 0.0) {
            return Self::uniform(mean);
        }
        let share = |k: usize| math::cbrt(RATIO.powi(-(k as i32)));
        let total: f64 = (0..WAVES).map(|k| share(k) * share(k)).sum();
        let gust = |k: usize| {
            // directions spread over the sphere by the golden angle
            let (height, turn) = (1.0 - (2 * k + 1) as f64 / WAVES as f64, TAU * (k as f64) / RATIO);
            let ring = (1.0 - height * height).sqrt();
            let direction = DVec3::new(ring * math::cos(turn), height, ring * math::sin(turn));
            let wave = direction * (TAU * RATIO.powi(k as i32) / length);
            let side = direction.any_orthonormal_vector();
            let across = side * math::cos(2.0 * turn) + direction.cross(side) * math::sin(2.0 * turn);
            // the mean square of a sine is one half
            let speed = strength * share(k) * (2.0 / total).sqrt();
            Gust {
                amplitude: across * speed,
                wave,
                frequency: wave.dot(mean) + 0.5 * speed * wave.length(),
                phase: 2.0 * turn + k as f64,
            }
        };
        Self { mean, gusts: (0..WAVES).map(gust).collect() }
    }

    /// Whether the air is at rest.
    pub fn is_still(&self) -> bool {
        self.mean == DVec3::ZERO && self.gusts.is_empty()
    }

    /// Velocity of the air, m/s.
    pub fn at(&self, x: DVec3, time: f64) -> DVec3 {
        self.gusts.iter().fold(self.mean, |w, gust| w + gust.amplitude * math::sin(gust.angle(x, time)))
    }

    /// `∂w/∂x`, 1/s.
    pub fn gradient(&self, x: DVec3, time: f64) -> DMat3 {
        let of = |gust: &Gust| outer(gust.amplitude * math::cos(gust.angle(x, time)), gust.wave);
        self.gusts.iter().map(of).fold(DMat3::ZERO, |sum, part| sum + part)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gusts_have_the_stated_strength_no_divergence_and_the_right_gradient() {
        let mean = DVec3::new(4.0, 0.0, 1.0);
        let wind = Wind::gusty(mean, 1.5, 3.0);
        let (mut square, mut sum, count) = (0.0, DVec3::ZERO, 40_000);
        for i in 0..count {
            // a long walk that no wave repeats on
            let (x, time) = (DVec3::new(0.137, 0.291, -0.223) * i as f64, 0.731 * i as f64);
            let gust = wind.at(x, time) - mean;
            square += gust.length_squared();
            sum += gust;
        }
        // a mean over n samples of oscillations goes down at least as 1/√n
        let tolerance = 3.0 / f64::from(count).sqrt();
        assert!((square / f64::from(count) / 2.25 - 1.0).abs() < 3.0 * tolerance, "{}", square / f64::from(count));
        assert!(sum.length() / f64::from(count) < 1.5 * tolerance);
        let (x, time, s) = (DVec3::new(0.3, -0.2, 0.9), 1.7, 1e-4);
        let gradient = wind.gradient(x, time);
        assert!((gradient.x_axis.x + gradient.y_axis.y + gradient.z_axis.z).abs() < 1e-12);
        for (axis, column) in
            [DVec3::X, DVec3::Y, DVec3::Z].into_iter().zip([gradient.x_axis, gradient.y_axis, gradient.z_axis])
        {
            let quotient = (wind.at(x + axis * s, time) - wind.at(x - axis * s, time)) / (2.0 * s);
            // s²/6 |a| |k|³ of the shortest wave, about 1 m/s and 23/m
            assert!((quotient - column).length() < s * s / 6.0 * 6.0 * 23_f64.powi(3));
        }
        assert!(Wind::uniform(DVec3::ZERO).is_still() && !wind.is_still());
    }
}
