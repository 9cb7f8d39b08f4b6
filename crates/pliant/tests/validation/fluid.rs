//! Fluids against what is known of them.

use glam::DVec3;
use pliant::core::{Fields, State};
use pliant::forces::sph::{Boundaries, Fluid, Sph, SphSettings, rest_excess};
use pliant::prelude::Simulation;
use pliant::scene::load::from_text;

const GRAVITY: f64 = 9.81;
const DENSITY: f64 = 1000.0;
const HEIGHT: f64 = 0.5;
const SPACING: f64 = 0.025;
const WIDTH: f64 = 0.15;

/// A column that is let go settles to `p = ρ g (H - z)`, and comes to rest. 5 % of the pressure at the
/// floor: a particle next to a wall or the surface sees neighbours on one side, and that does not shrink with the spacing.
#[test]
fn pressure_of_a_column_grows_with_depth() {
    let text = format!(
        "version = 1\n[world]\ndrag = \"4 1/s\"\n[time]\nuntil = 4\nfps = 10\n[[fluid]]\nname = \"water\"\nspacing = {SPACING}\n\
         boxes = [{{ min = [0, 0, 0], max = [{WIDTH}, {HEIGHT}, {WIDTH}] }}]\nartificial_viscosity = 0.2\n\
         container = {{ box = {{ min = [0, 0, 0], max = [{WIDTH}, 0.6, {WIDTH}] }} }}\n"
    );
    let built = from_text("column", "column.toml", &text, &[]).unwrap().build().unwrap();
    let mut simulation = built.simulation;
    simulation.track_energy(false);
    while !simulation.is_done() {
        simulation.step().unwrap();
    }
    let state = simulation.state();
    let count = simulation.system.bodies()[0].particles.len();
    let pressures = pressures(state, count);
    let weight = simulation.system.masses()[..count].iter().sum::<f64>() * GRAVITY;

    let layers = (HEIGHT / SPACING).round() as usize;
    let (mut sums, mut squares) = (vec![[0.0; 3]; layers], 0.0);
    for (x, p) in state.x[..count].iter().zip(&pressures) {
        let layer = ((x.y / SPACING) as usize).min(layers - 1);
        let [n, height, pressure] = &mut sums[layer];
        (*n, *height, *pressure) = (*n + 1.0, *height + x.y, *pressure + p);
    }
    let floor = DENSITY * GRAVITY * HEIGHT;
    for [n, height, pressure] in sums.iter().filter(|sum| sum[0] > 0.0) {
        let expected = DENSITY * GRAVITY * (HEIGHT - height / n);
        let error = (pressure / n - expected) / floor;
        println!("{:.4} m: {:.0} Pa, expected {expected:.0} Pa ({:+.2} %)", height / n, pressure / n, 100.0 * error);
        squares += n * error * error;
    }
    let error = (squares / count as f64).sqrt();
    println!("relative root mean square error {error:.4}");
    assert!(error < 0.05, "{error}");

    let speeds = state.v[..count].iter().map(|v| v.length_squared());
    let kinetic: f64 = speeds.zip(simulation.system.masses()).map(|(square, mass)| 0.5 * mass * square).sum();
    assert!(kinetic < 1e-5 * weight * HEIGHT, "{kinetic} J of {} J", weight * HEIGHT);
}

/// A block that falls into a basin is compressed by less than 3 % in the mean at every frame, none of it leaves, and it comes to rest. The scene
/// with particles of 66 mm instead of 40.
#[test]
fn a_block_of_water_is_hardly_compressed_and_comes_to_rest() {
    let edits = ["fluid[0].spacing=0.0667", "time.until=12", "time.fps=10"].map(String::from);
    let text = include_str!("../../../../scenes/block-of-water.toml");
    let mut simulation = from_text("block", "block.toml", text, &edits).unwrap().build().unwrap().simulation;
    simulation.track_energy(false);
    let height = |s: &Simulation| s.state().x.iter().map(|x| x.y).sum::<f64>() / s.state().len() as f64;
    let kinetic =
        |s: &Simulation| s.state().v.iter().map(|v| 0.5 * v.length_squared()).sum::<f64>() / s.state().len() as f64;
    let (start, mut worst, mut fields) = (height(&simulation), 0.0_f64, Fields::default());
    while !simulation.is_done() {
        simulation.advance_frame(|_, _| {}).unwrap();
        simulation.write_fields(&mut fields);
        let densities = &fields.all().iter().find(|field| field.name == Fields::DENSITY).unwrap().values;
        let mean = densities.iter().map(|d| (d / DENSITY - 1.0).max(0.0)).sum::<f64>() / densities.len() as f64;
        worst = worst.max(mean);
        let all_in = simulation.state().x.iter().all(|x| x.cmpgt(DVec3::ZERO).all() && x.x < 1.6 && x.z < 0.4);
        assert!(all_in, "some got out by {} s", simulation.state().time);
    }
    println!("compression {:.2} %, {:.1e} J/kg left of {:.2}", 100.0 * worst, kinetic(&simulation), GRAVITY * start);
    assert!(worst < 0.03, "{worst}");
    // a swell of a centimetre or so
    assert!(kinetic(&simulation) < 1e-3 * GRAVITY * start, "{}", kinetic(&simulation));
}

/// The pressures of the column's water, by a model of the same fluid.
fn pressures(state: &State, count: usize) -> Vec<f64> {
    let settings = SphSettings::new(1.25 * SPACING);
    let mass = DENSITY * SPACING.powi(3);
    let sound = 10.0 * (2.0 * GRAVITY * HEIGHT).sqrt();
    let excess = rest_excess(&settings.kernel(), SPACING);
    let water = Fluid { excess, ..Fluid::new(0..count, mass, DENSITY, sound) };
    let inside = [DVec3::ZERO, DVec3::new(WIDTH, 1.0, WIDTH)];
    let boundaries = Boundaries::container(inside, false, SPACING);
    let mut model = Sph::new(state.len(), vec![water], &boundaries, settings).unwrap();
    let mut pressures = vec![0.0; state.len()];
    model.write_pressures(&state.view(), &mut pressures);
    pressures.truncate(count);
    pressures
}
