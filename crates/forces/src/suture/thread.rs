//! A thread as a smooth curve: the quadratic B-spline of the points along a rope, so that sliding is smooth. The parameter u counts segments from
//! the needle's tip; around point i, with t = u - i in [-½, ½], `r(u) = ½ (½ - t)² r_{i-1} + (¾ - t²) r_i + ½ (½ + t)² r_{i+1}`. Each end is
//! extended by the mirror image of the last point but one, so that the curve begins and ends where the rope does.

use glam::DVec3;

/// Newton steps and bisections for the nearest point within a piece; each bisection halves half a segment.
const SEARCH: usize = 60;

/// The rope of a suture.
#[derive(Clone, Debug, PartialEq)]
pub struct Thread {
    /// Particles of its axis in order, the needle's tip first.
    pub points: Vec<u32>,
}

/// The curve near a parameter, as weights of three particles.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Support {
    /// The particles.
    pub nodes: [u32; 3],
    /// r = Σ weights x.
    pub weights: [f64; 3],
    /// Their first derivatives by u,
    pub first: [f64; 3],
    /// and their second.
    pub second: [f64; 3],
}

impl Support {
    fn sum(&self, weights: &[f64; 3], x: &[DVec3]) -> DVec3 {
        self.nodes.iter().zip(weights).fold(DVec3::ZERO, |sum, (node, w)| sum + x[*node as usize] * *w)
    }

    /// The value of `x`, such as the position, at the parameter.
    pub fn at(&self, x: &[DVec3]) -> DVec3 {
        self.sum(&self.weights, x)
    }

    /// dr/du.
    pub fn slope(&self, x: &[DVec3]) -> DVec3 {
        self.sum(&self.first, x)
    }

    /// d²r/du².
    pub fn bend(&self, x: &[DVec3]) -> DVec3 {
        self.sum(&self.second, x)
    }
}

impl Thread {
    /// Number of segments.
    pub fn segments(&self) -> f64 {
        (self.points.len() - 1) as f64
    }

    /// The curve at a parameter within `0..=segments`.
    pub fn support(&self, u: f64) -> Support {
        let last = self.points.len() - 1;
        let i = (u.round() as usize).min(last);
        self.piece(i, u - i as f64)
    }

    fn piece(&self, i: usize, t: f64) -> Support {
        let last = self.points.len() - 1;
        let (back, on) = (0.5 - t, 0.5 + t);
        let mut weights = [0.5 * back * back, 0.75 - t * t, 0.5 * on * on];
        let mut first = [-back, -2.0 * t, on];
        let mut second = [1.0, -2.0, 1.0];
        let mut begin = i.saturating_sub(1);
        // the mirror image of a neighbour is 2 r_i minus the other neighbour
        let mirror = |w: &mut [f64; 3]| match i {
            0 => *w = [w[1] + 2.0 * w[0], w[2] - w[0], 0.0],
            _ => *w = [0.0, w[0] - w[2], w[1] + 2.0 * w[2]],
        };
        if i == 0 || i == last {
            [&mut weights, &mut first, &mut second].into_iter().for_each(mirror);
            begin = if i == 0 { 0 } else { last - 2 };
        }
        let nodes = [self.points[begin], self.points[begin + 1], self.points[begin + 2]];
        Support { nodes, weights, first, second }
    }

