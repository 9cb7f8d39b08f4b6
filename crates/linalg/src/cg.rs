//! The method of conjugate gradients, preconditioned, for symmetric positive definite matrices.
//!
//! ```text
//! α = r·z / p·Ap     x ← x + α p     r ← r − α A p     z ← M⁻¹ r     β = (r·z)' / r·z     p ← z + β p
//! ```
//!
//! An iteration passes over memory four times: (A p, p·Ap), (x, r, r·r), (z, r·z) and p. All sums are taken in fixed
//! chunks, so the bits do not depend on the number of threads.
//!
//! Departures from the textbook: curvature p·Ap ≤ 0 is an error that names the row with the most negative contribution; and the
//! restarts of `krylov.rs`.

use crate::krylov::{Krylov, Leg, Method, Preconditioned};
use crate::solver::SolveError;
use glam::DVec3;
use pliant_parallel::{Cost, Partials, for_each_chunk_of};

/// Preconditioned conjugate gradients.
pub type Cg = Krylov<ConjugateGradients>;

/// The vectors of the recurrence.
#[derive(Default)]
pub struct ConjugateGradients {
    r: Vec<DVec3>,
    z: Vec<DVec3>,
    p: Vec<DVec3>,
    q: Vec<DVec3>,
}

impl Method for ConjugateGradients {
    const NAME: &'static str = "cg";
    const NEEDS_SYMMETRIC: bool = true;

    fn resize(&mut self, rows: usize) {
        for v in [&mut self.r, &mut self.z, &mut self.p, &mut self.q] {
            v.resize(rows, DVec3::ZERO);
        }
    }

    fn residual(&mut self) -> &mut [DVec3] {
        &mut self.r
    }

    fn run(&mut self, system: &mut Preconditioned<'_>, x: &mut [DVec3], _rr: f64) -> Result<Leg, SolveError> {
        let Self { r, z, p, q } = self;
        let Preconditioned { a, preconditioner, goal, iterations, partials } = system;
        let mut rz = preconditioner.apply_and_dot(r, z, partials);
        p.copy_from_slice(z);
        loop {
            check_positive(rz, r, z, partials)?;
            // q = A p
            let [pq] = a.multiply_and_sum(p, q, partials, |i, q| [p[i].dot(q)]);
            check_positive(pq, p, q, partials)?;
            // α = r·z / p·Ap;  x ← x + α p;  r ← r − α A p
            let alpha = rz / pq;
            let [rr] = partials.update2(Cost::Light, x, r, |start, x, r| {
                let mut rr = 0.0;
                let steps = p[start..].iter().zip(&q[start..]);
                for ((x, r), (p, q)) in x.iter_mut().zip(r).zip(steps) {
                    *x += alpha * *p;
                    *r -= alpha * *q;
                    rr += r.length_squared();
                }
                [rr]
            });
            *iterations += 1;
            if !rr.is_finite() {
                return Err(SolveError::NonFinite);
            }
            if rr <= goal.target {
                return Ok(Leg::Converged(rr));
            }
            if *iterations >= goal.limit {
                return Ok(Leg::OutOfIterations(rr));
            }
            // z ← M⁻¹ r;  β = (r·z)' / r·z;  p ← z + β p
            let rz_before = std::mem::replace(&mut rz, preconditioner.apply_and_dot(r, z, partials));
            next_direction(p, z, rz / rz_before);
        }
    }
}

/// p = z + β p
fn next_direction(p: &mut [DVec3], z: &[DVec3], beta: f64) {
    for_each_chunk_of(Cost::Light, p, |start, p| {
        for (p, z) in p.iter_mut().zip(&z[start..]) {
            *p = *z + beta * *p;
        }
    });
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
