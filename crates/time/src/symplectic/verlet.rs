//! Velocity Verlet: `vh = v + dt/2 a(x, v)`, `x1 = x + dt vh`, `v1 = vh + dt/2 a(x1, vh)`. Without velocity-dependent forces the last
//! evaluation is the first of the next step and the scheme costs one; with them it costs two and drops to order 1.

use glam::DVec3;
use pliant_core::{Attempt, StepFailure};

use crate::integrator::{
    Properties, Scheme, Stability, Step, Symplectic, acceleration_jump, end_force, end_pins, kick, kick_by,
    stage_force, start_force,
};

/// What it declares.
pub const PROPERTIES: Properties = Properties {
    name: "velocity-verlet",
    summary: "half a kick, a drift, half a kick",
    order: 2,
    order_damped: 1,
    symplectic: Symplectic::Yes,
    stability: Stability::UpTo(2.0),
    evaluations: 1,
    truncation_exponent: Some(3),
    restrains: true,
    ..Properties::PLAIN
};

/// See the file head.
#[derive(Debug, Default)]
pub struct VelocityVerlet {
    force: Vec<DVec3>,
}

impl Scheme for VelocityVerlet {
    fn properties(&self) -> &'static Properties {
        &PROPERTIES
    }

    fn step(&mut self, Step { system, from, dt, demand, to, work }: Step) -> Result<Attempt, StepFailure> {
        let force = start_force(system, from, &mut self.force, work);
        kick(&mut to.state.v, &from.state.v, 0.5 * dt, force, system.inverse_masses());
        system.drift(&mut to.state.x, &from.state.x, dt, &to.state.v);
        stage_force(system, to.state.time, &mut to.state.x, &mut to.state.v, &mut to.force, work);
        kick_by(&mut to.state.v, 0.5 * dt, &to.force, system.inverse_masses());
        end_pins(system, to);
        if system.depends_on_velocity() {
            end_force(system, to, work);
        }
        to.force_known = true;
        // x misses dt³/6 a'
        let truncation = if demand.estimate { acceleration_jump(system, from, force, to, dt, 1.0 / 6.0) } else { None };
        Ok(Attempt { truncation, ..Attempt::default() })
    }
}
