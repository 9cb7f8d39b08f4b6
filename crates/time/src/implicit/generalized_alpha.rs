//! The generalized-α method for first-order systems [Jansen] on y = (x, v), y' = f(y) = (v, M⁻¹F), with a slope d ≈ y' as history:
//!
//! `y1 = y0 + dt [(1-γ) d0 + γ d1]`,  `(1-αm) d0 + αm d1 = f(y_α)`,  `y_α = y0 + αf (y1 - y0)` at t + αf dt,
//!
//! αm = (3-ρ) / 2(1+ρ), αf = 1/(1+ρ), γ = ½ + αm - αf. Of second order and stable for every ρ from 0 (BDF2) to 1 (trapezoidal rule); ρ is
//! what a step leaves of an infinitely fast mode, here ½. Without d1 it is one stage, `y_α = y0 + B dt d0 + C dt f(y_α)` with
//! B = αf (αf - ½)/αm and C = αf γ/αm.
//!
//! *Changing steps.* The second equation makes d the slope not at t but at t + (αf - αm) dt, up to dt². A step r times as long as the one
//! before it needs the slope r times as far from t: `d0 ← f(y0) + r (d0 - f(y0))`. Without that, steps that alternate would have order 1.
//! In stiff modes the map of (y, d) then has the determinant r/4, so r must stay below 4; among random cycles of 2 to 4 steps none with r up
//! to 3 was found to make a mode grow. No history is r = 0, and the step the θ-method with θ = C = 8/15: one error of dt² in the whole run.
//!
//! *Truncation.* Eliminating d leaves a multistep formula with ρ(ζ) = (1 + αm u) u and σ(ζ) = (1 + γ u)(1 + αf u), u = ζ - 1. With
//! ln ζ = u - u²/2 + u³/3 - … it misses by ρ(ζ) - σ(ζ) ln ζ = (αm/2 - 1/12 - γ αf) u³ + …: each step adds `(1/3 - 1/s + 1/s²) dt³ y'''` to the
//! error, s = 1 + ρ (trapezoidal rule: 1/12). For ρ = ½ it is 1/9, and the estimate `dt²/9 |a1 - a0|`, filtered like that of TR-BDF2.
//!
//! Forces are in balance at y_α, not at y1: a stiff rotating body ends the step off its circle by `(αf⁻¹ - 1) θ²/3` of its radius, and its force
//! there is due to that strain and not to a'. For spinning bodies a' is therefore taken from the slopes, `(d1 - d0)/dt`, and the difference of
//! the end force is added as a strain error, `C² dt² |a1 - ã1|` filtered. The first step adds the error of the θ-method, `(C - ½) dt |v1 - v0|`.

use glam::DVec3;
use pliant_core::{Attempt, Memory, StepFailure, System, Truncation};

use super::conserve::{Keep, gained_in_contact};
use super::free_flight::RigidPath;
use super::stage::{End, Stage, StageSolver, Start};
use crate::integrator::{
    ErrorOf, Properties, Scheme, Stability, Step, Symplectic, end_force, end_pins, start_force, with_acceleration_jump,
};

/// Part of the accuracy to which stages are solved: it damps little, so in contact strains that a solve leaves add up.
const SOLVED_TO: f64 = 0.1;
/// ρ, the spectral radius at infinite ω dt,
const AT_INFINITY: f64 = 0.5;
/// αm,
const ALPHA_M: f64 = (3.0 - AT_INFINITY) / (2.0 * (1.0 + AT_INFINITY));
/// αf,
const ALPHA_F: f64 = 1.0 / (1.0 + AT_INFINITY);
/// γ,
const GAMMA: f64 = 0.5 + ALPHA_M - ALPHA_F;
/// B: what the stage takes from the old slope,
const OLD: f64 = ALPHA_F * (ALPHA_F - 0.5) / ALPHA_M;
/// C: and from its own,
const OWN: f64 = ALPHA_F * GAMMA / ALPHA_M;
/// and the error of a step over dt³ y'''.
const ERROR: f64 = 1.0 / 3.0 - ALPHA_F + ALPHA_F * ALPHA_F;

/// What it declares.
pub const PROPERTIES: Properties = Properties {
    name: "generalized-alpha",
    summary: "generalized-α, converged; second order, halves infinitely fast modes in each step",
    order: 2,
    order_damped: 2,
    symplectic: Symplectic::No,
    stability: Stability::Always,
    evaluations: 2,
    solves: 1,
    max_ratio: 3.0,
    truncation_exponent: Some(3),
    gains_in_contact: true,
    ..Properties::PLAIN
};

/// See the file head. Memory: `vectors` = slopes of x and of v; `scalars` = length of the last step.
pub struct GeneralizedAlpha {
    stage: StageSolver,
    force: Vec<DVec3>,
    slope_x: Vec<DVec3>,
    slope_v: Vec<DVec3>,
    v_stage: Vec<DVec3>,
}

impl GeneralizedAlpha {
    /// The scheme on a stage solver.
    pub fn new(stage: StageSolver) -> Self {
        let empty = Vec::new;
        Self { stage, force: empty(), slope_x: empty(), slope_v: empty(), v_stage: empty() }
    }
}

/// dt over the last step; 0 where there is none, or where the slope would have to be moved too far.
fn usable_ratio(memory: &Memory, dt: f64) -> f64 {
    let ratio = memory.scalars.first().map_or(0.0, |last| dt / last);
    if ratio * (1.0 - 1e-9) <= PROPERTIES.max_ratio { ratio } else { 0.0 }
}

