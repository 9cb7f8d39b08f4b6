//! Sparse Cholesky factorisation, A = L Lᵀ, for symmetric positive definite matrices.

use super::dense::DenseCholesky;
use super::supernodal::Supernodal;
use super::symbolic::CholeskyCost;
use super::{Factors, Method, Refinement};
use crate::block_csr::BlockCsr;
use crate::pattern::Pattern;
use crate::solver::{LinearSolver, SolveError, SolveReport};
use glam::DVec3;
use std::sync::Arc;

/// Block rows up to which the dense path is faster, for ropes and sheets alike.
const DENSE_ROWS: usize = 12;

/// Sparse Cholesky; dense for a handful of particles. A warm `factor` and `solve` allocate nothing.
#[derive(Default)]
pub struct DirectCholesky {
    method: Method<DenseCholesky, Supernodal>,
    refinement: Refinement,
    /// Whether there is memory for a factor.
    allocated: bool,
}

impl DirectCholesky {
    /// For no pattern yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Operations of a factorisation and of a solve with matrices of this pattern. This orders and plans the elimination, which [`analyze`](LinearSolver::analyze)
    /// then need not do again, but allocates no memory for factors.
    pub fn count(&mut self, pattern: &Arc<Pattern>) -> Result<CholeskyCost, SolveError> {
        if !self.refinement.knows(pattern) {
            self.refinement.pattern = None;
            (self.refinement.factored, self.allocated) = (false, false);
            if pattern.rows() == 0 {
                self.method = Method::None;
            } else if pattern.rows() <= DENSE_ROWS {
                self.method = Method::Dense(DenseCholesky::new(pattern.rows()));
            } else if let Method::Sparse(sparse) = &mut self.method {
                sparse.plan(pattern)?;
            } else {
                let mut sparse = Box::new(Supernodal::new());
                sparse.plan(pattern)?;
                self.method = Method::Sparse(sparse);
            }
            self.refinement.analyze(pattern);
        }
        Ok(match &self.method {
            Method::None => CholeskyCost::default(),
            Method::Dense(dense) => dense.cost(),
            Method::Sparse(sparse) => sparse.cost(),
        })
    }

    /// `x = A⁻¹ b` with the factors of the last matrix, without refinement.
    pub(crate) fn substitute(&mut self, b: &[DVec3], x: &mut [DVec3]) {
        self.method.solve(b, x);
    }
}

impl LinearSolver for DirectCholesky {
    fn name(&self) -> &'static str {
        "cholesky"
    }

    fn needs_symmetric(&self) -> bool {
        true
    }

    fn analyze(&mut self, pattern: &Arc<Pattern>) -> Result<(), SolveError> {
        self.count(pattern)?;
        if let Method::Sparse(sparse) = &mut self.method
            && !self.allocated
        {
            sparse.allocate(pattern)?;
        }
        self.allocated = true;
        Ok(())
    }

    fn factor(&mut self, a: &BlockCsr) -> Result<(), SolveError> {
        self.analyze(&a.pattern)?;
        self.refinement.factor(a, &mut self.method)
    }

    fn solve(&mut self, a: &BlockCsr, b: &[DVec3], x: &mut [DVec3], tolerance: f64) -> Result<SolveReport, SolveError> {
        if !self.refinement.is_factored(&a.pattern) {
            self.factor(a)?;
        }
        self.refinement.solve(a, b, x, tolerance, &mut self.method)
    }
}
