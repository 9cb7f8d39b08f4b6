//! Contact as a force: of cloth, solids and ropes with themselves, with each other and with colliders. It is a function of the state and, for friction, of the
//! state in which the step began; what else is kept between evaluations only saves work. Because no accepted step passes through anything ([`CollisionModel::collision_free_step`] sees to that),
//! the gap of every pair stays positive and the barrier never needs to know which side is the right one.

use glam::{DMat3, DVec3};
use pliant_core::{
    CollisionModel, Dissipative, ForceModel, ForceProperties, FreeWay, Incremental, Jacobian, JacobianKind, LooseBlock,
    Rates, Reach, Stateful, View,
};

use super::collider::Collider;
use super::friction::{Grip, smoothed};
use super::held::Held;
use super::look::note;
use super::nearby::Nearby;
use super::response::stop_approaching;
use super::surface::{Skin, Surface};
use super::touch::{NOBODY, Touch};
use super::touches::{Touches, pick};

/// How things touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactSettings {
    /// Speed at which things typically meet, m/s: a contact stops it within the thickness. Colliders that move faster are met with theirs.
    pub speed: f64,
    /// Speed at which what sticks may creep, m/s.
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
    pub(super) nearby: Nearby,
    /// All nodes at the state last looked at, and the pairs within reach there.
    pub(super) x: Vec<DVec3>,
    pub(super) v: Vec<DVec3>,
    pub(super) known_time: f64,
    pub(super) touches: Touches,
    pub(super) found: Vec<Option<Touch>>,
    /// Nodes and planes that were elsewhere at the state looked at before.
    pub(super) moved: Reach,
    pub(super) moved_planes: Vec<bool>,
    /// What friction holds on to, from the start of the step.
    held: Held,
    /// Particles whose touches or grips are others than when forces were evaluated last,
    pub(super) changed: Reach,
    /// and how fast corners of colliders were then.
    felt: Vec<DVec3>,
    /// Particles whose forces or derivatives are asked for.
    wanted: Reach,
}

impl Contact {
    /// Contact of some bodies, of given masses and at given places when nothing is stretched, with themselves, each other and colliders.
    pub fn new(
        masses: &[f64],
        rest: &[DVec3],
        skins: &[Skin],
        colliders: &[Collider],
        settings: ContactSettings,
    ) -> Self {
        let surface = Surface::new(masses, rest, skins, colliders);
        let mut changed = Reach::default();
        changed.clear(surface.particles);
        changed.add_everybody();
        Self {
            nearby: Nearby::new(&surface),
            surface,
            settings,
            x: Vec::new(),
            v: Vec::new(),
            known_time: f64::NAN,
            touches: Touches::default(),
            found: Vec::new(),
            moved: Reach::default(),
            moved_planes: Vec::new(),
            held: Held::default(),
            changed,
            felt: Vec::new(),
            wanted: Reach::default(),
        }
    }

    /// What can be touched.
    pub fn surface(&self) -> &Surface {
        &self.surface
    }

    /// Pairs of primitives whose boxes meet, the simulated one first.
    pub(super) fn near_triangles(&mut self, x: &[DVec3]) -> Vec<[u32; 2]> {
        self.nearby.meeting(&self.surface, x)
    }

    /// Pairs within reach at a state.
    pub fn touches(&mut self, view: &View) -> impl Iterator<Item = &Touch> {
        self.look(view);
        self.touches.iter()
    }

    fn evaluate(&mut self, view: &View) {
        self.look(view);
        self.touches.write_forces(&self.x);
    }

    /// Calls `f` with every node and the force on it, of contacts with a node that `wants` wants.
    fn for_each_force(&self, wants: impl Fn(u32) -> bool, mut f: impl FnMut(u32, DVec3)) {
        for entry in self.touches.entries().iter().filter(|entry| entry.nodes.iter().any(|node| wants(*node))) {
            for (node, force) in entry.nodes.iter().zip(self.touches.forces(entry)) {
                f(*node, *force);
            }
        }
        for grip in self.held.with(&wants) {
            let force = grip.force(&pick(&self.v, grip.nodes), self.settings.creep);
            for (node, weight) in grip.nodes.iter().zip(grip.weights) {
                f(*node, force * weight);
            }
        }
    }

