//! Laws of water that has nothing to do: with every kind of pressure it stays where it is.

use pliant::prelude::Simulation;
use pliant::scene::load::from_text;
use pliant::scene::schema::FluidPressure;

const GRAVITY: f64 = 9.81;
/// Particles across.
const ACROSS: f64 = 6.0;
/// Layers of particles, and their spacings, m. Of fewer layers a free surface, which sinks by a part of a spacing before it has the density of water,
/// is 1 % of the height.
const LAYERS: [f64; 3] = [16.0, 24.0, 32.0];
const SPACINGS: [f64; 2] = [0.01, 0.02];

/// Water in a plane, and the mean height that it has at rest, m: half its height, less what its weight compresses it by where it is compressible,
/// `1 - 2/3 g H/c²` of that.
fn water(pressure: (&str, FluidPressure), layers: f64, spacing: f64) -> (Simulation, f64) {
    let (side, height) = (ACROSS * spacing, layers * spacing);
    let top = 1.25 * height;
    // that of scenes
    let sound = 10.0 * (2.0 * GRAVITY * top).sqrt();
    let text = format!(
        "version = 1\n[time]\nuntil = 10\nfps = 20\n[[fluid]]\nname = \"water\"\nspacing = {spacing}\ntwo_dimensional = true\n\
         pressure = \"{}\"\nsound_speed = {sound}\nboxes = [{{ min = [0, 0, 0], max = [{side}, {height}, 1] }}]\n\
         container = {{ box = {{ min = [0, 0, 0], max = [{side}, {top}, 1] }} }}\n",
        pressure.0
    );
    let mut simulation = from_text("water", "water.toml", &text, &[]).unwrap().build().unwrap().simulation;
    simulation.track_energy(false);
    let compressed = match pressure.1 {
        FluidPressure::WeaklyCompressible => 2.0 / 3.0 * GRAVITY * height / (sound * sound),
        FluidPressure::DivergenceFree => 0.0,
    };
    (simulation, 0.5 * height * (1.0 - compressed))
}

/// Per kilogram: mean height, m, and kinetic energy, J.
fn look(simulation: &Simulation) -> [f64; 2] {
    let (state, count) = (simulation.state(), simulation.state().len() as f64);
    let height = state.x.iter().map(|x| x.y).sum::<f64>() / count;
    [height, state.v.iter().map(|v| 0.5 * v.length_squared()).sum::<f64>() / count]
}

/// For 10 s: the mean height within 1 % of that at rest, and after 2 s the kinetic energy below 1e-4 of the potential one, at every frame.
#[test]
fn still_water_stays_still() {
    // too small for several threads
    rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap().install(try_all);
}

fn try_all() {
    let mut faults = Vec::new();
    for pressure in FluidPressure::ALL {
        for layers in LAYERS {
            for spacing in SPACINGS {
                let (mut simulation, expected) = water(pressure, layers, spacing);
                let (mut rise, mut motion) = (0.0_f64, 0.0_f64);
                while !simulation.is_done() {
                    simulation.advance_frame(|_, _| {}).unwrap();
                    let [height, kinetic] = look(&simulation);
                    rise = rise.max((height / expected - 1.0).abs());
                    if simulation.state().time >= 2.0 {
                        motion = motion.max(kinetic / (GRAVITY * height));
                    }
                }
                let tally = simulation.tally();
                let line = format!(
                    "{}, {layers} layers of {spacing} m: height off by {:.2} %, kinetic over potential energy {motion:.1e}, {} steps, \
                     {:.1} iterations a step",
                    pressure.0,
                    100.0 * rise,
                    tally.steps,
                    tally.work.linear_iterations as f64 / tally.steps as f64
                );
                println!("{line}");
                if rise > 0.01 || motion > 1e-4 {
                    faults.push(line);
                }
            }
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}
