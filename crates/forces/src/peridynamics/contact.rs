//! Contact between particles without a common bond: particles closer than nine tenths of a spacing repel each other, with the stiffness of the
//! shortest bond, and so do boundaries (`walls.rs`). Particles that were neighbours at rest interact by their broken bond instead.
//!
//! Forces are those of one-sided springs, `k (r - l)`, no stiffer than bonds: the stable step of explicit schemes is unchanged, and the error
//! estimates of implicit ones include an impact like any other force, since fracture depends on its resolution. Friction is lagged Coulomb friction,
//! with the normal force at the start of a step, as elsewhere (`contact/lagged_friction.rs`).

use glam::{DMat3, DVec3};
use pliant_core::{
    CollisionFreeStep, CollisionModel, ContactBlock, DirtySet, Dissipative, ForceModel, ForceProperties, Incremental,
    Jacobian, JacobianKind, Rates, Stateful, View,
};
use pliant_geom::CellGrid;

use super::contact_changes::mark_changed;
use super::lattice::Calibration;
use super::model::NEAR;
use super::settings::{BrittleError, GrainBody};
use super::walls::Walls;
use crate::cloth::algebra::outer;
use crate::contact::contact_pair::NO_NODE;
use crate::contact::lagged_friction::{LaggedContact, PredictedForce, friction_factor};
use crate::sph::Boundaries;

/// Contact settings of brittle bodies.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GrainContactSettings {
    /// Coefficient of friction of each body.
    pub friction: Vec<f64>,
    /// Coefficient of friction of each collider, in their order, and then of each sheet.
    pub boundary_friction: Vec<f64>,
    /// ε_v of IPC, m/s: the sliding speed below which friction is regularized. Sticking contacts creep below it.
    pub creep: f64,
}

/// A contact pair: a particle with another particle or with a boundary.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ContactPair {
    /// The particle, and the particles of the other side, if any.
    pub nodes: [u32; 4],
    /// `∇_a l = weights[a] normal`.
    pub weights: [f64; 4],
    pub normal: DVec3,
    /// Penetration depth, m.
    pub depth: f64,
    /// Stiffness, N/m.
    pub stiffness: f64,
    /// Curvature of the distance across the normal, 1/m: 1/l for two points.
    pub curvature: f64,
    pub friction: f64,
    /// Velocity of a collider at the contact, m/s.
    pub carried: DVec3,
}

/// Parameters shared by all particles of a body.
#[derive(Clone, Copy, Debug)]
struct Kind {
    near: f64,
    horizon: f64,
    stiffness: f64,
    friction: f64,
}

/// See the file head.
pub struct GrainContact {
    first: usize,
    rest: Vec<DVec3>,
    kinds: Vec<Kind>,
    kind_of: Vec<u8>,
    /// Largest contact distance of particles, m, and the skin of the candidate search.
    reach: f64,
    reserve: f64,
    grid: CellGrid,
    members: Vec<u32>,
    candidates: Vec<[u32; 2]>,
    /// Positions at the last candidate search.
    reference: Vec<DVec3>,
    walls: Walls,
    creep: f64,
    contacts: Vec<ContactPair>,
    lagged: Vec<LaggedContact>,
    known: Vec<DVec3>,
    known_time: f64,
    /// Contact pairs and lagged contacts at the last evaluation of forces; `None`: not evaluated yet.
    evaluated: Option<(Vec<ContactPair>, Vec<LaggedContact>)>,
    /// Particles for which forces are requested.
    wanted: DirtySet,
}

