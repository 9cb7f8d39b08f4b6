//! Everything that a run needs to go on as if it had not stopped: one [`Point`], the controller's state as plain numbers, and the
//! lengths and hashes of the output files.
//!
//! Layout, little endian: `PLIANTCP`, version `u32`, payload length `u64`, XXH3-64 of the payload `u64`, payload, nothing else. In the
//! payload every array has its length in front as `u64`. Numbers are stored as bits, so NaN survives with its payload.
//!
//! The file may come from anywhere, truncated or altered: every length is checked against the remaining bytes before memory is allocated. The
//! checksum guards against accidents, not against intent; a forged file gives a well-formed but meaningless point.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use bytemuck::{AnyBitPattern, NoUninit};
use pliant_core::{Memory, Point, State};
use xxhash_rust::xxh3::xxh3_64;

use crate::atomic::write_hashed;
use crate::checksum::{Checksum, Tally};
use crate::error::RecordError;
use crate::little_endian::{read_words, write_words};
use crate::manifest::Grown;

const MAGIC: [u8; 8] = *b"PLIANTCP";
/// 2: the numbers include the state of models and the energy of projection. 3: also the energy of fracture. 5: edits are listed. 7: also the energy
/// that was available to move. 8: also the work of colliders, the pace, and hashes of the output files. 9: also the work of loads.
const VERSION: u32 = 9;
const HEADER_BYTES: usize = 28;

/// A run at one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Checkpoint {
    /// Fingerprint of the scene as run; a checkpoint resumes no other.
    pub fingerprint: u64,
    /// State, force and the integrator's history.
    pub point: Point,
    /// State of the controller and of the loop, in an order of their own.
    pub numbers: Vec<f64>,
    /// Counters of steps, frames and work, in an order of their own.
    pub counts: Vec<u64>,
    /// Every output file that grows.
    pub files: Vec<Grown>,
    /// Changes made to the scene while it ran: when, s, and what, as `--set` takes it. The fingerprint is that of the scene with all of them.
    pub edits: Vec<(f64, String)>,
    /// Notes in plain language, for example the instruction level.
    pub note: String,
}

impl Checkpoint {
    /// Writes the checkpoint and waits until it is on the disk; the old file survives any failure. Returns length and hash of the file.
    pub fn save(&self, path: &Path) -> Result<Checksum, RecordError> {
        let expected = self.point.state.len();
        if let Some((what, found)) = odd_length(&self.point) {
            return Err(RecordError::Shape { path: path.to_owned(), what, found, expected });
        }
        let mut tally = Tally::new(io::sink());
        self.encode(&mut tally).map_err(RecordError::io("write", path))?;
        let payload = tally.checksum();
        write_hashed(path, true, |out| {
            out.write_all(&MAGIC)?;
            out.write_all(&VERSION.to_le_bytes())?;
            out.write_all(&payload.bytes.to_le_bytes())?;
            out.write_all(&payload.hash.to_le_bytes())?;
            self.encode(out)
        })
    }

    /// Reads a checkpoint of the scene with this fingerprint. The number of particles is checked by the system.
    pub fn load(path: &Path, fingerprint: u64) -> Result<Self, RecordError> {
        let checkpoint = Self::read(path)?;
        checkpoint.must_be_of(fingerprint, path)?;
        Ok(checkpoint)
    }

    /// Reads a checkpoint of any scene: which one it is may be known only with its edits.
    pub fn read(path: &Path) -> Result<Self, RecordError> {
        let damaged = |why: &str| RecordError::Damaged { path: path.to_owned(), why: why.into() };
        decode(&read_payload(path)?).map_err(damaged)
    }

    /// Rejects the checkpoint of another scene; `path` is its file.
    pub fn must_be_of(&self, fingerprint: u64, path: &Path) -> Result<(), RecordError> {
        if self.fingerprint == fingerprint {
            return Ok(());
        }
        Err(RecordError::Foreign { path: path.to_owned(), found: self.fingerprint, expected: fingerprint })
    }

    fn encode(&self, out: &mut dyn Write) -> io::Result<()> {
        let Point { state, force, force_known, memory } = &self.point;
        write_words(out, &[self.fingerprint])?;
        write_words(out, &[state.time])?;
        write_array(out, &state.x)?;
        write_array(out, &state.v)?;
        write_array(out, force)?;
        out.write_all(&[u8::from(*force_known)])?;
        write_words(out, &[memory.vectors.len() as u64])?;
        memory.vectors.iter().try_for_each(|vectors| write_array(out, vectors))?;
        write_array(out, &memory.scalars)?;
        write_array(out, &self.numbers)?;
        write_array(out, &self.counts)?;
        write_words(out, &[self.files.len() as u64])?;
        for Grown { name, len, fixed, hash } in &self.files {
            write_text(out, name)?;
            write_words(out, &[*len, fixed.start, fixed.end, *hash])?;
        }
        write_words(out, &[self.edits.len() as u64])?;
        for (time, assignment) in &self.edits {
            write_words(out, &[*time])?;
            write_text(out, assignment)?;
        }
        write_text(out, &self.note)
    }
}

/// An array of the point that is not as long as the positions, with its length.
fn odd_length(point: &Point) -> Option<(&'static str, usize)> {
    let count = point.state.len();
    let arrays = [("velocities", point.state.v.len()), ("forces", point.force.len())];
    arrays.into_iter().find(|(_, len)| *len != count)
}

fn write_array<T: NoUninit>(out: &mut dyn Write, values: &[T]) -> io::Result<()> {
    write_words(out, &[values.len() as u64])?;
    write_words(out, values)
}

