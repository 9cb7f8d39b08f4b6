//! Stages under restraint: momenta `p = m v` obey `M (v1 - v̂) = γ F(x1, u1)`, positions follow the effective velocities, `x1 = x̂ + γ u(v1)`.
//!
//! *Converged* (`newton.rs`, with the functions here): restrained particles have no row in the linear system, which is an `ActiveSystem`. Their
//! momentum follows from the force ([`update_restrained_momenta`]); a particle that this sets in motion is part of the next system. With a convex
//! kinetic energy and a convex potential the energy never grows, however long the step.
//!
//! *Published* ([Restrained] algorithm 1, for study): one linear system in the changes of all momenta, eqs. 9 and 13,
//! `(M - γ D R - γ² K R) dv = γ (F + γ K u)`, `x1 = x + γ (u + R dv)` with `R = ∂u/∂v` at the start. It is not symmetric, and where R has
//! negative eigenvalues it becomes singular.

use glam::DVec3;
use pliant_core::{Activity, Criterion, ErrorAt, JacobianKind, Limits, Response, StepFailure, System, Work};

use super::stage::{End, FILTER_TOLERANCE, Stage, StageSolver, Start, enough_digits, write_residual};

/// Corrections under restraint before each of them must decrease the energy: where transitions are narrow, residuals alone can cycle.
const FREE_ITERATIONS: usize = 8;
/// Corrections under restraint before moving bodies are released: stiff sheets wake ring by ring, and a step without restraint reaches balance
/// sooner.
const MAX_RESTRAINED_ITERATIONS: usize = 4;
/// Relative margin above the speed limit of rest.
const JUST_ABOVE: f64 = 1.0 + 1e-12;
/// How far into the transition of a spline a particle is woken: below that its slope is too small to move it.
const INTO_SPLINE: f64 = 0.3;

/// The velocity that the force gives to a restrained particle; `None` if the particle moves.
fn pushed(system: &System, i: usize, v: DVec3, gamma: f64, v_hat: &[DVec3], force: &[DVec3]) -> Option<DVec3> {
    let stands = system.active_set().activity(i, v) == Activity::Restrained;
    stands.then(|| v_hat[i] + force[i] * (gamma * system.inverse_masses()[i]))
}

/// Gives restrained particles the momentum that follows from the force, limited so that they stay restrained.
pub(super) fn update_restrained_momenta(
    system: &System,
    gamma: f64,
    v_hat: &[DVec3],
    force: &[DVec3],
    v: &mut [DVec3],
) {
    let Some(restraint) = system.restraint() else { return };
    for (i, v) in v.iter_mut().enumerate() {
        if let Some(pushed) = pushed(system, i, *v, gamma, v_hat, force) {
            let (most, speed) = (restraint.limits[i].stop, pushed.length());
            *v = if speed <= most { pushed } else { pushed * (most / (JUST_ABOVE * speed)) };
        }
    }
}

/// Sets in motion, as slowly as possible, the particles that the force wakes: the next correction finds their speed. Returns whether there
/// are any.
fn wake(system: &mut System, gamma: f64, v_hat: &[DVec3], force: &[DVec3], v: &mut [DVec3]) -> bool {
    let mut any = false;
    for (i, v) in v.iter_mut().enumerate() {
        let Some(pushed) = pushed(system, i, *v, gamma, v_hat, force) else { continue };
        let Some(restraint) = system.restraint() else { return false };
        let (Limits { restrained, full, stop }, speed) = (restraint.limits[i], pushed.length());
        if speed > stop && speed.is_finite() {
            let into = if restraint.criterion == Criterion::Ramp { 0.0 } else { INTO_SPLINE * (full - restrained) };
            *v = pushed * ((restrained * JUST_ABOVE + into).min(speed) / speed);
            system.active_set_mut().keep_moving(i);
            any = true;
        }
    }
    any
}

/// A correction of velocities and effective velocities.
pub(super) struct Correction<'a> {
    pub dv: &'a [DVec3],
    pub du: &'a [DVec3],
}

/// `out = v + scale dv`; or the momentum of `u + scale du`, where effective velocities change faster than momenta. A particle that would reverse
/// its direction stops first: the force there decides whether and in which direction it goes on.
pub(super) fn apply_correction(system: &System, v: &[DVec3], by: &Correction, scale: f64, out: &mut [DVec3]) {
    let Correction { dv, du } = *by;
    let Some(restraint) = system.restraint() else {
        return System::fill(out, |i| v[i] + dv[i] * scale);
    };
    System::fill(out, |i| {
        let plain = v[i] + dv[i] * scale;
        if !restraint.criterion.is_convex() {
            return plain;
        }
        let full = restraint.limits[i].full;
        match system.active_set().activity(i, v[i]) {
            Activity::Restrained => v[i],
            // a freely moving particle may enter the transition
            Activity::Active if system.free()[i] && plain.length_squared() < full * full => {
                restraint.momentum(i, v[i] + du[i] * scale)
            }
            Activity::Active => plain,
            Activity::Transition => {
                let Response { gain, radial, .. } = restraint.criterion.response(v[i].length(), &restraint.limits[i]);
                let (before, after) = (v[i] * gain, v[i] * gain + du[i] * scale);
                match after {
                    _ if radial < 1.0 => plain,
                    after if before.dot(after) <= 0.0 && after.length_squared() < full * full => DVec3::ZERO,
                    after => restraint.momentum(i, after),
                }
            }
        }
    });
}

