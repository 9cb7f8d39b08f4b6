//! Newton's method on a stage: from the linearized solution or from what the scheme foresees, with backtracking, and clear of contact.
//!
//! It works on `R(v) = M (v - v̂) - γ F(x̂ + γ v, v)` with backtracking on the energy ½|v - v̂|²_M + E(x̂ + γ v) + γ Φ(v) whose gradient R is
//! when Φ is all of the damping; a step that shrinks |R| is taken without asking.

use glam::DVec3;
use pliant_core::{Activity, JacobianKind, StepFailure, System, View, Work};
use pliant_linalg::parallel::Partials;
use pliant_linalg::solver::SolveError;

use super::restrained::{Correction, apply_correction, update_restrained_momenta, wake};
use super::stage::{End, Matrix, Stage, StageSolver, Start, evaluate_turning, write_residual};

/// Newton stops when the next correction changes no velocity by more than this part of the largest change of velocity in the stage.
/// (Not of the way travelled: an error of v stays for the rest of the run, and against `dt v` it would add up to n times this.)
const NEWTON_TOLERANCE: f64 = 1e-10;
const NEWTON_ITERATIONS: usize = 40;
const MAX_HALVINGS: usize = 12;
/// Corrections under restraint before each of them has to lower the energy: where transitions are narrow, residuals alone can go in circles.
const FREE_ITERATIONS: usize = 8;
const STRICT_ITERATIONS: usize = 200;
/// Under restraint a correction goes too far where the energy rises at its end as steeply as this part of how it fell at its beginning. (That
/// takes no energies, which sum up everything, and holds for damping, which has none.)
const MAX_SLOPE_RATIO: f64 = 0.7;
/// and this much of it is gone at least.
const MIN_OF_WAY: f64 = 0.1;
/// Energies that differ by less than this part are the same.
const ROUNDING: f64 = 1e-14;
/// Corrections under restraint before bodies that move are let go: stiff sheets wake ring by ring, and a step without restraint is sooner in balance.
const MAX_RESTRAINED_ITERATIONS: usize = 4;
/// Corrections where only a given accuracy is asked for,
const ROUGH_ITERATIONS: usize = 8;
/// and how many times that accuracy the last of them may be: all of the step's tolerance.
const ACCEPTED_AT_LIMIT: f64 = 10.0;
/// How many times smaller than the last one a correction with a kept matrix must be, else the matrix is assembled anew.
const KEPT_MATRIX_CONTRACTION: f64 = 0.2;
/// Part of the free way that is gone: what is about to touch keeps a distance.
const CLEARANCE: f64 = 0.8;
const MAX_CLIPS: usize = 5;
/// In free flight, the part of the largest change of velocity that the last correction may be: nothing pulls back what is wrong then, and
/// hundreds of steps add up.
const FREE_FLIGHT_TOLERANCE: f64 = 1e-3;
/// The part of the energy of turning that the last correction may take out.
const SPIN_ENERGY_TOLERANCE: f64 = 1e-4;
/// Part of the kinetic energy of all bodies moving by the accuracy in a stage that a correction may leave as strain. Metres do not tell where
/// bodies are stiff: a section of a rope that turns along a tangent by a millimetre can hold joules.
const STRAIN_TOLERANCE: f64 = 0.1;
/// The part of |R|² that a whole correction must leave at most for its rate to be believed.
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
            // rows of whoever stood still are missing
            self.assembled = None;
        }
    }

    /// The same from velocities that the scheme foresees, in `end.v`: where they are a few tolerances off, one matrix is enough for the
    /// step. Not for contact, of which nothing can be foreseen.
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
            // what turns is strained by extrapolation: fall back to the linearized predictor
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
        // the matrix is assembled again only where the last one served badly
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
        // Where digits are not asked for, the projected matrix goes first, and once it was needed it stays: near buckling the true one points
        // anywhere. Where they are, the true one is tried anew each time, because only it converges quadratically.
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
            // of the solve before, if there was one
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
            // Positions follow effective velocities, in which roundings of momenta are as much larger as slopes are.
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
            // What positions cannot tell from rounding. It ends a rest, where no velocity changes by more, and a correction; but where
            // something is kicked it excuses no residual: small steps far from the origin would then never correct one.
            let rounding = 4.0 * f64::EPSILON * system.max_over_free(|i, _| x1[i]).metres;
            // γ |M⁻¹ R| bounds the correction of any stage whose forces pull back.
            let right = &self.right;
            // What was only foreseen is corrected once at least: errors of short steps are far below the accuracy, but there are many; and what
            // rests is foreseen to rest, whatever begins to pull at it.
            let is_guess = guess != Guess::Linearized && iteration == 0;
            let correction = system.max_over_free(|i, weight| right[i] * (gamma * weight)).metres;
            // Nor does whoever is woken keep a momentum that would let it stand still again.
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
            // A step that was cut short says nothing of how near the solution is: the whole correction counts.
            // Under restraint positions follow d; whoever stands still but is about to move has none yet.
            let change = |i: usize| if is_reduced && d[i] != DVec3::ZERO { d[i] } else { y[i] };
            let update = system.max_over_free(|i, _| change(i) * gamma).metres;
            if kicked.max(update) <= rounding {
                // at rest, and nothing pulls: no line to search along
                return Ok(NewtonOutcome::Converged);
            }
            let fall = self.partials.dot(&self.right, &self.y);
            let residual_before = residual;
            let searched = self.line_search(system, stage, residual, end, work);
            residual = searched.residual;
            // The second condition ends the walk in round-off that stiff systems cannot leave. The third believes a steady decay: what
            // is left after a correction u that is θ of the one before is θ/(1 - θ) u.
            let rate = update / last_update;
            let predicted =
                if last_update.is_finite() && rate < 0.5 { rate / (1.0 - rate) * update } else { f64::INFINITY };
            let walks = update <= 1e-7 * moved && update >= 0.5 * last_update;
            // (Under restraint more corrections would let bodies go.)
            let is_steady =
                self.is_reduced || residual < MIN_DECREASE * residual_before && searched.is_whole && last_whole;
            let is_small = update <= enough.max(rounding);
            let mut is_there = is_small || predicted <= accuracy && is_steady;
            let mut is_doubtful = predicted <= accuracy && !is_there;
            last_whole = searched.is_whole;
            // Energy that the next correction would take out; a stiff body has much of it in a few micrometres.
            let left = fall * if is_small { 1.0 } else { (predicted / update).powi(2) };
            is_there &= !rough || left <= SPIN_ENERGY_TOLERANCE * self.spin_energy || self.spin_energy == 0.0;
            // What this correction took out goes on to fall as |R|² or as corrections do; and |M^-½ R|² bounds it where forces pull back.
            let falls = if last_update.is_finite() { rate * rate } else { 0.0 };
            let strain = residual.min(fall * falls.max(residual / residual_before));
            is_there &= !rough || self.is_reduced || strain <= max_strain;
            if rough && is_there && !searched.clipped {
                let (moved, after) = self.balance_momenta(system, stage, residual, end, work);
                residual = after;
                // A matrix that had left so much of it did not see bodies turn.
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
                // Sheets that buckle converge slowly. What is left then counts as an error, and one that the step may have is let pass.
                // So does what is not quite in balance.
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

    /// Draws the first guess back towards the start of the stage until nothing passes through anything on the way there. Pins and
    /// colliders are where they are at the end of the stage; if they alone run into something, the stage is too long.
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

    /// Moves (x1, v1) along y, by less than all of it where something would be passed through, or where both the residual and the
    /// energy would rise.
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
        // minus the slope, along the way, of the function whose gradient the residual is
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

/// What Newton's method starts from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Guess {
    /// The solution of the linearized stage.
    Linearized,
    /// What the scheme extrapolates.
    Extrapolated,
    /// Rigid bodies that turn on.
    RigidMotion,
}

/// How corrections ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NewtonOutcome {
    Converged,
    /// Corrections from an extrapolated predictor do not converge.
    Stalled,
    /// Bodies that were restrained are not any more: the stage begins anew.
    Released,
}

/// How a search along a line ended.
struct Searched {
    residual: f64,
    /// Whether something was in the way.
    clipped: bool,
    /// Whether all of the correction was made.
    is_whole: bool,
}

/// ½ |v - v̂|²_M + E(x) + γ Φ(v), whose gradient by v the residual is.
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
