//! A buffered append-only file that knows its length and the hash of its bytes, so that a checkpoint can store them and a resumed run can
//! check and truncate the file. It is written in whole rows: when the disk is full, a torn one is taken back.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use pliant_mesh::atomic::BUFFER;
use xxhash_rust::xxh3::Xxh3;

use crate::checksum::{Checksum, hash_part};
use crate::error::RecordError;
use crate::manifest::Grown;

pub(crate) struct AppendFile {
    path: PathBuf,
    file: File,
    /// Whole rows that are not in the file yet.
    buffer: Vec<u8>,
    /// Bytes in the file.
    written: u64,
    /// Bytes of a header that changes as the file grows.
    head: u64,
    /// Of everything behind the header.
    hash: Xxh3,
}

impl AppendFile {
    /// A file with nothing but a header that changes as it grows, or none; replaces an existing one.
    pub fn create(path: &Path, head: &[u8]) -> Result<Self, RecordError> {
        let mut file = File::create(path).map_err(RecordError::io("create", path))?;
        file.write_all(head).map_err(RecordError::io("write", path))?;
        let head = head.len() as u64;
        Ok(Self { path: path.to_owned(), file, buffer: Vec::new(), written: head, head, hash: Xxh3::new() })
    }

    /// An existing file, truncated to `len` bytes after `check` has accepted them.
    pub fn resume<T>(
        path: &Path,
        len: u64,
        head: u64,
        check: impl FnOnce(&mut File) -> Result<T, RecordError>,
    ) -> Result<(Self, T), RecordError> {
        let mut file = open_grown(path, len)?;
        let checked = check(&mut file)?;
        let hashed = hash_part(&mut file, head..len);
        let cut = hashed.and_then(|tally| file.set_len(len).map(|()| tally.hash));
        let hash = cut.and_then(|hash| file.seek(SeekFrom::Start(len)).map(|_| hash));
        let hash = hash.map_err(RecordError::io("resume", path))?;
        Ok((Self { path: path.to_owned(), file, buffer: Vec::new(), written: len, head, hash }, checked))
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Bytes so far, those in the buffer included.
    pub fn len(&self) -> u64 {
        self.written + self.buffer.len() as u64
    }

    /// Appends a row; it may stay in the buffer.
    pub fn append(&mut self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), RecordError> {
        let start = self.buffer.len();
        write(&mut self.buffer).map_err(RecordError::io("write", &self.path))?;
        self.hash.update(&self.buffer[start..]);
        if self.buffer.len() < BUFFER { Ok(()) } else { self.flush() }
    }

    /// Replaces the header; the end stays where it is.
    pub fn set_head(&mut self, head: &[u8]) -> Result<(), RecordError> {
        self.flush()?;
        let written = self.file.seek(SeekFrom::Start(0)).and_then(|_| self.file.write_all(head));
        let back = self.file.seek(SeekFrom::Start(self.written));
        written.and(back.map(|_| ())).map_err(RecordError::io("write", &self.path))
    }

    /// Flushes the buffer to the system. What cannot be written whole is taken back.
    pub fn flush(&mut self) -> Result<(), RecordError> {
        let result = self.file.write_all(&self.buffer);
        match &result {
            Ok(()) => self.written += self.buffer.len() as u64,
            // A second failure is ignored; the first one is reported.
            Err(_) => drop(self.cut()),
        }
        self.buffer.clear();
        result.map_err(RecordError::io("write", &self.path))
    }

    /// Takes back what lies behind the last whole row.
    fn cut(&mut self) -> io::Result<()> {
        self.file.set_len(self.written)?;
        self.file.seek(SeekFrom::Start(self.written)).map(|_| ())
    }

    /// Waits until all is on the disk, and checks that it is still there under its name.
    pub fn sync(&mut self) -> Result<(), RecordError> {
        self.flush()?;
        self.file.sync_data().map_err(RecordError::io("write", &self.path))?;
        must_be_there(&self.path, self.written)
    }

    /// What a checkpoint stores of it.
    pub fn grown(&self, name: &str) -> Grown {
        Grown { name: name.into(), len: self.len(), fixed: self.head..self.len(), hash: self.hash.digest() }
    }

    /// Length and hash of the whole file. One with a header that changed is read back for it.
    pub fn checksum(&mut self) -> Result<Checksum, RecordError> {
        self.flush()?;
        if self.head > 0 {
            let rows = Checksum::of_part(&self.path, self.head..self.written)?;
            if rows.hash != self.hash.digest() {
                return Err(lost(&self.path, "was changed while it was written"));
            }
            return Checksum::of_file(&self.path);
        }
        Ok(Checksum { bytes: self.written, hash: self.hash.digest() })
    }
}

impl Drop for AppendFile {
    fn drop(&mut self) {
        // An error is reported by `flush`, which every writer calls before it is dropped.
        let _ = self.flush();
    }
}

/// Checks that a file that was written is there under its name, with its length.
pub(crate) fn must_be_there(path: &Path, len: u64) -> Result<(), RecordError> {
    match std::fs::metadata(path) {
        Ok(found) if found.len() == len => Ok(()),
        Ok(found) => Err(lost(path, format!("has {} bytes instead of the {len} that were written", found.len()))),
        Err(_) => Err(lost(path, "is missing, although it was written")),
    }
}

pub(crate) fn lost(path: &Path, why: impl Into<String>) -> RecordError {
    RecordError::Lost { path: path.to_owned(), why: why.into() }
}

/// Opens a file that must hold at least `len` bytes.
pub(crate) fn open_grown(path: &Path, len: u64) -> Result<File, RecordError> {
    let doing = || RecordError::io("resume", path);
    let file = OpenOptions::new().read(true).write(true).open(path).map_err(doing())?;
    let found = file.metadata().map_err(doing())?.len();
    if found < len {
        return Err(not_resumable(path, format!("it holds {found} bytes, but had {len} at the checkpoint")));
    }
    Ok(file)
}

pub(crate) fn not_resumable(path: &Path, why: impl Into<String>) -> RecordError {
    RecordError::NotResumable { path: path.to_owned(), why: why.into() }
}
