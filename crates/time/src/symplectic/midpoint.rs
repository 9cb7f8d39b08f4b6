//! Symplectic midpoint, repaired: `xh = x + dt/2 v`, `v1 = v + dt a(xh, v)`, `x1 = xh + dt/2 v1` (position Verlet).
//!
//! Table 2 of [Ropes] prints `v1 = v + dt/2 a(x, v)`, `x1 = x + dt v1` instead. That map preserves area, but it integrates
//! `x'' = a/2`: its error does not shrink with dt. It is kept as `symplectic-midpoint-literal`, for study only, because the energy
//! range the paper describes is that of the misprint.

use glam::DVec3;
use pliant_core::{Attempt, StepFailure};

use crate::integrator::{
    Properties, Scheme, Stability, Step, Symplectic, acceleration_jump, drift, drift_by, end_force, end_pins, kick,
    stage_force, start_force,
};

/// What the repaired scheme declares.
pub const PROPERTIES: Properties = Properties {
    name: "symplectic-midpoint",
    summary: "half a drift, a kick, half a drift (position Verlet)",
    order: 2,
    order_damped: 1,
    symplectic: Symplectic::Yes,
    stability: Stability::UpTo(2.0),
    evaluations: 1,
    truncation_exponent: Some(3),
    ..Properties::PLAIN
};

/// What the misprint declares.
pub const LITERAL: Properties = Properties {
    name: "symplectic-midpoint-literal",
    summary: "the misprint of the paper's table 2: half the force, order 0",
    order: 0,
    order_damped: 0,
    stability: Stability::UpTo(2.0 * std::f64::consts::SQRT_2),
    truncation_exponent: None,
    restrains: false,
    projects_pressure: false,
    gains_in_contact: false,
    undamped: None,
    study: Some("it integrates x'' = a/2, so no step is small enough to make it right"),
    ..PROPERTIES
};

/// The repaired scheme.
#[derive(Debug, Default)]
pub struct SymplecticMidpoint {
    start: Vec<DVec3>,
    force: Vec<DVec3>,
    x_half: Vec<DVec3>,
    v_half: Vec<DVec3>,
}

impl Scheme for SymplecticMidpoint {
    fn properties(&self) -> &'static Properties {
        &PROPERTIES
    }

    fn step(&mut self, Step { system, from, dt, demand, to, work }: Step) -> Result<Attempt, StepFailure> {
        for buffer in [&mut self.force, &mut self.x_half, &mut self.v_half] {
            buffer.resize(from.state.len(), DVec3::ZERO);
        }
        drift(&mut self.x_half, &from.state.x, 0.5 * dt, &from.state.v);
        self.v_half.copy_from_slice(&from.state.v);
        let middle = from.state.time + 0.5 * dt;
        stage_force(system, middle, &mut self.x_half, &mut self.v_half, &mut self.force, work);
        kick(&mut to.state.v, &from.state.v, dt, &self.force, system.inverse_masses());
        drift(&mut to.state.x, &self.x_half, 0.5 * dt, &to.state.v);
        end_pins(system, to);
        let mut truncation = None;
        if demand.estimate {
            let start = start_force(system, from, &mut self.start, work);
            end_force(system, to, work);
            // x has dt³/4 a' where dt³/6 a' is right
            truncation = acceleration_jump(system, from, start, to, dt, 1.0 / 12.0);
        }
        Ok(Attempt { truncation, ..Attempt::default() })
    }
}

/// The misprint.
#[derive(Debug, Default)]
pub struct SymplecticMidpointLiteral {
    force: Vec<DVec3>,
}

impl Scheme for SymplecticMidpointLiteral {
    fn properties(&self) -> &'static Properties {
        &LITERAL
    }

    fn step(&mut self, Step { system, from, dt, to, work, .. }: Step) -> Result<Attempt, StepFailure> {
        let force = start_force(system, from, &mut self.force, work);
        kick(&mut to.state.v, &from.state.v, 0.5 * dt, force, system.inverse_masses());
        to.state.x.copy_from_slice(&from.state.x);
        drift_by(&mut to.state.x, dt, &to.state.v);
        end_pins(system, to);
        end_force(system, to, work);
        Ok(Attempt::default())
    }
}
