//! Explicit Euler [Intro] eqs. 9 and 12: `x1 = x + dt v`, `v1 = v + dt a(x, v)`. An undamped oscillator grows by √(1 + z²) per step.

use glam::DVec3;
use pliant_core::{Attempt, StepFailure};

use crate::integrator::{
    Properties, Scheme, Stability, Step, Symplectic, drift, end_force, end_pins, kick, start_force, velocity_jump,
};

/// What it declares.
pub const PROPERTIES: Properties = Properties {
    name: "explicit-euler",
    summary: "position and velocity both from the start of the step; adds energy",
    order: 1,
    order_damped: 1,
    symplectic: Symplectic::No,
    stability: Stability::Never(|z| (1.0 + z * z).sqrt()),
    evaluations: 1,
    truncation_exponent: Some(2),
    ..Properties::PLAIN
};

/// See the file head.
#[derive(Debug, Default)]
pub struct ExplicitEuler {
    force: Vec<DVec3>,
}

impl Scheme for ExplicitEuler {
    fn properties(&self) -> &'static Properties {
        &PROPERTIES
    }

    fn step(&mut self, Step { system, from, dt, demand, to, work }: Step) -> Result<Attempt, StepFailure> {
        let force = start_force(system, from, &mut self.force, work);
        drift(&mut to.state.x, &from.state.x, dt, &from.state.v);
        kick(&mut to.state.v, &from.state.v, dt, force, system.inverse_masses());
        end_pins(system, to);
        end_force(system, to, work);
        // x misses dt²/2 a
        let truncation = if demand.estimate { velocity_jump(system, from, to, dt, 0.5) } else { None };
        Ok(Attempt { truncation, ..Attempt::default() })
    }
}
