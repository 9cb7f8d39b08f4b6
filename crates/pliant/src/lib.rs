//! Pliant simulates deformable things and chooses its own time step from an error that you state in metres.
//!
//! ```
//! use pliant::prelude::*;
//!
//! // A weight on a spring, hung from the origin.
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
//! let integrator = integrator("tr-bdf2").expect("it is in the catalog");
//! let mut simulation = Simulation::new(system, State::at_rest(x), integrator, &SolverSpec::default(), &control, frames)
//!     .expect("the solver is in the catalog");
//! while !simulation.is_done() {
//!     simulation.step()?;
//! }
//! assert!(simulation.state().x[1].y < -1.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Or from a scene, recorded into a folder:
//!
//! ```no_run
//! let scene = pliant::scene::load("spring-net", &[])?;
//! let summary = pliant::runner::run(&scene, &pliant::runner::RunOptions::new("out/net"), &mut pliant::runner::Silent)?;
//! println!("{} steps, state {}", summary.steps, summary.state_hash);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod checkpoint;
mod drawing;
pub mod folder;
pub mod inspect;
mod lengthen;
pub mod pictures;
pub mod refusal;
pub mod runner;
pub mod summary;
pub mod sweep;
pub mod verify;
pub mod warnings;

pub use pliant_core as core;
pub use pliant_forces as forces;
pub use pliant_geom as geom;
pub use pliant_linalg as linalg;
pub use pliant_picture as picture;
pub use pliant_record as record;
pub use pliant_scene as scene;
pub use pliant_time as time;

/// What most programs need.
pub mod prelude {
    pub use glam::{DMat3, DVec3};
    pub use pliant_core::{Body, ForceModel, Path, Pin, Point, State, StepReport, System, Work};
    pub use pliant_forces::{CubicSpring, CubicSprings, Drag, Gravity, Pendulum, PendulumForce, Spring, Springs};
    pub use pliant_time::catalog::{SolverSpec, find as integrator};
    pub use pliant_time::control::{ControlKind, ControlSpec, Law, StepBounds};
    pub use pliant_time::{Frames, RunError, Simulation};
}

/// The Rust blocks of the book and of this crate's README are tests. Pages are links into the book, so that packages hold them.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../README.md")]
    mod readme {}
    #[doc = include_str!("../own-force.md")]
    mod own_force {}
}
