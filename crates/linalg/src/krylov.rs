//! Common parts of the Krylov solvers: the preconditioner, the initial residual, the stopping criterion.

use crate::block_csr::BlockCsr;
use crate::pattern::{Pattern, is_known};
use crate::solver::{Preconditioner, SolveError, SolveReport};
use glam::DVec3;
use pliant_parallel::{Cost, Partials, for_each_chunk_of};
use std::sync::Arc;

/// Number of steps after which the recurrence for r has drifted from b − A x so far that it must be checked.
pub(crate) const DRIFT: usize = 50;

/// A preconditioner with its analysed pattern, and whether it is factored.
pub(crate) struct Prepared {
    preconditioner: Box<dyn Preconditioner>,
    pattern: Option<Arc<Pattern>>,
    factored: bool,
}

impl Prepared {
    pub fn new(preconditioner: Box<dyn Preconditioner>) -> Self {
        Self { preconditioner, pattern: None, factored: false }
    }

    pub fn analyze(&mut self, pattern: &Arc<Pattern>) {
        self.preconditioner.analyze(pattern);
        self.pattern = Some(pattern.clone());
        self.factored = false;
    }

    pub fn knows(&mut self, pattern: &Arc<Pattern>) -> bool {
        is_known(&mut self.pattern, pattern)
    }

    pub fn is_factored(&mut self, pattern: &Arc<Pattern>) -> bool {
        self.factored && self.knows(pattern)
    }

    pub fn factor(&mut self, a: &BlockCsr) -> Result<(), SolveError> {
        self.factored = false;
        self.preconditioner.factor(a)?;
        self.factored = true;
        Ok(())
    }

    pub fn preconditioner(&mut self) -> &mut dyn Preconditioner {
        &mut *self.preconditioner
    }
}

/// The stopping criterion.
#[derive(Clone, Copy)]
pub(crate) struct Goal {
    bb: f64,
    pub target: f64,
    pub limit: usize,
}

impl Goal {
    /// The goal for a right-hand side; none if it is zero, since x = 0 then.
    pub fn new(
        b: &[DVec3],
        tolerance: f64,
        limit: Option<usize>,
        partials: &mut Partials,
    ) -> Result<Option<Self>, SolveError> {
        let bb = partials.dot(b, b);
        if !bb.is_finite() {
            return Err(SolveError::NonFinite);
        }
        // In exact arithmetic 3n iterations suffice; the limit keeps a hopeless system from blocking a run.
        let limit = limit.unwrap_or_else(|| (10 * 3 * b.len() + 100).min(10_000));
        let target = tolerance * tolerance * bb;
        Ok((bb > 0.0).then_some(Self { bb, target, limit }))
    }

    pub fn residual(&self, rr: f64) -> f64 {
        (rr / self.bb).sqrt()
    }

    /// Success, unless x itself has overflowed.
    pub fn reached(&self, iterations: usize, rr: f64, x: &[DVec3]) -> Result<SolveReport, SolveError> {
        if !all_finite(x) {
            return Err(SolveError::NonFinite);
        }
        let residual = self.residual(rr);
        Ok(SolveReport { iterations, residual })
    }

    pub fn missed<T>(&self, iterations: usize, rr: f64) -> Result<T, SolveError> {
        let residual = self.residual(rr);
        Err(SolveError::NotConverged { iterations, residual })
    }
}

/// r = b − A x, and r·r; a zero guess costs no product.
pub(crate) fn start(a: &BlockCsr, b: &[DVec3], x: &[DVec3], r: &mut [DVec3], partials: &mut Partials) -> f64 {
    if x.iter().all(|x| *x == DVec3::ZERO) {
        r.copy_from_slice(b);
        partials.dot(b, b)
    } else {
        a.residual(b, x, r, partials)
    }
}

/// p = z + β p
pub(crate) fn next_direction(p: &mut [DVec3], z: &[DVec3], beta: f64) {
    for_each_chunk_of(Cost::Light, p, |start, p| {
        for (p, z) in p.iter_mut().zip(&z[start..]) {
            *p = *z + beta * *p;
        }
    });
}

pub(crate) fn all_finite(x: &[DVec3]) -> bool {
    x.iter().fold(true, |finite, x| finite & x.is_finite())
}

pub(crate) fn check_lengths(a: &BlockCsr, b: &[DVec3], x: &[DVec3]) {
    let rows = a.rows();
    assert!(b.len() == rows && x.len() == rows, "{} and {} entries for {rows} block rows", b.len(), x.len());
}
