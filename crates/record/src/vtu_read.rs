//! Reads back the frames that [`crate::VtuWriter`] writes, and the list of them ([`read_pvd`]). Only our own files: arrays appended raw,
//! little endian, behind lengths of 64 bits. Every length and index is checked before it is used, so that a file that is cut short,
//! damaged or forged gives an error.

use std::path::{Path, PathBuf};

use glam::DVec3;
use pliant_core::{Body, Fields, State};
use pliant_mesh::mesh::ending;
use pliant_mesh::xml::attribute;
use pliant_mesh::{Attribute, Mesh, NumberKind, regular};

use crate::error::RecordError;
use crate::vtk::{LINE, TRIANGLE, VERTEX};

/// One frame of a result.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// Time, positions and velocities.
    pub state: State,
    /// Bodies by number, named `body 0`, …, with their edges and triangles; anchors and shapes are not in the file.
    pub bodies: Vec<Body>,
    /// Which particles are not pinned.
    pub free: Vec<bool>,
    /// Density and pressure, where there are fluids; damage and numbers of fragments, where something can break.
    pub fields: Fields,
}

impl Frame {
    /// As the mesh that a PLY frame of the same run holds: faces of bodies that have them, edges of those that have not, and
    /// velocity, `id`, `body`, `pinned` and fields of every particle.
    pub fn to_mesh(&self) -> Mesh {
        let faces = self.bodies.iter().flat_map(|body| &body.triangles).map(|corners| corners.to_vec()).collect();
        let lines = self.bodies.iter().filter(|body| body.triangles.is_empty());
        let count = self.state.x.len();
        let mut owner = vec![-1.0; count];
        for (number, body) in self.bodies.iter().enumerate() {
            owner[body.particles.clone()].fill(number as f64);
        }
        let velocity = |axis: usize| self.state.v.iter().map(|v| v[axis]).collect();
        let (double, int) = (NumberKind::F64, NumberKind::I32);
        let mut attributes = vec![
            Attribute::new("vx", double, velocity(0)),
            Attribute::new("vy", double, velocity(1)),
            Attribute::new("vz", double, velocity(2)),
            Attribute::new("id", int, (0..count).map(|id| id as f64).collect()),
            Attribute::new("body", int, owner),
            Attribute::new("pinned", NumberKind::U8, self.free.iter().map(|free| f64::from(u8::from(!free))).collect()),
        ];
        let fields = self.fields.all().iter();
        attributes.extend(fields.map(|field| Attribute::new(field.name, double, field.values.clone())));
        let edges = lines.flat_map(|body| &body.edges).copied().collect();
        Mesh { points: self.state.x.clone(), faces, edges, attributes }
    }
}

/// An entry of `frames.pvd`.
#[derive(Clone, Debug, PartialEq)]
pub struct Listed {
    /// s
    pub time: f64,
    /// The file.
    pub path: PathBuf,
}

/// The frames that a `.pvd` lists, in its order. A truncated list gives its complete entries.
pub fn read_pvd(path: &Path) -> Result<Vec<Listed>, RecordError> {
    let text = std::fs::read_to_string(path).map_err(RecordError::io("read", path))?;
    if !text.contains("<VTKFile type=\"Collection\"") {
        return Err(unreadable(path, "it is not a list of frames"));
    }
    let folder = path.parent().unwrap_or(Path::new(""));
    let whole = text.lines().filter(|line| line.trim_start().starts_with("<DataSet ") && line.ends_with("/>"));
    whole
        .map(|line| {
            let time = attribute(line, "timestep").and_then(|time| time.parse().ok());
            let file = attribute(line, "file").map(unescape);
            // A result may come from anywhere: it must not make this program open files elsewhere.
            let inside = |file: &String| {
                Path::new(file).components().all(|part| matches!(part, std::path::Component::Normal(_)))
            };
            match (time, file.filter(inside)) {
                (Some(time), Some(file)) => Ok(Listed { time, path: folder.join(file) }),
                _ => Err(unreadable(path, &format!("an entry has no time or no file of this folder: {}", line.trim()))),
            }
        })
        .collect()
}

