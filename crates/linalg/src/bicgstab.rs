//! BiCGSTAB, preconditioned from the right, for matrices that are not symmetric.
//!
//! ```text
//! v = A M⁻¹ p     α = ρ / r̂·v        s = r − α v          (s is kept in r)
//! t = A M⁻¹ s     ω = t·s / t·t       x ← x + α M⁻¹p + ω M⁻¹s     r ← s − ω t
//! ρ' = r̂·r        β = (ρ'/ρ)(α/ω)     p ← r + β (p − ω v)
//! ```
//!
//! The residual is that of the original system, since the preconditioner is applied from the right. The recurrence breaks
//! down where r̂·v, ρ or ω vanish; it is restarted once from the true residual with a new r̂, then the solve fails.

use crate::block_csr::BlockCsr;
use crate::krylov::{DRIFT, Goal, Prepared, check_lengths, start};
use crate::pattern::Pattern;
use crate::solver::{LinearSolver, Preconditioner, SolveError, SolveReport};
use glam::DVec3;
use pliant_parallel::{Cost, Partials, for_each_chunk_of};
use std::sync::Arc;

/// |u·v| below this part of ‖u‖‖v‖ is rounding.
const BREAKDOWN: f64 = 1e-15;

/// How often the recurrence may break down.
const RESTARTS: usize = 1;

/// Preconditioned BiCGSTAB.
pub struct BiCgStab {
    /// Iterations allowed (two products each); by default 30 per block row and 100 more, at most 10,000.
    pub max_iterations: Option<usize>,
    prepared: Prepared,
    work: Work,
    partials: Partials,
}

#[derive(Default)]
struct Work {
    r: Vec<DVec3>,
    /// The shadow residual r̂.
    shadow: Vec<DVec3>,
    p: Vec<DVec3>,
    v: Vec<DVec3>,
    t: Vec<DVec3>,
    /// M⁻¹ p
    y: Vec<DVec3>,
    /// M⁻¹ s
    z: Vec<DVec3>,
}

/// Why the recurrence ended.
enum Leg {
    /// Below the target by the recurrence.
    Converged(f64),
    /// A division by a number at rounding level.
    Breakdown,
    /// Iterations used up, with the last r·r.
    OutOfIterations(f64),
}

impl BiCgStab {
    /// A solver that owns its preconditioner.
    pub fn new(preconditioner: Box<dyn Preconditioner>) -> Self {
        Self {
            max_iterations: None,
            prepared: Prepared::new(preconditioner),
            work: Work::default(),
            partials: Partials::default(),
        }
    }

