//! Contact of brittle bodies with colliders, cloth, solids and ropes: a particle has a radius of half a spacing, and a boundary repels it within
//! that radius. Steps end before it is deeper in a boundary than half of the radius. Under a higher load it goes deeper by a small amount per step
//! where the boundary has an inside that pushes it out again; through cloth, which has none, it would come out on the other side. What would go
//! deeper than its own size is faster than the boundary can stop: such a step is refused.

use std::ops::Range;

use glam::DVec3;
use pliant_core::{CollisionFreeStep, View};

use super::contact::ContactPair;
use crate::contact::Shape;
use crate::contact::contact_pair::NO_NODE;
use crate::sph::Boundaries;
use crate::sph::boundary_index::BoundaryIndex;

/// Stiffness of a boundary relative to the shortest bond: particles at a surface have lost more than that in bonds.
const STIFFNESS: f64 = 5.0;
/// Largest depth in a boundary at the end of a step, as a fraction of the radius.
const DEPTH: f64 = 0.5;
/// Further depth allowed per step, as a fraction of the radius: without it steps would shrink without bound near that depth.
const CREEP: f64 = 0.1;
/// How far the middle of a particle may get into a boundary, in radii.
const DEEPEST: f64 = 2.0;
/// Search distance for boundaries, in radii.
const REACH: f64 = 4.0;

/// Boundaries of brittle bodies.
pub(super) struct Walls {
    boundary: BoundaryIndex,
    particles: Range<usize>,
    radii: Vec<f64>,
    /// Coefficient of friction of each boundary: planes, other colliders, sheets.
    friction: Vec<f64>,
}

impl Walls {
    pub fn new(
        particles: Range<usize>,
        count: usize,
        radii: Vec<f64>,
        boundaries: &Boundaries,
        friction: &[f64],
    ) -> Self {
        let ids: Vec<u32> = particles.clone().map(|i| i as u32).collect();
        let widest = radii.iter().copied().fold(0.0, f64::max);
        let is_plane = |k: &usize| matches!(boundaries.colliders[*k].shape, Shape::Plane { .. });
        let colliders = boundaries.colliders.len();
        let planes = (0..colliders).filter(is_plane);
        let others = (0..colliders).filter(|k| !is_plane(k));
        let order = planes.chain(others).chain(colliders..colliders + boundaries.sheets.len());
        Self {
            boundary: BoundaryIndex::within(REACH * widest, widest, count, &ids, boundaries),
            particles,
            radii,
            friction: order.map(|k| friction.get(k).copied().unwrap_or(0.0)).collect(),
        }
    }

    /// Whether any boundary moves.
    pub fn moves(&self) -> bool {
        self.boundary.moves()
    }

    /// Adds the contact pairs with boundaries at a view; `of` gives the stiffness and the friction of a particle.
    pub fn add_contacts(&mut self, view: &View, of: impl Fn(usize) -> (f64, f64), out: &mut Vec<ContactPair>) {
        self.boundary.find(view);
        for block in &self.boundary.blocks {
            for near_boundary in &block.near_boundary {
                let particle = near_boundary.particle as usize;
                let radius = self.radii[particle - self.particles.start];
                for contact in block.boundary_contacts(near_boundary).iter().filter(|contact| contact.distance < radius)
                {
                    let (stiffness, friction) = of(particle);
                    let sheet = contact.nodes.filter(|nodes| self.boundary.is_particle(nodes[0]));
                    let [a, b, c] = sheet.unwrap_or([NO_NODE; 3]);
                    let w = if sheet.is_some() { contact.weights } else { [0.0; 3] };
                    let carried = if sheet.is_some() {
                        DVec3::ZERO
                    } else {
                        self.boundary.velocity(view, contact, view.x[particle])
                    };
                    out.push(ContactPair {
                        nodes: [near_boundary.particle, a, b, c],
                        weights: [1.0, -w[0], -w[1], -w[2]],
                        normal: contact.normal,
                        depth: radius - contact.distance,
                        stiffness: STIFFNESS * stiffness,
                        curvature: 0.0,
                        friction: (friction * self.friction[contact.boundary as usize]).sqrt(),
                        carried,
                    });
                }
            }
        }
    }

    /// The fraction of the step on which no particle exceeds its allowed depth in a boundary, or passes through it.
    pub fn collision_free_step(&mut self, from: &View, to: &View) -> CollisionFreeStep {
        if self.boundary.is_empty() {
            return CollisionFreeStep::FULL;
        }
        let mut free_step = CollisionFreeStep::FULL;
        let mut clip = |fraction: f64, particle: usize| {
            if fraction < free_step.fraction {
                free_step = CollisionFreeStep { fraction: fraction.max(0.0), particle };
            }
        };
        for plane in self.boundary.planes() {
            let ((p0, _, n0), (p1, _, n1)) = (plane.at(from.time), plane.at(to.time));
            for (particle, radius) in self.particles.clone().zip(&self.radii) {
                let (before, after) = ((from.x[particle] - p0).dot(n0), (to.x[particle] - p1).dot(n1));
                let most = (before - (1.0 - DEPTH) * radius).max(CREEP * radius).min(before + DEEPEST * radius);
                if before - after > most.max(0.0) {
                    clip(most / (before - after), particle);
                }
            }
        }
        let boxes = self.boundary.boxes(from).into_iter().zip(self.boundary.boxes(to));
        for (start, end) in boxes {
            let middle = 0.5 * (end.low + end.high - start.low - start.high);
            for (particle, radius) in self.particles.clone().zip(&self.radii) {
                // relative to the boundary, which may move
                let (a, b) = (from.x[particle], to.x[particle] - middle);
                let gap = (start.low - a).max(a - start.high).max(DVec3::ZERO).length();
                let moved = a.distance(b);
                // inside the box the boundary contacts below limit the step
                let free = gap.max(radius * REACH * 0.5);
                if moved > free && (start.low - a.max(b)).max(a.min(b) - start.high).max_element() < *radius {
                    clip(free / moved, particle);
                }
            }
        }
        self.boundary.find(to);
        for block in &self.boundary.blocks {
            for near_boundary in &block.near_boundary {
                let particle = near_boundary.particle as usize;
                let radius = self.radii[particle - self.particles.start];
                let least = (1.0 - DEPTH) * radius;
                for contact in
                    block.boundary_contacts(near_boundary).iter().filter(|t| t.distance < least && t.nodes.is_some())
                {
                    // estimate of the initial distance, from the approach velocity
                    let moved = (to.x[particle] - from.x[particle]).dot(contact.normal)
                        - self.boundary.velocity(to, contact, to.x[particle]).dot(contact.normal)
                            * (to.time - from.time);
                    let left = contact.distance - moved - least;
                    let has_inside = contact.nodes.is_some_and(|nodes| !self.boundary.is_particle(nodes[0]));
                    let most = if has_inside { left.max(CREEP * radius) } else { left };
                    // a particle already deeper in cloth is not limited
                    if most > 0.0 && most < -moved {
                        clip(most / -moved, particle);
                    }
                }
            }
        }
        free_step
    }
}