fn write_text(out: &mut dyn Write, text: &str) -> io::Result<()> {
    write_words(out, &[text.len() as u64])?;
    out.write_all(text.as_bytes())
}

/// The payload of a file with a valid header, length and checksum.
fn read_payload(path: &Path) -> Result<Vec<u8>, RecordError> {
    let doing = || RecordError::io("read", path);
    let damaged = |why: String| RecordError::Damaged { path: path.to_owned(), why };
    let truncated = |found, needed| RecordError::Truncated { path: path.to_owned(), found, needed };
    let mut file = File::open(path).map_err(doing())?;
    let found = file.metadata().map_err(doing())?.len();

    let mut header = Vec::with_capacity(HEADER_BYTES);
    Read::by_ref(&mut file).take(HEADER_BYTES as u64).read_to_end(&mut header).map_err(doing())?;
    if !header.starts_with(&MAGIC[..header.len().min(MAGIC.len())]) {
        return Err(RecordError::NotACheckpoint { path: path.to_owned() });
    }
    let Ok(header) = <[u8; HEADER_BYTES]>::try_from(header) else {
        return Err(truncated(found, HEADER_BYTES as u64));
    };
    let version = u32::from_le_bytes(part(&header, 8));
    if version != VERSION {
        return Err(RecordError::WrongVersion { path: path.to_owned(), found: version, known: VERSION });
    }
    let len = u64::from_le_bytes(part(&header, 12));
    let needed = len.saturating_add(HEADER_BYTES as u64);
    if found < needed {
        return Err(truncated(found, needed));
    }
    if found > needed {
        return Err(damaged(format!("{} bytes follow its end", found - needed)));
    }

    let mut payload = Vec::new();
    let room = usize::try_from(len).is_ok_and(|len| payload.try_reserve_exact(len).is_ok());
    if !room {
        return Err(doing()(io::ErrorKind::OutOfMemory.into()));
    }
    file.take(len).read_to_end(&mut payload).map_err(doing())?;
    if (payload.len() as u64) < len {
        return Err(truncated((HEADER_BYTES + payload.len()) as u64, needed));
    }
    if xxh3_64(&payload) != u64::from_le_bytes(part(&header, 20)) {
        return Err(damaged("its checksum does not fit its contents".into()));
    }
    Ok(payload)
}

fn part<const N: usize>(header: &[u8; HEADER_BYTES], at: usize) -> [u8; N] {
    std::array::from_fn(|i| header[at + i])
}

/// The contents of a payload, or why it is invalid.
fn decode(payload: &[u8]) -> Result<Checkpoint, &'static str> {
    let mut rest = Payload(payload);
    let fingerprint = rest.word()?;
    let state = State { time: rest.word()?, x: rest.array()?, v: rest.array()? };
    let force = rest.array()?;
    let force_known = match rest.take(1)? {
        [0] => false,
        [1] => true,
        _ => return Err("a flag is neither 0 nor 1"),
    };
    // A vector takes at least its length's 8 bytes, an edit 16, a file 40.
    let vectors = (0..rest.count(8)?).map(|_| rest.array()).collect::<Result<_, _>>()?;
    let memory = Memory { vectors, scalars: rest.array()? };
    let (numbers, counts) = (rest.array()?, rest.array()?);
    let files = (0..rest.count(40)?).map(|_| rest.grown()).collect::<Result<_, &'static str>>()?;
    let edits = (0..rest.count(16)?).map(|_| Ok((rest.word()?, rest.text()?))).collect::<Result<_, &'static str>>()?;
    let note = rest.text()?;
    if !rest.0.is_empty() {
        return Err("its payload is longer than its parts");
    }
    let point = Point { state, force, force_known, memory };
    if odd_length(&point).is_some() {
        return Err("its positions, velocities and forces are not equally many");
    }
    Ok(Checkpoint { fingerprint, point, numbers, counts, files, edits, note })
}

/// The remaining bytes.
struct Payload<'a>(&'a [u8]);

impl<'a> Payload<'a> {
    fn take(&mut self, bytes: usize) -> Result<&'a [u8], &'static str> {
        let (taken, rest) = self.0.split_at_checked(bytes).ok_or("its payload is shorter than its parts")?;
        self.0 = rest;
        Ok(taken)
    }

    /// One `u64` or `f64`.
    fn word<T: NoUninit + AnyBitPattern>(&mut self) -> Result<T, &'static str> {
        let mut value = [T::zeroed()];
        read_words(&mut self.take(size_of::<T>())?, &mut value).map_err(|_| "a number is cut short")?;
        Ok(value[0])
    }

    /// A length for which the remaining bytes suffice, at `size` bytes each at least.
    fn count(&mut self, size: usize) -> Result<usize, &'static str> {
        let count = usize::try_from(self.word::<u64>()?).ok().filter(|count| *count <= self.0.len() / size);
        count.ok_or("it claims more than it holds")
    }

    fn array<T: NoUninit + AnyBitPattern>(&mut self) -> Result<Vec<T>, &'static str> {
        let count = self.count(size_of::<T>())?;
        let mut values = vec![T::zeroed(); count];
        read_words(&mut self.take(count * size_of::<T>())?, &mut values).map_err(|_| "an array is cut short")?;
        Ok(values)
    }

    fn grown(&mut self) -> Result<Grown, &'static str> {
        let name = self.text()?;
        Ok(Grown { name, len: self.word()?, fixed: self.word()?..self.word()?, hash: self.word()? })
    }

    fn text(&mut self) -> Result<String, &'static str> {
        let count = self.count(1)?;
        String::from_utf8(self.take(count)?.to_vec()).map_err(|_| "a text is not UTF-8")
    }
}
