//! Sutures: a thread with a needle at its front is drawn through the surfaces of soft bodies. Where the needle pierces a triangle it makes a hole,
//! through which the thread slides: a spring of zero rest length from the point of the triangle to the nearest point of the thread, see [`hole`].
//! Sliding is opposed by a dry friction of a given strength, the same for all holes, independent of the thread's tension.
//!
//! Holes are created and removed between steps only ([`Stateful::begin_step`]); within a step they are fixed, and forces depend on the state alone.
//! A thread leaves a hole by its tail, unless a knot stops it, or when its needle is drawn back.

pub mod hole;
mod pierce;
pub mod thread;

use glam::{DMat3, DVec3};
use pliant_core::{
    ContactBlock, DirtySet, Dissipative, ForceModel, ForceProperties, Incremental, Jacobian, JacobianKind, Rates,
    Stateful, View,
};

pub use hole::Hole;
pub use thread::Thread;

/// Settings of a suture.
#[derive(Clone, Debug, PartialEq)]
pub struct SutureSpec {
    /// Particles of the thread's axis in order, the needle's tip first: at least three.
    pub points: Vec<u32>,
    /// Number of segments that belong to the needle, which pierces.
    pub needle: usize,
    /// Triangles of the sewn bodies, counter-clockwise from outside, each with the index of its body.
    pub triangles: Vec<([u32; 3], u32)>,
    /// Lateral stiffness of a hole, N/m.
    pub stiffness: f64,
    /// Dry friction of a hole along the thread, N.
    pub grip: f64,
    /// ε_v of IPC, m/s: the sliding speed below which friction is regularized.
    pub creep: f64,
    /// Whether a knot stops the tail at a hole.
    pub knot: bool,
}

/// See the file head.
#[derive(Clone, Debug)]
pub struct Suture {
    thread: Thread,
    spec: SutureSpec,
    holes: Vec<Hole>,
    /// The holes at the last evaluation of forces, and the particles on which they acted in addition to those of lagged friction.
    known: Vec<(Hole, [u32; 6])>,
    /// Particles for which forces are requested.
    wanted: DirtySet,
}

impl Suture {
    /// A thread before its first stitch; `None` without three points, or if the needle has no segment or more than there are.
    pub fn new(spec: SutureSpec) -> Option<Self> {
        let segments = spec.points.len().checked_sub(1).filter(|segments| *segments >= 2)?;
        let thread = Thread { points: spec.points.clone() };
        (1..=segments).contains(&spec.needle).then(|| Self {
            thread,
            spec,
            holes: Vec::with_capacity(64),
            known: Vec::with_capacity(64),
            wanted: DirtySet::default(),
        })
    }

    /// The holes with the thread in them, in the order of their creation.
    pub fn holes(&self) -> &[Hole] {
        &self.holes
    }

    /// The holes stored in a [`pliant_core::Stateful::memory`].
    pub fn remembered(memory: &[f64]) -> Vec<Hole> {
        let count = memory.first().map_or(0, |count| *count as usize);
        memory.get(1..).unwrap_or_default().as_chunks().0.iter().take(count).map(Hole::from_numbers).collect()
    }

    fn corners(&self, hole: &Hole) -> [u32; 3] {
        self.spec.triangles[hole.triangle as usize].0
    }

    /// Distance of the thread from a hole, m.
    pub fn gap(&self, hole: &Hole, x: &[DVec3]) -> f64 {
        hole.distance(&self.thread, self.corners(hole), x).1.d.length()
    }

    /// Calls `f` with every particle and the force on it, hole by hole.
    fn for_each_force(&mut self, view: &View, mut f: impl FnMut(u32, DVec3)) {
        let k = self.spec.stiffness;
        let mut known = std::mem::take(&mut self.known);
        known.clear();
        for hole in &self.holes {
            let (_, distance) = hole.distance(&self.thread, self.corners(hole), view.x);
            for (node, w) in distance.nodes.iter().zip(distance.weighs) {
                f(*node, -(distance.d * (k * w)));
            }
            if self.spec.grip > 0.0 {
                hole.for_each_friction(self.spec.grip, self.spec.creep, view.v, &mut f);
            }
            known.push((*hole, distance.nodes));
        }
        self.known = known;
    }

    /// Updates the thread parameters of all holes.
    fn update_parameters(&mut self, x: &[DVec3]) {
        for hole in &mut self.holes {
            let corners = self.spec.triangles[hole.triangle as usize].0;
            hole.begin(&self.thread, corners, x);
        }
    }
}

