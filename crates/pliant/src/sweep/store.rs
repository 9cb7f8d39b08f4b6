//! The folder of a sweep: `sweep.json` says which sweep it is, `results/0001.json` how run 1 ended, `runs/0001` is what it recorded. A result is
//! written atomically and stays: a sweep that is killed and started again loses nothing and repeats nothing that was finished.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use pliant_record::{RecordError, write_atomic_with};
use serde::{Deserialize, Serialize};

use super::Plan;
use crate::lock::{FolderLock, open_lock};
use crate::refusal::{Refusal, Remedy};

/// Names of files in the folder of a sweep.
pub mod names {
    /// Which sweep it is.
    pub const PLAN: &str = "sweep.json";
    /// The table of all runs.
    pub const TABLE: &str = "sweep.csv";
    /// The plot.
    pub const PLOT: &str = "sweep.svg";
    /// Folder of the results, one file per run.
    pub const RESULTS: &str = "results";
    /// Folder of what runs recorded.
    pub const RUNS: &str = "runs";
    /// Lock file of every run in progress.
    pub const RUNS_LOCK: &str = ".runs.lock";
}

/// How long the runs of a killed sweep may take to stop.
const STOPPING: Duration = Duration::from_secs(30);

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// It came to its end.
    Done,
    /// It failed.
    Failed,
}

/// The record of a run that ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunResult {
    /// Its number, from 1.
    pub number: usize,
    /// How it ended.
    pub status: Status,
    /// Why it failed; empty if it did not.
    #[serde(default)]
    pub reason: String,
    /// The summary of the run, as in its `stats.json`.
    #[serde(default)]
    pub summary: serde_json::Value,
}

impl RunResult {
    /// The name of the folder in which it recorded.
    pub fn folder_name(&self) -> String {
        folder_name(self.number)
    }
}

fn folder_name(number: usize) -> String {
    format!("{number:04}")
}

/// The folder of a sweep, locked by this process.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    _lock: FolderLock,
}

impl Store {
    /// Opens the folder of a sweep: a new one, or that of the same sweep, to resume it. `force` removes what another sweep left there.
    pub fn open(folder: &Path, plan: &Plan, force: bool) -> Result<Self, Refusal> {
        let shown = folder.display();
        let told = |error: RecordError| Refusal::from(error.to_string());
        let either = [Remedy::Replace, Remedy::Elsewhere];
        let mut lock = FolderLock::look(folder)?;
        let before = read_plan(folder)?;
        if let (Some(before), false) = (&before, force) {
            let before = before.as_ref().ok_or_else(|| {
                Refusal::new(format!("{shown}/{}: is no description of a sweep", names::PLAN), &either)
            })?;
            if let Some(what) = difference(before, plan) {
                return Err(Refusal::new(format!("{shown} holds another sweep: {what}"), &either));
            }
        }
        lock.take()?;
        let store = Self { folder: folder.to_owned(), _lock: lock };
        store.wait_for_orphans()?;
        if before.is_some() && force {
            store.clear().map_err(told)?;
        }
        let results = store.folder.join(names::RESULTS);
        fs::create_dir_all(&results).map_err(|error| told(RecordError::io("create", &results)(error)))?;
        if before.is_none() || force {
            write_json(&folder.join(names::PLAN), plan).map_err(told)?;
        }
        Ok(store)
    }

    /// The results of the runs that ended, each at the position of its number. Unreadable results count as missing.
    pub fn results(&self, count: usize) -> Vec<Option<RunResult>> {
        let read = |k: usize| {
            let bytes = fs::read(self.result_file(k + 1)).ok()?;
            serde_json::from_slice(&bytes).ok().filter(|result: &RunResult| result.number == k + 1)
        };
        (0..count).map(read).collect()
    }

    /// Stores a result; when this returns, it is on the disk.
    pub fn keep(&self, result: &RunResult) -> Result<(), RecordError> {
        write_json(&self.result_file(result.number), result)
    }

