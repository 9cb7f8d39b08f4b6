//! The one equation behind every implicit scheme here: find (x1, v1) with
//!
//! `M (v1 - v̂) = γ F(x1, v1)`,  `x1 = x̂ + γ v1`,
//!
//! where γ is a part of dt, and x̂, v̂ are known. Backward Euler has γ = dt, x̂ = x, v̂ = v; the trapezoidal rule (Newmark γ = ½,
//! β = ¼) has γ = dt/2, x̂ = x + dt/2 v, v̂ = v + dt/2 M⁻¹F; BDF formulas put their history into x̂ and v̂.
//!
//! *Linearized* (one Newton step about the start of the step, [Adaptive] eq. 3): with F ≈ F0 + A (x1 - x0) + B (v1 - v0) and
//! v1 = v0 + y,
//!
//! `(M - γ B - γ² A) y = M (v̂ - v0) + γ [F0 + A d + B e]`,
//!
//! d = x̂ + γ v0 - x0 and e = 0, except for pinned particles: there d and e are the prescribed motion. *Converged*: Newton's method
//! goes on from there (`newton.rs`).

use std::time::Instant;

use glam::DVec3;
use pliant_core::{ActiveSystem, ErrorAt, Jacobian, JacobianKind, StepFailure, System, View, Work};
use pliant_linalg::block_csr::BlockCsr;
use pliant_linalg::solver::{LinearSolver, SolveError};
use pliant_parallel::{Partials, for_each_chunk};

use super::conserve::Momenta;
use super::low_rank::RankOneUpdates;
use super::rigid::RigidBodies;

/// A state and the force there, about which the force is linearized.
#[derive(Clone, Copy)]
pub struct Start<'a> {
    /// Time, positions, velocities.
    pub view: View<'a>,
    /// Force there, N.
    pub force: &'a [DVec3],
}

/// The known part of a stage is in [`StageSolver::x_hat`] and [`StageSolver::v_hat`]; this is the rest.
#[derive(Clone, Copy, Debug)]
pub struct Stage {
    /// γ, s.
    pub gamma: f64,
    /// Time at the end of the stage, s.
    pub time: f64,
    /// Newton may stop when corrections fall below this, m; 0: at rounding.
    pub accuracy: f64,
    /// Expected change of velocity as a multiple of v̂ - v0: the initial guess of a linear system.
    pub expected: f64,
}

impl Stage {
    /// Whether a given accuracy is enough, instead of rounding.
    pub(super) fn is_rough(&self) -> bool {
        self.accuracy > 0.0
    }
}

/// Output of the solution.
pub struct End<'a> {
    /// Positions, m.
    pub x: &'a mut [DVec3],
    /// Velocities, m/s.
    pub v: &'a mut [DVec3],
    /// The force there, N; not written by [`StageSolver::linearized`].
    pub force: &'a mut [DVec3],
}

/// Relative residual to which an error estimate is solved: a tenth more or less of an error is 3 % of the next step.
pub(super) const FILTER_TOLERANCE: f64 = 0.1;
/// Largest relative residual of a linear system, however low the required accuracy.
const MIN_DIGITS: f64 = 1e-5;
/// The same where another correction with the same matrix follows, which removes the remaining error,
const MIN_TO_KEEP: f64 = 1e-2;
/// and for that correction.
const MIN_KEPT: f64 = 1e-2;

