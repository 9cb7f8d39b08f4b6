//! A bar of soft rubber, held at one end, bends under a small load on the other: the deflection against that of beam theory.
//!
//! Linear tetrahedra are too stiff in bending by an error that falls with the square of their size, so two meshes tell the limit.
//! `cargo run --release --example soft_bar -- out/soft_bar`

use std::path::Path;

use pliant::prelude::*;

const LENGTH: f64 = 0.4; // m
const SIDE: f64 = 0.05; // m
const YOUNG: f64 = 1e6; // Pa
const POISSON: f64 = 0.3;
const LOAD: f64 = 40.0; // Pa on the end face

/// The deflection of a bar of some cells across at the end of the run, m; all of it is written to a table.
fn deflection(across: usize, until: f64, table: &Path) -> Result<f64, Box<dyn std::error::Error>> {
    let (low, high, end) = (DVec3::splat(-1.0), DVec3::splat(1.0), LENGTH - 1e-6);
    let bar = Solid::block("bar", [8 * across, across, across], [LENGTH, SIDE, SIDE])
        .youngs_modulus(YOUNG)
        .poisson(POISSON)
        .density("1000 kg/m^3")
        // so much inner friction that it creeps into rest
        .damping("0.1 s")
        .contact(false)
        .pin(Pins::inside(low, high.with_x(1e-6)))
        .load(Load::traction(low.with_x(end), high, [0.0, -LOAD, 0.0]).ramp(0.1 * until));
    let scene = Simulation::builder().gravity([0.0, 0.0, 0.0]).until(until).tolerance("10 um").add(bar);
    let mut simulation = scene.build()?;
    let tip: Vec<usize> = (0..simulation.state().len()).filter(|k| simulation.state().x[*k].x > end).collect();
    let height = |state: &State| tip.iter().map(|k| state.x[*k].y).sum::<f64>() / tip.len() as f64;
    let (before, mut rows) = (height(simulation.state()), "time,deflection\n".to_owned());
    while !simulation.is_done() {
        let report = simulation.step()?;
        rows += &format!("{},{}\n", report.time, before - height(simulation.state()));
    }
    std::fs::write(table, rows)?;
    Ok(before - height(simulation.state()))
}

/// The deflection in the limit of fine meshes over that of a Timoshenko beam.
pub fn run(folder: &Path, until: f64) -> Result<f64, Box<dyn std::error::Error>> {
    std::fs::create_dir_all(folder)?;
    // F L³/(3 E I) + F L/(κ G A), with F = p A and κ = 5/6
    let (area, inertia, shear) = (SIDE * SIDE, SIDE.powi(4) / 12.0, YOUNG / (2.0 * (1.0 + POISSON)));
    let force = LOAD * area;
    let theory = force * LENGTH.powi(3) / (3.0 * YOUNG * inertia) + force * LENGTH / (5.0 / 6.0 * shear * area);

    let coarse = deflection(2, until, &folder.join("coarse.csv"))?;
    let fine = deflection(4, until, &folder.join("fine.csv"))?;
    // stiffnesses with errors of h² and (2h)²
    let limit = 3.0 / (4.0 / fine - 1.0 / coarse);
    println!("2 cells across {:.3} mm, 4 cells {:.3} mm, in the limit {:.3} mm", coarse * 1e3, fine * 1e3, limit * 1e3);
    println!("beam theory {:.3} mm", theory * 1e3);
    Ok(limit / theory)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "out/soft_bar".to_owned());
    run(Path::new(&folder), 4.0).map(drop)
}
