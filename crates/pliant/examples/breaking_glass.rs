//! A ball goes through a plate of glass: which bonds break, and into how many pieces.
//!
//! `cargo run --release --example breaking_glass -- out/breaking_glass` writes the surfaces of all fragments.

use std::path::Path;

use pliant::core::Fields;
use pliant::prelude::*;

/// Runs for some seconds of simulated time; the number of fragments of more than one particle, and the mean damage.
pub fn run(folder: &Path, until: f64) -> Result<(usize, f64), Box<dyn std::error::Error>> {
    let plate = Peridynamic::block("plate", "4 mm", [-0.08, -0.012, -0.08], [0.08, 0.0, 0.08])
        .preset("glass")
        .jitter(0.15)
        .seed(7);
    let glass = Simulation::builder()
        .name("breaking_glass")
        .gravity([0.0, 0.0, 0.0])
        .until(until)
        .fps(20_000.0)
        // cracks run at the speed of sound: explicit steps are the cheapest
        .integrator("velocity-verlet")
        .control(Control::stable(0.8))
        .add(plate)
        .add(Collider::sphere("ball", [0.01, 0.0225, 0.005], "20 mm").velocity([0.0, -25.0, 0.0]))
        .formats(["surface", "fragments"]);
    let summary = glass.run(RunOptions::new(folder).replace())?;

    // the same once more without a folder: the results have the same bits
    let mut simulation = glass.build()?;
    while !simulation.is_done() {
        simulation.step()?;
    }
    let mut fields = Fields::default();
    simulation.write_fields(&mut fields);
    let damage = fields.find(Fields::DAMAGE).ok_or("nothing can break")?;
    let numbers = fields.find(Fields::FRAGMENT).ok_or("nothing can break")?;
    let mut sizes = std::collections::BTreeMap::<u64, usize>::new();
    numbers.iter().for_each(|number| *sizes.entry(*number as u64).or_default() += 1);

    let pieces = sizes.values().filter(|size| **size > 1).count();
    let mean = damage.iter().sum::<f64>() / damage.len() as f64;
    println!(
        "{} particles, {} steps of {:.2} µs",
        summary.particles,
        summary.steps,
        until / summary.steps as f64 * 1e6
    );
    println!(
        "{pieces} pieces, {} single particles, {:.1} % of all bonds are broken",
        sizes.len() - pieces,
        mean * 100.0
    );
    println!("released: {:.3} J; surfaces are in {}", -summary.ledger.fracture, folder.display());
    Ok((pieces, mean))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "out/breaking_glass".to_owned());
    run(Path::new(&folder), 6e-4).map(drop)
}
