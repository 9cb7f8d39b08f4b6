//! The method of conjugate gradients, preconditioned, for symmetric positive definite matrices.
//!
//! ```text
//! α = r·z / p·Ap     x ← x + α p     r ← r − α A p     z ← M⁻¹ r     β = (r·z)' / r·z     p ← z + β p
//! ```
//!
//! An iteration passes over memory four times: (A p, p·Ap), (x, r, r·r), (z, r·z) and p. All sums are taken in fixed
//! chunks, so the bits do not depend on the number of threads.
//!
//! Departures from the textbook: curvature p·Ap ≤ 0 is an error that names the row with the most negative contribution; and after more
//! than 50 iterations the residual is computed again before it is accepted, with a restart if the recurrence was wrong.

use crate::block_csr::BlockCsr;
use crate::krylov::{DRIFT, Goal, Prepared, check_lengths, next_direction, start};
use crate::pattern::Pattern;
use crate::solver::{LinearSolver, Preconditioner, SolveError, SolveReport};
use glam::DVec3;
use pliant_parallel::{Cost, Partials};
use std::sync::Arc;

/// Preconditioned conjugate gradients.
pub struct Cg {
    /// Iterations allowed; by default 30 per block row and 100 more, at most 10,000.
    pub max_iterations: Option<usize>,
    prepared: Prepared,
    r: Vec<DVec3>,
    z: Vec<DVec3>,
    p: Vec<DVec3>,
    q: Vec<DVec3>,
    partials: Partials,
}

impl Cg {
    /// A solver that owns its preconditioner.
    pub fn new(preconditioner: Box<dyn Preconditioner>) -> Self {
        Self {
            max_iterations: None,
            prepared: Prepared::new(preconditioner),
            r: Vec::new(),
            z: Vec::new(),
            p: Vec::new(),
            q: Vec::new(),
            partials: Partials::default(),
        }
    }
}

impl LinearSolver for Cg {
    fn name(&self) -> &'static str {
        "cg"
    }

    fn needs_symmetric(&self) -> bool {
        true
    }

    fn analyze(&mut self, pattern: &Arc<Pattern>) -> Result<(), SolveError> {
        for v in [&mut self.r, &mut self.z, &mut self.p, &mut self.q] {
            v.resize(pattern.rows(), DVec3::ZERO);
        }
        self.prepared.analyze(pattern);
        Ok(())
    }

    fn set_hierarchy(&mut self, levels: &[Vec<[u32; 3]>]) {
        self.prepared.preconditioner().set_hierarchy(levels);
    }

    fn set_positions(&mut self, positions: &[DVec3]) {
        self.prepared.preconditioner().set_positions(positions);
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
        let Self { prepared, r, z, p, q, partials, .. } = self;
        let preconditioner = prepared.preconditioner();
        let Some(goal) = Goal::new(b, tolerance, self.max_iterations, partials)? else {
            x.fill(DVec3::ZERO);
            return Ok(SolveReport::default());
        };
        let mut iterations = 0;
        let mut rr_before = f64::INFINITY;
        loop {
            let mut rr = start(a, b, x, r, partials);
            if !rr.is_finite() {
                return Err(SolveError::NonFinite);
            }
            if rr <= goal.target {
                return goal.reached(iterations, rr, x);
            }
            // A restart that did not at least halve the true residual has reached the limit of the arithmetic.
            if iterations >= goal.limit || 4.0 * rr > rr_before {
                return goal.missed(iterations, rr);
            }
            rr_before = rr;
            let restarted_at = iterations;
            let mut rz = preconditioner.apply_and_dot(r, z, partials);
            p.copy_from_slice(z);
            loop {
                check_positive(rz, r, z, partials)?;
                // q = A p
                let [pq] = a.multiply_and_sum(p, q, partials, |i, q| [p[i].dot(q)]);
                check_positive(pq, p, q, partials)?;
                // α = r·z / p·Ap;  x ← x + α p;  r ← r − α A p
                let alpha = rz / pq;
                [rr] = partials.update2(Cost::Light, x, r, |start, x, r| {
                    let mut rr = 0.0;
                    let steps = p[start..].iter().zip(&q[start..]);
                    for ((x, r), (p, q)) in x.iter_mut().zip(r).zip(steps) {
                        *x += alpha * *p;
                        *r -= alpha * *q;
                        rr += r.length_squared();
                    }
                    [rr]
                });
                iterations += 1;
                if !rr.is_finite() {
                    return Err(SolveError::NonFinite);
                }
                if rr <= goal.target {
                    if iterations - restarted_at <= DRIFT {
                        return goal.reached(iterations, rr, x);
                    }
                    break;
                }
                if iterations >= goal.limit {
                    return goal.missed(iterations, rr);
                }
                // z ← M⁻¹ r;  β = (r·z)' / r·z;  p ← z + β p
                let rz_before = std::mem::replace(&mut rz, preconditioner.apply_and_dot(r, z, partials));
                next_direction(p, z, rz / rz_before);
            }
        }
    }
}

/// u·v > 0, or an error that names the row with the most negative contribution.
fn check_positive(uv: f64, u: &[DVec3], v: &[DVec3], partials: &mut Partials) -> Result<(), SolveError> {
    if uv > 0.0 && uv.is_finite() {
        return Ok(());
    }
    if !uv.is_finite() {
        return Err(SolveError::NonFinite);
    }
    let worst = partials.max(u.len(), |i| -u[i].dot(v[i]));
    let row = worst.map(|(row, _)| row);
    Err(SolveError::Indefinite { row })
}
