//! Laws of the damping of sound in weakly compressible fluids: columns stop breathing, and waves do not notice.

use std::f64::consts::{PI, TAU};

use pliant::core::Fields;
use pliant::prelude::Simulation;
use pliant::scene::load::from_text;

const GRAVITY: f64 = 9.81;
const DENSITY: f64 = 1000.0;

fn scene(text: &str) -> Simulation {
    let mut simulation = from_text("water", "water.toml", text, &[]).unwrap().build().unwrap().simulation;
    simulation.track_energy(false);
    simulation
}

/// They are too small for several.
fn on_one_thread<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap().install(work)
}

/// Pressure's slope over depth by least squares over all particles, as a part of ρg.
fn slope(simulation: &mut Simulation, fields: &mut Fields) -> f64 {
    fields.begin(simulation.state().len());
    simulation.write_fields(fields);
    let pressures = &fields.all().iter().find(|field| field.name == Fields::PRESSURE).unwrap().values;
    let x = &simulation.state().x;
    let count = x.len() as f64;
    let height = x.iter().map(|x| x.y).sum::<f64>() / count;
    let mean = pressures.iter().sum::<f64>() / count;
    let both = x.iter().zip(pressures).map(|(x, p)| (x.y - height, p - mean));
    let [product, square] = both.fold([0.0; 2], |[a, b], (y, p)| [a + y * p, b + y * y]);
    -product / square / (DENSITY * GRAVITY)
}

/// A column at default settings, without drag. From 2 s on the slope of its pressure is that of water at rest within 3 % at every moment; it is
/// looked at 16 times in a period of the lowest mode, `4 H/c`.
#[test]
fn a_column_stops_breathing() {
    on_one_thread(breathe);
}

fn breathe() {
    let (height, side) = (0.5, 0.1);
    let text = format!(
        "version = 1\n[time]\nuntil = 5.5\nfps = 275\n[[fluid]]\nname = \"water\"\nspacing = 0.025\n\
         boxes = [{{ min = [0, 0, 0], max = [{side}, {height}, {side}] }}]\n\
         container = {{ box = {{ min = [0, 0, 0], max = [{side}, 0.6, {side}] }} }}\n"
    );
    let (mut simulation, mut fields) = (scene(&text), Fields::default());
    let mut range = [f64::INFINITY, f64::NEG_INFINITY];
    while !simulation.is_done() {
        simulation.advance_frame(|_, _| {}).unwrap();
        if simulation.state().time >= 2.0 {
            let slope = slope(&mut simulation, &mut fields);
            range = [range[0].min(slope), range[1].max(slope)];
        }
    }
    println!("slope over ρg between 2 and 5.5 s: {:.3} to {:.3}", range[0], range[1]);
    assert!(range[0] > 0.97 && range[1] < 1.03, "{range:?}");
}

/// Half a wave in a basin, the lowest one, let go from rest: by how much the middle of the water is off after five periods, over what it was at
/// the start. (What goes from one half of the basin to the other is all that moves the middle.)
fn wave_left(keys: &str) -> f64 {
    let (length, depth, spacing, amplitude) = (1.0, 0.5, 0.025, 0.05);
    let number = PI / length;
    let period = TAU / (GRAVITY * number * (number * depth).tanh()).sqrt();
    let text = format!(
        "version = 1\n[time]\nuntil = {}\nfps = 50\n[[fluid]]\nname = \"water\"\nspacing = {spacing}\ntwo_dimensional = true\n{keys}\n\
         boxes = [{{ min = [0, 0, 0], max = [{length}, {depth}, 1] }}]\n\
         container = {{ box = {{ min = [0, 0, 0], max = [{length}, 1, 1] }} }}\n",
        5.25 * period
    );
    let mut simulation = scene(&text);
    let (mut point, progress) = (simulation.point().clone(), simulation.progress());
    for x in &mut point.state.x {
        let [along, up] = [number * x.x, number * x.y];
        let size = amplitude / (number * depth).sinh();
        x.x -= size * along.sin() * up.cosh();
        x.y += size * along.cos() * up.sinh();
    }
    simulation.restore(point, progress);
    let middle = |s: &Simulation| s.state().x.iter().map(|x| x.x).sum::<f64>() / s.state().len() as f64 - 0.5 * length;
    let (start, mut left) = (middle(&simulation), 0.0_f64);
    while !simulation.is_done() {
        simulation.advance_frame(|_, _| {}).unwrap();
        if simulation.state().time > 4.75 * period {
            left = left.max((middle(&simulation) / start).abs());
        }
    }
    left
}

/// After five periods a standing wave has 95 % or more of the amplitude that it has without the damping of sound, at default settings. (Artificial
/// viscosity takes most of the wave in both.)
#[test]
fn a_standing_wave_keeps_its_amplitude() {
    let (with, without) = on_one_thread(|| (wave_left(""), wave_left("bulk_viscosity = 0")));
    println!("{with:.3} of the amplitude is left, {without:.3} without");
    assert!(without > 0.1, "the wave is gone: {without}");
    assert!(with > 0.95 * without, "{with} of {without}");
}
