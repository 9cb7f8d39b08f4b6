//! Symplectic Euler: `v1 = v + dt a(x, v)`, `x1 = x + dt v1`. One evaluation, area preserving, stable up to z = 2. (It is this scheme,
//! not the explicit one, that the "proof of instability" of [Intro] 3.2.1 applies to; it is stable.)

use glam::DVec3;
use pliant_core::{Attempt, StepFailure};

use crate::integrator::{
    Properties, Scheme, Stability, Step, Symplectic, end_force, end_pins, kick, start_force, velocity_jump,
};

/// What it declares.
pub const PROPERTIES: Properties = Properties {
    name: "symplectic-euler",
    summary: "velocity first, then position with the new velocity",
    order: 1,
    order_damped: 1,
    symplectic: Symplectic::Yes,
    stability: Stability::UpTo(2.0),
    evaluations: 1,
    truncation_exponent: Some(2),
    restrains: true,
    projects_pressure: true,
    ..Properties::PLAIN
};

/// See the file head.
#[derive(Debug, Default)]
pub struct SymplecticEuler {
    force: Vec<DVec3>,
}

impl Scheme for SymplecticEuler {
    fn properties(&self) -> &'static Properties {
        &PROPERTIES
    }

    fn step(&mut self, Step { system, from, dt, demand, to, work }: Step) -> Result<Attempt, StepFailure> {
        let force = start_force(system, from, &mut self.force, work);
        kick(&mut to.state.v, &from.state.v, dt, force, system.inverse_masses());
        let (projection_energy, iterations) = system.project_velocities(&from.state.view(), dt, &mut to.state.v)?;
        work.linear_iterations += iterations;
        system.drift(&mut to.state.x, &from.state.x, dt, &to.state.v);
        end_pins(system, to);
        end_force(system, to, work);
        // x has dt² a where dt²/2 a is right
        let truncation = if demand.estimate { velocity_jump(system, from, to, dt, 0.5) } else { None };
        Ok(Attempt { truncation, projection_energy, ..Attempt::default() })
    }
}
