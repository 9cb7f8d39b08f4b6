//! Built-in curves, sampled finely and then at equal arc length. Lengths in metres; y is up.

use glam::DVec3;
use pliant_scalar::math::{cos, sin};
use std::f64::consts::TAU;

use super::{BadRope, Centreline, segments, size};

/// Fine points of a curve for each segment that is asked for, and at least.
const FINE: usize = 32;
const FINE_LEAST: usize = 4096;

/// A curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Curve {
    /// A straight line.
    Line {
        /// Start.
        from: DVec3,
        /// End.
        to: DVec3,
    },
    /// A helix about the y axis that starts at (radius, 0, 0).
    Helix {
        /// Of the cylinder.
        radius: f64,
        /// Height of one turn.
        pitch: f64,
        /// How many.
        turns: f64,
    },
    /// A closed circle about the origin in the plane y = 0.
    Ring {
        /// Of the circle.
        radius: f64,
    },
    /// A closed trefoil knot, `size` the largest distance from the y axis.
    Trefoil {
        /// From the y axis.
        size: f64,
    },
    /// A closed figure-eight knot.
    FigureEight {
        /// Largest distance from the y axis.
        size: f64,
    },
    /// A closed torus knot with five crossings.
    Cinquefoil {
        /// Largest distance from the y axis.
        size: f64,
    },
    /// A loose overhand knot with two straight ends that lead up and apart: an open trefoil.
    Overhand {
        /// Of the loops: they go down to this distance below the origin.
        size: f64,
        /// Length of each straight end.
        ends: f64,
    },
    /// A wave `height sin` along x in the plane z = 0; one wave is an S.
    Wave {
        /// From end to end along x.
        length: f64,
        /// Of the crests.
        height: f64,
        /// How many.
        waves: f64,
    },
}

impl Curve {
    /// Whether it is closed.
    pub fn is_closed(&self) -> bool {
        matches!(self, Self::Ring { .. } | Self::Trefoil { .. } | Self::FigureEight { .. } | Self::Cinquefoil { .. })
    }

    fn check(&self) -> Result<(), BadRope> {
        match *self {
            Self::Line { .. } => Ok(()),
            Self::Helix { radius, pitch, turns } => {
                size("the helix's radius", radius)?;
                size("the helix's pitch", pitch)?;
                size("the helix's number of turns", turns).map(|_| ())
            }
            Self::Ring { radius } => size("the ring's radius", radius).map(|_| ()),
            Self::Trefoil { size: s } | Self::FigureEight { size: s } | Self::Cinquefoil { size: s } => {
                size("the knot's size", s).map(|_| ())
            }
            Self::Overhand { size: s, ends } => {
                size("the knot's size", s)?;
                size("the length of the knot's ends", ends).map(|_| ())
            }
            Self::Wave { length, height, waves } => {
                size("the wave's length", length)?;
                size("the wave's height", height)?;
                size("the number of waves", waves).map(|_| ())
            }
        }
    }

    /// The point at a parameter in [0, 1]; speed along the curve varies.
    fn at(&self, u: f64) -> DVec3 {
        // the (2, n) torus knot on a torus of radii 2 and 1
        let torus_knot = |n: f64, size: f64| {
            let a = TAU * u;
            let r = (2.0 + cos(n * a)) * size / 3.0;
            DVec3::new(r * cos(2.0 * a), sin(n * a) * size / 3.0, -r * sin(2.0 * a))
        };
        match *self {
            Self::Line { from, to } => from.lerp(to, u),
            Self::Helix { radius, pitch, turns } => {
                let a = TAU * turns * u;
                DVec3::new(radius * cos(a), pitch * turns * u, -radius * sin(a))
            }
            Self::Ring { radius } => DVec3::new(radius * cos(TAU * u), 0.0, -radius * sin(TAU * u)),
            Self::Trefoil { size } => torus_knot(3.0, size),
            Self::Cinquefoil { size } => torus_knot(5.0, size),
            Self::FigureEight { size } => {
                let a = TAU * u;
                let r = (2.0 + cos(2.0 * a)) * size / 3.0;
                DVec3::new(r * cos(3.0 * a), sin(4.0 * a) * size / 3.0, -r * sin(3.0 * a))
            }
            Self::Overhand { size, ends } => overhand(size, ends, u),
            Self::Wave { length, height, waves } => DVec3::new(length * (u - 0.5), height * sin(TAU * waves * u), 0.0),
        }
    }

    /// The curve in `count` segments of equal arc length.
    pub fn centreline(&self, count: usize) -> Result<Centreline, BadRope> {
        self.check()?;
        let closed = self.is_closed();
        segments(if closed { 3 } else { 1 }, count)?;
        if let Self::Line { from, to } = *self {
            let at = |k: usize| if k == count { to } else { from + (to - from) * (k as f64 / count as f64) };
            return Centreline::new((0..=count).map(at).collect(), false);
        }
        let fine = (FINE * count).max(FINE_LEAST);
        let last = if closed { fine } else { fine + 1 };
        let points = (0..last).map(|k| self.at(k as f64 / fine as f64)).collect();
        Centreline::new(points, closed)?.resampled(count)
    }
}