/// Solves stages; holds the matrices and the linear solver.
pub struct StageSolver {
    /// x̂, m, filled by the scheme before a solve.
    pub x_hat: Vec<DVec3>,
    /// v̂, m/s, likewise.
    pub v_hat: Vec<DVec3>,
    pub(super) solver: Box<dyn LinearSolver>,
    pub(super) tolerance: f64,
    /// Limit of corrections at which a stage is accepted as it is.
    pub(super) max_corrections: Option<usize>,
    pub(super) jacobian: Option<Jacobian>,
    pub(super) matrix: Option<BlockCsr>,
    /// State at which the Jacobian was assembled: a retry from the same state with another dt does not assemble again, and a linear system
    /// assembles only when its revision changes.
    pub(super) assembled: Option<JacobianKind>,
    assembled_revision: u64,
    assembled_time: f64,
    pub(super) assembled_x: Vec<DVec3>,
    pub(super) assembled_v: Vec<DVec3>,
    /// The system of the moving particles under restraint, and whether the solver holds it; see [`super::restrained`].
    pub(super) compact: ActiveSystem,
    pub(super) is_reduced: bool,
    /// Whether each correction under restraint must decrease the energy.
    pub(super) strict: bool,
    /// Required accuracy of the momenta of restrained particles, as the displacement in a stage, m; infinite where no particle is restrained.
    pub rest: f64,
    /// Whether forces must be in balance at the end, accurately enough to decide which bodies can be restrained from then on.
    pub(super) balances: bool,
    pub(super) compact_right: Vec<DVec3>,
    pub(super) compact_y: Vec<DVec3>,
    /// Key of the factored matrix of the solver, where it can be used again: see [`super::linear`].
    pub(super) factored: Option<(u64, JacobianKind, f64)>,
    pub(super) right: Vec<DVec3>,
    pub(super) y: Vec<DVec3>,
    pub(super) d: Vec<DVec3>,
    pub(super) e: Vec<DVec3>,
    pub(super) trial_x: Vec<DVec3>,
    pub(super) trial_v: Vec<DVec3>,
    pub(super) trial_force: Vec<DVec3>,
    pub(super) partials: Partials,
    /// Terms of rank one of the last matrix.
    updates: RankOneUpdates,
    /// Positions of the iterate before, m; those of the start of the step for the first one.
    pub(super) before_x: Vec<DVec3>,
    /// Free bodies, and their rotational energy, J, where they rotate far in this stage; else 0.
    pub(super) rigid: RigidBodies,
    pub(super) spin_energy: f64,
    /// Their angular momenta, see [`super::conserve`].
    pub(super) momenta: Momenta,
    /// Added to velocities where forces are evaluated, m/s, where bodies rotate far: see [`super::free_flight`]. Else empty.
    pub(super) tangents: Vec<DVec3>,
}

impl StageSolver {
    /// A solver of stages with linear systems solved to a relative residual of `tolerance`, and with at most so many corrections of a predictor.
    pub fn new(solver: Box<dyn LinearSolver>, tolerance: f64, max_corrections: Option<usize>) -> Self {
        let empty = Vec::new;
        Self {
            x_hat: empty(),
            v_hat: empty(),
            solver,
            tolerance,
            max_corrections,
            jacobian: None,
            matrix: None,
            assembled: None,
            assembled_revision: 0,
            assembled_time: f64::NAN,
            assembled_x: empty(),
            assembled_v: empty(),
            compact: ActiveSystem::default(),
            is_reduced: false,
            strict: false,
            rest: f64::INFINITY,
            balances: false,
            compact_right: empty(),
            compact_y: empty(),
            factored: None,
            right: empty(),
            y: empty(),
            d: empty(),
            e: empty(),
            trial_x: empty(),
            trial_v: empty(),
            trial_force: empty(),
            partials: Partials::default(),
            updates: RankOneUpdates::default(),
            before_x: empty(),
            rigid: RigidBodies::default(),
            spin_energy: 0.0,
            momenta: Momenta::default(),
            tangents: empty(),
        }
    }

