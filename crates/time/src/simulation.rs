//! The loop: one function that *is* the step.

mod crawl;
pub mod live;

use glam::DVec3;
use pliant_core::ledger::{Account, Corrections, Powers};
use pliant_core::{Fields, GuardVerdict, Ledger, Point, State, StepFailure, StepGuard, StepReport, System, Work};
use pliant_scalar::shown::seconds;

use crate::catalog::{Entry, SolverSpec};
use crate::control::doubled::Doubled;
use crate::control::{ControlSpec, StepController, Trial, Verdict};
use crate::error::{Incompatible, SimulationError};
use crate::integrator::{Demand, Integrator, Properties};
use crate::pace::{Causes, Pace, StepLimit};
use crate::post_step::{PostStep, PostStepSpec};
use crate::progress::{Frames, Progress, Tally};
use pliant_parallel::on_worker;

/// Why a run cannot continue. The simulation keeps its last accepted state.
#[derive(Clone, Debug, PartialEq)]
pub struct RunError {
    /// Time of the last accepted state, s.
    pub time: f64,
    /// Steps taken until then.
    pub steps: u64,
    /// The cause.
    pub why: String,
}

impl std::fmt::Display for RunError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let time = seconds(self.time);
        write!(f, "the run cannot go on from t = {time} (after {} steps): {}", self.steps, self.why)
    }
}

impl std::error::Error for RunError {}

/// A system in motion.
pub struct Simulation {
    /// What does not change.
    pub system: System,
    frames: Frames,
    integrator: Box<dyn Integrator>,
    controller: Box<dyn StepController>,
    guards: Vec<Box<dyn StepGuard>>,
    post_step: PostStep,
    point: Point,
    trial: Point,
    account: Account,
    progress: Progress,
    track_energy: bool,
    /// Accuracy of implicit equations, m.
    accuracy: f64,
    step_limit: Option<StepLimit>,
}

/// Attempts for one step before the run gives up; every rejection shortens the step, so this is a backstop.
const MAX_ATTEMPTS: u64 = 200;
/// Parts of the remaining frame that a rest step may take, if it ends before the frame does.
const REST_PART_OF_FRAME: std::ops::Range<f64> = 0.1..0.9;
/// Part of the controller's tolerance to which implicit equations are solved. With 0.3 the error of a falling sheet is no larger and it takes
/// 10 to 15 % fewer solves, but backward Euler then gains energy in single steps.
const SOLVER_PART_OF_TOLERANCE: f64 = 0.1;

/// The integrator, if it suits the system.
fn suited(system: &System, integrator: &Entry, solver: &SolverSpec) -> Result<Box<dyn Integrator>, SimulationError> {
    let integrator = integrator.build(system, solver).ok_or_else(|| SimulationError::UnknownSolver {
        kind: solver.kind.clone(),
        preconditioner: solver.preconditioner.clone(),
    })?;
    let Properties { name, restrains, .. } = *integrator.properties();
    if system.is_incompressible() && !integrator.is_incompressible() {
        return Err(SimulationError::NoPressureSolve { integrator: name });
    }
    if system.restraint().is_some() {
        if !restrains {
            return Err(SimulationError::NoRestraint { integrator: name });
        }
        if system.is_incompressible() {
            return Err(SimulationError::RestrainedPressureSolve);
        }
    }
    Ok(integrator)
}

impl Simulation {
    /// A simulation at its start. The error reports which of its arguments are incompatible.
    pub fn new(
        system: System,
        mut state: State,
        integrator: &Entry,
        solver: &SolverSpec,
        control: &ControlSpec,
        frames: Frames,
    ) -> Result<Self, SimulationError> {
        if state.len() != system.len() {
            return Err(SimulationError::ParticleCount { state: state.len(), system: system.len() });
        }
        system.apply_pins(state.time, &mut state.x, &mut state.v);
        let mut integrator = suited(&system, integrator, solver)?;
        let controller = control.build();
        if controller.needs_doubling() {
            integrator = Box::new(Doubled::new(integrator));
        }
        let accuracy = solver.accuracy.unwrap_or(SOLVER_PART_OF_TOLERANCE * controller.tolerance().unwrap_or(0.0));
        let trial = Point::new(state.clone());
        let mut simulation = Self {
            system,
            frames,
            integrator,
            controller,
            guards: Vec::new(),
            post_step: PostStep::default(),
            point: Point::new(state),
            trial,
            account: Account::default(),
            progress: Progress { next_frame: 1, ..Progress::default() },
            track_energy: true,
            accuracy,
            step_limit: None,
        };
        simulation.begin(None);
        Ok(simulation)
    }

