//! Backward Euler: `v1 = v + dt M⁻¹ F(x1, v1)`, `x1 = x + dt v1` [Adaptive] eqs. 1-2. `linearized-backward-euler` takes one Newton step
//! (the "semi-implicit Euler" of [Intro]) and measures the error of its linearized force, `ε = dt² |M⁻¹ (F(x1, v1) - F̃)|` (eq. 7), in
//! the residual form F̃ = M (v1 - v)/dt that also covers inexact solves and clamped matrices; `backward-euler` converges.
//!
//! Under restraint see `restrained.rs`.
//!
//! Truncation: x has dt² a1 where dt²/2 a is right: `dt/2 |v1 - v0|`.

use glam::DVec3;
use pliant_core::{Attempt, StepFailure, Truncation};

use super::conserve::Keep;
use super::stage::{End, Stage, StageSolver, Start};
use crate::integrator::{
    Properties, Scheme, Stability, Step, Symplectic, end_force, start_force, velocity_jump, with_velocity_jump,
};

/// What one Newton step declares.
pub const LINEARIZED: Properties = Properties {
    name: "linearized-backward-euler",
    summary: "backward Euler with one Newton step; stable, damps",
    order: 1,
    order_damped: 1,
    symplectic: Symplectic::No,
    stability: Stability::Always,
    evaluations: 1,
    solves: 1,
    predicts_force: true,
    truncation_exponent: Some(2),
    restrains: true,
    ..Properties::PLAIN
};

/// What the converged scheme declares.
pub const CONVERGED: Properties = Properties {
    name: "backward-euler",
    summary: "backward Euler with Newton's method to convergence; unconditionally stable, damps",
    predicts_force: false,
    ..LINEARIZED
};

/// Accuracy of the equations under restraint, as a part of the path of the smallest speed limit in a step: less accurate momenta do not decide
/// which particles are restrained.
const OF_REST: f64 = 0.3;

/// Both schemes.
pub struct BackwardEuler {
    converge: bool,
    stage: StageSolver,
    force: Vec<DVec3>,
}

impl BackwardEuler {
    /// The linearized or the converged scheme.
    pub fn new(converge: bool, stage: StageSolver) -> Self {
        Self { converge, stage, force: Vec::new() }
    }
}

impl Scheme for BackwardEuler {
    fn properties(&self) -> &'static Properties {
        if self.converge { &CONVERGED } else { &LINEARIZED }
    }

    fn step(&mut self, Step { system, from, dt, demand, to, work }: Step) -> Result<Attempt, StepFailure> {
        self.stage.resize(system)?;
        // A converged stage of a linear system is not linearized about its start.
        let needless = self.converge && system.is_linear() && system.restraint().is_none();
        let force = if needless { &[] } else { start_force(system, from, &mut self.force, work) };
        self.stage.x_hat.copy_from_slice(&from.state.x);
        self.stage.v_hat.copy_from_slice(&from.state.v);
        let slowest = system.restraint().map_or(f64::INFINITY, |restraint| restraint.slowest());
        self.stage.rest = OF_REST * dt * slowest;
        let start = Start { view: from.state.view(), force };
        let stage = Stage { gamma: dt, time: to.state.time, accuracy: demand.accuracy, expected: 0.0 };
        let mut end = End { x: &mut to.state.x, v: &mut to.state.v, force: &mut to.force };
        let mut attempt = Attempt::default();
        if self.converge {
            system.active_set_mut().begin_stage(&from.state.x, &from.state.v);
            let converged = self.stage.converged(system, &start, stage, &mut end, work);
            system.active_set_mut().end_stage(&from.state.x);
            converged?;
            to.force_known = true;
            let how = (dt, Keep::NoGain, demand.accuracy > 0.0);
            self.stage.conserve(system, (from, force), how, to, work)?;
        } else {
            if system.active_set().has_restrained(&from.state.v) {
                self.stage.published(system, &start, stage, &mut end, work)?;
            } else {
                self.stage.linearized(system, &start, stage, &mut end, work)?;
            }
            end_force(system, to, work);
            let (v0, v1, f1) = (&from.state.v, &to.state.v, &to.force);
            let error = |i: usize, weight: f64| (f1[i] * weight - (v1[i] - v0[i]) / dt) * (dt * dt);
            attempt.force_error = Some(self.stage.force_error(system, from, to, dt * dt, error, work)?);
            if demand.estimate {
                attempt.truncation = velocity_jump(system, from, to, dt, 0.5);
            }
            let how = (dt, Keep::NoGain, demand.accuracy > 0.0);
            self.stage.conserve(system, (from, force), how, to, work)?;
        }
        if demand.estimate && self.converge {
            let stage = &mut self.stage;
            let error = with_velocity_jump(system, from, to, dt, 0.5, |system, error| {
                stage.filtered(system, &from.state.x, work, error)
            })?;
            attempt.truncation = Some(Truncation { error, exponent: 2.0 });
        }
        Ok(attempt)
    }
}
