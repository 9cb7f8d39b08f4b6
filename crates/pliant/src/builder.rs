//! Typed builders: simulations from a program, with bodies, integrator, step control and recording.
//!
//! ```
//! use pliant::prelude::*;
//!
//! let mut simulation = Simulation::builder()
//!     .until("0.2 s")
//!     .tolerance("1 mm")
//!     .add(Cloth::grid("sheet", [9, 9], [1.0, 1.0]).horizontal().at([-0.5, 0.35, -0.5]).preset("silk"))
//!     .add(Collider::sphere("ball", [0.0, 0.0, 0.0], "30 cm"))
//!     .build()?;
//! while !simulation.is_done() {
//!     simulation.step()?;
//! }
//! assert!(simulation.state().x.iter().all(|x| x.length() > 0.3));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! All settings go through the checks and the assembly of scene files, with their defaults; numbers are in SI units, and texts have units. All
//! errors are reported at once, each with its key:
//!
//! ```
//! use pliant::prelude::*;
//!
//! let wrong = Simulation::builder().until(1.0).add(Solid::block("bar", [2, 2, 8], [0.1, 0.1, 0.4]).poisson(0.7)).scene();
//! let message = wrong.unwrap_err().to_string();
//! assert_eq!(message, "Simulation::builder(): solid[0].poisson: must lie between -1 and 0.5, without 0.5 itself, got 0.7");
//! ```

mod cloth;
mod collider;
mod fluid;
mod peridynamic;
mod pins;
mod rope;
mod settings;
mod solid;
mod springs;
#[cfg(test)]
mod tests;
mod value;

use std::sync::Arc;

use glam::DVec3;
use pliant_core::{ForceModel, State, System};
use pliant_scene::schema::VERSION;
use pliant_scene::{Built, Extensions, LoadedScene, SceneError, Setting, from_program};
use pliant_time::Simulation;
use pliant_time::catalog::find;
use toml::{Table, Value};

pub use self::cloth::Cloth;
pub use self::collider::Collider;
pub use self::fluid::Fluid;
pub use self::peridynamic::Peridynamic;
pub use self::pins::{Pins, RopePins, Turn};
pub use self::rope::{Rope, Suture};
pub use self::settings::{Control, IntegratorChoice, Probe, Restraint};
pub use self::solid::{Load, Solid};
pub use self::springs::{PendulumBody, SpringBody};
pub use self::value::{Amount, Part};
use self::value::{count, push, set_inside, table, vector};
use crate::runner::{self, Observer, RunFailure, RunOptions, Silent};
use crate::summary::Summary;
pub use pliant_scene::schema::rope::CurveTable as Curve;

/// Stands for the file name in messages.
const LABEL: &str = "Simulation::builder()";

/// `Simulation::builder()`. The type is in a crate without scenes, so this is a trait of the prelude.
pub trait BuildSimulation {
    /// An empty scene.
    fn builder() -> SimulationBuilder;
}

impl BuildSimulation for Simulation {
    fn builder() -> SimulationBuilder {
        SimulationBuilder::new()
    }
}

/// A scene under construction. It holds only the keys that were set: the rest is as in scene files.
#[derive(Clone, Debug)]
#[must_use]
pub struct SimulationBuilder {
    name: String,
    root: Table,
    assignments: Vec<String>,
    extensions: Extensions,
}

impl Default for SimulationBuilder {
    fn default() -> Self {
        Self::new()
    }
}

impl SimulationBuilder {
    /// An empty scene.
    pub fn new() -> Self {
        let pairs = [("version", Value::from(VERSION)), ("time", Value::Table(Table::new()))];
        let root = pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
        Self { name: "simulation".to_owned(), root, assignments: Vec::new(), extensions: Extensions::default() }
    }

    fn with(mut self, outer: &str, key: &str, value: impl Into<Value>) -> Self {
        set_inside(&mut self.root, outer, key, value.into());
        self
    }

    /// A short name, for summaries and messages.
    pub fn name(mut self, name: &str) -> Self {
        self.root.insert("title".to_owned(), name.into());
        name.clone_into(&mut self.name);
        self
    }

    /// Adds a body, a collider or a probe.
    #[allow(clippy::should_implement_trait)] // the usual verb of builders; `+` would say something else
    pub fn add<P: Part>(mut self, part: P) -> Self {
        push(&mut self.root, P::KEY, Value::Table(part.into_table()));
        self
    }

    /// End of the run, s.
    pub fn until(self, time: impl Into<Amount>) -> Self {
        self.with("time", "until", time.into())
    }

    /// Recorded frames per second of simulated time; steps end on them exactly.
    pub fn fps(self, fps: f64) -> Self {
        self.with("time", "fps", fps)
    }

    /// Gravity, m/s²; y is up.
    pub fn gravity(self, gravity: impl Into<DVec3>) -> Self {
        self.with("world", "gravity", vector(gravity))
    }

    /// Drag against still air, 1/s.
    pub fn drag(self, rate: impl Into<Amount>) -> Self {
        self.with("world", "drag", rate.into())
    }

