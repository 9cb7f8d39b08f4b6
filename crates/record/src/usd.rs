//! `animation.usda`: all frames in one file that Blender, usdview and every other USD program opens as animated meshes. Text, written
//! by hand: one `Mesh` for a body with triangles (those of its fine surface, where it has one), `BasisCurves` (linear) for one with
//! edges only, `Points` for the rest, each with time-sampled positions, velocities and extents, meshes with normals too, and the numbers
//! of the particles, where points are particles, as `primvars:id`. Coordinates are single precision, as USD's are. Time code k is
//! frame k; `timeCodesPerSecond` is the frame rate of the scene.
//!
//! USD stores all times of an attribute in one place, so the file can only be written when the last frame is known. Until then
//! positions and velocities grow in `animation.frames` (a [`FrameLog`], which resumes like the other growing files); `finish` puts
//! the text together from it in one atomic write, and `clean` removes it when the result is complete.

mod part;
mod text;

use std::io::{self, Write};
use std::path::PathBuf;

use glam::DVec3;
use pliant_core::{Fields, State};

use crate::atomic::write_hashed;
use crate::error::RecordError;
use crate::formats::{FrameWriter, Opening, check_bodies};
use crate::frame_log::{FrameLog, FrameLogReader};
use crate::manifest::{Grown, Written};
use part::{Kind, Part, parts};
use text::{push_integers, push_string, push_vectors};

/// `animation.usda` in the folder of a result.
pub struct UsdFrames {
    path: PathBuf,
    log_path: PathBuf,
    log: FrameLog,
    parts: Vec<Part>,
    count: usize,
    fps: f64,
}

impl UsdFrames {
    const FILE: &str = "animation.usda";
    const LOG: &str = "animation.frames";

    /// Opens the log of a new run or of a checkpoint.
    pub fn open(opening: &Opening) -> Result<Self, RecordError> {
        let path = opening.folder.join(Self::FILE);
        check_bodies(&path, opening.system)?;
        let count = opening.system.len();
        let (log_path, length) = opening.file(Self::LOG);
        let log = match length {
            Some(length) => FrameLog::resume(&log_path, length)?,
            None => FrameLog::create(&log_path, 2 * count)?,
        };
        Ok(Self { path, log_path, log, parts: parts(opening.system), count, fps: opening.fps })
    }
}

impl FrameWriter for UsdFrames {
    fn frame(&mut self, _k: u64, state: &State, _fields: &Fields) -> Result<Vec<Written>, RecordError> {
        self.log.push_vectors(state.time, &[&state.x, &state.v])?;
        self.log.flush()?;
        Ok(Vec::new())
    }

    fn sync(&mut self, files: &mut Vec<Grown>) -> Result<(), RecordError> {
        self.log.sync()?;
        files.push(self.log.grown(Self::LOG));
        Ok(())
    }

    fn finish(&mut self) -> Result<Vec<Written>, RecordError> {
        self.log.flush()?;
        let log = FrameLogReader::open(&self.log_path)?;
        let mut stage = Stage { log, count: self.count, fps: self.fps, frame: Vec::new(), text: String::new() };
        let sum = write_hashed(&self.path, false, |out| {
            stage.write_head(out)?;
            self.parts.iter().try_for_each(|part| stage.write_part(out, part))?;
            out.write_all(b"}\n")
        })?;
        Ok(vec![sum.named(Self::FILE)])
    }

    fn clean(&mut self) -> Result<(), RecordError> {
        std::fs::remove_file(&self.log_path).map_err(RecordError::io("remove", &self.log_path))
    }
}

/// What the file is put together from. Every attribute of every part goes through the log once, so the memory is that of one frame.
struct Stage {
    log: FrameLogReader,
    count: usize,
    fps: f64,
    /// Positions, then velocities.
    frame: Vec<DVec3>,
    text: String,
}

impl Stage {
    fn write_head(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let mut last = 0.0;
        while let Some(time) = self.log.next_frame(&mut self.frame).map_err(io::Error::other)? {
            last = self.code(time);
        }
        let fps = self.fps;
        write!(
            out,
            "#usda 1.0\n(\n    defaultPrim = \"World\"\n    doc = \"Pliant\"\n    metersPerUnit = 1\n    upAxis = \"Y\"\n    \
             startTimeCode = 0\n    endTimeCode = {last}\n    timeCodesPerSecond = {fps}\n    framesPerSecond = {fps}\n)\n\n\
             def Xform \"World\"\n{{\n"
        )
    }

