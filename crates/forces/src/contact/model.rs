//! Contact as a force: of cloth, solids and ropes with themselves, with each other and with colliders. It is a function of the state and, for friction, of the
//! state in which the step began; what else is kept between evaluations only saves work. Because no accepted step passes through anything ([`ForceModel::free_way`] sees to that),
//! the gap of every pair stays positive and the barrier never needs to know which side is the right one.

use glam::{DMat3, DVec3};
use pliant_core::{ForceModel, FreeWay, Jacobian, JacobianKind, LooseBlock, Rates, View};
use pliant_geom::mollifier::threshold;
use pliant_linalg::parallel::for_each_chunk;

use super::collider::Collider;
use super::friction::{Grip, smoothed};
use super::nearby::Nearby;
use super::response::stop_approaching;
use super::surface::{Skin, Surface};
use super::touch::{Candidate, Material, NOBODY, Touch};

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
    surface: Surface,
    settings: ContactSettings,
    nearby: Nearby,
    /// All nodes at the state last looked at, and the pairs within reach there.
    x: Vec<DVec3>,
    v: Vec<DVec3>,
    touches: Vec<Touch>,
    found: Vec<Option<Touch>>,
    forces: Vec<[DVec3; 4]>,
    /// What friction holds on to, from the start of the step.
    grips: Vec<Grip>,
    known_x: Vec<DVec3>,
    known_time: f64,
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
        Self {
            nearby: Nearby::new(&surface),
            surface,
            settings,
            x: Vec::new(),
            v: Vec::new(),
            touches: Vec::new(),
            found: Vec::new(),
            forces: Vec::new(),
            grips: Vec::new(),
            known_x: Vec::new(),
            known_time: f64::NAN,
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
    pub fn touches(&mut self, view: &View) -> &[Touch] {
        self.look(view);
        &self.touches
    }

    fn look(&mut self, view: &View) {
        self.surface.place(view.time, view.x, view.v, &mut self.x, &mut self.v);
        if self.known_time == view.time && self.known_x == self.x {
            return;
        }
        self.known_time = view.time;
        self.known_x.clone_from(&self.x);
        let candidates = self.nearby.candidates(&self.surface, &self.x);
        let (surface, speed, x) = (&self.surface, self.settings.speed, &self.x);
        self.found.clear();
        self.found.resize(candidates.len(), None);
        for_each_chunk(&mut self.found, |start, found| {
            for (candidate, found) in candidates[start..].iter().zip(found) {
                let corners = candidate.nodes.map(|node| x[node as usize]);
                *found = Touch::between(candidate, &corners, material(surface, speed, candidate));
            }
        });
        self.touches.clear();
        self.touches.extend(self.found.iter().flatten());
        for touch in &mut self.touches {
            touch.carried = surface.rolling(view.time, touch.nodes, touch.normal);
        }
        for plane in &surface.planes {
            let (point, _, normal) = plane.at(view.time);
            for &vertex in &surface.vertices {
                let place = x[vertex as usize];
                let gap = (place - point).dot(normal) - surface.radius[vertex as usize];
                let material = plane_material(surface, speed.max(plane.speed), vertex, plane.friction);
                if gap < material.thickness {
                    let carried = plane.velocity(view.time, place);
                    self.touches.extend(Touch::on_plane(vertex, gap, normal, carried, material));
                }
            }
        }
    }

    fn pick(values: &[DVec3], nodes: [u32; 4]) -> [DVec3; 4] {
        nodes.map(|node| if node == NOBODY { DVec3::ZERO } else { values[node as usize] })
    }

    fn evaluate(&mut self, view: &View) {
        self.look(view);
        let (touches, x) = (&self.touches, &self.x);
        self.forces.resize(touches.len(), [DVec3::ZERO; 4]);
        for_each_chunk(&mut self.forces, |start, chunk| {
            for (touch, force) in touches[start..].iter().zip(chunk) {
                *force = touch.forces(&Self::pick(x, touch.nodes));
            }
        });
    }

    /// Calls `f` with every node and the force on it.
    fn for_each_force(&self, mut f: impl FnMut(u32, DVec3)) {
        for (touch, forces) in self.touches.iter().zip(&self.forces) {
            for (node, force) in touch.nodes.iter().zip(forces) {
                f(*node, *force);
            }
        }
        for grip in &self.grips {
            let force = grip.force(&Self::pick(&self.v, grip.nodes), self.settings.creep);
            for (node, weight) in grip.nodes.iter().zip(grip.weights) {
                f(*node, force * weight);
            }
        }
    }

    /// Power of what carries contacts along without being a node: planes, and surfaces that turn about their middle. With f the force on a node of
    /// weight 1, particles receive `f·Σ w v = f·u + f·carried - (what nodes of colliders receive)`, u the sliding.
    fn carried_power(&self) -> f64 {
        let pushed = self.touches.iter().zip(&self.forces).filter(|(touch, _)| touch.nodes[1] == NOBODY);
        let planes: f64 = pushed.map(|(touch, forces)| forces[0].dot(touch.carried)).sum();
        let creep = self.settings.creep;
        let grips = self.grips.iter().map(|grip| grip.force(&Self::pick(&self.v, grip.nodes), creep).dot(grip.carried));
        planes + grips.sum::<f64>()
    }
}

