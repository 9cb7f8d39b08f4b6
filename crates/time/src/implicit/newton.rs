//! Newton's method on a stage: from the linearized solution or from a predictor of the scheme, with a line search and CCD.
//!
//! It finds the zero of `R(v) = M (v - v̂) - γ F(x̂ + γ v, v)` with backtracking on the merit function ½|v - v̂|²_M + E(x̂ + γ v) + γ Φ(v), whose
//! gradient is R when Φ covers all of the damping; a step that decreases |R| is accepted without evaluating it.

use glam::DVec3;
use pliant_core::{Activity, JacobianKind, StepFailure, System, View, Work};
use pliant_linalg::parallel::Partials;
use pliant_linalg::solver::SolveError;

use super::restrained::{Correction, apply_correction, update_restrained_momenta, wake};
use super::stage::{End, Matrix, Stage, StageSolver, Start, evaluate_turning, write_residual};

/// Newton stops when the next correction changes no velocity by more than this part of the largest change of velocity in the stage.
/// (Not of the distance travelled: an error of v stays for the rest of the run, and against `dt v` it would add up to n times this.)
const NEWTON_TOLERANCE: f64 = 1e-10;
const NEWTON_ITERATIONS: usize = 40;
const MAX_HALVINGS: usize = 12;
/// Corrections under restraint before each of them must decrease the energy: where transitions are narrow, residuals alone can cycle.
const FREE_ITERATIONS: usize = 8;
const STRICT_ITERATIONS: usize = 200;
/// Under restraint a correction is too long if the slope of the energy at its end exceeds this part of its initial descent. (This needs no
/// energies, which are sums over the whole system, and holds for damping, which has none.)
const MAX_SLOPE_RATIO: f64 = 0.7;
/// Smallest factor by which that shortens a correction.
const MIN_OF_WAY: f64 = 0.1;
/// Energies that differ by less than this part are the same.
const ROUNDING: f64 = 1e-14;
/// Corrections under restraint before moving bodies are released: stiff sheets wake ring by ring, and a step without restraint reaches balance
/// sooner.
const MAX_RESTRAINED_ITERATIONS: usize = 4;
/// Corrections where only a given accuracy is required,
const ROUGH_ITERATIONS: usize = 8;
/// and the size of the last of them in units of that accuracy that is still accepted: the whole tolerance of the step.
const ACCEPTED_AT_LIMIT: f64 = 10.0;
/// A correction with a kept matrix must be this many times smaller than the last one, else the matrix is assembled again.
const KEPT_MATRIX_CONTRACTION: f64 = 0.2;
/// Part of the collision-free fraction that is taken, so that a distance is kept.
const CLEARANCE: f64 = 0.8;
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
        if system.is_linear() && !system.is_restrained(start.view.v) {
            self.solved_once(system, start, stage, end, work)?;
            if !system.is_restrained(end.v) {
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
            return self.newton_iterations(system, start, stage, end, Guess::RigidMotion, work).map(|_| ());
        }
        loop {
            self.balances = system.has_released();
            self.linearize(system, start, stage, end, true, work)?;
            self.apply_restraint(system, start, stage, end);
            if system.has_contact() {
                self.clip_to_collision_free(system, start, stage, end)?;
            }
            if self.newton_iterations(system, start, stage, end, Guess::Linearized, work)? == NewtonOutcome::Converged {
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
            return self.newton_iterations(system, start, stage, end, Guess::RigidMotion, work).map(|_| ());
        }
        let (x_hat, guess) = (&self.x_hat, &*end.v);
        System::fill(end.x, |i| x_hat[i] + guess[i] * stage.gamma);
        system.apply_pins(stage.time, end.x, end.v);
        if self.newton_iterations(system, start, stage, end, Guess::Extrapolated, work)? == NewtonOutcome::Stalled {
            // extrapolation strains rotating bodies: fall back to the linearized predictor
            return self.converged(system, start, stage, end, work);
        }
        Ok(())
    }

    /// Newton's method from (x1, v1).
    fn newton_iterations(
        &mut self,
        system: &mut System,
        start: &Start,
        stage: Stage,
        end: &mut End,
        guess: Guess,
        work: &mut Work,
    ) -> Result<NewtonOutcome, StepFailure> {
        let Stage { gamma, time, .. } = stage;
        let rough = stage.accuracy > 0.0;
        // the matrix is assembled again only where the last one converged too slowly
        let keep = guess == Guess::Extrapolated;
        self.evaluate_end(system, time, end, work);
        update_restrained_momenta(system, gamma, &self.v_hat, end.force, end.v);
        let mut residual =
            write_residual(system, gamma, &self.v_hat, end.v, end.force, &mut self.right, &mut self.partials);
        let (masses, free) = (system.masses(), system.free());
        let mass = self.partials.sum(free.len(), |range| range.filter(|i| free[*i]).map(|i| masses[i]).sum());
        let max_strain = STRAIN_TOLERANCE * 0.5 * mass * (stage.accuracy / gamma).powi(2);
        let mut last_update = f64::INFINITY;
        let mut last_whole = false;
        // At a given accuracy the projected matrix is used first, and kept once it was needed: near buckling the directions of the exact one are
        // arbitrary. At full accuracy the exact one is tried again each time, because only it converges quadratically.
        let mut kind = if rough { self.rough_kind() } else { self.first_kind() };
        let mut stale = true;
        for iteration in 0..STRICT_ITERATIONS {
            if !residual.is_finite() {
                let particle = end.force.iter().position(|f| !f.is_finite()).unwrap_or(0);
                return Err(StepFailure::NonFinite { particle });
            }
            let is_late = iteration >= MAX_RESTRAINED_ITERATIONS;
            if rough && iteration > 0 && self.is_reduced && system.release_woken(is_late, end.v) {
                return Ok(NewtonOutcome::Released);
            }
            // from the previous solve, if there was one
            self.strict = iteration >= FREE_ITERATIONS && self.is_reduced && !rough;
            let woke = wake(system, gamma, &self.v_hat, end.force, end.v);
            if woke {
                system.drift(end.x, &self.x_hat, gamma, end.v);
                system.apply_pins(time, end.x, end.v);
                self.evaluate_end(system, time, end, work);
                update_restrained_momenta(system, gamma, &self.v_hat, end.force, end.v);
                residual =
                    write_residual(system, gamma, &self.v_hat, end.v, end.force, &mut self.right, &mut self.partials);
            }
            let View { x: x0, v: v0, .. } = start.view;
            let (x1, v1) = (&*end.x, &*end.v);
            let moved = system.max_over_free(|i, _| x1[i] - x0[i]).metres;
            let kicked = system.max_over_free(|i, _| (v1[i] - v0[i]) * gamma).metres;
            // Positions follow effective velocities, in which rounding errors of momenta are amplified by the slopes.
            let is_in_transition = |i: usize| system.activity(i, v1[i]) == Activity::Transition;
            let slope = match system.restraint() {
                Some(restraint) if (0..v1.len()).any(is_in_transition) => restraint.steepest(),
                _ => 1.0,
            };
            let coasted = slope * system.max_over_free(|i, _| v1[i] * gamma).metres;
            let is_free_flight = rough && self.rigid.is_free_flight();
            let accuracy =
                if is_free_flight { stage.accuracy.min(FREE_FLIGHT_TOLERANCE * kicked) } else { stage.accuracy };
            let enough = (NEWTON_TOLERANCE * kicked + 4.0 * f64::EPSILON * coasted).max(accuracy);
            // Rounding of positions. It ends the iteration at rest, where no velocity changes by more, and after a correction; but where velocities
            // change it accepts no residual: small steps far from the origin would then never be corrected.
            let rounding = 4.0 * f64::EPSILON * system.max_over_free(|i, _| x1[i]).metres;
            // γ |M⁻¹ R| bounds the correction of any stage with restoring forces.
            let right = &self.right;
            // A predictor is corrected at least once: errors of short steps are far below the accuracy, but accumulate; and a body at rest is
            // predicted to stay at rest, whatever load begins to act.
            let is_guess = guess != Guess::Linearized && iteration == 0;
            let correction = system.max_over_free(|i, weight| right[i] * (gamma * weight)).metres;
            // Nor may a woken particle keep a momentum at which it would be restrained again.
            let is_there = |solver: &Self| correction <= enough && solver.rest_is_resolved(system, stage, v1);
            if !is_guess && !woke && ((kicked <= rounding && correction <= rounding) || is_there(self)) {
                if rough {
                    self.balance_momenta(system, stage, residual, end, work);
                }
                return Ok(NewtonOutcome::Converged);
            }
            if keep && !stale {
                self.solve(system, stage, Matrix::Kept, work)?;
            } else {
                let shown = self.shown_velocities(end.v);
                let view = View { time, x: end.x, v: &shown };
                if !rough || self.balances {
                    kind = self.first_kind();
                }
                let matrix = if keep { Matrix::ToKeep } else { Matrix::New };
                loop {
                    if keep {
                        self.assemble_merged(system, &view, kind, gamma, work);
                    } else {
                        self.assemble(system, &view, kind, work);
                    }
                    match self.solve(system, stage, matrix, work) {
                        Err(StepFailure::Linear(SolveError::Indefinite { .. })) if kind != JacobianKind::Psd => {
                            kind = JacobianKind::Psd;
                        }
                        Err(failure) => return Err(failure),
                        Ok(()) => break,
                    }
                }
                self.e = shown;
            }
            let (y, d, is_reduced) = (&self.y, &self.d, self.is_reduced);
            // A step that was cut short is no measure of the distance to the solution: the whole correction counts.
            // Under restraint positions follow d; restrained particles that are about to move have none yet.
            let change = |i: usize| if is_reduced && d[i] != DVec3::ZERO { d[i] } else { y[i] };
            let update = system.max_over_free(|i, _| change(i) * gamma).metres;
            if kicked.max(update) <= rounding {
                // at rest without load: no search direction
                return Ok(NewtonOutcome::Converged);
            }
            let fall = self.partials.dot(&self.right, &self.y);
            let residual_before = residual;
            let searched = self.line_search(system, stage, residual, end, work);
            residual = searched.residual;
            // The second condition ends iterations in round-off, which stiff systems cannot leave. The third extrapolates a steady decay: the error
            // after a correction u that is θ of the one before is θ/(1 - θ) u.
            let rate = update / last_update;
            let predicted =
                if last_update.is_finite() && rate < 0.5 { rate / (1.0 - rate) * update } else { f64::INFINITY };
            let walks = update <= 1e-7 * moved && update >= 0.5 * last_update;
            // (Under restraint more corrections would release bodies.)
            let is_steady =
                self.is_reduced || residual < MIN_DECREASE * residual_before && searched.is_whole && last_whole;
            let is_small = update <= enough.max(rounding);
            let mut is_there = is_small || predicted <= accuracy && is_steady;
            let mut is_doubtful = predicted <= accuracy && !is_there;
            last_whole = searched.is_whole;
            // Energy that the next correction would remove; a stiff body stores much of it in a few micrometres.
            let left = fall * if is_small { 1.0 } else { (predicted / update).powi(2) };
            is_there &= !rough || left <= SPIN_ENERGY_TOLERANCE * self.spin_energy || self.spin_energy == 0.0;
            // The energy removed by this correction goes on to fall as |R|² or as corrections do; |M^-½ R|² bounds it where forces are restoring.
            let falls = if last_update.is_finite() { rate * rate } else { 0.0 };
            let strain = residual.min(fall * falls.max(residual / residual_before));
            is_there &= !rough || self.is_reduced || strain <= max_strain;
            if rough && is_there && !searched.clipped {
                let (moved, after) = self.balance_momenta(system, stage, residual, end, work);
                residual = after;
                // A matrix that leaves so large a rigid part did not capture the rotation of bodies.
                is_doubtful = moved > stage.accuracy;
                is_there = !is_doubtful;
            }
            if !searched.clipped && is_there && self.rest_is_resolved(system, stage, end.v) || walks {
                return Ok(NewtonOutcome::Converged);
            }
            let iterations = match rough {
                true => ROUGH_ITERATIONS,
                false if self.is_reduced => STRICT_ITERATIONS,
                false => NEWTON_ITERATIONS,
            };
            if iteration + 1 >= iterations {
                if rough && guess == Guess::Extrapolated {
                    return Ok(NewtonOutcome::Stalled);
                }
                // Buckling sheets converge slowly. The remaining correction counts as an error, and is accepted if the step may have it.
                // The same holds for forces that are not quite in balance.
                let is_bounded = self.spin_energy == 0.0 || fall <= SPIN_ENERGY_TOLERANCE * self.spin_energy;
                if !searched.clipped && update <= ACCEPTED_AT_LIMIT * accuracy && is_bounded {
                    system.note_unbalanced();
                    return Ok(NewtonOutcome::Converged);
                }
                return Err(StepFailure::Newton { iterations, residual: update });
            }
            stale = is_doubtful || iteration > 0 && rate > KEPT_MATRIX_CONTRACTION;
            last_update = update;
        }
        Ok(NewtonOutcome::Converged)
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
        let way = system.collision_free_step(&start.view, &View { time, x: end.x, v: end.v });
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
            if system.collision_free_step(&start.view, &View { time, x: &self.trial_x, v: &self.trial_v }).is_full() {
                end.x.copy_from_slice(&self.trial_x);
                end.v.copy_from_slice(&self.trial_v);
                return Ok(());
            }
            scale = if attempt + 2 == MAX_CLIPS { 0.0 } else { 0.25 * scale };
        }
        Err(StepFailure::Blocked { fraction: CLEARANCE * way.fraction, particle: way.particle })
    }

    /// Line search: moves (x1, v1) along y, by less than the full correction where CCD limits it, or where both the residual and the energy would
    /// rise.
    fn line_search(
        &mut self,
        system: &mut System,
        stage: Stage,
        residual: f64,
        end: &mut End,
        work: &mut Work,
    ) -> Searched {
        let Stage { gamma, time, .. } = stage;
        let has_contact = system.has_contact();
        let strict = self.strict;
        let Self { trial_x, trial_v, trial_force, right, y, d, e, tangents, x_hat, v_hat, partials, .. } = self;
        let by = Correction { dv: y, du: if self.is_reduced { d } else { y } };
        let mut energy_before = None;
        // negative directional derivative of the merit function
        let fall = self.is_reduced.then(|| partials.dot(right, by.du));
        let v1 = &*end.v;
        let mut trial_residual = residual;
        let (mut scale, mut clipped) = (1.0, false);
        for halving in 0..if strict { 3 * MAX_HALVINGS } else { MAX_HALVINGS } {
            apply_correction(system, v1, &by, scale, trial_v);
            system.drift(trial_x, x_hat, gamma, trial_v);
            system.apply_pins(time, trial_x, trial_v);
            if has_contact && halving == 0 {
                let from = View { time, x: end.x, v: v1 };
                let way = system.collision_free_step(&from, &View { time, x: trial_x, v: trial_v });
                if !way.is_full() {
                    (scale, clipped) = (CLEARANCE * way.fraction, true);
                    apply_correction(system, v1, &by, scale, trial_v);
                    system.drift(trial_x, x_hat, gamma, trial_v);
                    system.apply_pins(time, trial_x, trial_v);
                }
            }
            evaluate_turning(
                system,
                time,
                (&trial_x[..], &trial_v[..]),
                (&tangents[..], &mut e[..]),
                trial_force,
                work,
            );
            update_restrained_momenta(system, gamma, v_hat, trial_force, trial_v);
            trial_residual = write_residual(system, gamma, v_hat, trial_v, trial_force, right, partials);
            if trial_residual < residual && !strict {
                break;
            }
            if let Some(fall) = fall.filter(|_| !strict && trial_residual.is_finite()) {
                let left = partials.dot(right, by.du);
                if left >= -MAX_SLOPE_RATIO * fall {
                    break;
                }
                scale *= (fall / (fall - left)).clamp(MIN_OF_WAY, 0.5);
                continue;
            }
            if trial_residual.is_finite() {
                let before =
                    *energy_before.get_or_insert_with(|| stage_energy(system, stage, end.x, v1, v_hat, partials));
                let after = stage_energy(system, stage, trial_x, trial_v, v_hat, partials);
                let is_equal = (after - before).abs() <= ROUNDING * before.abs();
                if after < before && !(strict && is_equal) || is_equal && trial_residual < residual {
                    break;
                }
            }
            scale *= 0.5;
        }
        end.x.copy_from_slice(trial_x);
        end.v.copy_from_slice(trial_v);
        end.force.copy_from_slice(trial_force);
        Searched { residual: trial_residual, clipped, is_whole: scale == 1.0 }
    }
}

