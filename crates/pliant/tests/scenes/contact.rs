//! The promise of contact, scene by scene: every one reaches its end, and at every recorded frame no two triangles cut each other and no
//! vertex is inside a collider, as counted by a checker that shares no code with the detector. Axes of ropes stay nine tenths of their radii
//! apart from each other, and of their own from triangles, as counted over all pairs.

use glam::DVec3;
use pliant::forces::contact::{Collider, Shape};
use pliant::geom::distance::{edge_edge, vertex_triangle};
use pliant::scene::assemble::collider::colliders;
use pliant::scene::load;
use pliant::time::Simulation;
use pliant_testkit::intersections::{cutting_pairs, intersecting_pairs, is_inside};

/// How many vertices are inside, and how many triangles cut its surface.
fn violations(collider: &Collider, time: f64, x: &[DVec3], triangles: &[[u32; 3]]) -> (usize, usize) {
    let at = |place: DVec3| collider.motion.at(time, place).0;
    let count = |inside: &dyn Fn(DVec3) -> bool| x.iter().filter(|x| inside(**x)).count();
    match &collider.shape {
        Shape::Plane { point, normal } => {
            let (origin, tip) = (at(*point), at(*point + *normal));
            (count(&|x| (x - origin).dot(tip - origin) <= 0.0), 0)
        }
        Shape::Simplices { points, segments, triangles: faces, radius } => {
            let placed: Vec<DVec3> = points.iter().map(|point| at(*point)).collect();
            if !faces.is_empty() {
                return (count(&|x| is_inside(x, &placed, faces)), cutting_pairs(x, triangles, &placed, faces));
            }
            let to_segment = |x: DVec3, [a, b]: [DVec3; 2]| {
                let along = ((x - a).dot(b - a) / (b - a).length_squared()).clamp(0.0, 1.0);
                x.distance(a.lerp(b, along))
            };
            if segments.is_empty() {
                return (count(&|x| placed.iter().any(|centre| x.distance(*centre) <= *radius)), 0);
            }
            let ends = |[a, b]: &[u32; 2]| [placed[*a as usize], placed[*b as usize]];
            (count(&|x| segments.iter().any(|segment| to_segment(x, ends(segment)) <= *radius)), 0)
        }
    }
}

fn check(simulation: &Simulation, colliders: &[Collider]) {
    let state = simulation.state();
    let bodies = simulation.system.bodies();
    let triangles: Vec<[u32; 3]> = bodies.iter().flat_map(|body| body.triangles.iter().copied()).collect();
    let cuts = intersecting_pairs(&state.x, &triangles);
    assert!(cuts.is_empty(), "t = {}: triangles {:?} cut each other", state.time, cuts[0]);
    // What is beside the axis of a rope only shows how it is turned.
    let mut x = state.x.clone();
    for body in bodies.iter().filter(|body| body.is_tube()) {
        let each = body.particles.len() / (body.edges.len() + 1);
        body.particles
            .clone()
            .for_each(|i| x[i] = state.x[body.particles.start + (i - body.particles.start) / each * each]);
    }
    for collider in colliders {
        let (inside, cuts) = violations(collider, state.time, &x, &triangles);
        assert!(
            inside == 0 && cuts == 0,
            "t = {}: {inside} vertices in and {cuts} cuts of {}",
            state.time,
            collider.name
        );
    }
}

/// A segment of a rope: its rope, its number there, its ends.
type Segment = (usize, usize, [DVec3; 2]);

/// Distances of all segments from each other, but for neighbours along a rope, and from all triangles.
fn check_ropes(simulation: &Simulation, radii: &[f64]) {
    let (state, bodies) = (simulation.state(), simulation.system.bodies());
    let at = |particle: u32| state.x[particle as usize];
    let ropes = bodies.iter().filter(|body| body.is_tube());
    let segments: Vec<Segment> = ropes
        .enumerate()
        .flat_map(|(rope, body)| body.edges.iter().enumerate().map(move |(k, edge)| (rope, k, edge.map(at))))
        .collect();
    for (i, (rope, k, [a, b])) in segments.iter().enumerate() {
        for (other, l, [c, d]) in &segments[i + 1..] {
            // Segments between two of one rope, each at least nine tenths as long as this one.
            let between = l.saturating_sub(k + 1) as f64 * 0.9 * a.distance(*b);
            if rope == other && between < 1.1 * std::f64::consts::PI * radii[*rope] {
                continue;
            }
            let least = 0.9 * (radii[*rope] + radii[*other]);
            let gap = edge_edge(&[*a, *b, *c, *d]).distance;
            assert!(gap >= least, "t = {}: segments {k} and {l} of ropes {rope} and {other}: {gap} m", state.time);
        }
        for corners in bodies.iter().flat_map(|body| &body.triangles) {
            let [p, q, r] = corners.map(at);
            let sides = [[p, q], [q, r], [r, p]].map(|[p, q]| edge_edge(&[*a, *b, p, q]).distance);
            let ends = [a, b].map(|end| vertex_triangle(&[*end, p, q, r]).distance);
            let gap = sides.into_iter().chain(ends).fold(f64::INFINITY, f64::min);
            assert!(
                gap >= 0.9 * radii[*rope],
                "t = {}: segment {k} of rope {rope} and a triangle: {gap} m",
                state.time
            );
        }
    }
}

