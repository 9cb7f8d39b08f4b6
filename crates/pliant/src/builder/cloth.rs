//! Sheets of fabric.

use glam::DVec3;
use pliant_scene::schema::{ClothBending, ClothModel, Plane, Repair};
use toml::Value;

use super::pins::Pins;
use super::value::{Amount, choice, count, keys, mesh, part, push, set_inside, table, vector};

part! {
    /// A sheet of fabric: cotton by default.
    Cloth, "cloth"
}

impl Cloth {
    fn shaped(name: &str, key: &str, shape: Value) -> Self {
        let pairs = [("name", Value::from(name)), (key, shape)];
        Self(pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
    }

    /// A rectangle of columns and rows of particles, of a width and a height in metres. It hangs from its first row at the origin.
    pub fn grid(name: &str, [columns, rows]: [usize; 2], [width, height]: [f64; 2]) -> Self {
        let grid =
            [("columns", count(columns)), ("rows", count(rows)), ("width", width.into()), ("height", height.into())];
        Self::shaped(name, "grid", table(grid))
    }

    /// Points (m) and triangles, which stay in memory.
    pub fn mesh(name: &str, points: &[DVec3], triangles: &[[u32; 3]]) -> Self {
        Self::shaped(name, "mesh", mesh(points, "triangles", triangles))
    }

    /// A mesh file: OBJ, PLY or STL.
    pub fn file(name: &str, file: impl Into<String>) -> Self {
        Self::shaped(name, "mesh", table([("file", file.into().into())]))
    }

    /// A closed sphere about the origin.
    pub fn sphere(name: &str, radius: impl Into<Amount>) -> Self {
        Self::shaped(name, "sphere", table([("radius", radius.into().into())]))
    }

    /// A grid lies flat instead of hanging.
    pub fn horizontal(mut self) -> Self {
        set_inside(&mut self.0, "grid", "plane", choice(Plane::Horizontal));
        self
    }

    /// Where it is, m: the first particle of a grid, the centre of a sphere, the origin of a mesh.
    pub fn at(mut self, place: impl Into<DVec3>) -> Self {
        let (shape, key) = match &self.0 {
            table if table.contains_key("grid") => ("grid", "origin"),
            table if table.contains_key("sphere") => ("sphere", "centre"),
            _ => ("mesh", "offset"),
        };
        set_inside(&mut self.0, shape, key, vector(place));
        self
    }

    /// How often the 20 triangles of a sphere are divided into four.
    pub fn subdivisions(mut self, times: usize) -> Self {
        set_inside(&mut self.0, "sphere", "subdivisions", count(times));
        self
    }

    /// Metres per unit of a mesh.
    pub fn scale(mut self, scale: f64) -> Self {
        set_inside(&mut self.0, "mesh", "scale", scale.into());
        self
    }

    /// Repairs of a mesh that are allowed instead of an error.
    pub fn repair(mut self, repairs: impl IntoIterator<Item = Repair>) -> Self {
        let repairs = repairs.into_iter().map(choice).collect();
        set_inside(&mut self.0, "mesh", "repair", Value::Array(repairs));
        self
    }

    /// Fills a closed sheet with gas at a pressure (Pa) above that around it.
    pub fn inflate(mut self, pressure: impl Into<Amount>) -> Self {
        set_inside(&mut self.0, "inflate", "pressure", pressure.into().into());
        self
    }

    /// Holds or moves some particles.
    pub fn pin(mut self, pins: Pins) -> Self {
        push(&mut self.0, "pins", Value::Table(pins.0));
        self
    }

    keys! {
        /// silk, cotton, wool, denim, leather or paper: sets all values that are not given.
        text preset;
        /// How it resists stretching.
        choice model: ClothModel;
        /// How it resists bending.
        choice bending: ClothBending;
        /// Mass per area, kg/m².
        amount density;
        /// m
        amount thickness;
        /// Young's modulus along the warp, Pa.
        amount youngs_modulus;
        /// Young's modulus along the weft, Pa.
        amount youngs_modulus_weft;
        /// Shear modulus, Pa.
        amount shear_modulus;
        /// Poisson's ratio.
        number poisson;
        /// Resistance to bending, N m.
        amount bending_stiffness;
        /// Stiffness-proportional damping of stretching, s.
        amount damping;
        /// Stiffness-proportional damping of bending, s.
        amount bending_damping;
        /// Strain beyond which the sheet quickly becomes stiffer.
        number strain_limit;
        /// Velocity at the start, m/s.
        vector velocity;
        /// Coefficient of friction.
        number friction;
        /// Distance at which two sheets begin to push each other away, m.
        amount contact_distance;
        /// Whether it has contact with itself and with other bodies.
        flag contact;
    }
}
