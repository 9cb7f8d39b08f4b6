//! Vertices of surface formats: the particles of a system, but of a body with a fine surface the vertices of that, in their own order,
//! so that a mesh that was read from a file is written in its order, deformed.

use std::borrow::Cow;

use glam::DVec3;
use pliant_core::{Body, System};
use pliant_geom::stuffing::FineSurface;

use crate::formats::body_numbers;

/// Vertices, in the order of a file: the particles that are shown, then the fine surfaces.
pub(crate) struct Outside {
    /// Particles that are shown, in their order; `None`: all of them.
    particles: Option<Vec<u32>>,
    /// Number of the body, and its fine surface.
    fine: Vec<(usize, FineSurface)>,
    /// The vertex of each particle that is shown.
    vertex: Vec<u32>,
}

impl Outside {
    /// Of a system in which all particle indices of bodies are in range.
    pub fn of(system: &System) -> Self {
        let bodies = system.bodies();
        let fine: Vec<(usize, FineSurface)> = bodies
            .iter()
            .enumerate()
            .filter_map(|(k, body)| Some((k, body.fine_surface_among(system.len())?.clone())))
            .collect();
        if fine.is_empty() {
            return Self { particles: None, fine, vertex: (0..system.len() as u32).collect() };
        }
        let mut is_shown = vec![true; system.len()];
        for (k, _) in &fine {
            let end = bodies[*k].particles.end.min(is_shown.len());
            is_shown[bodies[*k].particles.start.min(end)..end].fill(false);
        }
        // Another body may end at particles of this one.
        for body in bodies.iter().filter(|body| body.fine_surface_among(system.len()).is_none()) {
            for particle in body.triangles.iter().flatten().chain(body.edges.iter().flatten()) {
                is_shown[*particle as usize] = true;
            }
        }
        let particles: Vec<u32> = (0..system.len() as u32).filter(|i| is_shown[*i as usize]).collect();
        let mut vertex = vec![u32::MAX; system.len()];
        for (number, particle) in (0..).zip(&particles) {
            vertex[*particle as usize] = number;
        }
        Self { particles: Some(particles), fine, vertex }
    }

    /// How many vertices there are.
    pub fn len(&self) -> usize {
        let fine: usize = self.fine.iter().map(|(_, fine)| fine.vertices.len()).sum();
        self.particles.as_ref().map_or(self.vertex.len(), Vec::len) + fine
    }

    /// A per-particle quantity at the vertices.
    pub fn carry<'a>(&self, vectors: &'a [DVec3]) -> Cow<'a, [DVec3]> {
        let Some(particles) = &self.particles else { return Cow::Borrowed(vectors) };
        let shown = particles.iter().map(|i| vectors[*i as usize]);
        let fine = self.fine.iter().flat_map(|(_, fine)| fine.carry(vectors));
        Cow::Owned(shown.chain(fine).collect())
    }

    /// The same for numbers; vertices of fine surfaces, which are not particles, have zero.
    pub fn carry_numbers(&self, numbers: &[f64]) -> Vec<f64> {
        let Some(particles) = &self.particles else { return numbers.to_vec() };
        let mut carried: Vec<f64> = particles.iter().map(|i| numbers[*i as usize]).collect();
        carried.resize(self.len(), 0.0);
        carried
    }

    /// Particle (-1: a vertex of a fine surface), body (-1: none) and whether it is pinned, of every vertex.
    pub fn marks(&self, system: &System) -> Vec<(i32, i32, bool)> {
        let (numbers, free) = (body_numbers(system), system.free());
        let particle = |i: usize| (i as i32, numbers[i], !free[i]);
        let mut marks: Vec<_> = match &self.particles {
            None => (0..system.len()).map(particle).collect(),
            Some(particles) => particles.iter().map(|i| particle(*i as usize)).collect(),
        };
        for (body, fine) in &self.fine {
            let pinned = fine.all_of(|particle| !free[particle as usize]);
            marks.extend(pinned.into_iter().map(|pinned| (-1, *body as i32, pinned)));
        }
        marks
    }

    /// Triangles of a body, as vertices.
    pub fn triangles(&self, number: usize, body: &Body) -> Vec<[u32; 3]> {
        let mut first = self.particles.as_ref().map_or(0, Vec::len);
        for (owner, fine) in &self.fine {
            if *owner == number {
                return fine.triangles.iter().map(|corners| corners.map(|corner| corner + first as u32)).collect();
            }
            first += fine.vertices.len();
        }
        body.triangles.iter().map(|corners| self.of_particles(*corners)).collect()
    }

    /// Lines of a body that has no surface, as vertices.
    pub fn lines(&self, number: usize, body: &Body) -> Vec<[u32; 2]> {
        let has_surface = !body.triangles.is_empty() || self.fine.iter().any(|(owner, _)| *owner == number);
        if has_surface { Vec::new() } else { body.edges.iter().map(|ends| self.of_particles(*ends)).collect() }
    }

    /// The vertices of particles that are shown.
    pub fn of_particles<const N: usize>(&self, particles: [u32; N]) -> [u32; N] {
        particles.map(|particle| self.vertex[particle as usize])
    }
}
