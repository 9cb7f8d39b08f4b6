//! Going on with a run beyond the end that it had. The end is part of the scene and so of its fingerprint, but not of the motion.

use std::path::Path;

use pliant_record::Checkpoint;
use pliant_scene::LoadedScene;
use pliant_time::Frames;

use crate::folder::{self, names};
use crate::refusal::Remedy;
use crate::runner::RunFailure;

/// Whether the finished result in a folder is one of this scene with another end. A verified one is not: its error is that of the whole run.
pub(crate) fn is_wanted(scene: &LoadedScene, folder: &Path) -> bool {
    let result = folder::read_summary(folder).filter(|result| result.verified.is_none());
    let is_of = |before: LoadedScene| {
        result.is_some_and(|result| result.fingerprint == format!("{:016x}", before.fingerprint()))
    };
    before(scene, folder).is_some_and(is_of)
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

/// Whether the files of a run can be gone on with when only its end changes.
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
            "the run in {shown} is at t = {time} s already: it can be made longer, but not shorter"
        ));
    }
    let (fps, ended) = (scene.scene.time.fps, before.scene.time.until.si());
    // Where a run ends there is a frame, and between two others a longer run has none.
    let frames = Frames { fps, until };
    if time == ended && (frames.time(frames.after(time) - 1) - time).abs() > 1e-9 / fps {
        return refuse(format!(
            "the run in {shown} ended between two frames, at t = {time} s: it cannot be made longer"
        ));
    }
    match checkpoint.files.iter().find(|(name, _)| !folder.join(name).exists()) {
        Some((name, _)) => refuse(format!(
            "{shown}/{name} went away when the run ended, and a longer run would go on with it: this format cannot be made longer"
        )),
        None => Ok(()),
    }
}
