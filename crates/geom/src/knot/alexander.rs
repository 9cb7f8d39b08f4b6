//! The knot type of a closed polyline: its Alexander polynomial [Alexander] at two places of the unit circle.
//!
//! Between two crossings where the curve passes below it is one arc. A crossing with the arc k above, i coming in below and j going out gives the
//! row `(1 - t) x_k + t x_i - x_j = 0` where it is right-handed, and the row with i and j exchanged where it is left-handed. The
//! determinant without one row and one column is Δ(t) up to a factor ±tⁿ, so that |Δ(t)| belongs to the knot where |t| = 1:
//!
//! | knot | `|Δ(-1)|` | `|Δ(e^{2πi/3})|` |
//! |---|---|---|
//! | none | 1 | 1 |
//! | trefoil | 3 | 2 |
//! | figure eight | 5 | 4 |
//! | cinquefoil | 5 | 1 |
//!
//! A curve without any knot has 1 and 1; some knots of many crossings have too.

use glam::{DMat3, DVec3};
use pliant_scalar::math;
use std::f64::consts::TAU;

use super::BadKnot;
use super::crossings::{Crossing, crossings};

/// Views that are tried before a curve is said to touch itself.
const VIEWS: u32 = 40;

/// |Δ| at two places.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KnotInvariants {
    /// |Δ(-1)|, the knot's determinant: an odd whole number but for rounding.
    pub at_minus_one: f64,
    /// |Δ(e^{2πi/3})|.
    pub at_third: f64,
    /// Crossings of the view in which it was found.
    pub crossings: usize,
}

impl KnotInvariants {
    /// Whether they are those of given values, within rounding.
    pub fn are(&self, at_minus_one: f64, at_third: f64) -> bool {
        (self.at_minus_one - at_minus_one).abs() < 1e-3 && (self.at_third - at_third).abs() < 1e-3
    }
}

/// Of a closed polyline. Views in which the upper strand of a crossing cannot be determined are skipped for the next of a fixed sequence.
pub fn invariants(points: &[DVec3]) -> Result<KnotInvariants, BadKnot> {
    if points.len() < 3 {
        return Err(BadKnot::TooFewPoints { got: points.len() });
    }
    if let Some(index) = points.iter().position(|p| !p.is_finite()) {
        return Err(BadKnot::NotFinite { index });
    }
    let mut last = BadKnot::TouchesItself { first: 0, second: 0 };
    for k in 0..VIEWS {
        match crossings(points, view(k)) {
            Ok(found) => {
                let third = Complex(-0.5, 0.75_f64.sqrt());
                let at = |t: Complex| determinant(alexander_matrix(&found, t));
                return Ok(KnotInvariants {
                    at_minus_one: at(Complex(-1.0, 0.0)),
                    at_third: at(third),
                    crossings: found.len(),
                });
            }
            Err(doubt) => last = doubt,
        }
    }
    Err(last)
}

/// The k-th of a sequence of views that are spread over the sphere and turned about their axis, none along an axis of the world.
fn view(k: u32) -> DMat3 {
    // steps of two irrational parts of a turn
    let turn = |part: f64| TAU * (part * (f64::from(k) + 1.0)).fract();
    let axis = DVec3::new(0.36, 0.48, 0.8);
    DMat3::from_quat(
        math::axis_angle(axis, turn(0.618_033_988_749_895)) * math::axis_angle(DVec3::X, turn(0.754_877_666_246_693)),
    )
}

/// A complex number.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Complex(f64, f64);

impl Complex {
    fn times(self, o: Self) -> Self {
        Self(self.0 * o.0 - self.1 * o.1, self.0 * o.1 + self.1 * o.0)
    }

    fn less(self, o: Self) -> Self {
        Self(self.0 - o.0, self.1 - o.1)
    }

    fn size(self) -> f64 {
        math::hypot(self.0, self.1)
    }

    fn over(self, o: Self) -> Self {
        let square = o.0 * o.0 + o.1 * o.1;
        let Self(re, im) = self.times(Self(o.0, -o.1));
        Self(re / square, im / square)
    }
}

/// One row for each crossing, one column for each arc; arc k ends below crossing k. The last row and column are left out.
fn alexander_matrix(crossings: &[Crossing], t: Complex) -> Vec<Vec<Complex>> {
    let n = crossings.len();
    let arc_above = |place: f64| crossings.partition_point(|c| c.under < place) % n;
    let mut rows = vec![vec![Complex(0.0, 0.0); n]; n];
    for (k, crossing) in crossings.iter().enumerate() {
        let (into, out) = (k, (k + 1) % n);
        let (with_t, without) = if crossing.positive { (into, out) } else { (out, into) };
        let mut add = |arc: usize, value: Complex| {
            let entry = &mut rows[k][arc];
            *entry = Complex(entry.0 + value.0, entry.1 + value.1);
        };
        add(arc_above(crossing.over), Complex(1.0, 0.0).less(t));
        add(with_t, t);
        add(without, Complex(-1.0, 0.0));
    }
    rows.pop();
    rows.iter_mut().for_each(|row| row.truncate(n - 1));
    rows
}

