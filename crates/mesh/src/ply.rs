//! Stanford PLY, written binary little endian, with the attributes of points.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::Path;

use crate::atomic::write_atomic;
use crate::attribute::Attribute;
use crate::mesh::{Mesh, MeshError};

pub use crate::ply_read::parse_ply;

/// The first lines of every file.
pub const START: &str = "ply\nformat binary_little_endian 1.0\ncomment Pliant\n";

/// The rest of the header and the bytes of faces and edges. An element of which there is none is left out: some readers expect
/// rows where there is a name.
pub fn elements(
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

/// Writes a mesh with its attributes; the old file survives any failure.
pub fn write_ply(path: &Path, mesh: &Mesh) -> Result<(), MeshError> {
    let count = mesh.points.len();
    if let Some(wrong) = mesh.attributes.iter().find(|attribute| attribute.values.len() != count) {
        let (path, found) = (path.display().to_string(), wrong.values.len());
        return Err(MeshError::WrongCount { path, found, expected: count });
    }
    Ok(write_atomic(path, |out| put_ply(out, mesh))?)
}

/// Writes the bytes of a mesh, whose attributes have as many values as it has points. Faces have at most 255 corners
/// ([`crate::mesh::MAX_CORNERS`]).
pub fn put_ply(out: &mut dyn Write, mesh: &Mesh) -> io::Result<()> {
    let (elements, tail) = elements(mesh.faces.iter(), mesh.edges.iter());
    let named = |attribute: &Attribute| format!("property {} {}\n", attribute.kind.name(), attribute.name);
    let properties: String = mesh.attributes.iter().map(named).collect();
    let count = mesh.points.len();
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
}