/// What became of restrained particles before an iteration.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Woken {
    /// All stay at rest.
    None,
    /// Some move from now on.
    Some,
    /// Whole bodies are released: the stage starts again.
    Released,
}

/// The largest slope of effective velocities: positions follow them, and roundings of momenta are as much larger.
pub(super) fn steepest_slope(system: &System, v: &[DVec3]) -> f64 {
    let is_in_transition = |i: usize| system.active_set().activity(i, v[i]) == Activity::Transition;
    match system.restraint() {
        Some(restraint) if (0..v.len()).any(is_in_transition) => restraint.steepest(),
        _ => 1.0,
    }
}

impl StageSolver {
    /// Before an iteration: moves restrained particles that the force sets in motion, and evaluates residual and force again if there are any.
    pub(super) fn wake_restrained(
        &mut self,
        system: &mut System,
        stage: Stage,
        iteration: usize,
        residual: &mut f64,
        end: &mut End,
        work: &mut Work,
    ) -> Woken {
        let Stage { gamma, time, .. } = stage;
        let is_late = iteration >= MAX_RESTRAINED_ITERATIONS;
        if stage.is_rough() && iteration > 0 && self.is_reduced && system.active_set_mut().release_woken(is_late, end.v)
        {
            return Woken::Released;
        }
        // of the solve before, if there was one
        self.strict = iteration >= FREE_ITERATIONS && self.is_reduced && !stage.is_rough();
        if !wake(system, gamma, &self.v_hat, end.force, end.v) {
            return Woken::None;
        }
        system.drift(end.x, &self.x_hat, gamma, end.v);
        system.apply_pins(time, end.x, end.v);
        self.evaluate_end(system, time, end, work);
        update_restrained_momenta(system, gamma, &self.v_hat, end.force, end.v);
        *residual = write_residual(system, gamma, &self.v_hat, end.v, end.force, &mut self.right, &mut self.partials);
        Woken::Some
    }

    /// Momenta and positions that follow from the effective velocities of a linearized solution.
    pub(super) fn apply_restraint(&self, system: &System, start: &Start, stage: Stage, end: &mut End) {
        if self.is_reduced || system.active_set().has_restrained(end.v) {
            let du = if self.is_reduced { &self.d } else { &self.y };
            apply_correction(system, start.view.v, &Correction { dv: &self.y, du }, 1.0, end.v);
            system.drift(end.x, &self.x_hat, stage.gamma, end.v);
            system.apply_pins(stage.time, end.x, end.v);
        }
    }

    /// Whether momenta of particles that are restrained, wholly or in part, are accurate enough to decide which particles move: corrections of
    /// positions do not show that where springs are stiff.
    pub(super) fn rest_is_resolved(&self, system: &System, stage: Stage, v: &[DVec3]) -> bool {
        if !(self.is_reduced || self.balances) || stage.accuracy == 0.0 {
            return true;
        }
        let (right, weights) = (&self.right, system.inverse_masses());
        let is_free = |i: usize| !self.balances && system.active_set().activity(i, v[i]) == Activity::Active;
        let worst = (0..v.len()).filter(|i| !is_free(*i)).map(|i| right[i].length() * weights[i]);
        worst.fold(0.0, f64::max) * stage.gamma <= self.rest
    }

    /// Zeroes the right-hand side of particles restrained at `v`: a linearization does not set them in motion.
    pub(super) fn mask_restrained_rows(&mut self, system: &System, v: &[DVec3]) {
        if system.restraint().is_some() {
            let stands = |i: usize| system.active_set().activity(i, v[i]) == Activity::Restrained;
            self.right.iter_mut().enumerate().filter(|(i, _)| stands(*i)).for_each(|(_, right)| *right = DVec3::ZERO);
        }
    }

