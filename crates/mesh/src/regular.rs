//! Opens and reads regular files only: a pipe or a device may have no end, and opening a pipe waits for its other side.

use std::fs::File;
use std::io::{self, ErrorKind, Read as _};
use std::path::Path;

/// The error for what is there but is no file with an end.
pub fn refused() -> io::Error {
    io::Error::new(ErrorKind::InvalidInput, "it is not an ordinary file")
}

/// Opens a regular file for reading.
pub fn open(path: &Path) -> io::Result<File> {
    if !std::fs::metadata(path)?.is_file() {
        return Err(refused());
    }
    File::open(path)
}

/// Reads a regular file.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}
