//! Stages of free bodies, without pins and contact. No force restores errors of their momentum and angular momentum, so these are
//! solved for to rounding, and the predictor rotates bodies instead of stretching them along straight lines. See [`super::rigid`].
//!
//! Backward Euler ends a step with velocities along the chord, which point inwards by half the angle of the step: damping treats them as a rate
//! of strain and keeps the body stretched, with any energy. Forces are therefore evaluated at `v + t`, where t turns the velocities of the predictor
//! to the tangents: of first order, like the scheme.

use glam::DVec3;
use pliant_core::{ErrorAt, Point, StepFailure, System, View, Work};
use pliant_parallel::for_each_chunk;
use pliant_scalar::math;

use super::rigid::turned;
use super::stage::{End, Stage, StageSolver, Start, evaluate_turning, write_residual};
use crate::integrator::{shorter, without_contact};

/// Angle in a stage, rad, beyond which the predictor rotates free bodies instead of moving them along straight lines.
pub(super) const MIN_ROTATION: f64 = 0.01;
/// Times that differ by less than this part are equal.
const TIME_EQUALITY: f64 = 1e-6;
/// Largest growth of |R|² when the rigid part is removed from it: rotated velocities are damped differently.
const MAX_RESIDUAL_GROWTH: f64 = 4.0;

/// The predicted path of rigid bodies to the end of a step.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum RigidPath {
    /// Along tangents: a body that moved by θ radii has turned by arctan θ.
    Straight,
    /// On circles, with the spin of the start.
    Circular,
}

impl RigidPath {
    fn angle(self, along: DVec3) -> DVec3 {
        let length = along.length();
        if self == RigidPath::Circular || length == 0.0 { along } else { along * (math::atan(length) / length) }
    }
}

impl StageSolver {
    /// Finds the bodies without pins and without contact at the start of the stage.
    pub(super) fn find_free_bodies(&mut self, system: &mut System, start: &Start) {
        self.rigid.release();
        if self.rigid.is_empty() {
            return;
        }
        if let Some(contacts) = system.contact().forces_at_ends(&start.view, &start.view) {
            let in_contact = contacts.start.iter().enumerate().filter(|(_, force)| **force != DVec3::ZERO);
            in_contact.for_each(|(i, _)| self.rigid.mark_contact(i));
            system.contact().give_back(contacts);
        }
    }

    /// The same for a step from a state, before its stages are set up.
    pub(super) fn turns_freely(&mut self, system: &mut System, from: &View, dt: f64) -> Result<bool, StepFailure> {
        self.resize(system)?;
        let start = Start { view: *from, force: &[] };
        self.find_free_bodies(system, &start);
        let stage = Stage { gamma: dt, time: from.time + dt, accuracy: 0.0, expected: 0.0 };
        Ok(self.turns(system, &start, stage))
    }

    /// Whether every particle belongs to a free body without contact at the start of the last stage, and bodies rotate more than they
    /// strain.
    pub(super) fn is_spinning(&mut self, system: &System, from: &Point) -> bool {
        if !self.rigid.is_free_flight() || self.is_reduced || system.breaks() {
            return false;
        }
        let (masses, x, v) = (system.masses(), &from.state.x, &from.state.v);
        self.rigid.find(masses, x, |i| v[i] * masses[i]);
        let rigid = &self.rigid;
        let strains = |i: usize| 0.5 * masses[i] * (v[i] - rigid.velocity(i, x[i])).length_squared();
        self.rigid.spin_energy() > self.partials.sum(v.len(), |range| range.map(strains).sum())
    }

