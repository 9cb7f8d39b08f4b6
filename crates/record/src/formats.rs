//! The formats of frames by name. The files of each one in the folder of a result are listed here once, so that running, resuming,
//! replacing and moving a result all know it. A new format is its file and one entry in [`FORMATS`]; pictures are drawn by the crate that runs scenes.

use std::path::{Path, PathBuf};

use pliant_core::{Fields, State, System};

use crate::error::RecordError;
use crate::fragments::FragmentTables;
use crate::manifest::{Grown, Written};
use crate::npy::NpyFrames;
use crate::obj::ObjFrames;
use crate::ply::PlyFrames;
use crate::surface::SurfaceFrames;
use crate::usd::UsdFrames;
use crate::vtk::VtuFrames;

/// Records the frames of one run in one format.
pub trait FrameWriter {
    /// Records frame `k`, counted from 0; frames come in order. `fields` holds further quantities per particle at that state; formats that
    /// cannot hold them leave them out. Returns the files that are complete with it.
    fn frame(&mut self, k: u64, state: &State, fields: &Fields) -> Result<Vec<Written>, RecordError>;

    /// Syncs the files that a checkpoint refers to, and adds every growing file.
    fn sync(&mut self, _files: &mut Vec<Grown>) -> Result<(), RecordError> {
        Ok(())
    }

    /// After a checkpoint, when a run ends or is stopped: writes the files that need all frames. A resumed run does it again. Returns the
    /// files that are complete with the last frame.
    fn finish(&mut self) -> Result<Vec<Written>, RecordError> {
        Ok(Vec::new())
    }

    /// When the result is complete: removes files that only an unfinished run needs.
    fn clean(&mut self) -> Result<(), RecordError> {
        Ok(())
    }
}

/// What a writer is opened with.
pub struct Opening<'a> {
    /// The folder of the result, which exists.
    pub folder: &'a Path,
    /// What is simulated.
    pub system: &'a System,
    /// Frames per second.
    pub fps: f64,
    /// Growing files at the checkpoint; `None` in a new run.
    pub grown: Option<&'a [Grown]>,
}

impl Opening<'_> {
    /// A file of the folder with its length at the checkpoint.
    pub fn file(&self, name: &str) -> (PathBuf, Option<u64>) {
        let grown = self.grown.and_then(|files| files.iter().find(|file| file.name == name));
        (self.folder.join(name), grown.map(|file| file.len))
    }

    /// A folder within the folder, made if it is not there.
    pub fn subfolder(&self, name: &str) -> Result<PathBuf, RecordError> {
        let path = self.folder.join(name);
        std::fs::create_dir_all(&path).map_err(RecordError::io("create", &path))?;
        Ok(path)
    }
}

/// One way to write frames.
pub struct Format {
    /// Its name in `[output] formats` and `--format`.
    pub name: &'static str,
    /// What to open, in plain language.
    pub main: &'static str,
    /// Files it leaves in the folder, those that are removed at the end included.
    pub files: &'static [&'static str],
    /// Folders it leaves.
    pub folders: &'static [&'static str],
    /// The requirement of the format on a scene; `None`: none.
    pub needs: Option<Content>,
    /// When it is written.
    pub making: Making,
}

/// Requirements that not every scene meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// Surfaces of fluids and of fragments.
    Surfaces,
    /// Fragments.
    Fragments,
}

/// When a format is written.
#[derive(Clone, Copy)]
pub enum Making {
    /// Frame by frame during the run: opens the files of a new run, or those of a checkpoint, truncated to their lengths at that time.
    Frames(Open),
    /// Drawn from VTU frames after the run, because only then the camera can be placed; those are kept too.
    Pictures(Pictures),
}

/// Opens a writer.
pub type Open = fn(&Opening) -> Result<Box<dyn FrameWriter>, RecordError>;

/// Which pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pictures {
    /// One per frame, in the folder of the format.
    Stills,
    /// An animation, in the file of the format.
    Animation,
}

impl Format {
    /// Opens its files; `None` for pictures.
    pub fn open(&self, opening: &Opening) -> Option<Result<Box<dyn FrameWriter>, RecordError>> {
        match self.making {
            Making::Frames(open) => Some(open(opening)),
            Making::Pictures(_) => None,
        }
    }

    /// Which pictures it is; `None` for frames.
    pub fn pictures(&self) -> Option<Pictures> {
        match self.making {
            Making::Frames(_) => None,
            Making::Pictures(pictures) => Some(pictures),
        }
    }
}

