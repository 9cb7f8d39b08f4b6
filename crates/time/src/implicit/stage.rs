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
//! d = x̂ + γ v0 - x0 and e = 0, except for pinned particles, whose d and e are their given motion. *Converged*: Newton's method
//! continues on `R(v) = M (v - v̂) - γ F(x̂ + γ v, v)` with backtracking on the energy ½|v - v̂|²_M + E(x̂ + γ v) + γ Φ(v) whose gradient
//! R is when Φ is all of the damping; a step that shrinks |R| is taken without asking.

use std::time::Instant;

use glam::DVec3;
use pliant_core::{ErrorAt, Jacobian, JacobianKind, StepFailure, System, View, Work};
use pliant_linalg::block_csr::BlockCsr;
use pliant_linalg::parallel::Partials;
use pliant_linalg::solver::{LinearSolver, SolveError};

/// A state and the force there, about which the force is linearized.
#[derive(Clone, Copy)]
pub struct Start<'a> {
    /// Time, positions, velocities.
    pub view: View<'a>,
    /// Force there.
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
    /// How many times v̂ - v0 is thought to be the change of velocity: where a linear system is solved from.
    pub expected: f64,
}

/// Where the solution goes.
pub struct End<'a> {
    /// Positions.
    pub x: &'a mut [DVec3],
    /// Velocities.
    pub v: &'a mut [DVec3],
    /// The force there; [`StageSolver::linearized`] leaves it alone.
    pub force: &'a mut [DVec3],
}

/// Newton stops when the next correction changes no velocity by more than this part of the largest change of velocity in the stage.
/// (Not of the way travelled: an error of v stays for the rest of the run, and against `dt v` it would add up to n times this.)
const NEWTON_TOLERANCE: f64 = 1e-10;
const NEWTON_ITERATIONS: usize = 40;
const HALVINGS: usize = 12;
/// Corrections where only a given accuracy is asked for,
const ROUGH_ITERATIONS: usize = 8;
/// and how many times that accuracy the last of them may be: all of the step's tolerance.
const LET_PASS: f64 = 10.0;
/// Relative residual to which an error estimate is solved: a tenth more or less of an error is 3 % of the next step.
const FILTER_TOLERANCE: f64 = 0.1;
/// Relative residual of a linear system at least, however rough its solution may be.
const FEWEST_DIGITS: f64 = 1e-5;
/// The same where another correction with the same matrix follows, which takes care of what the first has left,
const FEWEST_TO_KEEP: f64 = 1e-2;
/// and for that one.
const FEWEST_KEPT: f64 = 1e-2;
/// How many times smaller than the last one a correction with a kept matrix must be, else the matrix is assembled anew.
const SERVES: f64 = 0.2;
/// Part of the free way that is gone: what is about to touch keeps a distance.
const CLEARANCE: f64 = 0.8;
const CLEARINGS: usize = 5;

/// Solves stages; holds the matrices and the linear solver.
pub struct StageSolver {
    /// x̂, filled by the scheme before a solve.
    pub x_hat: Vec<DVec3>,
    /// v̂, likewise.
    pub v_hat: Vec<DVec3>,
    pub(super) solver: Box<dyn LinearSolver>,
    pub(super) tolerance: f64,
    pub(super) jacobian: Option<Jacobian>,
    pub(super) matrix: Option<BlockCsr>,
    /// Where the Jacobian was assembled: a retry from the same state with another dt does not assemble again, and a linear system only when
    /// its revision is a new one.
    assembled: Option<JacobianKind>,
    assembled_revision: u64,
    assembled_time: f64,
    assembled_x: Vec<DVec3>,
    assembled_v: Vec<DVec3>,
    /// What the matrix that the solver has factored was made of, where it can be needed again: see [`super::linear`].
    factored: Option<(u64, JacobianKind, f64)>,
    pub(super) right: Vec<DVec3>,
    pub(super) y: Vec<DVec3>,
    pub(super) d: Vec<DVec3>,
    e: Vec<DVec3>,
    trial_x: Vec<DVec3>,
    trial_v: Vec<DVec3>,
    trial_force: Vec<DVec3>,
    pub(super) partials: Partials,
}

