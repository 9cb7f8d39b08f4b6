//! Numbers that force models know of particles and files of frames show beside velocities: density and pressure of a fluid. They are
//! computed from a state when it is written and stored nowhere, so that nothing in a run depends on them.

/// One number for each particle.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Its name in files.
    pub name: &'static str,
    /// Of every particle, in the SI unit of what it is; zero where it means nothing.
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
    /// Number of the fragment that a particle belongs to, from 1 on; 0 for whatever does not break.
    pub const FRAGMENT: &str = "fragment";
    /// Under restraint: 0 for whoever moves freely, 1 in transition, 2 for whoever stands still.
    pub const ACTIVITY: &str = "activity";

    /// Begins with the next state of so many particles; forgets the fields there were.
    pub fn begin(&mut self, count: usize) {
        self.count = count;
        self.all.clear();
    }

    /// The values of a field, to be written where they mean something; zero everywhere if no model has written it yet.
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

    /// All fields, for keeps.
    pub fn into_all(self) -> Vec<Field> {
        self.all
    }

    /// All fields.
    pub fn all(&self) -> &[Field] {
        &self.all
    }
}
