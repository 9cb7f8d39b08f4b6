//! The built-in suture: four stitches through two pieces of tissue, drawn tight. At every accepted step the thread is in its holes, which stand
//! along it in the order in which they were made; in the end the wound is narrower by far.

use pliant::forces::Suture;
use pliant::forces::suture::{Hole, Thread};
use pliant::scene::load;
use pliant::time::Simulation;

fn holes(simulation: &Simulation) -> Vec<Hole> {
    let models = simulation.system.models().iter().filter(|model| model.name() == "suture");
    models.flat_map(|model| Suture::remembered(&model.as_stateful().expect("it has the capability").memory())).collect()
}

/// How far the thread is from its farthest hole, m: of all points of its curve, without the engine's search.
fn largest_gap(simulation: &Simulation, holes: &[Hole]) -> f64 {
    let (bodies, x) = (simulation.system.bodies(), &simulation.state().x);
    let triangles: Vec<[u32; 3]> = bodies[..2].iter().flat_map(|body| body.triangles.iter().copied()).collect();
    let edges = &bodies[2].edges;
    let points = edges.iter().map(|edge| edge[0]).chain(edges.last().map(|edge| edge[1])).collect();
    let thread = Thread { points };
    let curve: Vec<_> = (0..=20 * edges.len()).map(|k| thread.support(0.05 * k as f64).at(x)).collect();
    let gap = |hole: &Hole| {
        let place = hole.place(triangles[hole.triangle as usize], x);
        curve.iter().map(|point| point.distance(place)).fold(f64::INFINITY, f64::min)
    };
    holes.iter().map(gap).fold(0.0, f64::max)
}

/// Mean distance of the two faces of the wound, m.
fn wound(simulation: &Simulation) -> f64 {
    let (bodies, x) = (simulation.system.bodies(), &simulation.state().x);
    let mean = |body: usize, of: &dyn Fn(f64) -> bool, start: &[f64]| {
        let face: Vec<usize> = bodies[body].particles.clone().filter(|k| of(start[*k])).collect();
        face.iter().map(|k| x[*k].x).sum::<f64>() / face.len() as f64
    };
    let start: Vec<f64> = load_small().build().unwrap().simulation.state().x.iter().map(|x| x.x).collect();
    mean(1, &|x| x < 2.01e-3, &start) - mean(0, &|x| x > -2.01e-3, &start)
}

fn load_small() -> pliant::scene::LoadedScene {
    load("suture", &["solid[0].box.cells=[4,3,6]".to_owned(), "solid[1].box.cells=[4,3,6]".to_owned()]).unwrap()
}

#[test]
fn the_thread_stays_in_its_holes_and_closes_the_wound() {
    let scene = load_small();
    let radius = scene.scene.rope[0].radius.si();
    let mut simulation = scene.build().unwrap().simulation;
    let before = wound(&simulation);
    let (mut most, mut count, mut steps) = (0.0_f64, 0, 0);
    while !simulation.is_done() {
        let check = |simulation: &Simulation, _: &_| {
            let (holes, time) = (holes(simulation), simulation.state().time);
            let gap = largest_gap(simulation, &holes);
            assert!(gap < radius, "{gap} m beside a hole at {time} s");
            // the latest is nearest to the needle
            assert!(holes.windows(2).all(|pair| pair[0].u > pair[1].u), "out of order at {time} s: {holes:?}");
            assert!(holes.len() >= count, "a hole was lost at {time} s");
            (most, count, steps) = (most.max(gap), holes.len(), steps + 1);
        };
        simulation.advance_frame(check).unwrap_or_else(|error| panic!("{error}"));
    }
    let after = wound(&simulation);
    println!(
        "{count} holes, at most {:.3} radii beside one in {steps} steps; the wound closes from {:.2} to {:.2} mm",
        most / radius,
        1e3 * before,
        1e3 * after
    );
    assert_eq!(count, 16, "in and out of two pieces, four times");
    let ins: Vec<bool> = holes(&simulation).iter().map(|hole| hole.enters).collect();
    assert!(ins.chunks(2).all(|pair| pair == [true, false]), "{ins:?}");
    assert!(after < 0.5 * before, "{before} {after}");
}
