//! Brittle bodies.

use glam::DVec3;
use pliant_scene::schema::{BrittleFigure, BrittleLaw, BrittleSpace};
use toml::Value;

use super::pins::Pins;
use super::value::{Amount, choice, corners, keys, mesh, part, push, set_inside, table, vector};

part! {
    /// A brittle body of bonded particles at a spacing: glass by default.
    Peridynamic, "peridynamic"
}

impl Peridynamic {
    fn shaped(name: &str, spacing: Amount, key: &str, shape: Value) -> Self {
        let pairs = [("name", Value::from(name)), ("spacing", spacing.into()), (key, shape)];
        Self(pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
    }

    /// A block from its lowest to its highest corner, m.
    pub fn block(name: &str, spacing: impl Into<Amount>, min: impl Into<DVec3>, max: impl Into<DVec3>) -> Self {
        Self::shaped(name, spacing.into(), "box", corners(min, max))
    }

    /// A closed surface of points (m) and triangles, filled.
    pub fn surface(name: &str, spacing: impl Into<Amount>, points: &[DVec3], triangles: &[[u32; 3]]) -> Self {
        Self::shaped(name, spacing.into(), "surface", mesh(points, "triangles", triangles))
    }

    /// A closed surface from a file, filled: OBJ, PLY or STL.
    pub fn file(name: &str, spacing: impl Into<Amount>, file: impl Into<String>) -> Self {
        Self::shaped(name, spacing.into(), "surface", table([("file", file.into().into())]))
    }

    /// A ball, a ring, a rabbit or a wine glass of a size.
    pub fn figure(name: &str, spacing: impl Into<Amount>, shape: BrittleFigure, size: impl Into<Amount>) -> Self {
        let figure = table([("shape", choice(shape)), ("size", size.into().into())]);
        Self::shaped(name, spacing.into(), "figure", figure)
    }

    /// Where the middle of a figure or the origin of a surface is, m.
    pub fn at(mut self, place: impl Into<DVec3>) -> Self {
        let (shape, key) = if self.0.contains_key("figure") { ("figure", "centre") } else { ("surface", "offset") };
        set_inside(&mut self.0, shape, key, vector(place));
        self
    }

    /// An initial cut: a corner of a parallelogram and its sides from there, m.
    pub fn crack(mut self, corner: impl Into<DVec3>, sides: [DVec3; 2]) -> Self {
        let sides = Value::Array(sides.into_iter().map(vector).collect());
        push(&mut self.0, "cracks", table([("corner", vector(corner)), ("sides", sides)]));
        self
    }

    /// Holds or moves some particles.
    pub fn pin(mut self, pins: Pins) -> Self {
        push(&mut self.0, "pins", Value::Table(pins.0));
        self
    }

    keys! {
        /// glass, ceramic, plaster, ice or maraging-steel: sets all values that are not given.
        text preset;
        /// How far bonds reach, in spacings.
        number horizon;
        /// kg/m³
        amount density;
        /// Young's modulus, Pa.
        amount youngs_modulus;
        /// Poisson's ratio.
        number poisson;
        /// Energy per area of crack, J/m².
        amount energy_release_rate;
        /// Whether it never breaks.
        flag unbreakable;
        /// How much stronger bonds are where others are compressed.
        number toughening;
        /// The bond model.
        choice law: BrittleLaw;
        /// The number of dimensions.
        choice space: BrittleSpace;
        /// How thick a two-dimensional body is, m.
        amount thickness;
        /// How far particles are moved from their lattice at random, in spacings.
        number jitter;
        /// Seed of the random numbers.
        count seed;
        /// Whether bonds near the surface are stiffer.
        flag surface_correction;
        /// Velocity at the start, m/s.
        vector velocity;
        /// Angular velocity about its middle at the start, rad/s.
        vector spin;
        /// Coefficient of friction.
        number friction;
    }
}
