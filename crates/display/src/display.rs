//! Positions in which particles are drawn: the one place that interprets a [`BodyShape`]. Pictures and the live viewer both use it, so they
//! cannot disagree.

use std::borrow::Cow;
use std::f64::consts::TAU;

use glam::DVec3;
use pliant_core::{Body, BodyShape, State};
use pliant_scalar::math::{atan2, sin_cos};

/// The bob of a pendulum.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bob {
    /// Number of its body.
    pub body: usize,
    /// The particle with the angle as its x coordinate.
    pub particle: usize,
    /// Length of the rod, m.
    pub length: f64,
    /// The pivot, m.
    pub pivot: DVec3,
}

impl Bob {
    /// Position of the bob at an angle, m.
    pub fn place(&self, angle: f64) -> DVec3 {
        let (sin, cos) = sin_cos(angle);
        self.pivot + DVec3::new(sin, -cos, 0.0) * self.length
    }

    /// The angle at which the rod points at a position, of all turns the one nearest to `near`; `near` itself where the position is the
    /// pivot and the angle is undefined.
    pub fn angle(&self, place: DVec3, near: f64) -> f64 {
        let from = place - self.pivot;
        if from.x == 0.0 && from.y == 0.0 {
            return near;
        }
        let angle = atan2(from.x, -from.y);
        angle + TAU * ((near - angle) / TAU).round()
    }
}

/// Maps states to what is drawn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Display {
    bobs: Vec<Bob>,
}

impl Display {
    /// For these bodies. Pendulums are placed one behind the other.
    pub fn new(bodies: &[Body]) -> Self {
        let mut bobs: Vec<Bob> = Vec::new();
        for (body, Body { particles, shape, .. }) in bodies.iter().enumerate() {
            let BodyShape::Pendulum { length } = *shape else { continue };
            for particle in particles.clone() {
                let pivot = DVec3::Z * (-0.5 * length * bobs.len() as f64);
                bobs.push(Bob { body, particle, length, pivot });
            }
        }
        Self { bobs }
    }

    /// All pendulums.
    pub fn bobs(&self) -> &[Bob] {
        &self.bobs
    }

    /// The same state in space: positions in m and velocities in m/s, whatever the coordinates mean. Particles that a state does not
    /// have are skipped.
    pub fn show<'a>(&self, state: &'a State) -> Cow<'a, State> {
        let mut shown = Cow::Borrowed(state);
        for bob in &self.bobs {
            let (Some(x), Some(v)) = (state.x.get(bob.particle), state.v.get(bob.particle)) else { continue };
            let (sin, cos) = sin_cos(x.x);
            let shown = shown.to_mut();
            shown.x[bob.particle] = bob.place(x.x);
            shown.v[bob.particle] = DVec3::new(cos, sin, 0.0) * (bob.length * v.x);
        }
        shown
    }

    /// The coordinates of a particle, now at the coordinates `near`, when it is drawn at a position or as near to it as possible.
    pub fn coordinates(&self, particle: usize, place: DVec3, near: DVec3) -> DVec3 {
        let bob = self.bobs.iter().find(|bob| bob.particle == particle);
        bob.map_or(place, |bob| near.with_x(bob.angle(place, near.x)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two_bobs_behind_a_point() -> Display {
        let shape = BodyShape::Pendulum { length: 2.0 };
        let pendulum = |first: usize| Body { particles: first..first + 1, shape, ..Body::default() };
        Display::new(&[Body { particles: 0..1, ..Body::default() }, pendulum(1), pendulum(2)])
    }

    #[test]
    fn bobs_hang_from_their_pivots_and_move_along_their_circle() {
        let display = two_bobs_behind_a_point();
        let angle = std::f64::consts::FRAC_PI_2;
        let x = vec![DVec3::splat(7.0), DVec3::ZERO, DVec3::X * angle];
        let state = State { time: 3.0, x, v: vec![DVec3::Y, DVec3::X * 0.5, DVec3::X * -0.25] };
        let shown = display.show(&state);
        assert_eq!((shown.time, shown.x[0], shown.v[0]), (3.0, state.x[0], state.v[0]));
        let expected = [DVec3::new(0.0, -2.0, 0.0), DVec3::new(2.0, 0.0, -1.0)];
        let velocities = [DVec3::new(1.0, 0.0, 0.0), DVec3::new(0.0, -0.5, 0.0)];
        for k in 0..2 {
            assert!((shown.x[k + 1] - expected[k]).length() < 1e-14, "{}", shown.x[k + 1]);
            assert!((shown.v[k + 1] - velocities[k]).length() < 1e-14, "{}", shown.v[k + 1]);
        }
        let plain = Display::new(&[Body { particles: 0..3, ..Body::default() }]);
        assert!(matches!(plain.show(&state), Cow::Borrowed(_)), "states without pendulums are not copied");
        assert_eq!(display.show(&State::default()).into_owned(), State::default());
    }

    #[test]
    fn a_place_is_turned_into_the_nearest_angle() {
        let display = two_bobs_behind_a_point();
        let bob = display.bobs()[1];
        for k in -40..40 {
            let angle = 0.41 * f64::from(k);
            let at = display.coordinates(bob.particle, bob.place(angle), DVec3::X * (angle + 2.0));
            assert!((at - DVec3::X * angle).length() < 1e-12, "{angle}: {at}");
        }
        assert_eq!(display.coordinates(2, bob.pivot, DVec3::X * 9.0), DVec3::X * 9.0);
        assert_eq!(display.coordinates(0, DVec3::ONE, DVec3::ZERO), DVec3::ONE);
    }
}
