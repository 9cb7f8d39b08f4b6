//! Motions that are given: particles held in place or led along a scripted path, and rigid bodies that move and turn.

use std::sync::Arc;

use glam::DVec3;
use pliant_scalar::math;

/// Where a pinned particle is, and how fast it moves, as a function of time.
#[derive(Clone, Debug, PartialEq)]
pub enum Path {
    /// Held at one place.
    Fixed(DVec3),
    /// Harmonic motion about a centre: `centre + amplitude · sin(2π · frequency · t)`.
    Oscillate {
        /// Mean position, m.
        centre: DVec3,
        /// Amplitude, m.
        amplitude: DVec3,
        /// Frequency, Hz.
        frequency: f64,
    },
    /// A smooth curve through positions at given times (cubic Hermite, Catmull-Rom tangents, zero slope at both ends: the particle
    /// starts and ends at rest and stays at the last position).
    Keyframes {
        /// Increasing times, s.
        times: Vec<f64>,
        /// Positions at those times, m.
        points: Vec<DVec3>,
    },
    /// At a constant velocity.
    Steady {
        /// Position at time 0, m.
        start: DVec3,
        /// m/s
        velocity: DVec3,
    },
    /// Carried along by a body that moves and turns.
    Carried {
        /// Initial position, m.
        start: DVec3,
        /// Motion of the body.
        motion: Arc<Motion>,
    },
}

/// Rotation of a rigid body about an axis carried along by its translation.
#[derive(Clone, Debug, PartialEq)]
pub struct Turn {
    /// A point of the axis, m.
    pub centre: DVec3,
    /// Its direction, of length 1.
    pub axis: DVec3,
    /// The angle at a time is the x coordinate of this path, rad.
    pub angle: Path,
}

/// The motion of a rigid body: a translation, and a rotation about an axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Motion {
    /// Displacement from the start, m.
    pub offset: Path,
    /// The rotation, if any.
    pub turn: Option<Turn>,
}

impl Default for Motion {
    fn default() -> Self {
        Self { offset: Path::Fixed(DVec3::ZERO), turn: None }
    }
}

impl Motion {
    /// Position, m, and velocity, m/s, at a time, s, of a point of the body that began at `start`.
    pub fn at(&self, time: f64, start: DVec3) -> (DVec3, DVec3) {
        let (offset, rate) = self.offset.at(time);
        let Some(turn) = &self.turn else { return (start + offset, rate) };
        let (angle, spin) = turn.angle.at(time);
        let arm = math::axis_angle(turn.axis, angle.x) * (start - turn.centre);
        (turn.centre + arm + offset, rate + (turn.axis * spin.x).cross(arm))
    }

    /// An approximate bound of the speed of a point of the body, m/s.
    pub fn top_speed(&self, start: DVec3) -> f64 {
        let turning = self.turn.as_ref().map_or(0.0, |turn| {
            turn.angle.top_speed() * (start - turn.centre).reject_from_normalized(turn.axis).length()
        });
        self.offset.top_speed() + turning
    }

    /// Whether it ever moves.
    pub fn is_fixed(&self) -> bool {
        self.offset.is_fixed() && self.turn.as_ref().is_none_or(|turn| turn.angle.is_fixed())
    }
}

impl Path {
    /// Position, m, and velocity, m/s, at a time, s.
    pub fn at(&self, time: f64) -> (DVec3, DVec3) {
        match self {
            Path::Fixed(position) => (*position, DVec3::ZERO),
            Path::Oscillate { centre, amplitude, frequency } => {
                let omega = std::f64::consts::TAU * frequency;
                let (sin, cos) = math::sin_cos(omega * time);
                (*centre + *amplitude * sin, *amplitude * (omega * cos))
            }
            Path::Keyframes { times, points } => keyframes(times, points, time),
            Path::Steady { start, velocity } => (*start + *velocity * time, *velocity),
            Path::Carried { start, motion } => motion.at(time, *start),
        }
    }

