//! Length and XXH3-64 hash of bytes: while they are written, in memory, and of files and parts of files.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::Path;

use pliant_mesh::atomic::BUFFER;
use pliant_mesh::regular;
use xxhash_rust::xxh3::Xxh3;

use crate::error::RecordError;

/// Length and hash of some bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checksum {
    /// How many there are.
    pub bytes: u64,
    /// XXH3-64.
    pub hash: u64,
}

impl Checksum {
    /// Of bytes in memory.
    pub fn of(bytes: &[u8]) -> Self {
        Self { bytes: bytes.len() as u64, hash: xxhash_rust::xxh3::xxh3_64(bytes) }
    }

    /// Of a whole file.
    pub fn of_file(path: &Path) -> Result<Self, RecordError> {
        Self::of_part(path, 0..u64::MAX)
    }

    /// Of the bytes of a file that are in a range.
    pub fn of_part(path: &Path, part: Range<u64>) -> Result<Self, RecordError> {
        let read = |mut file: File| Ok(hash_part(&mut file, part)?.checksum());
        regular::open(path).and_then(read).map_err(RecordError::io("read", path))
    }
}

/// Hashes the bytes of a file that are in a range.
pub(crate) fn hash_part(file: &mut File, part: Range<u64>) -> io::Result<Tally<io::Sink>> {
    let mut tally = Tally::new(io::sink());
    file.seek(SeekFrom::Start(part.start))?;
    io::copy(&mut BufReader::with_capacity(BUFFER, file.take(part.end.saturating_sub(part.start))), &mut tally)?;
    Ok(tally)
}

/// Counts and hashes what is written through it.
pub(crate) struct Tally<W> {
    out: W,
    bytes: u64,
    pub hash: Xxh3,
}

impl<W> Tally<W> {
    pub fn new(out: W) -> Self {
        Self { out, bytes: 0, hash: Xxh3::new() }
    }

    pub fn checksum(&self) -> Checksum {
        Checksum { bytes: self.bytes, hash: self.hash.digest() }
    }
}

impl<W: Write> Write for Tally<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.bytes += written as u64;
        self.hash.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