    /// Solves for the changes of velocities, into `y`, and of effective velocities, into `d`.
    pub(super) fn solve_restrained(
        &mut self,
        system: &System,
        stage: Stage,
        work: &mut Work,
    ) -> Result<(), StepFailure> {
        let jacobian = self.jacobian.as_ref().expect("resize() made it");
        system.active_set().write_active_system(jacobian, stage.gamma, &self.assembled_v, &mut self.compact);
        self.d.fill(DVec3::ZERO);
        if !self.compact.rows.is_empty() {
            let x = &self.assembled_x;
            self.compact_y.clear();
            self.compact_y.extend(self.compact.rows.iter().map(|row| x[*row as usize]));
            self.solver.set_positions(&self.compact_y);
            work.factorisations += 1;
            self.factored = None;
            self.solver.factor(&self.compact.matrix)?;
            self.compact.gather(&self.right, &mut self.compact_right);
            let accuracy = stage.accuracy.min(self.rest);
            let enough = enough_digits(system, stage.gamma, accuracy, &self.compact_right, &mut self.partials);
            self.solve_compact(self.tolerance.max(enough), work)?;
        }
        self.y.copy_from_slice(&self.right);
        let jacobian = self.jacobian.as_ref().expect("resize() made it");
        self.compact.write_changes(system, jacobian, stage.gamma, &self.d, &mut self.y);
        Ok(())
    }

    /// Solves for the changes of effective velocities, into `d`.
    fn solve_compact(&mut self, tolerance: f64, work: &mut Work) -> Result<(), StepFailure> {
        self.compact_y.clear();
        self.compact_y.resize(self.compact_right.len(), DVec3::ZERO);
        let report = self.solver.solve(&self.compact.matrix, &self.compact_right, &mut self.compact_y, tolerance)?;
        work.linear_iterations += report.iterations as u64;
        self.compact.scatter(&self.compact_y, &mut self.d);
        Ok(())
    }

    /// [`StageSolver::filtered`] with the system of the moving particles.
    pub(super) fn filtered_restrained(&mut self, system: &mut System, work: &mut Work) -> Result<ErrorAt, StepFailure> {
        self.d.fill(DVec3::ZERO);
        self.compact.gather(&self.right, &mut self.compact_right);
        if self.compact_right.iter().any(|r| *r != DVec3::ZERO) {
            self.solve_compact(FILTER_TOLERANCE, work)?;
        }
        let d = &self.d;
        Ok(system.max_over_free(|i, _| d[i]))
    }

    /// Algorithm 1 about `start`, whose velocities may be restrained; writes (x1, v1).
    pub fn published(
        &mut self,
        system: &mut System,
        start: &Start,
        stage: Stage,
        end: &mut End,
        work: &mut Work,
    ) -> Result<(), StepFailure> {
        let Stage { gamma, time, .. } = stage;
        let (x0, v0) = (start.view.x, start.view.v);
        self.assembled = None;
        self.factored = None;
        work.assemblies += 1;
        work.solves += 1;
        work.factorisations += 1;
        system.assemble_all(&start.view, JacobianKind::Exact, self.jacobian.as_mut().expect("resize() made it"));
        let jacobian = self.jacobian.as_ref().expect("resize() made it");
        System::fill(&mut self.d, |i| system.active_set().effective(i, v0[i]) * gamma);
        self.e.fill(DVec3::ZERO);
        self.right.copy_from_slice(start.force);
        jacobian.add_product(&self.d, &self.e, &mut self.right);
        let free = system.free();
        for (right, free) in self.right.iter_mut().zip(free) {
            *right = if *free { *right * gamma } else { DVec3::ZERO };
        }
        let matrix = self.matrix.as_mut().expect("resize() made it");
        system.matrices().write_system_matrix(jacobian, gamma, matrix);
        system.active_set().multiply_by_slopes(v0, matrix);
        self.solver.factor(matrix)?;
        self.y.fill(DVec3::ZERO);
        let report = self.solver.solve(matrix, &self.right, &mut self.y, self.tolerance)?;
        work.linear_iterations += report.iterations as u64;
        let y = &self.y;
        System::fill(end.v, |i| v0[i] + y[i]);
        System::fill(end.x, |i| {
            let change = system.active_set().slope(i, v0[i]).map_or(y[i], |slope| slope * y[i]);
            x0[i] + (system.active_set().effective(i, v0[i]) + change) * gamma
        });
        system.apply_pins(time, end.x, end.v);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use pliant_core::restraint::{Criterion, Limits, Restraint};

    use super::*;

    /// From free motion into the transition: the effective velocity changes by what it is corrected by, whatever the limits are.
    #[test]
    fn corrections_are_those_of_effective_velocities() {
        const WAY: DVec3 = DVec3::new(0.48, -0.6, 0.64);
        for full in [0.5, 1.3, 4.0, 20.0] {
            let restraint = Restraint::new(
                Criterion::Convex,
                vec![Limits::new(Criterion::Convex, 0.3 * full, full, 0.0)],
                f64::INFINITY,
            );
            let mut system = System::new(vec![0.7], vec![], vec![], vec![]).unwrap();
            system.set_restraint(Some(restraint.clone()));
            let (v, change, mut out) = ([WAY * (1.1 * full)], [WAY * (-0.6 * full)], [DVec3::ZERO]);
            apply_correction(&system, &v, &Correction { dv: &change, du: &change }, 0.5, &mut out);
            let speed = restraint.effective(0, out[0]).dot(WAY);
            assert!((speed / (0.8 * full) - 1.0).abs() < 1e-12, "{speed} m/s below {full} m/s");
        }
    }
}
