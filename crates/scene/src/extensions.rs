//! Extensions that a program adds to a scene and no scene file can hold: integrators and forces.

use std::fmt;
use std::sync::Arc;

use pliant_core::{ForceModel, State, System};
use pliant_time::catalog::{Entry, find};

/// Makes a force for an assembled system in its initial state.
pub type MakeForce = Arc<dyn Fn(&System, &State) -> Box<dyn ForceModel> + Send + Sync>;

/// The extensions of a scene. Every simulation that is built from the scene has them.
#[derive(Clone, Default)]
pub struct Extensions {
    /// An integrator that is not in the catalog; `time.integrator` is its name.
    pub integrator: Option<&'static Entry>,
    /// Forces, each with its name.
    pub forces: Vec<(String, MakeForce)>,
}

impl Extensions {
    /// The integrator of a name: the program's own, or that of the catalog.
    pub fn find(&self, name: &str) -> Option<&'static Entry> {
        self.integrator.filter(|entry| entry.properties.name == name).or_else(|| find(name))
    }

    /// Adds the forces to a system.
    pub(crate) fn extend(&self, system: &mut System, state: &State) {
        for (_, make) in &self.forces {
            let model = make(system, state);
            system.add_model(model);
        }
    }

    /// Comment lines for the copy of the scene, which cannot hold extensions.
    pub(crate) fn comments(&self) -> String {
        let integrator = self.integrator.map(|entry| format!("the integrator \"{}\"", entry.properties.name));
        let forces = self.forces.iter().map(|(name, _)| format!("the force \"{name}\""));
        let all: Vec<String> = integrator.into_iter().chain(forces).collect();
        if all.is_empty() { String::new() } else { format!("# not held by this file: {}\n", all.join(", ")) }
    }
}

impl fmt::Debug for Extensions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let forces: Vec<&String> = self.forces.iter().map(|(name, _)| name).collect();
        let integrator = self.integrator.map(|entry| entry.properties.name);
        f.debug_struct("Extensions").field("integrator", &integrator).field("forces", &forces).finish()
    }
}
