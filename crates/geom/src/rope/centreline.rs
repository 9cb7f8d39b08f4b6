//! The points of a rope's axis, open or closed, checked once.

use glam::DVec3;

use super::{BadRope, size};

/// Length of a segment over the size of the whole below which its ends coincide.
const NO_LENGTH: f64 = 1e-12;

/// `1 + cos θ` below which a rope turns back on itself; an angle of 179.9°.
const NO_TURN: f64 = 1e-6;

/// A polyline of distinct neighbours. A closed one does not repeat its first point.
#[derive(Clone, Debug, PartialEq)]
pub struct Centreline {
    points: Vec<DVec3>,
    closed: bool,
}

impl Centreline {
    /// Checks the points: at least two (three, closed), finite, neighbours apart, no fold.
    pub fn new(points: Vec<DVec3>, closed: bool) -> Result<Self, BadRope> {
        let least = if closed { 3 } else { 2 };
        if points.len() < least {
            return Err(BadRope::TooFewPoints { least, got: points.len() });
        }
        if let Some(index) = points.iter().position(|p| !p.is_finite()) {
            return Err(BadRope::NotFinite { index, point: points[index].to_array() });
        }
        let first = points[0];
        let extent = points.iter().map(|p| (*p - first).length()).fold(0.0, f64::max);
        let line = Self { points, closed };
        for k in 0..line.segments() {
            let (a, b) = line.ends(k);
            if (line.points[b] - line.points[a]).length() <= NO_LENGTH * extent {
                return Err(BadRope::Coincident { first: a, second: b });
            }
        }
        for index in 0..line.points.len() {
            if let (Some(a), Some(b)) = (line.before(index), line.after(index)) {
                let (a, b) = (line.edge(a).normalize(), line.edge(b).normalize());
                if 1.0 + a.dot(b) < NO_TURN {
                    return Err(BadRope::FoldedBack { index });
                }
            }
        }
        Ok(line)
    }

    /// Its points.
    pub fn points(&self) -> &[DVec3] {
        &self.points
    }

    /// Whether the last point is joined to the first.
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// How many segments it has.
    pub fn segments(&self) -> usize {
        if self.closed { self.points.len() } else { self.points.len() - 1 }
    }

    /// The points at the ends of a segment.
    pub fn ends(&self, segment: usize) -> (usize, usize) {
        (segment, (segment + 1) % self.points.len())
    }

    /// The vector along a segment.
    pub fn edge(&self, segment: usize) -> DVec3 {
        let (a, b) = self.ends(segment);
        self.points[b] - self.points[a]
    }

    /// The segment that ends at a point.
    pub fn before(&self, point: usize) -> Option<usize> {
        match point {
            0 => self.closed.then(|| self.points.len() - 1),
            _ => Some(point - 1),
        }
    }

    /// The segment that starts at a point.
    pub fn after(&self, point: usize) -> Option<usize> {
        (point < self.segments()).then_some(point)
    }

    /// Length of all segments, m.
    pub fn length(&self) -> f64 {
        (0..self.segments()).map(|k| self.edge(k).length()).sum()
    }

    /// Unit tangents: the mean direction of the two segments at a point, of the one at an end.
    pub fn tangents(&self) -> Vec<DVec3> {
        let direction = |segment: Option<usize>| segment.map_or(DVec3::ZERO, |k| self.edge(k).normalize());
        // two unit vectors that are not opposite, by construction
        (0..self.points.len()).map(|p| (direction(self.before(p)) + direction(self.after(p))).normalize()).collect()
    }

    /// The radius to which the polyline bends at a point: of the circle that touches both segments, `l/(2 tan θ/2)` with the mean length
    /// l and the turning angle θ; infinite at the ends and where it is straight.
    pub fn bend_radius(&self, point: usize) -> f64 {
        let (Some(a), Some(b)) = (self.before(point), self.after(point)) else { return f64::INFINITY };
        let (a, b) = (self.edge(a), self.edge(b));
        let lengths = a.length() * b.length();
        let turn = 2.0 * a.cross(b).length() / (lengths + a.dot(b));
        0.5 * (a.length() + b.length()) / turn
    }

    /// Refuses a radius above the smallest bend radius: such a rope would overlap itself inside of its bend.
    pub fn check_radius(&self, radius: f64) -> Result<(), BadRope> {
        size("the rope's radius", radius)?;
        let bends = (0..self.points.len()).map(|index| (index, self.bend_radius(index)));
        let sharpest = bends.fold((0, f64::INFINITY), |best, next| if next.1 < best.1 { next } else { best });
        match sharpest {
            (index, bend_radius) if bend_radius < radius => Err(BadRope::TooThick { index, radius, bend_radius }),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_rope_is_named() {
        let line = |points: &[[f64; 3]], closed| {
            Centreline::new(points.iter().map(|p| DVec3::from_array(*p)).collect(), closed)
        };
        let text = |points: &[[f64; 3]], closed| line(points, closed).unwrap_err().to_string();
        assert_eq!(text(&[[0.0; 3]], false), "a rope needs at least 2 points, got 1");
        assert_eq!(text(&[[0.0; 3], [1.0, 0.0, 0.0]], true), "a rope needs at least 3 points, got 2");
        let nan = [[0.0; 3], [1.0, f64::NAN, 0.0]];
        assert_eq!(text(&nan, false), "point 1 of the rope is not finite: [1.0, NaN, 0.0]");
        let twice = [[0.0; 3], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0]];
        assert_eq!(text(&twice, false), "points 1 and 2 of the rope coincide");
        let repeated = [[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0; 3]];
        assert_eq!(text(&repeated, true), "points 3 and 0 of the rope coincide");
        assert!(line(&repeated, false).is_ok(), "an open rope may end where it starts");
        assert_eq!(text(&[[0.0; 3]; 4], false), "points 0 and 1 of the rope coincide");
        let back = [[0.0; 3], [2.0, 0.0, 0.0], [1.0, 0.0, 0.0]];
        assert_eq!(text(&back, false), "the rope turns back on itself at point 1: it has no direction there");
    }

    #[test]
    fn a_polygon_bends_to_the_circle_inside_of_it() {
        for sides in [4, 12, 100] {
            let angle = |k: usize| std::f64::consts::TAU * k as f64 / sides as f64;
            let points = (0..sides).map(|k| DVec3::new(angle(k).cos(), 0.0, angle(k).sin())).collect();
            let ring = Centreline::new(points, true).unwrap();
            let inner = (0.5 * angle(1)).cos();
            assert!((0..sides).all(|k| (ring.bend_radius(k) - inner).abs() < 1e-12));
            assert_eq!(ring.check_radius(0.99 * inner), Ok(()));
            assert!(matches!(ring.check_radius(1.01 * inner), Err(BadRope::TooThick { .. })));
            assert!(matches!(ring.check_radius(-1.0), Err(BadRope::Size { .. })));
        }
        let straight = Centreline::new(vec![DVec3::ZERO, DVec3::X, DVec3::X * 2.0], false).unwrap();
        assert_eq!(straight.bend_radius(1), f64::INFINITY);
        assert_eq!(straight.check_radius(10.0), Ok(()));
    }
}