fn material(surface: &Surface, speed: f64, candidate: &Candidate) -> Material {
    let nodes = candidate.nodes.map(|node| node as usize);
    // The first node stands for the first feature, the last for the second: all nodes of a feature are of one body.
    let (a, b) = (nodes[0], nodes[3]);
    let thickness = surface.thickness(a, b);
    let speed = nodes.iter().map(|node| surface.speed[*node]).fold(speed, f64::max);
    let heavy = nodes.iter().filter(|n| surface.masses[**n] > 0.0);
    let (sum, count) = heavy.fold((0.0, 0.0), |(sum, count), n| (sum + surface.masses[*n], count + 1.0));
    Material {
        stiffness: sum / count * (speed / thickness) * (speed / thickness),
        thickness,
        radius: surface.radius[a] + surface.radius[b],
        friction: (surface.friction[a] * surface.friction[b]).sqrt(),
        parallel: threshold(&nodes.map(|node| surface.rest[node])),
    }
}

fn plane_material(surface: &Surface, speed: f64, vertex: u32, friction: f64) -> Material {
    let vertex = vertex as usize;
    let thickness = 2.0 * surface.half_thickness[vertex];
    Material {
        stiffness: surface.masses[vertex] * (speed / thickness) * (speed / thickness),
        thickness,
        radius: 0.0,
        friction: (surface.friction[vertex] * friction).sqrt(),
        parallel: 0.0,
    }
}

impl ForceModel for Contact {
    fn name(&self) -> &'static str {
        "contact"
    }

    fn energy(&mut self, view: &View) -> Option<f64> {
        self.look(view);
        Some(self.touches.iter().map(Touch::energy).sum())
    }

    fn viscous_power(&mut self, view: &View) -> f64 {
        self.surface.place(view.time, view.x, view.v, &mut self.x, &mut self.v);
        let power = |grip: &Grip| grip.power(&Self::pick(&self.v, grip.nodes), self.settings.creep);
        self.grips.iter().map(power).sum()
    }

    fn dissipation(&mut self, view: &View) -> f64 {
        self.surface.place(view.time, view.x, view.v, &mut self.x, &mut self.v);
        let potential = |grip: &Grip| grip.potential(&Self::pick(&self.v, grip.nodes), self.settings.creep);
        self.grips.iter().map(potential).sum()
    }

    fn external_power(&mut self, view: &View) -> f64 {
        if !self.surface.has_moving() {
            return 0.0;
        }
        self.evaluate(view);
        let (mut power, particles) = (self.carried_power(), self.surface.particles);
        self.for_each_force(|node, force| {
            if (node as usize) >= particles && node != NOBODY {
                power -= force.dot(self.v[node as usize]);
            }
        });
        power
    }

    fn begin_step(&mut self, from: &View) -> bool {
        let held = !self.grips.is_empty();
        self.look(from);
        self.grips.clear();
        self.grips.extend(self.touches.iter().filter_map(Touch::grip));
        held || !self.grips.is_empty()
    }

    fn add_force(&mut self, view: &View, out: &mut [DVec3]) {
        self.evaluate(view);
        let particles = self.surface.particles;
        self.for_each_force(|node, force| {
            if (node as usize) < particles {
                out[node as usize] += force;
            }
        });
    }

    fn add_jacobian(&mut self, view: &View, kind: JacobianKind, out: &mut Jacobian) {
        self.look(view);
        let particles = self.surface.particles;
        let mut add = |row: u32, column: u32, stiffness: DMat3, damping: DMat3| {
            if (row as usize) < particles && (column as usize) < particles {
                out.loose.push(LooseBlock { row, column, stiffness, damping });
            }
        };
        for touch in &self.touches {
            touch.jacobian(&Self::pick(&self.x, touch.nodes), kind, |i, j, stiffness| {
                add(touch.nodes[i], touch.nodes[j], stiffness, DMat3::ZERO);
            });
        }
        for grip in &self.grips {
            let derivative = grip.derivative(&Self::pick(&self.v, grip.nodes), self.settings.creep);
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

    fn depends_on_velocity(&self) -> bool {
        self.surface.friction.iter().any(|friction| *friction > 0.0)
    }

    fn respond(&mut self, view: &View, weights: &[f64], v: &mut [DVec3]) {
        self.look(view);
        for touch in &self.touches {
            stop_approaching(touch, weights, v, &self.v);
        }
    }

    fn is_contact(&self) -> bool {
        true
    }

    fn free_way(&mut self, from: &View, to: &View) -> FreeWay {
        self.nearby.free_way(&self.surface, from, to)
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
        for touch in &self.touches {
            add(touch.nodes, touch.weights, touch.stiffness(), 0.0);
        }
        for grip in &self.grips {
            let speed = grip.sliding(&Self::pick(&self.v, grip.nodes)).length();
            add(grip.nodes, grip.weights, 0.0, grip.strength * smoothed(speed, self.settings.creep).0);
        }
    }
}
