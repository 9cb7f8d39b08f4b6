//! Forces between fluids and boundaries.
//!
//! Pressure acts as in `boundary_density.rs`. Artificial viscosity damps the approach to a boundary as it does between two particles, the second one
//! in a virtual first layer behind the boundary, at `d = φ + dx/2`: `Π = -k_a min(0, v·n) d / ((d² + 0.01 h²) s)`. Kinematic viscosity gives a
//! no-slip boundary: `2 μ V ∂s/∂φ /d (v - v_wall)`, which for the first layer at rest is 1.05 times the `μ (v/φ) dx²` of a linear profile (h = 1.25
//! dx). Particles of sheets receive the reaction, each its share.

use glam::DVec3;
use pliant_core::{Rates, View};

use super::boundary_index::{BoundaryContact, NearBoundary};
use super::lanes::{ForceInput, Vector4};
use super::model::Sph;

/// Force of one boundary on one particle, N.
struct Push {
    pressure: DVec3,
    viscous: DVec3,
    /// Velocity of the boundary, m/s.
    carried: DVec3,
    /// ∂s/∂φ, 1/m.
    slope: f64,
}

impl Sph {
    /// Calls `act` for every boundary contact, in a fixed order.
    fn for_each_boundary_contact(
        &self,
        view: &View,
        is_persistent: bool,
        mut act: impl FnMut(&NearBoundary, &BoundaryContact, &Vector4, &ForceInput, Push),
    ) {
        for block in &self.boundary.blocks {
            for near_boundary in &block.near_boundary {
                self.for_boundary_contacts_of(
                    view,
                    is_persistent,
                    near_boundary,
                    block.boundary_contacts(near_boundary),
                    &mut act,
                );
            }
        }
    }

    /// Calls `act` for the boundary contacts of one particle.
    #[inline]
    fn for_boundary_contacts_of(
        &self,
        view: &View,
        is_persistent: bool,
        near_boundary: &NearBoundary,
        boundary_contacts: &[BoundaryContact],
        act: &mut impl FnMut(&NearBoundary, &BoundaryContact, &Vector4, &ForceInput, Push),
    ) {
        let lists = if is_persistent { &self.persistent } else { &self.temporary };
        let (positions, inputs) = (self.positions.as_flattened(), self.inputs.as_flattened());
        let (law, spread) = (&self.law, 2.0 * (self.settings.dimension.number() as f64 + 2.0));
        let id = near_boundary.particle as usize;
        let k = lists.rank[id] as usize;
        let (Some(position), Some(input)) = (positions.get(k), inputs.get(k)) else { return };
        for contact in boundary_contacts {
            let carried = self.boundary.velocity(view, contact, view.x[id]);
            let (volume, apart) = (position.0[3], view.v[id] - carried);
            let [s, artificial, laminar, _] = input.pair;
            let d = contact.distance.max(0.0) + 0.5 * law.spacing();
            let viscosity = -artificial * artificial * apart.dot(contact.normal).min(0.0) * d
                / ((d * d + self.common.softening) * s);
            let slope = contact.slope(near_boundary.scale, s);
            let pressure = contact.normal * (-volume * input.velocity[3] / near_boundary.scale.factor * slope);
            let viscous = contact.normal * (-volume * viscosity * slope)
                + apart * (2.0 * volume * laminar * laminar / spread * slope / d);
            act(near_boundary, contact, position, input, Push { pressure, viscous, carried, slope });
        }
    }

    /// Adds the forces of boundaries on fluids, and the reaction on the particles of sheets.
    pub(super) fn add_wall_forces(&self, view: &View, is_persistent: bool, out: &mut [DVec3]) {
        self.for_each_boundary_contact(view, is_persistent, |near_boundary, contact, _, _, push| {
            let force = push.pressure + push.viscous;
            out[near_boundary.particle as usize] += force;
            let Some(nodes) = contact.nodes else { return };
            for (node, weight) in nodes.into_iter().zip(contact.weights) {
                if self.boundary.is_particle(node) {
                    out[node as usize] -= force * weight;
                }
            }
        });
    }

    /// Adds the forces of boundaries on one particle; requires that there are no sheets.
    pub(super) fn add_wall_force(&self, view: &View, is_persistent: bool, particle: u32, out: &mut DVec3) {
        if let Some((near_boundary, boundary_contacts)) = self.boundary.near_boundary(particle) {
            self.for_boundary_contacts_of(
                view,
                is_persistent,
                near_boundary,
                boundary_contacts,
                &mut |_, _, _, _, push| *out += push.pressure + push.viscous,
            );
        }
    }

    /// Powers: of viscosity, and of boundaries with a scripted motion, W.
    pub(super) fn wall_powers(&self, view: &View, is_persistent: bool) -> [f64; 2] {
        let mut powers = [0.0; 2];
        self.for_each_boundary_contact(view, is_persistent, |near_boundary, contact, _, _, push| {
            powers[0] += push.viscous.dot(view.v[near_boundary.particle as usize] - push.carried);
            if contact.nodes.is_none_or(|nodes| !self.boundary.is_particle(nodes[0])) {
                powers[1] += (push.pressure + push.viscous).dot(push.carried);
            }
        });
        powers
    }

    /// Calls `add` with the stiffness and bulk viscosity of every boundary contact, for its particle and for nodes of sheets.
    pub(super) fn for_each_wall_rate(&self, view: &View, is_persistent: bool, mut add: impl FnMut(usize, Rates)) {
        let law = &self.law;
        self.for_each_boundary_contact(view, is_persistent, |near_boundary, contact, position, input, push| {
            let constants = &self.constants[near_boundary.particle as usize];
            let along = constants.energy_curvature(input.pair[0]).abs() * push.slope * push.slope;
            let stiffness = position.0[3] * (along + input.velocity[3].abs() * law.curvature(contact.distance));
            let damping = position.0[3] * constants.bulk * push.slope * push.slope;
            add(near_boundary.particle as usize, Rates { stiffness, damping });
            let Some(nodes) = contact.nodes else { return };
            for (node, weight) in nodes.into_iter().zip(contact.weights) {
                if self.boundary.is_particle(node) {
                    // the particle at the other end moves too, and so do the other corners
                    let part = 2.0 * weight;
                    add(node as usize, Rates { stiffness: part * stiffness, damping: part * damping });
                }
            }
        });
    }

    /// Largest stable steps of sheets in a fluid, s: `1.6/ω` and `1/d`, where heavy fluid particles act on light sheet particles.
    pub(super) fn limit_of_sheets(&mut self, view: &View, inverse_masses: &[f64]) -> f64 {
        if !self.boundary.has_sheets() {
            return f64::INFINITY;
        }
        let is_persistent = self.evaluate(view);
        let mut all = std::mem::take(&mut self.stiffness);
        all.clear();
        all.resize(view.x.len(), [0.0; 2]);
        self.for_each_wall_rate(view, is_persistent, |i, rates| {
            all[i][0] += rates.stiffness;
            all[i][1] += rates.damping;
        });
        let mut most = |which: usize| self.partials.max(all.len(), |i| all[i][which] * inverse_masses[i]);
        let [square, damping] = [most(0), most(1)].map(|most| most.map_or(0.0, |(_, value)| value));
        self.stiffness = all;
        (1.6 / square.sqrt()).min(1.0 / damping)
    }
}
