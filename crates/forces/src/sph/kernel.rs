//! Smoothing kernels of support 2h, h the smoothing length: `W = σ w(q)`, `W'/r = (σ/h²) g(q)` with `q = r/h`.
//!
//! - cubic spline [Monaghan]: with `a = max(0, 2-q)`, `b = max(0, 1-q)`: `w = a³/4 - b³` and `g = -(¾ a₁² / q₁ + 2¼ b)`, where
//!   `q₁ = max(q, 1)` and `a₁ = max(0, 2-q₁)`. This is `-3 + 2¼ q` for q < 1 without a branch and without 0/0 at q = 0;
//! - Wendland C2 [Wendland]: `w = a⁴ (5-2a)/16`, `g = -⅝ a³`, which needs no division.
//!
//! Both vanish with their slope at q = 2, so a pair beyond the support adds exact zeros.

use std::f64::consts::PI;

use crate::vector::Number;

/// The kernels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KernelKind {
    /// The spline of Monaghan and Lattanzio: the classic choice. Pairing instability under pressure where h is more than about 1.2 spacings.
    CubicSpline,
    /// The polynomial of Wendland: no pairing instability, and cheaper.
    #[default]
    WendlandC2,
}

/// Dimension of the fluid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dimension {
    /// One layer of particles in a plane of constant z: z is ignored, densities stay per volume, for a layer one metre thick.
    Two,
    /// Space.
    #[default]
    Three,
}

impl Dimension {
    /// As a number.
    pub fn number(self) -> usize {
        match self {
            Dimension::Two => 2,
            Dimension::Three => 3,
        }
    }
}

/// A kernel of a given width.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kernel {
    /// Its shape.
    pub kind: KernelKind,
    /// Its dimension.
    pub dimension: Dimension,
    /// h, m.
    pub length: f64,
}

impl Kernel {
    /// A kernel; the support is twice the smoothing length, m.
    pub fn new(kind: KernelKind, dimension: Dimension, smoothing_length: f64) -> Self {
        Self { kind, dimension, length: smoothing_length }
    }

    /// Radius beyond which it is zero, m.
    pub fn support(&self) -> f64 {
        2.0 * self.length
    }

    /// σ, so that the integral is 1.
    pub fn sigma(&self) -> f64 {
        let h = self.length;
        match (self.kind, self.dimension) {
            (KernelKind::CubicSpline, Dimension::Two) => 10.0 / (7.0 * PI * h * h),
            (KernelKind::CubicSpline, Dimension::Three) => 1.0 / (PI * h * h * h),
            (KernelKind::WendlandC2, Dimension::Two) => 7.0 / (4.0 * PI * h * h),
            (KernelKind::WendlandC2, Dimension::Three) => 21.0 / (16.0 * PI * h * h * h),
        }
    }

    /// W, 1/m³ (1/m² in the plane).
    pub fn value(&self, r: f64) -> f64 {
        let q = r / self.length;
        let shape = match self.kind {
            KernelKind::CubicSpline => CubicSpline::value(q),
            KernelKind::WendlandC2 => WendlandC2::value(q),
        };
        self.sigma() * shape
    }

    /// W'/r.
    pub fn slope_over_r(&self, r: f64) -> f64 {
        let q = r / self.length;
        let (up, down) = match self.kind {
            KernelKind::CubicSpline => CubicSpline::slope(q),
            KernelKind::WendlandC2 => WendlandC2::slope(q),
        };
        self.sigma() / (self.length * self.length) * (up / down)
    }

    /// Upper bound of the second derivatives of W in space: `max(|W''|, |W'/r|)`.
    pub fn curvature(&self, r: f64) -> f64 {
        let q = (r / self.length).min(2.0);
        let second = match self.kind {
            KernelKind::CubicSpline if q < 1.0 => 4.5 * q - 3.0,
            KernelKind::CubicSpline => 1.5 * (2.0 - q),
            KernelKind::WendlandC2 => 0.625 * (2.0 - q) * (2.0 - q) * (4.0 * q - 2.0),
        };
        (self.sigma() / (self.length * self.length) * second).abs().max(self.slope_over_r(r).abs())
    }

    /// `∫ r W dr` from r to the end of the support: minus the potential of an attraction of strength `r W`.
    pub fn moment(&self, r: f64) -> f64 {
        let q = r / self.length;
        let (a, b) = ((2.0 - q).max(0.0), (1.0 - q).max(0.0));
        let shape = match self.kind {
            KernelKind::CubicSpline => (0.5 * a.powi(4) - 0.2 * a.powi(5)) / 4.0 - (0.25 * b.powi(4) - 0.2 * b.powi(5)),
            KernelKind::WendlandC2 => (2.0 * a.powi(5) - 1.5 * a.powi(6) + 2.0 / 7.0 * a.powi(7)) / 16.0,
        };
        self.sigma() * self.length * self.length * shape
    }
}

