//! What is drawn besides points: edges, triangles, pinned particles, and ties, which are lines from a particle to a fixed place (anchored
//! springs, rods of pendulums); a binary message, little endian, sent once for a scene.
//!
//! | offset | type | |
//! |---|---|---|
//! | 0 | u32 | magic "PLNT" |
//! | 4 | u8 | kind: 2 |
//! | 8 | u32 | generation of the scene |
//! | 12 | u32 x 6 | stride, edges, triangles, pinned particles, ties, vertices of fine surfaces |
//! | 36 | u32 | edges (2 each), triangles (3 each), pinned, particles of ties |
//! | then | f32 | places of ties (3 each), m |
//! | then | u32 | particles that carry each vertex of a fine surface (4 each) |
//! | then | f32 | weights of the last three of them (3 each); the first is one minus their sum |
//! | then | u32 | runs of equal colours, and for each how many vertices (particles that are shown, then vertices of fine surfaces), and 0xRRGGBB |
//! | then | | colliders ([`crate::scenery`]), if there are any |
//!
//! Corners of triangles are particles or, from the number of particles on, vertices of fine surfaces: fine surfaces, which the page moves with the
//! particles, so that frames need not hold them.

use glam::DVec3;
use pliant::core::System;
use pliant::display::Display;
use pliant::picture::colour::{of_body, to_bytes};

use crate::frame::MAGIC;
use crate::scenery::Scenery;

/// Most particles that are shown; of more, every second, third, … is.
pub const MAX_SHOWN: usize = 200_000;
/// Most edges, triangles and ties that are sent, of each.
pub const MAX_EDGES: usize = 1_500_000;

/// Stride of the particles that are shown.
pub fn stride(particles: usize, most: usize) -> usize {
    particles.div_ceil(most.max(1)).max(1)
}

/// The message, and a text about what it leaves out.
pub fn encode(generation: u32, system: &System, scenery: &Scenery, most: usize) -> (Vec<u8>, Vec<String>) {
    let mut notes = scenery.notes.clone();
    let stride = stride(system.len(), most);
    let bodies = system.bodies();
    let anchors = bodies.iter().flat_map(|body| body.anchors.iter().copied());
    let display = Display::new(bodies);
    let rods = display.bobs().iter().map(|bob| (bob.particle as u32, bob.pivot));
    let mut ties: Vec<(u32, DVec3)> = anchors.chain(rods).collect();
    let (mut triangles, mut fine_vertices) = (Vec::new(), Vec::new());
    // bodies with a fine surface, and how many vertices it has
    let mut skinned = Vec::new();
    for (number, body) in bodies.iter().enumerate() {
        let Some(fine) = body.fine_surface_among(system.len()) else {
            triangles.extend_from_slice(&body.triangles);
            continue;
        };
        let first = (system.len() + fine_vertices.len()) as u32;
        triangles.extend(fine.triangles.iter().map(|corners| corners.map(|corner| corner + first)));
        fine_vertices.extend_from_slice(&fine.vertices);
        skinned.push((number, fine.vertices.len()));
    }
    let counts = [bodies.iter().map(|body| body.edges.len()).sum(), triangles.len(), ties.len()];
    if stride > 1 {
        let shown = system.len().div_ceil(stride);
        notes.push(format!("{shown} of {} particles are shown, without edges and surfaces", system.len()));
    }
    let [draw_edges, draw_triangles, draw_ties] = counts.map(|count| stride == 1 && count <= MAX_EDGES);
    for (what, count) in ["edges", "triangles", "anchored springs"].iter().zip(counts) {
        if stride == 1 && count > MAX_EDGES {
            notes.push(format!("{count} {what} are too many to be shown"));
        }
    }
    if !draw_ties {
        ties.clear();
    }
    let pinned: Vec<u32> = (0..system.len())
        .step_by(stride)
        .enumerate()
        .filter(|(_, particle)| !system.free()[*particle])
        .map(|(k, _)| k as u32)
        .collect();
    if !draw_triangles {
        fine_vertices.clear();
    }
    let mut numbers =
        vec![generation, stride as u32, 0, 0, pinned.len() as u32, ties.len() as u32, fine_vertices.len() as u32];
    if draw_edges {
        numbers.extend(bodies.iter().flat_map(|body| body.edges.iter().flatten()));
        numbers[2] = counts[0] as u32;
    }
    if draw_triangles {
        numbers.extend(triangles.iter().flatten());
        numbers[3] = counts[1] as u32;
    }
    numbers.extend(&pinned);
    numbers.extend(ties.iter().map(|(particle, _)| *particle));
    let bits = |number: f64| (number as f32).to_bits();
    numbers.extend(ties.iter().flat_map(|(_, place)| place.to_array().map(bits)));
    numbers.extend(fine_vertices.iter().flat_map(|anchor| anchor.corners));
    numbers.extend(fine_vertices.iter().flat_map(|anchor| anchor.weights.into_iter().skip(1).map(bits)));
    let runs = colours(system, stride, &skinned, fine_vertices.len());
    numbers.push(runs.len() as u32);
    numbers.extend(runs.iter().flatten());
    numbers.extend(&scenery.words);
    let mut out = Vec::with_capacity(8 + 4 * numbers.len());
    out.extend_from_slice(MAGIC);
    out.extend_from_slice(&[2, 1, 0, 0]);
    numbers.iter().for_each(|number| out.extend_from_slice(&number.to_le_bytes()));
    (out, notes)
}

