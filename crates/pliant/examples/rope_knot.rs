//! A loose overhand knot is pulled tight by its two ends. Alexander's polynomial tells that it stays a knot.
//!
//! `cargo run --release --example rope_knot -- out/rope_knot`

use std::path::Path;

use pliant::builder::Curve;
use pliant::geom::knot::{closed_outside, invariants};
use pliant::prelude::*;

/// The particles along the axis of the only rope.
fn axis(simulation: &Simulation) -> Vec<DVec3> {
    let edges = &simulation.system.bodies()[0].edges;
    let particles = edges.iter().map(|[a, _]| *a).chain(edges.last().map(|[_, b]| *b));
    particles.map(|particle| simulation.state().x[particle as usize]).collect()
}

/// Pulls for some seconds; whether the rope, closed far outside, is a trefoil at the end.
pub fn run(folder: &Path, until: f64) -> Result<bool, Box<dyn std::error::Error>> {
    let pull = |end, way: f64| RopePins::end(end).keyframes([(0.0, DVec3::ZERO), (3.0, DVec3::X * way)]);
    let rope = Rope::curve("rope", "4 mm", Curve::Overhand { size: 0.1.into(), ends: 0.2.into() })
        .rotate([0.0, 1.0, 0.0], "60.7 deg")
        .segments(100)
        .stretch_stiffness("400 N")
        .bend_stiffness("0.5 mN m^2")
        .twist_stiffness("0.5 mN m^2")
        .mass_per_length("40 g/m")
        .damping("20 ms")
        .friction(0.4)
        .pin(pull(RopeEnd::First, -0.29))
        .pin(pull(RopeEnd::Last, 0.29));
    let knot = Simulation::builder()
        .name("rope_knot")
        .gravity([0.0, 0.0, 0.0])
        .drag("2 1/s")
        .until(until)
        .fps(20.0)
        .tolerance("1 mm")
        .contact_creep("1 mm/s")
        .add(rope)
        .formats(["ply"]);

    let mut points = Vec::new();
    let mut watch = |simulation: &Simulation, _: &StepReport| points = axis(simulation);
    let summary = knot.run_observed(RunOptions::new(folder).replace(), &mut watch)?;

    // |Δ(-1)| of the trefoil is 3, of a rope without a knot 1
    let found = invariants(&closed_outside(&points))?;
    let straight = points[0].distance(points[points.len() - 1]);
    println!("{} steps to {} s, the ends are {straight:.3} m apart, {found:?}", summary.steps, summary.time);
    Ok((found.at_minus_one - 3.0).abs() < 1e-6)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "out/rope_knot".to_owned());
    let is_knotted = run(Path::new(&folder), 3.0)?;
    println!("{}", if is_knotted { "it is a trefoil" } else { "the knot has come undone" });
    Ok(())
}