impl GrainContact {
    /// Contact of brittle bodies, with consecutive particles, with each other and with boundaries; `rest` are the rest positions of the whole
    /// system.
    pub fn new(
        bodies: &[GrainBody],
        rest: &[DVec3],
        boundaries: &Boundaries,
        settings: &GrainContactSettings,
    ) -> Result<Self, BrittleError> {
        super::settings::positive("the creeping speed", settings.creep)?;
        let first = bodies.first().map_or(0, |body| body.particles.start);
        let end = bodies.last().map_or(0, |body| body.particles.end);
        let kind = |(k, body): (usize, &GrainBody)| {
            let volume = body.space.volume(body.spacing);
            Kind {
                near: NEAR * body.spacing,
                horizon: body.horizon,
                stiffness: Calibration::of(body).stiffness * volume * volume / body.spacing,
                friction: settings.friction.get(k).copied().unwrap_or(0.0),
            }
        };
        let kinds: Vec<Kind> = bodies.iter().enumerate().map(kind).collect();
        let kind_of: Vec<u8> = (0..).zip(bodies).flat_map(|(k, body)| body.particles.clone().map(move |_| k)).collect();
        let reach = kinds.iter().map(|kind| kind.near).fold(0.0, f64::max);
        let reserve = reach;
        let radius = |kind: &Kind| 0.5 * kind.near / NEAR;
        let radii: Vec<f64> = kind_of.iter().map(|k| radius(&kinds[*k as usize])).collect();
        Ok(Self {
            walls: Walls::new(first..end, rest.len(), radii, boundaries, &settings.boundary_friction),
            first,
            rest: rest[first..end].to_vec(),
            kinds,
            kind_of,
            reach,
            reserve,
            grid: CellGrid::new(reach + reserve, [None; 3]),
            members: (0..(end - first) as u32).collect(),
            candidates: Vec::new(),
            reference: Vec::new(),
            creep: settings.creep,
            contacts: Vec::new(),
            lagged: Vec::new(),
            known: Vec::new(),
            known_time: f64::NAN,
            evaluated: None,
            wanted: DirtySet::default(),
        })
    }

    /// Updates the candidate pairs. The list holds while no particle has moved relative to the mean by more than half of the skin.
    fn refresh(&mut self, x: &[DVec3]) {
        let drift = if self.reference.len() == x.len() {
            x.iter().zip(&self.reference).map(|(a, b)| *a - *b).sum::<DVec3>() / x.len().max(1) as f64
        } else {
            DVec3::NAN
        };
        let limit = 0.25 * self.reserve * self.reserve;
        if drift.is_finite() && x.iter().zip(&self.reference).all(|(a, b)| (*a - *b - drift).length_squared() <= limit)
        {
            return;
        }
        self.reference.clear();
        self.reference.extend_from_slice(x);
        self.candidates.clear();
        self.grid.sort(x, &self.members);
        let square = (self.reach + self.reserve) * (self.reach + self.reserve);
        for (i, place) in x.iter().enumerate() {
            let Some(cell) = self.grid.cell(*place) else { continue };
            let start = self.candidates.len();
            let (grid, candidates, rest, kind_of) = (&self.grid, &mut self.candidates, &self.rest, &self.kind_of);
            let horizon = self.kinds[kind_of[i] as usize].horizon;
            grid.for_each_run(cell, |run| {
                for &j in &grid.order()[run] {
                    let other = j as usize;
                    let bonded = || kind_of[i] == kind_of[other] && rest[i].distance(rest[other]) <= horizon;
                    if other > i && x[other].distance_squared(*place) < square && !bonded() {
                        candidates.push([i as u32, j]);
                    }
                }
            });
            self.candidates[start..].sort_unstable();
        }
    }

    fn detect(&mut self, view: &View) {
        let range = self.first..self.first + self.rest.len();
        // boundaries may contain any particles
        if self.known_time == view.time && self.known == view.x {
            return;
        }
        self.known_time = view.time;
        self.known.clear();
        self.known.extend_from_slice(view.x);
        self.refresh(&view.x[range]);
        self.contacts.clear();
        for [i, j] in &self.candidates {
            let (a, b) = (self.first + *i as usize, self.first + *j as usize);
            let (one, other) =
                (self.kinds[self.kind_of[*i as usize] as usize], self.kinds[self.kind_of[*j as usize] as usize]);
            let apart = view.x[a] - view.x[b];
            let (length, near) = (apart.length(), 0.5 * (one.near + other.near));
            if length < near {
                self.contacts.push(ContactPair {
                    nodes: [a as u32, b as u32, NO_NODE, NO_NODE],
                    weights: [1.0, -1.0, 0.0, 0.0],
                    // coincident particles have no normal and zero force
                    normal: apart.normalize_or_zero(),
                    depth: near - length,
                    stiffness: one.stiffness.min(other.stiffness),
                    curvature: if length > 0.0 { 1.0 / length } else { 0.0 },
                    friction: (one.friction * other.friction).sqrt(),
                    carried: DVec3::ZERO,
                });
            }
        }
        let (kinds, kind_of, first) = (&self.kinds, &self.kind_of, self.first);
        let of = |particle: usize| kinds[kind_of[particle - first] as usize];
        self.walls.add_contacts(view, |i| (of(i).stiffness, of(i).friction), &mut self.contacts);
    }

