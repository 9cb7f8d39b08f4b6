//! The positions and velocities of all particles at one time. SI units, right-handed, y up.

use glam::DVec3;
use xxhash_rust::xxh3::Xxh3;

use crate::force::View;

/// Everything a force may depend on. Particles are plain, stable indices: nothing ever reorders them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// Time in seconds.
    pub time: f64,
    /// Positions in metres.
    pub x: Vec<DVec3>,
    /// Velocities in metres per second.
    pub v: Vec<DVec3>,
}

impl State {
    /// A state of particles at rest at time 0.
    pub fn at_rest(x: Vec<DVec3>) -> Self {
        let v = vec![DVec3::ZERO; x.len()];
        Self { time: 0.0, x, v }
    }

    /// Number of particles.
    pub fn len(&self) -> usize {
        self.x.len()
    }

    /// Whether there are no particles.
    pub fn is_empty(&self) -> bool {
        self.x.is_empty()
    }

    /// The view passed to force models.
    pub fn view(&self) -> View<'_> {
        View { time: self.time, x: &self.x, v: &self.v }
    }

    /// Overwrites this state with another one of the same size, without allocating.
    pub fn copy_from(&mut self, other: &State) {
        self.time = other.time;
        self.x.clone_from(&other.x);
        self.v.clone_from(&other.v);
    }

    /// The first particle with a position or velocity that is not finite.
    pub fn first_non_finite(&self) -> Option<usize> {
        self.x.iter().zip(&self.v).position(|(x, v)| !(x.is_finite() && v.is_finite()))
    }

    /// A 64-bit fingerprint of the exact bits of this state (XXH3 over time, positions, velocities, little endian). Equal states
    /// have equal hashes on every machine; it says nothing about states that are merely close.
    pub fn hash(&self) -> u64 {
        let mut hasher = Xxh3::new();
        hasher.update(&self.time.to_le_bytes());
        for vector in self.x.iter().chain(&self.v) {
            for component in vector.to_array() {
                hasher.update(&component.to_le_bytes());
            }
        }
        hasher.digest()
    }
}
