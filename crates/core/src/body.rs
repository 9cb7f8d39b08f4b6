//! A named group of particles with what is needed to draw and export it.

use std::ops::Range;

/// One `[[springs]]`, `[[pendulum]]`, … of a scene.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Body {
    /// The name that probes use.
    pub name: String,
    /// Its particles, a contiguous range of the system's.
    pub particles: Range<usize>,
    /// Pairs of particle indices (of the whole system) to draw as lines.
    pub edges: Vec<[u32; 2]>,
    /// Triples of particle indices (of the whole system) to draw as a surface; forces know nothing of them.
    pub triangles: Vec<[u32; 3]>,
}