/// Reads a frame.
pub fn read_vtu(path: &Path) -> Result<Frame, RecordError> {
    let bytes = regular::read(path).map_err(RecordError::io("read", path))?;
    parse(&bytes).map_err(|why| unreadable(path, &why))
}

/// Extensions of files that [`read_mesh`] takes.
pub const READABLE: [&str; 4] = ["obj", "ply", "stl", "vtu"];

/// Reads a mesh file, or a VTU frame of ours as a mesh, by extension.
pub fn read_mesh(path: &Path) -> Result<Mesh, RecordError> {
    match ending(path, "reading", &READABLE)?.as_str() {
        "vtu" => {
            let mesh = read_vtu(path)?.to_mesh();
            match mesh.points.iter().position(|point| !point.is_finite()) {
                Some(point) => Err(unreadable(path, &format!("point {point} is not finite"))),
                None => Ok(mesh),
            }
        }
        _ => Ok(Mesh::read(path)?),
    }
}

fn unreadable(path: &Path, why: &str) -> RecordError {
    RecordError::BadFrame { path: path.to_owned(), why: why.to_owned() }
}

const MARK: &[u8] = b"<AppendedData encoding=\"raw\">\n_";

/// The XML, and the arrays behind it.
struct File<'a> {
    xml: &'a str,
    data: &'a [u8],
}

fn parse(bytes: &[u8]) -> Result<Frame, String> {
    let start = bytes.windows(MARK.len()).position(|window| window == MARK).ok_or("it has no appended arrays")?;
    let xml = std::str::from_utf8(&bytes[..start]).map_err(|_| "its head is not text")?;
    let file = File { xml, data: &bytes[start + MARK.len()..] };
    if !xml.contains("byte_order=\"LittleEndian\" header_type=\"UInt64\"") {
        return Err("its arrays are not little endian with lengths of 64 bits".into());
    }
    let piece = xml.lines().find(|line| line.contains("<Piece ")).ok_or("it has no <Piece>")?;
    let number = |name: &str| -> Result<usize, String> {
        let text = attribute(piece, name).ok_or(format!("its piece has no {name}"))?;
        text.parse().map_err(|_| format!("{name} is no number: {text}"))
    };
    let (count, cells) = (number("NumberOfPoints")?, number("NumberOfCells")?);
    let time = xml.lines().find(|line| line.contains("Name=\"TimeValue\"")).and_then(|line| line.split_once('>'));
    let time = time.and_then(|(_, rest)| rest.split_once('<')).and_then(|(text, _)| text.trim().parse().ok());
    let x = vectors(file.array("Points", "Float64", 3, count)?);
    let v = vectors(file.array("velocity", "Float64", 3, count)?);
    let body: Vec<i32> =
        file.array("body", "Int32", 1, count)?.chunks_exact(4).map(|b| i32::from_le_bytes(word(b))).collect();
    let free = file.array("pinned", "UInt8", 1, count)?.iter().map(|pinned| *pinned == 0).collect();
    let mut fields = Fields::default();
    fields.begin(count);
    let known = [Fields::DENSITY, Fields::PRESSURE, Fields::DAMAGE, Fields::FRAGMENT, Fields::ACTIVITY];
    for name in known.into_iter().filter(|name| file.tag(name).is_some()) {
        let numbers = file.array(name, "Float64", 1, count)?.chunks_exact(8).map(|b| f64::from_le_bytes(word(b)));
        fields.field(name).iter_mut().zip(numbers).for_each(|(value, number)| *value = number);
    }
    let mut bodies = ranges(&body)?;
    let offsets = whole_numbers(file.array("offsets", "Int64", 1, cells)?);
    let types = file.array("types", "UInt8", 1, cells)?;
    let corners = offsets.last().copied().unwrap_or(0);
    let connectivity = whole_numbers(file.array("connectivity", "Int64", 1, corners)?);
    let mut begin = 0;
    for (end, kind) in offsets.iter().zip(types) {
        let corners = connectivity.get(begin..*end).ok_or("the offsets of its cells do not rise")?;
        if let Some(wrong) = corners.iter().find(|corner| **corner >= count) {
            return Err(format!("a cell names point {wrong}, but there are only {count}"));
        }
        let owner = corners.first().and_then(|corner| usize::try_from(body[*corner]).ok());
        match (*kind, corners, owner.and_then(|owner| bodies.get_mut(owner))) {
            (VERTEX, [_], _) => {}
            (LINE, [a, b], Some(body)) => body.edges.push([*a as u32, *b as u32]),
            (TRIANGLE, [a, b, c], Some(body)) => body.triangles.push([*a as u32, *b as u32, *c as u32]),
            (LINE, [..], None) | (TRIANGLE, [..], None) => {}
            (kind, corners, _) => return Err(format!("a cell of type {kind} has {} corners", corners.len())),
        }
        begin = *end;
    }
    Ok(Frame { state: State { time: time.ok_or("it has no time")?, x, v }, bodies, free, fields })
}

