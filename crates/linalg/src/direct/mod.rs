//! Direct solvers: factor once, then solve to rounding for any right-hand side.
//!
//! The sparse Cholesky factorisation is our own: an order of elimination (`ordering.rs`, `dissection.rs`), its tree and cost (`symbolic.rs`), supernodes and
//! their fronts (`supernodes.rs`, `fronts.rs`), who does what (`schedule.rs`), the elimination (`eliminate.rs`, `kernels.rs`) and the substitutions
//! (`substitute.rs`). It runs on all threads, with the same bits for any number of them and for any instruction set.
//! The sparse LU factorisation is faer's, always on one thread (`Par::Seq`): faer's parallel factors have bits that depend on the
//! number of threads. Systems of a few particles take a dense path of our own (`dense.rs`), which costs less than
//! setting up a sparse one and allocates nothing. A pattern is analysed once, and each new matrix of it only refactored, in memory allocated beforehand.

mod cholesky;
mod dense;
mod dissection;
mod eliminate;
mod fronts;
mod kernels;
mod layout;
mod lu;
mod ordering;
mod schedule;
mod substitute;
mod supernodal;
mod supernodes;
mod symbolic;
#[cfg(test)]
mod tests;

pub use cholesky::DirectCholesky;
pub use lu::DirectLu;
pub use symbolic::CholeskyCost;

use crate::block_csr::BlockCsr;
use crate::krylov::{all_finite, check_lengths};
use crate::pattern::{Pattern, is_known};
use crate::solver::{SolveError, SolveReport};
use faer::sparse::linalg::SupernodalThreshold;
use glam::DVec3;
use pliant_parallel::Partials;
use std::sync::Arc;

/// A residual above this, after refinement, means that the factors do not belong to the matrix.
const LOST: f64 = 1e-6;

/// Threshold at which faer collects columns into supernodes: earlier than by default (1). On sheets of 64 to 144 particles that is two
/// to three times as fast, and ropes, which gain nothing from it, are unaffected.
const SUPERNODAL: SupernodalThreshold = SupernodalThreshold(0.3);

/// The factors of a matrix.
trait Factors {
    fn factor(&mut self, a: &BlockCsr) -> Result<(), SolveError>;

    /// `x = A⁻¹ b` with the factors of the last matrix.
    fn solve(&mut self, b: &[DVec3], x: &mut [DVec3]);
}

/// Dense or sparse factors.
#[derive(Default)]
enum Method<D, S> {
    /// Not analysed yet, or an empty system.
    #[default]
    None,
    Dense(D),
    Sparse(Box<S>),
}

impl<D: Factors, S: Factors> Factors for Method<D, S> {
    fn factor(&mut self, a: &BlockCsr) -> Result<(), SolveError> {
        match self {
            Method::None => Ok(()),
            Method::Dense(dense) => dense.factor(a),
            Method::Sparse(sparse) => sparse.factor(a),
        }
    }

    fn solve(&mut self, b: &[DVec3], x: &mut [DVec3]) {
        match self {
            Method::None => {}
            Method::Dense(dense) => dense.solve(b, x),
            Method::Sparse(sparse) => sparse.solve(b, x),
        }
    }
}

/// The analysed pattern, whether a matrix of it is factored, and the vectors of a refinement step.
#[derive(Default)]
struct Refinement {
    pattern: Option<Arc<Pattern>>,
    factored: bool,
    r: Vec<DVec3>,
    correction: Vec<DVec3>,
    trial: Vec<DVec3>,
    partials: Partials,
}

impl Refinement {
    fn analyze(&mut self, pattern: &Arc<Pattern>) {
        self.pattern = Some(pattern.clone());
        for v in [&mut self.r, &mut self.correction, &mut self.trial] {
            v.resize(pattern.rows(), DVec3::ZERO);
        }
    }

    /// Whether this pattern, or an equal one, has been analysed.
    fn knows(&mut self, pattern: &Arc<Pattern>) -> bool {
        is_known(&mut self.pattern, pattern)
    }

    fn is_factored(&mut self, pattern: &Arc<Pattern>) -> bool {
        self.factored && self.knows(pattern)
    }

    fn factor(&mut self, a: &BlockCsr, factors: &mut impl Factors) -> Result<(), SolveError> {
        self.factored = false;
        check_finite(a)?;
        factors.factor(a)?;
        self.factored = true;
        Ok(())
    }

    /// x = A⁻¹ b by the factors, with one step of iterative refinement, x + A⁻¹ (b − A x), where the
    /// tolerance requires it.
    fn solve(
        &mut self,
        a: &BlockCsr,
        b: &[DVec3],
        x: &mut [DVec3],
        tolerance: f64,
        factors: &mut impl Factors,
    ) -> Result<SolveReport, SolveError> {
        check_lengths(a, b, x);
        let partials = &mut self.partials;
        let bb = partials.dot(b, b);
        if !bb.is_finite() {
            return Err(SolveError::NonFinite);
        }
        if bb == 0.0 {
            x.fill(DVec3::ZERO);
            return Ok(SolveReport::default());
        }
        factors.solve(b, x);
        // The matrix and b are finite, so it was a division by a vanishing pivot.
        if !all_finite(x) {
            return Err(SolveError::Singular { row: None });
        }
        let mut iterations = 1;
        let mut rr = a.residual(b, x, &mut self.r, partials);
        if !rr.is_finite() {
            return Err(SolveError::NonFinite);
        }
        if rr > tolerance * tolerance * bb {
            factors.solve(&self.r, &mut self.correction);
            let terms = x.iter().zip(&self.correction);
            for (trial, (x, correction)) in self.trial.iter_mut().zip(terms) {
                *trial = *x + *correction;
            }
            iterations += 1;
            let refined = a.residual(b, &self.trial, &mut self.r, partials);
            if refined < rr {
                rr = refined;
                x.copy_from_slice(&self.trial);
            }
        }
        let residual = (rr / bb).sqrt();
        if residual <= tolerance.max(LOST) {
            Ok(SolveReport { iterations, residual })
        } else {
            Err(SolveError::NotConverged { iterations, residual })
        }
    }
}

pub(crate) fn check_finite(a: &BlockCsr) -> Result<(), SolveError> {
    let values: &[f64] = bytemuck::cast_slice(&a.values);
    if values.iter().fold(true, |ok, value| ok & value.is_finite()) { Ok(()) } else { Err(SolveError::NonFinite) }
}

fn too_large(pattern: &Pattern) -> SolveError {
    let unknowns = 3 * pattern.rows();
    SolveError::TooLarge { unknowns }
}
