//! Stanford PLY, binary little endian: one file per frame. A vertex has its position (`x y z`, double), velocity (`vx vy vz`, double),
//! `id` and `body` (int; -1: none) and `pinned` (uchar), and where there are fluids `density` and `pressure` (double; kg/m³ and Pa, zero for
//! other bodies), where something can break `damage` and `fragment` (double; see [`Fields`]); the triangles of all bodies are `face` elements, the edges of bodies without
//! triangles are `edge` elements. Vertices keep the order of the particles; the vertices of fine surfaces, which have the `id` -1, follow in
//! the place of the particles of their bodies. The time and the names of the bodies are comments.

use std::path::PathBuf;

use pliant_core::{Fields, State, System};
use pliant_mesh::ply::{START, elements};

use crate::atomic::write_hashed;
use crate::error::RecordError;
use crate::formats::{FrameWriter, Opening, check_bodies, check_fields, check_shape};
use crate::manifest::Written;
use crate::outside::Outside;

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
    fn frame(&mut self, k: u64, state: &State, fields: &Fields) -> Result<Vec<Written>, RecordError> {
        let name = format!("frame_{k:05}.ply");
        let path = self.folder.join(&name);
        check_shape(&path, state, self.count)?;
        check_fields(&path, fields, self.count)?;
        let (x, v) = (self.outside.carry(&state.x), self.outside.carry(&state.v));
        let known: Vec<Vec<f64>> = fields.all().iter().map(|field| self.outside.carry_numbers(&field.values)).collect();
        let properties: String = fields.all().iter().map(|field| format!("property double {}\n", field.name)).collect();
        let sum = write_hashed(&path, false, |out| {
            write!(out, "{START}comment time {}\n{}{properties}{}", state.time, self.header[0], self.header[1])?;
            for (k, ((x, v), marks)) in x.iter().zip(v.iter()).zip(&self.marks).enumerate() {
                for number in x.to_array().into_iter().chain(v.to_array()) {
                    out.write_all(&number.to_le_bytes())?;
                }
                out.write_all(marks)?;
                known.iter().try_for_each(|values| out.write_all(&values[k].to_le_bytes()))?;
            }
            out.write_all(&self.tail)
        })?;
        Ok(vec![sum.named(format!("ply/{name}"))])
    }
}

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
