//! Runs a scene into a folder: frames, probes, checkpoints, summary. Survives Ctrl-C and kill; resumes where it stopped.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use pliant_core::StepReport;
use pliant_record::{Checkpoint, RecordError};
use pliant_scalar::shown::seconds;
use pliant_scene::LoadedScene;
use pliant_time::Simulation;

use crate::checkpoint;
use crate::drawing;
use crate::folder::{self, Contents, Files, names};
use crate::integrity;
use crate::lengthen;
use crate::lock::FolderLock;
pub use crate::refusal::RunFailure;
use crate::refusal::{Refusal, Remedy};
use crate::summary::{Death, Summary};

/// Where and how.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// The folder of the result.
    pub folder: PathBuf,
    /// Resume from the checkpoint in the folder, if there is one.
    pub resume: bool,
    /// Remove an earlier result first.
    pub force: bool,
    /// Wall-clock time between checkpoints.
    pub checkpoint_every: Duration,
    /// Set from outside (Ctrl-C) to stop after the current step.
    pub stop: Arc<AtomicBool>,
    /// Also keep raw positions of all frames, for comparing runs.
    pub keep_positions: bool,
}

impl RunOptions {
    /// Defaults: a new run, a checkpoint every 10 seconds.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            resume: false,
            force: false,
            checkpoint_every: Duration::from_secs(10),
            stop: Arc::default(),
            keep_positions: false,
        }
    }

    /// Removes an earlier result first.
    pub fn replace(self) -> Self {
        Self { force: true, ..self }
    }

    /// Resumes from the checkpoint in the folder, if there is one.
    pub fn resume(self) -> Self {
        Self { resume: true, ..self }
    }
}

impl From<&str> for RunOptions {
    fn from(folder: &str) -> Self {
        Self::new(folder)
    }
}

impl From<&Path> for RunOptions {
    fn from(folder: &Path) -> Self {
        Self::new(folder)
    }
}

impl From<PathBuf> for RunOptions {
    fn from(folder: PathBuf) -> Self {
        Self::new(folder)
    }
}

/// Receives the progress of a run.
pub trait Observer {
    /// A message.
    fn message(&mut self, _text: &str) {}
    /// After every step.
    fn step(&mut self, _simulation: &Simulation, _report: &StepReport) {}
    /// After every picture that is drawn: what is going on, how many are done, and of how many.
    fn drawing(&mut self, _what: &str, _done: usize, _total: usize) {}
}

/// Ignores all progress.
pub struct Silent;

impl Observer for Silent {}

/// A closure is called after every step.
impl<F: FnMut(&Simulation, &StepReport)> Observer for F {
    fn step(&mut self, simulation: &Simulation, report: &StepReport) {
        self(simulation, report);
    }
}

/// Runs a scene to its end, and draws the pictures that it asks for.
pub fn run(scene: &LoadedScene, options: &RunOptions, observer: &mut dyn Observer) -> Result<Summary, RunFailure> {
    let mut lock = FolderLock::look(&options.folder)?;
    if options.resume && folder::contents(&options.folder) == Contents::Finished {
        integrity::check_finished(&options.folder)?;
    }
    let summary = simulate(scene, options, &mut lock, observer)?;
    drawing::draw(scene, options, &mut lock, observer)?;
    Ok(summary)
}

