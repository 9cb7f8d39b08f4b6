//! What a body that can break looks like: the surfaces of its fragments.

use glam::DVec3;
use pliant_geom::grains::{ShardSurface, Shards};

/// How the surfaces of fragments follow from where particles are.
#[derive(Clone, Debug, PartialEq)]
pub struct Rubble {
    /// The cells around particles.
    pub shards: Shards,
    /// Where particles of the body are at rest, m.
    pub rest: Vec<DVec3>,
}

impl Rubble {
    /// The surfaces of all fragments of a body whose particles are at these places; `fragment` holds the number of each one's fragment, as in
    /// [`crate::Fields::FRAGMENT`]. Without it the body is whole.
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
