//! Contact as a force: of cloth, solids and ropes with themselves, with each other and with colliders. It is a function of the state and, for
//! friction, of the state at the start of the step; anything else kept between evaluations is a cache. No accepted step contains a collision
//! ([`CollisionModel::collision_free_step`] ensures it): the gap of every pair stays positive, and the barrier needs no information on sides.

use glam::{DMat3, DVec3};
use pliant_core::{
    CollisionFreeStep, CollisionModel, ContactBlock, DirtySet, Dissipative, ForceModel, ForceProperties,
    FrictionResidual, Incremental, Jacobian, JacobianKind, Rates, Stateful, View,
};

use super::broad_phase::BroadPhase;
use super::ccd::KnownStart;
use super::collider::Collider;
use super::contact_pair::{ContactPair, NO_NODE};
use super::contact_set::{ContactSet, pick};
use super::lagged_contacts::LaggedContacts;
use super::lagged_friction::{LaggedContact, friction_factor};
use super::narrow_phase::mark_nodes;
use super::response::apply_contact_impulse;
use super::surface::{ContactBody, Surface};

/// Settings of contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactSettings {
    /// Typical impact speed, m/s: the barrier stops it within the thickness. Against faster colliders their own speed applies.
    pub speed: f64,
    /// ε_v of IPC, m/s: the sliding speed below which friction is regularized. Sticking contacts creep below it.
    pub creep: f64,
}

impl Default for ContactSettings {
    fn default() -> Self {
        Self { speed: 1.0, creep: 1e-4 }
    }
}

/// See the file head.
pub struct Contact {
    pub(super) surface: Surface,
    pub(super) settings: ContactSettings,
    pub(super) broad_phase: BroadPhase,
    /// Positions and velocities of all nodes at the state evaluated last, and its contact pairs.
    pub(super) x: Vec<DVec3>,
    pub(super) v: Vec<DVec3>,
    pub(super) known_time: f64,
    pub(super) pairs: ContactSet,
    pub(super) found: Vec<Option<ContactPair>>,
    /// Nodes and planes that have moved since the state evaluated before.
    pub(super) moved: DirtySet,
    pub(super) moved_planes: Vec<bool>,
    /// Lagged contacts, from the start of the step.
    lagged: LaggedContacts,
    /// Particles with contact pairs or lagged contacts that have changed since the last evaluation of forces,
    pub(super) changed: DirtySet,
    /// and the velocities of collider corners at that evaluation.
    felt: Vec<DVec3>,
    /// Particles for which forces or derivatives are requested.
    wanted: DirtySet,
}

impl Contact {
    /// Contact of bodies with given masses and rest positions with themselves, each other and colliders.
    pub fn new(
        masses: &[f64],
        rest: &[DVec3],
        bodies: &[ContactBody],
        colliders: &[Collider],
        settings: ContactSettings,
    ) -> Self {
        let surface = Surface::new(masses, rest, bodies, colliders);
        let changed = DirtySet::all(surface.particles);
        Self {
            broad_phase: BroadPhase::new(&surface),
            surface,
            settings,
            x: Vec::new(),
            v: Vec::new(),
            known_time: f64::NAN,
            pairs: ContactSet::default(),
            found: Vec::new(),
            moved: DirtySet::default(),
            moved_planes: Vec::new(),
            lagged: LaggedContacts::default(),
            changed,
            felt: Vec::new(),
            wanted: DirtySet::default(),
        }
    }

    /// The contact surface.
    pub fn surface(&self) -> &Surface {
        &self.surface
    }

    /// Pairs of primitives whose boxes overlap, the simulated one first.
    pub(super) fn near_triangles(&mut self, x: &[DVec3]) -> Vec<[u32; 2]> {
        self.broad_phase.overlapping_pairs(&self.surface, x)
    }

    /// Contact pairs at a state.
    pub fn contact_pairs(&mut self, view: &View) -> impl Iterator<Item = &ContactPair> {
        self.detect(view);
        self.pairs.iter()
    }

    fn evaluate(&mut self, view: &View) {
        self.detect(view);
        self.pairs.write_forces(&self.x);
    }

