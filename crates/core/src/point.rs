//! A [`Point`] is everything that a rejected step must undo and that a restart needs. An attempt reads one and writes another;
//! the swap on acceptance is the only commit, so a rollback does nothing.

use glam::DVec3;

use crate::state::State;

/// Memory of an integrator between steps (BDF history and the like), in a form that a checkpoint can store without knowing
/// which integrator wrote it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Memory {
    /// Arrays with one vector per particle, for example earlier positions.
    pub vectors: Vec<Vec<DVec3>>,
    /// Single numbers, for example earlier step lengths.
    pub scalars: Vec<f64>,
}

impl Memory {
    /// Overwrites this memory with another one; allocates only when the shape has grown.
    pub fn copy_from(&mut self, other: &Memory) {
        self.vectors.clone_from(&other.vectors);
        self.scalars.clone_from(&other.scalars);
    }

    /// Clears the memory.
    pub fn clear(&mut self) {
        self.vectors.clear();
        self.scalars.clear();
    }
}

/// A state, the force there, and the integrator's memory.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Point {
    /// Time, positions, velocities.
    pub state: State,
    /// Total force on every particle at `state` in newtons, pinned ones included; meaningful only when `force_known`.
    pub force: Vec<DVec3>,
    /// Whether `force` belongs to `state`. Schemes that never evaluate at the end of a step leave it unknown unless asked.
    pub force_known: bool,
    /// Memory of the integrator.
    pub memory: Memory,
}

impl Point {
    /// A point with a state and neither force nor memory.
    pub fn new(state: State) -> Self {
        let force = vec![DVec3::ZERO; state.len()];
        Self { state, force, force_known: false, memory: Memory::default() }
    }

    /// Overwrites this point with another one.
    pub fn copy_from(&mut self, other: &Point) {
        self.state.copy_from(&other.state);
        self.force.clone_from(&other.force);
        self.force_known = other.force_known;
        self.memory.copy_from(&other.memory);
    }
}