    /// Forces are those of now.
    fn settle(&mut self) {
        self.changed.clear(self.surface.particles);
        self.felt.clear();
        self.felt.extend_from_slice(&self.v[self.surface.particles..]);
    }

    fn want(&mut self, particles: &[u32]) {
        self.wanted.clear(self.surface.particles);
        particles.iter().filter(|p| (**p as usize) < self.surface.particles).for_each(|p| self.wanted.add(*p));
    }

    /// Power of what carries contacts along without being a node: planes, and surfaces that turn about their middle. With f the force on a node of
    /// weight 1, particles receive `f·Σ w v = f·u + f·carried - (what nodes of colliders receive)`, u the sliding.
    fn carried_power(&self) -> f64 {
        let on_planes = self.touches.entries().iter().filter(|entry| entry.plane().is_some());
        let pushed = on_planes.map(|entry| self.touches.forces(entry)[0].dot(self.touches.at(entry).carried));
        let planes: f64 = pushed.sum();
        let creep = self.settings.creep;
        let grips = self.held.iter().map(|grip| grip.force(&pick(&self.v, grip.nodes), creep).dot(grip.carried));
        planes + grips.sum::<f64>()
    }
}

impl ForceModel for Contact {
    fn name(&self) -> &'static str {
        "contact"
    }

    fn properties(&self) -> ForceProperties {
        ForceProperties {
            powers_at_ends: // what a collider does depends on how near things are, and midway they may be in each other
        self.surface.has_moving(),
            is_steady: !self.surface.has_moving(),
            depends_on_velocity: self.surface.friction.iter().any(|friction| *friction > 0.0),
            is_contact: true,
            ..ForceProperties::default()
        }
    }

    fn energy(&mut self, view: &View) -> Option<f64> {
        self.look(view);
        Some(self.touches.iter().map(Touch::energy).sum())
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
        self.settle();
    }

    fn add_jacobian(&mut self, view: &View, kind: JacobianKind, out: &mut Jacobian) {
        self.look(view);
        self.want(&out.rows);
        if !out.is_partial {
            self.wanted.add_everybody();
        }
        let (particles, wanted) = (self.surface.particles, &self.wanted);
        let is_wanted = |row: u32| (row as usize) < particles && wanted.contains(row);
        let mut add = |row: u32, column: u32, stiffness: DMat3, damping: DMat3| {
            if is_wanted(row) && (column as usize) < particles {
                out.loose.push(LooseBlock { row, column, stiffness, damping });
            }
        };
        for entry in self.touches.entries().iter().filter(|entry| entry.nodes.iter().any(|node| is_wanted(*node))) {
            let touch = self.touches.at(entry);
            touch.jacobian(&pick(&self.x, touch.nodes), kind, |i, j, stiffness| {
                add(touch.nodes[i], touch.nodes[j], stiffness, DMat3::ZERO);
            });
        }
        for grip in self.held.with(is_wanted) {
            let derivative = grip.derivative(&pick(&self.v, grip.nodes), self.settings.creep);
            for i in 0..4 {
                for j in 0..4 {
                    let product = grip.weights[i] * grip.weights[j];
                    if product != 0.0 {
                        add(grip.nodes[i], grip.nodes[j], DMat3::ZERO, derivative * product);
                    }
                }
            }
        }
    }

    fn add_rates(&mut self, view: &View, _free: &[bool], out: &mut [Rates]) {
        self.look(view);
        let particles = self.surface.particles;
        let mut add = |nodes: [u32; 4], weights: [f64; 4], stiffness: f64, damping: f64| {
            let total: f64 = weights.iter().map(|w| w.abs()).sum();
            for (node, weight) in nodes.iter().zip(weights).filter(|(node, _)| (**node as usize) < particles) {
                out[*node as usize].stiffness += stiffness * weight.abs() * total;
                out[*node as usize].damping += damping * weight.abs() * total;
            }
        };
        for touch in self.touches.iter() {
            add(touch.nodes, touch.weights, touch.stiffness(), 0.0);
        }
        for grip in self.held.iter() {
            let speed = grip.sliding(&pick(&self.v, grip.nodes)).length();
            add(grip.nodes, grip.weights, 0.0, grip.strength * smoothed(speed, self.settings.creep).0);
        }
    }

    fn as_dissipative(&mut self) -> Option<&mut dyn Dissipative> {
        Some(self)
    }

    fn as_stateful(&self) -> Option<&dyn Stateful> {
        Some(self)
    }

    fn as_stateful_mut(&mut self) -> Option<&mut dyn Stateful> {
        Some(self)
    }

    fn as_incremental(&mut self) -> Option<&mut dyn Incremental> {
        Some(self)
    }

    fn as_collision(&mut self) -> Option<&mut dyn CollisionModel> {
        Some(self)
    }
}