    /// Calls `f` with every node and the force on it, for contacts with a node for which `wants` holds.
    fn for_each_force(&self, wants: impl Fn(u32) -> bool, mut f: impl FnMut(u32, DVec3)) {
        for entry in self.pairs.entries().iter().filter(|entry| entry.nodes.iter().any(|node| wants(*node))) {
            for (node, force) in entry.nodes.iter().zip(self.pairs.forces(entry)) {
                f(*node, *force);
            }
        }
        for lagged_contact in self.lagged.with(&wants) {
            let force = lagged_contact.force(&pick(&self.v, lagged_contact.nodes), self.settings.creep);
            for (node, weight) in lagged_contact.nodes.iter().zip(lagged_contact.weights) {
                f(*node, force * weight);
            }
        }
    }

    /// Marks the forces as current.
    fn mark_forces_current(&mut self) {
        self.changed.clear(self.surface.particles);
        self.felt.clear();
        self.felt.extend_from_slice(&self.v[self.surface.particles..]);
    }

    fn want(&mut self, particles: &[u32]) {
        self.wanted.clear(self.surface.particles);
        particles.iter().filter(|p| (**p as usize) < self.surface.particles).for_each(|p| self.wanted.add(*p));
    }

    /// Power of contact velocities that belong to no node: planes, and surfaces that turn about their centre. With f the force on a node of weight
    /// 1, particles receive `f·Σ w v = f·u + f·carried - (what nodes of colliders receive)`, u the sliding.
    fn carried_power(&self) -> f64 {
        let on_planes = self.pairs.entries().iter().filter(|entry| entry.plane().is_some());
        let pushed = on_planes.map(|entry| self.pairs.forces(entry)[0].dot(self.pairs.at(entry).carried));
        let planes: f64 = pushed.sum();
        let creep = self.settings.creep;
        let lagged_contacts = self.lagged.iter().map(|lagged_contact| {
            lagged_contact.force(&pick(&self.v, lagged_contact.nodes), creep).dot(lagged_contact.carried)
        });
        planes + lagged_contacts.sum::<f64>()
    }
}

impl ForceModel for Contact {
    fn name(&self) -> &'static str {
        "contact"
    }

    fn properties(&self) -> ForceProperties {
        ForceProperties {
            powers_at_ends: // collider forces depend on the gap, and at mid-step features may overlap
        self.surface.has_moving(),
            is_steady: !self.surface.has_moving(),
            depends_on_velocity: self.surface.friction.iter().any(|friction| *friction > 0.0),
            is_contact: true,
            ..ForceProperties::default()
        }
    }

    fn energy(&mut self, view: &View) -> Option<f64> {
        self.detect(view);
        Some(self.pairs.iter().map(ContactPair::energy).sum())
    }

    fn add_force(&mut self, view: &View, out: &mut [DVec3]) {
        self.evaluate(view);
        let particles = self.surface.particles;
        self.for_each_force(
            |_| true,
            |node, force| {
                if (node as usize) < particles {
                    out[node as usize] += force;
                }
            },
        );
        self.mark_forces_current();
    }

    fn add_jacobian(&mut self, view: &View, kind: JacobianKind, out: &mut Jacobian) {
        self.detect(view);
        self.want(&out.rows);
        if !out.is_partial {
            self.wanted.add_all();
        }
        let is_iterate = out.merged.is_some();
        let (particles, wanted) = (self.surface.particles, &self.wanted);
        let is_wanted = |row: u32| (row as usize) < particles && wanted.contains(row);
        let mut add = |row: u32, column: u32, stiffness: DMat3, damping: DMat3| {
            if is_wanted(row) && (column as usize) < particles {
                out.contact_blocks.push(ContactBlock { row, column, stiffness, damping });
            }
        };
        for entry in self.pairs.entries().iter().filter(|entry| entry.nodes.iter().any(|node| is_wanted(*node))) {
            let pair = self.pairs.at(entry);
            pair.jacobian(&pick(&self.x, pair.nodes), kind, |i, j, stiffness| {
                add(pair.nodes[i], pair.nodes[j], stiffness, DMat3::ZERO);
            });
        }
        self.lagged.predict(&self.v, self.settings.creep, is_iterate);
        for (lagged_contact, predicted) in self.lagged.predicted_with(is_wanted) {
            let derivative = lagged_contact.derivative(predicted, self.settings.creep);
            for i in 0..4 {
                for j in 0..4 {
                    let product = lagged_contact.weights[i] * lagged_contact.weights[j];
                    if product != 0.0 {
                        add(lagged_contact.nodes[i], lagged_contact.nodes[j], DMat3::ZERO, derivative * product);
                    }
                }
            }
        }
    }

    fn add_rates(&mut self, view: &View, _free: &[bool], out: &mut [Rates]) {
        self.detect(view);
        let particles = self.surface.particles;
        let mut add = |nodes: [u32; 4], weights: [f64; 4], stiffness: f64, damping: f64| {
            let total: f64 = weights.iter().map(|w| w.abs()).sum();
            for (node, weight) in nodes.iter().zip(weights).filter(|(node, _)| (**node as usize) < particles) {
                out[*node as usize].stiffness += stiffness * weight.abs() * total;
                out[*node as usize].damping += damping * weight.abs() * total;
            }
        };
        for pair in self.pairs.iter() {
            add(pair.nodes, pair.weights, pair.stiffness(), 0.0);
        }
        for lagged_contact in self.lagged.iter() {
            let speed = lagged_contact.sliding(&pick(&self.v, lagged_contact.nodes)).length();
            add(
                lagged_contact.nodes,
                lagged_contact.weights,
                0.0,
                lagged_contact.strength * friction_factor(speed, self.settings.creep).0,
            );
        }
    }

    pliant_core::capabilities!(dissipative, stateful, incremental, collision);
}