    /// What [`Simulation::new`] would report about a system, without the cost of a start.
    pub fn check_parts(system: &System, integrator: &Entry, solver: &SolverSpec) -> Result<(), SimulationError> {
        suited(system, integrator, solver).map(|_| ())
    }

    /// Starts from the point, with the memory of models from an earlier run.
    fn begin(&mut self, memory: Option<&[f64]>) {
        self.system.forget();
        self.post_step.feed_back(&mut self.system, &self.point);
        match memory {
            Some(memory) => self.system.restore(&self.point.state.view(), memory),
            None => _ = self.system.begin_step(&self.point.state.view()),
        }
        if self.system.emit_and_recycle(&mut self.point.state) {
            self.system.begin_step(&self.point.state.view());
        }
        self.system.forces(&self.point.state.view(), &mut self.point.force);
        self.point.force_known = true;
        self.progress.tally.work.force_evaluations += 1;
        self.account = self.system.energies().account(&self.point.state, &self.point.force);
        self.progress.ledger = Ledger::starting_at(&self.account.energy);
        let first = self.controller.first(&mut self.system, &self.point, self.integrator.properties());
        self.progress.proposal = first;
        self.progress.pace = Pace::starting_at(self.point.state.time);
    }

    /// Adds a guard, which may refuse steps.
    pub fn add_guard(&mut self, guard: Box<dyn StepGuard>) {
        self.guards.push(guard);
    }

    /// Sets the corrections that follow the integration in every step, before the first one. The error reports why they do not work with the integrator.
    pub fn set_post_step(&mut self, post_step: PostStepSpec) -> Result<(), Incompatible> {
        post_step.works_with(self.integrator.properties())?;
        self.post_step.spec = post_step;
        Ok(())
    }

    /// Switches the energy ledger off (it costs one pass over all elements per step) or on.
    pub fn track_energy(&mut self, keep: bool) {
        if keep && !self.track_energy {
            self.account = self.system.energies().account(&self.point.state, &self.point.force);
        }
        self.track_energy = keep;
    }

    /// The current state.
    pub fn state(&self) -> &State {
        &self.point.state
    }

    /// The current point.
    pub fn point(&self) -> &Point {
        &self.point
    }

    /// The force on a particle now, N; evaluated again where the scheme left it unknown.
    pub fn force_at(&mut self, particle: usize) -> DVec3 {
        if self.point.force_known {
            return self.point.force[particle];
        }
        self.trial.force.resize(self.point.state.len(), DVec3::ZERO);
        self.system.forces(&self.point.state.view(), &mut self.trial.force);
        self.trial.force[particle]
    }

    /// Overwrites `out` with the fields of particles now, for frame files.
    pub fn write_fields(&mut self, out: &mut Fields) {
        self.system.write_fields(&self.point.state.view(), out);
    }

    /// Energies at the current state.
    pub fn account(&self) -> &Account {
        &self.account
    }

    /// Everything besides the point that a checkpoint holds.
    pub fn progress(&self) -> Progress {
        Progress { models: self.system.memory(), controller: self.controller.memory(), ..self.progress.clone() }
    }

    /// Number of the next frame.
    pub fn progress_frame(&self) -> u64 {
        self.progress.next_frame
    }

    /// The sums so far.
    pub fn tally(&self) -> &Tally {
        &self.progress.tally
    }

    /// The energy budget so far.
    pub fn ledger(&self) -> &Ledger {
        &self.progress.ledger
    }

    /// Frames of this run.
    pub fn frames(&self) -> Frames {
        self.frames
    }