/// All formats.
pub const FORMATS: &[Format] = &[
    Format {
        name: "vtu",
        main: "frames.pvd (for ParaView)",
        files: &["frames.pvd"],
        folders: &["frames"],
        needs: None,
        making: Making::Frames(|opening| Ok(Box::new(VtuFrames::open(opening)?))),
    },
    Format {
        name: "ply",
        main: "ply/",
        files: &[],
        folders: &["ply"],
        needs: None,
        making: Making::Frames(|opening| Ok(Box::new(PlyFrames::open(opening)?))),
    },
    Format {
        name: "obj",
        main: "obj/",
        files: &[],
        folders: &["obj"],
        needs: None,
        making: Making::Frames(|opening| Ok(Box::new(ObjFrames::open(opening)?))),
    },
    Format {
        name: "usd",
        main: "animation.usda (for Blender)",
        files: &["animation.usda", "animation.frames"],
        folders: &[],
        needs: None,
        making: Making::Frames(|opening| Ok(Box::new(UsdFrames::open(opening)?))),
    },
    Format {
        name: "npy",
        main: "positions.npy, times.npy",
        files: &["positions.npy", "times.npy"],
        folders: &[],
        needs: None,
        making: Making::Frames(|opening| Ok(Box::new(NpyFrames::open(opening)?))),
    },
    Format {
        name: "surface",
        main: "surface/",
        files: &[],
        folders: &["surface"],
        needs: Some(Content::Surfaces),
        making: Making::Frames(|opening| Ok(Box::new(SurfaceFrames::open(opening)?))),
    },
    Format {
        name: "fragments",
        main: "fragments/",
        files: &[],
        folders: &["fragments"],
        needs: Some(Content::Fragments),
        making: Making::Frames(|opening| Ok(Box::new(FragmentTables::open(opening)?))),
    },
    Format {
        name: "png",
        main: "png/",
        files: &[],
        folders: &["png"],
        needs: None,
        making: Making::Pictures(Pictures::Stills),
    },
    Format {
        name: "gif",
        main: "animation.gif",
        files: &["animation.gif"],
        folders: &[],
        needs: None,
        making: Making::Pictures(Pictures::Animation),
    },
];

/// Names of all formats.
pub fn names() -> impl Iterator<Item = &'static str> + Clone {
    FORMATS.iter().map(|format| format.name)
}

/// Looks a format up.
pub fn find(name: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.name == name)
}

/// Rejects a state of another size than the system's.
pub(crate) fn check_shape(path: &Path, state: &State, expected: usize) -> Result<(), RecordError> {
    for (what, found) in [("particles", state.x.len()), ("velocities", state.v.len())] {
        if found != expected {
            return Err(RecordError::Shape { path: path.to_owned(), what, found, expected });
        }
    }
    Ok(())
}

/// Rejects fields of another number of particles than the system's.
pub(crate) fn check_fields(path: &Path, fields: &Fields, expected: usize) -> Result<(), RecordError> {
    match fields.all().iter().map(|field| field.values.len()).find(|found| *found != expected) {
        Some(found) => Err(RecordError::Shape { path: path.to_owned(), what: "values of a field", found, expected }),
        None => Ok(()),
    }
}

/// Rejects a system with edges, triangles or fine surfaces that name what does not exist.
pub(crate) fn check_bodies(path: &Path, system: &System) -> Result<(), RecordError> {
    let count = system.len();
    for body in system.bodies() {
        let named = body.edges.iter().flatten().chain(body.triangles.iter().flatten());
        if let Some(particle) = named.copied().find(|particle| *particle as usize >= count) {
            return Err(RecordError::BadEdge { path: path.to_owned(), body: body.name.clone(), particle, count });
        }
        let Some(surface) = &body.fine_surface else { continue };
        if let Some(particle) = surface.first_missing(count) {
            return Err(RecordError::BadEdge { path: path.to_owned(), body: body.name.clone(), particle, count });
        }
        if let Some(vertex) = surface.first_bad_corner() {
            let (body, count) = (body.name.clone(), surface.vertices.len());
            return Err(RecordError::BadCorner { path: path.to_owned(), body, vertex, count });
        }
    }
    Ok(())
}

/// Numbers of the particles that belong to no body.
pub(crate) fn loose_particles(system: &System) -> Vec<u32> {
    let mut loose = vec![true; system.len()];
    for body in system.bodies() {
        let end = body.particles.end.min(loose.len());
        loose[body.particles.start.min(end)..end].fill(false);
    }
    loose.iter().enumerate().filter(|(_, loose)| **loose).map(|(i, _)| i as u32).collect()
}

/// The number of each particle's body, and -1 for those without.
pub(crate) fn body_numbers(system: &System) -> Vec<i32> {
    let mut numbers = vec![-1; system.len()];
    for (number, body) in (0..).zip(system.bodies()) {
        let end = body.particles.end.min(numbers.len());
        numbers[body.particles.start.min(end)..end].fill(number);
    }
    numbers
}
