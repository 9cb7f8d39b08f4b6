//! Common parts of the Krylov solvers: the preconditioner, the initial residual, the stopping criterion, the restarts.
//!
//! After more than 50 iterations the residual is computed again before it is accepted, with a restart if the recurrence was wrong.

use crate::block_csr::BlockCsr;
use crate::pattern::{Pattern, is_known};
use crate::solver::{LinearSolver, Preconditioner, SolveError, SolveReport};
use glam::DVec3;
use pliant_parallel::Partials;
use std::sync::Arc;

/// Number of steps after which the recurrence for r has drifted from b − A x so far that it must be checked.
const DRIFT: usize = 50;

/// How often a recurrence may break down.
const RESTARTS: usize = 1;

/// A Krylov method: the vectors of its recurrence.
pub trait Method: Default + Send {
    /// Its name in the catalog.
    const NAME: &'static str;
    /// Whether the matrix must be symmetric (and positive definite).
    const NEEDS_SYMMETRIC: bool;

    /// Makes room for so many block rows.
    fn resize(&mut self, rows: usize);

    /// r, where each leg starts.
    fn residual(&mut self) -> &mut [DVec3];

    /// Runs the recurrence from the residual, whose square is `rr`.
    fn run(&mut self, system: &mut Preconditioned<'_>, x: &mut [DVec3], rr: f64) -> Result<Leg, SolveError>;
}

/// The system that a recurrence solves.
pub struct Preconditioned<'a> {
    pub a: &'a BlockCsr,
    pub preconditioner: &'a mut dyn Preconditioner,
    pub goal: Goal,
    /// Done so far.
    pub iterations: usize,
    pub partials: &'a mut Partials,
}

/// Why the recurrence ended.
pub enum Leg {
    /// Below the target by the recurrence.
    Converged(f64),
    /// A division by a number at rounding level.
    Breakdown,
    /// Iterations used up, with the last r·r.
    OutOfIterations(f64),
}

/// A Krylov method as a linear solver.
pub struct Krylov<M> {
    /// Iterations allowed; by default 30 per block row and 100 more, at most 10,000.
    pub max_iterations: Option<usize>,
    prepared: Prepared,
    method: M,
    partials: Partials,
}

impl<M: Method> Krylov<M> {
    /// A solver that owns its preconditioner.
    pub fn new(preconditioner: Box<dyn Preconditioner>) -> Self {
        let prepared = Prepared::new(preconditioner);
        Self { max_iterations: None, prepared, method: M::default(), partials: Partials::default() }
    }
}

impl<M: Method> LinearSolver for Krylov<M> {
    fn name(&self) -> &'static str {
        M::NAME
    }

    fn needs_symmetric(&self) -> bool {
        M::NEEDS_SYMMETRIC
    }

    fn analyze(&mut self, pattern: &Arc<Pattern>) -> Result<(), SolveError> {
        self.method.resize(pattern.rows());
        self.prepared.analyze(pattern);
        Ok(())
    }

    fn set_hierarchy(&mut self, levels: &[Vec<[u32; 3]>]) {
        self.prepared.preconditioner.set_hierarchy(levels);
    }

    fn set_positions(&mut self, positions: &[DVec3]) {
        self.prepared.preconditioner.set_positions(positions);
    }

    fn factor(&mut self, a: &BlockCsr) -> Result<(), SolveError> {
        if !self.prepared.knows(&a.pattern) {
            self.analyze(&a.pattern)?;
        }
        self.prepared.factor(a)
    }

    fn solve(&mut self, a: &BlockCsr, b: &[DVec3], x: &mut [DVec3], tolerance: f64) -> Result<SolveReport, SolveError> {
        check_lengths(a, b, x);
        if !self.prepared.is_factored(&a.pattern) {
            self.factor(a)?;
        }
        let Self { prepared, method, partials, .. } = self;
        let Some(goal) = Goal::new(b, tolerance, self.max_iterations, partials)? else {
            x.fill(DVec3::ZERO);
            return Ok(SolveReport::default());
        };
        let preconditioner = &mut *prepared.preconditioner;
        let mut system = Preconditioned { a, preconditioner, goal, iterations: 0, partials };
        let mut breakdowns = 0;
        let mut rr_before = f64::INFINITY;
        loop {
            let first = system.iterations;
            let rr = start(a, b, x, method.residual(), system.partials);
            if !rr.is_finite() {
                return Err(SolveError::NonFinite);
            }
            if rr <= goal.target {
                return goal.reached(first, rr, x);
            }
            // A restart that did not at least halve the true residual has reached the limit of the arithmetic.
            if first >= goal.limit || 4.0 * rr > rr_before {
                return goal.missed(first, rr);
            }
            rr_before = rr;
            let leg = method.run(&mut system, x, rr)?;
            let iterations = system.iterations;
            match leg {
                Leg::Converged(rr) if iterations - first <= DRIFT => return goal.reached(iterations, rr, x),
                // The recurrence has converged; check against b − A x.
                Leg::Converged(_) => {}
                Leg::Breakdown if breakdowns >= RESTARTS => return goal.missed(iterations, rr),
                Leg::Breakdown => {
                    breakdowns += 1;
                    rr_before = f64::INFINITY;
                }
                Leg::OutOfIterations(rr) => return goal.missed(iterations, rr),
            }
        }
    }
}

