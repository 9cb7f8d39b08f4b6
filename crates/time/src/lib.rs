//! Time: integrators that attempt a step, controllers that judge it, and the loop over steps.
//!
//! Follow one step: [`simulation::Simulation::step`] asks the controller for `dt`, the integrator ([`integrator::Integrator`])
//! attempts it from one `Point` to another, the controller judges, and a swap commits.

pub mod catalog;
pub mod control;
pub mod error;
pub mod explicit;
pub mod implicit;
pub mod integrator;
pub mod pace;
pub mod post_step;
pub mod progress;
pub mod simulation;
pub mod symplectic;

pub use control::{StepController, Verdict};
pub use error::{Incompatible, SimulationError};
pub use integrator::{Demand, Integrator, Properties, Stability, Symplectic};
pub use post_step::{PostStepSpec, Projection, Response};
pub use progress::{Frames, Progress, Tally};
pub use simulation::{RunError, Simulation};
