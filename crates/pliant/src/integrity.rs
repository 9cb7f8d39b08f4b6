//! Whether the files of a result are there as they were written: by its manifest where it is complete, by its checkpoint where it is not.

use std::collections::BTreeSet;
use std::path::Path;

use pliant_record::{Checkpoint, Damage, Format, RecordError, Written, manifest};

use crate::folder::{self, Contents, names};
use crate::lock::FolderLock;
use crate::refusal::{Remedy, RunFailure};
use crate::sweep::store::names as sweep;
use crate::sweep::{RunResult, Status};

/// Largest number of files that a refusal lists; `pliant verify` lists all.
const LISTED: usize = 10;

/// The files of a result, compared with what was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// How many there should be.
    pub files: usize,
    /// Those that are not as they were written.
    pub damages: Vec<Damage>,
    /// Whether the run came to its end; if not, files were compared with its last checkpoint.
    pub is_complete: bool,
}

impl Comparison {
    /// What is wrong, `most` files of it; empty where nothing is.
    fn told(&self, folder: &Path, most: usize) -> String {
        let lines: String = self.damages.iter().take(most).map(|damage| format!("\n  {damage}")).collect();
        let more = self.damages.len().saturating_sub(most);
        let more = if more > 0 { format!("\n  and {more} more; `pliant verify` lists them") } else { String::new() };
        let (damaged, files, folder) = (self.damages.len(), self.files, folder.display());
        format!("{folder}: {damaged} of {files} files are not as they were written:{lines}{more}")
    }

    /// The same as an error of the run that was to go on there.
    fn must_be_whole(&self, folder: &Path) -> Result<(), RunFailure> {
        if self.damages.is_empty() {
            return Ok(());
        }
        Err(RunFailure::refused(self.told(folder, LISTED), &[Remedy::Replace, Remedy::Elsewhere]))
    }
}

/// Compares all files of a result, or of all results of a sweep, with what was written. Fails where there is no result, where a run is writing it,
/// and where files are not as they were written; then the message names them all.
pub fn verify(folder: &Path) -> Result<Comparison, RunFailure> {
    let is_sweep = folder.join(sweep::PLAN).exists();
    let found = if is_sweep { compare_sweep(folder)? } else { compare(folder)? };
    match found.damages.is_empty() {
        true => Ok(found),
        false => Err(RunFailure::Failed(found.told(folder, usize::MAX))),
    }
}

/// All runs of a sweep: those that recorded something, and those that came to their end by its results.
fn compare_sweep(folder: &Path) -> Result<Comparison, RunFailure> {
    let mut runs = names_in(&folder.join(sweep::RUNS))?;
    let results = folder.join(sweep::RESULTS);
    for name in names_in(&results)? {
        let read = std::fs::read(results.join(&name)).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
        runs.extend(read.filter(|result: &RunResult| result.status == Status::Done).map(|result| result.folder_name()));
    }
    let mut all = Comparison { files: 0, damages: Vec::new(), is_complete: true };
    for run in runs {
        let place = format!("{}/{run}", sweep::RUNS);
        match compare(&folder.join(&place)) {
            Ok(found) => {
                let damages = found.damages.into_iter();
                all.damages.extend(damages.map(|damage| Damage { name: format!("{place}/{}", damage.name), ..damage }));
                all.files += found.files;
                all.is_complete &= found.is_complete;
            }
            Err(failure) => {
                all.damages.push(Damage { name: place, what: format!("cannot be compared: {failure}") });
                all.files += 1;
            }
        }
    }
    Ok(all)
}

/// Names of what is in a folder, none where there is no folder; without hidden ones.
fn names_in(folder: &Path) -> Result<BTreeSet<String>, RunFailure> {
    let entries = match std::fs::read_dir(folder).and_then(|entries| entries.collect::<Result<Vec<_>, _>>()) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(RunFailure::input(RecordError::io("read", folder)(error).to_string())),
        Ok(entries) => entries,
    };
    let names = entries.iter().map(|entry| entry.file_name().to_string_lossy().into_owned());
    Ok(names.filter(|name| !name.starts_with('.')).collect())
}