    /// Runs the recurrence from the residual in `work.r`.
    fn run(
        &mut self,
        a: &BlockCsr,
        x: &mut [DVec3],
        goal: &Goal,
        iterations: &mut usize,
        mut rr: f64,
    ) -> Result<Leg, SolveError> {
        let Work { r, shadow, p, v, t, y, z } = &mut self.work;
        let partials = &mut self.partials;
        shadow.copy_from_slice(r);
        p.copy_from_slice(r);
        let shadow_norm = rr.sqrt();
        let mut rho = rr;
        loop {
            if *iterations >= goal.limit {
                return Ok(Leg::OutOfIterations(rr));
            }
            *iterations += 1;
            // v = A M⁻¹ p;  α = ρ / r̂·v
            self.prepared.preconditioner().apply(p, y);
            let [shadow_v, vv] = a.multiply_and_sum(y, v, partials, |i, v| [shadow[i].dot(v), v.length_squared()]);
            if !(shadow_v.is_finite() && vv.is_finite()) {
                return Err(SolveError::NonFinite);
            }
            if shadow_v.abs() <= BREAKDOWN * shadow_norm * vv.sqrt() {
                return Ok(Leg::Breakdown);
            }
            let alpha = rho / shadow_v;
            // s = r − α v
            let [ss] = partials.update(Cost::Light, r, |start, r| {
                let mut ss = 0.0;
                for (r, v) in r.iter_mut().zip(&v[start..]) {
                    *r -= alpha * *v;
                    ss += r.length_squared();
                }
                [ss]
            });
            if !ss.is_finite() {
                return Err(SolveError::NonFinite);
            }
            if ss <= goal.target {
                for_each_chunk_of(Cost::Light, x, |start, x| {
                    for (x, y) in x.iter_mut().zip(&y[start..]) {
                        *x += alpha * *y;
                    }
                });
                return Ok(Leg::Converged(ss));
            }
            // t = A M⁻¹ s;  ω = t·s / t·t
            self.prepared.preconditioner().apply(r, z);
            let [ts, tt] = a.multiply_and_sum(z, t, partials, |i, t| [t.dot(r[i]), t.length_squared()]);
            if !(ts.is_finite() && tt.is_finite()) {
                return Err(SolveError::NonFinite);
            }
            let omega = if tt > 0.0 { ts / tt } else { 0.0 };
            // x ← x + α M⁻¹p + ω M⁻¹s;  r ← s − ω t;  ρ' = r̂·r
            let [rr_next, rho_next] = partials.update2(Cost::Light, x, r, |start, x, r| {
                let mut sums = [0.0; 2];
                for (i, (x, r)) in x.iter_mut().zip(r).enumerate() {
                    let i = start + i;
                    *x += alpha * y[i] + omega * z[i];
                    *r -= omega * t[i];
                    sums[0] += r.length_squared();
                    sums[1] += shadow[i].dot(*r);
                }
                sums
            });
            rr = rr_next;
            if !(rr.is_finite() && rho_next.is_finite()) {
                return Err(SolveError::NonFinite);
            }
            if rr <= goal.target {
                return Ok(Leg::Converged(rr));
            }
            let omega_lost = ts.abs() <= BREAKDOWN * (tt * ss).sqrt();
            if omega_lost || rho_next.abs() <= BREAKDOWN * shadow_norm * rr.sqrt() {
                return Ok(Leg::Breakdown);
            }
            // β = (ρ'/ρ)(α/ω);  p ← r + β (p − ω v)
            let beta = (rho_next / rho) * (alpha / omega);
            rho = rho_next;
            for_each_chunk_of(Cost::Light, p, |start, p| {
                for (i, p) in p.iter_mut().enumerate() {
                    let i = start + i;
                    *p = r[i] + beta * (*p - omega * v[i]);
                }
            });
        }
    }
}

impl LinearSolver for BiCgStab {
    fn name(&self) -> &'static str {
        "bicgstab"
    }

    fn needs_symmetric(&self) -> bool {
        false
    }

    fn analyze(&mut self, pattern: &Arc<Pattern>) -> Result<(), SolveError> {
        let Work { r, shadow, p, v, t, y, z } = &mut self.work;
        for vector in [r, shadow, p, v, t, y, z] {
            vector.resize(pattern.rows(), DVec3::ZERO);
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
        let Some(goal) = Goal::new(b, tolerance, self.max_iterations, &mut self.partials)? else {
            x.fill(DVec3::ZERO);
            return Ok(SolveReport::default());
        };
        let mut iterations = 0;
        let mut breakdowns = 0;
        let mut rr_before = f64::INFINITY;
        loop {
            let rr = start(a, b, x, &mut self.work.r, &mut self.partials);
            if !rr.is_finite() {
                return Err(SolveError::NonFinite);
            }
            if rr <= goal.target {
                return goal.reached(iterations, rr, x);
            }
            // The limit of the arithmetic, as in `Cg`.
            if iterations >= goal.limit || 4.0 * rr > rr_before {
                return goal.missed(iterations, rr);
            }
            rr_before = rr;
            let first = iterations;
            match self.run(a, x, &goal, &mut iterations, rr)? {
                Leg::Converged(rr) if iterations - first <= DRIFT => {
                    return goal.reached(iterations, rr, x);
                }
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
