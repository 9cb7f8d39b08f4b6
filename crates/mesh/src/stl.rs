//! Reads STL files, binary and text. They hold triangles without shared corners in single precision; corners with the same bits
//! become one point, in the order in which they first appear.

use std::collections::HashMap;

use glam::DVec3;

use crate::mesh::{BadMesh, Mesh, NOT_FINITE};

const HEADER_BYTES: usize = 84;
const TRIANGLE_BYTES: usize = 50;

/// Reads a mesh from the bytes of an STL file. Binary ones may begin with the word `solid` too, so their length decides.
pub fn parse_stl(bytes: &[u8]) -> Result<Mesh, BadMesh> {
    let count = bytes.get(80..HEADER_BYTES).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]) as usize);
    let needed = count.and_then(|count| count.checked_mul(TRIANGLE_BYTES)?.checked_add(HEADER_BYTES));
    let text = bytes.trim_ascii_start().starts_with(b"solid");
    match needed {
        Some(needed) if needed == bytes.len() || (!text && needed < bytes.len()) => {
            binary(&bytes[HEADER_BYTES..needed])
        }
        _ if text => ascii(bytes),
        Some(needed) => Err(BadMesh::byte(
            bytes.len(),
            format!("the file ends, but its {} triangles need {needed} bytes", count.unwrap_or(0)),
        )),
        None => Err(BadMesh::byte(bytes.len(), "the file ends within the header of 84 bytes")),
    }
}

fn binary(triangles: &[u8]) -> Result<Mesh, BadMesh> {
    let mut welder = Welder::default();
    for (k, triangle) in triangles.chunks_exact(TRIANGLE_BYTES).enumerate() {
        let number = |k: usize| {
            let at = 12 + 4 * k; // behind the normal
            f32::from_le_bytes([triangle[at], triangle[at + 1], triangle[at + 2], triangle[at + 3]])
        };
        let corner = |corner: usize| [0, 1, 2].map(|axis| number(3 * corner + axis));
        if !(0..3).flat_map(corner).all(f32::is_finite) {
            return Err(BadMesh::byte(HEADER_BYTES + k * TRIANGLE_BYTES, NOT_FINITE));
        }
        let face = (0..3).map(|k| welder.point(corner(k))).collect();
        welder.mesh.faces.push(face);
    }
    Ok(welder.mesh)
}

fn ascii(bytes: &[u8]) -> Result<Mesh, BadMesh> {
    let mut welder = Welder::default();
    let (mut face, mut last) = (Vec::new(), 0);
    for (number, line) in (1..).zip(bytes.split(|byte| *byte == b'\n')) {
        last = number;
        let line = String::from_utf8_lossy(line);
        let mut words = line.split_whitespace();
        match words.next() {
            Some("vertex") => {
                let mut point = [0.0; 3];
                for value in &mut point {
                    let word = words.next().ok_or_else(|| BadMesh::line(number, "a vertex needs three numbers"))?;
                    *value = word.parse().map_err(|_| BadMesh::line(number, format!("\"{word}\" is no number")))?;
                }
                if words.next().is_some() {
                    return Err(BadMesh::line(number, "a vertex needs three numbers, and nothing behind them"));
                }
                if !point.iter().all(|value: &f32| value.is_finite()) {
                    return Err(BadMesh::line(number, NOT_FINITE));
                }
                face.push(welder.point(point));
            }
            Some("endloop") => {
                if face.len() != 3 {
                    return Err(BadMesh::line(number, format!("a facet needs 3 vertices, got {}", face.len())));
                }
                welder.mesh.faces.push(std::mem::take(&mut face));
            }
            _ => {}
        }
    }
    match face.is_empty() && !welder.mesh.faces.is_empty() {
        true => Ok(welder.mesh),
        false => Err(BadMesh::line(last, "the file ends before a facet does")),
    }
}

#[derive(Default)]
struct Welder {
    mesh: Mesh,
    seen: HashMap<[u32; 3], u32>,
}

impl Welder {
    fn point(&mut self, point: [f32; 3]) -> u32 {
        let next = self.mesh.points.len() as u32;
        // -0 and 0 are the same place
        let index = *self.seen.entry(point.map(|number| (number + 0.0).to_bits())).or_insert(next);
        if index == next {
            self.mesh.points.push(DVec3::from_array(point.map(f64::from)));
        }
        index
    }
}
