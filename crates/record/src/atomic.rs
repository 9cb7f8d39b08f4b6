//! Atomic writes, as those of meshes ([`pliant_mesh::atomic`]), with the errors of a run.

use std::io::{self, Write};
use std::path::Path;

use crate::checksum::{Checksum, Tally};
use crate::error::RecordError;

/// Writes a whole file; whatever fails, the old one stays and no temporary file is left. After a crash of the machine (not of the
/// program) the newest file may be lost: [`write_atomic_with`] can wait for the disk.
pub fn write_atomic(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), RecordError> {
    Ok(pliant_mesh::write_atomic(path, write)?)
}

/// As [`write_atomic`]; `durable` also waits until the bytes are on the disk before the old file is replaced.
pub fn write_atomic_with(
    path: &Path,
    durable: bool,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), RecordError> {
    Ok(pliant_mesh::write_atomic_with(path, durable, write)?)
}

/// As [`write_atomic_with`]; returns length and hash of what was written.
pub fn write_hashed(
    path: &Path,
    durable: bool,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<Checksum, RecordError> {
    let mut sum = Checksum::default();
    write_atomic_with(path, durable, |out| {
        let mut tally = Tally::new(out);
        write(&mut tally)?;
        sum = tally.checksum();
        Ok(())
    })?;
    Ok(sum)
}
