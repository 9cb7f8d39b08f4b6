//! The positions of all particles at every frame, raw, for comparing two runs of a scene. Little endian throughout: the magic
//! number and the number of particles `n` as `u64`, then for each frame its time and `3n` coordinates as `f64`.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use glam::DVec3;
use pliant_core::State;
use pliant_mesh::atomic::BUFFER;

use crate::append::{AppendFile, not_resumable};
use crate::checksum::Checksum;
use crate::error::RecordError;
use crate::little_endian::{read_words, write_words};
use crate::manifest::Grown;

const MAGIC: u64 = u64::from_le_bytes(*b"PLIANTFL");
const HEADER_BYTES: u64 = 16;

/// Bytes of one frame; `None` on overflow.
fn frame_bytes(particles: u64) -> Option<u64> {
    particles.checked_mul(size_of::<DVec3>() as u64)?.checked_add(size_of::<f64>() as u64)
}

/// A log that grows by frames.
pub struct FrameLog {
    file: AppendFile,
    particles: usize,
}

impl FrameLog {
    /// An empty log for a number of particles; replaces an existing one.
    pub fn create(path: &Path, particles: usize) -> Result<Self, RecordError> {
        let mut file = AppendFile::create(path, &[])?;
        file.append(|out| write_words(out, &[MAGIC, particles as u64]))?;
        file.flush()?;
        Ok(Self { file, particles })
    }

    /// Continues a log that was `len` bytes long; later frames are truncated.
    pub fn resume(path: &Path, len: u64) -> Result<Self, RecordError> {
        let (file, particles) = AppendFile::resume(path, len, 0, |file| {
            let whole = |particles| len.checked_sub(HEADER_BYTES)?.checked_rem(frame_bytes(particles)?);
            match read_header(file).map_err(RecordError::io("resume", path))? {
                None => Err(not_resumable(path, "it is not a frame log")),
                Some(particles) if whole(particles) == Some(0) => Ok(particles as usize),
                Some(_) => Err(not_resumable(path, format!("no frame ends at byte {len}"))),
            }
        })?;
        Ok(Self { file, particles })
    }

    /// Appends the positions of a state; they may stay in the buffer until [`FrameLog::flush`].
    pub fn push(&mut self, state: &State) -> Result<(), RecordError> {
        self.push_vectors(state.time, &[&state.x])
    }

    /// Appends a time and vectors, as many in all as the log was created for.
    pub(crate) fn push_vectors(&mut self, time: f64, parts: &[&[DVec3]]) -> Result<(), RecordError> {
        let (found, expected) = (parts.iter().map(|part| part.len()).sum(), self.particles);
        if found != expected {
            let path = self.file.path().to_owned();
            return Err(RecordError::Shape { path, what: "particles", found, expected });
        }
        self.file.append(|out| {
            write_words(out, &[time])?;
            parts.iter().try_for_each(|part| write_words(out, part))
        })
    }

    /// Flushes all frames to the system.
    pub fn flush(&mut self) -> Result<(), RecordError> {
        self.file.flush()
    }

    /// Waits until all frames are on the disk; before a checkpoint that stores [`FrameLog::len`].
    pub fn sync(&mut self) -> Result<(), RecordError> {
        self.file.sync()
    }

    /// What a checkpoint stores of it.
    pub fn grown(&self, name: &str) -> Grown {
        self.file.grown(name)
    }

    /// Length and hash of the whole file.
    pub fn checksum(&mut self) -> Result<Checksum, RecordError> {
        self.file.checksum()
    }

    /// Bytes so far, those in the buffer included.
    #[allow(clippy::len_without_is_empty)] // there is always a header
    pub fn len(&self) -> u64 {
        self.file.len()
    }
}

/// Number of particles; `None` when the file does not start like a log.
fn read_header(file: &mut impl Read) -> io::Result<Option<u64>> {
    let mut header = [0_u64; 2];
    match read_words(file, &mut header) {
        Ok(()) => Ok((header[0] == MAGIC).then_some(header[1])),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
        Err(error) => Err(error),
    }
}

/// Reads a log frame by frame, with the memory of one frame at most.
pub struct FrameLogReader {
    path: PathBuf,
    from: BufReader<File>,
    particles: usize,
    frames: u64,
    read: u64,
}

