//! Boundary queries of a fluid: distances of its particles to colliders, containers and sheets, and the nearest features.
//!
//! Points, segments and triangles are all stored as triangles, possibly degenerate; their corners are particles (of a sheet) or points that move
//! with a collider. Each boundary contributes its nearest triangle only. Triangles of closed colliders have an inside: the sign of the distance is
//! that of the pseudonormal [Baerentzen] of the nearest feature, correct for every closed mesh.
//!
//! Candidates come from a tree of boxes with a margin and are kept until a particle has moved by half of it. A longer candidate list gives the same
//! result in the same order, so the candidates are a cache and not part of a state.

use std::collections::HashMap;

use glam::DVec3;
use pliant_core::{Motion, View};
use pliant_geom::distance::vertex_triangle;
use pliant_geom::{Aabb, Bvh};
use pliant_parallel::{Partials, for_each_task};
use pliant_scalar::math;

use super::boundary_density::BoundaryDensity;
pub(crate) use super::near_boundary::{BoundaryBlock, BoundaryContact, NearBoundary, Scale};
use super::near_boundary::{FAR, MAX_BOUNDARY_CONTACTS, felt};
use super::neighbour_list::NOWHERE;
use super::settings::Boundaries;
use crate::contact::surface::Plane;
use crate::contact::{Collider, Shape};

/// Particles per task of the candidate search.
const BLOCK: usize = 1024;

/// Triangles of one collider or sheet.
#[derive(Clone, Debug)]
struct BoundarySurface {
    /// Offset of the surface from its triangles, m.
    radius: f64,
    /// For closed surfaces: the index of the first triangle, and the pseudonormals at time 0 of each triangle's corners and of the edges opposite to
    /// them.
    signs: Option<(usize, Vec<[DVec3; 6]>)>,
    /// Motion of the collider.
    motion: Option<usize>,
}

/// See the file head.
#[derive(Clone, Debug)]
pub(crate) struct BoundaryIndex {
    /// Density model of boundaries; `None` where only distances are queried.
    law: Option<BoundaryDensity>,
    /// Distance within which boundaries act, m.
    reach: f64,
    /// The fluids' particles, and the index of each particle among them.
    fluids: Vec<u32>,
    slots: Vec<u32>,
    particles: usize,
    planes: Vec<Plane>,
    surfaces: Vec<BoundarySurface>,
    /// The surface and the nodes of every triangle.
    triangles: Vec<(u32, [u32; 3])>,
    tree: Bvh,
    motions: Vec<Motion>,
    /// Nodes that are no particles: their motion and their position at time 0.
    guided: Vec<(usize, DVec3)>,
    /// Nodes that are particles.
    sheet: Vec<u32>,
    /// Whether any boundary moves.
    moves: bool,
    margin: f64,
    /// Positions and velocities of guided nodes, and their time.
    places: Vec<(DVec3, DVec3)>,
    placed: Option<f64>,
    /// Positions of fluids, sheets and guided nodes at the last candidate search; empty before the first.
    reference: [Vec<DVec3>; 3],
    pub blocks: Vec<BoundaryBlock>,
    partials: Partials,
}

impl BoundaryIndex {
    pub fn new(law: BoundaryDensity, margin: f64, particles: usize, fluids: &[u32], boundaries: &Boundaries) -> Self {
        Self { law: Some(law), ..Self::within(law.reach(), margin, particles, fluids, boundaries) }
    }