    /// The integrator: a name of the catalog, or an entry, which need not be in the catalog.
    pub fn integrator<'a>(mut self, integrator: impl Into<IntegratorChoice<'a>>) -> Self {
        let name = match integrator.into() {
            IntegratorChoice::Named(name) => name,
            IntegratorChoice::Entry(entry) => {
                let name = entry.properties.name;
                self.extensions.integrator =
                    Some(entry).filter(|own| !find(name).is_some_and(|it| std::ptr::eq(it, *own)));
                name
            }
        };
        self.with("time", "integrator", name)
    }

    /// How long steps are.
    pub fn control(mut self, control: Control) -> Self {
        if let Some(Value::Table(time)) = self.root.get_mut("time") {
            control.0.into_iter().for_each(|(key, value)| set_inside(time, "control", &key, value));
        }
        self
    }

    /// Error allowed per step, m, for any controller.
    pub fn tolerance(mut self, tolerance: impl Into<Amount>) -> Self {
        if let Some(Value::Table(time)) = self.root.get_mut("time") {
            set_inside(time, "control", "tolerance", tolerance.into().into());
        }
        self
    }

    /// The linear solver: auto, direct, adaptive, cg, bicgstab, cholesky or lu.
    pub fn solver(self, kind: &str) -> Self {
        self.with("solver", "kind", kind)
    }

    /// The preconditioner of cg and bicgstab.
    pub fn preconditioner(self, kind: &str) -> Self {
        self.with("solver", "preconditioner", kind)
    }

    /// Converged schemes solve each step until corrections are below this, m.
    pub fn accuracy(self, accuracy: impl Into<Amount>) -> Self {
        self.with("solver", "accuracy", accuracy.into())
    }

    /// For looks: backward Euler with one step per frame and at most three solves per step. Nothing passes through anything.
    pub fn preview(mut self) -> Self {
        self.root.insert("quality".into(), "preview".into());
        self
    }

    /// Newton's method makes at most this many corrections per step and accepts what is left.
    pub fn max_corrections(self, max: usize) -> Self {
        self.with("solver", "max_corrections", count(max))
    }

    /// Position-based projection after every step: sweeps, and the part of each correction that is applied.
    pub fn projection(self, iterations: usize, part: f64) -> Self {
        self.with("time", "projection", table([("iterations", count(iterations)), ("part", part.into())]))
    }

    /// Response to collisions after every step; with feedback its forces also act through the next step.
    pub fn response(self, feedback: bool) -> Self {
        self.with("time", "response", table([("feedback", feedback.into())]))
    }

    /// Typical impact speed, m/s: contact is stiff enough to stop it within the contact distance.
    pub fn contact_speed(self, speed: impl Into<Amount>) -> Self {
        self.with("contact", "speed", speed.into())
    }

    /// Creep speed of sticking friction, m/s.
    pub fn contact_creep(self, speed: impl Into<Amount>) -> Self {
        self.with("contact", "creep", speed.into())
    }

    /// Mean velocity of the air around cloth, m/s.
    pub fn wind(self, velocity: impl Into<DVec3>) -> Self {
        self.with("air", "wind", vector(velocity))
    }

    /// How much gusts change the wind, as a part of it, and their size, m.
    pub fn gusts(self, part: f64, size: impl Into<Amount>) -> Self {
        self.with("air", "gusts", part).with("air", "gust_size", size.into())
    }

    /// Density of the air, kg/m³; 0 for a vacuum.
    pub fn air_density(self, density: impl Into<Amount>) -> Self {
        self.with("air", "density", density.into())
    }

    /// Adaptive restraint: slow particles are restrained.
    pub fn restraint(mut self, restraint: Restraint) -> Self {
        self.root.insert("restraint".to_owned(), Value::Table(restraint.0));
        self
    }

    /// Formats of recorded frames, by their names in [`pliant_record::formats::FORMATS`]; vtu is the default.
    pub fn formats<'a>(self, formats: impl IntoIterator<Item = &'a str>) -> Self {
        self.with("output", "formats", formats.into_iter().map(Value::from).collect::<Vec<_>>())
    }

    /// Writes probes at every accepted step instead of every frame.
    pub fn every_step(self, every_step: bool) -> Self {
        self.with("output", "every_step", every_step)
    }

    /// Sets any key of a scene by its path, as `--set` does: `("view.background", Setting::Text("dark".into()))`.
    pub fn set(mut self, path: &str, value: Setting) -> Self {
        self.assignments.push(value.assignment(path));
        self
    }

    /// Adds a user-defined force: `make` is called with the assembled system and its initial state, whenever a simulation is built.
    pub fn force<F: ForceModel + 'static>(
        mut self,
        name: &str,
        make: impl Fn(&System, &State) -> F + Send + Sync + 'static,
    ) -> Self {
        let make: pliant_scene::extensions::MakeForce = Arc::new(move |system, state| Box::new(make(system, state)));
        self.extensions.forces.push((name.to_owned(), make));
        self
    }

    /// Checks everything that can be checked without building. The scene can be run, verified, swept, or written as a file.
    pub fn scene(&self) -> Result<LoadedScene, SceneError> {
        from_program([&self.name, LABEL], self.root.clone(), &self.assignments, self.extensions.clone())
    }

    /// A simulation at its start.
    pub fn build(&self) -> Result<Simulation, SceneError> {
        Ok(self.build_all()?.simulation)
    }

    /// The same with its probes and with warnings about legal but probably unintended input.
    pub fn build_all(&self) -> Result<Built, SceneError> {
        self.scene()?.build()
    }

    /// Runs to the end and records into a folder: `.run("out/drape")`, or with [`RunOptions`].
    pub fn run(&self, into: impl Into<RunOptions>) -> Result<Summary, RunFailure> {
        self.run_observed(into, &mut Silent)
    }

    /// The same; `observer` is called after every step. A closure of simulation and report is one.
    pub fn run_observed(
        &self,
        into: impl Into<RunOptions>,
        observer: &mut dyn Observer,
    ) -> Result<Summary, RunFailure> {
        runner::run(&self.scene()?, &into.into(), observer)
    }
}
