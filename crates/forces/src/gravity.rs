//! Uniform gravity: `f = m g`, `E = -m g·x`.

use std::ops::Range;

use glam::DVec3;
use pliant_core::{DirtySet, EnergyKind, ForceModel, ForceProperties, Incremental, View};
use pliant_parallel::{Partials, for_each_chunk};

/// Gravity on some ranges of particles.
#[derive(Debug)]
pub struct Gravity {
    acceleration: DVec3,
    masses: Vec<f64>,
    ranges: Vec<Range<usize>>,
    partials: Partials,
}

impl Gravity {
    /// Gravity with an acceleration in m/s² on the particles of `ranges`; `masses` are those of all particles.
    pub fn new(acceleration: DVec3, masses: Vec<f64>, ranges: Vec<Range<usize>>) -> Self {
        Self { acceleration, masses, ranges, partials: Partials::default() }
    }
}

impl ForceModel for Gravity {
    fn name(&self) -> &'static str {
        "gravity"
    }

    fn properties(&self) -> ForceProperties {
        ForceProperties {
            energy_kind: EnergyKind::Gravity,
            is_linear: true,
            is_steady: true,
            ..ForceProperties::default()
        }
    }

    fn energy(&mut self, view: &View) -> Option<f64> {
        let (masses, acceleration, partials) = (&self.masses, self.acceleration, &mut self.partials);
        let of_range = |range: &Range<usize>| {
            partials.sum(range.len(), |part| {
                part.map(|k| -masses[range.start + k] * acceleration.dot(view.x[range.start + k])).sum()
            })
        };
        Some(self.ranges.iter().map(of_range).sum())
    }

    fn add_force(&mut self, _view: &View, out: &mut [DVec3]) {
        for range in &self.ranges {
            let masses = &self.masses[range.clone()];
            for_each_chunk(&mut out[range.clone()], |start, chunk| {
                for (mass, force) in masses[start..].iter().zip(chunk) {
                    *force += self.acceleration * *mass;
                }
            });
        }
    }

    fn as_incremental(&mut self) -> Option<&mut dyn Incremental> {
        Some(self)
    }
}

impl Incremental for Gravity {
    fn mark_dirty(&mut self, _view: &View, _moved: &DirtySet, _out: &mut DirtySet) {}

    fn update_force(&mut self, _view: &View, reached: &[u32], out: &mut [DVec3]) {
        for range in &self.ranges {
            let (first, end) = (range.start as u32, range.end as u32);
            let within = reached.partition_point(|i| *i < first)..reached.partition_point(|i| *i < end);
            for particle in reached[within].iter().map(|i| *i as usize) {
                out[particle] += self.acceleration * self.masses[particle];
            }
        }
    }
}
