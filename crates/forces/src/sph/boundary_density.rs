//! Boundary density: a wall acts on a fluid as if the fluid continued behind it.
//!
//! A particle at distance φ from a wall has no neighbours behind it. Its sum is scaled instead, `s = λ(φ) Σ V W + b(φ)`, and the energy `Σ V ε(s)`
//! gives all forces: pairs repel with `λ_i p_i/s_i² + λ_j p_j/s_j²`, the wall with `-V (p/s²) ∂s/∂φ n`. There are no boundary particles, energy is
//! conserved, and a moving wall does exactly the work of its force. λ is chosen such that a fluid at rest is in equilibrium up to its boundary. In a
//! lattice with its first layer half a spacing in front of the wall, with N and G the sums of `V W` and of `-V ∂W/∂n` over the layers behind it,
//!
//! - `λ(dx/2) = 1/(1 - N)`: the density is right. (So is, within 3 %, the pressure along the wall, which pairs with layers behind it would carry.)
//! - `-λ'(dx/2) (1 - N)` is the force of the layers in front of it on the first one where all pressures are equal: it stays in equilibrium.
//!
//! In between `λ = 1 + (λ₁ - 1) (1 + (dx/2 - φ)/w)⁴`, until it is 1; the second layer then lacks 0.4 % of its density (h = 1.25 dx). A single
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
    pub fn new(kernel: &Kernel, spacing: f64) -> Self {
        let volume = 1.0 / lattice_sum(kernel, spacing);
        let reach = (kernel.support() / spacing).ceil() as i32;
        let across = if kernel.dimension == Dimension::Two { 0 } else { reach };
        // density and force by the layers behind the wall, and the force by the second layer and those behind it
        let (mut density, mut push) = (0.0, 0.0);
        for i in -reach..=reach {
            for j in 1..=reach {
                for k in -across..=across {
                    let r = spacing * DVec3::new(f64::from(i), f64::from(j), f64::from(k));
                    density += volume * kernel.value(r.length());
                    push -= volume * kernel.slope_over_r(r.length()) * r.y;
                }
            }
        }
        let first = 1.0 / (1.0 - density);
        let slope = (first + 1.0) * push / (1.0 - density);
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
        all.flat_map(|(kind, d)| [1.0, 1.25, 2.0].map(|h| BoundaryDensity::new(&Kernel::new(kind, d, 0.1 * h), 0.1)))
    }

    #[test]
    fn known_sums_of_half_a_lattice() {
        let law = BoundaryDensity::new(&Kernel::new(KernelKind::CubicSpline, Dimension::Three, 0.125), 0.1);
        let [factor, slope] = law.factor(0.05);
        assert!((factor * (1.0 - 0.2197) - 1.0).abs() < 1e-4, "{factor}");
        assert!((0.1 * slope * (1.0 - 0.2197) + (factor + 1.0) * 0.45985).abs() < 1e-4, "{slope}");
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