    /// A particle that is deeper in a boundary or in another body than half of its size, if there is one.
    pub fn first_inside(&mut self, x: &[DVec3], v: &[DVec3]) -> Option<usize> {
        self.detect(&View { time: 0.0, x, v });
        let (first, kinds, kind_of) = (self.first, &self.kinds, &self.kind_of);
        let size = |particle: usize| kinds[kind_of[particle - first] as usize].near;
        let mut deep = self.contacts.iter().filter(|pair| pair.depth > 0.5 * size(pair.nodes[0] as usize));
        deep.next().map(|pair| pair.nodes[0] as usize)
    }

    fn pick(values: &[DVec3], nodes: [u32; 4]) -> [DVec3; 4] {
        nodes.map(|node| values.get(node as usize).copied().unwrap_or_default())
    }

    fn for_each_force(&self, view: &View, mut f: impl FnMut(usize, DVec3)) {
        let mut add = |nodes: [u32; 4], weights: [f64; 4], force: DVec3| {
            for (node, weight) in nodes.into_iter().zip(weights).filter(|(node, _)| *node != NO_NODE) {
                f(node as usize, force * weight);
            }
        };
        for pair in &self.contacts {
            add(pair.nodes, pair.weights, pair.normal * (pair.stiffness * pair.depth));
        }
        for contact in &self.lagged {
            add(contact.nodes, contact.weights, contact.force(&Self::pick(view.v, contact.nodes), self.creep));
        }
    }
}

impl GrainContact {
    /// Marks the forces as current.
    fn mark_forces_current(&mut self) {
        let (contacts, lagged) = self.evaluated.get_or_insert_default();
        contacts.clone_from(&self.contacts);
        lagged.clone_from(&self.lagged);
    }
}

impl ForceModel for GrainContact {
    fn name(&self) -> &'static str {
        "grain-contact"
    }

    fn properties(&self) -> ForceProperties {
        ForceProperties {
            powers_at_ends: true,
            is_steady: !self.walls.moves(),
            depends_on_velocity: self.kinds.iter().any(|kind| kind.friction > 0.0),
            limits_steps: true,
            ..ForceProperties::default()
        }
    }

    fn energy(&mut self, view: &View) -> Option<f64> {
        self.detect(view);
        Some(self.contacts.iter().map(|pair| 0.5 * pair.stiffness * pair.depth * pair.depth).sum())
    }

    fn add_force(&mut self, view: &View, out: &mut [DVec3]) {
        self.detect(view);
        self.for_each_force(view, |node, force| out[node] += force);
        self.mark_forces_current();
    }

    fn add_jacobian(&mut self, view: &View, kind: JacobianKind, out: &mut Jacobian) {
        self.detect(view);
        let mut add = |nodes: [u32; 4], weights: [f64; 4], stiffness: DMat3, damping: DMat3| {
            let all = || nodes.into_iter().zip(weights).filter(|(node, _)| *node != NO_NODE);
            let is_wanted = |row: u32| !out.is_partial || out.rows.binary_search(&row).is_ok();
            for (row, a) in all().filter(|(row, _)| is_wanted(*row)) {
                for (column, b) in all() {
                    let blocks = (stiffness * (a * b), damping * (a * b));
                    out.contact_blocks.push(ContactBlock { row, column, stiffness: blocks.0, damping: blocks.1 });
                }
            }
        };
        for pair in &self.contacts {
            let along = outer(pair.normal, pair.normal);
            let bent = if kind == JacobianKind::Psd { 0.0 } else { pair.depth * pair.curvature };
            let block = (DMat3::IDENTITY - along) * (bent * pair.stiffness) - along * pair.stiffness;
            add(pair.nodes, pair.weights, block, DMat3::ZERO);
        }
        for contact in &self.lagged {
            let sliding = contact.sliding(&Self::pick(view.v, contact.nodes));
            let derivative = contact.derivative(&PredictedForce::exact(sliding, self.creep), self.creep);
            add(contact.nodes, contact.weights, DMat3::ZERO, derivative);
        }
    }

    fn add_rates(&mut self, view: &View, _free: &[bool], out: &mut [Rates]) {
        self.detect(view);
        let mut add = |nodes: [u32; 4], weights: [f64; 4], stiffness: f64, damping: f64| {
            let all = || nodes.into_iter().zip(weights).filter(|(node, _)| *node != NO_NODE);
            let total: f64 = all().map(|(_, weight)| weight.abs()).sum();
            for (node, weight) in all() {
                out[node as usize].stiffness += stiffness * weight.abs() * total;
                out[node as usize].damping += damping * weight.abs() * total;
            }
        };
        for pair in &self.contacts {
            add(pair.nodes, pair.weights, pair.stiffness, 0.0);
        }
        for contact in &self.lagged {
            let speed = contact.sliding(&Self::pick(view.v, contact.nodes)).length();
            add(contact.nodes, contact.weights, 0.0, contact.strength * friction_factor(speed, self.creep).0);
        }
    }

    pliant_core::capabilities!(dissipative, stateful, incremental, collision);
}