    /// Resizes all buffers; analyses the matrix pattern on first use.
    pub fn resize(&mut self, system: &System) -> Result<(), StepFailure> {
        if self.jacobian.is_none() {
            let matrix = system.matrices().new_matrix();
            self.solver.set_hierarchy(system.refinement());
            self.solver.analyze(&matrix.pattern)?;
            let matrix_pattern = matrix.pattern.clone();
            self.matrix = Some(matrix);
            self.rigid.label(&matrix_pattern, system.free());
            self.jacobian = Some(system.matrices().new_jacobian());
        }
        for buffer in [
            &mut self.x_hat,
            &mut self.v_hat,
            &mut self.right,
            &mut self.y,
            &mut self.d,
            &mut self.e,
            &mut self.trial_x,
            &mut self.trial_v,
            &mut self.trial_force,
            &mut self.before_x,
        ] {
            buffer.resize(system.len(), DVec3::ZERO);
        }
        Ok(())
    }

    /// One Newton step about `start`; writes (x1, v1). The force at the end is not evaluated.
    pub fn linearized(
        &mut self,
        system: &mut System,
        start: &Start,
        stage: Stage,
        end: &mut End,
        work: &mut Work,
    ) -> Result<(), StepFailure> {
        self.find_free_bodies(system, start);
        self.linearize(system, start, stage, end, false, work)
    }

    /// The same, on its own or as a guess for Newton's method.
    pub(super) fn linearize(
        &mut self,
        system: &mut System,
        start: &Start,
        stage: Stage,
        end: &mut End,
        is_guess: bool,
        work: &mut Work,
    ) -> Result<(), StepFailure> {
        let Stage { gamma, time, .. } = stage;
        let View { x: x0, v: v0, .. } = start.view;
        let (x1, v1) = (&mut *end.x, &mut *end.v);
        // The guess: free particles keep their velocity, pinned ones follow their pins.
        system.drift(x1, &self.x_hat, gamma, v0);
        v1.copy_from_slice(v0);
        system.apply_pins(time, x1, v1);
        let (guess_x, guess_v) = (&*x1, &*v1);
        System::fill(&mut self.d, |i| guess_x[i] - x0[i]);
        System::fill(&mut self.e, |i| guess_v[i] - v0[i]);

        // An approaching collider gives a bad guess: its force acts on particles that are about to move away.
        let is_load_known = !(is_guess && system.has_contact()) && self.load_at_end(system, start, time, work);
        // Cloth in contact buckles: a rough guess needs no curvature, and an indefinite matrix would be factored in vain.
        let is_rough = is_guess && stage.is_rough() && system.has_contact() && !self.balances;
        let mut kind = if is_rough { self.rough_kind() } else { self.first_kind() };
        loop {
            self.assemble(system, &start.view, kind, work);
            let jacobian = self.jacobian.as_ref().expect("resize() made it");
            self.right.copy_from_slice(if is_load_known { &self.trial_force } else { start.force });
            if system.has_moving_pins() {
                jacobian.add_product(&self.d, &self.e, &mut self.right);
            } else {
                jacobian.stiffness.multiply_add(1.0, &self.d, &mut self.right);
                jacobian.add_contact_product(&self.d, &self.e, &mut self.right);
                jacobian.low_rank.add_product(&self.d, &mut self.right);
            }
            let (masses, free, v_hat) = (system.masses(), system.free(), &self.v_hat);
            for (i, right) in self.right.iter_mut().enumerate() {
                *right = if free[i] { (v_hat[i] - v0[i]) * masses[i] + *right * gamma } else { DVec3::ZERO };
            }
            self.mask_restrained_rows(system, v0);
            match self.solve(system, stage, Matrix::New, work) {
                Err(StepFailure::Linear(SolveError::Indefinite { .. })) if kind != JacobianKind::Psd => {
                    kind = JacobianKind::Psd;
                }
                Err(failure) => return Err(failure),
                Ok(()) => break,
            }
        }
        if !is_guess {
            self.conserve_momentum(system, x0);
        }
        let (y, x_hat) = (&self.y, &self.x_hat);
        System::fill(v1, |i| v0[i] + y[i]);
        let v_end = &*v1;
        System::fill(x1, |i| x_hat[i] + v_end[i] * gamma);
        system.apply_pins(time, x1, v1);
        Ok(())
    }

