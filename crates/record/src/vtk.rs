//! Frames for ParaView and everything else that reads VTK's XML files: one `.vtu` per frame ([`VtuWriter`]) and a `.pvd` that lists
//! them with their times ([`PvdFile`]).
//!
//! A frame is an UnstructuredGrid of one piece: every edge of every body is a line (type 3), in the order of the bodies, then every
//! triangle of every body (type 5), then every particle without either is a vertex (type 1). Points keep the order of the particles. The arrays follow the XML as raw
//! little-endian bytes, each behind its length in bytes as `u64`. Only time, positions, velocities and fields change from frame to frame:
//! positions and velocities come first, fields last, and all that lies between is assembled once. Fields are `density` (kg/m³) and
//! `pressure` (Pa) where there are fluids; they are zero for particles of other bodies.

use std::io::{self, Write};
use std::path::Path;

use bytemuck::NoUninit;
use glam::DVec3;
use pliant_core::{Field, Fields, State, System};

use crate::atomic::write_hashed;
use crate::checksum::Checksum;
use crate::error::RecordError;
use crate::formats::{FrameWriter, Opening, check_fields};
use crate::little_endian::write_words;
use crate::manifest::{Grown, Written};

pub use crate::pvd::PvdFile;

pub(crate) const LINE: u8 = 3;
pub(crate) const TRIANGLE: u8 = 5;
pub(crate) const VERTEX: u8 = 1;

/// Writes the frames of one system.
pub struct VtuWriter {
    count: usize,
    /// XML between the time and the arrays, up to where tags of fields go, and from there on.
    middle: [String; 2],
    /// The arrays that never change.
    tail: Arrays,
    /// The first edge to a particle that does not exist: every frame is refused with its name.
    bad_edge: Option<(String, u32)>,
}

/// Writes one frame; for more than one, a [`VtuWriter`] saves the preparation.
pub fn write_vtu(path: &Path, system: &System, state: &State) -> Result<(), RecordError> {
    VtuWriter::new(system).write(path, state, &Fields::default()).map(|_| ())
}

impl VtuWriter {
    /// Assembles what all frames share.
    pub fn new(system: &System) -> Self {
        let count = system.len();
        let cells = Cells::of(system);
        let mut body = vec![-1_i32; count];
        for (number, group) in (0..).zip(system.bodies()) {
            let end = group.particles.end.min(count);
            body[group.particles.start.min(end)..end].fill(number);
        }
        let pinned: Vec<u8> = system.free().iter().map(|free| u8::from(!free)).collect();

        let mut arrays = Arrays::default();
        let points = arrays.declare("Float64", "Points", 3, count * size_of::<DVec3>());
        let velocity = arrays.declare("Float64", "velocity", 3, count * size_of::<DVec3>());
        let id = arrays.add("Int64", "id", &(0..count as i64).collect::<Vec<_>>(), |v| v.to_le_bytes());
        let body = arrays.add("Int32", "body", &body, |v| v.to_le_bytes());
        let pinned = arrays.add("UInt8", "pinned", &pinned, |v| v.to_le_bytes());
        let mass = arrays.add("Float64", "mass", system.masses(), |v| v.to_le_bytes());
        let connectivity = arrays.add("Int64", "connectivity", &cells.connectivity, |v| v.to_le_bytes());
        let offsets = arrays.add("Int64", "offsets", &cells.offsets, |v| v.to_le_bytes());
        let types = arrays.add("UInt8", "types", &cells.types, |v| v.to_le_bytes());
        let number_of_cells = cells.types.len();

        let head = format!(
            "</DataArray>\n    </FieldData>\n    \
             <Piece NumberOfPoints=\"{count}\" NumberOfCells=\"{number_of_cells}\">\n      \
             <PointData Vectors=\"velocity\">\n{velocity}{id}{body}{pinned}{mass}"
        );
        let rest = format!(
            "      </PointData>\n      \
             <Points>\n{points}      </Points>\n      \
             <Cells>\n{connectivity}{offsets}{types}      </Cells>\n    \
             </Piece>\n  </UnstructuredGrid>\n  <AppendedData encoding=\"raw\">\n_"
        );
        Self { count, middle: [head, rest], tail: arrays, bad_edge: cells.bad }
    }

    /// Writes one frame; the old file survives any failure. Returns length and hash of the file.
    pub fn write(&self, path: &Path, state: &State, fields: &Fields) -> Result<Checksum, RecordError> {
        if let Some((body, particle)) = &self.bad_edge {
            let (path, body) = (path.to_owned(), body.clone());
            return Err(RecordError::BadEdge { path, body, particle: *particle, count: self.count });
        }
        for (what, vectors) in [("particles", &state.x), ("velocities", &state.v)] {
            if vectors.len() != self.count {
                let path = path.to_owned();
                return Err(RecordError::Shape { path, what, found: vectors.len(), expected: self.count });
            }
        }
        check_fields(path, fields, self.count)?;
        let mut places = Arrays { offset: self.tail.offset, bytes: Vec::new() };
        let tag = |field: &Field| places.declare("Float64", field.name, 1, size_of_val(&field.values[..]));
        let tags: String = fields.all().iter().map(tag).collect();
        write_hashed(path, false, |out| {
            // Shortest digits that read back to the same bits.
            write!(out, "{HEAD}{}{}{tags}{}", state.time, self.middle[0], self.middle[1])?;
            write_block(out, &state.x)?;
            write_block(out, &state.v)?;
            out.write_all(&self.tail.bytes)?;
            fields.all().iter().try_for_each(|field| write_block(out, &field.values))?;
            out.write_all(b"\n  </AppendedData>\n</VTKFile>\n")
        })
    }
}