impl FrameLogReader {
    /// Opens a log. One that ends within a frame is rejected: a killed run must be resumed first.
    pub fn open(path: &Path) -> Result<Self, RecordError> {
        let bad = |why: String| RecordError::BadFrameLog { path: path.to_owned(), why };
        let file = File::open(path).map_err(RecordError::io("read", path))?;
        let len = file.metadata().map_err(RecordError::io("read", path))?.len();
        let mut from = BufReader::with_capacity(BUFFER, file);
        let header = read_header(&mut from).map_err(RecordError::io("read", path))?;
        let particles = header.ok_or_else(|| bad("one begins with the letters PLIANTFL".into()))?;
        let frame = frame_bytes(particles).ok_or_else(|| bad(format!("it claims {particles} particles")))?;
        let body = len.saturating_sub(HEADER_BYTES);
        if body % frame != 0 {
            let whole = body / frame;
            return Err(bad(format!(
                "it ends within frame {whole} ({len} bytes; {frame} a frame): the run was not finished"
            )));
        }
        // The length of a frame is checked before memory for it is allocated; without frames none is.
        let particles = usize::try_from(particles).map_err(|_| bad(format!("it claims {particles} particles")))?;
        Ok(Self { path: path.to_owned(), from, particles, frames: body / frame, read: 0 })
    }

    /// Number of particles.
    pub fn particles(&self) -> usize {
        self.particles
    }

    /// Number of frames.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// Overwrites `x` with the positions of the next frame and returns its time; `None` after the last one.
    pub fn next_frame(&mut self, x: &mut Vec<DVec3>) -> Result<Option<f64>, RecordError> {
        if self.read == self.frames {
            return Ok(None);
        }
        x.resize(self.particles, DVec3::ZERO);
        let mut time = [0.0];
        let read = read_words(&mut self.from, &mut time).and_then(|()| read_words(&mut self.from, x));
        read.map_err(RecordError::io("read", &self.path))?;
        self.read += 1;
        Ok(Some(time[0]))
    }

    /// Goes back to the first frame.
    pub fn rewind(&mut self) -> Result<(), RecordError> {
        self.from.seek(SeekFrom::Start(HEADER_BYTES)).map_err(RecordError::io("read", &self.path))?;
        self.read = 0;
        Ok(())
    }
}

/// Where two runs are farthest apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// Distance of the two positions, m; infinite where one is NaN.
    pub metres: f64,
    /// The particle.
    pub particle: usize,
    /// The frame, from 0.
    pub frame: u64,
    /// Its time, s.
    pub time: f64,
}

/// The largest distance between the positions of the same particle at the same frame of two logs, the first such place where there
/// are several; `None` when there is nothing to compare. Two NaN do not agree: they are infinitely far apart.
pub fn largest_difference(a: &Path, b: &Path) -> Result<Option<Difference>, RecordError> {
    let differ = |why: String| RecordError::Incomparable { a: a.to_owned(), b: b.to_owned(), why };
    let (mut in_a, mut in_b) = (FrameLogReader::open(a)?, FrameLogReader::open(b)?);
    if in_a.particles() != in_b.particles() {
        let (n, m) = (in_a.particles(), in_b.particles());
        return Err(differ(format!("{n} particles in the first, {m} in the second: record the same scene twice")));
    }
    if in_a.frames() != in_b.frames() {
        let (n, m) = (in_a.frames(), in_b.frames());
        return Err(differ(format!("{n} frames in the first, {m} in the second: run both to the same time and fps")));
    }
    let (mut x, mut y) = (Vec::new(), Vec::new());
    let mut largest: Option<Difference> = None;
    for frame in 0.. {
        let (Some(time), Some(other)) = (in_a.next_frame(&mut x)?, in_b.next_frame(&mut y)?) else { break };
        if time != other {
            return Err(differ(format!(
                "frame {frame} is at {time} s in the first and at {other} s in the second: use the same fps"
            )));
        }
        for (particle, (x, y)) in x.iter().zip(&y).enumerate() {
            let metres = distance(*x, *y);
            if largest.is_none_or(|far| metres > far.metres) {
                largest = Some(Difference { metres, particle, frame, time });
            }
        }
    }
    Ok(largest)
}

/// Without the squares of `DVec3::distance`, which underflow for differences below 1e-162: only equal positions may give zero.
fn distance(x: DVec3, y: DVec3) -> f64 {
    let d = x - y;
    if d.is_nan() { f64::INFINITY } else { d.x.hypot(d.y).hypot(d.z) }
}
