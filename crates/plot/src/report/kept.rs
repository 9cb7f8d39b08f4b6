//! The result of an experiment, kept beside its plots (`<id>/experiment.json`), so that an interrupted report resumes where it stopped.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{Experiment, write_file};

#[derive(Serialize, Deserialize)]
struct Kept<E> {
    /// Of the program: another one may find something else.
    version: String,
    experiment: E,
}

const VERSION: &str = env!("CARGO_PKG_VERSION");

fn place(folder: &Path, id: &str) -> PathBuf {
    folder.join(id).join("experiment.json")
}

pub(super) fn keep(folder: &Path, experiment: &Experiment) -> io::Result<()> {
    let kept = Kept { version: VERSION.to_owned(), experiment };
    write_file(&place(folder, &experiment.id), &serde_json::to_string(&kept)?)
}

/// What a report's folder holds of an experiment, if this version of the program has finished it there.
pub fn recall(folder: &Path, id: &str) -> Option<Experiment> {
    let kept: Kept<Experiment> = serde_json::from_slice(&fs::read(place(folder, id)).ok()?).ok()?;
    (kept.version == VERSION && kept.experiment.id == id).then_some(kept.experiment)
}