fn run(name: &str, changes: &[&str]) {
    let changes: Vec<String> = changes.iter().map(ToString::to_string).collect();
    let scene = load(name, &changes).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(scene.checked.control.tolerance, 1e-3, "{name} runs at 1 mm");
    assert!(scene.scene.time.control.dt.is_none(), "{name} is not tuned");
    let colliders = colliders(&scene).unwrap_or_else(|e| panic!("{e}"));
    let mut simulation = scene.build().unwrap_or_else(|e| panic!("{e}")).simulation;
    let radii: Vec<f64> = scene.scene.rope.iter().map(|rope| rope.radius.si()).collect();
    check(&simulation, &colliders);
    let mut frames = 0;
    while !simulation.is_done() {
        simulation.advance_frame(|_, _| {}).unwrap_or_else(|e| panic!("{name}: {e}"));
        check(&simulation, &colliders);
        check_ropes(&simulation, &radii);
        frames += 1;
    }
    let (tally, ledger) = (simulation.tally(), simulation.ledger());
    println!(
        "{name}: {frames} frames, {} steps, {} rejected, {} solves, {ledger:?}",
        tally.steps, tally.rejected, tally.work.solves
    );
}

/// A preview leaves equations half solved, and yet nothing passes through anything and nothing explodes.
fn preview(name: &str, changes: &[&str]) {
    let coarse = changes.iter().filter(|change| !change.starts_with("time."));
    let changes: Vec<String> = ["quality=\"preview\""].iter().chain(coarse).map(ToString::to_string).collect();
    let scene = load(name, &changes).unwrap_or_else(|e| panic!("{e}"));
    let colliders = colliders(&scene).unwrap_or_else(|e| panic!("{e}"));
    let radii: Vec<f64> = scene.scene.rope.iter().map(|rope| rope.radius.si()).collect();
    let mut simulation = scene.build().unwrap_or_else(|e| panic!("{e}")).simulation;
    while !simulation.is_done() {
        simulation.advance_frame(|_, _| {}).unwrap_or_else(|e| panic!("{name}: {e}"));
        check(&simulation, &colliders);
        check_ropes(&simulation, &radii);
        let fastest = simulation.state().v.iter().map(|v| v.length()).fold(0.0, f64::max);
        assert!(fastest < 30.0, "{name}, t = {}: {fastest} m/s", simulation.state().time);
    }
    let tally = simulation.tally();
    println!("{name}: {} steps, {} rejected, {} solves", tally.steps, tally.rejected, tally.work.solves);
    if scene.scene.restraint.is_none() {
        assert!(tally.work.solves <= 3 * (tally.steps + tally.rejected), "{name}: {}", tally.work.solves);
    }
}

macro_rules! scenes {
    ($($test:ident $name:literal $($change:literal)*)*) => {
        $(
            #[test]
            fn $test() {
                run($name, &[$($change),*]);
            }
        )*

        /// All of them but the one with a fluid.
        #[test]
        fn previews() {
            let all: [(&str, &[&str]); _] = [$(($name, &[$($change),*])),*];
            all.into_iter().filter(|(name, _)| *name != "water-and-cloth").for_each(|(name, changes)| preview(name, changes));
        }

        /// A scene with contact that is not listed below would not be checked.
        #[test]
        fn every_scene_with_contact_is_here() {
            let listed = [$($name),*];
            for (name, _) in pliant::scene::builtin::SCENES {
                let built = load(name, &[]).and_then(|scene| scene.build()).unwrap_or_else(|e| panic!("{e}"));
                // a thread is meant to pass through what it sews: `suture.rs` checks where
                let checked = listed.contains(name) || *name == "suture";
                assert_eq!(built.simulation.system.has_contact(), checked, "{name}");
            }
        }
    };
}

// Fine sheets are coarse here: the whole of each takes a minute otherwise.
scenes! {
    hanging_cloth "hanging-cloth"
    cloth_on_sphere "cloth-on-sphere" "cloth[0].grid.columns=25" "cloth[0].grid.rows=25"
    cloth_curtain "cloth-curtain" "cloth[0].grid.columns=25" "cloth[0].grid.rows=21" "cloth[0].pins[1].particles=[4]"
        "cloth[0].pins[2].particles=[8]" "cloth[0].pins[3].particles=[12]" "cloth[0].pins[4].particles=[16]"
        "cloth[0].pins[5].particles=[20]" "cloth[0].pins[6].particles=[24]"
    flag_in_wind "flag-in-wind"
    cloth_on_bunny "cloth-on-bunny" "cloth[0].grid.columns=25" "cloth[0].grid.rows=25"
    stacked_cloths "stacked-cloths" "cloth[0].grid.columns=15" "cloth[0].grid.rows=15" "cloth[1].grid.columns=13" "cloth[1].grid.rows=13"
        "cloth[2].grid.columns=11" "cloth[2].grid.rows=11"
    twisted_cloth "twisted-cloth" "cloth[0].grid.columns=33" "cloth[0].grid.rows=8"
    balloon "balloon"
    // Until the rabbit has landed and the ring has slid down on it; all of it takes minutes.
    jelly_rabbit "jelly-rabbit" "time.until=0.5"
    // Until the sheet is down and the water spreads in it.
    water_and_cloth "water-and-cloth" "time.until=0.4"
    rope_hanging "rope-hanging"
    rope_overhand_knot "rope-overhand-knot"
    rope_unknotting "rope-unknotting"
    rope_twist_buckling "rope-twist-buckling"
    cable_on_pulley "cable-on-pulley"
    rope_net "rope-net"
    rope_pile "rope-pile"
    curtain_touched "curtain-touched"
    // Until the ball has gone through the seventh of ten.
    crowd_of_flags "crowd-of-flags" "time.until=1.1"
}
