//! Boundary density: a wall acts on a fluid as if the fluid continued behind it.
//!
//! A particle at distance φ from a wall has no neighbours behind it. Its sum is scaled instead, `s = λ(φ) Σ V W + b(φ)`, and the energy `Σ V ε(s)`
//! gives all forces: pairs repel with `λ_i p_i/s_i² + λ_j p_j/s_j²`, the wall with `-V (p/s²) ∂s/∂φ n`. There are no boundary particles, energy is
//! conserved, and a moving wall does exactly the work of its force. λ is chosen such that a fluid at rest takes the room that it should up to its
//! boundary. In a lattice with its first layer half a spacing in front of the wall, with s = 1 inside and N and G the sums of `V W` and of `-V ∂W/∂n`
//! over the layers behind it,
//!
//! - `λ(dx/2) = 1/(1 - N)`: the density is right. (So is, within 1 %, the pressure along the wall, which pairs with layers behind it would carry.)
//! - `-λ'(dx/2) (1 - N)` would be `(λ + 1) G`, the force of the layers in front of it, if the first one were to be in equilibrium where all pressures
//!   are equal.
//! - `-λ'(dx/2) (1 - N)²` would be `-2 ∂N/∂ε / dx` if the density were to be right as well in lattices that are stretched by ε across the wall and
//!   narrower along it, as dense as before: with layers that are farther from the wall and have more particles.
//!
//! Both slopes cannot be had: an energy of the fluid's particles alone lacks that of the layers behind the wall. The second is two thirds of the
//! first (h = 1.25 dx). With the first one there is room to gain at walls: under load, water gives up the lattice, its first layer gets 15 % denser, and
//! it takes 0.015 spacings less room at every wall. With the second, pressures in the first layer are 15 % too high. With their mean, which is used,
//! layers get 5 % denser, pressures are 5 % higher than inside, and 0.004 spacings are lost.
//!
//! In between `λ = 1 + (λ₁ - 1) (1 + (dx/2 - φ)/w)⁴`, until it is 1; the second layer then lacks 0.2 % of its density (h = 1.25 dx). A single
//! particle has no sum to be scaled and would pass through; `b = (1 - 2 φ/dx)²` below half a spacing repels it in front of the wall. (Layers of
//! boundary particles, the usual method [Akinci], let it in among them and then eject it.) The factors of several walls are multiplied, which in an
//! edge is within 1 % of what lattices need.

use glam::DVec3;

use super::kernel::{Dimension, Kernel};
use super::lattice::lattice_sum;

/// λ is continued linearly beyond this value, so that nothing overflows behind a wall.
const STRAIGHT_FROM: f64 = 8.0;

/// λ or b, and its derivative with respect to φ.
pub(super) type Slope = [f64; 2];

/// See the file head.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoundaryDensity {
    /// λ(dx/2) - 1.
    excess: f64,
    /// dx/2, m.
    rest: f64,
    /// w, m.
    width: f64,
    /// `1 + (dx/2 - φ)/w` where λ is [`STRAIGHT_FROM`].
    straight: f64,
}

impl BoundaryDensity {
    /// `excess` is what the sums of `W` are taken to be too large by, 1/m³ (1/m² in the plane).
    pub fn new(kernel: &Kernel, spacing: f64, excess: f64) -> Self {
        let volume = 1.0 / (lattice_sum(kernel, spacing) - excess);
        let reach = (kernel.support() / spacing).ceil() as i32;
        let along = (kernel.dimension.number() - 1) as f64;
        let across = if kernel.dimension == Dimension::Two { 0 } else { reach };
        // density and force by the layers behind the wall, and what the density gains as the lattice is stretched across the wall
        let (mut density, mut push, mut gain) = (0.0, 0.0, 0.0);
        for i in -reach..=reach {
            for j in 1..=reach {
                for k in -across..=across {
                    let r = spacing * DVec3::new(f64::from(i), f64::from(j), f64::from(k));
                    density += volume * kernel.value(r.length());
                    let slope = volume * kernel.slope_over_r(r.length());
                    push -= slope * r.y;
                    gain += slope * (r.y * r.y - (r.x * r.x + r.z * r.z) / along);
                }
            }
        }
        let first = 1.0 / (1.0 - density);
        let (equilibrium, room) = ((first + 1.0) * push * first, -2.0 * gain / spacing * first * first);
        let slope = 0.5 * (equilibrium + room);
        let excess = first - 1.0;
        let straight = ((STRAIGHT_FROM - 1.0) / excess).sqrt().sqrt();
        Self { excess, rest: 0.5 * spacing, width: 4.0 * excess / slope, straight }
    }