/// Shape of a kernel, for one or several distances.
pub(super) trait Shape: Copy + Send + Sync {
    /// w(q).
    fn value<N: Number>(q: N) -> N;
    /// g(q) as numerator and denominator, so that divisions can be merged.
    fn slope<N: Number>(q: N) -> (N, N);
}

#[inline(always)]
fn rest_of<N: Number>(from: f64, q: N) -> N {
    (q.constant(from) - q).at_least(0.0)
}

/// See the file head.
#[derive(Clone, Copy, Debug)]
pub(super) struct CubicSpline;

impl Shape for CubicSpline {
    #[inline(always)]
    fn value<N: Number>(q: N) -> N {
        let (a, b) = (rest_of(2.0, q), rest_of(1.0, q));
        q.constant(0.25) * (a * a * a) - b * b * b
    }

    #[inline(always)]
    fn slope<N: Number>(q: N) -> (N, N) {
        let (outer, b) = (q.at_least(1.0), rest_of(1.0, q));
        let a = rest_of(2.0, outer);
        // where b is not 0 the denominator is 1
        (q.constant(-0.75) * (a * a) - q.constant(2.25) * b, outer)
    }
}

/// See the file head.
#[derive(Clone, Copy, Debug)]
pub(super) struct WendlandC2;

impl Shape for WendlandC2 {
    #[inline(always)]
    fn value<N: Number>(q: N) -> N {
        let a = rest_of(2.0, q);
        let square = a * a;
        q.constant(0.0625) * (square * square) * (q.constant(5.0) - (a + a))
    }

    #[inline(always)]
    fn slope<N: Number>(q: N) -> (N, N) {
        let a = rest_of(2.0, q);
        (q.constant(-0.625) * (a * a * a), q.constant(1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(length: f64) -> impl Iterator<Item = Kernel> {
        let kinds = [KernelKind::CubicSpline, KernelKind::WendlandC2];
        let dimensions = [Dimension::Two, Dimension::Three];
        kinds.into_iter().flat_map(move |kind| dimensions.map(|dimension| Kernel::new(kind, dimension, length)))
    }

    /// Gauss-Legendre with five points on 40 panels is exact for the pieces, polynomials of degree 7 at most, up to rounding.
    fn integral(to: f64, f: impl Fn(f64) -> f64) -> f64 {
        let points = [(0.0, 128.0 / 225.0), (0.538_469_310_105_683_1, 0.478_628_670_499_366_5)];
        let outer = (0.906_179_845_938_664, 0.236_926_885_056_189_1);
        let panel = |a: f64, b: f64| {
            let (middle, half) = (0.5 * (a + b), 0.5 * (b - a));
            let pair = |(t, w): (f64, f64)| w * (f(middle + half * t) + f(middle - half * t));
            half * (points[0].1 * f(middle) + pair(points[1]) + pair(outer))
        };
        let width = to / 40.0;
        (0..40).map(|k| panel(width * f64::from(k), width * f64::from(k + 1))).sum()
    }

    #[test]
    fn integrals_are_one() {
        for kernel in all(0.7) {
            let shell = |r: f64| match kernel.dimension {
                Dimension::Two => 2.0 * PI * r,
                Dimension::Three => 4.0 * PI * r * r,
            };
            let sum = integral(kernel.support(), |r| shell(r) * kernel.value(r));
            assert!((sum - 1.0).abs() < 1e-13, "{kernel:?}: {sum}");
        }
    }

    #[test]
    fn known_values_of_the_spline() {
        let kernel = Kernel::new(KernelKind::CubicSpline, Dimension::Three, 1.0);
        assert!((kernel.value(0.5) - 0.228_785_230_694_599_55).abs() < 1e-15);
        assert!((0.5 * kernel.slope_over_r(0.5) + 0.298_415_518_297_303_8).abs() < 1e-15);
    }

    #[test]
    fn slopes_and_moments_are_derivatives() {
        for kernel in all(0.3) {
            for k in 1..70 {
                let (r, d) = (0.01 * f64::from(k) + 1e-3, 1e-6);
                let slope = (kernel.value(r + d) - kernel.value(r - d)) / (2.0 * d);
                // d² W'''/6 and ε W / d
                let bound = 1e-8 * kernel.value(0.0) / kernel.length;
                assert!((slope - r * kernel.slope_over_r(r)).abs() < bound, "{kernel:?} at {r}: {slope}");
                let pull = -(kernel.moment(r + d) - kernel.moment(r - d)) / (2.0 * d);
                assert!((pull - r * kernel.value(r)).abs() < 1e-8 * kernel.value(0.0), "{kernel:?} at {r}: {pull}");
            }
            assert!(kernel.slope_over_r(0.0).is_finite());
            for r in [kernel.support(), 1.0, 1e200, f64::INFINITY] {
                assert_eq!((kernel.value(r), kernel.slope_over_r(r), kernel.moment(r)), (0.0, 0.0, 0.0), "{kernel:?}");
            }
        }
    }
}
