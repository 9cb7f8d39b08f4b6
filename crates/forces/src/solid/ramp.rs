//! A piecewise linear factor in time, to apply and remove loads gradually.

/// A piecewise linear function of time, constant before its first and after its last point.
#[derive(Clone, Debug, PartialEq)]
pub struct Ramp(Vec<(f64, f64)>);

impl Default for Ramp {
    /// 1 at all times.
    fn default() -> Self {
        Self(vec![(0.0, 1.0)])
    }
}

impl Ramp {
    /// Through points (time in s, factor). `None` without points, or where times do not grow or a number is not finite.
    pub fn new(points: Vec<(f64, f64)>) -> Option<Self> {
        let finite = points.iter().all(|(time, factor)| time.is_finite() && factor.is_finite());
        let growing = points.windows(2).all(|pair| pair[0].0 < pair[1].0);
        (finite && growing && !points.is_empty()).then_some(Self(points))
    }

    /// From 0 at time 0 to 1 at `time`, s; 1 from the start where that is not positive.
    pub fn up(time: f64) -> Self {
        Self::new(vec![(0.0, 0.0), (time, 1.0)]).unwrap_or_default()
    }

    /// Whether the factor is the same at all times.
    pub fn is_constant(&self) -> bool {
        self.0.windows(2).all(|pair| pair[0].1 == pair[1].1)
    }

    /// The factor and its rate, 1/s; at a corner the rate that follows.
    pub fn at(&self, time: f64) -> (f64, f64) {
        let next = self.0.partition_point(|(t, _)| *t <= time);
        match (next.checked_sub(1).and_then(|k| self.0.get(k)), self.0.get(next)) {
            (Some(&(t0, f0)), Some(&(t1, f1))) => {
                let rate = (f1 - f0) / (t1 - t0);
                (f0 + rate * (time - t0), rate)
            }
            (Some(&(_, factor)), None) | (None, Some(&(_, factor))) => (factor, 0.0),
            (None, None) => (1.0, 0.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ramps_rise_and_stay() {
        let ramp = Ramp::new(vec![(1.0, 0.0), (3.0, 1.0), (4.0, -1.0)]).unwrap();
        for (time, expected) in [(0.0, (0.0, 0.0)), (2.0, (0.5, 0.5)), (3.5, (0.0, -2.0)), (9.0, (-1.0, 0.0))] {
            assert_eq!(ramp.at(time), expected, "{time}");
        }
        assert_eq!(Ramp::up(2.0).at(1.0), (0.5, 0.5));
        assert!(Ramp::default().is_constant() && !ramp.is_constant());
        assert_eq!(Ramp::up(0.0).at(0.0), (1.0, 0.0));
        for bad in [vec![], vec![(1.0, 0.0), (1.0, 1.0)], vec![(f64::NAN, 0.0)], vec![(0.0, f64::INFINITY)]] {
            assert_eq!(Ramp::new(bad), None);
        }
    }
}