    /// Continues from a checkpoint: the bits from here on are those of the run that wrote it.
    pub fn restore(&mut self, mut point: Point, progress: Progress) {
        self.controller.restore(&progress.controller);
        self.post_step.feed_back(&mut self.system, &point);
        self.system.restore(&point.state.view(), &progress.models);
        // all moves were made before; this restores the held particles
        self.system.emit_and_recycle(&mut point.state);
        self.account = self.system.energies().account(&point.state, &point.force);
        self.trial.copy_from(&point);
        self.point = point;
        self.progress = progress;
    }

    /// Starts again from a state of another run of the same scene and from the [memory](System::memory) of its models there; a new run in
    /// everything else. `false`, and nothing changes, if the numbers of particles differ.
    #[must_use]
    pub fn start_from(&mut self, mut state: State, memory: &[f64]) -> bool {
        if state.len() != self.point.state.len() {
            return false;
        }
        self.system.apply_pins(state.time, &mut state.x, &mut state.v);
        self.progress = Progress { next_frame: self.frames.after(state.time), ..Progress::default() };
        self.trial = Point::new(state.clone());
        self.point = Point::new(state);
        self.begin(Some(memory));
        true
    }

    /// Continues from the state of another simulation of the same particles (a live edit: the same scene with other parameters, another
    /// integrator or controller): time, positions, velocities and the sums are taken over. History is dropped and the controller
    /// restarts, as after any discontinuity; the change of the energy is added to the ledger's start, so that the energy budget
    /// stays closed. `false`, and nothing changes, if the numbers of particles differ.
    #[must_use]
    pub fn adopt(&mut self, earlier: &Simulation) -> bool {
        let (tally, books) = (earlier.progress.tally, earlier.progress.ledger);
        if !self.start_from(earlier.point.state.clone(), &earlier.system.memory()) {
            return false;
        }
        let work = self.progress.tally.work;
        self.progress.tally = tally;
        self.progress.tally.work += work;
        let jump = self.account.energy.total() - earlier.account.energy.total();
        self.progress.ledger = Ledger { start: books.start + jump, ..books };
        true
    }

    /// Announces that a force was changed from outside between two steps (the target of a pull): the force here is evaluated again and
    /// history is dropped. The jump of the energy is added to the ledger's start.
    pub fn forces_changed(&mut self) {
        self.integrator.discontinuity(&mut self.point);
        self.post_step.feed_back(&mut self.system, &self.point);
        self.system.forces(&self.point.state.view(), &mut self.point.force);
        self.point.force_known = true;
        self.progress.tally.work.force_evaluations += 1;
        let account = self.system.energies().account(&self.point.state, &self.point.force);
        self.progress.ledger.start += account.energy.total() - self.account.energy.total();
        self.account = account;
    }

    /// Whether the end has been reached.
    pub fn is_done(&self) -> bool {
        self.point.state.time >= self.frames.until
    }

    /// One accepted step: propose, attempt, correct, guard, judge; a swap commits. Rejected attempts leave no trace but their cost.
    pub fn step(&mut self) -> Result<StepReport, RunError> {
        on_worker(self.system.len(), || self.step_here())
    }