/// Size of the determinant, by elimination with the largest pivot of each column; 1 of no rows.
fn determinant(mut a: Vec<Vec<Complex>>) -> f64 {
    let n = a.len();
    let mut size = 1.0;
    for k in 0..n {
        let pivot = (k..n).max_by(|i, j| a[*i][k].size().total_cmp(&a[*j][k].size())).expect("there is a row left");
        a.swap(k, pivot);
        size *= a[k][k].size();
        if size == 0.0 {
            return 0.0;
        }
        let (above, below) = a.split_at_mut(k + 1);
        let row = &above[k];
        for other in below {
            if other[k] == Complex(0.0, 0.0) {
                continue;
            }
            let factor = other[k].over(row[k]);
            for (entry, pivot) in other[k..].iter_mut().zip(&row[k..]) {
                *entry = entry.less(factor.times(*pivot));
            }
        }
    }
    size
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knot::closed_outside;
    use crate::rope::Curve;
    use glam::DQuat;
    use pliant_testkit::Random;

    /// Knots with both values.
    fn knots() -> Vec<(Curve, f64, f64)> {
        vec![
            (Curve::Ring { radius: 1.0 }, 1.0, 1.0),
            (Curve::Trefoil { size: 1.0 }, 3.0, 2.0),
            (Curve::FigureEight { size: 1.0 }, 5.0, 4.0),
            (Curve::Cinquefoil { size: 1.0 }, 5.0, 1.0),
        ]
    }

    #[test]
    fn rotated_and_shaken_knots_stay_what_they_are() {
        let mut random = Random(21);
        for (curve, at_minus_one, at_third) in knots() {
            let line = curve.centreline(90).unwrap();
            let mut crossings = 0;
            for k in 0..1000 {
                let turn = DQuat::from_scaled_axis(random.vector() * 4.0);
                let shaken = if k % 2 == 0 { 0.0 } else { 0.02 };
                let points: Vec<DVec3> = line.points().iter().map(|p| turn * (*p + random.vector() * shaken)).collect();
                let found = invariants(&points).unwrap();
                assert!(found.are(at_minus_one, at_third), "{curve:?} {k}: {found:?}");
                crossings = crossings.max(found.crossings);
            }
            println!("{curve:?}: up to {crossings} crossings");
            // mirrored and run backwards: the same values
            let mirrored: Vec<DVec3> = line.points().iter().rev().map(|p| DVec3::new(p.x, p.y, -p.z)).collect();
            assert!(invariants(&mirrored).unwrap().are(at_minus_one, at_third));
        }
    }

    /// Knot sums multiply, and a tangle that is no knot has many crossings and the values of the unknot.
    #[test]
    fn sums_and_tangles() {
        let overhand = Curve::Overhand { size: 1.0, ends: 2.0 }.centreline(120).unwrap();
        assert!(invariants(&closed_outside(overhand.points())).unwrap().are(3.0, 2.0));
        let mut granny = overhand.points().to_vec();
        let second =
            overhand.points().iter().map(|p| *p + (granny[120] - overhand.points()[0]) + DVec3::new(3.0, 0.0, 3.0));
        let second: Vec<DVec3> = second.collect();
        granny.extend(second);
        let found = invariants(&closed_outside(&granny)).unwrap();
        assert!(found.are(9.0, 4.0), "{found:?}");
        // a ring with points that go up and down and around
        let wild = |k: usize| {
            let a = TAU * k as f64 / 400.0;
            let r = 1.0 + 0.3 * (40.0 * a).cos();
            DVec3::new(r * a.cos(), 0.3 * (40.0 * a).sin(), r * a.sin())
        };
        let coil: Vec<DVec3> = (0..400).map(wild).collect();
        let found = invariants(&coil).unwrap();
        assert!(found.crossings > 10 && found.are(1.0, 1.0), "{found:?}");
    }

    #[test]
    fn views_along_segments_are_passed_over() {
        // the first view looks along the first segment of this polygon, and upon one crossing from above
        let inverse = view(0).transpose();
        let square = [DVec3::ZERO, DVec3::Z, DVec3::new(1.0, 0.0, 1.0), DVec3::X].map(|p| inverse * p);
        assert!(super::crossings(&square, view(0)).is_err());
        assert!(invariants(&square).unwrap().are(1.0, 1.0));
    }

    #[test]
    fn what_is_no_knot_is_named() {
        assert_eq!(invariants(&[DVec3::ZERO; 2]).unwrap_err(), BadKnot::TooFewPoints { got: 2 });
        let nan = [DVec3::ZERO, DVec3::X, DVec3::NAN];
        assert_eq!(invariants(&nan).unwrap_err(), BadKnot::NotFinite { index: 2 });
        // an eight that touches itself in its middle
        let eight = [[-1.0, -1.0], [1.0, 1.0], [1.0, -1.0], [-1.0, 1.0]].map(|[x, y]| DVec3::new(x, y, 0.0));
        assert_eq!(invariants(&eight).unwrap_err(), BadKnot::TouchesItself { first: 0, second: 2 });
    }
}
