//! Narrow phase: the contact pairs of a state, updated from those of the state evaluated before: only pairs of nodes that have moved since change.

use pliant_core::{DirtySet, Spread, View};
use pliant_geom::mollifier::threshold;
use pliant_geom::points_of;
use pliant_parallel::for_each_chunk;

use super::broad_phase::BroadPhase;
use super::contact_pair::{Candidate, ContactPair, Material, NO_NODE};
use super::contact_set::{Entry, ON_PLANE};
use super::model::Contact;
use super::surface::{Plane, Surface};

impl Contact {
    /// Updates `x`, `v` and the contact pairs to a view.
    pub(super) fn detect(&mut self, view: &View) {
        self.write_velocities(view);
        let is_another_time = self.known_time != view.time;
        self.note_moved(view);
        let has_moved = !self.moved.list().is_empty() || self.moved_planes.iter().any(|moved| *moved);
        if self.moved.is_all() || has_moved {
            self.replace(view.time);
        }
        // pairs of moved nodes are up to date already
        if is_another_time && self.surface.has_moving() {
            self.carry(view.time);
        }
    }

    /// Updates the velocities of all nodes, colliders included.
    pub(super) fn write_velocities(&mut self, view: &View) {
        let Self { surface, v, .. } = self;
        v.clear();
        v.extend_from_slice(&view.v[..surface.particles]);
        v.extend(
            surface
                .collider_nodes
                .iter()
                .map(|collider_nodes| surface.motions[collider_nodes.motion].at(view.time, collider_nodes.start).1),
        );
    }

    /// Updates the positions to a view, and collects the nodes and planes that moved.
    fn note_moved(&mut self, view: &View) {
        let Self { surface, x, moved, moved_planes, known_time, .. } = self;
        let nodes = surface.nodes();
        moved.clear(nodes);
        if x.len() != nodes {
            x.clear();
            x.extend_from_slice(&view.x[..surface.particles]);
            x.extend(
                surface
                    .collider_nodes
                    .iter()
                    .map(|collider_nodes| surface.motions[collider_nodes.motion].at(view.time, collider_nodes.start).0),
            );
            moved.add_all();
        } else {
            for (node, x) in x[..surface.particles].iter_mut().enumerate() {
                moved.update(node, x, view.x[node]);
            }
            if *known_time != view.time {
                for (node, collider_nodes) in (surface.particles..).zip(&surface.collider_nodes) {
                    let motion = &surface.motions[collider_nodes.motion];
                    if !motion.is_fixed() {
                        moved.update(node, &mut x[node], motion.at(view.time, collider_nodes.start).0);
                    }
                }
            }
            moved.sort_or_add_all(Spread::Direct);
        }
        let may_move = *known_time != view.time && !moved.is_all();
        let place = |plane: &Plane, time: f64| (plane.at(time).0, plane.at(time).2);
        let is_elsewhere =
            |plane: &Plane| may_move && !plane.is_fixed() && place(plane, *known_time) != place(plane, view.time);
        moved_planes.clear();
        moved_planes.extend(surface.planes.iter().map(is_elsewhere));
        *known_time = view.time;
    }

    /// Removes the contact pairs of moved nodes and planes, and adds their current ones.
    fn replace(&mut self, time: f64) {
        let (moved, moved_planes, changed) = (&self.moved, &self.moved_planes, &mut self.changed);
        if moved.is_all() {
            self.pairs.clear();
            changed.add_all();
        } else {
            let goes = |entry: &Entry| entry.meets(moved) || entry.plane().is_some_and(|plane| moved_planes[plane]);
            let particles = self.surface.particles;
            self.pairs.remove(goes, |entry| mark_nodes(changed, particles, &entry.nodes));
        }
        self.add_pairs(time);
        self.add_on_planes(time);
        let (particles, changed) = (self.surface.particles, &mut self.changed);
        self.pairs.merge_added(&self.x, |entry| mark_nodes(changed, particles, &entry.nodes));
    }

