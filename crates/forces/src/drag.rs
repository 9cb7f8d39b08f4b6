//! Drag against air at rest, proportional to mass: `f = -rate m v`, so that every particle slows down at the same rate and the result does not
//! depend on the resolution of a body. It has no energy; its power is `-rate m v²`.

use glam::{DMat3, DVec3};
use pliant_core::{
    DirtySet, Dissipative, ForceModel, ForceProperties, Incremental, Jacobian, JacobianKind, Rates, View,
};
use pliant_linalg::pattern::Pattern;
use pliant_parallel::{Partials, for_each_chunk};

/// Drag on all particles.
#[derive(Debug)]
pub struct Drag {
    rate: f64,
    masses: Vec<f64>,
    diagonal: Vec<u32>,
    partials: Partials,
}

impl Drag {
    /// Drag with a rate in 1/s.
    pub fn new(rate: f64, masses: Vec<f64>) -> Self {
        Self { rate, masses, diagonal: Vec::new(), partials: Partials::default() }
    }
}

impl ForceModel for Drag {
    fn name(&self) -> &'static str {
        "drag"
    }

    fn properties(&self) -> ForceProperties {
        ForceProperties { is_linear: true, is_steady: true, depends_on_velocity: true, ..ForceProperties::default() }
    }

    fn energy(&mut self, _view: &View) -> Option<f64> {
        None
    }

    fn add_force(&mut self, view: &View, out: &mut [DVec3]) {
        for_each_chunk(out, |start, chunk| {
            for (i, force) in (start..).zip(chunk) {
                *force -= view.v[i] * (self.rate * self.masses[i]);
            }
        });
    }

    fn bind(&mut self, pattern: &Pattern) {
        self.diagonal.clone_from(&pattern.diagonal);
    }

    fn add_jacobian(&mut self, _view: &View, _kind: JacobianKind, out: &mut Jacobian) {
        for (position, mass) in self.diagonal.iter().zip(&self.masses) {
            out.damping.values[*position as usize] -= DMat3::from_diagonal(DVec3::splat(self.rate * mass));
        }
    }

    fn add_rates(&mut self, _view: &View, _free: &[bool], out: &mut [Rates]) {
        for (rates, mass) in out.iter_mut().zip(&self.masses) {
            rates.damping += self.rate * mass;
        }
    }

    pliant_core::capabilities!(dissipative, incremental);
}

impl Dissipative for Drag {
    fn viscous_power(&mut self, view: &View) -> f64 {
        let (masses, rate) = (&self.masses, self.rate);
        self.partials.sum(masses.len(), |range| range.map(|i| -rate * masses[i] * view.v[i].length_squared()).sum())
    }
}

impl Incremental for Drag {
    fn mark_dirty(&mut self, _view: &View, moved: &DirtySet, out: &mut DirtySet) {
        out.extend(moved.list());
    }

    fn update_force(&mut self, view: &View, reached: &[u32], out: &mut [DVec3]) {
        for i in reached.iter().map(|i| *i as usize) {
            out[i] -= view.v[i] * (self.rate * self.masses[i]);
        }
    }
}
