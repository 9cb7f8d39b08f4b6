//! A column of water collapses into a dry channel: how far the front has come, against a fall without friction.
//!
//! `cargo run --release --example dam_break -- out/dam_break` writes front.csv and PLY frames with density and pressure.

use std::path::Path;

use pliant::prelude::*;

const WIDTH: f64 = 0.057; // of the column, m; it is twice as high

/// Runs for some seconds of simulated time; how far the front has come at the end, in widths of the column.
pub fn run(folder: &Path, until: f64) -> Result<f64, Box<dyn std::error::Error>> {
    let water = Fluid::new("water", WIDTH / 10.0)
        .block([0.0, 0.0, 0.0], [WIDTH, 2.0 * WIDTH, 0.5 * WIDTH])
        .container([0.0, 0.0, 0.0], [10.0 * WIDTH, 3.0 * WIDTH, 0.5 * WIDTH])
        .artificial_viscosity(0.05);
    let dam = Simulation::builder().name("dam_break").until(until).fps(100.0).add(water).formats(["ply"]);

    let mut front = vec![(0.0, 1.0)];
    let mut watch = |simulation: &Simulation, report: &StepReport| {
        let farthest = simulation.state().x.iter().map(|x| x.x).fold(0.0, f64::max);
        front.push((report.time, farthest / WIDTH));
    };
    let summary = dam.run_observed(RunOptions::new(folder).replace(), &mut watch)?;

    // the formats of a scene are its own; anything else may be written beside them
    let rows = front.iter().map(|(time, width)| format!("{time},{width}\n"));
    let table: String = std::iter::once("time,front\n".to_owned()).chain(rows).collect();
    std::fs::write(folder.join("front.csv"), table)?;

    let last = front[front.len() - 1].1;
    // a front cannot be faster than 2 √(g h)
    let bound = 1.0 + 2.0 * (9.81 * 2.0 * WIDTH).sqrt() * until / WIDTH;
    println!("{} particles, {} steps by {}", summary.particles, summary.steps, summary.integrator);
    println!("after {until} s the front is at {last:.2} widths (at most {bound:.2} by Ritter)");
    Ok(last)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "out/dam_break".to_owned());
    run(Path::new(&folder), 0.2).map(drop)
}
