//! Newton's method on a stage: a predictor (linearized, extrapolated or rigid motion) and corrections.
//!
//! It solves `R(v) = M (v - v̂) - γ F(x̂ + γ v, v) = 0`. How far a correction is followed: `line_search.rs`; when to stop: `convergence.rs`;
//! restrained particles: `restrained.rs`; bodies in free flight: `free_flight.rs`.

use glam::DVec3;
use pliant_core::{JacobianKind, StepFailure, System, View, Work};
use pliant_linalg::solver::SolveError;

use super::convergence::{Iterate, Made};
use super::restrained::{Woken, update_restrained_momenta};
use super::stage::{End, Matrix, Stage, StageSolver, Start, write_residual};

pub(super) const STRICT_ITERATIONS: usize = 200;
/// A correction with a kept matrix must be this many times smaller than the last one, else the matrix is assembled again.
const KEPT_MATRIX_CONTRACTION: f64 = 0.2;
/// Part of the collision-free fraction that is taken, so that a distance is kept.
pub(super) const CLEARANCE: f64 = 0.8;
const MAX_CLIPS: usize = 5;
/// Strain energy that a correction may leave, as a part of the kinetic energy of all bodies moving by the accuracy in a stage. Metres are no
/// measure where bodies are stiff: a section of a rope that turns along a tangent by a millimetre can store joules.
const STRAIN_TOLERANCE: f64 = 1.0;
/// The same in contact, as a part of the kinetic energy.
const MOTION_TOLERANCE: f64 = 1e-4;

impl StageSolver {
    /// Newton's method to convergence from the linearized solution; writes (x1, v1) and the force there.
    pub fn converged(
        &mut self,
        system: &mut System,
        start: &Start,
        stage: Stage,
        end: &mut End,
        work: &mut Work,
    ) -> Result<(), StepFailure> {
        if system.is_linear() && !system.active_set().has_restrained(start.view.v) {
            self.solved_once(system, start, stage, end, work)?;
            if !system.active_set().has_restrained(end.v) {
                return Ok(());
            }
        }
        self.strict = false;
        self.find_free_bodies(system, start);
        if self.turns(system, start, stage) {
            self.balances = false;
            self.rigid_predictor(system, start, stage, end);
            if system.has_contact() {
                self.clip_to_collision_free(system, start, stage, end)?;
            }
            return self.newton_iterations(system, start, stage, end, Predictor::RigidMotion, work).map(|_| ());
        }
        loop {
            self.balances = system.active_set().has_released();
            self.linearize(system, start, stage, end, true, work)?;
            self.apply_restraint(system, start, stage, end);
            if system.has_contact() {
                self.clip_to_collision_free(system, start, stage, end)?;
            }
            if self.newton_iterations(system, start, stage, end, Predictor::Linearized, work)?
                == NewtonOutcome::Converged
            {
                return Ok(());
            }
            // rows of particles that were restrained are missing
            self.assembled = None;
        }
    }

    /// The same from the predictor of the scheme in `end.v`: where it is off by a few tolerances and nothing can collide, one matrix is sufficient
    /// for the step.
    pub fn predicted(
        &mut self,
        system: &mut System,
        start: &Start,
        stage: Stage,
        end: &mut End,
        work: &mut Work,
    ) -> Result<(), StepFailure> {
        (self.strict, self.balances) = (false, false);
        self.find_free_bodies(system, start);
        let predictor = if self.turns(system, start, stage) {
            self.rigid_predictor(system, start, stage, end);
            Predictor::RigidMotion
        } else {
            let (x_hat, guess) = (&self.x_hat, &*end.v);
            System::fill(end.x, |i| x_hat[i] + guess[i] * stage.gamma);
            system.apply_pins(stage.time, end.x, end.v);
            Predictor::Extrapolated
        };
        if system.has_contact() {
            self.clip_to_collision_free(system, start, stage, end)?;
        }
        if self.newton_iterations(system, start, stage, end, predictor, work)? == NewtonOutcome::Stalled {
            // extrapolation strains rotating bodies: fall back to the linearized predictor
            return self.converged(system, start, stage, end, work);
        }
        Ok(())
    }