    /// An approximate bound of its speed, m/s.
    pub fn top_speed(&self) -> f64 {
        match self {
            Path::Fixed(_) => 0.0,
            Path::Oscillate { amplitude, frequency, .. } => amplitude.length() * std::f64::consts::TAU * frequency,
            Path::Steady { velocity, .. } => velocity.length(),
            Path::Carried { start, motion } => motion.top_speed(*start),
            // A cubic between two keys is fastest near their middle or at an end.
            Path::Keyframes { times, .. } => {
                let looked_at = times
                    .windows(2)
                    .flat_map(|pair| (0..=8).map(move |k| pair[0] + (pair[1] - pair[0]) * f64::from(k) / 8.0));
                looked_at.map(|time| self.at(time).1.length()).fold(0.0, f64::max)
            }
        }
    }

    /// Whether the particle ever moves.
    pub fn is_fixed(&self) -> bool {
        match self {
            Path::Fixed(_) => true,
            Path::Carried { motion, .. } => motion.is_fixed(),
            _ => false,
        }
    }
}

fn keyframes(times: &[f64], points: &[DVec3], time: f64) -> (DVec3, DVec3) {
    let last = times.len() - 1;
    if time <= times[0] {
        return (points[0], DVec3::ZERO);
    }
    if time >= times[last] {
        return (points[last], DVec3::ZERO);
    }
    let i = times.partition_point(|t| *t <= time) - 1;
    let slope = |k: usize| {
        if k == 0 || k == last { DVec3::ZERO } else { (points[k + 1] - points[k - 1]) / (times[k + 1] - times[k - 1]) }
    };
    let length = times[i + 1] - times[i];
    let s = (time - times[i]) / length;
    let (p0, p1, m0, m1) = (points[i], points[i + 1], slope(i) * length, slope(i + 1) * length);
    let position = p0 * ((1.0 + 2.0 * s) * (1.0 - s) * (1.0 - s))
        + m0 * (s * (1.0 - s) * (1.0 - s))
        + p1 * (s * s * (3.0 - 2.0 * s))
        + m1 * (s * s * (s - 1.0));
    let rate = (p1 - p0) * (6.0 * s * (1.0 - s)) + m0 * ((1.0 - s) * (1.0 - 3.0 * s)) + m1 * (s * (3.0 * s - 2.0));
    (position, rate / length)
}

/// One particle on its path.
#[derive(Clone, Debug, PartialEq)]
pub struct Pin {
    /// Index of the particle.
    pub particle: usize,
    /// Its motion.
    pub path: Path,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn velocity_is_the_derivative_of_position() {
        let paths = [
            Path::Oscillate { centre: DVec3::X, amplitude: DVec3::new(0.1, 0.2, 0.3), frequency: 1.7 },
            Path::Keyframes {
                times: vec![0.0, 0.5, 1.5, 2.0],
                points: vec![DVec3::ZERO, DVec3::X, DVec3::new(1.0, 2.0, 0.0), DVec3::Z],
            },
            Path::Steady { start: DVec3::Z, velocity: DVec3::new(0.2, -0.1, 0.0) },
            Path::Carried {
                start: DVec3::new(0.3, 0.4, -0.2),
                motion: Arc::new(Motion {
                    offset: Path::Steady { start: DVec3::ZERO, velocity: DVec3::X },
                    turn: Some(Turn {
                        centre: DVec3::new(0.0, 0.1, 0.0),
                        axis: DVec3::new(0.6, 0.0, 0.8),
                        angle: Path::Oscillate { centre: DVec3::ZERO, amplitude: DVec3::X * 2.0, frequency: 0.8 },
                    }),
                }),
            },
        ];
        for path in &paths {
            for k in 1..40 {
                let (time, step) = (0.05 * f64::from(k) + 0.001, 1e-6);
                let difference = (path.at(time + step).0 - path.at(time - step).0) / (2.0 * step);
                assert!((difference - path.at(time).1).length() < 1e-7, "{path:?} at {time}");
            }
        }
    }

    #[test]
    fn keyframes_pass_through_their_points_and_rest_outside() {
        let (times, points) = (vec![1.0, 2.0, 4.0], vec![DVec3::X, DVec3::Y, DVec3::Z]);
        let path = Path::Keyframes { times: times.clone(), points: points.clone() };
        for (time, point) in times.iter().zip(&points) {
            assert!((path.at(*time).0 - *point).length() < 1e-15);
        }
        assert_eq!(path.at(-5.0), (DVec3::X, DVec3::ZERO));
        assert_eq!(path.at(50.0), (DVec3::Z, DVec3::ZERO));
    }
}
