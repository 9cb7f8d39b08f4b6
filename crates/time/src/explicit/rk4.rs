//! The classical Runge-Kutta scheme of order 4 on (x, v). Because the force at the end of a step is the first of the next, an
//! embedded third-order solution is free: moving any part c of the last weight 1/6 from stage 4 to the end keeps all conditions of
//! order 3, so with c = 1/6 the difference is `dt/6 (k4 - k(x1, v1))`, which shrinks like dt⁴.

use glam::DVec3;
use pliant_core::{Attempt, ErrorAt, StepFailure, System, Truncation};

use crate::integrator::{
    Properties, Scheme, Stability, Step, Symplectic, drift, end_force, end_pins, force_difference, kick, stage_force,
    start_force,
};

/// What it declares.
pub const PROPERTIES: Properties = Properties {
    name: "rk4",
    summary: "classical Runge-Kutta of order 4; loses a little energy",
    order: 4,
    order_damped: 4,
    symplectic: Symplectic::No,
    stability: Stability::UpTo(2.0 * std::f64::consts::SQRT_2),
    evaluations: 4,
    truncation_exponent: Some(4),
    ..Properties::PLAIN
};

/// See the file head.
#[derive(Debug, Default)]
pub struct Rk4 {
    force: Vec<DVec3>,
    x: Vec<DVec3>,
    v: [Vec<DVec3>; 3],
    f: [Vec<DVec3>; 3],
}

impl Scheme for Rk4 {
    fn properties(&self) -> &'static Properties {
        &PROPERTIES
    }

    fn step(&mut self, Step { system, from, dt, demand, to, work }: Step) -> Result<Attempt, StepFailure> {
        let count = from.state.len();
        self.v.iter_mut().chain(&mut self.f).chain([&mut self.x]).for_each(|b| b.resize(count, DVec3::ZERO));
        let (x0, v0, t0) = (&from.state.x, &from.state.v, from.state.time);
        let f1 = start_force(system, from, &mut self.force, work);
        let ([v2, v3, v4], [f2, f3, f4]) = (&mut self.v, &mut self.f);

        drift(&mut self.x, x0, 0.5 * dt, v0);
        kick(v2, v0, 0.5 * dt, f1, system.inverse_masses());
        stage_force(system, t0 + 0.5 * dt, &mut self.x, v2, f2, work);
        drift(&mut self.x, x0, 0.5 * dt, v2);
        kick(v3, v0, 0.5 * dt, f2, system.inverse_masses());
        stage_force(system, t0 + 0.5 * dt, &mut self.x, v3, f3, work);
        drift(&mut self.x, x0, dt, v3);
        kick(v4, v0, dt, f3, system.inverse_masses());
        stage_force(system, t0 + dt, &mut self.x, v4, f4, work);

        let (v2, v3, v4, f2, f3, f4) = (&*v2, &*v3, &*v4, &*f2, &*f3, &*f4);
        let weights = system.inverse_masses();
        let sixth = dt / 6.0;
        System::fill(&mut to.state.x, |i| x0[i] + (v0[i] + (v2[i] + v3[i]) * 2.0 + v4[i]) * sixth);
        System::fill(&mut to.state.v, |i| v0[i] + (f1[i] + (f2[i] + f3[i]) * 2.0 + f4[i]) * (sixth * weights[i]));
        end_pins(system, to);
        end_force(system, to, work);
        let truncation = demand.estimate.then(|| {
            let v1 = &to.state.v;
            let position = system.max_over_free(|i, _| (v4[i] - v1[i]) * sixth);
            let velocity = force_difference(system, f4, &to.force, sixth * dt);
            Truncation { error: larger(position, velocity), exponent: 4.0 }
        });
        Ok(Attempt { truncation, ..Attempt::default() })
    }
}

fn larger(a: ErrorAt, b: ErrorAt) -> ErrorAt {
    if b.metres > a.metres || b.metres.is_nan() { b } else { a }
}
