//! Ropes, cables, cords and threads.

use glam::DVec3;
use pliant_scene::schema::rope::CurveTable;
use pliant_scene::schema::{RopeCell, RopeRest, Through};
use toml::Value;

use super::pins::RopePins;
use super::value::{Amount, choice, keys, part, push, table, vector};

part! {
    /// A rope of a radius: nylon by default.
    Rope, "rope"
}

impl Rope {
    fn shaped(name: &str, radius: Amount, key: &str, shape: Value) -> Self {
        let pairs = [("name", Value::from(name)), ("radius", radius.into()), (key, shape)];
        Self(pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
    }

    /// Straight from point to point, m.
    pub fn through(name: &str, radius: impl Into<Amount>, points: impl IntoIterator<Item = DVec3>) -> Self {
        Self::shaped(name, radius.into(), "points", Value::Array(points.into_iter().map(vector).collect()))
    }

    /// A straight line, m.
    pub fn line(name: &str, radius: impl Into<Amount>, from: impl Into<DVec3>, to: impl Into<DVec3>) -> Self {
        Self::curve(name, radius, CurveTable::Line { from: from.into().into(), to: to.into().into() })
    }

    /// A built-in curve about the origin: a helix, a circle, a knot.
    pub fn curve(name: &str, radius: impl Into<Amount>, curve: CurveTable) -> Self {
        Self::shaped(name, radius.into(), "curve", choice(curve))
    }

    /// Points along it from a file: OBJ with a polyline, or lines of three numbers.
    pub fn file(name: &str, radius: impl Into<Amount>, file: impl Into<String>) -> Self {
        Self::shaped(name, radius.into(), "file", file.into().into())
    }

    /// Turned about an axis through the origin by an angle (rad), before it is moved by `offset`.
    pub fn rotate(mut self, axis: impl Into<DVec3>, angle: impl Into<Amount>) -> Self {
        self.0.insert("rotate".to_owned(), table([("axis", vector(axis)), ("angle", angle.into().into())]));
        self
    }

    /// Points are joined by a smooth curve.
    pub fn smooth(mut self) -> Self {
        self.0.insert("through".to_owned(), choice(Through::Spline));
        self
    }

    /// Holds or moves some points.
    pub fn pin(mut self, pins: RopePins) -> Self {
        push(&mut self.0, "pins", Value::Table(pins.0));
        self
    }

    keys! {
        /// Whether the last point is joined to the first.
        flag closed;
        /// Moved by this, m.
        vector offset;
        /// Number of segments, all of one length.
        count segments;
        /// nylon-rope, steel-cable, suture, rubber-cord or spaghetti: sets all values that are not given.
        text preset;
        /// Young's modulus of a solid round rod, Pa.
        amount youngs_modulus;
        /// Poisson's ratio.
        number poisson;
        /// EA, N.
        amount stretch_stiffness;
        /// EI, N m².
        amount bend_stiffness;
        /// GJ, N m².
        amount twist_stiffness;
        /// kg/m
        amount mass_per_length;
        /// Of the full round section, kg/m³.
        amount density;
        /// Stiffness-proportional damping, s.
        amount damping;
        /// The stress-free shape.
        choice rest: RopeRest;
        /// What it is made of inside.
        choice cell: RopeCell;
        /// How often its end is turned against its start at the beginning.
        number twist;
        /// How many strands it is drawn with.
        count strands;
        /// Whether it is knotted to other such ropes where it passes them at the start.
        flag knotted;
        /// Velocity at the start, m/s.
        vector velocity;
        /// Coefficient of friction.
        number friction;
        /// Softness of its contact, m.
        amount contact_distance;
        /// Whether it has contact with itself and with other bodies.
        flag contact;
        /// Whether it is moved aside at the start where it would intersect itself or another rope.
        flag separate;
    }
}

part! {
    /// A rope that is sewn through bodies; its first segments are the needle.
    Suture, "suture"
}

impl Suture {
    /// The name of the rope, the names of the bodies, and the number of segments of the needle.
    pub fn new<'a>(thread: &str, through: impl IntoIterator<Item = &'a str>, needle: usize) -> Self {
        let through = through.into_iter().map(Value::from).collect();
        let pairs =
            [("thread", thread.into()), ("through", Value::Array(through)), ("needle", super::value::count(needle))];
        Self(pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
    }

    keys! {
        /// How hard a hole holds the thread sideways, N/m.
        amount stiffness;
        /// Dry friction of each hole along the thread, N.
        amount grip;
        /// Whether a knot keeps the thread's tail from slipping through.
        flag knot;
    }
}