    fn step_here(&mut self) -> Result<StepReport, RunError> {
        self.judge_pace()?;
        let mut work = Work::default();
        let mut rejected = 0;
        let target = self.frames.time(self.progress.next_frame);
        if let Some(report) = self.rest(target) {
            return Ok(report);
        }
        let mut damped_impulse = 0.0;
        let (mut dt, mut fitted) = self.fit(self.progress.proposal, target);
        let mut corrections = Corrections::default();
        let mut causes = Causes::default();
        let demand = Demand { estimate: self.controller.needs_estimate(), accuracy: self.accuracy };
        loop {
            if self.point.state.time + dt <= self.point.state.time {
                return Err(
                    self.give_up(format!("a step of {} no longer changes the time in double precision", seconds(dt)))
                );
            }
            let result = self.integrator.attempt(&mut self.system, &self.point, dt, demand, &mut self.trial, &mut work);
            if let Ok(attempt) = &result {
                let (system, from, to) = (&mut self.system, &self.point, &mut self.trial);
                corrections = self.post_step.correct(system, from, dt, to, self.track_energy);
                corrections.projection += attempt.projection_energy;
                damped_impulse = system.active_set().damp_restrained(&from.state.v, dt, &mut to.state.v);
            }
            let checked = result.and_then(|attempt| self.check().map(|()| attempt));
            let verdict = match checked {
                Err(failure) => {
                    causes.failed(&failure);
                    self.controller.failed(&failure, dt)
                }
                Ok(attempt) => {
                    let (system, from, to) = (&mut self.system, &self.point, &self.trial);
                    let proposal = self.progress.proposal;
                    let trial = &mut Trial { system, from, to, dt, attempt: &attempt, fitted, proposal };
                    let verdict = self.controller.judge(trial);
                    causes.judged(&attempt, verdict.binding());
                    verdict
                }
            };
            match verdict {
                Verdict::Accept { next, error, binding } => {
                    let step = self.progress.tally.steps + 1;
                    let time = if self.point.state.time + dt * (1.0 + 1e-9) >= target {
                        target
                    } else {
                        self.trial.state.time
                    };
                    let activities = self.system.active_set().activities(&self.trial.state.v);
                    let report = StepReport {
                        step,
                        time,
                        dt,
                        error,
                        binding,
                        rejected,
                        work,
                        fitted,
                        activities,
                        damped_impulse,
                    };
                    self.commit(&report, next, &corrections);
                    self.progress.pace.count(&causes);
                    return Ok(report);
                }
                Verdict::Retry { dt: shorter } if rejected < MAX_ATTEMPTS => {
                    rejected += 1;
                    (dt, fitted) = self.fit(shorter, target);
                }
                Verdict::Retry { .. } => {
                    return Err(self.give_up(format!("{MAX_ATTEMPTS} attempts at one step were rejected")));
                }
                Verdict::GiveUp { why } => return Err(self.give_up(why)),
            }
        }
    }

    /// One step to the next frame, or to the first wake-up, while all particles are restrained and no force changes: momenta then follow from
    /// constant forces, and there is nothing to integrate.
    fn rest(&mut self, target: f64) -> Option<StepReport> {
        let Point { state, force, force_known, .. } = &self.point;
        if !force_known {
            return None;
        }
        let (frame, wakes_in) =
            (target - state.time, self.system.active_set().time_to_first_wake(&state.v, force)? * (1.0 - 1e-9));
        let (dt, target) = match wakes_in / frame {
            later if later >= 1.0 => (frame, target),
            part if REST_PART_OF_FRAME.contains(&part) => (wakes_in, state.time + wakes_in),
            // particles about to move are left to an ordinary step, and no sliver of the frame remains
            _ => return None,
        };
        self.trial.copy_from(&self.point);
        self.trial.state.time = target;
        let damped_impulse = self.system.active_set().advance_at_rest(
            &self.point.state.v,
            &self.point.force,
            dt,
            &mut self.trial.state.v,
        );
        self.system.apply_pins(target, &mut self.trial.state.x, &mut self.trial.state.v);
        let (step, activities) =
            (self.progress.tally.steps + 1, self.system.active_set().activities(&self.trial.state.v));
        let report = StepReport {
            step,
            time: target,
            dt,
            error: 0.0,
            fitted: true,
            activities,
            damped_impulse,
            ..StepReport::default()
        };
        let last_dt = self.progress.last_dt;
        self.commit(&report, self.progress.proposal, &Corrections::default());
        // the next integrated step continues with the length of the last one
        self.progress.last_dt = last_dt;
        self.progress.pace.count(&Causes::default());
        Some(report)
    }

    /// Steps until the next frame or the end.
    pub fn advance_frame(&mut self, mut on_step: impl FnMut(&Simulation, &StepReport)) -> Result<(), RunError> {
        let frame = self.progress.next_frame;
        while self.progress.next_frame == frame && !self.is_done() {
            let report = self.step()?;
            on_step(self, &report);
        }
        Ok(())
    }

