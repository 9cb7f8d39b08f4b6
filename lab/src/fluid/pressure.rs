//! A block of water that collapses in a basin, with an equation of state and with a pressure solve: their steps, the cost of these,
//! the compression of the water, and whether both flows agree.
//!
//! The density error is `max(ρ/ρ₀ - 1, 0)`. Densities below ρ₀ do not count: at a free surface kernels have no neighbours on one side.

use pliant::core::{BodyShape, Fields};
use pliant::parallel::on_one_thread;
use pliant::prelude::{DVec3, Simulation};
use pliant::scene::load::from_text;

use super::front::front;
use crate::clock::now;

/// The basin, m; the block is as wide as it in z.
const BASIN: [f64; 3] = [1.6, 1.2, 0.52];
/// The block's width and height, m.
const BLOCK: [f64; 2] = [0.6, 1.0];
/// kg/m³
const DENSITY: f64 = 1000.0;
/// α of the artificial viscosity at the default speed of sound, the default of scenes.
const ALPHA: f64 = 0.1;
/// m/s², and how many times as fast as a fall sound is by default.
const GRAVITY: f64 = 9.81;
const SOUND_OVER_FALL: f64 = 10.0;
/// Sampling rate of the density, 1/s.
const FPS: u32 = 50;
/// The front is the foremost point below this, m.
const FLOOR: f64 = 0.15;

/// The pressure model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pressure {
    /// Tait's law, with a multiple of the default speed of sound.
    WeaklyCompressible {
        /// The factor.
        sound: f64,
    },
    /// DFSPH, with a mean compression that is allowed.
    DivergenceFree {
        /// As a part of the density.
        density_error: f64,
    },
}

/// At the sampled moments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// s
    pub time: f64,
    /// Mean over particles of the density error.
    pub mean: f64,
    /// The largest of any particle.
    pub most: f64,
    /// Place of the front, m.
    pub front: f64,
    /// Centre of the water, m.
    pub centre: DVec3,
}

/// One collapse.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// With what.
    pub pressure: Pressure,
    /// Particles of water.
    pub particles: usize,
    /// Accepted steps.
    pub steps: u64,
    /// Rejected attempts.
    pub rejected: u64,
    /// Iterations of the solver of pressures, all steps together.
    pub iterations: u64,
    /// Simulated, s.
    pub until: f64,
    /// CPU time, without sampling of densities, s.
    pub seconds: f64,
    /// The samples.
    pub samples: Vec<Sample>,
}

fn scene(pressure: Pressure, spacing: f64, until: f64) -> String {
    let [x, y, z] = BASIN;
    let [width, height] = BLOCK;
    let sound = SOUND_OVER_FALL * (2.0 * GRAVITY * y).sqrt();
    // α h c is the viscosity: the same in all runs, so that the water is the same
    let kind = match pressure {
        Pressure::WeaklyCompressible { sound: factor } => {
            format!("sound_speed = {}\nartificial_viscosity = {}", factor * sound, ALPHA / factor)
        }
        Pressure::DivergenceFree { density_error } => format!(
            "pressure = \"divergence-free\"\ndensity_error = {density_error}\nsound_speed = {sound}\nartificial_viscosity = {ALPHA}"
        ),
    };
    format!(
        "version = 1\n[time]\nuntil = {until}\nfps = {FPS}\n[[fluid]]\nname = \"water\"\nspacing = {spacing}\ndensity = {DENSITY}\n{kind}\n\
         boxes = [{{ min = [0, 0, 0], max = [{width}, {height}, {z}] }}]\n\
         container = {{ box = {{ min = [0, 0, 0], max = [{x}, {y}, {z}] }} }}\n"
    )
}

/// Releases the block, on one thread.
pub fn collapse(pressure: Pressure, spacing: f64, until: f64) -> Result<Run, String> {
    on_one_thread(|| {
        let scene = from_text("dam", "dam.toml", &scene(pressure, spacing, until), &[]);
        let built = scene.map_err(|error| error.to_string())?.build().map_err(|error| error.to_string())?;
        let mut simulation = built.simulation;
        simulation.track_energy(false);
        let water = simulation.system.bodies().first().ok_or("there is no water")?;
        let BodyShape::Grains { spacing } = water.shape else { return Err("the first body is no fluid".into()) };
        let (mut fields, mut seconds) = (Fields::default(), 0.0);
        let mut samples = vec![look(&mut simulation, spacing, &mut fields)?];
        while !simulation.is_done() {
            let begun = now();
            simulation.advance_frame(|_, _| {}).map_err(|error| error.to_string())?;
            seconds += now() - begun;
            samples.push(look(&mut simulation, spacing, &mut fields)?);
        }
        let tally = simulation.tally();
        let (steps, rejected, iterations) = (tally.steps, tally.rejected, tally.work.linear_iterations);
        let particles = simulation.state().len();
        Ok(Run { pressure, particles, steps, rejected, iterations, until, seconds, samples })
    })
}

fn look(simulation: &mut Simulation, spacing: f64, fields: &mut Fields) -> Result<Sample, String> {
    fields.begin(simulation.state().len());
    simulation.write_fields(fields);
    let errors = || fields.all().iter().filter(|field| field.name == Fields::DENSITY).flat_map(|field| &field.values);
    let errors = || errors().map(|density| (density / DENSITY - 1.0).max(0.0));
    let (x, time) = (&simulation.state().x, simulation.state().time);
    let front = front(x, spacing, FLOOR).ok_or("the water has left the floor")?;
    let count = x.len() as f64;
    let centre = x.iter().sum::<DVec3>() / count;
    Ok(Sample { time, mean: errors().sum::<f64>() / count, most: errors().fold(0.0, f64::max), front, centre })
}

impl Run {
    /// Mean step, s.
    pub fn step(&self) -> f64 {
        self.until / self.steps as f64
    }

    /// Seconds per simulated second.
    pub fn cost(&self) -> f64 {
        self.seconds / self.until
    }

    /// Density error, mean over particles and time.
    pub fn error(&self) -> f64 {
        // the start is the same for all
        let seen = &self.samples[1..];
        seen.iter().map(|sample| sample.mean).sum::<f64>() / seen.len() as f64
    }

    /// The largest mean over particles at any moment.
    pub fn worst_moment(&self) -> f64 {
        self.samples.iter().map(|sample| sample.mean).fold(0.0, f64::max)
    }

    /// The largest density error of any particle at any moment.
    pub fn worst_particle(&self) -> f64 {
        self.samples.iter().map(|sample| sample.most).fold(0.0, f64::max)
    }

    /// When the front was at the far wall, within a spacing, s; `None`: never.
    pub fn arrival(&self, spacing: f64) -> Option<f64> {
        self.samples.iter().find(|sample| sample.front >= BASIN[0] - spacing).map(|sample| sample.time)
    }

    /// The farthest that the centre of the water was from that of another run at the same moment, m.
    pub fn apart(&self, other: &Run) -> f64 {
        let both = self.samples.iter().zip(&other.samples);
        both.map(|(a, b)| a.centre.distance(b.centre)).fold(0.0, f64::max)
    }
}

/// How far the centre of the water may go, m: from the block to a pool over the whole basin.
pub fn way_of_the_centre() -> f64 {
    let [width, height] = BLOCK;
    DVec3::new(0.5 * (BASIN[0] - width), 0.5 * height * (1.0 - width / BASIN[0]), 0.0).length()
}