    /// For forces that depend on time at rest: writes the force at the start, evaluated at the time of the end of the stage, into
    /// `trial_force`. `F0 + A dx + B dv` alone would leave out ∂F/∂t and be of first order. `false` where forces do not depend on time, or where
    /// a collider hits the positions of the start, so that there is no such force.
    fn load_at_end(&mut self, system: &mut System, start: &Start, time: f64, work: &mut Work) -> bool {
        if system.is_steady() {
            return false;
        }
        let View { x, v, .. } = start.view;
        let later = View { time, x, v };
        if system.has_contact() && !system.contact().collision_free_step(&start.view, &later).is_full() {
            return false;
        }
        evaluate(system, time, x, v, &mut self.trial_force, work);
        self.trial_force.iter().all(|force| force.is_finite())
    }

    pub(super) fn rough_kind(&self) -> JacobianKind {
        if self.solver.needs_symmetric() { JacobianKind::Psd } else { JacobianKind::Exact }
    }

    pub(super) fn first_kind(&self) -> JacobianKind {
        if self.solver.needs_symmetric() { JacobianKind::Symmetric } else { JacobianKind::Exact }
    }

    pub(super) fn assemble(&mut self, system: &mut System, view: &View, kind: JacobianKind, work: &mut Work) {
        let same = self.assembled == Some(kind) && self.assembled_revision == system.revision();
        let here = || self.assembled_time == view.time && self.assembled_x == view.x && self.assembled_v == view.v;
        if same && (system.is_linear() || here()) {
            return;
        }
        work.assemblies += 1;
        system.assemble(view, kind, self.jacobian.as_mut().expect("resize() made it"));
        self.assembled = Some(kind);
        self.assembled_revision = system.revision();
        self.assembled_time = view.time;
        self.assembled_x.clear();
        self.assembled_x.extend_from_slice(view.x);
        self.assembled_v.clear();
        self.assembled_v.extend_from_slice(view.v);
    }

    /// Assembles for this γ alone; no retry starts from a predicted state.
    pub(super) fn assemble_merged(
        &mut self,
        system: &mut System,
        view: &View,
        kind: JacobianKind,
        gamma: f64,
        work: &mut Work,
    ) {
        work.assemblies += 1;
        let jacobian = self.jacobian.as_mut().expect("resize() made it");
        jacobian.correction.clear();
        jacobian.correction.extend(view.x.iter().zip(&self.before_x).map(|(x, before)| *x - *before));
        self.before_x.copy_from_slice(view.x);
        system.assemble_merged(view, kind, gamma, jacobian);
        self.assembled = None;
        self.assembled_x.clear();
        self.assembled_x.extend_from_slice(view.x);
        self.assembled_v.clear();
        self.assembled_v.extend_from_slice(view.v);
    }

    /// Solves (M - γ D - γ² K) y = right.
    pub(super) fn solve(
        &mut self,
        system: &mut System,
        stage: Stage,
        matrix: Matrix,
        work: &mut Work,
    ) -> Result<(), StepFailure> {
        let begun = Instant::now();
        let solved = self.solve_untimed(system, stage, matrix, work);
        system.clock.book(|clock| &mut clock.linear, begun);
        solved
    }

    fn solve_untimed(
        &mut self,
        system: &System,
        stage: Stage,
        which: Matrix,
        work: &mut Work,
    ) -> Result<(), StepFailure> {
        work.solves += 1;
        self.is_reduced = system.active_set().has_restrained(&self.assembled_v);
        if self.is_reduced {
            return self.solve_restrained(system, stage, work);
        }
        if which != Matrix::Kept {
            self.factor(system, stage.gamma, work)?;
        }
        let matrix = self.matrix.as_ref().expect("resize() made it");
        self.y.fill(DVec3::ZERO);
        let accuracy = if self.balances { stage.accuracy.min(self.rest) } else { stage.accuracy };
        let enough = match which {
            Matrix::New => enough_digits(system, stage.gamma, accuracy, &self.right, &mut self.partials),
            Matrix::ToKeep => MIN_TO_KEEP,
            Matrix::Kept => MIN_KEPT,
        };
        let tolerance = self.tolerance.max(enough);
        let report = self.solver.solve(matrix, &self.right, &mut self.y, tolerance)?;
        work.linear_iterations += report.iterations as u64;
        let low_rank = &self.jacobian.as_ref().expect("resize() made it").low_rank;
        if which != Matrix::Kept {
            let terms = (low_rank, stage.gamma, system.free());
            let digits = (self.tolerance, stage.is_rough());
            work.linear_iterations += self.updates.prepare(terms, matrix, &mut *self.solver, digits)? as u64;
        }
        self.updates.apply(low_rank, &mut self.y);
        Ok(())
    }

