//! Pliant simulates deformable things and chooses its own time step from an error that you state in metres.
//!
//! ```
//! use pliant::prelude::*;
//!
//! // A square of silk falls on a ball.
//! let drape = Simulation::builder()
//!     .until("0.2 s")
//!     .tolerance("1 mm") // error of one step; there is no time step to tune
//!     .add(Cloth::grid("sheet", [9, 9], [1.0, 1.0]).horizontal().at([-0.5, 0.35, -0.5]).preset("silk"))
//!     .add(Collider::sphere("ball", [0.0, 0.0, 0.0], "30 cm"));
//! let mut simulation = drape.build()?;
//! while !simulation.is_done() {
//!     let report = simulation.step()?;
//!     assert!(report.dt > 0.0);
//! }
//! assert!(simulation.state().x.iter().all(|x| x.length() > 0.3));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The same recorded into a folder is `drape.run("out/drape")?`. [`builder`] says what else can be said; the folder `examples` of the repository holds
//! complete programs. A scene of a file, or a built-in one:
//!
//! ```no_run
//! let scene = pliant::scene::load("spring-net", &[])?;
//! let summary = pliant::runner::run(&scene, &pliant::runner::RunOptions::new("out/net"), &mut pliant::runner::Silent)?;
//! println!("{} steps, state {}", summary.steps, summary.state_hash);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Below scenes there are systems of particles, forces and pins. A weight on a spring, hung from the origin:
//!
//! ```
//! use pliant::prelude::*;
//!
//! let x = vec![DVec3::ZERO, DVec3::new(0.0, -1.0, 0.0)];
//! let masses = vec![1.0, 1.0];
//! let spring = Spring { nodes: [0, 1], rest_length: 1.0, stiffness: 40.0, damping: 0.5 };
//! let forces: Vec<Box<dyn ForceModel>> = vec![
//!     Box::new(Springs::new(vec![spring])),
//!     Box::new(Gravity::new(DVec3::new(0.0, -9.81, 0.0), masses.clone(), vec![0..2])),
//! ];
//! let pins = vec![Pin { particle: 0, path: Path::Fixed(DVec3::ZERO) }];
//! let system = System::new(masses, pins, forces, vec![])?;
//! let control = ControlSpec { tolerance: 1e-4, ..ControlSpec::default() };
//! let frames = Frames { fps: 60.0, until: 1.0 };
//! let integrator = integrator("tr-bdf2").ok_or("it is in the catalog")?;
//! let mut simulation =
//!     Simulation::new(system, State::at_rest(x), integrator, &SolverSpec::default(), &control, frames)?;
//! while !simulation.is_done() {
//!     simulation.step()?;
//! }
//! assert!(simulation.state().x[1].y < -1.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod builder;
pub mod checkpoint;
mod drawing;
pub mod folder;
pub mod inspect;
pub mod integrity;
mod lengthen;
pub mod lock;
pub mod pictures;
pub mod refusal;
pub mod runner;
pub mod summary;
pub mod sweep;
pub mod verify;
pub mod warnings;

pub use pliant_core as core;
pub use pliant_display as display;
pub use pliant_forces as forces;
pub use pliant_geom as geom;
pub use pliant_linalg as linalg;
pub use pliant_mesh as mesh;
pub use pliant_parallel as parallel;
pub use pliant_picture as picture;
pub use pliant_record as record;
pub use pliant_scalar::shown;
pub use pliant_scene as scene;
pub use pliant_time as time;

pub use builder::{BuildSimulation, SimulationBuilder};
pub use pliant_time::Simulation;

/// What most programs need: `Simulation::builder()` with the bodies that it takes, the simulation and its reports, errors, catalogs, and the parts of
/// systems for programs that make their own.
pub mod prelude {
    pub use glam::{DMat3, DVec3};
    pub use pliant_core::{Body, ForceModel, Path, Pin, Point, State, StepReport, System, SystemError, Work};
    pub use pliant_forces::{CubicSpring, CubicSprings, Drag, Gravity, Pendulum, PendulumForce, Spring, Springs};
    pub use pliant_scene::schema::{Corner, RopeEnd, Side};
    pub use pliant_scene::{Built, LoadedScene, SceneError, Setting};
    pub use pliant_time::catalog::{Entry, INTEGRATORS, SolverSpec, find as integrator};
    pub use pliant_time::control::catalog::CONTROLLERS;
    pub use pliant_time::control::{ControlKind, ControlSpec, Law, StepBounds};
    pub use pliant_time::{Frames, Incompatible, RunError, Simulation, SimulationError};

    pub use crate::builder::{
        BuildSimulation, Cloth, Collider, Control, Fluid, Load, PendulumBody, Peridynamic, Pins, Probe, Restraint,
        Rope, RopePins, SimulationBuilder, Solid, SpringBody, Suture, Turn,
    };
    pub use crate::runner::{Observer, RunFailure, RunOptions};
    pub use crate::summary::Summary;
}

/// The Rust blocks of the book and of this crate's README are tests. Pages are links into the book, so that packages hold them.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../README.md")]
    mod readme {}
    #[doc = include_str!("../own-force.md")]
    mod own_force {}
}