    /// An index for distance queries only, within a reach, m.
    pub fn within(reach: f64, margin: f64, particles: usize, fluids: &[u32], boundaries: &Boundaries) -> Self {
        let mut slots = vec![NOWHERE; particles];
        fluids.iter().zip(0..).for_each(|(id, k)| slots[*id as usize] = k);
        let mut boundary = Self {
            law: None,
            reach,
            fluids: fluids.to_vec(),
            slots,
            particles,
            planes: Vec::new(),
            surfaces: Vec::new(),
            triangles: Vec::new(),
            tree: Bvh::new(&[]),
            motions: Vec::new(),
            guided: Vec::new(),
            sheet: Vec::new(),
            moves: !boundaries.sheets.is_empty() || boundaries.colliders.iter().any(|c| !c.motion.is_fixed()),
            margin,
            places: Vec::new(),
            placed: None,
            reference: Default::default(),
            blocks: vec![BoundaryBlock::default(); fluids.len().div_ceil(BLOCK)],
            partials: Partials::default(),
        };
        boundaries.colliders.iter().for_each(|collider| boundary.add(collider));
        for sheet in &boundaries.sheets {
            let surface = boundary.surfaces.len() as u32;
            boundary.surfaces.push(BoundarySurface { radius: 0.5 * sheet.thickness, signs: None, motion: None });
            boundary.triangles.extend(sheet.triangles.iter().map(|corners| (surface, *corners)));
            boundary.sheet.extend(sheet.triangles.iter().flatten());
        }
        boundary.sheet.sort_unstable();
        boundary.sheet.dedup();
        if !boundary.triangles.is_empty() {
            // spatial order where positions are known; sheets in the order of their triangles, which are mostly neighbours
            let place = |node: u32| {
                let guided = (node as usize).checked_sub(particles).map(|k| boundary.guided[k].1);
                guided.unwrap_or(DVec3::splat(f64::from(node)))
            };
            let centres: Vec<DVec3> = boundary.triangles.iter().map(|(_, n)| n.map(place).iter().sum()).collect();
            boundary.tree = Bvh::new(&centres);
        }
        boundary
    }

    fn add(&mut self, collider: &Collider) {
        let (points, segments, triangles, radius) = match &collider.shape {
            Shape::Plane { point, normal } => {
                let motion = collider.motion.clone();
                return self.planes.push(Plane::new(*point, *normal, motion, collider.name.clone(), 0.0));
            }
            Shape::Simplices { points, segments, triangles, radius } => (points, segments, triangles, *radius),
        };
        let (first, motion) = ((self.particles + self.guided.len()) as u32, self.motions.len());
        self.motions.push(collider.motion.clone());
        self.guided.extend(points.iter().map(|point| (motion, *point)));
        let at = self.triangles.len();
        let mut faces = triangles.clone();
        if triangles.is_empty() {
            faces.extend(segments.iter().map(|[a, b]| [*a, *b, *b]));
        }
        if faces.is_empty() {
            faces.extend((0..points.len() as u32).map(|point| [point; 3]));
        }
        let signs = (!triangles.is_empty() && radius == 0.0).then(|| (at, pseudonormals(points, triangles)));
        let surface = self.surfaces.len() as u32;
        self.surfaces.push(BoundarySurface { radius, signs, motion: Some(motion) });
        self.triangles.extend(faces.iter().map(|corners| (surface, corners.map(|corner| first + corner))));
    }

    /// Whether there are no boundaries.
    pub fn is_empty(&self) -> bool {
        self.planes.is_empty() && self.triangles.is_empty()
    }

    /// Whether all boundaries are sheets of particles.
    pub fn has_sheets_alone(&self) -> bool {
        self.planes.is_empty() && self.guided.is_empty()
    }

    /// Particles that are boundary nodes.
    pub fn sheet(&self) -> &[u32] {
        &self.sheet
    }

    /// Whether any boundary nodes are particles.
    pub fn has_sheets(&self) -> bool {
        !self.sheet.is_empty()
    }

    /// Whether the result depends on anything besides the fluid's positions.
    pub fn moves(&self) -> bool {
        self.moves
    }

    /// Half-spaces.
    pub fn planes(&self) -> &[Plane] {
        &self.planes
    }

