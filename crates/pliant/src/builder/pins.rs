//! Particles on prescribed paths, and the motion of pins and colliders.

use glam::DVec3;
use pliant_scene::schema::{Corner, RopeEnd, Side};
use toml::{Table, Value};

use super::value::{Amount, choice, corners, count, table, vector};

/// Some particles of a body that are held in place or moved. Choices add up.
#[derive(Clone, Debug)]
#[must_use]
pub struct Pins(pub(super) Table);

/// Some points of a rope that are held in place or moved. Choices add up.
#[derive(Clone, Debug)]
#[must_use]
pub struct RopePins(pub(super) Table);

fn one(key: &str, value: Value) -> Table {
    std::iter::once((key.to_owned(), value)).collect()
}

fn numbers(numbers: impl IntoIterator<Item = usize>) -> Value {
    Value::Array(numbers.into_iter().map(count).collect())
}

impl Pins {
    /// Particles by their index within the body, from 0.
    pub fn particles(particles: impl IntoIterator<Item = usize>) -> Self {
        Self(one("particles", numbers(particles)))
    }

    /// Corners of a grid.
    pub fn corners(corners: impl IntoIterator<Item = Corner>) -> Self {
        Self(one("corners", Value::Array(corners.into_iter().map(choice).collect())))
    }

    /// One side of a grid.
    pub fn side(side: Side) -> Self {
        Self(one("side", choice(side)))
    }

    /// All particles inside of a box, m.
    pub fn inside(min: impl Into<DVec3>, max: impl Into<DVec3>) -> Self {
        Self(one("box", corners(min, max)))
    }

    /// All particles of a mesh file for which this vertex property is above one half.
    pub fn attribute(name: &str) -> Self {
        Self(one("attribute", name.into()))
    }
}

impl RopePins {
    /// Points by their index along the rope, from 0.
    pub fn points(points: impl IntoIterator<Item = usize>) -> Self {
        Self(one("points", numbers(points)))
    }

    /// An end, or both.
    pub fn end(end: RopeEnd) -> Self {
        Self(one("end", choice(end)))
    }

    /// All points inside of a box, m.
    pub fn inside(min: impl Into<DVec3>, max: impl Into<DVec3>) -> Self {
        Self(one("box", corners(min, max)))
    }

    /// Also holds direction and twist: the whole section.
    pub fn clamp(mut self) -> Self {
        self.0.insert("clamp".to_owned(), true.into());
        self
    }
}

/// A turn about an axis.
#[derive(Clone, Debug)]
#[must_use]
pub struct Turn(Table);

impl Turn {
    /// At a constant rate (rad/s) about an axis through the origin.
    pub fn rate(axis: impl Into<DVec3>, rate: impl Into<Amount>) -> Self {
        let mut turn = one("axis", vector(axis));
        turn.insert("rate".to_owned(), rate.into().into());
        Self(turn)
    }

    /// Smoothly through angles (rad) at increasing times (s).
    pub fn angles(axis: impl Into<DVec3>, angles: impl IntoIterator<Item = (f64, f64)>) -> Self {
        let (times, angles): (Vec<f64>, Vec<f64>) = angles.into_iter().unzip();
        let mut turn = one("axis", vector(axis));
        turn.insert("times".to_owned(), times.into());
        turn.insert("angles".to_owned(), angles.into());
        Self(turn)
    }

    /// A point of the axis, m.
    pub fn about(mut self, centre: impl Into<DVec3>) -> Self {
        self.0.insert("centre".to_owned(), vector(centre));
        self
    }
}

/// The motions that pins and colliders share.
macro_rules! motions {
    ($type:ident) => {
        impl $type {
            /// Harmonic motion about the starting position: amplitude in metres, frequency in hertz.
            pub fn oscillate(mut self, amplitude: impl Into<DVec3>, frequency: impl Into<Amount>) -> Self {
                let motion = [("amplitude", vector(amplitude)), ("frequency", frequency.into().into())];
                self.0.insert("oscillate".to_owned(), table(motion));
                self
            }

            /// A smooth path through displacements from the starting position (m) at increasing times (s).
            pub fn keyframes<V: Into<DVec3>>(mut self, keyframes: impl IntoIterator<Item = (f64, V)>) -> Self {
                let (times, offsets): (Vec<f64>, Vec<Value>) =
                    keyframes.into_iter().map(|(time, offset)| (time, vector(offset))).unzip();
                self.0.insert("keyframes".to_owned(), table([("times", times.into()), ("offsets", offsets.into())]));
                self
            }

            /// Turned about an axis as a rigid whole.
            pub fn turn(mut self, turn: Turn) -> Self {
                self.0.insert("turn".to_owned(), Value::Table(turn.0));
                self
            }
        }
    };
}

use super::collider::Collider;

motions!(Pins);
motions!(RopePins);
motions!(Collider);
