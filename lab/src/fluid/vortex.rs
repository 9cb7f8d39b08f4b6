//! The vortices of Taylor and Green [TaylorGreen]: rows of eddies in a square that repeats, which nothing but viscosity changes. With side L and speed U,
//!
//! `u = -U cos(2πx/L) sin(2πy/L)`, `v = U sin(2πx/L) cos(2πy/L)`, all of it times `exp(-8π² t/Re)`, `Re = U L/ν`,
//!
//! is an exact solution of the equations of Navier and Stokes. Here L = 1 m, U = 1 m/s.

use std::f64::consts::PI;

use pliant::core::{State, System};
use pliant::forces::sph::{Boundaries, Dimension, Fluid, KernelKind, Sph, SphSettings, lattice_mass};
use pliant::prelude::{ControlKind, ControlSpec, DVec3, Frames, Simulation, SolverSpec, integrator};
use pliant_testkit::random::Random;

/// Re.
pub const REYNOLDS: f64 = 100.0;
/// Speed of sound over U.
const SOUND: f64 = 10.0;
/// kg/m³.
const DENSITY: f64 = 1000.0;

/// The exact rate at which velocities fall, 1/s.
pub fn exact_rate() -> f64 {
    8.0 * PI * PI / REYNOLDS
}

/// Velocities at the start, m/s.
fn shape(x: DVec3) -> DVec3 {
    let ((sx, cx), (sy, cy)) = ((2.0 * PI * x.x).sin_cos(), (2.0 * PI * x.y).sin_cos());
    DVec3::new(-cx * sy, sx * cy, 0.0)
}

/// The setup of the vortices. [`Vortices::new`] is the one that works.
///
/// Particles that start on a lattice end up in rows along the flow, and the vortices are gone too early: rows seem to lose energy when they slip
/// over each other. With a random displacement off the lattice they flow from the start. A background pressure, which keeps particles apart where the
/// pressure is below zero, makes the decay faster still.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Vortices {
    /// Particles along a side.
    pub side: usize,
    /// The kernel's shape.
    pub kernel: KernelKind,
    /// h over the spacing.
    pub smoothing: f64,
    /// Background pressure over ρ₀ c².
    pub background: f64,
    /// How far particles are moved off the lattice at the start, as a part of the spacing.
    pub shaken: f64,
}

/// The result.
#[derive(Clone, Debug, PartialEq)]
pub struct Decay {
    /// Time, s; root mean square and largest speed, and the part of the flow that still has the shape of the start, over those at the start.
    pub samples: Vec<[f64; 4]>,
    /// Where the particles are in the end, m, in the square from 0 to 1.
    pub places: Vec<(f64, f64)>,
}

impl Vortices {
    /// Jittered, with twice the spacing as smoothing length, no background pressure.
    pub fn new(side: usize, kernel: KernelKind) -> Self {
        Self { side, kernel, smoothing: 2.0, background: 0.0, shaken: 0.3 }
    }

    fn start(&self, until: f64, samples: u32) -> Result<Simulation, String> {
        let spacing = 1.0 / self.side as f64;
        let settings = SphSettings {
            kernel: self.kernel,
            dimension: Dimension::Two,
            periods: [Some(1.0), Some(1.0), None],
            ..SphSettings::new(self.smoothing * spacing)
        };
        let mass = lattice_mass(&settings.kernel(), spacing, DENSITY);
        let count = self.side * self.side;
        let mut random = Random(1);
        let mut off = || self.shaken * spacing * DVec3 { z: 0.0, ..random.vector() };
        let at = |k: usize| DVec3::new((k % self.side) as f64 + 0.5, (k / self.side) as f64 + 0.5, 0.0) * spacing;
        let x: Vec<DVec3> = (0..count).map(|k| at(k) + off()).collect();
        let v = x.iter().map(|x| shape(*x)).collect();
        let fluid = Fluid {
            kinematic_viscosity: 1.0 / REYNOLDS,
            clamped: false,
            background_pressure: self.background * DENSITY * SOUND * SOUND,
            ..Fluid::new(0..count, mass, DENSITY, SOUND)
        };
        let model =
            Sph::new(count, vec![fluid], &Boundaries::default(), settings).map_err(|error| error.to_string())?;
        let system = System::new(vec![mass; count], Vec::new(), vec![Box::new(model)], Vec::new());
        let system = system.map_err(|error| error.to_string())?;
        let control = ControlSpec { kind: ControlKind::STABLE, ..ControlSpec::default() };
        let entry = integrator("symplectic-euler").ok_or("no symplectic Euler")?;
        let frames = Frames { fps: f64::from(samples) / until, until };
        let state = State { v, ..State::at_rest(x) };
        let simulation = Simulation::new(system, state, entry, &SolverSpec::default(), &control, frames);
        let mut simulation = simulation.map_err(|error| error.to_string())?;
        simulation.track_energy(false);
        Ok(simulation)
    }

    /// Runs them for a while.
    pub fn run(&self, until: f64, samples: u32) -> Result<Decay, String> {
        let mut simulation = self.start(until, samples)?;
        let [_, rms, top, _] = measure(simulation.state());
        let mut samples = vec![[0.0, 1.0, 1.0, 1.0]];
        while !simulation.is_done() {
            simulation.advance_frame(|_, _| {}).map_err(|error| error.to_string())?;
            let [time, now, fastest, shaped] = measure(simulation.state());
            samples.push([time, now / rms, fastest / top, shaped]);
        }
        let places = simulation.state().x.iter().map(|x| (x.x.rem_euclid(1.0), x.y.rem_euclid(1.0))).collect();
        Ok(Decay { samples, places })
    }
}

/// Time, root mean square speed, largest speed, and the factor of the initial shape that fits the flow best.
fn measure(state: &State) -> [f64; 4] {
    let squares = || state.v.iter().map(|v| v.length_squared());
    let mean = squares().sum::<f64>() / state.len() as f64;
    let [above, below] = state.x.iter().zip(&state.v).fold([0.0; 2], |[a, b], (x, v)| {
        let shape = shape(*x);
        [a + shape.dot(*v), b + shape.length_squared()]
    });
    [state.time, mean.sqrt(), squares().fold(0.0, f64::max).sqrt(), above / below]
}

impl Decay {
    /// The rate at which a column falls, 1/s: the slope of its logarithm through all samples, by least squares through the start.
    pub fn rate(&self, column: usize) -> f64 {
        let [above, below] = self
            .samples
            .iter()
            .fold([0.0; 2], |[a, b], sample| [a - sample[0] * sample[column].ln(), b + sample[0] * sample[0]]);
        above / below
    }

    /// The largest deviation of a column from the exact solution, as a part of it, with its sign.
    pub fn deviation(&self, column: usize) -> f64 {
        let off = self.samples.iter().map(|sample| sample[column] * (exact_rate() * sample[0]).exp() - 1.0);
        off.fold(0.0, |a, b| if b.abs() > f64::abs(a) { b } else { a })
    }

    /// The part of the kinetic energy that is left.
    pub fn energy_left(&self) -> f64 {
        self.samples.last().map_or(1.0, |sample| sample[1] * sample[1])
    }
}
