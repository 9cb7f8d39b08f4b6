//! Stages of bodies that nothing holds and nothing touches. Errors of their momentum and angular momentum are never pulled back, so they are
//! solved for to rounding, and the predictor turns bodies instead of stretching them along straight lines. See [`super::rigid`].

use glam::DVec3;
use pliant_core::{StepFailure, System, View, Work};
use pliant_linalg::parallel::for_each_chunk;

use super::stage::{End, Stage, StageSolver, Start, evaluate, write_residual};

/// Angle in a stage, rad, beyond which the predictor turns free bodies instead of moving them along straight lines.
const TURNED: f64 = 0.01;
/// How many times |R|² may grow where the rigid part is taken out of it: turned velocities are damped otherwise.
const GROWN: f64 = 4.0;

impl StageSolver {
    /// Finds the bodies that nothing holds and nothing touches at the start of the stage.
    pub(super) fn find_free_bodies(&mut self, system: &mut System, start: &Start) {
        self.rigid.release();
        if self.rigid.is_empty() {
            return;
        }
        if let Some(contacts) = system.contact_at_ends(&start.view, &start.view) {
            let touched = contacts.start.iter().enumerate().filter(|(_, force)| **force != DVec3::ZERO);
            touched.for_each(|(i, _)| self.rigid.touch(i));
            system.give_back(contacts);
        }
    }

    /// The same for a step from a state, before anything else of it is known.
    pub(super) fn turns_freely(&mut self, system: &mut System, from: &View, dt: f64) -> Result<bool, StepFailure> {
        self.resize(system)?;
        let start = Start { view: *from, force: &[] };
        self.find_free_bodies(system, &start);
        let stage = Stage { gamma: dt, time: from.time + dt, accuracy: 0.0, expected: 0.0 };
        Ok(self.turns(system, &start, stage))
    }

    /// Whether free bodies turn so far in the stage that straight lines would stretch them.
    pub(super) fn turns(&mut self, system: &System, start: &Start, stage: Stage) -> bool {
        self.spin_energy = 0.0;
        if !self.rigid.is_free_flight() || system.is_restrained(start.view.v) {
            return false;
        }
        let (masses, v) = (system.masses(), start.view.v);
        self.rigid.find(masses, start.view.x, |i| v[i] * masses[i]);
        let turns = self.rigid.fastest_spin() * (stage.time - start.view.time) > TURNED;
        if turns {
            self.spin_energy = self.rigid.spin_energy();
        }
        turns
    }

    /// The predictor for bodies in free flight: each turns on as a rigid body. (What it does besides is left out: velocities at the ends of
    /// steps are along chords, and would stretch it.)
    pub(super) fn turned_guess(&mut self, system: &System, start: &Start, stage: Stage, end: &mut End) {
        let (x, span) = (start.view.x, stage.time - start.view.time);
        let (rigid, x_hat) = (&self.rigid, &self.x_hat);
        System::fill(end.x, |i| x[i] + rigid.moved(i, x[i], span));
        let guess = &*end.x;
        System::fill(end.v, |i| (guess[i] - x_hat[i]) / stage.gamma);
        system.apply_pins(stage.time, end.x, end.v);
    }

    /// Takes the rigid part out of the residual, body by body ([`super::rigid`]). Returns by how much it moved a particle at most, m, and the
    /// residual then.
    pub(super) fn balance(
        &mut self,
        system: &mut System,
        stage: Stage,
        residual: f64,
        end: &mut End,
        work: &mut Work,
    ) -> (f64, f64) {
        let Stage { gamma, time, .. } = stage;
        if self.rigid.is_empty() || self.is_compact || system.is_restrained(end.v) {
            return (0.0, residual);
        }
        // What came into contact on the way is not free any more.
        let loose = self.jacobian.iter().flat_map(|jacobian| &jacobian.loose);
        loose.for_each(|block| self.rigid.touch(block.row as usize));
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
        evaluate(system, time, &self.trial_x, &self.trial_v, &mut self.trial_force, work);
        let after = write_residual(
            system,
            gamma,
            &self.v_hat,
            &self.trial_v,
            &self.trial_force,
            &mut self.right,
            &mut self.partials,
        );
        if after > GROWN * residual || !after.is_finite() {
            write_residual(system, gamma, &self.v_hat, end.v, end.force, &mut self.right, &mut self.partials);
            return (0.0, residual);
        }
        end.x.copy_from_slice(&self.trial_x);
        end.v.copy_from_slice(&self.trial_v);
        end.force.copy_from_slice(&self.trial_force);
        (moved, after)
    }

    /// Takes what an iterative solver left of the momentum of free bodies out of its solution.
    pub(super) fn conserve_momentum(&mut self, system: &System, x: &[DVec3]) {
        if self.rigid.is_empty() || self.is_compact {
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