/// The initial guess of Newton's method.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Guess {
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

/// Outcome of a line search.
struct Searched {
    residual: f64,
    /// Whether CCD shortened the step.
    clipped: bool,
    /// Whether the full correction was applied.
    is_whole: bool,
}

/// The merit function ½ |v - v̂|²_M + E(x) + γ Φ(v); the residual is its gradient by v.
fn stage_energy(
    system: &mut System,
    Stage { gamma, time, .. }: Stage,
    x: &[DVec3],
    v: &[DVec3],
    v_hat: &[DVec3],
    partials: &mut Partials,
) -> f64 {
    let (masses, free) = (system.masses(), system.free());
    let plain = |i: usize| 0.5 * masses[i] * (v[i] - v_hat[i]).length_squared();
    let inertia = match system.restraint() {
        None => partials.sum(v.len(), |range| range.map(|i| if free[i] { plain(i) } else { 0.0 }).sum()),
        Some(restraint) => {
            let restrained = |i: usize| masses[i] * restraint.inertia(i, v[i], v_hat[i]);
            partials.sum(v.len(), |range| range.map(|i| if free[i] { restrained(i) } else { 0.0 }).sum())
        }
    };
    let view = View { time, x, v };
    inertia + system.potential(&view) + gamma * system.dissipation(&view)
}