impl ForceModel for Suture {
    fn name(&self) -> &'static str {
        "suture"
    }

    fn properties(&self) -> ForceProperties {
        ForceProperties {
            is_steady: true,
            depends_on_velocity: self.spec.grip > 0.0,
            is_internal: self.spec.grip == 0.0,
            ..ForceProperties::default()
        }
    }

    fn energy(&mut self, view: &View) -> Option<f64> {
        let square = |hole: &Hole| hole.distance(&self.thread, self.corners(hole), view.x).1.d.length_squared();
        Some(0.5 * self.spec.stiffness * self.holes.iter().map(square).sum::<f64>())
    }

    fn add_force(&mut self, view: &View, out: &mut [DVec3]) {
        self.for_each_force(view, |node, force| out[node as usize] += force);
    }

    fn add_jacobian(&mut self, view: &View, kind: JacobianKind, out: &mut Jacobian) {
        let mut add = |nodes: [u32; 6], block: &dyn Fn(usize, usize) -> [DMat3; 2]| {
            for (a, b) in (0..6).flat_map(|a| (0..6).map(move |b| (a, b))) {
                let [stiffness, damping] = block(a, b);
                out.contact_blocks.push(ContactBlock { row: nodes[a], column: nodes[b], stiffness, damping });
            }
        };
        for hole in &self.holes {
            let (_, distance) = hole.distance(&self.thread, self.corners(hole), view.x);
            let blocks = distance.blocks(self.spec.stiffness, kind != JacobianKind::Psd, view.x);
            add(distance.nodes, &|a, b| [blocks(a, b), DMat3::ZERO]);
            if self.spec.grip > 0.0 {
                let (nodes, blocks) = hole.damping(self.spec.grip, self.spec.creep, view.v);
                add(nodes, &|a, b| [DMat3::ZERO, blocks(a, b)]);
            }
        }
    }

    fn add_rates(&mut self, view: &View, free: &[bool], out: &mut [Rates]) {
        let friction = if self.spec.grip > 0.0 { 2.0 * self.spec.grip / self.spec.creep } else { 0.0 };
        for hole in &self.holes {
            let (_, distance) = hole.distance(&self.thread, self.corners(hole), view.x);
            let pairs = || distance.nodes.iter().zip(distance.weighs);
            let moving: f64 = pairs().filter(|(node, _)| free[**node as usize]).map(|(_, w)| w.abs()).sum();
            for (node, w) in pairs() {
                let rates = &mut out[*node as usize];
                rates.stiffness += self.spec.stiffness * w.abs() * moving;
                rates.damping += friction * w.abs() * moving;
            }
        }
    }

    pliant_core::capabilities!(dissipative, stateful, incremental);
}

impl Dissipative for Suture {
    fn viscous_power(&mut self, view: &View) -> f64 {
        self.holes.iter().map(|hole| hole.power(self.spec.grip, self.spec.creep, view.v)).sum()
    }

    fn dissipation(&mut self, view: &View) -> f64 {
        self.holes.iter().map(|hole| hole.potential(self.spec.grip, self.spec.creep, view.v)).sum()
    }
}

impl Stateful for Suture {
    fn begin_step(&mut self, from: &View) -> bool {
        self.update_parameters(from.x);
        let before = self.holes.len();
        let end = self.thread.segments();
        let stopped = self.spec.knot;
        self.holes.retain(|hole| hole.u > 0.0 && (hole.u < end || stopped));
        let left = self.holes.len();
        pierce::find(&self.thread, &self.spec, from.x, &mut self.holes);
        let changed = left != before || self.holes.len() != left;
        if changed {
            self.update_parameters(from.x);
        }
        // lagged friction is updated to the present state
        changed || (self.spec.grip > 0.0 && !self.holes.is_empty())
    }

    fn reset(&mut self) {
        self.holes.clear();
    }

    fn memory(&self) -> Vec<f64> {
        std::iter::once(self.holes.len() as f64).chain(self.holes.iter().flat_map(Hole::numbers)).collect()
    }

    fn restore(&mut self, memory: &[f64]) -> usize {
        self.holes = Self::remembered(memory);
        let numbers = 1 + hole::NUMBERS * self.holes.len();
        // a hole in no triangle of this scene belongs to another scene
        let triangles = &self.spec.triangles;
        let is_known = |hole: &Hole| hole.is_among(triangles, &self.thread);
        self.holes.retain(is_known);
        numbers
    }
}

impl Incremental for Suture {
    fn mark_dirty(&mut self, view: &View, moved: &DirtySet, out: &mut DirtySet) {
        // the nearest point of a hole may depend on the whole thread
        let slides = self.thread.points.iter().any(|point| moved.contains(*point));
        for k in 0..self.known.len().max(self.holes.len()) {
            let (now, before) = (self.holes.get(k), self.known.get(k));
            let has_moved = |hole: &Hole| slides || self.corners(hole).iter().any(|corner| moved.contains(*corner));
            // lagged friction may still act on the previous particles
            let is_felt = |hole: &Hole| self.spec.grip > 0.0 && hole.nodes().iter().any(|node| moved.contains(*node));
            if now == before.map(|(hole, _)| hole) && !now.is_some_and(|hole| has_moved(hole) || is_felt(hole)) {
                continue;
            }
            if let Some((hole, nodes)) = before {
                out.extend(nodes.iter().chain(hole.nodes()));
            }
            if let Some(hole) = now {
                let (_, distance) = hole.distance(&self.thread, self.corners(hole), view.x);
                out.extend(distance.nodes.iter().chain(hole.nodes()));
            }
        }
    }

    fn update_force(&mut self, view: &View, reached: &[u32], out: &mut [DVec3]) {
        let mut wanted = std::mem::take(&mut self.wanted);
        wanted.clear(view.x.len());
        wanted.extend(reached);
        self.for_each_force(view, |node, force| {
            if wanted.contains(node) {
                out[node as usize] += force;
            }
        });
        self.wanted = wanted;
    }
}
