//! `--error E`: a global error, verified. A controller's tolerance is an error *per step*; what it adds up to depends on the motion. So
//! the scene is run again with a tighter tolerance (a quarter: half the step of a first-order scheme) until two runs in a row agree
//! within E at every frame and particle. If halving the step at least halves the error, the error of the finer run is then no larger
//! than the difference, and that run is kept.

use std::path::Path;

use pliant_record::{RecordError, largest_difference};
use pliant_scene::LoadedScene;
use pliant_time::control::ControlKind;

use crate::folder::{self, Contents, names};
use crate::runner::{Observer, RunFailure, RunOptions, run};
use crate::summary::{Summary, Verified};

const MOST_RUNS: u32 = 12;
const TIGHTER: f64 = 0.25;

/// Runs a scene until the error is below `error` metres. Folders and resuming work as in [`run`].
pub fn run_verified(
    scene: &LoadedScene,
    error: f64,
    options: &RunOptions,
    observer: &mut dyn Observer,
) -> Result<Summary, RunFailure> {
    let folder = &options.folder;
    if folder::contents(folder) != Contents::Nothing && !(options.resume || options.force) {
        // the same refusals as for a plain run
        return run(scene, &RunOptions { resume: false, force: false, ..options.clone() }, observer);
    }
    let io = |error: RecordError| RunFailure::Failed(error.to_string());
    if options.resume && folder::contents(folder) == Contents::Finished {
        return run(scene, options, observer);
    }
    if !options.resume {
        folder::clear(folder).map_err(io)?;
    }
    let place = |k: u32| folder.join(names::TRIES).join(format!("{k:02}"));
    // Start where the tolerance itself is a tenth of the error: per-step errors add up.
    let base = scene.checked.control;
    let has_tolerance = matches!(base.kind, ControlKind::ForceError | ControlKind::StepDoubling);
    let mut tightened = if has_tolerance { (0.1 * error / base.tolerance).min(1.0) } else { 1.0 };
    let mut last: Option<f64> = None;
    for k in 1..=MOST_RUNS {
        let mut tried = scene.clone();
        tried.checked.control = base.tightened(tightened);
        let here = RunOptions { folder: place(k), resume: true, force: false, keep_positions: true, ..options.clone() };
        observer.message(&match has_tolerance {
            true => format!("run {k}: tolerance {:.3e} m a step", tried.checked.control.tolerance),
            false => format!("run {k}: steps of {} times the given length", tightened.sqrt()),
        });
        let summary = run(&tried, &here, observer)?;
        if k > 1 {
            let (older, newer) = (place(k - 1).join(names::POSITIONS), place(k).join(names::POSITIONS));
            let difference = largest_difference(&older, &newer).map_err(io)?.map_or(0.0, |d| d.metres);
            observer.message(&format!("runs {} and {k} differ by {difference:.3e} m at most", k - 1));
            if difference <= error {
                let verified = Verified { asked: error, difference, runs: k, tightened };
                let fingerprint = format!("{:016x}", scene.fingerprint());
                return keep(folder, &place(k), Summary { verified: Some(verified), fingerprint, ..summary })
                    .map_err(io);
            }
            if last.is_some_and(|last| k > 4 && difference > 0.9 * last) {
                let why = format!(
                    "tighter steps no longer bring the runs together ({difference:.3e} m after {k} runs, {error:e} m asked): \
                     the motion is chaotic, or {} is not converging on it; the runs are kept in {}",
                    scene.scene.time.integrator,
                    folder.join(names::TRIES).display()
                );
                return Err(RunFailure::Failed(why));
            }
            last = Some(difference);
        }
        tightened *= TIGHTER;
    }
    Err(RunFailure::Failed(format!(
        "{MOST_RUNS} runs did not agree within {error:e} m; the runs are kept in {}",
        folder.join(names::TRIES).display()
    )))
}

/// Moves the better run up into the folder and removes the others.
fn keep(folder: &Path, best: &Path, summary: Summary) -> Result<Summary, RecordError> {
    for name in folder::frame_names().chain([names::PROBES, names::SCENE, names::CHECKPOINT]) {
        let from = best.join(name);
        if from.exists() {
            std::fs::rename(&from, folder.join(name)).map_err(RecordError::io("move", &from))?;
        }
    }
    pliant_record::write_json(&folder.join(names::STATS), &summary)?;
    let tries = folder.join(names::TRIES);
    std::fs::remove_dir_all(&tries).map_err(RecordError::io("remove", &tries))?;
    Ok(summary)
}
