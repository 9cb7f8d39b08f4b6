//! "Midpoint" of [Ropes] (Cromer): `v1 = v + dt a(x, v)`, `x1 = x + dt (v + v1)/2`. The paper calls it second order; its velocity is
//! only locally second order, so globally it is of order 1, and an undamped oscillator grows by √(1 + z²/2) per step.

use glam::DVec3;
use pliant_core::{Attempt, StepFailure};

use crate::integrator::{
    Properties, Scheme, Stability, Step, Symplectic, acceleration_jump, drift, drift_by, end_force, end_pins, kick,
    start_force,
};

/// What it declares.
pub const PROPERTIES: Properties = Properties {
    name: "midpoint",
    summary: "position from the mean of old and new velocity (Cromer); first order, whatever its name says",
    order: 1,
    order_damped: 1,
    symplectic: Symplectic::No,
    stability: Stability::Never(|z| (1.0 + 0.5 * z * z).sqrt()),
    evaluations: 1,
    truncation_exponent: Some(3),
    ..Properties::PLAIN
};

/// See the file head.
#[derive(Debug, Default)]
pub struct Midpoint {
    force: Vec<DVec3>,
}

impl Scheme for Midpoint {
    fn properties(&self) -> &'static Properties {
        &PROPERTIES
    }

    fn step(&mut self, Step { system, from, dt, demand, to, work }: Step) -> Result<Attempt, StepFailure> {
        let force = start_force(system, from, &mut self.force, work);
        kick(&mut to.state.v, &from.state.v, dt, force, system.inverse_masses());
        drift(&mut to.state.x, &from.state.x, 0.5 * dt, &from.state.v);
        drift_by(&mut to.state.x, 0.5 * dt, &to.state.v);
        end_pins(system, to);
        end_force(system, to, work);
        // v misses dt²/2 a', which is dt³/2 a' in the next position
        let truncation = if demand.estimate { acceleration_jump(system, from, force, to, dt, 0.5) } else { None };
        Ok(Attempt { truncation, ..Attempt::default() })
    }
}
