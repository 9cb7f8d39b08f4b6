//! NumPy arrays of `f64` that grow by rows: `positions.npy` of shape (frames, particles, 3) in metres and `times.npy` of shape
//! (frames,) in seconds. Version 1.0 of the format: magic, length of the header, a Python dictionary padded with blanks to 128
//! bytes in all, then the numbers, little endian. The number of rows in the header follows every row, so that the file of a killed run, and
//! one on a full disk, shows the rows that it holds.

use std::io::Read;
use std::path::Path;

use bytemuck::NoUninit;
use pliant_core::{Fields, State};

use crate::append::{AppendFile, not_resumable};
use crate::checksum::Checksum;
use crate::error::RecordError;
use crate::formats::{FrameWriter, Opening};
use crate::little_endian::write_words;
use crate::manifest::{Grown, Written};

const HEADER_BYTES: usize = 128;
const PREFIX: &[u8] = b"\x93NUMPY\x01\x00\x76\x00{'descr': '<f8', 'fortran_order': False, 'shape': (";

/// An array that grows along its first axis.
pub struct NpyFile {
    file: AppendFile,
    /// The other axes.
    row: Vec<usize>,
}

impl NpyFile {
    /// An array without rows; replaces an existing file; `row` is the shape of one row.
    pub fn create(path: &Path, row: &[usize]) -> Result<Self, RecordError> {
        Ok(Self { file: AppendFile::create(path, &header(0, row))?, row: row.to_vec() })
    }

    /// Continues an array that was `len` bytes long; later rows are truncated.
    pub fn resume(path: &Path, len: u64, row: &[usize]) -> Result<Self, RecordError> {
        let (file, ()) = AppendFile::resume(path, len, HEADER_BYTES as u64, |file| {
            let mut start = [0; PREFIX.len()];
            let ours = file.read_exact(&mut start).is_ok() && start == *PREFIX;
            let whole = len.checked_sub(HEADER_BYTES as u64).is_some_and(|body| body % row_bytes(row).max(1) == 0);
            match ours && whole {
                true => Ok(()),
                false => Err(not_resumable(path, format!("it is not an array with a row that ends at byte {len}"))),
            }
        })?;
        let mut npy = Self { file, row: row.to_vec() };
        npy.patch()?;
        Ok(npy)
    }

    /// Appends one row of `f64` or vectors, then counts it in the header.
    pub fn push<T: NoUninit>(&mut self, values: &[T]) -> Result<(), RecordError> {
        let (found, expected) = (size_of_val(values), row_bytes(&self.row) as usize);
        if found != expected {
            let path = self.file.path().to_owned();
            return Err(RecordError::Shape { path, what: "numbers", found: found / 8, expected: expected / 8 });
        }
        self.file.append(|out| write_words(out, values))?;
        self.patch()
    }

    /// Waits until all is on the disk; before a checkpoint that stores [`NpyFile::len`].
    pub fn sync(&mut self) -> Result<(), RecordError> {
        self.file.sync()
    }

    /// What a checkpoint stores of it.
    pub fn grown(&self, name: &str) -> Grown {
        self.file.grown(name)
    }

    /// Length and hash of the whole file, which is read back.
    pub fn checksum(&mut self) -> Result<Checksum, RecordError> {
        self.file.checksum()
    }

    /// Bytes so far, those in the buffer included.
    #[allow(clippy::len_without_is_empty)] // there is always a header
    pub fn len(&self) -> u64 {
        self.file.len()
    }

    fn patch(&mut self) -> Result<(), RecordError> {
        self.file.flush()?;
        let rows = (self.file.len() - HEADER_BYTES as u64) / row_bytes(&self.row).max(1);
        self.file.set_head(&header(rows, &self.row))
    }
}

fn row_bytes(row: &[usize]) -> u64 {
    row.iter().product::<usize>() as u64 * size_of::<f64>() as u64
}

fn header(rows: u64, row: &[usize]) -> Vec<u8> {
    let row: Vec<String> = row.iter().map(usize::to_string).collect();
    let mut bytes = PREFIX.to_vec();
    // A tuple of one number needs its comma.
    bytes.extend(format!("{rows}, {}), }}", row.join(", ")).replace(", )", ",)").into_bytes());
    // Two axes of 20 digits each fit with room to spare.
    bytes.resize(HEADER_BYTES - 1, b' ');
    bytes.push(b'\n');
    bytes
}

/// `positions.npy` and `times.npy` in the folder of a result.
pub struct NpyFrames {
    positions: NpyFile,
    times: NpyFile,
}

impl NpyFrames {
    const POSITIONS: &str = "positions.npy";
    const TIMES: &str = "times.npy";

    /// Opens the files of a new run or of a checkpoint.
    pub fn open(opening: &Opening) -> Result<Self, RecordError> {
        let open = |name: &str, row: &[usize]| match opening.file(name) {
            (path, None) => NpyFile::create(&path, row),
            (path, Some(length)) => NpyFile::resume(&path, length, row),
        };
        let positions = open(Self::POSITIONS, &[opening.system.len(), 3])?;
        Ok(Self { positions, times: open(Self::TIMES, &[])? })
    }

    fn files(&mut self) -> [(&'static str, &mut NpyFile); 2] {
        [(Self::POSITIONS, &mut self.positions), (Self::TIMES, &mut self.times)]
    }
}

impl FrameWriter for NpyFrames {
    fn frame(&mut self, _k: u64, state: &State, _fields: &Fields) -> Result<Vec<Written>, RecordError> {
        self.positions.push(&state.x)?;
        self.times.push(&[state.time])?;
        Ok(Vec::new())
    }

    fn sync(&mut self, files: &mut Vec<Grown>) -> Result<(), RecordError> {
        for (name, file) in self.files() {
            file.sync()?;
            files.push(file.grown(name));
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<Vec<Written>, RecordError> {
        self.files().into_iter().map(|(name, file)| Ok(file.checksum()?.named(name))).collect()
    }
}
