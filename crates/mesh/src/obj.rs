//! Wavefront OBJ: points (`v`), faces (`f`) and lines (`l`). Numbers read back to the same bits. The format cannot hold the attributes of points.

use std::fmt::Write as _;
use std::path::Path;

use glam::DVec3;
use pliant_scalar::number::push_number;

use crate::atomic::{FileError, write_atomic};
use crate::mesh::Mesh;

pub use crate::obj_read::parse_obj;

/// Appends lines of points.
pub fn push_points(text: &mut String, points: &[DVec3]) {
    for point in points {
        text.push('v');
        for number in point.to_array() {
            text.push(' ');
            push_number(text, number);
        }
        text.push('\n');
    }
}

/// Appends lines of a keyword and indices, which count from 1.
pub fn push_elements(text: &mut String, keyword: &str, elements: impl Iterator<Item = impl AsRef<[u32]>>) {
    for element in elements {
        *text += keyword;
        for index in element.as_ref() {
            write!(text, " {}", u64::from(*index) + 1).expect("a String takes any text");
        }
        text.push('\n');
    }
}

/// Writes a mesh; the old file survives any failure.
pub fn write_obj(path: &Path, mesh: &Mesh) -> Result<(), FileError> {
    let mut text = String::from("# Pliant\n");
    push_points(&mut text, &mesh.points);
    push_elements(&mut text, "f", mesh.faces.iter());
    push_elements(&mut text, "l", mesh.edges.iter());
    write_atomic(path, |out| out.write_all(text.as_bytes()))
}