impl Dissipative for Contact {
    fn viscous_power(&mut self, view: &View) -> f64 {
        self.write_velocities(view);
        let power = |grip: &Grip| grip.power(&pick(&self.v, grip.nodes), self.settings.creep);
        self.held.iter().map(power).sum()
    }

    fn dissipation(&mut self, view: &View) -> f64 {
        self.write_velocities(view);
        let potential = |grip: &Grip| grip.potential(&pick(&self.v, grip.nodes), self.settings.creep);
        self.held.iter().map(potential).sum()
    }

    fn external_power(&mut self, view: &View) -> f64 {
        if !self.surface.has_moving() {
            return 0.0;
        }
        self.evaluate(view);
        let (mut power, particles) = (self.carried_power(), self.surface.particles);
        let is_collider = |node: u32| node as usize >= particles;
        self.for_each_force(is_collider, |node, force| {
            if is_collider(node) && node != NOBODY {
                power -= force.dot(self.v[node as usize]);
            }
        });
        power
    }
}

impl Stateful for Contact {
    fn begin_step(&mut self, from: &View) -> bool {
        let before = !self.held.is_empty();
        self.look(from);
        let (particles, changed) = (self.surface.particles, &mut self.changed);
        self.held.renew(&self.touches, |nodes| note(changed, particles, nodes));
        before || !self.held.is_empty()
    }
}

impl Incremental for Contact {
    fn mark_dirty(&mut self, view: &View, moved: &Reach, out: &mut Reach) {
        self.look(view);
        if self.changed.is_everybody() {
            return out.add_everybody();
        }
        self.changed.list().iter().for_each(|particle| out.add(*particle));
        // friction changes with velocities too
        let particles = self.surface.particles;
        let is_felt = |node: u32| match (node as usize).checked_sub(particles) {
            None => moved.contains(node),
            Some(corner) => node != NOBODY && self.felt.get(corner) != self.v.get(node as usize),
        };
        for grip in self.held.with(is_felt) {
            note(out, particles, &grip.nodes);
        }
    }

    fn update_force(&mut self, _view: &View, reached: &[u32], out: &mut [DVec3]) {
        // the view is that of `reach`
        self.touches.write_forces(&self.x);
        self.want(reached);
        let (particles, wanted) = (self.surface.particles, &self.wanted);
        let is_wanted = |node: u32| (node as usize) < particles && wanted.contains(node);
        self.for_each_force(is_wanted, |node, force| {
            if is_wanted(node) {
                out[node as usize] += force;
            }
        });
        self.settle();
    }
}

impl CollisionModel for Contact {
    fn respond(&mut self, view: &View, weights: &[f64], v: &mut [DVec3]) {
        self.look(view);
        for touch in self.touches.iter() {
            stop_approaching(touch, weights, v, &self.v);
        }
    }

    fn collision_free_step(&mut self, from: &View, to: &View) -> FreeWay {
        self.nearby.free_way(&self.surface, from, to)
    }
}
