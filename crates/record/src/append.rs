//! A buffered append-only file that knows its length, so that a checkpoint can store it and a resumed run can truncate the file.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use pliant_mesh::atomic::BUFFER;

use crate::error::RecordError;

pub(crate) struct AppendFile {
    path: PathBuf,
    out: BufWriter<File>,
    len: u64,
}

impl AppendFile {
    /// An empty file; replaces an existing one.
    pub fn create(path: &Path) -> Result<Self, RecordError> {
        let file = File::create(path).map_err(RecordError::io("create", path))?;
        Ok(Self { path: path.to_owned(), out: BufWriter::with_capacity(BUFFER, file), len: 0 })
    }

    /// An existing file, truncated to `len` bytes after `check` has accepted them.
    pub fn resume<T>(
        path: &Path,
        len: u64,
        check: impl FnOnce(&mut File) -> Result<T, RecordError>,
    ) -> Result<(Self, T), RecordError> {
        let mut file = open_grown(path, len)?;
        let checked = check(&mut file)?;
        let cut = file.set_len(len).and_then(|()| file.seek(SeekFrom::Start(len)));
        cut.map_err(RecordError::io("resume", path))?;
        Ok((Self { path: path.to_owned(), out: BufWriter::with_capacity(BUFFER, file), len }, checked))
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Bytes so far, those in the buffer included.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Appends what `write` writes, which must be `len` bytes.
    pub fn append(
        &mut self,
        len: u64,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), RecordError> {
        write(&mut self.out).map_err(RecordError::io("write", &self.path))?;
        self.len += len;
        Ok(())
    }

    /// Replaces bytes that were written before; the end stays where it is.
    pub fn overwrite(&mut self, at: u64, bytes: &[u8]) -> Result<(), RecordError> {
        self.flush()?;
        let file = self.out.get_mut();
        let written = file.seek(SeekFrom::Start(at)).and_then(|_| file.write_all(bytes));
        let back = file.seek(SeekFrom::Start(self.len));
        written.and(back.map(|_| ())).map_err(RecordError::io("write", &self.path))
    }

    /// Flushes the buffer to the system.
    pub fn flush(&mut self) -> Result<(), RecordError> {
        self.out.flush().map_err(RecordError::io("write", &self.path))
    }

    /// Waits until all is on the disk.
    pub fn sync(&mut self) -> Result<(), RecordError> {
        self.flush()?;
        self.out.get_ref().sync_data().map_err(RecordError::io("write", &self.path))
    }
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
