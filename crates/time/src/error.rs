//! Why a simulation cannot begin, and which parts of one are incompatible.

use thiserror::Error;

/// Why [`crate::Simulation::new`] refuses its arguments.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SimulationError {
    /// No linear solver or no preconditioner has this name.
    #[error("there is no linear solver \"{kind}\" with the preconditioner \"{preconditioner}\"")]
    UnknownSolver {
        /// As given.
        kind: String,
        /// As given.
        preconditioner: String,
    },
    /// A model keeps a fluid incompressible by a pressure solve, which the integrator does not support.
    #[error("{integrator} does not solve for the pressures of an incompressible fluid; symplectic-euler does")]
    NoPressureSolve {
        /// Its name.
        integrator: &'static str,
    },
    /// The system has restraint, which the integrator does not support.
    #[error("{integrator} cannot step through a system under restraint")]
    NoRestraint {
        /// Its name.
        integrator: &'static str,
    },
    /// Restraint and a pressure solve exclude each other.
    #[error("restraint does not work with a fluid whose pressures are solved for")]
    RestrainedPressureSolve,
    /// The state and the system differ in the number of particles.
    #[error("the state has {state} particles, the system has {system}")]
    ParticleCount {
        /// Of the state.
        state: usize,
        /// Of the system.
        system: usize,
    },
}

/// Why an integrator does not work with a controller, or with the corrections that follow the integration.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Incompatible {
    /// A misprint that is kept for study takes fixed or stable steps only.
    #[error("{integrator} is kept for study only and takes fixed or stable steps: {reason}")]
    StudyOnly {
        /// Its name.
        integrator: &'static str,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// `stable` needs an upper limit of stability.
    #[error("{integrator} has no upper limit of stability that `stable` could follow")]
    NoStabilityLimit {
        /// Its name.
        integrator: &'static str,
    },
    /// `stable` needs a step that is stable.
    #[error("{integrator} is unstable for every step without damping")]
    NeverStable {
        /// Its name.
        integrator: &'static str,
    },
    /// `force-error` with the law `combined` needs a truncation estimate.
    #[error("{integrator} has no truncation estimate")]
    NoTruncationEstimate {
        /// Its name.
        integrator: &'static str,
    },
    /// `force-error` with the other laws needs a prediction of the end force.
    #[error(
        "{integrator} does not predict the force at the end of the step, so its error cannot be measured; \
         use law = \"combined\", linearized-backward-euler or newmark"
    )]
    NoForcePrediction {
        /// Its name.
        integrator: &'static str,
    },
    /// Multistep schemes do not support projection and collision response.
    #[error(
        "{integrator} continues the curve of earlier steps, which projection and response to collisions break at every step; use a \
         one-step scheme"
    )]
    BreaksHistory {
        /// Its name.
        integrator: &'static str,
    },
}