impl Dissipative for GrainContact {
    fn viscous_power(&mut self, view: &View) -> f64 {
        self.lagged.iter().map(|contact| contact.power(&Self::pick(view.v, contact.nodes), self.creep)).sum()
    }

    fn dissipation(&mut self, view: &View) -> f64 {
        self.lagged.iter().map(|contact| contact.potential(&Self::pick(view.v, contact.nodes), self.creep)).sum()
    }

    fn collider_power(&mut self, view: &View) -> f64 {
        self.detect(view);
        let normal_power = |pair: &ContactPair| pair.stiffness * pair.depth * pair.normal.dot(pair.carried);
        let friction_power = |contact: &LaggedContact| {
            contact.force(&Self::pick(view.v, contact.nodes), self.creep).dot(contact.carried)
        };
        self.contacts.iter().map(normal_power).sum::<f64>() + self.lagged.iter().map(friction_power).sum::<f64>()
    }
}

impl Stateful for GrainContact {
    fn begin_step(&mut self, from: &View) -> bool {
        let had_friction = !self.lagged.is_empty();
        self.detect(from);
        self.lagged.clear();
        self.lagged.extend(self.contacts.iter().filter(|pair| pair.friction > 0.0).map(|pair| LaggedContact {
            nodes: pair.nodes,
            weights: pair.weights,
            normal: pair.normal,
            carried: pair.carried,
            strength: pair.friction * pair.stiffness * pair.depth,
        }));
        had_friction || !self.lagged.is_empty()
    }
}

impl Incremental for GrainContact {
    fn mark_dirty(&mut self, view: &View, moved: &DirtySet, out: &mut DirtySet) {
        self.detect(view);
        let Some((contacts, lagged)) = &self.evaluated else { return out.add_all() };
        mark_changed(contacts, &self.contacts, |pair| pair.nodes, out);
        mark_changed(lagged, &self.lagged, |contact| contact.nodes, out);
        // friction also changes with velocity
        let all = |contact: &LaggedContact| contact.nodes.into_iter().filter(|node| *node != NO_NODE);
        for contact in self.lagged.iter().filter(|contact| all(contact).any(|node| moved.contains(node))) {
            all(contact).for_each(|node| out.add(node));
        }
    }

    fn update_force(&mut self, view: &View, reached: &[u32], out: &mut [DVec3]) {
        let mut wanted = std::mem::take(&mut self.wanted);
        wanted.clear(view.x.len());
        wanted.extend(reached);
        self.for_each_force(view, |node, force| {
            if wanted.contains(node as u32) {
                out[node] += force;
            }
        });
        self.wanted = wanted;
        self.mark_forces_current();
    }
}

impl CollisionModel for GrainContact {
    fn collision_free_step(&mut self, from: &View, to: &View) -> CollisionFreeStep {
        self.walls.collision_free_step(from, to)
    }
}
