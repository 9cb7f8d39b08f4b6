//! TR-BDF2 [Hosea]: the trapezoidal rule to t + γ dt, then BDF2 over both parts, γ = 2 - √2, so that both stages have the same matrix
//! `M - c dt D - (c dt)² K` with c = γ/2. Second order and L-stable: what Newmark does to smooth motion without its ringing in stiff
//! modes. Truncation: `C dt² |a1 - a0|` with C = (3γ² - 4γ + 2) / (12 (2 - γ)) = 0.0404, filtered by the stage's matrix: a sheet whose
//! stretching is a thousand times faster than the step would otherwise be stepped for forces that move nothing.

use glam::DVec3;
use pliant_core::{Attempt, StepFailure, System, Truncation, View};

use super::conserve::Keep;
use super::stage::{End, Stage, StageSolver, Start};
use crate::integrator::{
    Properties, Scheme, Stability, Step, Symplectic, drift, kick, start_force, with_acceleration_jump,
};

/// What it declares.
pub const PROPERTIES: Properties = Properties {
    name: "tr-bdf2",
    summary: "trapezoidal rule, then BDF2, both converged; second order, L-stable",
    order: 2,
    order_damped: 2,
    symplectic: Symplectic::No,
    stability: Stability::Always,
    evaluations: 2,
    solves: 2,
    truncation_exponent: Some(3),
    gains_in_contact: true,
    ..Properties::PLAIN
};

/// See the file head.
pub struct TrBdf2 {
    stage: StageSolver,
    force: Vec<DVec3>,
    x_middle: Vec<DVec3>,
    v_middle: Vec<DVec3>,
    force_middle: Vec<DVec3>,
}

impl TrBdf2 {
    /// The scheme on a stage solver.
    pub fn new(stage: StageSolver) -> Self {
        let empty = Vec::new;
        Self { stage, force: empty(), x_middle: empty(), v_middle: empty(), force_middle: empty() }
    }

    /// The stage solver, for schemes that start with this one.
    pub(crate) fn stage(&mut self) -> &mut StageSolver {
        &mut self.stage
    }
}

impl Scheme for TrBdf2 {
    fn properties(&self) -> &'static Properties {
        &PROPERTIES
    }

    fn step(&mut self, Step { system, from, dt, demand, to, work }: Step) -> Result<Attempt, StepFailure> {
        let part = 2.0 - std::f64::consts::SQRT_2;
        let gamma = 0.5 * part * dt;
        self.stage.resize(system)?;
        for buffer in [&mut self.x_middle, &mut self.v_middle, &mut self.force_middle] {
            buffer.resize(from.state.len(), DVec3::ZERO);
        }
        let force = start_force(system, from, &mut self.force, work);
        let (x0, v0) = (&from.state.x, &from.state.v);

        drift(&mut self.stage.x_hat, x0, gamma, v0);
        kick(&mut self.stage.v_hat, v0, gamma, force, system.inverse_masses());
        let start = Start { view: from.state.view(), force };
        let middle = from.state.time + part * dt;
        let mut end = End { x: &mut self.x_middle, v: &mut self.v_middle, force: &mut self.force_middle };
        self.stage.converged(
            system,
            &start,
            Stage { gamma, time: middle, accuracy: demand.accuracy, expected: 2.0 },
            &mut end,
            work,
        )?;

        // y1 = [y_γ - (1-γ)² y0] / (γ (2-γ)) + c dt y1', written as y0 plus differences: a state at rest keeps its bits
        let new = 1.0 / (part * (2.0 - part));
        let (xm, vm) = (&self.x_middle, &self.v_middle);
        System::fill(&mut self.stage.x_hat, |i| x0[i] + (xm[i] - x0[i]) * new);
        System::fill(&mut self.stage.v_hat, |i| v0[i] + (vm[i] - v0[i]) * new);
        let start = Start { view: View { time: middle, x: xm, v: vm }, force: &self.force_middle };
        let mut end = End { x: &mut to.state.x, v: &mut to.state.v, force: &mut to.force };
        self.stage.converged(
            system,
            &start,
            Stage { gamma, time: to.state.time, accuracy: demand.accuracy, expected: 1.0 },
            &mut end,
            work,
        )?;
        to.force_known = true;
        let how = (dt, Keep::All, demand.accuracy > 0.0);
        self.stage.conserve(system, (from, force), how, to, work)?;
        let constant = (3.0 * part * part - 4.0 * part + 2.0) / (12.0 * (2.0 - part));
        let mut attempt = Attempt::default();
        if demand.estimate {
            let stage = &mut self.stage;
            let error = with_acceleration_jump(system, from, force, to, dt, constant, |system, error| {
                stage.filtered(system, &from.state.x, work, error)
            })?;
            attempt.truncation = Some(Truncation { error, exponent: 3.0 });
        }
        Ok(attempt)
    }
}