    /// The length to attempt: the proposal, not longer than the scheme's ratio allows, fitted to the next frame.
    fn fit(&self, proposal: f64, target: f64) -> (f64, bool) {
        let ratio = self.integrator.properties().max_ratio;
        let mut dt = proposal;
        if self.progress.last_dt > 0.0 {
            dt = dt.min(ratio * self.progress.last_dt);
        }
        let remaining = target - self.point.state.time;
        if self.system.is_linear() && self.integrator.properties().is_implicit() {
            return steady(dt, self.progress.last_dt, remaining);
        }
        let parts = remaining / dt;
        if self.controller.divides_frames() {
            return (remaining / (parts - 1e-9).ceil().max(1.0), true);
        }
        match parts {
            p if p <= 1.0 + 1e-9 => (remaining, true),
            p if p < 2.0 => (0.5 * remaining, true),
            _ => (dt, false),
        }
    }

    fn check(&mut self) -> Result<(), StepFailure> {
        if let Some(particle) = self.trial.state.first_non_finite() {
            return Err(StepFailure::NonFinite { particle });
        }
        if let Some(particle) = self.trial.force.iter().position(|f| self.trial.force_known && !f.is_finite()) {
            return Err(StepFailure::NonFinite { particle });
        }
        let free_step = self.system.contact().collision_free_step(&self.point.state.view(), &self.trial.state.view());
        if !free_step.is_full() {
            return Err(StepFailure::Blocked { fraction: free_step.fraction, particle: free_step.particle });
        }
        for guard in &mut self.guards {
            if let GuardVerdict::Fraction(fraction) = guard.check(&self.point, &self.trial) {
                return Err(StepFailure::Clipped { fraction });
            }
        }
        Ok(())
    }

    fn commit(&mut self, report: &StepReport, next: f64, corrections: &Corrections) {
        self.trial.state.time = report.time;
        std::mem::swap(&mut self.point, &mut self.trial);
        // before lagged friction is updated
        let midway = match self.track_energy {
            true => self.system.energies().mean_powers(&self.trial.state, &self.point.state),
            false => Powers::default(),
        };
        self.post_step.feed_back(&mut self.system, &self.point);
        if self.system.begin_step(&self.point.state.view()) {
            // The force used the lagged friction or the frames of the step before.
            self.point.force_known = false;
        }
        if report.time >= self.frames.time(self.progress.next_frame) {
            self.progress.next_frame += 1;
        }
        self.progress.proposal = next.min(self.system.max_next_step());
        self.progress.last_dt = report.dt;
        self.progress.tally.count(report);
        if self.track_energy {
            if self.system.has_moving_pins() && !self.point.force_known {
                self.system.forces(&self.point.state.view(), &mut self.point.force);
                self.point.force_known = true;
                self.progress.tally.work.force_evaluations += 1;
            }
            let account = self.system.energies().account(&self.point.state, &self.point.force);
            self.progress.ledger.start += self.system.active_set().kinetic_jump();
            self.progress.ledger.book(&self.account, &account, &midway, report.dt, corrections);
            self.account = account;
        }
        if self.system.emit_and_recycle(&mut self.point.state) {
            self.system.begin_step(&self.point.state.view());
            if self.track_energy {
                self.forces_changed();
            } else {
                self.integrator.discontinuity(&mut self.point);
            }
        }
    }

    fn give_up(&self, why: String) -> RunError {
        RunError { time: self.point.state.time, steps: self.progress.tally.steps, why }
    }
}

/// The length of a step of a linear system, whose matrix is kept as long as steps are equal to the last bit: the last length again, while
/// the proposal is at least that and less than half as much again; else an equal part of the remaining frame. Frame times are rounded, so a
/// negligible difference from the last step counts as equal.
fn steady(proposal: f64, last: f64, remaining: f64) -> (f64, bool) {
    const SAME: f64 = 1e-9;
    let parts = remaining / last;
    let fits = last > 0.0 && parts > 0.5 && (parts - parts.round()).abs() <= SAME;
    if fits && proposal >= last * (1.0 - SAME) && proposal < 1.5 * last {
        return (last, false);
    }
    let parts = (remaining / proposal - SAME).ceil().max(1.0);
    let dt = remaining / parts;
    (if (dt - last).abs() <= SAME * last { last } else { dt }, parts == 1.0)
}
