//! Laws of water that has nothing to do: with every kind of pressure it stays where it is.

use pliant::prelude::Simulation;
use pliant::scene::load::from_text;
use pliant::scene::schema::FluidPressure;

const GRAVITY: f64 = 9.81;
/// Particles across in a plane.
const ACROSS: f64 = 6.0;
/// Layers of particles, and their spacings, m. Of fewer layers a free surface, which sinks by a part of a spacing before it has the density of water,
/// is 1 % of the height.
const LAYERS: [f64; 3] = [16.0, 24.0, 32.0];
const SPACINGS: [f64; 2] = [0.01, 0.02];

/// A kind of pressure and its name.
type Pressure = (&'static str, FluidPressure);

const WEAKLY_COMPRESSIBLE: Pressure = ("weakly-compressible", FluidPressure::WeaklyCompressible);
const DIVERGENCE_FREE: Pressure = ("divergence-free", FluidPressure::DivergenceFree);

/// A column of water.
#[derive(Clone, Copy)]
struct Column {
    pressure: Pressure,
    across: f64,
    layers: f64,
    spacing: f64,
    is_plane: bool,
}

/// It and the mean height that it has at rest, m: half its height, less what its weight compresses it by where it is compressible, `1 - 2/3 g H/c²` of
/// that.
fn water(column: Column) -> (Simulation, f64) {
    let Column { pressure, across, layers, spacing, is_plane } = column;
    let (side, height) = (across * spacing, layers * spacing);
    let (top, deep) = (1.25 * height, if is_plane { 1.0 } else { side });
    // that of scenes
    let sound = 10.0 * (2.0 * GRAVITY * top).sqrt();
    let text = format!(
        "version = 1\n[time]\nuntil = 10\nfps = 20\n[[fluid]]\nname = \"water\"\nspacing = {spacing}\ntwo_dimensional = {is_plane}\n\
         pressure = \"{}\"\nsound_speed = {sound}\nboxes = [{{ min = [0, 0, 0], max = [{side}, {height}, {deep}] }}]\n\
         container = {{ box = {{ min = [0, 0, 0], max = [{side}, {top}, {deep}] }} }}\n",
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
fn stays_still(columns: impl IntoIterator<Item = Column> + Send) {
    // too small for several threads
    let faults = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap().install(|| {
        let faults = columns.into_iter().filter_map(fault);
        faults.collect::<Vec<_>>()
    });
    assert!(faults.is_empty(), "{faults:#?}");
}

/// What is wrong with it, if anything is.
fn fault(column: Column) -> Option<String> {
    let (mut simulation, expected) = water(column);
    let (mut lowest, mut highest, mut motion) = (0.0_f64, 0.0_f64, 0.0_f64);
    while !simulation.is_done() {
        simulation.advance_frame(|_, _| {}).unwrap();
        let [height, kinetic] = look(&simulation);
        (lowest, highest) = (lowest.min(height / expected - 1.0), highest.max(height / expected - 1.0));
        if simulation.state().time >= 2.0 {
            motion = motion.max(kinetic / (GRAVITY * height));
        }
    }
    let tally = simulation.tally();
    let line = format!(
        "{}, {} layers of {} m, {} across{}: height off by {:.2} to {:.2} %, kinetic over potential energy {motion:.1e}, {} steps, \
         {:.1} iterations a step",
        column.pressure.0,
        column.layers,
        column.spacing,
        column.across,
        if column.is_plane { "" } else { " both ways" },
        100.0 * lowest,
        100.0 * highest,
        tally.steps,
        tally.work.linear_iterations as f64 / tally.steps as f64
    );
    println!("{line}");
    (lowest < -0.01 || highest > 0.01 || motion > 1e-4).then_some(line)
}

/// In a plane.
fn stays_still_in_a_plane(pressure: Pressure) {
    let of = |layers| SPACINGS.map(|spacing| Column { pressure, across: ACROSS, layers, spacing, is_plane: true });
    stays_still(LAYERS.into_iter().flat_map(of));
}

/// In space there are more walls beside less water. (Lengths, times and the speed of sound scale with one another: another spacing is another time.)
fn stays_still_in_space(across: f64, pressure: Pressure) {
    stays_still([Column { pressure, across, layers: 16.0, spacing: 0.02, is_plane: false }]);
}

#[test]
fn every_kind_of_pressure_is_here() {
    assert_eq!(FluidPressure::ALL.map(|(name, _)| name), [WEAKLY_COMPRESSIBLE.0, DIVERGENCE_FREE.0]);
}

// one test each, the longest first, so that two run at a time

#[test]
fn a_broad_weakly_compressible_column_stays_still() {
    stays_still_in_space(10.0, WEAKLY_COMPRESSIBLE);
}

#[test]
fn a_broad_divergence_free_column_stays_still() {
    stays_still_in_space(10.0, DIVERGENCE_FREE);
}

#[test]
fn a_narrow_weakly_compressible_column_stays_still() {
    stays_still_in_space(6.0, WEAKLY_COMPRESSIBLE);
}

#[test]
fn a_narrow_divergence_free_column_stays_still() {
    stays_still_in_space(6.0, DIVERGENCE_FREE);
}

#[test]
fn weakly_compressible_water_in_a_plane_stays_still() {
    stays_still_in_a_plane(WEAKLY_COMPRESSIBLE);
}

#[test]
fn divergence_free_water_in_a_plane_stays_still() {
    stays_still_in_a_plane(DIVERGENCE_FREE);
}
