//! A bar of silicone rubber, held at one end, bends under a small load on the other: the deflection against that of beam theory.
//!
//! `cargo run --release --example soft_bar -- out/soft_bar`

use std::path::Path;

use pliant::prelude::*;

const LENGTH: f64 = 0.4; // m
const SIDE: f64 = 0.05; // m
const YOUNG: f64 = 1e6; // Pa
const POISSON: f64 = 0.3;
const LOAD: f64 = 40.0; // Pa on the end face

/// Loads the bar within a tenth of the time; the deflection at the end over that of a Timoshenko beam.
pub fn run(folder: &Path, until: f64) -> Result<f64, Box<dyn std::error::Error>> {
    let (low, high) = (DVec3::splat(-1.0), DVec3::splat(1.0));
    let end = LENGTH - 1e-6;
    let bar = Solid::block("bar", [32, 4, 4], [LENGTH, SIDE, SIDE])
        .youngs_modulus(YOUNG)
        .poisson(POISSON)
        .density("1000 kg/m^3")
        // so much inner friction that it creeps into rest
        .damping("0.1 s")
        .measure("corotational")
        .contact(false)
        .pin(Pins::inside(low, high.with_x(1e-6)))
        .load(Load::traction(low.with_x(end), high, [0.0, -LOAD, 0.0]).ramp(0.1 * until));
    let mut simulation = Simulation::builder()
        .name("soft_bar")
        .gravity([0.0, 0.0, 0.0])
        .until(until)
        .tolerance("10 um")
        .add(bar)
        .build()?;

    let tip: Vec<usize> = (0..simulation.state().len()).filter(|k| simulation.state().x[*k].x > end).collect();
    let height =
        |simulation: &Simulation| tip.iter().map(|k| simulation.state().x[*k].y).sum::<f64>() / tip.len() as f64;
    let before = height(&simulation);
    std::fs::create_dir_all(folder)?;
    let mut table = "time,deflection\n".to_owned();
    while !simulation.is_done() {
        simulation.step()?;
        table += &format!("{},{}\n", simulation.state().time, before - height(&simulation));
    }
    std::fs::write(folder.join("deflection.csv"), table)?;

    // F L³/(3 E I) + F L/(κ G A), with F = p A and κ = 5/6
    let (area, inertia, shear) = (SIDE * SIDE, SIDE.powi(4) / 12.0, YOUNG / (2.0 * (1.0 + POISSON)));
    let force = LOAD * area;
    let theory = force * LENGTH.powi(3) / (3.0 * YOUNG * inertia) + force * LENGTH / (5.0 / 6.0 * shear * area);
    let found = before - height(&simulation);
    println!(
        "{} steps; deflection {:.3} mm, beam theory {:.3} mm",
        simulation.tally().steps,
        found * 1e3,
        theory * 1e3
    );
    Ok(found / theory)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "out/soft_bar".to_owned());
    run(Path::new(&folder), 4.0).map(drop)
}
