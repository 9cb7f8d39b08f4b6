//! Resuming a run beyond its former end. The end is part of the scene and so of its fingerprint, but not of the motion.

use std::path::Path;

use pliant_record::Checkpoint;
use pliant_scalar::shown::{metres, seconds};
use pliant_scene::LoadedScene;
use pliant_time::Frames;

use crate::folder::{self, names};
use crate::refusal::Remedy;
use crate::runner::RunFailure;

/// Whether the finished result in a folder is one of this scene with another end. A verified one cannot have another: its error is that of the
/// whole run, and of the two runs that were compared only one is left.
pub(crate) fn is_wanted(scene: &LoadedScene, folder: &Path) -> Result<bool, RunFailure> {
    let Some((result, before)) = folder::read_summary(folder).zip(before(scene, folder)) else { return Ok(false) };
    if result.fingerprint != format!("{:016x}", before.fingerprint()) {
        return Ok(false);
    }
    let Some(verified) = result.verified else { return Ok(true) };
    let what = format!(
        "{} holds a result whose error was verified to be below {} until t = {}, by comparing whole runs: it cannot go on to another end; \
         the run to t = {} must be verified from its start",
        folder.display(),
        metres(verified.asked),
        seconds(result.time),
        seconds(scene.scene.time.until.si())
    );
    Err(RunFailure::refused(what, &[Remedy::Replace, Remedy::Elsewhere]))
}

/// The scene with the end of the run in a folder, if that is another end.
pub(crate) fn before(scene: &LoadedScene, folder: &Path) -> Option<LoadedScene> {
    let there = pliant_scene::load(folder.join(names::SCENE).to_str()?, &[]).ok()?;
    let until = there.scene.time.until.si();
    if until == scene.scene.time.until.si() {
        return None;
    }
    scene.with(&[format!("time.until={until:?}")]).ok()
}

/// Whether the files of a run can be continued when only its end changes.
pub(crate) fn may_go_on(
    scene: &LoadedScene,
    before: &LoadedScene,
    checkpoint: &Checkpoint,
    folder: &Path,
) -> Result<(), RunFailure> {
    let shown = folder.display();
    let refuse = |what: String| Err(RunFailure::refused(what, &[Remedy::Replace, Remedy::Elsewhere]));
    let (time, until) = (checkpoint.point.state.time, scene.scene.time.until.si());
    if until < time {
        return refuse(format!(
            "the run in {shown} is at t = {} already: it can be made longer, but not shorter",
            seconds(time)
        ));
    }
    let (fps, ended) = (scene.scene.time.fps, before.scene.time.until.si());
    // A run records a frame at its end; a longer run has none there if it lies between two others.
    let frames = Frames { fps, until };
    if time == ended && (frames.time(frames.after(time) - 1) - time).abs() > 1e-9 / fps {
        return refuse(format!(
            "the run in {shown} ended between two frames, at t = {}: it cannot be made longer",
            seconds(time)
        ));
    }
    match checkpoint.files.iter().map(|file| &file.name).find(|name| !folder.join(name).exists()) {
        Some(name) => refuse(format!(
            "{shown}/{name} went away when the run ended, and a longer run would go on with it: this format cannot be made longer"
        )),
        None => Ok(()),
    }
}
