//! When Newton's method stops: the lengths and energies that corrections are compared with.
//!
//! A stage with a given accuracy ends when the next correction is predicted to be within it, or when the last one was: no particle moved by more,
//! or the root mean square is within it and no particle moved by more than [`MAX_OVER_RMS`] times as much. Where sheets buckle a single vertex
//! goes on moving for many iterations while nothing else does. Friction forces have a test of their own, because contacts that are about to slip move by far
//! less than any accuracy. In all cases little strain energy may be left.

use glam::DVec3;
use pliant_core::{JacobianKind, StepFailure, System, View, Work};

use super::line_search::Searched;
use super::newton::{NewtonOutcome, Predictor, STRICT_ITERATIONS};
use super::restrained::steepest_slope;
use super::stage::{End, Stage, StageSolver, Start};

/// Newton stops when the next correction changes no velocity by more than this part of the largest change of velocity in the stage.
/// (Not of the distance travelled: an error of v stays for the rest of the run, and against `dt v` it would add up to n times this.)
const NEWTON_TOLERANCE: f64 = 1e-10;
const NEWTON_ITERATIONS: usize = 40;
/// Corrections where only a given accuracy is required,
const ROUGH_ITERATIONS: usize = 8;
/// and the size of the last of them in units of that accuracy that is still accepted: the whole tolerance of the step.
const ACCEPTED_AT_LIMIT: f64 = 10.0;
/// In free flight, the largest last correction as a part of the largest change of velocity: no force corrects the error, and it accumulates
/// over hundreds of steps.
const FREE_FLIGHT_TOLERANCE: f64 = 1e-3;
/// The part of the rotational energy that the last correction may remove.
const SPIN_ENERGY_TOLERANCE: f64 = 1e-4;
/// A full correction must reduce |R|² to this part at least for its rate of convergence to be trusted.
const MIN_DECREASE: f64 = 0.25;
/// Largest correction of a particle, in units of the accuracy, where the root mean square of all is within it.
const MAX_OVER_RMS: f64 = 5.0;
/// Part of the friction that may be unresolved: the sum of the differences between the law and its linear model.
const FRICTION_TOLERANCE: f64 = 0.05;

