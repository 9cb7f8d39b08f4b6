//! The contracts of a linear solver and a preconditioner.

use crate::block_csr::BlockCsr;
use crate::pattern::Pattern;
use glam::DVec3;
use pliant_parallel::Partials;
use std::sync::Arc;

/// Report of a solve.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SolveReport {
    /// Krylov iterations, or back-substitutions of a direct solver (2 after a step of refinement).
    pub iterations: usize,
    /// ‖b − A x‖ / ‖b‖; 0 for b = 0.
    pub residual: f64,
}

/// Why a system could not be solved. The solution array is then undefined.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SolveError {
    /// A solver for positive definite matrices was given one that is not.
    #[error(
        "the matrix is not positive definite{}: take a shorter time step, project the Jacobians to positive \
         semi-definite ones, or choose the solver `bicgstab` or `lu`", at(.row)
    )]
    Indefinite {
        /// The block row with the most negative contribution, where known.
        row: Option<usize>,
    },
    /// The matrix has no inverse, or none that can be computed.
    #[error(
        "the matrix is singular{}: is there a particle without mass, or a constraint given twice?", at(.row)
    )]
    Singular {
        /// The block row where it was found, where known.
        row: Option<usize>,
    },
    /// The residual did not reach the tolerance.
    #[error(
        "the linear solver stopped after {iterations} iterations at a relative residual of {residual:.2e}: take a \
         shorter time step, a larger solver tolerance or a direct solver"
    )]
    NotConverged {
        /// Iterations done.
        iterations: usize,
        /// ‖b − A x‖ / ‖b‖ reached.
        residual: f64,
    },
    /// Infinities or NaNs in the matrix, the right-hand side or the initial guess, or an overflow during the solve.
    #[error("the linear system holds a number that is not finite, or overflowed while it was solved")]
    NonFinite,
    /// A direct factorisation that does not fit into memory or into 32-bit indices.
    #[error("factorising {unknowns} unknowns needs too much memory: choose the solver `cg` or `bicgstab`")]
    TooLarge {
        /// Scalar unknowns.
        unknowns: usize,
    },
}

fn at(row: &Option<usize>) -> String {
    row.map_or(String::new(), |row| format!(" (block row {row})"))
}

/// Solves A x = b. Call [`analyze`](Self::analyze) once per pattern, [`factor`](Self::factor) whenever the values have
/// changed, then [`solve`](Self::solve) for any number of right-hand sides.
pub trait LinearSolver: Send {
    /// Its name in the catalog.
    fn name(&self) -> &'static str;

    /// Whether the matrix must be symmetric (and positive definite).
    fn needs_symmetric(&self) -> bool;

    /// Prepares for matrices of this pattern; all memory is allocated here.
    fn analyze(&mut self, pattern: &Arc<Pattern>) -> Result<(), SolveError>;

    /// Sets the positions of the particles of the next matrix: a hint for solvers that use it, until it is set again. The
    /// result of a solve stays a function of the matrix and of these positions.
    fn set_positions(&mut self, _positions: &[DVec3]) {}

    /// Sets which particles were inserted between which two others, level by level from the coarsest: `[new, parent, parent]`, with parents of
    /// earlier levels. A hint for methods that use it.
    fn set_hierarchy(&mut self, _levels: &[Vec<[u32; 3]>]) {}

    /// Takes the values of `a`. Analyses first if the pattern is new.
    fn factor(&mut self, a: &BlockCsr) -> Result<(), SolveError>;

    /// Whether the next solve is independent of the solves since [`factor`](Self::factor). If not, a caller that needs bits independent of
    /// earlier right-hand sides must factor again.
    fn is_settled(&self) -> bool {
        true
    }

    /// Solves to ‖b − A x‖ ≤ tolerance ‖b‖; `a` must be the matrix last factored. `x` carries the initial guess of a
    /// Krylov solver in (direct solvers ignore it) and the solution out.
    ///
    /// # Panics
    /// If `b` or `x` has another length than the matrix has block rows.
    fn solve(&mut self, a: &BlockCsr, b: &[DVec3], x: &mut [DVec3], tolerance: f64) -> Result<SolveReport, SolveError>;
}

/// An approximate inverse of A: cheap to apply, and fixed between two calls of `factor`.
pub trait Preconditioner: Send {
    /// Its name in the catalog.
    fn name(&self) -> &'static str;

    /// Prepares for matrices of this pattern; all memory is allocated here.
    fn analyze(&mut self, pattern: &Arc<Pattern>);

    /// Sets the positions of the particles of the next matrix; see [`LinearSolver::set_positions`].
    fn set_positions(&mut self, _positions: &[DVec3]) {}

    /// Sets the refinement; see [`LinearSolver::set_hierarchy`].
    fn set_hierarchy(&mut self, _levels: &[Vec<[u32; 3]>]) {}

    /// Takes the values of `a`.
    fn factor(&mut self, a: &BlockCsr) -> Result<(), SolveError>;

    /// z ≈ A⁻¹ r
    fn apply(&mut self, r: &[DVec3], z: &mut [DVec3]);

    /// [`apply`](Self::apply), and r·z; worth overriding where both can be computed in one pass.
    fn apply_and_dot(&mut self, r: &[DVec3], z: &mut [DVec3], partials: &mut Partials) -> f64 {
        self.apply(r, z);
        partials.dot(r, z)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_say_where_and_what_to_do() {
        let text = SolveError::Indefinite { row: Some(7) }.to_string();
        assert!(text.contains("(block row 7)") && text.contains("`lu`"));
        let text = SolveError::Singular { row: None }.to_string();
        assert!(text.starts_with("the matrix is singular:"));
    }
}
