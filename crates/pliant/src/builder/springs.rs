//! Particles joined by springs, and pendulums.

use glam::DVec3;
use pliant_scene::schema::{Plane, SpringLaw};
use toml::Value;

use super::pins::Pins;
use super::value::{Amount, choice, count, keys, part, push, set_inside, table, vector};

part! {
    /// Particles joined by springs of a stiffness (N/m). Give it a `mass` or a `total_mass`.
    SpringBody, "springs"
}

impl SpringBody {
    fn shaped(name: &str, stiffness: Amount, key: &str, shape: Value) -> Self {
        let pairs = [("name", Value::from(name)), ("stiffness", stiffness.into()), (key, shape)];
        Self(pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
    }

    /// Points (m), joined in pairs.
    pub fn points(name: &str, stiffness: impl Into<Amount>, points: &[DVec3], edges: &[[usize; 2]]) -> Self {
        let points = points.iter().map(|point| vector(*point)).collect();
        let mut body = Self::shaped(name, stiffness.into(), "points", Value::Array(points));
        for ends in edges {
            push(&mut body.0, "edges", Value::Array(ends.map(count).to_vec()));
        }
        body
    }

    /// A straight chain of some particles between two places, m.
    pub fn chain(
        name: &str,
        stiffness: impl Into<Amount>,
        particles: usize,
        from: impl Into<DVec3>,
        to: impl Into<DVec3>,
    ) -> Self {
        let chain = table([("count", count(particles)), ("from", vector(from)), ("to", vector(to))]);
        Self::shaped(name, stiffness.into(), "chain", chain)
    }

    /// A net of columns and rows of particles, of a width and a height in metres. It hangs from its first row at the origin.
    pub fn grid(
        name: &str,
        stiffness: impl Into<Amount>,
        [columns, rows]: [usize; 2],
        [width, height]: [f64; 2],
    ) -> Self {
        let grid =
            [("columns", count(columns)), ("rows", count(rows)), ("width", width.into()), ("height", height.into())];
        Self::shaped(name, stiffness.into(), "grid", table(grid))
    }

    /// A grid lies flat instead of hanging.
    pub fn horizontal(mut self) -> Self {
        set_inside(&mut self.0, "grid", "plane", choice(Plane::Horizontal));
        self
    }

    /// Where the first particle of a grid is, m.
    pub fn at(mut self, place: impl Into<DVec3>) -> Self {
        set_inside(&mut self.0, "grid", "origin", vector(place));
        self
    }

    /// Cubic springs from every particle to a place, m.
    pub fn cubic(mut self, anchor: impl Into<DVec3>) -> Self {
        self.0.insert("law".to_owned(), choice(SpringLaw::Cubic));
        self.0.insert("anchor".to_owned(), vector(anchor));
        self
    }

    /// Holds or moves some particles.
    pub fn pin(mut self, pins: Pins) -> Self {
        push(&mut self.0, "pins", Value::Table(pins.0));
        self
    }

    keys! {
        /// Mass of each particle, kg.
        amount mass;
        /// Mass of all particles together, kg.
        amount total_mass;
        /// Stiffness of the diagonal springs of a grid, N/m.
        amount shear_stiffness;
        /// Stiffness of the springs that skip one particle of a grid, N/m.
        amount bend_stiffness;
        /// Damping along springs, N s/m.
        amount damping;
        /// Rest length, m.
        amount rest_length;
        /// Velocity at the start, m/s.
        vector velocity;
    }
}

part! {
    /// A pendulum in its angle; its particle's x coordinate is the angle in radians.
    PendulumBody, "pendulum"
}

impl PendulumBody {
    /// Of a length (m), at an angle (rad) at the start.
    pub fn new(name: &str, length: impl Into<Amount>, angle: impl Into<Amount>) -> Self {
        let pairs = [("name", Value::from(name)), ("length", length.into().into()), ("angle", angle.into().into())];
        Self(pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
    }

    keys! {
        /// Angular velocity at the start, rad/s.
        amount angular_velocity;
        /// kg
        amount mass;
    }
}
