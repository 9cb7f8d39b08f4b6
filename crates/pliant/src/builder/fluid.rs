//! Fluids.

use glam::DVec3;
use pliant_scene::schema::{FluidKernel, FluidPressure};
use toml::Value;

use super::value::{Amount, corners, count, keys, part, push, set_inside, table, vector};

part! {
    /// A fluid of particles at a spacing; water by default.
    Fluid, "fluid"
}

impl Fluid {
    /// An empty fluid: add a [`block`](Fluid::block) or a [`source`](Fluid::source).
    pub fn new(name: &str, spacing: impl Into<Amount>) -> Self {
        let pairs = [("name", Value::from(name)), ("spacing", spacing.into().into())];
        Self(pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
    }

    /// A box that is full at the start, m.
    pub fn block(mut self, min: impl Into<DVec3>, max: impl Into<DVec3>) -> Self {
        push(&mut self.0, "boxes", corners(min, max));
        self
    }

    /// The inside of the box that holds it, m; open at the top.
    pub fn container(mut self, min: impl Into<DVec3>, max: impl Into<DVec3>) -> Self {
        set_inside(&mut self.0, "container", "box", corners(min, max));
        self
    }

    /// The container has a lid.
    pub fn closed(mut self) -> Self {
        set_inside(&mut self.0, "container", "open_top", false.into());
        self
    }

    /// A straight pipe that it flows out of: the middle of its mouth (m), where it flows, width and height (m), speed (m/s), and the layers of
    /// particles in it at the start.
    pub fn source(
        mut self,
        centre: impl Into<DVec3>,
        direction: impl Into<DVec3>,
        size: [f64; 2],
        speed: impl Into<Amount>,
        layers: usize,
    ) -> Self {
        let source = [
            ("centre", vector(centre)),
            ("direction", vector(direction)),
            ("size", size.to_vec().into()),
            ("speed", speed.into().into()),
            ("layers", count(layers)),
        ];
        self.0.insert("source".to_owned(), table(source));
        self
    }

    /// A box in which particles leave the scene and go back to the source, m.
    pub fn outlet(mut self, min: impl Into<DVec3>, max: impl Into<DVec3>) -> Self {
        push(&mut self.0, "outlets", corners(min, max));
        self
    }

    keys! {
        /// At rest, kg/m³.
        amount density;
        /// Speed of sound, m/s.
        amount sound_speed;
        /// The pressure model.
        choice pressure: FluidPressure;
        /// Mean compression that is allowed, with pressure "divergence-free".
        number density_error;
        /// Whether it is two-dimensional, in a plane of constant z.
        flag two_dimensional;
        /// Smoothing length in spacings.
        number smoothing;
        /// The smoothing kernel.
        choice kernel: FluidKernel;
        /// α of the artificial viscosity.
        number artificial_viscosity;
        /// β of the bulk viscosity.
        number bulk_viscosity;
        /// Kinematic viscosity, m²/s.
        amount viscosity;
        /// Surface tension, N/m.
        amount surface_tension;
        /// Velocity at the start, m/s.
        vector velocity;
    }
}