/// An open trefoil: the polynomial knot `(s³ - 3s, s⁴ - 4s², s⁵/5 - 2s)` of [Shastri] as far as just beyond its outermost crossings at
/// `|s| = √(2 + √3) = 1.93`, then straight on along its tangent.
fn overhand(size: f64, ends: f64, u: f64) -> DVec3 {
    const END: f64 = 2.15;
    let knot = |s: f64| DVec3::new(s.powi(3) - 3.0 * s, s.powi(4) - 4.0 * s * s, 0.2 * s.powi(5) - 2.0 * s);
    let scale = size / 4.0;
    let middle = 0.6;
    let part = (u - 0.5) / (0.5 * middle);
    if part.abs() <= 1.0 {
        return knot(END * part) * scale;
    }
    let (side, beyond) = (part.signum(), (part.abs() - 1.0) / (1.0 / middle - 1.0));
    let start = knot(END * side) * scale;
    let tangent = DVec3::new(3.0 * END * END - 3.0, side * (4.0 * END.powi(3) - 8.0 * END), END.powi(4) - 2.0);
    // outward is along the derivative at the end and against it at the start
    let out = (tangent * side).normalize();
    start + out * (ends * beyond)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> Vec<Curve> {
        vec![
            Curve::Line { from: DVec3::ZERO, to: DVec3::new(1.0, 2.0, 3.0) },
            Curve::Helix { radius: 0.5, pitch: 0.3, turns: 2.5 },
            Curve::Ring { radius: 0.7 },
            Curve::Trefoil { size: 1.0 },
            Curve::FigureEight { size: 1.0 },
            Curve::Cinquefoil { size: 1.0 },
            Curve::Overhand { size: 1.0, ends: 2.0 },
            Curve::Wave { length: 2.0, height: 0.4, waves: 1.0 },
        ]
    }

    #[test]
    fn segments_are_equal_and_as_many_as_asked_for() {
        for curve in all() {
            let line = curve.centreline(200).unwrap();
            assert_eq!((line.segments(), line.is_closed()), (200, curve.is_closed()));
            let lengths: Vec<f64> = (0..200).map(|k| line.edge(k).length()).collect();
            let mean = line.length() / 200.0;
            // chords of equal arcs s differ by κ² s²/24 of their length
            let worst = lengths.iter().map(|l| (l / mean - 1.0).abs()).fold(0.0, f64::max);
            let sharpest = (0..line.points().len()).map(|k| line.bend_radius(k)).fold(f64::INFINITY, f64::min);
            let bound = (mean / sharpest).powi(2) / 12.0 + 1e-6;
            assert!(worst <= bound, "{curve:?}: {worst} {bound}");
        }
    }

    #[test]
    fn lengths_are_those_of_the_curves() {
        let length = |curve: Curve| curve.centreline(2000).unwrap().length();
        assert!((length(Curve::Ring { radius: 0.7 }) / (TAU * 0.7) - 1.0).abs() < 1e-5);
        let helix = 2.5 * ((TAU * 0.5_f64).powi(2) + 0.09).sqrt();
        assert!((length(Curve::Helix { radius: 0.5, pitch: 0.3, turns: 2.5 }) / helix - 1.0).abs() < 1e-5);
        assert!((length(all()[0]) - 14_f64.sqrt()).abs() < 1e-12);
        let top = Curve::Wave { length: 2.0, height: 0.4, waves: 1.0 }.centreline(500).unwrap();
        let highest = top.points().iter().map(|p| p.y).fold(0.0, f64::max);
        assert!((highest - 0.4).abs() < 1e-4);
    }

    /// The overhand knot has no kink where its ends begin, and its ends lead away from it.
    #[test]
    fn the_overhand_knot_is_smooth_and_open() {
        let line = Curve::Overhand { size: 1.0, ends: 3.0 }.centreline(400).unwrap();
        let sharpest = (0..line.points().len()).map(|k| line.bend_radius(k)).fold(f64::INFINITY, f64::min);
        assert!(sharpest > 0.05, "{sharpest}");
        let points = line.points();
        let far = points.iter().map(|p| p.length()).fold(0.0, f64::max);
        assert!(points[0].length() > 0.99 * far && points[400].length() > 0.99 * far);
    }

    #[test]
    fn impossible_curves_are_refused() {
        for bad in [
            Curve::Ring { radius: 0.0 },
            Curve::Helix { radius: 1.0, pitch: -1.0, turns: 2.0 },
            Curve::Trefoil { size: f64::NAN },
            Curve::Overhand { size: 1.0, ends: f64::INFINITY },
        ] {
            assert!(matches!(bad.centreline(10), Err(BadRope::Size { .. })), "{bad:?}");
        }
        let point = Curve::Line { from: DVec3::ONE, to: DVec3::ONE };
        assert_eq!(point.centreline(3).unwrap_err(), BadRope::Coincident { first: 0, second: 1 });
        assert!(matches!(Curve::Ring { radius: 1.0 }.centreline(2), Err(BadRope::Segments { .. })));
    }
}
