//! Stanford PLY, binary little endian: one file per frame. A vertex has its position (`x y z`, double), velocity (`vx vy vz`, double),
//! `id` and `body` (int; -1: none) and `pinned` (uchar), and where there are fluids `density` and `pressure` (double; kg/m³ and Pa, zero for
//! other bodies), where something can break `damage` and `fragment` (double; see [`Fields`]); the triangles of all bodies are `face` elements, the edges of bodies without
//! triangles are `edge` elements. Vertices keep the order of the particles; the vertices of fine surfaces, which have the `id` -1, follow in
//! the place of the particles of their bodies. The time and the names of the bodies are comments.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use pliant_core::{Fields, State, System};

use crate::atomic::write_atomic;
use crate::attribute::Attribute;
use crate::error::RecordError;
use crate::formats::{FrameWriter, Opening, check_bodies, check_fields, check_shape};
use crate::mesh::Mesh;
use crate::outside::Outside;

pub use crate::ply_read::parse_ply;

/// `ply/frame_00000.ply`, … in the folder of a result.
pub struct PlyFrames {
    folder: PathBuf,
    /// The header behind the time, up to where properties of fields go, and from there on.
    header: [String; 2],
    /// Particles.
    count: usize,
    outside: Outside,
    /// `id`, `body` and `pinned` of every vertex, as they are in the file.
    marks: Vec<[u8; 9]>,
    /// Faces and edges.
    tail: Vec<u8>,
}

impl PlyFrames {
    /// Makes the folder and assembles what all frames share.
    pub fn open(opening: &Opening) -> Result<Self, RecordError> {
        let folder = opening.subfolder("ply")?;
        let system = opening.system;
        check_bodies(&folder, system)?;
        let mut header = String::new();
        for (number, body) in system.bodies().iter().enumerate() {
            let name: String = body.name.chars().map(|c| if c.is_control() { '_' } else { c }).collect();
            header += &format!("comment body {number} {name}\n");
        }
        let outside = Outside::of(system);
        header += &format!("element vertex {}\n", outside.len());
        for name in ["x", "y", "z", "vx", "vy", "vz"] {
            header += &format!("property double {name}\n");
        }
        header += "property int id\nproperty int body\nproperty uchar pinned\n";
        let triangles = system.bodies().iter().enumerate().flat_map(|(number, body)| outside.triangles(number, body));
        let lines = system.bodies().iter().enumerate().flat_map(|(number, body)| outside.lines(number, body));
        let (elements, tail) = elements(triangles, lines);
        let header = [header, elements];
        let marks = marks(&outside, system);
        Ok(Self { folder, header, count: system.len(), outside, marks, tail })
    }
}

impl FrameWriter for PlyFrames {
    fn frame(&mut self, k: u64, state: &State, fields: &Fields) -> Result<(), RecordError> {
        let path = self.folder.join(format!("frame_{k:05}.ply"));
        check_shape(&path, state, self.count)?;
        check_fields(&path, fields, self.count)?;
        let (x, v) = (self.outside.carry(&state.x), self.outside.carry(&state.v));
        let known: Vec<Vec<f64>> = fields.all().iter().map(|field| self.outside.carry_numbers(&field.values)).collect();
        let properties: String = fields.all().iter().map(|field| format!("property double {}\n", field.name)).collect();
        write_atomic(&path, |out| {
            write!(out, "{START}comment time {}\n{}{properties}{}", state.time, self.header[0], self.header[1])?;
            for (k, ((x, v), marks)) in x.iter().zip(v.iter()).zip(&self.marks).enumerate() {
                for number in x.to_array().into_iter().chain(v.to_array()) {
                    out.write_all(&number.to_le_bytes())?;
                }
                out.write_all(marks)?;
                known.iter().try_for_each(|values| out.write_all(&values[k].to_le_bytes()))?;
            }
            out.write_all(&self.tail)
        })
    }
}

const START: &str = "ply\nformat binary_little_endian 1.0\ncomment Pliant\n";

fn marks(outside: &Outside, system: &System) -> Vec<[u8; 9]> {
    let mark = |(id, body, pinned): (i32, i32, bool)| {
        let mut bytes = [0; 9];
        bytes[..4].copy_from_slice(&id.to_le_bytes());
        bytes[4..8].copy_from_slice(&body.to_le_bytes());
        bytes[8] = u8::from(pinned);
        bytes
    };
    outside.marks(system).into_iter().map(mark).collect()
}

/// The rest of the header and the bytes of faces and edges. An element of which there is none is left out: some readers expect
/// rows where there is a name.
fn elements(
    faces: impl Iterator<Item = impl AsRef<[u32]>>,
    edges: impl Iterator<Item = impl AsRef<[u32]>>,
) -> (String, Vec<u8>) {
    let (mut header, mut bytes) = (String::new(), Vec::new());
    let mut put = |element: &[u32]| bytes.extend(element.iter().flat_map(|index| index.to_le_bytes()));
    let (mut face_bytes, mut number) = (Vec::new(), 0_usize);
    for face in faces {
        let face = face.as_ref();
        face_bytes.push(face.len() as u8);
        face_bytes.extend(face.iter().flat_map(|index| index.to_le_bytes()));
        number += 1;
    }
    if number > 0 {
        write!(header, "element face {number}\nproperty list uchar int vertex_indices\n")
            .expect("a String takes any text");
    }
    number = 0;
    for edge in edges {
        put(edge.as_ref());
        number += 1;
    }
    if number > 0 {
        write!(header, "element edge {number}\nproperty int vertex1\nproperty int vertex2\n")
            .expect("a String takes any text");
    }
    header += "end_header\n";
    face_bytes.append(&mut bytes);
    (header, face_bytes)
}

/// Writes a mesh with its attributes; the old file survives any failure. Faces have at most 255 corners
/// ([`crate::mesh::MAX_CORNERS`]).
pub fn write_ply(path: &Path, mesh: &Mesh) -> Result<(), RecordError> {
    let count = mesh.points.len();
    if let Some(wrong) = mesh.attributes.iter().find(|attribute| attribute.values.len() != count) {
        let (path, found) = (path.to_owned(), wrong.values.len());
        return Err(RecordError::Shape { path, what: "values of an attribute", found, expected: count });
    }
    let (elements, tail) = elements(mesh.faces.iter(), mesh.edges.iter());
    let named = |attribute: &Attribute| format!("property {} {}\n", attribute.kind.name(), attribute.name);
    let properties: String = mesh.attributes.iter().map(named).collect();
    write_atomic(path, |out| {
        write!(
            out,
            "{START}element vertex {count}\nproperty double x\nproperty double y\nproperty double z\n{properties}{elements}"
        )?;
        let mut row = Vec::new();
        for (k, point) in mesh.points.iter().enumerate() {
            row.clear();
            row.extend(point.to_array().into_iter().flat_map(f64::to_le_bytes));
            mesh.attributes.iter().for_each(|attribute| attribute.kind.put(attribute.values[k], &mut row));
            out.write_all(&row)?;
        }
        out.write_all(&tail)
    })
}