    /// Newton's method from the predictor in (x1, v1).
    fn newton_iterations(
        &mut self,
        system: &mut System,
        start: &Start,
        stage: Stage,
        end: &mut End,
        predictor: Predictor,
        work: &mut Work,
    ) -> Result<NewtonOutcome, StepFailure> {
        self.before_x.copy_from_slice(start.view.x);
        let mut at = self.first_iterate(system, stage, end, work);
        for iteration in 0..STRICT_ITERATIONS {
            if !at.residual.is_finite() {
                let particle = end.force.iter().position(|f| !f.is_finite()).unwrap_or(0);
                return Err(StepFailure::NonFinite { particle });
            }
            let woken = self.wake_restrained(system, stage, iteration, &mut at.residual, end, work);
            if woken == Woken::Released {
                return Ok(NewtonOutcome::Released);
            }
            let scales = self.scales(system, start, stage, end);
            // A predictor is corrected at least once: errors of short steps are far below the accuracy, but there are many of them; and
            // particles at rest are predicted to stay at rest, whatever begins to pull at them.
            let is_predicted = predictor != Predictor::Linearized && iteration == 0;
            if !is_predicted && woken == Woken::None && self.is_solved(system, stage, &scales, end.v) {
                if stage.is_rough() {
                    self.balance_momenta(system, stage, at.residual, end, work);
                }
                return Ok(NewtonOutcome::Converged);
            }
            self.solve_correction(system, stage, end, predictor, &mut at, work)?;
            let update = self.update_length(system, stage.gamma);
            if scales.kicked.max(update) <= scales.rounding {
                // at rest, and nothing pulls: no line to search along
                return Ok(NewtonOutcome::Converged);
            }
            let fall = self.partials.dot(&self.right, &self.y);
            let searched = self.line_search(system, stage, at.residual, end, work);
            let correction = Made { update, fall, searched };
            if self.is_last_correction(system, stage, &scales, &correction, &mut at, end, work) {
                return Ok(NewtonOutcome::Converged);
            }
            let limit = self.max_iterations(stage);
            if iteration + 1 >= limit {
                return self.at_iteration_limit(system, stage, (limit, predictor), scales.accuracy, &correction);
            }
            at.is_stale = at.is_doubtful || iteration > 0 && at.rate(update) > KEPT_MATRIX_CONTRACTION;
            at.last_update = update;
        }
        Ok(NewtonOutcome::Converged)
    }

    /// Force and residual at the predictor.
    fn first_iterate(&mut self, system: &mut System, stage: Stage, end: &mut End, work: &mut Work) -> Iterate {
        let Stage { gamma, time, .. } = stage;
        self.evaluate_end(system, time, end, work);
        update_restrained_momenta(system, gamma, &self.v_hat, end.force, end.v);
        let residual =
            write_residual(system, gamma, &self.v_hat, end.v, end.force, &mut self.right, &mut self.partials);
        let (masses, free) = (system.masses(), system.free());
        let (v_hat, accuracy) = (&self.v_hat, (stage.accuracy / gamma).powi(2));
        let strain = |i: usize| STRAIN_TOLERANCE * 0.5 * masses[i] * accuracy;
        let motion = |i: usize| MOTION_TOLERANCE * 0.5 * masses[i] * v_hat[i].length_squared();
        Iterate {
            residual,
            max_strain: self.partials.sum(free.len(), |range| range.filter(|i| free[*i]).map(strain).sum()),
            max_strain_in_contact: self.partials.sum(free.len(), |range| range.filter(|i| free[*i]).map(motion).sum()),
            last_update: f64::INFINITY,
            last_whole: false,
            // Where few digits are asked for, the projected matrix goes first, and once it was needed it stays: near buckling the true one
            // points anywhere. Otherwise the true one is tried again each time, because only it converges quadratically.
            kind: if stage.is_rough() { self.rough_kind() } else { self.first_kind() },
            is_stale: true,
            is_doubtful: false,
        }
    }