    /// Lets the solver factor `M - γ D - γ² K`; for a linear system only if it is not the matrix that it holds.
    pub(super) fn factor(&mut self, system: &System, gamma: f64, work: &mut Work) -> Result<(), StepFailure> {
        let wanted = self.assembled.filter(|_| system.is_linear()).map(|kind| (system.revision(), kind, gamma));
        if wanted.is_some() && wanted == self.factored && self.solver.is_settled() {
            return Ok(());
        }
        self.factored = None;
        let matrix = self.matrix.as_mut().expect("resize() made it");
        system.matrices().write_system_matrix(self.jacobian.as_ref().expect("resize() made it"), gamma, matrix);
        self.solver.set_positions(if system.is_linear() { system.reference() } else { &self.assembled_x });
        work.factorisations += 1;
        self.solver.factor(matrix)?;
        self.factored = wanted;
        Ok(())
    }

    /// The largest error of positions when an error `error(i, 1/m)` of the unfiltered formula is filtered once by the stage's own
    /// linear system: `(M - γ D - γ² K)⁻¹ M error` [Hosea]. For small dt both agree; in stiff directions, where forces suppress the error of the
    /// formula, the filtered one has the size of the actual error. Uses the matrix of the last solve. The rigid part at the start of
    /// the step bypasses the filter: no force restores it, but a matrix of a strained state would.
    pub fn filtered(
        &mut self,
        system: &mut System,
        start_x: &[DVec3],
        work: &mut Work,
        error: impl Fn(usize, f64) -> DVec3 + Sync,
    ) -> Result<ErrorAt, StepFailure> {
        let (masses, weights) = (system.masses(), system.inverse_masses());
        let fixed = |i: usize| weights[i] == 0.0;
        System::fill(&mut self.right, |i| if fixed(i) { DVec3::ZERO } else { error(i, weights[i]) * masses[i] });
        self.y.fill(DVec3::ZERO);
        if self.is_reduced {
            return self.filtered_restrained(system, work);
        }
        let matrix = self.matrix.as_ref().expect("a stage was solved");
        let right = &self.right;
        self.rigid.find(masses, start_x, |i| right[i]);
        let rigid = &self.rigid;
        System::fill(&mut self.trial_v, |i| rigid.velocity(i, start_x[i]));
        take_out(&mut self.right, masses, |i| self.trial_v[i]);
        if !system.is_linear() {
            // Bodies have rotated since the start: the rigid part at the matrix's positions is removed as well.
            let (right, x) = (&self.right, &self.assembled_x);
            self.rigid.find(masses, x, |i| right[i]);
            let rigid = &self.rigid;
            take_out(&mut self.right, masses, |i| rigid.velocity(i, x[i]));
        }
        if self.right.iter().any(|r| *r != DVec3::ZERO) {
            let begun = Instant::now();
            let report = self.solver.solve(matrix, &self.right, &mut self.y, FILTER_TOLERANCE)?;
            self.updates.apply(&self.jacobian.as_ref().expect("resize() made it").low_rank, &mut self.y);
            system.clock.book(|clock| &mut clock.linear, begun);
            work.linear_iterations += report.iterations as u64;
        }
        let (y, rigid) = (&self.y, &self.trial_v);
        Ok(system.max_over_free(|i, _| y[i] + rigid[i]))
    }

