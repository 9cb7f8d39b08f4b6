//! Interactive pull on one particle: a damped spring of zero rest length from the particle to a target, `f = -k (x - target) - c v`,
//! `E = ½ k |x - target|²`. The damping is relative to the fixed frame, not to the moving target, so that the force stays smooth when the target
//! jumps.
//!
//! The target is changed through a [`Hand`] by the caller of the steps, and only between steps: after a change the cached force of the simulation is
//! out of date, and the simulation must be notified (`Simulation::forces_changed` in `pliant-time`). Without a target the force is zero. A
//! pinned particle receives the force and does not move.

use std::sync::{Arc, Mutex, PoisonError};

use glam::{DMat3, DVec3};
use pliant_core::{
    DirtySet, Dissipative, ForceModel, ForceProperties, Incremental, Jacobian, JacobianKind, Rates, View,
};
use pliant_linalg::pattern::Pattern;

/// Particle, target and gains of a pull.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grip {
    /// Index of the particle.
    pub particle: usize,
    /// Target position, m.
    pub target: DVec3,
    /// Stiffness, N/m.
    pub stiffness: f64,
    /// Damping, N s/m.
    pub damping: f64,
}

/// The handle of a [`Pull`].
#[derive(Clone, Debug, Default)]
pub struct Hand(Arc<Mutex<Option<Grip>>>);

impl Hand {
    /// Grips a particle, or releases it.
    pub fn set(&self, grip: Option<Grip>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = grip;
    }

    /// The present grip.
    pub fn grip(&self) -> Option<Grip> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The force of a hand.
#[derive(Debug, Default)]
pub struct Pull {
    hand: Hand,
    /// Particle pulled at the last evaluation.
    pulled: Option<usize>,
    diagonal: Vec<u32>,
}

impl Pull {
    /// A pull without force until `hand` is set.
    pub fn new(hand: Hand) -> Self {
        Self { hand, pulled: None, diagonal: Vec::new() }
    }

    /// The grip, if the particle exists.
    fn grip(&self, count: usize) -> Option<Grip> {
        self.hand.grip().filter(|grip| grip.particle < count)
    }
}

impl ForceModel for Pull {
    fn name(&self) -> &'static str {
        "pull"
    }

    fn properties(&self) -> ForceProperties {
        ForceProperties { is_steady: true, depends_on_velocity: true, ..ForceProperties::default() }
    }

    fn energy(&mut self, view: &View) -> Option<f64> {
        let of = |grip: Grip| 0.5 * grip.stiffness * (view.x[grip.particle] - grip.target).length_squared();
        Some(self.grip(view.x.len()).map_or(0.0, of))
    }

    fn add_force(&mut self, view: &View, out: &mut [DVec3]) {
        self.pulled = None;
        if let Some(Grip { particle, target, stiffness, damping }) = self.grip(out.len()) {
            out[particle] -= (view.x[particle] - target) * stiffness + view.v[particle] * damping;
            self.pulled = Some(particle);
        }
    }

    fn bind(&mut self, pattern: &Pattern) {
        self.diagonal.clone_from(&pattern.diagonal);
    }

    fn add_jacobian(&mut self, _view: &View, _kind: JacobianKind, out: &mut Jacobian) {
        if let Some(grip) = self.grip(self.diagonal.len()) {
            let block = self.diagonal[grip.particle] as usize;
            out.stiffness.values[block] -= DMat3::from_diagonal(DVec3::splat(grip.stiffness));
            out.damping.values[block] -= DMat3::from_diagonal(DVec3::splat(grip.damping));
        }
    }

    fn add_rates(&mut self, _view: &View, _free: &[bool], out: &mut [Rates]) {
        if let Some(grip) = self.grip(out.len()) {
            out[grip.particle].stiffness += grip.stiffness;
            out[grip.particle].damping += grip.damping;
        }
    }

    pliant_core::capabilities!(dissipative, incremental);
}

impl Dissipative for Pull {
    fn viscous_power(&mut self, view: &View) -> f64 {
        self.grip(view.v.len()).map_or(0.0, |grip| -grip.damping * view.v[grip.particle].length_squared())
    }
}

impl Incremental for Pull {
    fn mark_dirty(&mut self, view: &View, _moved: &DirtySet, out: &mut DirtySet) {
        let now = self.grip(view.x.len()).map(|grip| grip.particle);
        self.pulled.into_iter().chain(now).for_each(|particle| out.add(particle as u32));
    }

    fn update_force(&mut self, view: &View, _reached: &[u32], out: &mut [DVec3]) {
        self.add_force(view, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_open_hand_and_a_missing_particle_do_nothing() {
        let hand = Hand::default();
        let mut pull = Pull::new(hand.clone());
        let (x, v) = ([DVec3::ONE; 2], [DVec3::X; 2]);
        let view = View { time: 0.0, x: &x, v: &v };
        for grip in [None, Some(Grip { particle: 7, target: DVec3::ZERO, stiffness: 5.0, damping: 1.0 })] {
            hand.set(grip);
            let mut force = [DVec3::ZERO; 2];
            pull.add_force(&view, &mut force);
            assert_eq!(force, [DVec3::ZERO; 2]);
            assert_eq!((pull.energy(&view), pull.viscous_power(&view)), (Some(0.0), 0.0));
        }
        hand.set(Some(Grip { particle: 1, target: DVec3::ZERO, stiffness: 5.0, damping: 1.0 }));
        let mut force = [DVec3::ZERO; 2];
        pull.add_force(&view, &mut force);
        assert_eq!(force, [DVec3::ZERO, DVec3::new(-6.0, -5.0, -5.0)]);
    }
}
