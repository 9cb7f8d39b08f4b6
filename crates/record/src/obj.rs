//! Wavefront OBJ: one file per frame, in the order of the particles (`v`; of a body with a fine surface, the vertices of that instead, behind
//! them), then one object per body (`o`) with its triangles (`f`), its edges (`l`) where it has no triangles, or its points (`p`) where it
//! has neither. Numbers read back to the same bits. The format cannot hold time and velocities: the time is a comment.

use std::path::PathBuf;

use pliant_core::{Fields, State, System};
use pliant_mesh::obj::{push_elements, push_points};
use pliant_scalar::number::push_number;

use crate::atomic::write_hashed;
use crate::error::RecordError;
use crate::formats::{FrameWriter, Opening, check_bodies, check_shape, loose_particles};
use crate::manifest::Written;
use crate::outside::Outside;

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
    fn frame(&mut self, k: u64, state: &State, _fields: &Fields) -> Result<Vec<Written>, RecordError> {
        let name = format!("frame_{k:05}.obj");
        let path = self.folder.join(&name);
        check_shape(&path, state, self.count)?;
        let sum = write_hashed(&path, false, |out| {
            let mut text = String::from("# Pliant\n# time ");
            push_number(&mut text, state.time);
            text.push('\n');
            push_points(&mut text, &self.outside.carry(&state.x));
            out.write_all(text.as_bytes())?;
            out.write_all(self.tail.as_bytes())
        })?;
        Ok(vec![sum.named(format!("obj/{name}"))])
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
