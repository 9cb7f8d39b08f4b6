//! `manifest.txt`: the files of a result, a line each with the XXH3-64 hash of the bytes, their number, and the name. It grows during a run, and at
//! its end the files that grew until then follow, and a last line with hash and number of the bytes of the lines before: with it the list is
//! complete. Files that still grow are in the checkpoint ([`Grown`]).

use std::fmt;
use std::ops::Range;
use std::path::Path;

use pliant_mesh::regular;

use crate::append::{AppendFile, lost};
use crate::atomic::write_atomic;
use crate::checksum::Checksum;
use crate::error::RecordError;

/// Its name in the folder of a result.
pub const MANIFEST: &str = "manifest.txt";
const HEADER: &str = "# XXH3-64, bytes and name of every file of this result: `pliant verify` compares\n";

/// A complete file of a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// Its name within the folder of the result.
    pub name: String,
    /// Of its bytes.
    pub sum: Checksum,
}

/// A growing file at a checkpoint.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grown {
    /// Its name within the folder of the result.
    pub name: String,
    /// Its length.
    pub len: u64,
    /// The bytes that do not change when it grows.
    pub fixed: Range<u64>,
    /// XXH3-64 of those.
    pub hash: u64,
}

/// A file that is not as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// Its name within the folder of the result.
    pub name: String,
    /// `is missing`, …
    pub what: String,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.name, self.what)
    }
}

impl Checksum {
    /// As that of a file.
    pub fn named(self, name: impl Into<String>) -> Written {
        Written { name: name.into(), sum: self }
    }
}

impl Written {
    /// What is wrong with the file, if anything is.
    pub fn damage(&self, folder: &Path) -> Option<Damage> {
        let path = folder.join(&self.name);
        self.damage_by_length(folder).or_else(|| damage(&self.name, self.sum, Checksum::of_file(&path)))
    }

    /// The same without reading the file.
    pub fn damage_by_length(&self, folder: &Path) -> Option<Damage> {
        let found = std::fs::metadata(folder.join(&self.name)).ok().map(|found| found.len());
        let what = match found {
            None => "is missing".to_owned(),
            Some(found) if found == self.sum.bytes => return None,
            Some(found) => format!("has {found} bytes instead of {}", self.sum.bytes),
        };
        Some(Damage { name: self.name.clone(), what })
    }

    fn line(&self) -> String {
        format!("{:016x} {} {}\n", self.sum.hash, self.sum.bytes, self.name)
    }

    fn parse(line: &str) -> Option<Self> {
        let mut words = line.splitn(3, ' ');
        let hash = words.next().and_then(|hash| u64::from_str_radix(hash, 16).ok())?;
        let bytes = words.next()?.parse().ok()?;
        Some(Checksum { bytes, hash }.named(words.next()?))
    }
}

impl Grown {
    /// What is wrong with what the file held at the checkpoint, if anything is. It may have grown since.
    pub fn damage(&self, folder: &Path) -> Option<Damage> {
        let path = folder.join(&self.name);
        let what = match std::fs::metadata(&path) {
            Err(_) => "is missing".to_owned(),
            Ok(found) if found.is_file() && found.len() < self.fixed.end => {
                format!("has {} bytes, but had {} at the checkpoint", found.len(), self.len)
            }
            Ok(_) => {
                let sum = Checksum { bytes: self.fixed.end.saturating_sub(self.fixed.start), hash: self.hash };
                return damage(&self.name, sum, Checksum::of_part(&path, self.fixed.clone()));
            }
        };
        Some(Damage { name: self.name.clone(), what })
    }
}

fn damage(name: &str, expected: Checksum, found: Result<Checksum, RecordError>) -> Option<Damage> {
    let what = match found {
        Ok(found) if found == expected => return None,
        Ok(_) => "was changed: its bytes are not those that were written".to_owned(),
        Err(RecordError::Io { error, .. }) => format!("cannot be read: {error}"),
        Err(error) => error.to_string(),
    };
    Some(Damage { name: name.to_owned(), what })
}

