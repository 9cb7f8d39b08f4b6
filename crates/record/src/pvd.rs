//! `frames.pvd`: the list of frames with their true times that ParaView opens. It is valid XML after every frame, although no frame
//! rewrites it: the new entry and the closing tags go over the old closing tags in one write. The VTU file must be complete before
//! its entry is pushed.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::Xxh3;

use crate::append::{must_be_there, not_resumable, open_grown};
use crate::checksum::{Checksum, hash_part};
use crate::error::RecordError;
use crate::manifest::Grown;

const HEADER: &str = "<?xml version=\"1.0\"?>\n\
    <VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n\
    \x20 <Collection>\n";
const FOOTER: &str = "  </Collection>\n</VTKFile>\n";

/// A list of frames that grows.
pub struct PvdFile {
    path: PathBuf,
    file: File,
    /// Closing tags included.
    len: u64,
    /// Of everything before the closing tags.
    hash: Xxh3,
}

impl PvdFile {
    /// A list without frames; replaces an existing one.
    pub fn create(path: &Path) -> Result<Self, RecordError> {
        let mut file = File::create(path).map_err(RecordError::io("create", path))?;
        let text = format!("{HEADER}{FOOTER}");
        file.write_all(text.as_bytes()).map_err(RecordError::io("write", path))?;
        let mut hash = Xxh3::new();
        hash.update(HEADER.as_bytes());
        Ok(Self { path: path.to_owned(), file, len: text.len() as u64, hash })
    }

    /// Continues a list that was `len` bytes long; later frames are truncated.
    pub fn resume(path: &Path, len: u64) -> Result<Self, RecordError> {
        // Later frames lie over the closing tags that were at `len`, so only what is before them is still there.
        let end = len.saturating_sub(FOOTER.len() as u64);
        let mut file = open_grown(path, end)?;
        if !ends_an_entry(&mut file, end).map_err(RecordError::io("resume", path))? {
            return Err(not_resumable(
                path,
                format!("it is not a list of frames with an entry that ends at byte {end}"),
            ));
        }
        let hash = hash_part(&mut file, 0..end).map_err(RecordError::io("resume", path))?.hash;
        let mut pvd = Self { path: path.to_owned(), file, len, hash };
        pvd.close().map_err(RecordError::io("resume", path))?;
        Ok(pvd)
    }

    /// Adds a frame: its time in seconds and its file, relative to this one's folder.
    pub fn push(&mut self, time: f64, file: &str) -> Result<(), RecordError> {
        let file = escape(file);
        let entry = format!("    <DataSet timestep=\"{time}\" group=\"\" part=\"0\" file=\"{file}\"/>\n");
        let text = format!("{entry}{FOOTER}");
        let start = SeekFrom::Start(self.len - FOOTER.len() as u64);
        let written = self.file.seek(start).and_then(|_| self.file.write_all(text.as_bytes()));
        if let Err(error) = written {
            // The old closing tags had their place on the disk already, so they can go back even when it is full.
            let _ = self.close();
            return Err(RecordError::io("write", &self.path)(error));
        }
        self.len += entry.len() as u64;
        self.hash.update(entry.as_bytes());
        Ok(())
    }

    /// Waits until all is on the disk; before a checkpoint that stores [`PvdFile::len`].
    pub fn sync(&mut self) -> Result<(), RecordError> {
        self.file.sync_data().map_err(RecordError::io("write", &self.path))?;
        must_be_there(&self.path, self.len)
    }

    /// What a checkpoint stores of it.
    pub fn grown(&self, name: &str) -> Grown {
        let end = self.len - FOOTER.len() as u64;
        Grown { name: name.into(), len: self.len, fixed: 0..end, hash: self.hash.digest() }
    }

    /// Length and hash of the whole file.
    pub fn checksum(&self) -> Checksum {
        let mut hash = self.hash.clone();
        hash.update(FOOTER.as_bytes());
        Checksum { bytes: self.len, hash: hash.digest() }
    }

    /// Bytes so far, the closing tags included.
    #[allow(clippy::len_without_is_empty)] // there are always tags
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Puts the closing tags where they belong at `len`, and nothing after them.
    fn close(&mut self) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(self.len - FOOTER.len() as u64))?;
        self.file.write_all(FOOTER.as_bytes())?;
        self.file.set_len(self.len)
    }
}

/// Whether the file begins as ours do and a line ends at byte `end`.
fn ends_an_entry(file: &mut File, end: u64) -> io::Result<bool> {
    if end < HEADER.len() as u64 {
        return Ok(false);
    }
    let mut head = [0; HEADER.len()];
    file.read_exact(&mut head)?;
    let mut last = [0];
    file.seek(SeekFrom::Start(end - 1))?;
    file.read_exact(&mut last)?;
    Ok(head == HEADER.as_bytes() && last == *b"\n")
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