impl StageSolver {
    /// A solver of stages by way of linear systems solved to a relative residual of `tolerance`.
    pub fn new(solver: Box<dyn LinearSolver>, tolerance: f64) -> Self {
        let empty = Vec::new;
        Self {
            x_hat: empty(),
            v_hat: empty(),
            solver,
            tolerance,
            jacobian: None,
            matrix: None,
            assembled: None,
            assembled_revision: 0,
            assembled_time: f64::NAN,
            assembled_x: empty(),
            assembled_v: empty(),
            factored: None,
            right: empty(),
            y: empty(),
            d: empty(),
            e: empty(),
            trial_x: empty(),
            trial_v: empty(),
            trial_force: empty(),
            partials: Partials::default(),
        }
    }

    /// Makes all buffers fit; analyses the matrix pattern on first use.
    pub fn resize(&mut self, system: &System) -> Result<(), StepFailure> {
        if self.jacobian.is_none() {
            let matrix = system.new_matrix();
            self.solver.nest(system.refinement());
            self.solver.analyze(&matrix.pattern)?;
            self.matrix = Some(matrix);
            self.jacobian = Some(system.new_jacobian());
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
        let Stage { gamma, time, .. } = stage;
        let View { x: x0, v: v0, .. } = start.view;
        let (x1, v1) = (&mut *end.x, &mut *end.v);
        // The guess: free particles keep their velocity, pinned ones go where they must.
        let x_hat = &self.x_hat;
        System::fill(x1, |i| x_hat[i] + v0[i] * gamma);
        v1.copy_from_slice(v0);
        system.apply_pins(time, x1, v1);
        let (guess_x, guess_v) = (&*x1, &*v1);
        System::fill(&mut self.d, |i| guess_x[i] - x0[i]);
        System::fill(&mut self.e, |i| guess_v[i] - v0[i]);

        let mut kind = self.first_kind();
        loop {
            self.assemble(system, &start.view, kind, work);
            let jacobian = self.jacobian.as_ref().expect("resize() made it");
            self.right.copy_from_slice(start.force);
            if system.has_moving_pins() {
                jacobian.add_product(&self.d, &self.e, &mut self.right);
            } else {
                jacobian.stiffness.multiply_add(1.0, &self.d, &mut self.right);
                jacobian.add_loose_product(&self.d, &self.e, &mut self.right);
            }
            let (masses, free, v_hat) = (system.masses(), system.free(), &self.v_hat);
            for (i, right) in self.right.iter_mut().enumerate() {
                *right = if free[i] { (v_hat[i] - v0[i]) * masses[i] + *right * gamma } else { DVec3::ZERO };
            }
            match self.solve(system, stage, Matrix::New, work) {
                Err(StepFailure::Linear(SolveError::Indefinite { .. })) if kind != JacobianKind::Psd => {
                    kind = JacobianKind::Psd;
                }
                Err(failure) => return Err(failure),
                Ok(()) => break,
            }
        }
        let (y, x_hat) = (&self.y, &self.x_hat);
        System::fill(v1, |i| v0[i] + y[i]);
        let v_end = &*v1;
        System::fill(x1, |i| x_hat[i] + v_end[i] * gamma);
        system.apply_pins(time, x1, v1);
        Ok(())
    }

    /// Newton's method to convergence from the linearized solution; writes (x1, v1) and the force there.
    pub fn converged(
        &mut self,
        system: &mut System,
        start: &Start,
        stage: Stage,
        end: &mut End,
        work: &mut Work,
    ) -> Result<(), StepFailure> {
        if system.is_linear() {
            return self.solved_once(system, start, stage, end, work);
        }
        self.linearized(system, start, stage, end, work)?;
        if system.has_contact() {
            self.stay_clear(system, start, stage, end)?;
        }
        self.corrected(system, start, stage, end, false, work)
    }

    /// The same from velocities that the scheme foresees, in `end.v`: where they are a few tolerances off, one matrix is enough for the
    /// step. Not for contact, of which nothing can be foreseen.
    pub fn foreseen(
        &mut self,
        system: &mut System,
        start: &Start,
        stage: Stage,
        end: &mut End,
        work: &mut Work,
    ) -> Result<(), StepFailure> {
        let (x_hat, guess) = (&self.x_hat, &*end.v);
        System::fill(end.x, |i| x_hat[i] + guess[i] * stage.gamma);
        system.apply_pins(stage.time, end.x, end.v);
        self.corrected(system, start, stage, end, true, work)
    }

    /// Newton's method from (x1, v1). With `keep` the matrix is assembled anew only where the last one served badly.
    fn corrected(
        &mut self,
        system: &mut System,
        start: &Start,
        stage: Stage,
        end: &mut End,
        keep: bool,
        work: &mut Work,
    ) -> Result<(), StepFailure> {
        let Stage { gamma, time, .. } = stage;
        evaluate(system, time, end.x, end.v, end.force, work);
        let mut residual =
            write_residual(system, gamma, &self.v_hat, end.v, end.force, &mut self.right, &mut self.partials);
        let mut last_update = f64::INFINITY;
        // Where digits are not asked for, the projected matrix goes first, and once it was needed it stays: near buckling the true one points
        // anywhere. Where they are, the true one is tried anew each time, because only it converges quadratically.
        let rough = stage.accuracy > 0.0;
        let mut kind = if rough { self.rough_kind() } else { self.first_kind() };
        let iterations = if rough { ROUGH_ITERATIONS } else { NEWTON_ITERATIONS };
        let mut stale = true;
        for iteration in 0..iterations {
            if !residual.is_finite() {
                let particle = end.force.iter().position(|f| !f.is_finite()).unwrap_or(0);
                return Err(StepFailure::NonFinite { particle });
            }
            let View { x: x0, v: v0, .. } = start.view;
            let (x1, v1) = (&*end.x, &*end.v);
            let moved = system.max_over_free(|i, _| x1[i] - x0[i]).metres;
            let kicked = system.max_over_free(|i, _| (v1[i] - v0[i]) * gamma).metres;
            let coasted = system.max_over_free(|i, _| v1[i] * gamma).metres;
            let enough = (NEWTON_TOLERANCE * kicked + 4.0 * f64::EPSILON * coasted).max(stage.accuracy);
            // What positions cannot tell from rounding. It ends a rest, where no velocity changes by more, and a correction; but where
            // something is kicked it excuses no residual: small steps far from the origin would then never correct one.
            let rounding = 4.0 * f64::EPSILON * system.max_over_free(|i, _| x1[i]).metres;
            // γ |M⁻¹ R| bounds the correction of any stage whose forces pull back.
            let right = &self.right;
            // What was only foreseen is corrected once at least: errors of short steps are far below the accuracy, but there are many.
            let is_guess = keep && iteration == 0;
            let correction = system.max_over_free(|i, weight| right[i] * (gamma * weight)).metres;
            if kicked <= rounding || correction <= enough && !is_guess {
                return Ok(());
            }
            if keep && !stale {
                self.solve(system, stage, Matrix::Kept, work)?;
            } else {
                let view = View { time, x: end.x, v: end.v };
                if !rough {
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
            }
            let searched = self.line_search(system, stage, residual, end, work);
            residual = searched.residual;
            let y = &self.y;
            // A step that was cut short says nothing of how near the solution is: the whole correction counts.
            let update = system.max_over_free(|i, _| y[i] * gamma).metres;
            // The second condition ends the walk in round-off that stiff systems cannot leave. The third believes a steady decay: what
            // is left after a correction u that is θ of the one before is θ/(1 - θ) u.
            let rate = update / last_update;
            let foreseen =
                if last_update.is_finite() && rate < 0.5 { rate / (1.0 - rate) * update } else { f64::INFINITY };
            let walks = update <= 1e-7 * moved && update >= 0.5 * last_update;
            if !searched.clipped && (update <= enough.max(rounding) || foreseen <= stage.accuracy) || walks {
                return Ok(());
            }
            if iteration + 1 == iterations {
                // Sheets that buckle converge slowly. What is left then counts as an error, and one that the step may have is let pass.
                if !searched.clipped && update <= LET_PASS * stage.accuracy {
                    return Ok(());
                }
                return Err(StepFailure::Newton { iterations, residual: update });
            }
            stale = iteration > 0 && rate > SERVES;
            last_update = update;
        }
        Ok(())
    }

    fn rough_kind(&self) -> JacobianKind {
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

    /// Assembles for this γ alone; no retry starts from a foreseen state.
    fn assemble_merged(&mut self, system: &mut System, view: &View, kind: JacobianKind, gamma: f64, work: &mut Work) {
        work.assemblies += 1;
        system.assemble_merged(view, kind, gamma, self.jacobian.as_mut().expect("resize() made it"));
        self.assembled = None;
        self.assembled_x.clear();
        self.assembled_x.extend_from_slice(view.x);
    }

    /// Solves (M - γ D - γ² K) y = right.
    fn solve(&mut self, system: &mut System, stage: Stage, matrix: Matrix, work: &mut Work) -> Result<(), StepFailure> {
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
        if which != Matrix::Kept {
            self.factor(system, stage.gamma, work)?;
        }
        let matrix = self.matrix.as_ref().expect("resize() made it");
        self.y.fill(DVec3::ZERO);
        let enough = match which {
            Matrix::New => enough_digits(system, stage, &self.right, &mut self.partials),
            Matrix::ToKeep => FEWEST_TO_KEEP,
            Matrix::Kept => FEWEST_KEPT,
        };
        let tolerance = self.tolerance.max(enough);
        let report = self.solver.solve(matrix, &self.right, &mut self.y, tolerance)?;
        work.linear_iterations += report.iterations as u64;
        Ok(())
    }

    /// Has the solver factor `M - γ D - γ² K`; a linear system only if it is not the one that it has.
    pub(super) fn factor(&mut self, system: &System, gamma: f64, work: &mut Work) -> Result<(), StepFailure> {
        let wanted = self.assembled.filter(|_| system.is_linear()).map(|kind| (system.revision(), kind, gamma));
        if wanted.is_some() && wanted == self.factored && self.solver.is_settled() {
            return Ok(());
        }
        self.factored = None;
        let matrix = self.matrix.as_mut().expect("resize() made it");
        system.write_system_matrix(self.jacobian.as_ref().expect("resize() made it"), gamma, matrix);
        self.solver.place(if system.is_linear() { system.reference() } else { &self.assembled_x });
        work.factorisations += 1;
        self.solver.factor(matrix)?;
        self.factored = wanted;
        Ok(())
    }

    /// Draws the first guess back towards the start of the stage until nothing passes through anything on the way there. Pins and
    /// colliders are where they are at the end of the stage; if they alone run into something, the stage is too long.
    fn stay_clear(
        &mut self,
        system: &mut System,
        start: &Start,
        stage: Stage,
        end: &mut End,
    ) -> Result<(), StepFailure> {
        let Stage { gamma, time, .. } = stage;
        let way = system.free_way(&start.view, &View { time, x: end.x, v: end.v });
        if way.is_clear() {
            return Ok(());
        }
        let (x0, x_hat) = (start.view.x, &self.x_hat);
        let mut scale = CLEARANCE * way.fraction;
        for attempt in 0..CLEARINGS {
            let guess = &*end.x;
            System::fill(&mut self.trial_x, |i| x0[i] + (guess[i] - x0[i]) * scale);
            let x = &self.trial_x;
            System::fill(&mut self.trial_v, |i| (x[i] - x_hat[i]) / gamma);
            system.apply_pins(time, &mut self.trial_x, &mut self.trial_v);
            if system.free_way(&start.view, &View { time, x: &self.trial_x, v: &self.trial_v }).is_clear() {
                end.x.copy_from_slice(&self.trial_x);
                end.v.copy_from_slice(&self.trial_v);
                return Ok(());
            }
            scale = if attempt + 2 == CLEARINGS { 0.0 } else { 0.25 * scale };
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
        let Self { trial_x, trial_v, trial_force, right, y, x_hat, v_hat, partials, .. } = self;
        let mut energy_before = None;
        let v1 = &*end.v;
        let mut trial_residual = residual;
        let (mut scale, mut clipped) = (1.0, false);
        for halving in 0..HALVINGS {
            System::fill(trial_v, |i| v1[i] + y[i] * scale);
            let v = &*trial_v;
            System::fill(trial_x, |i| x_hat[i] + v[i] * gamma);
            system.apply_pins(time, trial_x, trial_v);
            if has_contact && halving == 0 {
                let from = View { time, x: end.x, v: v1 };
                let way = system.free_way(&from, &View { time, x: trial_x, v: trial_v });
                if !way.is_clear() {
                    (scale, clipped) = (CLEARANCE * way.fraction, true);
                    System::fill(trial_v, |i| v1[i] + y[i] * scale);
                    let v = &*trial_v;
                    System::fill(trial_x, |i| x_hat[i] + v[i] * gamma);
                    system.apply_pins(time, trial_x, trial_v);
                }
            }
            evaluate(system, time, trial_x, trial_v, trial_force, work);
            trial_residual = write_residual(system, gamma, v_hat, trial_v, trial_force, right, partials);
            if trial_residual < residual {
                break;
            }
            if trial_residual.is_finite() {
                let before =
                    *energy_before.get_or_insert_with(|| stage_energy(system, stage, end.x, v1, v_hat, partials));
                if stage_energy(system, stage, trial_x, trial_v, v_hat, partials) < before {
                    break;
                }
            }
            scale *= 0.5;
        }
        end.x.copy_from_slice(trial_x);
        end.v.copy_from_slice(trial_v);
        end.force.copy_from_slice(trial_force);
        Searched { residual: trial_residual, clipped }
    }

    /// The largest error of positions when an error `error(i, 1/m)` of the unfiltered formula has gone once through the stage's own
    /// linear system: `(M - γ D - γ² K)⁻¹ M error` [Hosea]. For small dt it is the same; in stiff directions, where the forces hold back
    /// what the formula takes for an error, it is as small as the error really is. Uses the matrix of the last solve.
    pub fn filtered(
        &mut self,
        system: &mut System,
        work: &mut Work,
        error: impl Fn(usize, f64) -> DVec3 + Sync,
    ) -> Result<ErrorAt, StepFailure> {
        let matrix = self.matrix.as_ref().expect("a stage was solved");
        let (masses, weights) = (system.masses(), system.inverse_masses());
        let fixed = |i: usize| weights[i] == 0.0;
        System::fill(&mut self.right, |i| if fixed(i) { DVec3::ZERO } else { error(i, weights[i]) * masses[i] });
        self.y.fill(DVec3::ZERO);
        if self.right.iter().any(|r| *r != DVec3::ZERO) {
            let begun = Instant::now();
            let report = self.solver.solve(matrix, &self.right, &mut self.y, FILTER_TOLERANCE)?;
            system.clock.book(|clock| &mut clock.linear, begun);
            work.linear_iterations += report.iterations as u64;
        }
        let y = &self.y;
        Ok(system.max_over_free(|i, _| y[i]))
    }

    /// By how much the force of contact at the end differs from what the linearized step applied, N; `None` without contact. An error
    /// estimate leaves it out: that contact is not smooth is not the step's fault.
    pub fn contact_misfit(&mut self, system: &mut System, from: &View, to: &View) -> Option<&[DVec3]> {
        let contacts = system.contact_at_ends(from, to)?;
        let jacobian = self.jacobian.as_ref().expect("resize() made it");
        System::fill(&mut self.d, |i| to.x[i] - from.x[i]);
        System::fill(&mut self.e, |i| to.v[i] - from.v[i]);
        self.trial_force.copy_from_slice(&contacts.start);
        jacobian.add_loose_product(&self.d, &self.e, &mut self.trial_force);
        for (misfit, end) in self.trial_force.iter_mut().zip(&contacts.end) {
            *misfit = *end - *misfit;
        }
        system.give_back(contacts);
        Some(&self.trial_force)
    }
}

/// What a linear system is made of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Matrix {
    /// The last Jacobian.
    New,
    /// The same, and it stays for the next correction.
    ToKeep,
    /// It stayed.
    Kept,
}

/// How a search along a line ended.
struct Searched {
    residual: f64,
    /// Whether something was in the way.
    clipped: bool,
}

/// The relative residual that leaves an error of positions of a tenth of the stage's accuracy: where forces pull back, the matrix is
/// above M, so a residual r leaves at most γ |M⁻¹ r|.
fn enough_digits(system: &System, stage: Stage, right: &[DVec3], partials: &mut Partials) -> f64 {
    if stage.accuracy == 0.0 {
        return 0.0;
    }
    let lightest = system.inverse_masses().iter().copied().fold(0.0, f64::max);
    let enough = 0.1 * stage.accuracy / (stage.gamma * lightest * partials.dot(right, right).sqrt());
    // not even a zero or a NaN may ask for nothing at all
    enough.clamp(0.0, FEWEST_DIGITS)
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
    let inertia = partials.sum(v.len(), |range| {
        range.map(|i| if free[i] { 0.5 * masses[i] * (v[i] - v_hat[i]).length_squared() } else { 0.0 }).sum()
    });
    let view = View { time, x, v };
    inertia + system.potential(&view) + gamma * system.dissipation(&view)
}

pub(super) fn evaluate(system: &mut System, time: f64, x: &[DVec3], v: &[DVec3], force: &mut [DVec3], work: &mut Work) {
    work.force_evaluations += 1;
    system.forces(&View { time, x, v }, force);
}
