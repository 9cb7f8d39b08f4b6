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

use crate::krylov::{Krylov, Leg, Method, Preconditioned};
use crate::solver::SolveError;
use glam::DVec3;
use pliant_parallel::{Cost, for_each_chunk_of};

/// |u·v| below this part of ‖u‖‖v‖ is rounding.
const BREAKDOWN: f64 = 1e-15;

/// Preconditioned BiCGSTAB; an iteration has two products.
pub type BiCgStab = Krylov<Stabilized>;

/// The vectors of the recurrence.
#[derive(Default)]
pub struct Stabilized {
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

impl Method for Stabilized {
    const NAME: &'static str = "bicgstab";
    const NEEDS_SYMMETRIC: bool = false;

    fn resize(&mut self, rows: usize) {
        let Self { r, shadow, p, v, t, y, z } = self;
        for vector in [r, shadow, p, v, t, y, z] {
            vector.resize(rows, DVec3::ZERO);
        }
    }

    fn residual(&mut self) -> &mut [DVec3] {
        &mut self.r
    }

    fn run(&mut self, system: &mut Preconditioned<'_>, x: &mut [DVec3], mut rr: f64) -> Result<Leg, SolveError> {
        let Self { r, shadow, p, v, t, y, z } = self;
        let Preconditioned { a, preconditioner, goal, iterations, partials } = system;
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
            preconditioner.apply(p, y);
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
            preconditioner.apply(r, z);
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