    /// Writes a whole file into the folder.
    pub fn write(&self, name: &str, text: &str) -> Result<(), RecordError> {
        let path = self.folder.join(name);
        write_atomic_with(&path, true, |out| out.write_all(text.as_bytes()))
    }

    /// Where a run records.
    pub fn run_folder(&self, number: usize) -> PathBuf {
        self.folder.join(names::RUNS).join(folder_name(number))
    }

    /// The lock file of runs in progress ([`hold`]).
    pub fn runs_lock(&self) -> PathBuf {
        self.folder.join(names::RUNS_LOCK)
    }

    fn result_file(&self, number: usize) -> PathBuf {
        self.folder.join(names::RESULTS).join(format!("{number:04}.json"))
    }

    /// Runs stop by themselves when their sweep is killed, but not at once.
    fn wait_for_orphans(&self) -> Result<(), String> {
        let lock = open_lock(&self.runs_lock()).map_err(|error| error.to_string())?;
        let begun = Instant::now();
        while let Err(TryLockError::WouldBlock) = lock.try_lock() {
            if begun.elapsed() > STOPPING {
                return Err(format!("runs of an earlier sweep are still at work in {}", self.folder.display()));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(())
    }

    /// Removes what a sweep wrote, and nothing else.
    fn clear(&self) -> Result<(), RecordError> {
        let gone = |path: &Path, result: std::io::Result<()>| match result {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(RecordError::io("remove", path)(error)),
            _ => Ok(()),
        };
        for name in [names::RESULTS, names::RUNS] {
            let path = self.folder.join(name);
            gone(&path, fs::remove_dir_all(&path))?;
        }
        for name in [names::TABLE, names::PLOT] {
            let path = self.folder.join(name);
            gone(&path, fs::remove_file(&path))?;
        }
        Ok(())
    }
}

/// Marks a run as in progress, until the file is closed.
pub fn hold(lock: &Path) -> std::io::Result<File> {
    let file = File::options().create(true).append(true).open(lock)?;
    // A file system without locks is not an error.
    let _ = file.try_lock_shared();
    Ok(file)
}

fn write_json(path: &Path, value: &impl Serialize) -> Result<(), RecordError> {
    write_atomic_with(path, true, |out| {
        serde_json::to_writer_pretty(&mut *out, value)?;
        out.write_all(b"\n")
    })
}

/// The plan in a folder: `Some(None)` is one that cannot be read. Refuses a folder with foreign files under our names.
fn read_plan(folder: &Path) -> Result<Option<Option<Plan>>, Refusal> {
    match fs::read(folder.join(names::PLAN)) {
        Ok(bytes) => Ok(Some(serde_json::from_slice(&bytes).ok())),
        Err(_) => {
            let ours = [names::RESULTS, names::RUNS, names::TABLE, names::PLOT];
            match ours.iter().find(|name| folder.join(name).exists()) {
                None => Ok(None),
                Some(name) => {
                    let shown = folder.display();
                    let what =
                        format!("{shown} has a `{name}` that is not part of a sweep, so nothing there is touched");
                    Err(Refusal::new(what, &[Remedy::Elsewhere]))
                }
            }
        }
    }
}

fn difference(before: &Plan, now: &Plan) -> Option<String> {
    if before.vary != now.vary {
        let keys = |plan: &Plan| {
            let lists = plan.vary.iter().map(|one| {
                format!(
                    "{}={}",
                    one.path,
                    one.values.iter().map(|v| super::grid::shown(v)).collect::<Vec<_>>().join(",")
                )
            });
            let text = lists.collect::<Vec<_>>().join(" ");
            if text.is_empty() { "nothing".to_owned() } else { text }
        };
        return Some(format!("it varies {}, not {}", keys(before), keys(now)));
    }
    if before.repeat != now.repeat {
        return Some(format!("it repeats each run {} times, not {}", before.repeat, now.repeat));
    }
    (before.fingerprint != now.fingerprint)
        .then(|| format!("it is one of {}, which was another scene or had other settings", before.scene))
}