    /// The force error of a linearized step [Adaptive] from the vectors `error(i, 1/m)`. For spinning bodies it is filtered by the matrix of the
    /// stage like a truncation error: a straight step strains a rotating body, and the restoring force in metres is not an error in metres.
    pub(super) fn force_error(
        &mut self,
        system: &mut System,
        from: &Point,
        to: &Point,
        scale: f64,
        error: impl Fn(usize, f64) -> DVec3 + Sync,
        work: &mut Work,
    ) -> Result<ErrorAt, StepFailure> {
        let is_spinning = self.is_spinning(system, from);
        let misfit = self.contact_misfit(system, &from.state.view(), &to.state.view());
        if !is_spinning {
            return Ok(without_contact(system, misfit, scale, error));
        }
        let misfit = misfit.is_some().then(|| std::mem::take(&mut self.trial_force));
        let smooth = |i: usize, weight: f64| {
            let all = error(i, weight);
            misfit.as_ref().map_or(all, |misfit| shorter(all, all - misfit[i] * (scale * weight)))
        };
        self.turn_back(system, from, to, RigidPath::Straight, smooth);
        if let Some(misfit) = misfit {
            self.trial_force = misfit;
        }
        let turned = self.take_turned();
        let found = self.filtered(system, &from.state.x, work, |i, _| turned[i]);
        self.give_back(turned);
        found
    }

    /// Takes the buffer written by [`StageSolver::turn_back`],
    pub(super) fn take_turned(&mut self) -> Vec<DVec3> {
        std::mem::take(&mut self.trial_x)
    }

    /// and returns it.
    pub(super) fn give_back(&mut self, turned: Vec<DVec3>) {
        self.trial_x = turned;
    }

    /// Writes vectors at the end of a step into `trial_x`, rotated back by the rotation of the bodies since its start, where the matrix is.
    pub(super) fn turn_back(
        &mut self,
        system: &System,
        from: &Point,
        to: &Point,
        path: RigidPath,
        vector: impl Fn(usize, f64) -> DVec3 + Sync,
    ) {
        let (masses, weights, span) = (system.masses(), system.inverse_masses(), from.state.time - to.state.time);
        let (x0, x1, v0) = (&from.state.x, &to.state.x, &from.state.v);
        match path {
            RigidPath::Straight => self.rigid.find(masses, x0, |i| (x0[i] - x1[i]) * (masses[i] / span)),
            RigidPath::Circular => self.rigid.find(masses, x0, |i| v0[i] * masses[i]),
        }
        let rigid = &self.rigid;
        System::fill(&mut self.trial_x, |i| {
            let at_end = vector(i, weights[i]);
            let angle = rigid.spin(i) * span;
            at_end + turned(path.angle(angle), at_end)
        });
    }

    /// Velocities before the last correction by [`StageSolver::conserve`].
    pub(super) fn uncorrected(&self) -> &[DVec3] {
        &self.trial_v
    }

    /// Whether free bodies rotate so far in the stage that straight lines would stretch them.
    pub(super) fn turns(&mut self, system: &System, start: &Start, stage: Stage) -> bool {
        self.spin_energy = 0.0;
        self.tangents.clear();
        if !self.rigid.is_free_flight() || system.active_set().has_restrained(start.view.v) {
            return false;
        }
        let (masses, v) = (system.masses(), start.view.v);
        self.rigid.find(masses, start.view.x, |i| v[i] * masses[i]);
        let turns = self.rigid.fastest_spin() * (stage.time - start.view.time) > MIN_ROTATION;
        if turns {
            self.spin_energy = self.rigid.spin_energy();
        }
        turns
    }

    /// The predictor for bodies in free flight: each continues to rotate as a rigid body. (Its strain rates are left out: velocities at the ends of
    /// steps are along chords, and would stretch it.)
    pub(super) fn rigid_predictor(&mut self, system: &System, start: &Start, stage: Stage, end: &mut End) {
        let (x, span) = (start.view.x, stage.time - start.view.time);
        let (rigid, x_hat) = (&self.rigid, &self.x_hat);
        System::fill(end.x, |i| x[i] + rigid.moved(i, x[i], span));
        let guess = &*end.x;
        System::fill(end.v, |i| (guess[i] - x_hat[i]) / stage.gamma);
        let is_along_chord = (stage.gamma - span).abs() <= TIME_EQUALITY * span;
        if is_along_chord && system.depends_on_velocity() {
            let velocity = &*end.v;
            self.tangents.resize(x.len(), DVec3::ZERO);
            System::fill(&mut self.tangents, |i| rigid.tangent(i, x[i], span) - velocity[i]);
        }
        system.apply_pins(stage.time, end.x, end.v);
    }

