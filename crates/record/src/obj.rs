//! Wavefront OBJ: one file per frame, in the order of the particles (`v`; of a body with a fine surface, the vertices of that instead, behind
//! them), then one object per body (`o`) with its triangles (`f`), its edges (`l`) where it has no triangles, or its points (`p`) where it
//! has neither. Numbers read back to the same bits. The format cannot hold time and velocities: the time is a comment.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use glam::DVec3;
use pliant_core::{Fields, State, System};

use crate::atomic::write_atomic;
use crate::error::RecordError;
use crate::formats::{FrameWriter, Opening, check_bodies, check_shape, loose_particles};
use crate::number::push_number;
use crate::outside::Outside;

pub use crate::obj_read::parse_obj;

/// `obj/frame_00000.obj`, … in the folder of a result.
pub struct ObjFrames {
    folder: PathBuf,
    count: usize,
    outside: Outside,
    /// Everything behind the points.
    tail: String,
}

impl ObjFrames {
    /// Makes the folder and assembles what all frames share.
    pub fn open(opening: &Opening) -> Result<Self, RecordError> {
        let folder = opening.subfolder("obj")?;
        check_bodies(&folder, opening.system)?;
        let outside = Outside::of(opening.system);
        let tail = objects(opening.system, &outside);
        Ok(Self { folder, count: opening.system.len(), outside, tail })
    }
}

impl FrameWriter for ObjFrames {
    fn frame(&mut self, k: u64, state: &State, _fields: &Fields) -> Result<(), RecordError> {
        let path = self.folder.join(format!("frame_{k:05}.obj"));
        check_shape(&path, state, self.count)?;
        write_atomic(&path, |out| {
            let mut text = String::from("# Pliant\n# time ");
            push_number(&mut text, state.time);
            text.push('\n');
            push_points(&mut text, &self.outside.carry(&state.x));
            out.write_all(text.as_bytes())?;
            out.write_all(self.tail.as_bytes())
        })
    }
}

fn objects(system: &System, outside: &Outside) -> String {
    let mut text = String::new();
    for (number, body) in system.bodies().iter().enumerate() {
        push_object(&mut text, &body.name);
        let (triangles, lines) = (outside.triangles(number, body), outside.lines(number, body));
        if triangles.is_empty() && lines.is_empty() {
            let points = body.particles.clone().filter(|i| *i < system.len()).map(|i| outside.of_particles([i as u32]));
            push_elements(&mut text, "p", points);
        }
        push_elements(&mut text, "f", triangles.iter());
        push_elements(&mut text, "l", lines.iter());
    }
    let loose = loose_particles(system);
    if !loose.is_empty() {
        push_object(&mut text, "loose");
        push_elements(&mut text, "p", loose.into_iter().map(|i| outside.of_particles([i])));
    }
    text
}

fn push_object(text: &mut String, name: &str) {
    let name: String = name.chars().map(|c| if c.is_control() { '_' } else { c }).collect();
    let name = name.trim();
    *text += &format!("o {}\n", if name.is_empty() { "body" } else { name });
}

fn push_points(text: &mut String, points: &[DVec3]) {
    for point in points {
        text.push('v');
        for number in point.to_array() {
            text.push(' ');
            push_number(text, number);
        }
        text.push('\n');
    }
}

/// Lines of a keyword and indices, which count from 1.
fn push_elements(text: &mut String, keyword: &str, elements: impl Iterator<Item = impl AsRef<[u32]>>) {
    for element in elements {
        *text += keyword;
        for index in element.as_ref() {
            write!(text, " {}", u64::from(*index) + 1).expect("a String takes any text");
        }
        text.push('\n');
    }
}

/// Writes a mesh; the old file survives any failure.
pub fn write_obj(path: &Path, mesh: &crate::mesh::Mesh) -> Result<(), RecordError> {
    let mut text = String::from("# Pliant\n");
    push_points(&mut text, &mesh.points);
    push_elements(&mut text, "f", mesh.faces.iter());
    push_elements(&mut text, "l", mesh.edges.iter());
    write_atomic(path, |out| out.write_all(text.as_bytes()))
}