/// The manifest of a run in progress.
pub struct Manifest(AppendFile);

impl Manifest {
    /// That of a new run, or that of a checkpoint, truncated to its length at that time.
    pub fn open(folder: &Path, len: Option<u64>) -> Result<Self, RecordError> {
        let path = folder.join(MANIFEST);
        if let Some(len) = len {
            return Ok(Self(AppendFile::resume(&path, len, 0, |_| Ok(()))?.0));
        }
        let mut file = AppendFile::create(&path, &[])?;
        file.append(|out| out.write_all(HEADER.as_bytes()))?;
        file.flush()?;
        Ok(Self(file))
    }

    /// Adds files that are complete.
    pub fn add(&mut self, files: &[Written]) -> Result<(), RecordError> {
        files.iter().try_for_each(|written| self.0.append(|out| out.write_all(written.line().as_bytes())))?;
        self.0.flush()
    }

    /// Waits until all is on the disk.
    pub fn sync(&mut self) -> Result<Grown, RecordError> {
        self.0.sync()?;
        Ok(self.0.grown(MANIFEST))
    }

    /// Checks that all files that were added are there, and ends the list with `last`, which may be yet to be written.
    pub fn complete(&mut self, folder: &Path, last: &Written) -> Result<(), RecordError> {
        self.0.sync()?;
        let files = read_part(folder, self.0.len())?;
        let mut gone = files.iter().filter_map(|written| written.damage_by_length(folder));
        if let Some(Damage { name, what }) = gone.next() {
            let more = gone.count();
            let why =
                if more > 0 { format!("{what}, and {more} more files are not as they were written") } else { what };
            return Err(lost(&folder.join(name), why));
        }
        self.add(std::slice::from_ref(last))?;
        let seal = self.0.checksum()?.named(MANIFEST);
        self.add(&[seal])?;
        self.0.sync()
    }
}

/// The files of a complete result; `None` where the list has no end yet.
pub fn read(folder: &Path) -> Result<Option<Vec<Written>>, RecordError> {
    let path = folder.join(MANIFEST);
    let text = regular::read(&path).map_err(RecordError::io("read", &path))?;
    let end = text.strip_suffix(b"\n").unwrap_or(&text).iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let (lines, last) = text.split_at(end);
    let seal = std::str::from_utf8(last).ok().and_then(|last| Written::parse(last.strip_suffix('\n')?));
    match seal.filter(|seal| seal.name == MANIFEST) {
        None => Ok(None),
        Some(seal) if seal.sum == Checksum::of(lines) => parse(folder, lines).map(Some),
        Some(_) => Err(lost(&path, "was changed: its last line does not fit the lines before")),
    }
}

/// The files in the first `len` bytes of a list.
pub fn read_part(folder: &Path, len: u64) -> Result<Vec<Written>, RecordError> {
    let path = folder.join(MANIFEST);
    let text = regular::read(&path).map_err(RecordError::io("read", &path))?;
    let len = usize::try_from(len).ok().filter(|len| *len <= text.len());
    parse(folder, &text[..len.ok_or_else(|| lost(&path, "is cut short"))?])
}

fn parse(folder: &Path, text: &[u8]) -> Result<Vec<Written>, RecordError> {
    let bad = || lost(&folder.join(MANIFEST), "is no list of files");
    let text = std::str::from_utf8(text).map_err(|_| bad())?;
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| Written::parse(line).ok_or_else(bad)).collect()
}

/// Replaces the list of a complete result.
pub fn replace(folder: &Path, files: &[Written]) -> Result<(), RecordError> {
    let text: String = std::iter::once(HEADER.to_owned()).chain(files.iter().map(Written::line)).collect();
    let seal = Checksum::of(text.as_bytes()).named(MANIFEST).line();
    write_atomic(&folder.join(MANIFEST), |out| out.write_all((text + &seal).as_bytes()))
}
