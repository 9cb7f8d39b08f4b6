//! Soft bodies of tetrahedra.

use glam::DVec3;
use pliant_scene::schema::{Frames, SolidFigure, Split};
use toml::{Table, Value};

use super::pins::Pins;
use super::value::{Amount, choice, corners, count, keys, mesh, part, push, set_inside, table, vector};

part! {
    /// A soft body: silicone by default.
    Solid, "solid"
}

impl Solid {
    fn shaped(name: &str, key: &str, shape: Value) -> Self {
        let pairs = [("name", Value::from(name)), (key, shape)];
        Self(pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
    }

    /// A block of cells, of a size (m) from the origin on.
    pub fn block(name: &str, cells: [usize; 3], size: impl Into<DVec3>) -> Self {
        let cells = Value::Array(cells.into_iter().map(count).collect());
        Self::shaped(name, "box", table([("cells", cells), ("size", vector(size))]))
    }

    /// Points (m) and tetrahedra, which stay in memory.
    pub fn mesh(name: &str, points: &[DVec3], tetrahedra: &[[u32; 4]]) -> Self {
        Self::shaped(name, "mesh", mesh(points, "tetrahedra", tetrahedra))
    }

    /// Tetrahedra from a file: Gmsh, TetGen, VTK or VTU.
    pub fn file(name: &str, file: impl Into<String>) -> Self {
        Self::shaped(name, "mesh", table([("file", file.into().into())]))
    }

    /// A closed surface of points (m) and triangles, filled with tetrahedra of about this edge length.
    pub fn surface(name: &str, points: &[DVec3], triangles: &[[u32; 3]], spacing: impl Into<Amount>) -> Self {
        let mut solid = Self::shaped(name, "surface", mesh(points, "triangles", triangles));
        set_inside(&mut solid.0, "surface", "spacing", spacing.into().into());
        solid
    }

    /// A ball, a ring, a rabbit or a liver of a size, filled with tetrahedra of about this edge length.
    pub fn figure(name: &str, shape: SolidFigure, size: impl Into<Amount>, spacing: impl Into<Amount>) -> Self {
        let figure = [("shape", choice(shape)), ("size", size.into().into()), ("spacing", spacing.into().into())];
        Self::shaped(name, "figure", table(figure))
    }

    /// Where it is, m: the lowest corner of a block, the middle of a figure, the origin of a mesh.
    pub fn at(mut self, place: impl Into<DVec3>) -> Self {
        let (shape, key) = match &self.0 {
            table if table.contains_key("box") => ("box", "origin"),
            table if table.contains_key("figure") => ("figure", "centre"),
            table if table.contains_key("surface") => ("surface", "offset"),
            _ => ("mesh", "offset"),
        };
        set_inside(&mut self.0, shape, key, vector(place));
        self
    }

    /// How the cells of a block are cut.
    pub fn split(mut self, split: Split) -> Self {
        set_inside(&mut self.0, "box", "split", choice(split));
        self
    }

    /// A force on a part of the surface.
    pub fn load(mut self, load: Load) -> Self {
        push(&mut self.0, "loads", Value::Table(load.0));
        self
    }

    /// Holds or moves some particles.
    pub fn pin(mut self, pins: Pins) -> Self {
        push(&mut self.0, "pins", Value::Table(pins.0));
        self
    }

    keys! {
        /// rubber, silicone, foam, gelatine, liver, …: sets all values that are not given.
        text preset;
        /// How strain is measured: cauchy, green, corotational, warped, hybrid or neo-hookean.
        text measure;
        /// Which rotations the corotational measure removes.
        choice frames: Frames;
        /// Time between two updates of lagged frames, s.
        amount frame_interval;
        /// How often every tetrahedron is divided into eight.
        count refine;
        /// Whether the fine surface that was filled is shown.
        flag skin;
        /// kg/m³
        amount density;
        /// Young's modulus, Pa.
        amount youngs_modulus;
        /// Poisson's ratio, below 0.5.
        number poisson;
        /// Stiffness-proportional damping, s.
        amount damping;
        /// Velocity at the start, m/s.
        vector velocity;
        /// Coefficient of friction.
        number friction;
        /// Distance at which it begins to push others away, m.
        amount contact_distance;
        /// Whether it has contact with itself and with other bodies.
        flag contact;
    }
}

/// A force on the faces of a solid that have all corners in a box.
#[derive(Clone, Debug)]
#[must_use]
pub struct Load(Table);

impl Load {
    fn on(min: impl Into<DVec3>, max: impl Into<DVec3>, key: &str, value: Value) -> Self {
        let pairs = [("box", corners(min, max)), (key, value)];
        Self(pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
    }

    /// Force per area in a fixed direction, Pa.
    pub fn traction(min: impl Into<DVec3>, max: impl Into<DVec3>, traction: impl Into<DVec3>) -> Self {
        Self::on(min, max, "traction", vector(traction))
    }

    /// Pressure along the normal of the deformed surface, Pa.
    pub fn pressure(min: impl Into<DVec3>, max: impl Into<DVec3>, pressure: impl Into<Amount>) -> Self {
        Self::on(min, max, "pressure", pressure.into().into())
    }

    /// It grows linearly from zero to its full value in this time, s.
    pub fn ramp(mut self, time: impl Into<Amount>) -> Self {
        self.0.insert("ramp".to_owned(), time.into().into());
        self
    }

    /// Factors of it at these times (s), with linear interpolation.
    pub fn history(mut self, history: impl IntoIterator<Item = (f64, f64)>) -> Self {
        let (times, parts): (Vec<f64>, Vec<f64>) = history.into_iter().unzip();
        self.0.insert("times".to_owned(), times.into());
        self.0.insert("parts".to_owned(), parts.into());
        self
    }
}