/// The same without pictures.
pub(crate) fn simulate(
    scene: &LoadedScene,
    options: &RunOptions,
    lock: &mut FolderLock,
    observer: &mut dyn Observer,
) -> Result<Summary, RunFailure> {
    let folder = &options.folder;
    let shown = folder.display();
    let contents = folder::contents(folder);
    if contents == Contents::Finished && options.resume {
        if !lengthen::is_wanted(scene, folder)? {
            return finished(scene, options, observer);
        }
    } else {
        may_write(folder, contents, options)?;
    }
    if contents == Contents::Comparing && options.resume {
        let what = format!("{shown} holds an unfinished run with a verified error");
        return Err(RunFailure::refused(what, &[Remedy::AskError]));
    }
    let built = scene.build()?;
    built.warnings.iter().for_each(|warning| observer.message(&format!("warning: {warning}")));
    let mut simulation = built.simulation;
    let fingerprint = scene.fingerprint();
    claim(folder, contents, lock)?;
    let checkpoint = if options.resume { find_checkpoint(scene, options, observer)? } else { None };
    let unwritable = |error: RecordError| RunFailure::input(error.to_string());
    if checkpoint.is_none() && contents != Contents::Nothing {
        folder::clear(folder).map_err(unwritable)?;
    }
    let mut earlier_seconds = 0.0;
    if let Some(checkpoint) = &checkpoint {
        earlier_seconds = checkpoint::restore(&mut simulation, checkpoint)
            .ok_or_else(|| RunFailure::input(format!("{shown}/{}: does not fit this scene", names::CHECKPOINT)))?;
        observer.message(&format!("going on at t = {}", seconds(simulation.state().time)));
        if let Some(warning) = checkpoint::warning(checkpoint) {
            observer.message(&format!("warning: {warning}"));
        }
        // the record of an earlier failure or end is no longer valid
        folder::forget_end(folder).map_err(unwritable)?;
        if checkpoint.fingerprint != fingerprint {
            // before the scene in the folder gets another end: a run that is killed meanwhile goes on
            let mine = Checkpoint { fingerprint, ..checkpoint.clone() };
            mine.save(&folder.join(names::CHECKPOINT)).map_err(unwritable)?;
        }
    }
    let files = Files::open(folder, scene, &simulation, built.probes, options.keep_positions, checkpoint.as_ref())
        .map_err(unwritable)?;
    let mut run = Run { scene, options, lock, simulation, files, fingerprint, earlier_seconds, begun: Instant::now() };
    if checkpoint.is_none() {
        run.files
            .frame(0, &mut run.simulation, &StepReport { error: f64::NAN, ..StepReport::default() })
            .map_err(|error| RunFailure::Failed(error.to_string()))?;
    }
    run.finish(observer)
}

/// Takes the lock of a folder, which must still have the contents that were looked at.
pub(crate) fn claim(folder: &Path, contents: Contents, lock: &mut FolderLock) -> Result<(), RunFailure> {
    lock.take()?;
    match folder::contents(folder) == contents {
        true => Ok(()),
        false => Err(RunFailure::input(format!("{} was written to by another run just now", folder.display()))),
    }
}

/// Whether a run may write into a folder with these contents.
pub(crate) fn may_write(folder: &Path, contents: Contents, options: &RunOptions) -> Result<(), RunFailure> {
    let shown = folder.display();
    let refuse = |what: String, remedies: &[Remedy]| Err(RunFailure::refused(what, remedies));
    match contents {
        Contents::Foreign(name) => refuse(
            format!("{shown} has a `{name}` that is not part of a result, so nothing there is touched"),
            &[Remedy::Elsewhere],
        ),
        Contents::Finished if !options.force => {
            refuse(format!("{shown} holds a finished result"), &[Remedy::Replace, Remedy::Elsewhere])
        }
        Contents::Unfinished | Contents::Comparing if !options.force && !options.resume => {
            refuse(format!("{shown} holds an unfinished run"), &[Remedy::Resume, Remedy::Replace, Remedy::Elsewhere])
        }
        _ => Ok(()),
    }
}

struct Run<'a> {
    scene: &'a LoadedScene,
    options: &'a RunOptions,
    lock: &'a FolderLock,
    simulation: Simulation,
    files: Files,
    fingerprint: u64,
    earlier_seconds: f64,
    begun: Instant,
}