    /// Boxes around the other boundaries at a view, thickness included.
    pub fn boxes(&self, view: &View) -> Vec<Aabb> {
        let mut boxes = vec![Aabb::EMPTY; self.surfaces.len()];
        for (surface, nodes) in &self.triangles {
            let radius = self.surfaces[*surface as usize].radius;
            for node in nodes {
                let at = match (*node as usize).checked_sub(self.particles) {
                    None => view.x[*node as usize],
                    Some(k) => self.motions[self.guided[k].0].at(view.time, self.guided[k].1).0,
                };
                let all = &mut boxes[*surface as usize];
                *all = Aabb { low: all.low.min(at - radius), high: all.high.max(at + radius) };
            }
        }
        boxes
    }

    /// Finds the boundary contacts of all particles at a view.
    pub fn find(&mut self, view: &View) {
        if self.is_empty() {
            return;
        }
        if self.placed != Some(view.time) && (self.placed.is_none() || self.moves) {
            self.places.clear();
            self.places.extend(self.guided.iter().map(|(m, start)| self.motions[*m].at(view.time, *start)));
            self.placed = Some(view.time);
        }
        if !self.are_candidates_valid(view) {
            self.look_up(view);
        }
        let mut blocks = std::mem::take(&mut self.blocks);
        for_each_task(&mut blocks, |_, block| {
            let BoundaryBlock { candidates, boundary_contacts, near_boundary, .. } = block;
            near_boundary
                .iter_mut()
                .for_each(|near_boundary| self.find_contacts(view, candidates, boundary_contacts, near_boundary));
        });
        self.blocks = blocks;
    }

    /// Updates the boundary contacts of one particle. Requires fixed boundaries, and this call for every particle that has moved since the last
    /// [`BoundaryIndex::find`]. Returns `false` if the particle has left its margin, so that a new candidate search is needed.
    pub fn find_one(&mut self, view: &View, particle: u32) -> bool {
        let k = self.slots[particle as usize] as usize;
        let Some(reference) = self.reference[0].get(k) else { return self.is_empty() };
        // NaN counts as outside the margin
        let is_near = view.x[particle as usize].distance_squared(*reference) <= 0.25 * self.margin * self.margin;
        if let Some((b, slot)) = self.slot(particle).filter(|_| is_near) {
            let mut block = std::mem::take(&mut self.blocks[b]);
            self.find_contacts(view, &block.candidates, &mut block.boundary_contacts, &mut block.near_boundary[slot]);
            self.blocks[b] = block;
        }
        is_near
    }

    /// Block and slot of a particle that may be near a boundary.
    fn slot(&self, particle: u32) -> Option<(usize, usize)> {
        let k = self.slots[particle as usize] as usize;
        let slot = *self.blocks.get(k / BLOCK)?.slots.get(k % BLOCK)?;
        (slot != NOWHERE).then_some((k / BLOCK, slot as usize))
    }

    /// A particle that may be near a boundary, and its boundary contacts.
    pub fn near_boundary(&self, particle: u32) -> Option<(&NearBoundary, &[BoundaryContact])> {
        let (b, slot) = self.slot(particle)?;
        let near_boundary = &self.blocks[b].near_boundary[slot];
        Some((near_boundary, self.blocks[b].boundary_contacts(near_boundary)))
    }

    fn node(&self, view: &View, node: u32) -> DVec3 {
        let node = node as usize;
        if node < self.particles { view.x[node] } else { self.places[node - self.particles].0 }
    }

    fn are_candidates_valid(&mut self, view: &View) -> bool {
        let [fluids, sheet, guided] = &self.reference;
        if fluids.len() != self.fluids.len() || !self.planes.iter().all(Plane::is_fixed) {
            return false;
        }
        let (ids, nodes, places, partials) = (&self.fluids, &self.sheet, &self.places, &mut self.partials);
        let of = |a: DVec3, b: DVec3| a.distance_squared(b);
        let far = [
            partials.max(ids.len(), |k| of(view.x[ids[k] as usize], fluids[k])),
            partials.max(sheet.len(), |k| of(view.x[nodes[k] as usize], sheet[k])),
            partials.max(guided.len(), |k| of(places[k].0, guided[k])),
        ];
        let square = 0.25 * self.margin * self.margin;
        far.iter().flatten().all(|(_, most)| *most <= square)
    }