    fn write_part(&mut self, out: &mut dyn Write, part: &Part) -> io::Result<()> {
        self.write_topology(out, part)?;
        self.write_samples(out, "point3f[] points", |x, _, text| push_vectors(text, &part.points.carry(x)))?;
        self.write_samples(out, "vector3f[] velocities", |_, v, text| push_vectors(text, &part.points.carry(v)))?;
        if let Kind::Mesh { triangles } = &part.kind {
            self.write_samples(out, "normal3f[] normals", |x, _, text| {
                push_vectors(text, &part::normals(&part.points.carry(x), triangles));
            })?;
        }
        let margin = 0.5 * part.width;
        self.write_samples(out, "float3[] extent", |x, _, text| {
            let points = part.points.carry(x);
            let low = points.iter().copied().reduce(DVec3::min).unwrap_or_default();
            let high = points.iter().copied().reduce(DVec3::max).unwrap_or_default();
            push_vectors(text, &[low - margin, high + margin]);
        })?;
        out.write_all(b"    }\n")
    }

    /// Everything that is the same at all times.
    fn write_topology(&mut self, out: &mut dyn Write, part: &Part) -> io::Result<()> {
        let text = &mut self.text;
        text.clear();
        let schema = match part.kind {
            Kind::Mesh { .. } => "Mesh",
            Kind::Curves { .. } => "BasisCurves",
            Kind::Points => "Points",
        };
        *text += &format!("    def {schema} \"{}\" (\n        customData = {{\n            string name = ", part.prim);
        push_string(text, &part.name);
        *text += "\n        }\n    )\n    {\n";
        let ids = || part.points.ids().iter().map(|i| u64::from(*i));
        match &part.kind {
            Kind::Mesh { triangles } => {
                *text += "        uniform token subdivisionScheme = \"none\"\n        uniform bool doubleSided = 1\n";
                *text += "        int[] faceVertexCounts = ";
                push_integers(text, triangles.iter().map(|_| 3));
                *text += "\n        int[] faceVertexIndices = ";
                push_integers(text, triangles.iter().flatten().map(|i| u64::from(*i)));
                *text += "\n        normal3f[] normals (\n            interpolation = \"vertex\"\n        )\n";
            }
            Kind::Curves { counts } => {
                *text += "        uniform token type = \"linear\"\n        int[] curveVertexCounts = ";
                push_integers(text, counts.iter().map(|n| u64::from(*n)));
                text.push('\n');
            }
            Kind::Points => {
                *text += "        int64[] ids = ";
                push_integers(text, ids());
                text.push('\n');
            }
        }
        if part.width > 0.0 {
            let width = part.width as f32;
            *text +=
                &format!("        float[] widths = [{width}] (\n            interpolation = \"constant\"\n        )\n");
        }
        let named = [("id", ids().collect::<Vec<_>>()), ("pinned", part.pinned.clone())];
        for (name, values) in named.into_iter().filter(|(_, values)| !values.is_empty()) {
            *text += &format!("        int[] primvars:{name} = ");
            push_integers(text, values.into_iter());
            *text += " (\n            interpolation = \"vertex\"\n        )\n";
        }
        out.write_all(text.as_bytes())
    }

    /// One attribute at all times; `push` is given positions and velocities of all particles.
    fn write_samples(
        &mut self,
        out: &mut dyn Write,
        attribute: &str,
        push: impl Fn(&[DVec3], &[DVec3], &mut String),
    ) -> io::Result<()> {
        writeln!(out, "        {attribute}.timeSamples = {{")?;
        self.log.rewind().map_err(io::Error::other)?;
        while let Some(time) = self.log.next_frame(&mut self.frame).map_err(io::Error::other)? {
            let (x, v) = self.frame.split_at(self.count);
            self.text.clear();
            push(x, v, &mut self.text);
            writeln!(out, "            {}: {},", self.code(time), self.text)?;
        }
        writeln!(out, "        }}")
    }

    /// The time code of a time: the frame's number, without the rounding of k / fps · fps. The last frame may lie between two codes.
    fn code(&self, time: f64) -> f64 {
        let code = time * self.fps;
        let whole = code.round();
        if (code - whole).abs() <= 1e-9 * whole.max(1.0) { whole } else { code }
    }
}