    /// The parameter of the local minimum of the distance to `place`, by descent from `from`: of several minima the one that sliding from there
    /// reaches.
    pub fn nearest(&self, place: DVec3, from: f64, x: &[DVec3]) -> f64 {
        let last = self.points.len() - 1;
        let mut i = (from.round() as usize).min(last);
        let ahead = |i: usize, t: f64| {
            let support = self.piece(i, t);
            (place - support.at(x)).dot(support.slope(x))
        };
        let mut came_from = i;
        loop {
            let (mut low, mut high) = (if i == 0 { 0.0 } else { -0.5 }, if i == last { 0.0 } else { 0.5 });
            let (down, up) = (ahead(i, low) < 0.0, ahead(i, high) > 0.0);
            if up && (!down || came_from < i) {
                if i == last || came_from == i + 1 {
                    return i as f64 + high;
                }
                (came_from, i) = (i, i + 1);
                continue;
            }
            if down {
                if i == 0 || came_from + 1 == i {
                    return i as f64 + low;
                }
                (came_from, i) = (i, i - 1);
                continue;
            }
            let mut t = (from - i as f64).clamp(low, high);
            for _ in 0..SEARCH {
                let support = self.piece(i, t);
                let (d, slope) = (place - support.at(x), support.slope(x));
                let g = d.dot(slope);
                if g > 0.0 {
                    low = t
                } else {
                    high = t
                }
                let rate = d.dot(support.bend(x)) - slope.length_squared();
                let newton = t - g / rate;
                let next = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
                // the last bit may alternate
                if next == t || high - low <= f64::EPSILON {
                    break;
                }
                t = next;
            }
            return i as f64 + t;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn thread() -> (Thread, Vec<DVec3>) {
        let point = |k: usize| {
            let s = k as f64;
            DVec3::new(s + 0.2 * (1.7 * s).sin(), 0.4 * (0.9 * s).sin(), 0.3 * (0.5 * s).cos())
        };
        (Thread { points: (0..9).collect() }, (0..9).map(point).collect())
    }

    #[test]
    fn the_curve_is_smooth_and_ends_where_the_rope_does() {
        let (thread, x) = thread();
        assert!(thread.support(0.0).at(&x).distance(x[0]) < 1e-15);
        assert!(thread.support(8.0).at(&x).distance(x[8]) < 1e-15);
        for i in 0..8 {
            let (before, after) = (thread.piece(i, 0.5), thread.piece(i + 1, -0.5));
            assert!(before.at(&x).distance(after.at(&x)) < 1e-15, "{i}");
            assert!(before.slope(&x).distance(after.slope(&x)) < 1e-15, "{i}");
        }
        for u in [0.1, 0.4, 0.7, 3.2, 7.3, 7.9] {
            let [a, b, c] = [u - 1e-4, u, u + 1e-4].map(|u| thread.support(u));
            assert!(((c.at(&x) - a.at(&x)) / 2e-4).distance(b.slope(&x)) < 1e-7, "{u}");
            assert!(((c.slope(&x) - a.slope(&x)) / 2e-4).distance(b.bend(&x)) < 1e-7, "{u}");
            assert!((b.weights.iter().sum::<f64>() - 1.0).abs() < 1e-15);
        }
    }

    #[test]
    fn the_nearest_point_is_found_from_afar_and_never_beyond_the_ends() {
        let (thread, x) = thread();
        for u in [0.0, 0.2, 0.5, 1.3, 4.0, 4.49, 6.5, 7.8, 8.0] {
            let support = thread.support(u);
            let aside = support.slope(&x).cross(DVec3::new(0.3, -0.8, 0.5)).normalize() * 0.05;
            for from in [0.0, u, 3.5, 8.0] {
                let found = thread.nearest(support.at(&x) + aside, from, &x);
                assert!((found - u).abs() < 1e-9, "{u} from {from}: {found}");
            }
        }
        assert_eq!(thread.nearest(x[0] - (x[1] - x[0]), 2.0, &x), 0.0);
        assert_eq!(thread.nearest(x[8] + (x[8] - x[7]), 2.0, &x), 8.0);
    }

    #[test]
    fn a_thread_in_one_point_or_of_nothing_sensible_ends_the_search() {
        let (thread, x) = thread();
        for x in [vec![DVec3::ONE; 9], vec![DVec3::NAN; 9], vec![DVec3::splat(1e300); 9]] {
            let found = thread.nearest(DVec3::ZERO, 4.0, &x);
            assert!(found.is_nan() || (0.0..=8.0).contains(&found), "{found}");
        }
        assert!(
            (0.0..=8.0).contains(&thread.nearest(DVec3::NAN, 4.0, &x)) || thread.nearest(DVec3::NAN, 4.0, &x).is_nan()
        );
    }
}