/// The colours of pictures: of every particle that is shown, then of `left` vertices of fine surfaces; runs of a number and a colour.
fn colours(system: &System, stride: usize, skinned: &[(usize, usize)], left: usize) -> Vec<[u32; 2]> {
    let bodies = system.bodies();
    let packed = |number: usize| {
        let [red, green, blue] = to_bytes(of_body(number, &bodies[number]));
        u32::from_be_bytes([0, red, green, blue])
    };
    let mut runs: Vec<[u32; 2]> = Vec::new();
    let mut add = |count: usize, colour: u32| match runs.last_mut() {
        _ if count == 0 => {}
        Some(run) if run[1] == colour => run[0] += count as u32,
        _ => runs.push([count as u32, colour]),
    };
    // bodies lie one after the other; what none of them has is of the colour of the first
    let mut end = 0;
    for (number, body) in bodies.iter().enumerate() {
        let shown = |particle: usize| particle.div_ceil(stride);
        add(shown(body.particles.start).saturating_sub(end), packed(0));
        add(shown(body.particles.end).saturating_sub(end.max(shown(body.particles.start))), packed(number));
        end = end.max(shown(body.particles.end));
    }
    if !bodies.is_empty() {
        add(system.len().div_ceil(stride).saturating_sub(end), packed(0));
    }
    if left > 0 {
        skinned.iter().for_each(|(number, count)| add(*count, packed(*number)));
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::{self, HEAD, Head, MAX_SAMPLES, Sample};
    use pliant::core::{Body, State};

    #[test]
    fn many_particles_are_thinned_out_and_that_is_said() {
        let scene = pliant::scene::load("spring-net", &[]).unwrap();
        let system = scene.build().unwrap().simulation.system;
        let (all, notes) = encode(3, &system, &Scenery::default(), MAX_SHOWN);
        assert!(notes.is_empty());
        let number = |bytes: &[u8], k: usize| u32::from_le_bytes(bytes[8 + 4 * k..12 + 4 * k].try_into().unwrap());
        assert_eq!((number(&all, 0), number(&all, 1)), (3, 1));
        let [edges, triangles, pinned] = [2, 3, 4].map(|k| number(&all, k) as usize);
        assert!(edges > 1000 && triangles == 2 * 19 * 19 && pinned == 2);
        assert_eq!(
            (number(&all, 5), number(&all, 6), all.len()),
            (0, 0, 36 + 4 * (2 * edges + 3 * triangles + pinned) + 4 + 8)
        );
        let (few, notes) = encode(3, &system, &Scenery::default(), 150);
        assert_eq!([1, 2, 3, 5].map(|k| number(&few, k)), [3, 0, 0, 0]);
        assert!(notes[0].starts_with("134 of 400 particles"), "{notes:?}");
    }

    /// The bound on what travels for a scene far larger than can be drawn; nothing is stepped.
    #[test]
    fn a_million_particles_stay_within_the_bounds() {
        const COUNT: usize = 1_000_000;
        let edges = (1..COUNT as u32).map(|k| [k - 1, k]).collect();
        let body = Body { name: "rope".into(), particles: 0..COUNT, edges, ..Body::default() };
        let system = System::new(vec![1.0; COUNT], vec![], vec![], vec![body]).unwrap();
        let (message, notes) = encode(1, &system, &Scenery::default(), MAX_SHOWN);
        let number = |k: usize| u32::from_le_bytes(message[8 + 4 * k..12 + 4 * k].try_into().unwrap());
        assert_eq!([1, 2, 3].map(number), [5, 0, 0]);
        assert_eq!((message.len(), number(7), number(8)), (36 + 4 + 8, 1, MAX_SHOWN as u32));
        assert_eq!(notes, ["200000 of 1000000 particles are shown, without edges and surfaces"]);

        let mut state = State::at_rest((0..COUNT).map(|k| DVec3::X * k as f64).collect());
        state.v[5 * 77] = DVec3::Y;
        let samples = [Sample::default(); 3 * MAX_SAMPLES];
        let bytes = frame::encode(&Head::default(), &state, stride(COUNT, MAX_SHOWN), &[]);
        let bytes = frame::with_samples(&bytes, frame::thinned(&samples).collect::<Vec<_>>().into_iter());
        let shown = u32::from_le_bytes(bytes[104..108].try_into().unwrap()) as usize;
        assert_eq!(shown, MAX_SHOWN);
        assert_eq!(bytes.len(), HEAD + 64 * MAX_SAMPLES + 13 * MAX_SHOWN);
        assert!(bytes.len() < 2_700_000, "{}", bytes.len());
        let (places, speeds) = bytes[HEAD + 64 * MAX_SAMPLES..].split_at(12 * shown);
        let x = |k: usize| f32::from_le_bytes(places[12 * k..12 * k + 4].try_into().unwrap());
        assert_eq!([x(0), x(1), x(shown - 1)], [0.0, 5.0, 999_995.0]);
        assert_eq!((speeds[77], speeds.iter().filter(|speed| **speed > 0).count()), (255, 1));
    }

    #[test]
    fn pendulums_and_anchored_springs_are_tied_to_their_places() {
        for (name, place) in [("pendulum", [0.0; 3]), ("nonlinear-spring", [0.0; 3])] {
            let system = pliant::scene::load(name, &[]).unwrap().build().unwrap().simulation.system;
            let (message, _) = encode(1, &system, &Scenery::default(), MAX_SHOWN);
            let number = |k: usize| u32::from_le_bytes(message[8 + 4 * k..12 + 4 * k].try_into().unwrap());
            let others = (2 * number(2) + 3 * number(3) + number(4)) as usize;
            assert_eq!((number(5), number(7 + others)), (1, 0), "{name}");
            assert_eq!([11, 12].map(|k| number(k + others)), [1, system.len() as u32], "{name}: one run of a colour");
            assert_eq!([8, 9, 10].map(|k| f32::from_bits(number(k + others))), place, "{name}");
        }
    }

    /// Every body has the colour that it has in pictures, whether or not particles are left out.
    #[test]
    fn bodies_have_the_colours_of_pictures() {
        let system = pliant::scene::load("stacked-cloths", &[]).unwrap().build().unwrap().simulation.system;
        let bodies = system.bodies();
        assert!(bodies.len() > 2);
        for stride in [1, 7] {
            let runs = colours(&system, stride, &[], 0);
            let spread: Vec<u32> = runs.iter().flat_map(|run| vec![run[1]; run[0] as usize]).collect();
            assert_eq!(spread.len(), system.len().div_ceil(stride));
            for (number, body) in bodies.iter().enumerate() {
                let [_, red, green, blue] = spread[body.particles.start.div_ceil(stride)].to_be_bytes();
                assert_eq!([red, green, blue], to_bytes(of_body(number, body)), "{} of every {stride}", body.name);
            }
        }
        let liver = pliant::scene::load("liver", &[]).unwrap().build().unwrap().simulation.system;
        assert_eq!(colours(&liver, 1, &[(0, 50)], 50), [[liver.len() as u32 + 50, 0xE2_5C_47]]);
        let water = pliant::scene::load("still-water", &[]).unwrap().build().unwrap().simulation.system;
        assert_ne!(colours(&water, 1, &[], 0)[0][1], 0xE2_5C_47, "water is not red");
    }

    #[test]
    fn a_skin_hangs_on_particles_and_is_drawn_in_the_place_of_the_coarse_surface() {
        let built = pliant::scene::load("liver", &[]).unwrap().build().unwrap().simulation;
        let (system, x) = (&built.system, &built.state().x);
        let (message, notes) = encode(1, system, &Scenery::default(), MAX_SHOWN);
        assert!(notes.is_empty(), "{notes:?}");
        let number = |k: usize| u32::from_le_bytes(message[8 + 4 * k..12 + 4 * k].try_into().unwrap());
        let fine = system.bodies()[0].fine_surface.as_ref().unwrap();
        let (triangles, vertices) = (number(3) as usize, number(6) as usize);
        assert_eq!((triangles, vertices), (fine.triangles.len(), fine.vertices.len()));
        assert!(triangles > 2 * system.bodies()[0].triangles.len(), "{triangles}");
        let corners = (0..3 * triangles).map(|k| number(7 + k) as usize);
        assert!(corners.clone().all(|corner| (system.len()..system.len() + vertices).contains(&corner)));
        // Put together as the page does it.
        let carriers = 7 + 3 * triangles + (number(4) + 4 * number(5)) as usize;
        for (k, place) in fine.carry(x).into_iter().enumerate() {
            let corner = |c: usize| x[number(carriers + 4 * k + c) as usize];
            let weight = |c: usize| f64::from(f32::from_bits(number(carriers + 4 * vertices + 3 * k + c - 1)));
            let seen = (1..4).fold(corner(0), |sum, c| sum + weight(c) * (corner(c) - corner(0)));
            assert!(seen.distance(place) < 1e-7, "{k}: {seen} {place}");
        }
        let (few, _) = encode(1, system, &Scenery::default(), 10);
        let number = |k: usize| u32::from_le_bytes(few[8 + 4 * k..12 + 4 * k].try_into().unwrap());
        assert_eq!([number(3), number(6)], [0, 0], "particles alone");
    }
}