impl Dissipative for Contact {
    fn viscous_power(&mut self, view: &View) -> f64 {
        self.write_velocities(view);
        let power = |lagged_contact: &LaggedContact| {
            lagged_contact.power(&pick(&self.v, lagged_contact.nodes), self.settings.creep)
        };
        self.lagged.iter().map(power).sum()
    }

    fn dissipation(&mut self, view: &View) -> f64 {
        self.write_velocities(view);
        let potential = |lagged_contact: &LaggedContact| {
            lagged_contact.potential(&pick(&self.v, lagged_contact.nodes), self.settings.creep)
        };
        self.lagged.iter().map(potential).sum()
    }

    fn collider_power(&mut self, view: &View) -> f64 {
        if !self.surface.has_moving() {
            return 0.0;
        }
        self.evaluate(view);
        let (mut power, particles) = (self.carried_power(), self.surface.particles);
        let is_collider = |node: u32| node as usize >= particles;
        self.for_each_force(is_collider, |node, force| {
            if is_collider(node) && node != NO_NODE {
                power -= force.dot(self.v[node as usize]);
            }
        });
        power
    }
}

impl Stateful for Contact {
    fn begin_step(&mut self, from: &View) -> bool {
        let before = !self.lagged.is_empty();
        self.detect(from);
        let (particles, changed) = (self.surface.particles, &mut self.changed);
        self.lagged.rebuild(&self.pairs, |nodes| mark_nodes(changed, particles, nodes));
        before || !self.lagged.is_empty()
    }
}

impl Incremental for Contact {
    fn mark_dirty(&mut self, view: &View, moved: &DirtySet, out: &mut DirtySet) {
        self.detect(view);
        out.join(&self.changed, 0);
        if out.is_all() {
            return;
        }
        // friction also changes with velocity
        let particles = self.surface.particles;
        let is_felt = |node: u32| match (node as usize).checked_sub(particles) {
            None => moved.contains(node),
            Some(corner) => node != NO_NODE && self.felt.get(corner) != self.v.get(node as usize),
        };
        for lagged_contact in self.lagged.with(is_felt) {
            mark_nodes(out, particles, &lagged_contact.nodes);
        }
    }

    fn update_force(&mut self, _view: &View, reached: &[u32], out: &mut [DVec3]) {
        // the view is that of `mark_dirty`
        self.pairs.write_forces(&self.x);
        self.want(reached);
        let (particles, wanted) = (self.surface.particles, &self.wanted);
        let is_wanted = |node: u32| (node as usize) < particles && wanted.contains(node);
        self.for_each_force(is_wanted, |node, force| {
            if is_wanted(node) {
                out[node as usize] += force;
            }
        });
        self.mark_forces_current();
    }
}

impl CollisionModel for Contact {
    fn respond(&mut self, view: &View, weights: &[f64], v: &mut [DVec3]) {
        self.detect(view);
        for pair in self.pairs.iter() {
            apply_contact_impulse(pair, weights, v, &self.v);
        }
    }

    fn friction_residual(&mut self, view: &View) -> FrictionResidual {
        if self.lagged.is_empty() {
            return FrictionResidual::default();
        }
        self.write_velocities(view);
        self.lagged.residual(&self.v, self.settings.creep)
    }

    fn collision_free_step(&mut self, from: &View, to: &View) -> CollisionFreeStep {
        let known = KnownStart { x: &self.x, min_gap: self.surface.min_thickness };
        self.broad_phase.collision_free_step(&self.surface, &known, from, to)
    }
}