    /// Distance within which a wall acts, m.
    pub fn reach(&self) -> f64 {
        self.rest + self.width
    }

    /// The spacing, m.
    pub fn spacing(&self) -> f64 {
        2.0 * self.rest
    }

    /// λ at a distance, m.
    pub fn factor(&self, distance: f64) -> Slope {
        let t = (1.0 + (self.rest - distance) / self.width).max(0.0);
        let inner = t.min(self.straight);
        let cube = self.excess * inner * inner * inner;
        let slope = -4.0 * cube / self.width;
        [1.0 + cube * inner - slope * self.width * (t - inner), slope]
    }

    /// b at a distance, m.
    pub fn added(&self, distance: f64) -> Slope {
        let t = (1.0 - distance / self.rest).max(0.0);
        [t * t, -2.0 * t / self.rest]
    }

    /// A bound of |λ''| and |b''|, for a sum `Σ V W` below 1.
    pub fn curvature(&self, distance: f64) -> f64 {
        let t = (1.0 + (self.rest - distance) / self.width).clamp(0.0, self.straight);
        let added = if distance < self.rest { 2.0 / (self.rest * self.rest) } else { 0.0 };
        12.0 * self.excess * t * t / (self.width * self.width) + added
    }
}

#[cfg(test)]
mod tests {
    use super::super::kernel::KernelKind;
    use super::*;

    fn laws() -> impl Iterator<Item = BoundaryDensity> {
        let kinds = [KernelKind::CubicSpline, KernelKind::WendlandC2];
        let all = kinds.into_iter().flat_map(|kind| [Dimension::Two, Dimension::Three].map(|d| (kind, d)));
        all.flat_map(|(kind, d)| {
            [1.0, 1.25, 2.0].map(|h| BoundaryDensity::new(&Kernel::new(kind, d, 0.1 * h), 0.1, 0.0))
        })
    }

    #[test]
    fn known_sums_of_half_a_lattice() {
        let law = BoundaryDensity::new(&Kernel::new(KernelKind::CubicSpline, Dimension::Three, 0.125), 0.1, 0.0);
        let [factor, slope] = law.factor(0.05);
        assert!((factor * (1.0 - 0.2197) - 1.0).abs() < 1e-4, "{factor}");
        let (equilibrium, room) = ((factor + 1.0) * factor * 0.45985, 2.0 * factor * factor * 0.28071);
        assert!((0.1 * slope + 0.5 * (equilibrium + room)).abs() < 1e-4, "{slope}");
    }

    #[test]
    fn slopes_are_derivatives_and_nothing_is_felt_beyond_the_reach() {
        for law in laws() {
            for k in -60..60 {
                let (x, d) = (2.5e-3 * f64::from(k) + 1e-4, 1e-6);
                let mut bend = 0.0;
                for of in [|law: &BoundaryDensity, x| law.factor(x), |law: &BoundaryDensity, x| law.added(x)] {
                    let ([[low, s], [high, t]], slope) = ([of(&law, x - d), of(&law, x + d)], of(&law, x)[1]);
                    assert!(((high - low) / (2.0 * d) - slope).abs() < 1e-5 * (1.0 + slope.abs()), "{law:?} at {x}");
                    bend += ((t - s) / (2.0 * d)).abs();
                }
                assert!(bend < law.curvature(x) * 1.01 + 1e-3, "{law:?} at {x}");
            }
            let beyond = law.reach() * 1.000_001;
            assert_eq!((law.factor(beyond), law.added(beyond)), ([1.0, -0.0], [0.0, -0.0]));
            assert!(law.factor(-1e3)[0].is_finite());
        }
    }
}
