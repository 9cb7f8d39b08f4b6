//! Atomic writes: a file is written under a temporary name in the same folder, then renamed over the old one.
//! Renaming within a folder is atomic, so a reader, a kill and a full disk see the old file or the new one.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::regular;

/// The operating system refused. Its answer is part of the message, so it is not repeated as a source.
#[derive(Debug, Error)]
#[error("cannot {doing} {path}: {error}")]
pub struct FileError {
    /// What was being done: `write`, `read`, `create`, `resume`, …
    pub doing: &'static str,
    /// The file.
    pub path: PathBuf,
    /// The answer.
    pub error: io::Error,
}

impl FileError {
    /// For `map_err`: what was being done to which file.
    pub fn of<'a>(doing: &'static str, path: &'a Path) -> impl FnOnce(io::Error) -> Self + 'a {
        move |error| Self { doing, path: path.to_owned(), error }
    }
}

/// Bytes of a buffer of a file: large enough that the system calls do not count beside the copying.
pub const BUFFER: usize = 1 << 16;

/// Writes a whole file; whatever fails, the old one stays and no temporary file is left. After a crash of the machine (not of the
/// program) the newest file may be lost: [`write_atomic_with`] can wait for the disk.
pub fn write_atomic(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), FileError> {
    write_atomic_with(path, false, write)
}

/// As [`write_atomic`]; `durable` also waits until the bytes are on the disk before the old file is replaced.
pub fn write_atomic_with(
    path: &Path,
    durable: bool,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), FileError> {
    let replace = || {
        let temporary = temporary_name(path)?;
        let written = fill(&temporary, durable, write).and_then(|()| fs::rename(&temporary, path));
        if written.is_err() {
            // A second failure is ignored; the first one is reported.
            let _ = fs::remove_file(&temporary);
        }
        written
    };
    replace().map_err(FileError::of("write", path))?;
    if durable {
        sync_folder(path);
    }
    Ok(())
}

/// `.<name>.tmp` beside the file: renaming does not work across file systems.
fn temporary_name(path: &Path) -> io::Result<PathBuf> {
    let invalid = |message| io::Error::new(io::ErrorKind::InvalidInput, message);
    let name = path.file_name().ok_or_else(|| invalid("the path does not end in a file name"))?;
    // A rename would replace the device or pipe itself (as root even /dev/null).
    if fs::metadata(path).is_ok_and(|there| !there.is_file() && !there.is_dir()) {
        return Err(regular::refused());
    }
    let mut hidden = OsString::from(".");
    hidden.push(name);
    hidden.push(".tmp");
    Ok(path.with_file_name(hidden))
}

fn fill(path: &Path, durable: bool, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut buffered = BufWriter::with_capacity(BUFFER, File::create(path)?);
    write(&mut buffered)?;
    let file = buffered.into_inner().map_err(|failed| failed.into_error())?;
    if durable { file.sync_data() } else { Ok(()) }
}

/// Puts the new name on the disk as well. Some file systems cannot do that; then a crash may bring back the old file, whole.
fn sync_folder(path: &Path) {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}
