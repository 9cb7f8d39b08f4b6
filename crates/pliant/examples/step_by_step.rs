//! A sheet that is held at two corners swings down. The program takes every step itself, keeps energies and lengths of steps, and plots them.
//!
//! `cargo run --release --example step_by_step -- out/step_by_step` writes steps.csv and plot.svg.

use std::path::Path;

use pliant::prelude::*;

/// One curve in a band of the picture, from the least to the largest of its values.
fn curve(points: &[[f64; 2]], band: [f64; 2], colour: &str, label: &str) -> String {
    let range = |k: usize| {
        let values = points.iter().map(|point| point[k]);
        values.fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], value| [a.min(value), b.max(value)])
    };
    let (across, up) = (range(0), range(1));
    let part = |value: f64, [low, high]: [f64; 2]| (value - low) / (high - low).max(f64::MIN_POSITIVE);
    let place = |[x, y]: &[f64; 2]| {
        format!("{:.1},{:.1}", 20.0 + 600.0 * part(*x, across), band[1] - (band[1] - band[0]) * part(*y, up))
    };
    let line = points.iter().map(place).collect::<Vec<_>>().join(" ");
    let text = format!("{label}: {:.3e} to {:.3e}", up[0], up[1]);
    format!(
        "<text x='24' y='{}' font-size='14' fill='{colour}'>{text}</text>\n\
         <polyline points='{line}' fill='none' stroke='{colour}'/>\n",
        band[0] - 4.0
    )
}

/// Runs for some seconds of simulated time; the number of steps and the largest part of the energy that the scheme itself made or lost.
pub fn run(folder: &Path, until: f64) -> Result<(usize, f64), Box<dyn std::error::Error>> {
    let sheet =
        Cloth::grid("sheet", [12, 12], [0.5, 0.5]).horizontal().pin(Pins::corners([Corner::TopLeft, Corner::TopRight]));
    let mut simulation = Simulation::builder().until(until).tolerance("0.3 mm").add(sheet).build()?;

    let (mut energies, mut lengths, mut drift) = (Vec::new(), Vec::new(), 0.0_f64);
    let mut table = "time,dt,kinetic,elastic,gravity\n".to_owned();
    while !simulation.is_done() {
        let report = simulation.step()?;
        let energy = simulation.account().energy;
        energies.push([report.time, energy.kinetic]);
        lengths.push([report.time, report.dt * 1e3]);
        drift = drift.max(simulation.ledger().integrator.abs());
        table += &format!("{},{},{},{},{}\n", report.time, report.dt, energy.kinetic, energy.elastic, energy.gravity);
    }
    let largest = energies.iter().map(|[_, kinetic]| *kinetic).fold(0.0, f64::max);

    std::fs::create_dir_all(folder)?;
    std::fs::write(folder.join("steps.csv"), table)?;
    let curves = [
        curve(&energies, [30.0, 180.0], "#c03020", "kinetic energy, J"),
        curve(&lengths, [230.0, 380.0], "#2050a0", "length of a step, ms"),
    ];
    let svg = format!("<svg xmlns='http://www.w3.org/2000/svg' width='640' height='400'>\n{}</svg>\n", curves.concat());
    std::fs::write(folder.join("plot.svg"), svg)?;
    println!("{} steps, kinetic energy up to {largest:.3e} J, plotted in {}", lengths.len(), folder.display());
    Ok((lengths.len(), drift / largest))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "out/step_by_step".to_owned());
    run(Path::new(&folder), 1.0).map(drop)
}
