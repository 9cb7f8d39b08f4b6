//! What one attempted step reports to the controller.

use pliant_linalg::solver::SolveError;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use pliant_scalar::shown;

/// An error in metres and the particle that has it (max-norm over particles of Euclidean norms; pinned particles do not count).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ErrorAt {
    /// The largest error, m.
    pub metres: f64,
    /// The particle that has it.
    pub particle: usize,
}

/// An estimate of the position error that one step adds, which shrinks like `dt^exponent`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Truncation {
    /// The error and where.
    pub error: ErrorAt,
    /// Its power of `dt`, a pure number.
    pub exponent: f64,
}

/// Cost of an attempt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Work {
    /// Evaluations of the total force.
    pub force_evaluations: u64,
    /// Assemblies of the Jacobian.
    pub assemblies: u64,
    /// Matrices passed to a linear solver for factorization or for the setup of a preconditioner.
    pub factorisations: u64,
    /// Linear systems solved.
    pub solves: u64,
    /// Iterations inside iterative linear solvers.
    pub linear_iterations: u64,
}

impl std::ops::AddAssign for Work {
    fn add_assign(&mut self, other: Self) {
        self.force_evaluations += other.force_evaluations;
        self.assemblies += other.assemblies;
        self.factorisations += other.factorisations;
        self.solves += other.solves;
        self.linear_iterations += other.linear_iterations;
    }
}

/// Report of a completed step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Attempt {
    /// ε of the linearized force: `c · dt² · |M⁻¹ (F - F̃)|` with the scheme's own c, [Adaptive] eqs. 7 and 13; `None` for schemes that do
    /// not predict a force.
    pub force_error: Option<ErrorAt>,
    /// The scheme's own truncation error, if it has an estimate and was asked for it.
    pub truncation: Option<Truncation>,
    /// The difference between one step and two half steps, if the scheme was wrapped for step doubling.
    pub doubling_error: Option<ErrorAt>,
    /// Change of the kinetic energy by [`crate::PressureProjection::project_velocities`], J.
    pub projection_energy: f64,
}

/// Why a step could not be completed. A value, not an abort: the controller may retry with a smaller step.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum StepFailure {
    /// A position, velocity or force became infinite or not a number.
    #[error("particle {particle} is no longer finite")]
    NonFinite {
        /// The first such particle.
        particle: usize,
    },
    /// The linear system could not be solved.
    #[error("the linear solve failed: {0}")]
    Linear(#[from] SolveError),
    /// Newton's method did not converge.
    #[error(
        "Newton's method did not converge in {iterations} iterations (residual {} at particle {particle})", shown::metres(*.residual)
    )]
    Newton {
        /// Iterations taken.
        iterations: usize,
        /// The residual, as a displacement in metres.
        residual: f64,
        /// The particle that the last correction moved farthest.
        particle: usize,
    },
    /// The pressure solve did not converge.
    #[error("{iterations} iterations left a mean compression of {left:.1e}")]
    Compressed {
        /// Iterations taken.
        iterations: u64,
        /// The remaining mean compression, as a part of the density.
        left: f64,
    },
    /// A guard allows only a fraction of the step.
    #[error("a guard clipped the step")]
    Clipped {
        /// The allowed fraction.
        fraction: f64,
    },
    /// A surface would pass through another one.
    #[error("infeasible-contact: something would pass through particle {particle}, or tear too far there")]
    Blocked {
        /// The collision-free fraction of the step.
        fraction: f64,
        /// A particle of the contact that limits it.
        particle: usize,
    },
}