    fn look_up(&mut self, view: &View) {
        let of = |ids: &[u32], out: &mut Vec<DVec3>| {
            out.clear();
            out.extend(ids.iter().map(|id| view.x[*id as usize]));
        };
        let mut reference = std::mem::take(&mut self.reference);
        of(&self.fluids, &mut reference[0]);
        of(&self.sheet, &mut reference[1]);
        reference[2].clear();
        reference[2].extend(self.places.iter().map(|(place, _)| *place));
        self.reference = reference;
        let reach = self.reach + self.margin;
        if !self.triangles.is_empty() {
            let mut tree = std::mem::take(&mut self.tree);
            tree.refit(reach, |k| {
                let (surface, nodes) = self.triangles[k];
                Aabb::around(nodes.map(|node| self.node(view, node))).grown(self.surfaces[surface as usize].radius)
            });
            self.tree = tree;
        }
        let mut blocks = std::mem::take(&mut self.blocks);
        for_each_task(&mut blocks, |b, block| {
            let all = &mut block.candidates;
            all.clear();
            for &id in self.fluids[b * BLOCK..].iter().take(BLOCK) {
                let x = view.x[id as usize];
                for (k, plane) in self.planes.iter().enumerate() {
                    let (point, _, normal) = plane.at(view.time);
                    if (x - point).dot(normal) <= reach {
                        all.push([id, k as u32, 0]);
                    }
                }
                let first = all.len();
                self.tree.meeting_box(&Aabb::around([x]), |triangle| {
                    all.push([id, self.planes.len() as u32 + self.triangles[triangle as usize].0, triangle]);
                });
                all[first..].sort_unstable();
            }
            let fluids = &self.fluids[b * BLOCK..];
            block.make_room(&fluids[..fluids.len().min(BLOCK)]);
        });
        self.blocks = blocks;
    }

    /// Finds the boundary contacts of a particle among its candidates.
    fn find_contacts(
        &self,
        view: &View,
        candidates: &[[u32; 3]],
        boundary_contacts: &mut [BoundaryContact],
        near_boundary: &mut NearBoundary,
    ) {
        let (x, first) = (view.x[near_boundary.particle as usize], near_boundary.boundary_contacts[0] as usize);
        let mut end = first;
        for boundary in candidates[near_boundary.candidates[0] as usize..near_boundary.candidates[1] as usize]
            .chunk_by(|a, b| a[1] == b[1])
        {
            let contact = self.nearest(view, x, boundary);
            if contact.distance < self.reach && end - first < MAX_BOUNDARY_CONTACTS {
                boundary_contacts[end] = contact;
                end += 1;
            }
        }
        near_boundary.boundary_contacts[1] = end as u32;
        near_boundary.scale =
            self.law.as_ref().map_or(Scale::NONE, |law| felt(law, &mut boundary_contacts[first..end]));
    }

    fn nearest(&self, view: &View, x: DVec3, candidates: &[[u32; 3]]) -> BoundaryContact {
        let boundary = candidates[0][1] as usize;
        if let Some(plane) = self.planes.get(boundary) {
            let (point, _, normal) = plane.at(view.time);
            let distance = (x - point).dot(normal);
            return BoundaryContact { distance, normal, boundary: boundary as u32, ..FAR };
        }
        let surface = &self.surfaces[boundary - self.planes.len()];
        let mut best: Option<(u32, pliant_geom::Closest)> = None;
        for [_, _, triangle] in candidates {
            let [a, b, c] = self.triangles[*triangle as usize].1.map(|node| self.node(view, node));
            let found = vertex_triangle(&[x, a, b, c]);
            if best.as_ref().is_none_or(|(_, best)| found.distance < best.distance) {
                best = Some((*triangle, found));
            }
        }
        let Some((triangle, closest)) = best else { return FAR };
        let weights = [1, 2, 3].map(|k| -closest.weights[k]);
        let sign = self.outward(view.time, surface, triangle as usize, weights, closest.r);
        let normal = closest.r * (sign / closest.distance);
        // on the surface itself the normal is undefined; particles do not stay there
        let normal = if normal.is_finite() { normal } else { DVec3::ZERO };
        let (distance, nodes) = (sign * closest.distance - surface.radius, Some(self.triangles[triangle as usize].1));
        BoundaryContact { distance, normal, nodes, weights, boundary: boundary as u32, ..FAR }
    }

