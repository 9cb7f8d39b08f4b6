//! A body that can break, as the surfaces of its fragments.

use std::collections::HashSet;

use glam::DVec3;
use pliant_core::Body;
use pliant_geom::grains::ShardSurface;

use crate::drawing::{Drawing, Triangle, Vertex};

/// An edge by the bits of its ends, the lower end first.
type Edge = [[u64; 3]; 2];

/// Adds the fragments of a body if it has any; true if it has. `x`, `values` and `fragment` are those of all particles; without `fragment` the
/// body is whole. The materials are that of the outside and that of cracks.
pub fn draw(
    body: &Body,
    x: &[DVec3],
    values: &[f64],
    fragment: Option<&[f64]>,
    materials: [u32; 2],
    drawing: &mut Drawing,
) -> bool {
    let Some(rubble) = &body.rubble else { return false };
    let Some(places) = x.get(body.particles.clone()) else { return false };
    let own = fragment.and_then(|numbers| numbers.get(body.particles.clone()));
    let surface = rubble.surface(places, own);
    if surface.triangles.is_empty() {
        return false;
    }
    let first = drawing.vertices.len() as u32;
    let mut normals = surface.normals();
    for (corners, is_inner) in surface.triangles.iter().zip(&surface.is_inner) {
        if *is_inner {
            // A crack is rough: without a smooth normal every triangle shows its own.
            corners.iter().for_each(|corner| normals[*corner as usize] = DVec3::ZERO);
        }
    }
    let value = |owner: &u32| values.get(body.particles.start + *owner as usize).copied().unwrap_or(0.0);
    let vertices = surface.points.iter().zip(normals).zip(&surface.owner);
    drawing.vertices.extend(vertices.map(|((position, normal), owner)| Vertex {
        position: *position,
        normal,
        value: value(owner),
    }));
    let cracks = crack_edges(&surface);
    let triangles = surface.triangles.iter().zip(&surface.is_inner);
    drawing.triangles.extend(triangles.map(|(corners, is_inner)| Triangle {
        corners: corners.map(|corner| corner + first),
        material: materials[usize::from(*is_inner)],
        // Fragments that have hardly moved apart fit together without a gap: only a line separates them.
        wires: if *is_inner { 0 } else { sides_among(&cracks, &surface, *corners) },
    }));
    true
}

/// Edges of crack faces. At the outside they are those where a crack comes to the surface.
fn crack_edges(surface: &ShardSurface) -> HashSet<Edge> {
    let inner = surface.triangles.iter().zip(&surface.is_inner).filter(|(_, is_inner)| **is_inner);
    inner.flat_map(|(corners, _)| (0..3).map(|side| edge(surface, *corners, side))).collect()
}

/// The sides of a triangle that are among these edges, bit by bit.
fn sides_among(edges: &HashSet<Edge>, surface: &ShardSurface, corners: [u32; 3]) -> u8 {
    if edges.is_empty() {
        return 0;
    }
    let found = (0..3).filter(|side| edges.contains(&edge(surface, corners, *side)));
    found.fold(0, |bits, side| bits | 1 << side)
}

/// The side opposite to a corner. Vertices of cracks and of the outside differ, but those of one fragment at one corner are at the same place
/// to the last bit.
fn edge(surface: &ShardSurface, corners: [u32; 3], side: usize) -> Edge {
    let at = |k: usize| surface.points[corners[k % 3] as usize].to_array().map(f64::to_bits);
    let (from, to) = (at(side + 1), at(side + 2));
    if from < to { [from, to] } else { [to, from] }
}