    fn add_pairs(&mut self, time: f64) {
        let candidates = self.broad_phase.candidates(&self.surface, &self.x, &self.moved);
        let (surface, speed, x) = (&self.surface, self.settings.speed, &self.x);
        self.found.clear();
        self.found.resize(candidates.len(), None);
        for_each_chunk(&mut self.found, |start, found| {
            for (candidate, found) in candidates[start..].iter().zip(found) {
                let corners = points_of(x, candidate.nodes);
                *found = ContactPair::between(candidate, &corners, material(surface, speed, candidate));
            }
        });
        for (candidate, found) in candidates.iter().zip(&mut self.found) {
            if let Some(pair) = found {
                pair.carried = surface.rolling(time, pair.nodes, pair.normal);
                self.pairs.add(candidate.key, *pair);
            }
        }
    }

    fn add_on_planes(&mut self, time: f64) {
        let Self { surface, broad_phase, moved, moved_planes, pairs, x, settings, .. } = self;
        for (number, plane) in (0..).zip(&surface.planes) {
            let (point, _, normal) = plane.at(time);
            let mut add = |vertex: u32| {
                let place = x[vertex as usize];
                let gap = (place - point).dot(normal) - surface.radius[vertex as usize];
                let thickness = surface.plane_thickness(vertex as usize, number as usize);
                let material = plane_material(surface, settings.speed.max(plane.speed), vertex, (plane, thickness));
                if gap < material.thickness
                    && let Some(pair) =
                        ContactPair::on_plane(vertex, gap, normal, plane.velocity(time, place), material)
                {
                    pairs.add([ON_PLANE, number, vertex], pair);
                }
            };
            if moved.is_all() || moved_planes[number as usize] {
                surface.vertices.iter().for_each(|vertex| add(*vertex));
            } else {
                let is_vertex =
                    |node: &&u32| (**node as usize) < surface.particles && can_be_in_contact(broad_phase, **node);
                moved.list().iter().filter(is_vertex).for_each(|vertex| add(*vertex));
            }
        }
    }

    /// Updates the `carried` velocity of contact pairs with moving colliders: it changes with time even where no position does.
    fn carry(&mut self, time: f64) {
        let (surface, x) = (&self.surface, &self.x);
        let is_collider = |node: u32| node == NO_NODE || node as usize >= surface.particles;
        self.pairs.carry(|entry, pair| match entry.plane() {
            Some(plane) => Some(surface.planes[plane].velocity(time, x[entry.nodes[0] as usize])),
            None if is_collider(entry.nodes[0]) || is_collider(entry.nodes[3]) => {
                Some(surface.rolling(time, entry.nodes, pair.normal))
            }
            None => None,
        });
    }
}

/// Adds those of some nodes that are particles to a set.
pub(super) fn mark_nodes(out: &mut DirtySet, particles: usize, nodes: &[u32; 4]) {
    if !out.is_all() {
        nodes.iter().filter(|node| (**node as usize) < particles).for_each(|node| out.add(*node));
    }
}

/// Whether a particle is a vertex of any primitive.
fn can_be_in_contact(broad_phase: &BroadPhase, node: u32) -> bool {
    !broad_phase.owners(node).is_empty()
}

fn material(surface: &Surface, speed: f64, candidate: &Candidate) -> Material {
    let nodes = candidate.nodes.map(|node| node as usize);
    // The first node gives the parameters of the first feature, the last those of the second: all nodes of a feature belong to one body.
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
        parallel: threshold(&points_of(&surface.rest, candidate.nodes)),
    }
}

fn plane_material(surface: &Surface, speed: f64, vertex: u32, (plane, thickness): (&Plane, f64)) -> Material {
    let vertex = vertex as usize;
    Material {
        stiffness: surface.masses[vertex] * (speed / thickness) * (speed / thickness),
        thickness,
        radius: 0.0,
        friction: (surface.friction[vertex] * plane.friction).sqrt(),
        parallel: 0.0,
    }
}
