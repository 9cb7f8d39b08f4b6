//! One run at a time writes into a folder. It holds a lock on the file `.lock` there, which the system releases when the process ends, however it
//! ends. The file stays: if it were removed, a process that has it open and one that makes a new file could both hold a lock.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

use pliant_record::RecordError;

use crate::refusal::{Refusal, Remedy};

/// Name of the lock file in the folder.
pub const LOCK: &str = ".lock";

/// A folder, and the right to write into it once it is taken.
#[derive(Debug)]
pub struct FolderLock {
    folder: PathBuf,
    file: Option<File>,
}

impl FolderLock {
    /// Takes the lock of a folder that has a lock file, and makes nothing in any other. Refuses a folder that another run writes into.
    pub fn look(folder: &Path) -> Result<Self, Refusal> {
        let mut lock = Self { folder: folder.to_owned(), file: None };
        if let Ok(file) = File::options().append(true).open(folder.join(LOCK)) {
            lock.hold(file)?;
        }
        Ok(lock)
    }

    /// Makes the folder and its lock file where they are not there yet, and takes the lock.
    pub fn take(&mut self) -> Result<(), Refusal> {
        if self.file.is_some() {
            return Ok(());
        }
        let refused = |error: RecordError| Refusal::from(error.to_string());
        std::fs::create_dir_all(&self.folder).map_err(RecordError::io("create", &self.folder)).map_err(refused)?;
        let file = open_lock(&self.folder.join(LOCK)).map_err(refused)?;
        self.hold(file)
    }

    /// Fails where the folder with the lock is gone or was replaced: another run may be at work there.
    pub(crate) fn must_be_held(&self) -> Result<(), RecordError> {
        let path = self.folder.join(LOCK);
        if self.file.as_ref().is_some_and(|file| is_at(file, &path)) {
            return Ok(());
        }
        Err(RecordError::Lost { path, why: "went away while the run wrote into its folder".into() })
    }

    fn hold(&mut self, file: File) -> Result<(), Refusal> {
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            let what =
                format!("another run is at work in {}: wait until it has ended, or stop it", self.folder.display());
            return Err(Refusal::new(what, &[Remedy::Elsewhere]));
        }
        // A file system without locks is not an error.
        self.file = Some(file);
        Ok(())
    }
}

/// Whether an open file is the one with this name.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let id = |found: &std::fs::Metadata| (found.dev(), found.ino());
    matches!((file.metadata(), std::fs::metadata(path)), (Ok(ours), Ok(there)) if id(&ours) == id(&there))
}

/// Whether there is a file with this name: an open file is not removed there.
#[cfg(not(unix))]
fn is_at(_file: &File, path: &Path) -> bool {
    path.exists()
}

/// Opens a lock file, and makes it if it is not there.
pub(crate) fn open_lock(path: &Path) -> Result<File, RecordError> {
    File::options().create(true).append(true).open(path).map_err(RecordError::io("write", path))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Threads of one process, such as those of Python, exclude each other too.
    #[test]
    fn a_folder_is_locked_once() {
        let folder = std::env::temp_dir().join(format!("pliant-lock-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        let mut first = FolderLock::look(&folder).unwrap();
        assert!(!folder.exists(), "looking makes nothing");
        first.take().unwrap();
        first.take().unwrap();
        let refusal = FolderLock::look(&folder).unwrap_err().to_string();
        assert!(refusal.contains("another run is at work in") && refusal.contains("pliant-lock-"), "{refusal}");
        drop(first);
        FolderLock::look(&folder).unwrap().take().unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
