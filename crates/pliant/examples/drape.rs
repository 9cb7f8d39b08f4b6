//! A square metre of cotton falls on a ball and drapes over it.
//!
//! `cargo run --release --example drape -- out/drape` records OBJ frames, one every 1/30 s, and prints what the run took.

use std::path::Path;

use pliant::prelude::*;

/// Runs for some seconds of simulated time; the height of the lowest point of the sheet at the end, m.
pub fn run(folder: &Path, until: f64) -> Result<f64, Box<dyn std::error::Error>> {
    let drape = Simulation::builder()
        .name("drape")
        .until(until)
        .fps(30.0)
        // error of one step: there is no time step to tune
        .tolerance("1 mm")
        .add(Cloth::grid("sheet", [21, 21], [1.0, 1.0]).horizontal().at([-0.5, 0.32, -0.5]).preset("cotton"))
        .add(Collider::sphere("ball", [0.0, 0.0, 0.0], "30 cm").friction(0.4))
        .formats(["obj"]);

    let mut lowest = f64::INFINITY;
    let mut watch = |simulation: &Simulation, _: &StepReport| {
        lowest = simulation.state().x.iter().map(|x| x.y).fold(f64::INFINITY, f64::min);
    };
    let summary = drape.run_observed(RunOptions::new(folder).replace(), &mut watch)?;

    let [shortest, longest] = [summary.dt.min * 1e3, summary.dt.max * 1e3];
    println!(
        "{} particles, {} s in {} steps of {shortest:.2} to {longest:.2} ms",
        summary.particles, until, summary.steps
    );
    println!("the lowest corner hangs at {lowest:.3} m; frames are in {}", folder.display());
    Ok(lowest)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "out/drape".to_owned());
    run(Path::new(&folder), 1.0).map(drop)
}