    /// Sign of the distance: minus one inside a closed collider.
    fn outward(&self, time: f64, surface: &BoundarySurface, triangle: usize, weights: [f64; 3], r: DVec3) -> f64 {
        let (Some((first, normals)), Some(motion)) = (&surface.signs, surface.motion) else { return 1.0 };
        let normals = &normals[triangle - first];
        let zeros = weights.map(|w| w <= 0.0);
        let normal = match zeros {
            [false, true, true] => normals[0],
            [true, false, true] => normals[1],
            [true, true, false] => normals[2],
            [true, false, false] => normals[3],
            [false, true, false] => normals[4],
            [false, false, true] => normals[5],
            // the sum of the corners' pseudonormals is not the face normal
            _ => {
                let [a, b, c] = self.triangles[triangle].1.map(|node| self.guided[node as usize - self.particles].1);
                (b - a).cross(c - a)
            }
        };
        let motion = &self.motions[motion];
        let turned =
            if motion.turn.is_some() { motion.at(time, normal).0 - motion.at(time, DVec3::ZERO).0 } else { normal };
        if turned.dot(r) < 0.0 { -1.0 } else { 1.0 }
    }

    /// Velocity of a boundary at the contact point.
    pub fn velocity(&self, view: &View, contact: &BoundaryContact, x: DVec3) -> DVec3 {
        let Some(nodes) = contact.nodes else {
            return self.planes[contact.boundary as usize].velocity(view.time, x);
        };
        let of = |node: u32| match (node as usize).checked_sub(self.particles) {
            Some(k) => self.places[k].1,
            None => view.v[node as usize],
        };
        nodes.iter().zip(contact.weights).map(|(node, weight)| of(*node) * weight).sum()
    }

    /// Whether a node is a particle, which receives its share of the reaction.
    pub fn is_particle(&self, node: u32) -> bool {
        (node as usize) < self.particles
    }
}

/// Pseudonormals of every triangle: of its corners, angle-weighted sums of normals, and of the edges opposite to them, sums over both sides.
fn pseudonormals(points: &[DVec3], triangles: &[[u32; 3]]) -> Vec<[DVec3; 6]> {
    let at = |node: u32| points[node as usize];
    let normal = |[a, b, c]: [u32; 3]| (at(b) - at(a)).cross(at(c) - at(a)).normalize_or_zero();
    let (mut corners, mut edges) = (vec![DVec3::ZERO; points.len()], HashMap::new());
    let key = |a: u32, b: u32| (a.min(b), a.max(b));
    for nodes in triangles {
        let n = normal(*nodes);
        for k in 0..3 {
            let [a, b, c] = [0, 1, 2].map(|turn| nodes[(k + turn) % 3]);
            corners[a as usize] += n * math::angle_between(at(b) - at(a), at(c) - at(a));
            *edges.entry(key(b, c)).or_insert(DVec3::ZERO) += n;
        }
    }
    let of = |nodes: &[u32; 3]| {
        let [a, b, c] = *nodes;
        let edge = |a: u32, b: u32| edges[&key(a, b)];
        [corners[a as usize], corners[b as usize], corners[c as usize], edge(b, c), edge(c, a), edge(a, b)]
    };
    triangles.iter().map(of).collect()
}
