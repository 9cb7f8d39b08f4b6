//! `[[pendulum]]`: pendulums in their angle.

use crate::body::shared_keys::body_table;
use crate::units::{Angle, AngularVelocity, Length, Mass};

body_table! {
    /// A pendulum in its angle: θ'' = -(g/length) sin θ with the world's gravity. Its particle's x coordinate is the angle in radians.
    pub struct PendulumBody {
        shared name,
        /// Angle at the start, rad.
        pub angle: Angle,
        /// Angular velocity at the start, rad/s.
        #[serde(default = "zero_rate")]
        pub angular_velocity: AngularVelocity,
        /// m
        pub length: Length,
        /// kg
        #[serde(default = "one_kilogram")]
        pub mass: Mass,
    }
}

fn zero_rate() -> AngularVelocity {
    0.0.into()
}

fn one_kilogram() -> Mass {
    1.0.into()
}
