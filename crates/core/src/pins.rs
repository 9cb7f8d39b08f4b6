//! Particles whose motion is given: held in place or led along a scripted path.

use glam::DVec3;

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
}

impl Path {
    /// Position and velocity at a time.
    pub fn at(&self, time: f64) -> (DVec3, DVec3) {
        match self {
            Path::Fixed(position) => (*position, DVec3::ZERO),
            Path::Oscillate { centre, amplitude, frequency } => {
                let omega = std::f64::consts::TAU * frequency;
                let (sin, cos) = (omega * time).sin_cos();
                (*centre + *amplitude * sin, *amplitude * (omega * cos))
            }
            Path::Keyframes { times, points } => keyframes(times, points, time),
        }
    }

    /// Whether the particle ever moves.
    pub fn is_fixed(&self) -> bool {
        matches!(self, Path::Fixed(_))
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