impl StageSolver {
    /// The lengths that corrections are compared with.
    pub(super) fn scales(&mut self, system: &mut System, start: &Start, stage: Stage, end: &End) -> Scales {
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
    pub(super) fn is_solved(&self, system: &System, stage: Stage, scales: &Scales, v: &[DVec3]) -> bool {
        let is_at_rest = scales.kicked <= scales.rounding && scales.correction <= scales.rounding;
        is_at_rest || scales.correction <= scales.enough && self.rest_is_resolved(system, stage, v)
    }

    /// Whether no correction is needed after this one: it was small, or a steady decay predicts that the next is, and in neither case is much strain
    /// energy left.
    #[expect(clippy::too_many_arguments)]
    pub(super) fn is_last_correction(
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
        let is_small =
            update <= scales.enough.max(scales.rounding) || self.is_small_on_average(system, stage, scales, update);
        let mut is_last = is_small || predicted <= scales.accuracy && is_steady;
        at.is_doubtful = predicted <= scales.accuracy && !is_last;
        // Energy that the next correction would take out; a stiff body has much of it in a few micrometres.
        let left = fall * if is_small { 1.0 } else { (predicted / update).powi(2) };
        is_last &= !rough || left <= SPIN_ENERGY_TOLERANCE * self.spin_energy || self.spin_energy == 0.0;
        // What this correction took out goes on to fall as |R|² or as corrections do; and |M^-½ R|² bounds it where forces pull back.
        let falls = if has_rate { rate * rate } else { 0.0 };
        let strain = at.residual.min(fall * falls.max(at.residual / residual_before));
        let max_strain = if self.is_in_contact() { at.max_strain.max(at.max_strain_in_contact) } else { at.max_strain };
        is_last &= !rough || self.is_reduced || strain <= max_strain;
        if rough && is_last && self.is_in_contact() {
            let friction = system.contact().friction_residual(&View { time: stage.time, x: end.x, v: end.v });
            is_last = friction.unresolved <= FRICTION_TOLERANCE * friction.limit;
        }
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

    pub(super) fn max_iterations(&self, stage: Stage) -> usize {
        match stage.is_rough() {
            true => self.max_corrections.unwrap_or(ROUGH_ITERATIONS),
            false if self.is_reduced => STRICT_ITERATIONS,
            false => NEWTON_ITERATIONS,
        }
    }

    /// Sheets that buckle converge slowly. What is left at the iteration limit counts as an error, and one that the step may have is accepted.
    pub(super) fn at_iteration_limit(
        &self,
        system: &mut System,
        stage: Stage,
        (iterations, predictor): (usize, Predictor),
        accuracy: f64,
        correction: &Made,
    ) -> Result<NewtonOutcome, StepFailure> {
        if stage.is_rough() && self.max_corrections.is_some() {
            return Ok(NewtonOutcome::Converged);
        }
        if stage.is_rough() && predictor == Predictor::Extrapolated && !self.is_in_contact() {
            return Ok(NewtonOutcome::Stalled);
        }
        let is_bounded = self.spin_energy == 0.0 || correction.fall <= SPIN_ENERGY_TOLERANCE * self.spin_energy;
        if !correction.searched.clipped && correction.update <= ACCEPTED_AT_LIMIT * accuracy && is_bounded {
            system.active_set_mut().note_unbalanced();
            return Ok(NewtonOutcome::Converged);
        }
        let y = &self.y;
        let particle = system.max_over_free(|i, _| y[i]).particle;
        Err(StepFailure::Newton { iterations, residual: correction.update, particle })
    }

    /// Whether anything was in contact where the matrix was assembled last. (Asked after an assembly of this stage: what a restart does not
    /// know decides nothing.)
    pub(super) fn is_in_contact(&self) -> bool {
        self.jacobian.as_ref().is_some_and(|jacobian| !jacobian.contact_blocks.is_empty())
    }

    /// Whether the root mean square of a correction is within the accuracy, and its largest part within its bound.
    fn is_small_on_average(&mut self, system: &System, stage: Stage, scales: &Scales, update: f64) -> bool {
        if !stage.is_rough()
            || self.is_reduced
            || self.rigid.is_free_flight()
            || update > MAX_OVER_RMS * scales.accuracy
        {
            return false;
        }
        let limit = (scales.accuracy / stage.gamma).powi(2);
        let count = system.free().iter().filter(|free| **free).count();
        let sum = self.partials.dot(&self.y, &self.y);
        sum <= limit * count as f64
    }
}

/// What iterations remember.
pub(super) struct Iterate {
    /// |R|²
    pub residual: f64,
    /// Strain energy that may be left, J, and in contact, where that is more.
    pub max_strain: f64,
    pub max_strain_in_contact: f64,
    /// Length of the correction before, m, and whether all of it was made.
    pub last_update: f64,
    pub last_whole: bool,
    /// Which matrix is tried first.
    pub kind: JacobianKind,
    /// Whether the kept matrix has to be assembled again.
    pub is_stale: bool,
    /// Whether the rate of corrections says "solved" and another test does not.
    pub is_doubtful: bool,
}

impl Iterate {
    /// A correction over the one before.
    pub fn rate(&self, update: f64) -> f64 {
        update / self.last_update
    }
}

/// Lengths that corrections are compared with, m.
pub(super) struct Scales {
    /// How far a particle moves in the step at most,
    pub moved: f64,
    /// and by the change of its velocity.
    pub kicked: f64,
    /// What is asked for; in free flight it follows the kick.
    pub accuracy: f64,
    /// The same, or rounding where that is larger.
    pub enough: f64,
    /// What positions cannot tell from rounding. It ends a rest, where no velocity changes by more, and a correction; but where something is
    /// kicked it excuses no residual: small steps far from the origin would then never correct one.
    pub rounding: f64,
    /// γ |M⁻¹ R|, which bounds the correction of any stage whose forces pull back.
    pub correction: f64,
}

/// A correction that was made.
pub(super) struct Made {
    /// Its length, m.
    pub update: f64,
    /// Energy that it takes out in the linear model, J.
    pub fall: f64,
    pub searched: Searched,
}
