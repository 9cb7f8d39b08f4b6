//! Surfaces of the fragments of a body that can break.

use glam::DVec3;

use super::{ShardSurface, Shards};

/// How the surfaces of fragments follow from the positions of particles.
#[derive(Clone, Debug, PartialEq)]
pub struct Rubble {
    /// The cells around particles.
    pub shards: Shards,
    /// Positions of the body's particles at rest, m.
    pub rest: Vec<DVec3>,
}

impl Rubble {
    /// The surfaces of all fragments of a body with its particles at these positions; `fragment` holds the fragment number per
    /// particle. Without it the body is whole.
    pub fn surface(&self, x: &[DVec3], fragment: Option<&[f64]>) -> ShardSurface {
        let count = self.rest.len().min(x.len());
        let numbers: Vec<u32> = match fragment {
            Some(numbers) => numbers.iter().map(|number| *number as u32).collect(),
            None => vec![0; count],
        };
        if numbers.len() < self.rest.len() || x.len() < self.rest.len() {
            return ShardSurface::default();
        }
        self.shards.surface(&self.rest, &x[..count], &numbers[..count])
    }
}