impl Run<'_> {
    fn finish(&mut self, observer: &mut dyn Observer) -> Result<Summary, RunFailure> {
        let mut last_checkpoint = Instant::now();
        while !self.simulation.is_done() {
            if self.options.stop.load(Ordering::Relaxed) {
                self.close().map_err(|error| self.failed(&error.to_string()))?;
                let (time, folder) = (self.simulation.state().time, self.options.folder.display());
                let what = format!("interrupted at t = {}; the checkpoint is in {folder}", seconds(time));
                return Err(RunFailure::Interrupted(Refusal::new(what, &[Remedy::Resume])));
            }
            let frame = self.simulation.progress_frame();
            let report = match self.simulation.step() {
                Ok(report) => report,
                Err(error) => {
                    let saved = self.close().and_then(|()| self.tell_death(&error.why));
                    return Err(match saved {
                        Ok(()) => self.failed_at(Some(self.simulation.state().time), &error.to_string()),
                        Err(other) => self.failed(&format!("{error}; moreover, {other}")),
                    });
                }
            };
            self.record(frame, &report).map_err(|error| self.failed(&error.to_string()))?;
            observer.step(&self.simulation, &report);
            if last_checkpoint.elapsed() >= self.options.checkpoint_every {
                self.checkpoint().map_err(|error| self.failed(&error.to_string()))?;
                last_checkpoint = Instant::now();
            }
        }
        let summary = Summary::of(self.scene, &self.simulation, self.seconds());
        let saved = self.checkpoint().and_then(|()| self.files.complete(&summary)).and_then(|()| self.files.clean());
        saved.map_err(|error| self.failed(&error.to_string()))?;
        Ok(summary)
    }

    fn record(&mut self, frame: u64, report: &StepReport) -> Result<(), RecordError> {
        self.files.step(&mut self.simulation, report)?;
        if self.simulation.progress_frame() > frame {
            self.lock.must_be_held()?;
            self.files.frame(frame, &mut self.simulation, report)?;
        }
        Ok(())
    }

    fn checkpoint(&mut self) -> Result<(), RecordError> {
        let seconds = self.seconds();
        self.files.checkpoint(&self.simulation, self.fingerprint, seconds)
    }

    /// Writes a checkpoint and the files that need all frames, so that a stopped run can be examined. Resuming writes them again.
    fn close(&mut self) -> Result<(), RecordError> {
        self.checkpoint()?;
        self.files.finish().map(drop)
    }

    /// The figures of a run that failed, and the reason.
    fn tell_death(&self, why: &str) -> Result<(), RecordError> {
        let summary = Summary::of(self.scene, &self.simulation, self.seconds());
        let died = Some(Death { time: summary.time, steps: summary.steps, why: why.to_owned() });
        pliant_record::write_json(&self.options.folder.join(names::STATS), &Summary { died, ..summary })
    }

    fn seconds(&self) -> f64 {
        self.earlier_seconds + self.begun.elapsed().as_secs_f64()
    }

    fn failed(&self, why: &str) -> RunFailure {
        self.failed_at(self.files.recorded(), why)
    }

    /// `recorded`: until when the files hold the motion, s.
    fn failed_at(&self, recorded: Option<f64>, why: &str) -> RunFailure {
        let (label, folder) = (self.scene.document.label(), self.options.folder.display());
        RunFailure::Failed(match recorded {
            Some(time) => format!("{label}: {why}\nwhat was recorded until t = {} is kept in {folder}", seconds(time)),
            None => format!("{label}: {why}\nnothing was recorded in {folder}"),
        })
    }
}

fn find_checkpoint(
    scene: &LoadedScene,
    options: &RunOptions,
    observer: &mut dyn Observer,
) -> Result<Option<Checkpoint>, RunFailure> {
    let path = options.folder.join(names::CHECKPOINT);
    if !path.exists() {
        observer.message("there is no checkpoint yet: starting from the beginning");
        return Ok(None);
    }
    let checkpoint = Checkpoint::read(&path).map_err(|error| RunFailure::input(error.to_string()))?;
    if let Err(error) = checkpoint.must_be_of(scene.fingerprint(), &path) {
        // another end does not make it another scene
        let before =
            lengthen::before(scene, &options.folder).filter(|before| before.fingerprint() == checkpoint.fingerprint);
        let before = before.ok_or_else(|| RunFailure::input(error.to_string()))?;
        lengthen::may_go_on(scene, &before, &checkpoint, &options.folder)?;
    }
    integrity::check_unfinished(&options.folder, &checkpoint)?;
    Ok(Some(checkpoint))
}

/// The summary of an existing result.
pub(crate) fn finished(
    scene: &LoadedScene,
    options: &RunOptions,
    observer: &mut dyn Observer,
) -> Result<Summary, RunFailure> {
    let path = options.folder.join(names::STATS);
    let shown = path.display();
    let summary = folder::read_summary(&options.folder)
        .ok_or_else(|| RunFailure::input(format!("{shown}: is no summary of a run")))?;
    if summary.fingerprint != format!("{:016x}", scene.fingerprint()) {
        let what = format!("{shown}: the finished result is that of another scene or other settings");
        return Err(RunFailure::refused(what, &[Remedy::Replace, Remedy::Elsewhere]));
    }
    observer.message("the run is finished already");
    Ok(summary)
}
