//! Newton's method on a stage: a predictor (linearized, extrapolated or rigid motion), corrections, and when to stop.
//!
//! It solves `R(v) = M (v - v̂) - γ F(x̂ + γ v, v) = 0`. How far a correction is followed: `line_search.rs`; restrained particles: `restrained.rs`;
//! bodies in free flight: `free_flight.rs`.

use glam::DVec3;
use pliant_core::{JacobianKind, StepFailure, System, View, Work};
use pliant_linalg::solver::SolveError;

use super::line_search::Searched;
use super::restrained::{Woken, steepest_slope, update_restrained_momenta};
use super::stage::{End, Matrix, Stage, StageSolver, Start, write_residual};

/// Newton stops when the next correction changes no velocity by more than this part of the largest change of velocity in the stage.
/// (Not of the distance travelled: an error of v stays for the rest of the run, and against `dt v` it would add up to n times this.)
const NEWTON_TOLERANCE: f64 = 1e-10;
const NEWTON_ITERATIONS: usize = 40;
const STRICT_ITERATIONS: usize = 200;
/// Corrections where only a given accuracy is required,
const ROUGH_ITERATIONS: usize = 8;
/// and the size of the last of them in units of that accuracy that is still accepted: the whole tolerance of the step.
const ACCEPTED_AT_LIMIT: f64 = 10.0;
/// A correction with a kept matrix must be this many times smaller than the last one, else the matrix is assembled again.
const KEPT_MATRIX_CONTRACTION: f64 = 0.2;
/// Part of the collision-free fraction that is taken, so that a distance is kept.
pub(super) const CLEARANCE: f64 = 0.8;
const MAX_CLIPS: usize = 5;
/// In free flight, the largest last correction as a part of the largest change of velocity: no force corrects the error, and it accumulates
/// over hundreds of steps.
const FREE_FLIGHT_TOLERANCE: f64 = 1e-3;
/// The part of the rotational energy that the last correction may remove.
const SPIN_ENERGY_TOLERANCE: f64 = 1e-4;
/// Strain energy that a correction may leave, as a part of the kinetic energy of all bodies moving by the accuracy in a stage. Metres are no
/// measure where bodies are stiff: a section of a rope that turns along a tangent by a millimetre can store joules.
const STRAIN_TOLERANCE: f64 = 0.1;
/// A full correction must reduce |R|² to this part at least for its rate of convergence to be trusted.
const MIN_DECREASE: f64 = 0.25;

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
        if system.is_linear() && !system.restrained().any(start.view.v) {
            self.solved_once(system, start, stage, end, work)?;
            if !system.restrained().any(end.v) {
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
            self.balances = system.restrained().has_released();
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

    /// The same from the predictor of the scheme in `end.v`: where it is off by a few tolerances, one matrix is sufficient for the
    /// step. Not for contact, which cannot be extrapolated.
    pub fn predicted(
        &mut self,
        system: &mut System,
        start: &Start,
        stage: Stage,
        end: &mut End,
        work: &mut Work,
    ) -> Result<(), StepFailure> {
        self.find_free_bodies(system, start);
        if self.turns(system, start, stage) {
            self.rigid_predictor(system, start, stage, end);
            return self.newton_iterations(system, start, stage, end, Predictor::RigidMotion, work).map(|_| ());
        }
        let (x_hat, guess) = (&self.x_hat, &*end.v);
        System::fill(end.x, |i| x_hat[i] + guess[i] * stage.gamma);
        system.apply_pins(stage.time, end.x, end.v);
        if self.newton_iterations(system, start, stage, end, Predictor::Extrapolated, work)? == NewtonOutcome::Stalled {
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
        let mass = self.partials.sum(free.len(), |range| range.filter(|i| free[*i]).map(|i| masses[i]).sum());
        Iterate {
            residual,
            max_strain: STRAIN_TOLERANCE * 0.5 * mass * (stage.accuracy / gamma).powi(2),
            last_update: f64::INFINITY,
            last_whole: false,
            // Where few digits are asked for, the projected matrix goes first, and once it was needed it stays: near buckling the true one
            // points anywhere. Otherwise the true one is tried again each time, because only it converges quadratically.
            kind: if stage.is_rough() { self.rough_kind() } else { self.first_kind() },
            is_stale: true,
            is_doubtful: false,
        }
    }

    /// The lengths that corrections are compared with.
    fn scales(&mut self, system: &mut System, start: &Start, stage: Stage, end: &End) -> Scales {
        let gamma = stage.gamma;
        let View { x: x0, v: v0, .. } = start.view;
        let (x1, v1) = (&*end.x, &*end.v);
        let moved = system.max_over_free(|i, _| x1[i] - x0[i]).metres;
        let kicked = system.max_over_free(|i, _| (v1[i] - v0[i]) * gamma).metres;
        let coasted = steepest_slope(system, v1) * system.max_over_free(|i, _| v1[i] * gamma).metres;
        let is_free_flight = stage.is_rough() && self.rigid.is_free_flight();
        let accuracy = if is_free_flight { stage.accuracy.min(FREE_FLIGHT_TOLERANCE * kicked) } else { stage.accuracy };
        let enough = (NEWTON_TOLERANCE * kicked + 4.0 * f64::EPSILON * coasted).max(accuracy);
        let rounding = 4.0 * f64::EPSILON * system.max_over_free(|i, _| x1[i]).metres;
        let right = &self.right;
        let correction = system.max_over_free(|i, weight| right[i] * (gamma * weight)).metres;
        Scales { moved, kicked, accuracy, enough, rounding, correction }
    }

    /// Whether the residual needs no further correction.
    fn is_solved(&self, system: &System, stage: Stage, scales: &Scales, v: &[DVec3]) -> bool {
        let is_at_rest = scales.kicked <= scales.rounding && scales.correction <= scales.rounding;
        is_at_rest || scales.correction <= scales.enough && self.rest_is_resolved(system, stage, v)
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
        let keep = predictor == Predictor::Extrapolated;
        if keep && !at.is_stale {
            return self.solve(system, stage, Matrix::Kept, work);
        }
        let shown = self.shown_velocities(end.v);
        let view = View { time: stage.time, x: end.x, v: &shown };
        if !stage.is_rough() || self.balances {
            at.kind = self.first_kind();
        }
        let matrix = if keep { Matrix::ToKeep } else { Matrix::New };
        loop {
            if keep {
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

    /// Whether no correction is needed after this one: it was small, or a steady decay predicts that the next is, and in neither case is much strain
    /// energy left.
    #[expect(clippy::too_many_arguments)]
    fn is_last_correction(
        &mut self,
        system: &mut System,
        stage: Stage,
        scales: &Scales,
        Made { update, fall, searched }: &Made,
        at: &mut Iterate,
        end: &mut End,
        work: &mut Work,
    ) -> bool {
        let (update, fall, rough) = (*update, *fall, stage.is_rough());
        let residual_before = std::mem::replace(&mut at.residual, searched.residual);
        let last_whole = std::mem::replace(&mut at.last_whole, searched.is_whole);
        // What is left after a correction u that is θ of the one before is θ/(1 - θ) u.
        let rate = at.rate(update);
        let has_rate = at.last_update.is_finite();
        let predicted = if has_rate && rate < 0.5 { rate / (1.0 - rate) * update } else { f64::INFINITY };
        // (Under restraint more corrections would release bodies.)
        let is_steady =
            self.is_reduced || at.residual < MIN_DECREASE * residual_before && searched.is_whole && last_whole;
        let is_small = update <= scales.enough.max(scales.rounding);
        let mut is_last = is_small || predicted <= scales.accuracy && is_steady;
        at.is_doubtful = predicted <= scales.accuracy && !is_last;
        // Energy that the next correction would take out; a stiff body has much of it in a few micrometres.
        let left = fall * if is_small { 1.0 } else { (predicted / update).powi(2) };
        is_last &= !rough || left <= SPIN_ENERGY_TOLERANCE * self.spin_energy || self.spin_energy == 0.0;
        // What this correction took out goes on to fall as |R|² or as corrections do; and |M^-½ R|² bounds it where forces pull back.
        let falls = if has_rate { rate * rate } else { 0.0 };
        let strain = at.residual.min(fall * falls.max(at.residual / residual_before));
        is_last &= !rough || self.is_reduced || strain <= at.max_strain;
        if rough && is_last && !searched.clipped {
            let (moved, after) = self.balance_momenta(system, stage, at.residual, end, work);
            at.residual = after;
            // A matrix that leaves so much of it does not see bodies rotate.
            at.is_doubtful = moved > stage.accuracy;
            is_last = !at.is_doubtful;
        }
        // round-off that stiff systems cannot leave
        let is_rounding = update <= 1e-7 * scales.moved && update >= 0.5 * at.last_update;
        !searched.clipped && is_last && self.rest_is_resolved(system, stage, end.v) || is_rounding
    }

    fn max_iterations(&self, stage: Stage) -> usize {
        match stage.is_rough() {
            true => ROUGH_ITERATIONS,
            false if self.is_reduced => STRICT_ITERATIONS,
            false => NEWTON_ITERATIONS,
        }
    }

    /// Sheets that buckle converge slowly. What is left at the iteration limit counts as an error, and one that the step may have is accepted.
    fn at_iteration_limit(
        &self,
        system: &mut System,
        stage: Stage,
        (iterations, predictor): (usize, Predictor),
        accuracy: f64,
        correction: &Made,
    ) -> Result<NewtonOutcome, StepFailure> {
        if stage.is_rough() && predictor == Predictor::Extrapolated {
            return Ok(NewtonOutcome::Stalled);
        }
        let is_bounded = self.spin_energy == 0.0 || correction.fall <= SPIN_ENERGY_TOLERANCE * self.spin_energy;
        if !correction.searched.clipped && correction.update <= ACCEPTED_AT_LIMIT * accuracy && is_bounded {
            system.restrained_mut().note_unbalanced();
            return Ok(NewtonOutcome::Converged);
        }
        Err(StepFailure::Newton { iterations, residual: correction.update })
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
        let way = system.contact().collision_free_step(&start.view, &View { time, x: end.x, v: end.v });
        if way.is_full() {
            return Ok(());
        }
        let (x0, x_hat) = (start.view.x, &self.x_hat);
        let mut scale = CLEARANCE * way.fraction;
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
        Err(StepFailure::Blocked { fraction: CLEARANCE * way.fraction, particle: way.particle })
    }
}

/// The initial guess of Newton's method.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Predictor {
    /// The solution of the linearized stage.
    Linearized,
    /// The extrapolation of the scheme.
    Extrapolated,
    /// Rigid bodies that continue to rotate.
    RigidMotion,
}

/// Outcome of the iteration.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NewtonOutcome {
    Converged,
    /// Corrections from an extrapolated predictor do not converge.
    Stalled,
    /// Restrained bodies were released: the stage starts again.
    Released,
}

/// What iterations remember.
struct Iterate {
    /// |R|²
    residual: f64,
    /// Strain energy that may be left, J.
    max_strain: f64,
    /// Length of the correction before, m, and whether all of it was made.
    last_update: f64,
    last_whole: bool,
    /// Which matrix is tried first.
    kind: JacobianKind,
    /// Whether the kept matrix has to be assembled again.
    is_stale: bool,
    /// Whether the rate of corrections says "solved" and another test does not.
    is_doubtful: bool,
}

impl Iterate {
    /// A correction over the one before.
    fn rate(&self, update: f64) -> f64 {
        update / self.last_update
    }
}

/// Lengths that corrections are compared with, m.
struct Scales {
    /// How far a particle moves in the step at most,
    moved: f64,
    /// and by the change of its velocity.
    kicked: f64,
    /// What is asked for; in free flight it follows the kick.
    accuracy: f64,
    /// The same, or rounding where that is larger.
    enough: f64,
    /// What positions cannot tell from rounding. It ends a rest, where no velocity changes by more, and a correction; but where something is
    /// kicked it excuses no residual: small steps far from the origin would then never correct one.
    rounding: f64,
    /// γ |M⁻¹ R|, which bounds the correction of any stage whose forces pull back.
    correction: f64,
}

/// A correction that was made.
struct Made {
    /// Its length, m.
    update: f64,
    /// Energy that it takes out in the linear model, J.
    fall: f64,
    searched: Searched,
}