    /// Difference of the contact force at the end from that of the linearized step, N; `None` without contact. An error
    /// estimate leaves it out: non-smooth contact is not an error of the step.
    pub fn contact_misfit(&mut self, system: &mut System, from: &View, to: &View) -> Option<&[DVec3]> {
        let contacts = system.contact().forces_at_ends(from, to)?;
        let jacobian = self.jacobian.as_ref().expect("resize() made it");
        System::fill(&mut self.d, |i| to.x[i] - from.x[i]);
        System::fill(&mut self.e, |i| to.v[i] - from.v[i]);
        self.trial_force.copy_from_slice(&contacts.start);
        jacobian.add_contact_product(&self.d, &self.e, &mut self.trial_force);
        for (misfit, end) in self.trial_force.iter_mut().zip(&contacts.end) {
            *misfit = *end - *misfit;
        }
        system.contact().give_back(contacts);
        Some(&self.trial_force)
    }
}

/// The matrix of a linear system.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Matrix {
    /// From the last Jacobian.
    New,
    /// From the last Jacobian, kept for the next correction.
    ToKeep,
    /// The kept one.
    Kept,
}

/// The relative residual that leaves an error of positions of a tenth of the stage's accuracy: where forces are restoring, the matrix is
/// above M, so a residual r leaves at most γ |M⁻¹ r|.
pub(super) fn enough_digits(
    system: &System,
    gamma: f64,
    accuracy: f64,
    right: &[DVec3],
    partials: &mut Partials,
) -> f64 {
    if accuracy == 0.0 {
        return 0.0;
    }
    let lightest = system.inverse_masses().iter().copied().fold(0.0, f64::max);
    let enough = 0.1 * accuracy / (gamma * lightest * partials.dot(right, right).sqrt());
    // a zero right-hand side gives the limit; NaN falls back to the solver's own tolerance
    enough.clamp(0.0, MIN_DIGITS)
}

/// Subtracts the momenta of a motion.
fn take_out(right: &mut [DVec3], masses: &[f64], velocity: impl Fn(usize) -> DVec3 + Sync) {
    for_each_chunk(right, |start, chunk| {
        for (i, right) in (start..).zip(chunk) {
            *right -= velocity(i) * masses[i];
        }
    });
}

/// `right = γ F - M (v - v̂)`, zero where pinned; returns |M^-½ right|².
pub(super) fn write_residual(
    system: &System,
    gamma: f64,
    v_hat: &[DVec3],
    v: &[DVec3],
    force: &[DVec3],
    right: &mut [DVec3],
    partials: &mut Partials,
) -> f64 {
    let (masses, free, weights) = (system.masses(), system.free(), system.inverse_masses());
    System::fill(right, |i| if free[i] { force[i] * gamma - (v[i] - v_hat[i]) * masses[i] } else { DVec3::ZERO });
    let right = &*right;
    partials.sum(right.len(), |range| range.map(|i| right[i].length_squared() * weights[i]).sum())
}

pub(super) fn evaluate(system: &mut System, time: f64, x: &[DVec3], v: &[DVec3], force: &mut [DVec3], work: &mut Work) {
    work.force_evaluations += 1;
    system.forces(&View { time, x, v }, force);
}

/// The same in a stage of rotating bodies: velocities for the forces are `v + tangents`, if there are any.
pub(super) fn evaluate_turning(
    system: &mut System,
    time: f64,
    (x, v): (&[DVec3], &[DVec3]),
    (tangents, scratch): (&[DVec3], &mut [DVec3]),
    force: &mut [DVec3],
    work: &mut Work,
) {
    if tangents.is_empty() {
        return evaluate(system, time, x, v, force, work);
    }
    System::fill(scratch, |i| v[i] + tangents[i]);
    evaluate(system, time, x, scratch, force, work);
}
