//! Forest-Ruth: three kicks between four drifts with θ = 1/(2 - 2^(1/3)). Order 4 (table 1 of [Ropes] says 3), stable up to z = 1.5734.
//!
//! Truncation estimate: the three forces stand at the times 0.5 ± d and 0.5 of the step, d = (θ - 1)/2. On the path their second difference
//! would be d² dt² a'', and `dt² / (24 d²) |f1 - 2 f2 + f3|/m` the last term of the Taylor series that the scheme keeps, dt⁴/24 a''. The stages
//! are off the path by parts of dt² a: for linear forces both are 2 (2θ - 1)/(θ - 1) = 9.7 times as large. It shrinks like dt⁴, one power slower
//! than the true error: on the safe side. Where forces depend on velocity, they are evaluated at velocities of other times, and it shrinks like dt³.

use glam::DVec3;
use pliant_core::{Attempt, StepFailure, Truncation};
use pliant_scalar::math;

use crate::integrator::{Properties, Scheme, Stability, Step, Symplectic, drift_by, end_pins, kick_by, stage_force};

/// What it declares.
pub const PROPERTIES: Properties = Properties {
    name: "forest-ruth",
    summary: "three kicks, four drifts, order 4",
    order: 4,
    order_damped: 1,
    symplectic: Symplectic::Yes,
    stability: Stability::UpTo(1.573_401_9),
    evaluations: 3,
    truncation_exponent: Some(4),
    ..Properties::PLAIN
};

/// See the file head.
#[derive(Debug, Default)]
pub struct ForestRuth {
    forces: [Vec<DVec3>; 3],
}

impl Scheme for ForestRuth {
    fn properties(&self) -> &'static Properties {
        &PROPERTIES
    }

    fn step(&mut self, Step { system, from, dt, demand, to, work }: Step) -> Result<Attempt, StepFailure> {
        let theta = 1.0 / (2.0 - math::cbrt(2.0));
        to.state.x.copy_from_slice(&from.state.x);
        to.state.v.copy_from_slice(&from.state.v);
        let drifts = [0.5 * theta, 0.5 * (1.0 - theta), 0.5 * (1.0 - theta), 0.5 * theta];
        let kicks = [theta, 1.0 - 2.0 * theta, theta];
        let mut position_time = from.state.time;
        for (stage, force) in self.forces.iter_mut().enumerate() {
            force.resize(from.state.len(), DVec3::ZERO);
            drift_by(&mut to.state.x, drifts[stage] * dt, &to.state.v);
            position_time += drifts[stage] * dt;
            stage_force(system, position_time, &mut to.state.x, &mut to.state.v, force, work);
            kick_by(&mut to.state.v, kicks[stage] * dt, force, system.inverse_masses());
        }
        drift_by(&mut to.state.x, drifts[3] * dt, &to.state.v);
        end_pins(system, to);
        let truncation = demand.estimate.then(|| {
            let [f1, f2, f3] = &self.forces;
            let distance = 0.5 * (theta - 1.0);
            let scale = dt * dt / (24.0 * distance * distance);
            let error = system.max_over_free(|i, weight| (f1[i] - f2[i] * 2.0 + f3[i]) * (scale * weight));
            Truncation { error, exponent: if system.depends_on_velocity() { 3.0 } else { 4.0 } }
        });
        Ok(Attempt { truncation, ..Attempt::default() })
    }
}
