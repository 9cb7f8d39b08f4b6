//! The prim of a body: which particles its points show, and their connectivity.

use std::collections::HashSet;

use glam::DVec3;
use pliant_core::{Body, System};
use pliant_geom::stuffing::FineSurface;

use crate::formats::loose_particles;

/// How the points of a part are drawn.
pub(super) enum Kind {
    /// Triangles; indices of points of the part.
    Mesh { triangles: Vec<[u32; 3]> },
    /// Polylines, with the number of points of each.
    Curves { counts: Vec<u32> },
    /// Points alone.
    Points,
}

/// The points of a part.
pub(super) enum Points {
    /// The particle that each point shows; a particle of several curves is shown several times.
    Particles(Vec<u32>),
    /// Those of a fine surface.
    Fine(FineSurface),
}

impl Points {
    /// A per-particle quantity at the points.
    pub fn carry(&self, of: &[DVec3]) -> Vec<DVec3> {
        match self {
            Self::Particles(particles) => particles.iter().map(|i| of[*i as usize]).collect(),
            Self::Fine(fine) => fine.carry(of),
        }
    }

    /// Numbers of the particles that it shows.
    pub fn ids(&self) -> &[u32] {
        match self {
            Self::Particles(particles) => particles,
            Self::Fine(_) => &[],
        }
    }
}

/// One prim of the stage.
pub(super) struct Part {
    /// Name of the prim: letters, digits and underscores.
    pub prim: String,
    /// Name of the body.
    pub name: String,
    /// What its points are.
    pub points: Points,
    /// 1 where the point is pinned.
    pub pinned: Vec<u64>,
    /// How they are drawn.
    pub kind: Kind,
    /// Width of curves and points, m; 0 for meshes.
    pub width: f64,
}

/// All parts of a system: its bodies, then the particles of none.
pub(super) fn parts(system: &System) -> Vec<Part> {
    let mut taken = HashSet::new();
    let mut parts: Vec<Part> = system.bodies().iter().map(|body| part(body, system, &mut taken)).collect();
    let loose = loose_particles(system);
    if !loose.is_empty() {
        parts.push(finish("loose", Points::Particles(loose), Kind::Points, system, &mut taken));
    }
    parts
}

fn part(body: &Body, system: &System, taken: &mut HashSet<String>) -> Part {
    if let Some(fine) = body.fine_surface_among(system.len()) {
        let kind = Kind::Mesh { triangles: fine.triangles.clone() };
        return finish(&body.name, Points::Fine(fine.clone()), kind, system, taken);
    }
    let own = body.particles.clone().filter(|i| *i < system.len()).map(|i| i as u32);
    if !body.triangles.is_empty() {
        // A surface may share particles with another body, so its points are its own and those that it names.
        let mut particles: Vec<u32> = own.chain(body.triangles.iter().flatten().copied()).collect();
        particles.sort_unstable();
        particles.dedup();
        let local = |i: u32| particles.binary_search(&i).expect("every corner is among the points") as u32;
        let triangles = body.triangles.iter().map(|triangle| triangle.map(local)).collect();
        return finish(&body.name, Points::Particles(particles), Kind::Mesh { triangles }, system, taken);
    }
    if body.edges.is_empty() {
        return finish(&body.name, Points::Particles(own.collect()), Kind::Points, system, taken);
    }
    // An edge that begins where the last one ended continues its curve, so a rope is one curve.
    let (mut particles, mut counts) = (Vec::new(), Vec::<u32>::new());
    for [a, b] in &body.edges {
        match (particles.last(), counts.last_mut()) {
            (Some(end), Some(count)) if end == a => *count += 1,
            _ => {
                particles.push(*a);
                counts.push(2);
            }
        }
        particles.push(*b);
    }
    finish(&body.name, Points::Particles(particles), Kind::Curves { counts }, system, taken)
}

fn finish(name: &str, points: Points, kind: Kind, system: &System, taken: &mut HashSet<String>) -> Part {
    let is_pinned = |particle: u32| !system.free()[particle as usize];
    let pinned: Vec<bool> = match &points {
        Points::Particles(particles) => particles.iter().map(|particle| is_pinned(*particle)).collect(),
        Points::Fine(fine) => fine.all_of(is_pinned),
    };
    let pinned = pinned.into_iter().map(u64::from).collect();
    // Thin enough for a net and visible for a pendulum; programs that draw it let the user change it.
    let width = if matches!(kind, Kind::Mesh { .. }) { 0.0 } else { 0.01 };
    Part { prim: prim_name(name, taken), name: name.to_owned(), points, pinned, kind, width }
}

/// A name that USD allows and that no other part has.
fn prim_name(name: &str, taken: &mut HashSet<String>) -> String {
    let mut prim: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if !prim.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        prim.insert(0, '_');
    }
    let base = prim.clone();
    let mut number = 2;
    while !taken.insert(prim.clone()) {
        prim = format!("{base}_{number}");
        number += 1;
    }
    prim
}

/// Normals of length 1 at the points: the sum of the triangles' normals weighted with their areas; up where that sum vanishes.
pub(super) fn normals(points: &[DVec3], triangles: &[[u32; 3]]) -> Vec<DVec3> {
    let mut normals = vec![DVec3::ZERO; points.len()];
    for triangle in triangles {
        let [a, b, c] = triangle.map(|i| points[i as usize]);
        let normal = (b - a).cross(c - a);
        triangle.iter().for_each(|i| normals[*i as usize] += normal);
    }
    normals.iter().map(|normal| normal.try_normalize().unwrap_or(DVec3::Y)).collect()
}
