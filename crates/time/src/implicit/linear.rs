//! Stages of linear systems, whose forces are affine in positions and velocities until the next step begins ([`System::is_linear`]). One
//! Newton step is then the solution, to the accuracy of the linear solver, and there is nothing to search or to correct.
//!
//! It starts at a guess for the *end* of the stage, v = v0 + s (v̂ - v0), x = x̂ + γ v: loads may depend on time, and a linearization about the
//! start of the step would miss their change. With the correction y of the velocities the force at the end is F + (γ K + D) y: no further
//! evaluation is needed.
//!
//! The matrix is `M - γ D - γ² K` with K and D that change only with the system's revision. As long as neither that nor γ changes, the matrix
//! and its factorization are kept. Both are functions of the revision and γ, so that a solve has the same bits whether or not they were
//! kept.

use std::time::Instant;

use glam::DVec3;
use pliant_core::{JacobianKind, StepFailure, System, View, Work};
use pliant_linalg::solver::SolveError;

use super::stage::{End, Stage, StageSolver, Start, evaluate, write_residual};

/// Largest relative residual of the first attempt,
const MIN_DIGITS: f64 = 0.1;
/// safety factor of the relative residual of further attempts,
const MARGIN: f64 = 0.5;
/// and the number of attempts before the solver's own tolerance is used.
const ATTEMPTS: usize = 4;

impl StageSolver {
    /// The stage of a linear system; writes (x1, v1) and the force there.
    pub(super) fn solved_once(
        &mut self,
        system: &mut System,
        start: &Start,
        stage: Stage,
        end: &mut End,
        work: &mut Work,
    ) -> Result<(), StepFailure> {
        let Stage { gamma, time, expected, .. } = stage;
        let (x_hat, v_hat, v0) = (&self.x_hat, &self.v_hat, start.view.v);
        System::fill(end.v, |i| v0[i] + (v_hat[i] - v0[i]) * expected);
        let v1 = &*end.v;
        System::fill(end.x, |i| x_hat[i] + v1[i] * gamma);
        system.apply_pins(time, end.x, end.v);
        evaluate(system, time, end.x, end.v, end.force, work);
        write_residual(system, gamma, &self.v_hat, end.v, end.force, &mut self.right, &mut self.partials);
        let mut kind = self.first_kind();
        loop {
            self.assemble(system, &View { time, x: end.x, v: end.v }, kind, work);
            let begun = Instant::now();
            work.solves += 1;
            let solved = self.solve_to_accuracy(system, stage, work);
            system.clock.book(|clock| &mut clock.linear, begun);
            match solved {
                Err(StepFailure::Linear(SolveError::Indefinite { .. })) if kind != JacobianKind::Psd => {
                    kind = JacobianKind::Psd;
                }
                Err(failure) => return Err(failure),
                Ok(()) => break,
            }
        }
        let (x_hat, y) = (&self.x_hat, &self.y);
        end.v.iter_mut().zip(y).for_each(|(v, y)| *v += *y);
        let v1 = &*end.v;
        System::fill(end.x, |i| x_hat[i] + v1[i] * gamma);
        system.apply_pins(time, end.x, end.v);
        System::fill(&mut self.d, |i| y[i] * gamma);
        self.jacobian.as_ref().expect("resize() made it").add_product(&self.d, &self.y, end.force);
        Ok(())
    }

    /// Solves until γ |M⁻¹ r| is within the stage's accuracy, the criterion of Newton's method (forces are restoring, so the matrix is above M).
    fn solve_to_accuracy(&mut self, system: &mut System, stage: Stage, work: &mut Work) -> Result<(), StepFailure> {
        self.factor(system, stage.gamma, work)?;
        let matrix = self.matrix.as_ref().expect("resize() made it");
        self.y.fill(DVec3::ZERO);
        let metres = |system: &mut System, residual: &[DVec3]| {
            system.max_over_free(|i, weight| residual[i] * (stage.gamma * weight)).metres
        };
        let (mut tolerance, mut off) = (1.0, metres(system, &self.right));
        for _ in 0..ATTEMPTS {
            // An accuracy of 0 selects the solver's own tolerance.
            tolerance = (tolerance * MARGIN * stage.accuracy / off).clamp(self.tolerance, MIN_DIGITS);
            let report = self.solver.solve(matrix, &self.right, &mut self.y, tolerance)?;
            work.linear_iterations += report.iterations as u64;
            if tolerance <= self.tolerance {
                return Ok(());
            }
            matrix.residual(&self.right, &self.y, &mut self.d, &mut self.partials);
            off = metres(system, &self.d);
            if off <= stage.accuracy {
                return Ok(());
            }
        }
        let report = self.solver.solve(matrix, &self.right, &mut self.y, self.tolerance)?;
        work.linear_iterations += report.iterations as u64;
        Ok(())
    }
}
