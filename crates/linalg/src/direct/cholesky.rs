//! Sparse Cholesky factorisation, A = L Lᵀ, for symmetric positive definite matrices.

use super::dense::DenseCholesky;
use super::supernodal::Supernodal;
use super::symbolic::CholeskyCost;
use super::{Refinement, check_finite};
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
    method: Method,
    refinement: Refinement,
    factored: bool,
}

#[derive(Default)]
enum Method {
    /// Not analysed yet, or an empty system.
    #[default]
    None,
    Dense(DenseCholesky),
    Sparse(Box<Supernodal>),
}

impl DirectCholesky {
    /// For no pattern yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Operations of a factorisation and a solve with the pattern last analysed.
    pub fn cost(&self) -> CholeskyCost {
        match &self.method {
            Method::None => CholeskyCost::default(),
            Method::Dense(dense) => dense.cost(),
            Method::Sparse(sparse) => sparse.cost(),
        }
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
        if self.refinement.knows(pattern) {
            return Ok(());
        }
        self.factored = false;
        self.refinement.pattern = None;
        if pattern.rows() == 0 {
            self.method = Method::None;
        } else if pattern.rows() <= DENSE_ROWS {
            self.method = Method::Dense(DenseCholesky::new(pattern.rows()));
        } else if let Method::Sparse(sparse) = &mut self.method {
            sparse.analyze(pattern)?;
        } else {
            let mut sparse = Box::new(Supernodal::new());
            sparse.analyze(pattern)?;
            self.method = Method::Sparse(sparse);
        }
        self.refinement.analyze(pattern);
        Ok(())
    }

    fn factor(&mut self, a: &BlockCsr) -> Result<(), SolveError> {
        self.analyze(&a.pattern)?;
        self.factored = false;
        check_finite(a)?;
        match &mut self.method {
            Method::None => {}
            Method::Dense(dense) => dense.factor(a)?,
            Method::Sparse(sparse) => sparse.factor(a)?,
        }
        self.factored = true;
        Ok(())
    }

    fn solve(&mut self, a: &BlockCsr, b: &[DVec3], x: &mut [DVec3], tolerance: f64) -> Result<SolveReport, SolveError> {
        if !self.factored || !self.refinement.knows(&a.pattern) {
            self.factor(a)?;
        }
        let method = &mut self.method;
        self.refinement.solve(a, b, x, tolerance, |b, x| match method {
            Method::None => {}
            Method::Dense(dense) => dense.solve(b, x),
            Method::Sparse(sparse) => sparse.solve(b, x),
        })
    }
}
