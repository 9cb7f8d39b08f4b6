//! Newmark with γ = ½, β = ¼, the trapezoidal rule: `v1 = v + dt M⁻¹ (F + F1)/2`, `x1 = x + dt (v + v1)/2` [Adaptive] 3.3. No damping
//! of its own on linear undamped problems. `newmark` takes one Newton step and keeps order 2; its force error is
//! `ε = dt²/4 |M⁻¹ (F1 - F̃)|` (eq. 13) with F̃ = 2 M (v1 - v)/dt - F0. F0 must be the true force at the accepted state, never the
//! prediction of the step before. Truncation: `dt²/12 |a1 - a0|`.
//!
//! One Newton step has order 2 only with the exact Jacobian. Damping along turning springs makes that unsymmetric; `cg` and `cholesky`
//! see its symmetric part only, and `newmark` is then of order 1 (`newmark-newton` keeps its order with every solver).

use glam::DVec3;
use pliant_core::{Attempt, StepFailure, Truncation};

use super::conserve::Keep;
use super::stage::{End, Stage, StageSolver, Start};
use crate::integrator::{
    Properties, Scheme, Stability, Step, Symplectic, acceleration_jump, drift, end_force, kick, start_force,
};

/// Part of the accuracy to which the converged scheme solves. It damps nothing, so strains that a solve leaves stay and feed each other: a rope under
/// drag rang for ever at all of the accuracy, and takes half the solves at a tenth.
const SOLVED_TO: f64 = 0.1;

/// What one Newton step declares.
pub const LINEARIZED: Properties = Properties {
    name: "newmark",
    summary: "trapezoidal rule with one Newton step; second order, hardly damps",
    order: 2,
    order_damped: 2,
    symplectic: Symplectic::OnlyLinear,
    stability: Stability::Always,
    evaluations: 1,
    solves: 1,
    predicts_force: true,
    truncation_exponent: Some(3),
    gains_in_contact: true,
    ..Properties::PLAIN
};

/// What the converged scheme declares.
pub const CONVERGED: Properties = Properties {
    name: "newmark-newton",
    summary: "trapezoidal rule with Newton's method to convergence",
    predicts_force: false,
    ..LINEARIZED
};

/// Both schemes.
pub struct Newmark {
    converge: bool,
    stage: StageSolver,
    force: Vec<DVec3>,
}

impl Newmark {
    /// The linearized or the converged scheme.
    pub fn new(converge: bool, stage: StageSolver) -> Self {
        Self { converge, stage, force: Vec::new() }
    }
}

impl Scheme for Newmark {
    fn properties(&self) -> &'static Properties {
        if self.converge { &CONVERGED } else { &LINEARIZED }
    }

    fn step(&mut self, Step { system, from, dt, demand, to, work }: Step) -> Result<Attempt, StepFailure> {
        self.stage.resize(system)?;
        let force = start_force(system, from, &mut self.force, work);
        let gamma = 0.5 * dt;
        drift(&mut self.stage.x_hat, &from.state.x, gamma, &from.state.v);
        kick(&mut self.stage.v_hat, &from.state.v, gamma, force, system.inverse_masses());
        let start = Start { view: from.state.view(), force };
        let accuracy = if self.converge { SOLVED_TO * demand.accuracy } else { demand.accuracy };
        let stage = Stage { gamma, time: to.state.time, accuracy, expected: 2.0 };
        let mut end = End { x: &mut to.state.x, v: &mut to.state.v, force: &mut to.force };
        let mut attempt = Attempt::default();
        if self.converge {
            self.stage.converged(system, &start, stage, &mut end, work)?;
            to.force_known = true;
            let how = (dt, Keep::All, demand.accuracy > 0.0);
            self.stage.conserve(system, (from, force), how, to, work)?;
        } else {
            self.stage.linearized(system, &start, stage, &mut end, work)?;
            end_force(system, to, work);
            let (v0, v1, f1) = (&from.state.v, &to.state.v, &to.force);
            let scale = 0.25 * dt * dt;
            let error = |i: usize, weight: f64| ((f1[i] + force[i]) * weight - (v1[i] - v0[i]) * (2.0 / dt)) * scale;
            attempt.force_error = Some(self.stage.force_error(system, from, to, scale, error, work)?);
        }
        if demand.estimate {
            attempt.truncation = match !self.converge && self.stage.is_spinning(system, from) {
                // The end is strained by the force error: a1 is that of the linearized force.
                true => {
                    let (v0, v1, scale) = (&from.state.v, &to.state.v, dt / 6.0);
                    let error = |i: usize, weight: f64| (v1[i] - v0[i] - force[i] * (weight * dt)) * scale;
                    let error = self.stage.filtered(system, &from.state.x, work, error)?;
                    Some(Truncation { error, exponent: 3.0 })
                }
                false => acceleration_jump(system, from, force, to, dt, 1.0 / 12.0),
            };
        }
        if !self.converge {
            let how = (dt, Keep::NoGain, demand.accuracy > 0.0);
            self.stage.conserve(system, (from, force), how, to, work)?;
        }
        Ok(attempt)
    }
}
