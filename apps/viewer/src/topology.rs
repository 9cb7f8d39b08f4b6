//! What is drawn besides points: edges, triangles, and who is pinned; a binary message, little endian, sent once for a scene.
//!
//! | offset | type | |
//! |---|---|---|
//! | 0 | u32 | magic "PLNT" |
//! | 4 | u8 | kind: 2 |
//! | 8 | u32 | generation of the scene |
//! | 12 | u32 x 4 | stride, edges, triangles, pinned particles |
//! | 28 | u32 | edges (2 each), triangles (3 each), pinned |

use pliant::core::System;

use crate::frame::MAGIC;

/// Most particles that are shown; of more, every second, third, … is.
pub const MOST_SHOWN: usize = 200_000;
/// Most edges and triangles that are sent.
pub const MOST_EDGES: usize = 1_500_000;

/// Which particles are shown: every how many-th.
pub fn stride(particles: usize, most: usize) -> usize {
    particles.div_ceil(most.max(1)).max(1)
}

/// The message, and what it leaves out, in words.
pub fn encode(generation: u32, system: &System, most: usize) -> (Vec<u8>, Vec<String>) {
    let mut notes = Vec::new();
    let stride = stride(system.len(), most);
    let bodies = system.bodies();
    let counts = [bodies.iter().map(|b| b.edges.len()).sum(), bodies.iter().map(|b| b.triangles.len()).sum::<usize>()];
    if stride > 1 {
        let shown = system.len().div_ceil(stride);
        notes.push(format!("{shown} of {} particles are shown, without edges and surfaces", system.len()));
    }
    let [mut draw_edges, draw_triangles] = counts.map(|count| stride == 1 && count <= MOST_EDGES);
    if stride == 1 && !draw_edges {
        notes.push(format!("{} edges are too many to be shown", counts[0]));
    }
    if stride == 1 && !draw_triangles {
        notes.push(format!("{} triangles are too many to be shown", counts[1]));
    }
    draw_edges &= counts[0] > 0;
    let pinned: Vec<u32> = (0..system.len())
        .step_by(stride)
        .enumerate()
        .filter(|(_, particle)| !system.free()[*particle])
        .map(|(k, _)| k as u32)
        .collect();
    let mut numbers = vec![generation, stride as u32, 0, 0, pinned.len() as u32];
    if draw_edges {
        numbers.extend(bodies.iter().flat_map(|body| body.edges.iter().flatten()));
        numbers[2] = counts[0] as u32;
    }
    if draw_triangles {
        numbers.extend(bodies.iter().flat_map(|body| body.triangles.iter().flatten()));
        numbers[3] = counts[1] as u32;
    }
    numbers.extend(&pinned);
    let mut out = Vec::with_capacity(8 + 4 * numbers.len());
    out.extend_from_slice(MAGIC);
    out.extend_from_slice(&[2, 1, 0, 0]);
    numbers.iter().for_each(|number| out.extend_from_slice(&number.to_le_bytes()));
    (out, notes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_particles_are_thinned_out_and_that_is_said() {
        let scene = pliant::scene::load("spring-net", &[]).unwrap();
        let system = scene.build().unwrap().simulation.system;
        let (all, notes) = encode(3, &system, MOST_SHOWN);
        assert!(notes.is_empty());
        let number = |bytes: &[u8], k: usize| u32::from_le_bytes(bytes[8 + 4 * k..12 + 4 * k].try_into().unwrap());
        assert_eq!((number(&all, 0), number(&all, 1)), (3, 1));
        let [edges, triangles, pinned] = [2, 3, 4].map(|k| number(&all, k) as usize);
        assert!(edges > 1000 && triangles == 2 * 19 * 19 && pinned == 2);
        assert_eq!(all.len(), 28 + 4 * (2 * edges + 3 * triangles + pinned));
        let (few, notes) = encode(3, &system, 150);
        assert_eq!([1, 2, 3].map(|k| number(&few, k)), [3, 0, 0]);
        assert!(notes[0].starts_with("134 of 400 particles"), "{notes:?}");
    }
}