    /// Evaluates the force at the end of a stage.
    pub(super) fn evaluate_end(&mut self, system: &mut System, time: f64, end: &mut End, work: &mut Work) {
        evaluate_turning(system, time, (&*end.x, &*end.v), (&self.tangents[..], &mut self.e[..]), end.force, work);
    }

    /// Velocities for the forces at the end of a stage, in the buffer `e`, which must be returned.
    pub(super) fn shown_velocities(&mut self, v: &[DVec3]) -> Vec<DVec3> {
        let (mut shown, tangents) = (std::mem::take(&mut self.e), &self.tangents);
        match tangents.is_empty() {
            true => shown.copy_from_slice(v),
            false => System::fill(&mut shown, |i| v[i] + tangents[i]),
        }
        shown
    }

    /// Removes the rigid part of the residual, body by body ([`super::rigid`]). Returns the largest displacement of a particle, m, and the
    /// new residual.
    pub(super) fn balance_momenta(
        &mut self,
        system: &mut System,
        stage: Stage,
        residual: f64,
        end: &mut End,
        work: &mut Work,
    ) -> (f64, f64) {
        let Stage { gamma, time, .. } = stage;
        if self.rigid.is_empty() || self.is_reduced || system.active_set().has_restrained(end.v) {
            return (0.0, residual);
        }
        // Bodies that came into contact during the stage are not free any more.
        let contact_blocks = self.jacobian.iter().flat_map(|jacobian| &jacobian.contact_blocks);
        contact_blocks.for_each(|block| self.rigid.mark_contact(block.row as usize));
        let right = &self.right;
        self.rigid.find(system.masses(), end.x, |i| right[i]);
        let (rigid, x1, v1) = (&self.rigid, &*end.x, &*end.v);
        let moved = system.max_over_free(|i, _| rigid.moved(i, x1[i], gamma)).metres;
        let rounding = f64::EPSILON * system.max_over_free(|i, _| x1[i]).metres;
        if moved <= rounding {
            return (0.0, residual);
        }
        System::fill(&mut self.trial_x, |i| x1[i] + rigid.moved(i, x1[i], gamma));
        System::fill(&mut self.trial_v, |i| v1[i] + rigid.moved(i, x1[i], gamma) / gamma);
        system.apply_pins(time, &mut self.trial_x, &mut self.trial_v);
        let ends = (&self.trial_x[..], &self.trial_v[..]);
        evaluate_turning(system, time, ends, (&self.tangents[..], &mut self.e[..]), &mut self.trial_force, work);
        let after = write_residual(
            system,
            gamma,
            &self.v_hat,
            &self.trial_v,
            &self.trial_force,
            &mut self.right,
            &mut self.partials,
        );
        if after > MAX_RESIDUAL_GROWTH * residual || !after.is_finite() {
            write_residual(system, gamma, &self.v_hat, end.v, end.force, &mut self.right, &mut self.partials);
            return (0.0, residual);
        }
        end.x.copy_from_slice(&self.trial_x);
        end.v.copy_from_slice(&self.trial_v);
        end.force.copy_from_slice(&self.trial_force);
        (moved, after)
    }

    /// Removes the momentum error of free bodies that an iterative solver left in its solution.
    pub(super) fn conserve_momentum(&mut self, system: &System, x: &[DVec3]) {
        if self.rigid.is_empty() || self.is_reduced {
            return;
        }
        let matrix = self.matrix.as_ref().expect("resize() made it");
        matrix.residual(&self.right, &self.y, &mut self.d, &mut self.partials);
        let left = &self.d;
        self.rigid.find(system.masses(), x, |i| left[i]);
        let rigid = &self.rigid;
        for_each_chunk(&mut self.y, |start, chunk| {
            for (i, y) in (start..).zip(chunk) {
                *y += rigid.drift(i);
            }
        });
    }
}
