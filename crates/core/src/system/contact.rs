//! Contact of the whole system: its forces alone, the response of velocities, and the collision-free part of a step.

use std::time::Instant;

use glam::DVec3;

use super::System;
use crate::capability::{CollisionFreeStep, FrictionResidual};
use crate::force::View;

/// Contact forces at both ends of a step, N.
#[derive(Debug, Default)]
pub struct Contacts {
    /// At the start.
    pub start: Vec<DVec3>,
    /// At the end.
    pub end: Vec<DVec3>,
    /// The state of `start`: a step asks for the forces at its start several times.
    known: Known,
}

/// A state at which contact forces are known.
#[derive(Debug, Default)]
struct Known {
    step: u64,
    time: f64,
    x: Vec<DVec3>,
    v: Vec<DVec3>,
}

impl Known {
    fn is(&self, step: u64, view: &View) -> bool {
        self.step == step && self.time == view.time && self.x == view.x && self.v == view.v
    }

    fn set(&mut self, step: u64, view: &View) {
        (self.step, self.time) = (step, view.time);
        self.x.clear();
        self.x.extend_from_slice(view.x);
        self.v.clear();
        self.v.extend_from_slice(view.v);
    }
}

/// Queries of all contact models of a system: [`System::contact`].
pub struct ContactQueries<'a>(pub(super) &'a mut System);

impl ContactQueries<'_> {
    /// Overwrites `v` with velocities at which no contact pair approaches.
    pub fn respond(&mut self, view: &View, v: &mut [DVec3]) {
        v.copy_from_slice(view.v);
        let weights = &self.0.inverse_masses;
        let models = self.0.models.iter_mut().filter_map(|model| model.as_collision());
        models.for_each(|model| model.respond(view, weights, v));
    }

    /// The contact forces alone at two states, if there can be any; return them with [`ContactQueries::give_back`].
    pub fn forces_at_ends(&mut self, from: &View, to: &View) -> Option<Contacts> {
        if !self.0.has_contact() {
            return None;
        }
        let mut contacts = std::mem::take(&mut self.0.contacts);
        self.0.with_effective_views(from, to, |system, from, to| {
            let step = system.begun_steps;
            if !contacts.known.is(step, from) {
                write_contact_forces(system, from, &mut contacts.start);
                contacts.known.set(step, from);
            }
            if contacts.known.is(step, to) {
                contacts.end.clone_from(&contacts.start);
            } else {
                write_contact_forces(system, to, &mut contacts.end);
            }
        });
        Some(contacts)
    }

    /// Returns the buffers of [`ContactQueries::forces_at_ends`] for reuse.
    pub fn give_back(&mut self, contacts: Contacts) {
        self.0.contacts = contacts;
    }

    /// How far friction at a state is from what the last derivative predicted there.
    pub fn friction_residual(&mut self, view: &View) -> FrictionResidual {
        let models = self.0.models.iter_mut().filter_map(|model| model.as_collision());
        models.map(|model| model.friction_residual(view)).fold(FrictionResidual::default(), |sum, next| {
            FrictionResidual { unresolved: sum.unresolved + next.unresolved, limit: sum.limit + next.limit }
        })
    }

    /// The collision-free fraction of the straight path between two states (CCD).
    pub fn collision_free_step(&mut self, from: &View, to: &View) -> CollisionFreeStep {
        let begun = Instant::now();
        let free_step = self.0.with_effective_views(from, to, |system, from, to| {
            let models = system.models.iter_mut().filter_map(|model| model.as_collision());
            let ways = models.map(|model| model.collision_free_step(from, to));
            ways.reduce(|a, b| if b.fraction < a.fraction { b } else { a }).unwrap_or(CollisionFreeStep::FULL)
        });
        self.0.clock.book(|clock| &mut clock.ccd, begun);
        free_step
    }
}

fn write_contact_forces(system: &mut System, view: &View, out: &mut Vec<DVec3>) {
    out.clear();
    out.resize(system.masses.len(), DVec3::ZERO);
    let contacts = system.models.iter_mut().filter(|m| m.properties().is_contact);
    contacts.for_each(|model| model.add_force(view, out));
    // the cache of contact is now at another state than those of other models, unless the total force was evaluated there as well
    system.rest.stays_known_at(view);
}