    /// Solves for a correction with the kept matrix, or with one assembled here; an indefinite one falls back to its positive semi-definite
    /// projection.
    fn solve_correction(
        &mut self,
        system: &mut System,
        stage: Stage,
        end: &End,
        predictor: Predictor,
        at: &mut Iterate,
        work: &mut Work,
    ) -> Result<(), StepFailure> {
        // an extrapolated predictor is so near that one matrix mostly serves for all corrections
        let keep = predictor == Predictor::Extrapolated && !system.has_contact();
        if keep && !at.is_stale {
            return self.solve(system, stage, Matrix::Kept, work);
        }
        let shown = self.shown_velocities(end.v);
        let view = View { time: stage.time, x: end.x, v: &shown };
        if !stage.is_rough() || self.balances {
            at.kind = self.first_kind();
        }
        let matrix = if keep { Matrix::ToKeep } else { Matrix::New };
        let is_merged = stage.is_rough() && !self.balances && !system.active_set().has_restrained(end.v);
        loop {
            if is_merged {
                self.assemble_merged(system, &view, at.kind, stage.gamma, work);
            } else {
                self.assemble(system, &view, at.kind, work);
            }
            match self.solve(system, stage, matrix, work) {
                Err(StepFailure::Linear(SolveError::Indefinite { .. })) if at.kind != JacobianKind::Psd => {
                    at.kind = JacobianKind::Psd;
                }
                Err(failure) => return Err(failure),
                Ok(()) => break,
            }
        }
        self.e = shown;
        Ok(())
    }

    /// The length of the whole correction, m: a step that was cut short says nothing of how near the solution is. Under restraint positions follow
    /// d; a particle at rest that is about to move has none yet.
    fn update_length(&self, system: &mut System, gamma: f64) -> f64 {
        let (y, d, is_reduced) = (&self.y, &self.d, self.is_reduced);
        let change = |i: usize| if is_reduced && d[i] != DVec3::ZERO { d[i] } else { y[i] };
        system.max_over_free(|i, _| change(i) * gamma).metres
    }

    /// Scales the first guess back towards the start of the stage until the path to it is collision-free. Pins and colliders are at their
    /// positions at the end of the stage; if they alone collide, the stage is too long.
    fn clip_to_collision_free(
        &mut self,
        system: &mut System,
        start: &Start,
        stage: Stage,
        end: &mut End,
    ) -> Result<(), StepFailure> {
        let Stage { gamma, time, .. } = stage;
        let free_step = system.contact().collision_free_step(&start.view, &View { time, x: end.x, v: end.v });
        if free_step.is_full() {
            return Ok(());
        }
        let (x0, x_hat) = (start.view.x, &self.x_hat);
        let mut scale = CLEARANCE * free_step.fraction;
        for attempt in 0..MAX_CLIPS {
            let guess = &*end.x;
            System::fill(&mut self.trial_x, |i| x0[i] + (guess[i] - x0[i]) * scale);
            let x = &self.trial_x;
            System::fill(&mut self.trial_v, |i| (x[i] - x_hat[i]) / gamma);
            system.apply_pins(time, &mut self.trial_x, &mut self.trial_v);
            if system
                .contact()
                .collision_free_step(&start.view, &View { time, x: &self.trial_x, v: &self.trial_v })
                .is_full()
            {
                end.x.copy_from_slice(&self.trial_x);
                end.v.copy_from_slice(&self.trial_v);
                return Ok(());
            }
            scale = if attempt + 2 == MAX_CLIPS { 0.0 } else { 0.25 * scale };
        }
        Err(StepFailure::Blocked { fraction: CLEARANCE * free_step.fraction, particle: free_step.particle })
    }
}

/// The initial guess of Newton's method.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Predictor {
    /// The solution of the linearized stage.
    Linearized,
    /// The extrapolation of the scheme.
    Extrapolated,
    /// Rigid bodies that continue to rotate.
    RigidMotion,
}

/// Outcome of the iteration.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum NewtonOutcome {
    Converged,
    /// Corrections from an extrapolated predictor do not converge.
    Stalled,
    /// Restrained bodies were released: the stage starts again.
    Released,
}
