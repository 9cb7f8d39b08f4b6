//! The two half-step schemes of [Ropes]: Runge-Kutta 2 from the middle of the step,
//!
//! `vh = v + dt/2 a(x, v)`, `xh = x + dt/2 v`, `v1 = v + dt a(xh, vh)`, `x1 = x + dt vh`,
//!
//! and the paper's modification (table 2), which drifts to the middle with `vh` instead of `v`. The first makes an undamped oscillator
//! grow by √(1 + z⁴/4) per step; the second has determinant `1 + dt²/2 (a'(x) - a'(xh))`, exactly 1 for linear forces, and is then
//! stable up to z = 2: the paper calls it not symplectic, which is true for nonlinear forces only.

use glam::DVec3;
use pliant_core::{Attempt, StepFailure};

use crate::integrator::{
    Properties, Scheme, Stability, Step, Symplectic, acceleration_jump, drift, end_force, end_pins, kick, stage_force,
    start_force,
};

/// What the plain scheme declares.
pub const PROPERTIES: Properties = Properties {
    name: "half-step",
    summary: "Runge-Kutta 2: force from the middle of the step",
    order: 2,
    order_damped: 2,
    symplectic: Symplectic::No,
    stability: Stability::Never(|z| (1.0 + 0.25 * z.powi(4)).sqrt()),
    evaluations: 2,
    truncation_exponent: Some(3),
    ..Properties::PLAIN
};

/// What the modified scheme declares.
pub const MODIFIED: Properties = Properties {
    name: "modified-half-step",
    summary: "Runge-Kutta 2 whose middle position uses the middle velocity",
    symplectic: Symplectic::OnlyLinear,
    stability: Stability::UpTo(2.0),
    ..PROPERTIES
};

/// Both schemes.
#[derive(Debug)]
pub struct HalfStep {
    modified: bool,
    force: Vec<DVec3>,
    x_half: Vec<DVec3>,
    v_half: Vec<DVec3>,
    half_force: Vec<DVec3>,
}

impl HalfStep {
    /// The plain or the modified scheme.
    pub fn new(modified: bool) -> Self {
        let empty = Vec::new;
        Self { modified, force: empty(), x_half: empty(), v_half: empty(), half_force: empty() }
    }
}

impl Scheme for HalfStep {
    fn properties(&self) -> &'static Properties {
        if self.modified { &MODIFIED } else { &PROPERTIES }
    }

    fn step(&mut self, Step { system, from, dt, demand, to, work }: Step) -> Result<Attempt, StepFailure> {
        for buffer in [&mut self.x_half, &mut self.v_half, &mut self.half_force] {
            buffer.resize(from.state.len(), DVec3::ZERO);
        }
        let force = start_force(system, from, &mut self.force, work);
        kick(&mut self.v_half, &from.state.v, 0.5 * dt, force, system.inverse_masses());
        let carrier = if self.modified { &self.v_half } else { &from.state.v };
        drift(&mut self.x_half, &from.state.x, 0.5 * dt, carrier);
        let middle = from.state.time + 0.5 * dt;
        stage_force(system, middle, &mut self.x_half, &mut self.v_half, &mut self.half_force, work);
        kick(&mut to.state.v, &from.state.v, dt, &self.half_force, system.inverse_masses());
        drift(&mut to.state.x, &from.state.x, dt, &self.v_half);
        end_pins(system, to);
        end_force(system, to, work);
        // x misses dt³/6 a'
        let truncation = if demand.estimate { acceleration_jump(system, from, force, to, dt, 1.0 / 6.0) } else { None };
        Ok(Attempt { truncation, ..Attempt::default() })
    }
}