impl File<'_> {
    fn tag(&self, name: &str) -> Option<&str> {
        let named = format!("Name=\"{name}\"");
        self.xml.lines().find(|line| line.contains("<DataArray ") && line.contains(&named))
    }

    /// The bytes of an array that must have this type and size.
    fn array(&self, name: &str, kind: &str, components: usize, tuples: usize) -> Result<&[u8], String> {
        let tag = self.tag(name).ok_or_else(|| format!("it has no array \"{name}\""))?;
        if attribute(tag, "type") != Some(kind) {
            return Err(format!("array \"{name}\" is not of type {kind}"));
        }
        let bytes_each = match kind {
            "UInt8" => 1,
            "Int32" => 4,
            _ => 8,
        };
        let offset: usize = attribute(tag, "offset")
            .and_then(|offset| offset.parse().ok())
            .ok_or_else(|| format!("array \"{name}\" has no offset"))?;
        let short = || format!("it is cut short, or damaged, in array \"{name}\"");
        let rest = self.data.get(offset..).ok_or_else(short)?;
        let (length, rest) = rest.split_first_chunk::<8>().ok_or_else(short)?;
        let needed = tuples.checked_mul(components * bytes_each).ok_or_else(short)?;
        if u64::from_le_bytes(*length) != needed as u64 {
            let found = u64::from_le_bytes(*length);
            return Err(format!("array \"{name}\" has {found} bytes instead of {needed}"));
        }
        rest.get(..needed).ok_or_else(short)
    }
}

/// A few bytes of a chunk that has just that many.
fn word<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let mut word = [0; N];
    word.copy_from_slice(bytes);
    word
}

fn vectors(bytes: &[u8]) -> Vec<DVec3> {
    let number = |bytes: &[u8]| f64::from_le_bytes(word(bytes));
    bytes.chunks_exact(24).map(|b| DVec3::new(number(&b[..8]), number(&b[8..16]), number(&b[16..]))).collect()
}

/// Negative ones become so large that every check rejects them.
fn whole_numbers(bytes: &[u8]) -> Vec<usize> {
    bytes.chunks_exact(8).map(|b| usize::try_from(i64::from_le_bytes(word(b))).unwrap_or(usize::MAX)).collect()
}

/// Bodies from the number of each particle's body.
fn ranges(numbers: &[i32]) -> Result<Vec<Body>, String> {
    let mut bodies: Vec<Body> = Vec::new();
    for (particle, number) in numbers.iter().enumerate() {
        let Ok(number) = usize::try_from(*number) else { continue };
        if number > numbers.len() {
            return Err(format!("particle {particle} belongs to body {number} of at most {}", numbers.len()));
        }
        while bodies.len() <= number {
            bodies.push(Body { name: format!("body {}", bodies.len()), ..Body::default() });
        }
        let range = &mut bodies[number].particles;
        *range = if range.end == 0 { particle..particle + 1 } else { range.start..particle + 1 };
    }
    Ok(bodies)
}

fn unescape(text: &str) -> String {
    text.replace("&quot;", "\"").replace("&gt;", ">").replace("&lt;", "<").replace("&amp;", "&")
}
