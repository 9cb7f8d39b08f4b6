//! Scalar fields of particles from force models, written to frame files beside velocities: density and pressure of a fluid. They are
//! computed from a state when it is written and stored nowhere, so that no result of a run depends on them.

/// One number per particle.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Its name in files.
    pub name: &'static str,
    /// Value per particle, in the SI unit of the quantity; zero where undefined.
    pub values: Vec<f64>,
}

/// The fields of one state, in the order in which models wrote them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fields {
    count: usize,
    all: Vec<Field>,
}

impl Fields {
    /// kg/m³
    pub const DENSITY: &str = "density";
    /// Pa
    pub const PRESSURE: &str = "pressure";
    /// The part of a particle's bonds that is broken.
    pub const DAMAGE: &str = "damage";
    /// Number of the fragment of a particle, from 1; 0 for particles that cannot break.
    pub const FRAGMENT: &str = "fragment";
    /// Under restraint: 0 for freely moving particles, 1 in transition, 2 for restrained particles.
    pub const ACTIVITY: &str = "activity";

    /// Starts the next state with so many particles; drops all fields.
    pub fn begin(&mut self, count: usize) {
        self.count = count;
        self.all.clear();
    }

    /// The values of a field, to be written where they are defined; zero everywhere if no model has written it yet.
    pub fn field(&mut self, name: &'static str) -> &mut [f64] {
        let found = self.all.iter().position(|field| field.name == name);
        let at = found.unwrap_or_else(|| {
            self.all.push(Field { name, values: vec![0.0; self.count] });
            self.all.len() - 1
        });
        &mut self.all[at].values
    }

    /// The values of a field, if any model has written it.
    pub fn find(&self, name: &str) -> Option<&[f64]> {
        self.all.iter().find(|field| field.name == name).map(|field| field.values.as_slice())
    }

    /// All fields, by value.
    pub fn into_all(self) -> Vec<Field> {
        self.all
    }

    /// All fields.
    pub fn all(&self) -> &[Field] {
        &self.all
    }
}