/// A preconditioner with its analysed pattern, and whether it is factored.
struct Prepared {
    preconditioner: Box<dyn Preconditioner>,
    pattern: Option<Arc<Pattern>>,
    factored: bool,
}

impl Prepared {
    fn new(preconditioner: Box<dyn Preconditioner>) -> Self {
        Self { preconditioner, pattern: None, factored: false }
    }

    fn analyze(&mut self, pattern: &Arc<Pattern>) {
        self.preconditioner.analyze(pattern);
        self.pattern = Some(pattern.clone());
        self.factored = false;
    }

    fn knows(&mut self, pattern: &Arc<Pattern>) -> bool {
        is_known(&mut self.pattern, pattern)
    }

    fn is_factored(&mut self, pattern: &Arc<Pattern>) -> bool {
        self.factored && self.knows(pattern)
    }

    fn factor(&mut self, a: &BlockCsr) -> Result<(), SolveError> {
        self.factored = false;
        self.preconditioner.factor(a)?;
        self.factored = true;
        Ok(())
    }
}

/// The stopping criterion.
#[derive(Clone, Copy)]
pub struct Goal {
    bb: f64,
    pub target: f64,
    pub limit: usize,
}

impl Goal {
    /// The goal for a right-hand side; none if it is zero, since x = 0 then.
    fn new(
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

    fn residual(&self, rr: f64) -> f64 {
        (rr / self.bb).sqrt()
    }

    /// Success, unless x itself has overflowed.
    fn reached(&self, iterations: usize, rr: f64, x: &[DVec3]) -> Result<SolveReport, SolveError> {
        if !all_finite(x) {
            return Err(SolveError::NonFinite);
        }
        let residual = self.residual(rr);
        Ok(SolveReport { iterations, residual })
    }

    fn missed<T>(&self, iterations: usize, rr: f64) -> Result<T, SolveError> {
        let residual = self.residual(rr);
        Err(SolveError::NotConverged { iterations, residual })
    }
}

/// r = b − A x, and r·r; a zero guess costs no product.
fn start(a: &BlockCsr, b: &[DVec3], x: &[DVec3], r: &mut [DVec3], partials: &mut Partials) -> f64 {
    if x.iter().all(|x| *x == DVec3::ZERO) {
        r.copy_from_slice(b);
        partials.dot(b, b)
    } else {
        a.residual(b, x, r, partials)
    }
}

pub(crate) fn all_finite(x: &[DVec3]) -> bool {
    x.iter().fold(true, |finite, x| finite & x.is_finite())
}

pub(crate) fn check_lengths(a: &BlockCsr, b: &[DVec3], x: &[DVec3]) {
    let rows = a.rows();
    assert!(b.len() == rows && x.len() == rows, "{} and {} entries for {rows} block rows", b.len(), x.len());
}