/// `frames/frame_00000.vtu`, … and `frames.pvd` in the folder of a result.
pub struct VtuFrames {
    folder: std::path::PathBuf,
    writer: VtuWriter,
    pvd: PvdFile,
}

impl VtuFrames {
    const FOLDER: &str = "frames";
    const PVD: &str = "frames.pvd";

    /// Opens the files of a new run or of a checkpoint.
    pub fn open(opening: &Opening) -> Result<Self, RecordError> {
        opening.subfolder(Self::FOLDER)?;
        let (path, length) = opening.file(Self::PVD);
        let pvd = length.map_or_else(|| PvdFile::create(&path), |length| PvdFile::resume(&path, length))?;
        Ok(Self { folder: opening.folder.to_owned(), writer: VtuWriter::new(opening.system), pvd })
    }
}

impl FrameWriter for VtuFrames {
    fn frame(&mut self, k: u64, state: &State, fields: &Fields) -> Result<Vec<Written>, RecordError> {
        let file = format!("{}/frame_{k:05}.vtu", Self::FOLDER);
        let sum = self.writer.write(&self.folder.join(&file), state, fields)?;
        self.pvd.push(state.time, &file)?;
        Ok(vec![sum.named(file)])
    }

    fn sync(&mut self, files: &mut Vec<Grown>) -> Result<(), RecordError> {
        self.pvd.sync()?;
        files.push(self.pvd.grown(Self::PVD));
        Ok(())
    }

    fn finish(&mut self) -> Result<Vec<Written>, RecordError> {
        Ok(vec![self.pvd.checksum().named(Self::PVD)])
    }
}

const HEAD: &str = "<?xml version=\"1.0\"?>\n\
    <VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n\
    \x20 <UnstructuredGrid>\n    <FieldData>\n      \
    <DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">";

fn write_block<T: NoUninit>(out: &mut dyn Write, vectors: &[T]) -> io::Result<()> {
    out.write_all(&(size_of_val(vectors) as u64).to_le_bytes())?;
    write_words(out, vectors)
}

/// The arrays behind the XML: where the next one begins, and the bytes of those that never change.
#[derive(Default)]
struct Arrays {
    offset: usize,
    bytes: Vec<u8>,
}

impl Arrays {
    /// Reserves the place of an array and returns its tag.
    fn declare(&mut self, kind: &str, name: &str, components: usize, bytes: usize) -> String {
        let offset = self.offset;
        self.offset += size_of::<u64>() + bytes;
        // One component goes without saying: some readers make a column of an array that says it.
        let components = if components == 1 { String::new() } else { format!(" NumberOfComponents=\"{components}\"") };
        format!(
            "        <DataArray type=\"{kind}\" Name=\"{name}\"{components} format=\"appended\" offset=\"{offset}\"/>\n"
        )
    }

    /// Stores an array that never changes and returns its tag.
    fn add<T: NoUninit, const N: usize>(
        &mut self,
        kind: &str,
        name: &str,
        values: &[T],
        to_bytes: impl Fn(T) -> [u8; N],
    ) -> String {
        self.bytes.extend_from_slice(&(size_of_val(values) as u64).to_le_bytes());
        self.bytes.extend(values.iter().flat_map(|value| to_bytes(*value)));
        self.declare(kind, name, 1, size_of_val(values))
    }
}

/// Cells: lines, then triangles, then vertices.
#[derive(Default)]
struct Cells {
    connectivity: Vec<i64>,
    offsets: Vec<i64>,
    types: Vec<u8>,
    bad: Option<(String, u32)>,
}

impl Cells {
    fn of(system: &System) -> Self {
        let count = system.len();
        let mut cells = Self::default();
        let mut alone = vec![true; count];
        for body in system.bodies() {
            body.edges.iter().for_each(|edge| cells.add(LINE, edge, &body.name, &mut alone));
        }
        for body in system.bodies() {
            body.triangles.iter().for_each(|corners| cells.add(TRIANGLE, corners, &body.name, &mut alone));
        }
        for (particle, _) in alone.iter().enumerate().filter(|(_, alone)| **alone) {
            cells.push(VERTEX, [particle as i64]);
        }
        cells
    }

    /// Adds a cell and marks its particles as used, or notes the first one out of range.
    fn add<const N: usize>(&mut self, kind: u8, particles: &[u32; N], body: &str, alone: &mut [bool]) {
        if let Some(particle) = particles.iter().find(|particle| **particle as usize >= alone.len()) {
            self.bad.get_or_insert_with(|| (body.to_owned(), *particle));
            return;
        }
        particles.iter().for_each(|particle| alone[*particle as usize] = false);
        self.push(kind, particles.map(i64::from));
    }

    fn push<const N: usize>(&mut self, kind: u8, particles: [i64; N]) {
        self.connectivity.extend(particles);
        self.offsets.push(self.connectivity.len() as i64);
        self.types.push(kind);
    }
}