fn compare(folder: &Path) -> Result<Comparison, RunFailure> {
    // that it could be written elsewhere is no remedy here
    let _lock = FolderLock::look(folder).map_err(|refusal| RunFailure::input(refusal.what))?;
    let shown = folder.display();
    match folder::contents(folder) {
        Contents::Nothing | Contents::Foreign(_) => Err(RunFailure::input(format!("{shown} holds no result of a run"))),
        Contents::Comparing => {
            let what = format!("{shown} holds an unfinished run with a verified error");
            Err(RunFailure::refused(what, &[Remedy::AskError]))
        }
        Contents::Finished => Ok(finished(folder)),
        Contents::Unfinished if matches!(manifest::read(folder), Ok(Some(_))) => Ok(finished(folder)),
        Contents::Unfinished => {
            let path = folder.join(names::CHECKPOINT);
            if !path.exists() {
                let what =
                    format!("{shown} holds an unfinished run without a checkpoint: there is nothing to compare with");
                return Err(RunFailure::refused(what, &[Remedy::Resume]));
            }
            let checkpoint = Checkpoint::read(&path).map_err(|error| RunFailure::input(error.to_string()))?;
            Ok(unfinished(folder, &checkpoint))
        }
    }
}

/// Fails where a finished result is not as it was written. Pictures may be missing: they are drawn again.
pub(crate) fn check_finished(folder: &Path) -> Result<(), RunFailure> {
    let mut found = finished(folder);
    found.damages.retain(|damage| !is_picture(&damage.name));
    found.must_be_whole(folder)
}

/// Fails where the files of an unfinished run are not as they were at its checkpoint.
pub(crate) fn check_unfinished(folder: &Path, checkpoint: &Checkpoint) -> Result<(), RunFailure> {
    unfinished(folder, checkpoint).must_be_whole(folder)
}

/// Adds pictures to the manifest of a finished result, in the place of those that it lists.
pub(crate) fn add_pictures(folder: &Path, pictures: Vec<Written>) -> Result<(), RecordError> {
    let Some(mut files) = manifest::read(folder)? else { return Ok(()) };
    files.retain(|written| !is_picture(&written.name));
    files.extend(pictures);
    manifest::replace(folder, &files)
}

fn is_picture(name: &str) -> bool {
    let top = name.split('/').next().unwrap_or_default();
    let holds = |format: &Format| format.files.contains(&top) || format.folders.contains(&top);
    pliant_record::FORMATS.iter().any(|format| format.pictures().is_some() && holds(format))
}

fn finished(folder: &Path) -> Comparison {
    let (files, damages) = match manifest::read(folder) {
        Ok(Some(files)) => (files.len() + 1, files.iter().filter_map(|written| written.damage(folder)).collect()),
        Ok(None) => (1, vec![of_manifest("ends too early")]),
        Err(error) if error.io_kind() == Some(std::io::ErrorKind::NotFound) => (1, vec![of_manifest("is missing")]),
        Err(error) => (1, vec![of_manifest(&format!("cannot be used: {error}"))]),
    };
    Comparison { files, damages, is_complete: true }
}

fn unfinished(folder: &Path, checkpoint: &Checkpoint) -> Comparison {
    let mut damages: Vec<Damage> = checkpoint.files.iter().filter_map(|grown| grown.damage(folder)).collect();
    let mut files = checkpoint.files.len();
    let list = checkpoint.files.iter().find(|grown| grown.name == names::MANIFEST);
    if let Some(list) = list.filter(|list| damages.iter().all(|damage| damage.name != list.name)) {
        match manifest::read_part(folder, list.len) {
            Ok(frames) => {
                files += frames.len();
                damages.extend(frames.iter().filter_map(|written| written.damage(folder)));
            }
            Err(error) => damages.push(of_manifest(&format!("cannot be used: {error}"))),
        }
    }
    Comparison { files, damages, is_complete: false }
}

fn of_manifest(what: &str) -> Damage {
    Damage { name: names::MANIFEST.into(), what: what.into() }
}