impl Scheme for GeneralizedAlpha {
    fn properties(&self) -> &'static Properties {
        &PROPERTIES
    }

    fn step(&mut self, Step { system, from, dt, demand, to, work }: Step) -> Result<Attempt, StepFailure> {
        self.stage.resize(system)?;
        to.memory.vectors.resize_with(2, Vec::new);
        to.memory.scalars.resize(1, 0.0);
        let (slopes, scratch) = (&mut to.memory.vectors, [&mut self.slope_x, &mut self.slope_v, &mut self.v_stage]);
        slopes.iter_mut().chain(scratch).for_each(|buffer| buffer.resize(from.state.len(), DVec3::ZERO));
        to.memory.scalars[0] = dt;

        let ratio = usable_ratio(&from.memory, dt);
        // Equal steps of a linear system need no force but that of the stage.
        let needs_force = demand.estimate || !system.is_linear();
        let force = if needs_force || ratio != 1.0 { start_force(system, from, &mut self.force, work) } else { &[] };
        let (x0, v0) = (&from.state.x, &from.state.v);
        let weights = system.inverse_masses();
        match &from.memory.vectors[..] {
            [dx, dv] if ratio == 1.0 => {
                self.slope_x.copy_from_slice(dx);
                self.slope_v.copy_from_slice(dv);
            }
            [dx, dv] if ratio > 0.0 => {
                System::fill(&mut self.slope_x, |i| v0[i] + (dx[i] - v0[i]) * ratio);
                let now = |i: usize| force[i] * weights[i];
                System::fill(&mut self.slope_v, |i| now(i) + (dv[i] - now(i)) * ratio);
            }
            _ => {
                self.slope_x.copy_from_slice(v0);
                System::fill(&mut self.slope_v, |i| force[i] * weights[i]);
            }
        }
        let (dx0, dv0) = (&self.slope_x, &self.slope_v);

        System::fill(&mut self.stage.x_hat, |i| x0[i] + dx0[i] * (OLD * dt));
        System::fill(&mut self.stage.v_hat, |i| v0[i] + dv0[i] * (OLD * dt));
        let goal = Stage {
            gamma: OWN * dt,
            time: from.state.time + ALPHA_F * dt,
            // y1 - y0 is 1/αf times the change found by the stage, and so is its error
            accuracy: SOLVED_TO * ALPHA_F * demand.accuracy,
            expected: ALPHA_F / OLD,
        };
        let start = Start { view: from.state.view(), force };
        let mut end = End { x: &mut to.state.x, v: &mut self.v_stage, force: &mut to.force };
        if demand.accuracy > 0.0 && ratio > 0.0 && !system.has_contact() && !system.is_linear() {
            System::fill(end.v, |i| v0[i] + dv0[i] * (ALPHA_F * dt));
            self.stage.predicted(system, &start, goal, &mut end, work)?;
        } else {
            self.stage.converged(system, &start, goal, &mut end, work)?;
        }

        // The slope of x from the stage's velocity, not from a difference of positions: far from the origin those have few digits.
        let [dx1, dv1] = &mut to.memory.vectors[..] else { unreachable!("there are two") };
        let va = &self.v_stage;
        System::fill(dx1, |i| (va[i] - dx0[i] * (1.0 - ALPHA_M)) / ALPHA_M);
        System::fill(dv1, |i| ((va[i] - v0[i]) / (ALPHA_F * dt) - dv0[i] * (1.0 - GAMMA)) / GAMMA);
        System::fill(&mut to.state.x, |i| x0[i] + (dx0[i] * (1.0 - GAMMA) + dx1[i] * GAMMA) * dt);
        System::fill(&mut to.state.v, |i| v0[i] + (va[i] - v0[i]) / ALPHA_F);
        end_pins(system, to);
        if needs_force {
            end_force(system, to, work);
            let how = (dt, Keep::All, demand.accuracy > 0.0);
            if self.stage.conserve(system, (from, force), how, to, work)? {
                // the slope of x follows v as in the stage
                let (before, v1) = (self.stage.uncorrected(), &to.state.v);
                let slope = &mut to.memory.vectors[0];
                slope.iter_mut().enumerate().for_each(|(i, d)| *d += (v1[i] - before[i]) * (ALPHA_F / ALPHA_M));
            }
            if demand.accuracy > 0.0 && self.stage.is_in_contact() && gained_in_contact(system, from, force, to, dt) {
                return Err(StepFailure::Clipped { fraction: 0.5 });
            }
        }
        let mut attempt = Attempt::default();
        if demand.estimate {
            let stage = &mut self.stage;
            let start = &from.state.x;
            let error = if stage.is_spinning(system, from) {
                let [dv0, dv1] = [&self.slope_v, &to.memory.vectors[1]];
                let span = if ratio > 0.0 { 1.0 } else { ALPHA_F / ALPHA_M };
                let ahead = if ratio > 0.0 { ALPHA_M - ALPHA_F } else { 1.0 - span };
                let lag = if ratio > 0.0 { 0.0 } else { OWN - 0.5 };
                let (v1, end) = (&to.state.v, &to.force);
                let bent = |i: usize| (dv1[i] - dv0[i]) / span;
                stage.turn_back(system, from, to, RigidPath::Circular, |i, weight| {
                    end[i] * weight - dv1[i] - bent(i) * ahead
                });
                let strained = stage.take_turned();
                let error = stage.filtered(system, start, work, |i, _| {
                    (bent(i) * ERROR + strained[i] * (OWN * OWN)) * (dt * dt) + (v1[i] - v0[i]) * (lag * dt)
                });
                stage.give_back(strained);
                error?
            } else {
                let filter = |system: &mut System, error: ErrorOf| stage.filtered(system, start, work, error);
                with_acceleration_jump(system, from, force, to, dt, ERROR, filter)?
            };
            attempt.truncation = Some(Truncation { error, exponent: 3.0 });
        }
        Ok(attempt)
    }
}
