//! A mesh as files hold it, and readers by file extension.

use std::path::Path;

use glam::DVec3;
use thiserror::Error;

use crate::atomic::FileError;
use crate::attribute::Attribute;
use crate::obj::write_obj;
use crate::obj_read::parse_obj;
use crate::ply::write_ply;
use crate::ply_read::parse_ply;
use crate::regular;
use crate::stl::parse_stl;

/// Largest number of corners of a face: PLY counts them in one byte.
pub const MAX_CORNERS: usize = 255;
/// Extensions that can be read.
pub const READABLE: [&str; 3] = ["obj", "ply", "stl"];
/// Extensions that can be written.
pub const WRITABLE: [&str; 2] = ["obj", "ply"];

/// What is wrong with a point that is nowhere.
pub(crate) const NOT_FINITE: &str = "a coordinate is not finite";

/// Points, polygons and lines; the order of the points is that of the file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Positions, m.
    pub points: Vec<DVec3>,
    /// Corners of each polygon.
    pub faces: Vec<Vec<u32>>,
    /// Ends of each line.
    pub edges: Vec<[u32; 2]>,
    /// Further numbers for every point; only PLY can hold them.
    pub attributes: Vec<Attribute>,
}

/// What is wrong with a mesh file, and where.
#[derive(Clone, Debug, Error, PartialEq)]
#[error("{place}{why}")]
pub struct BadMesh {
    /// `line 12: ` or `byte 80: `.
    pub place: String,
    /// What is wrong.
    pub why: String,
}

impl BadMesh {
    /// Something wrong in a line, counted from 1.
    pub(crate) fn line(line: usize, why: impl Into<String>) -> Self {
        Self { place: format!("line {line}: "), why: why.into() }
    }

    /// Something wrong at a byte, counted from 0.
    pub(crate) fn byte(byte: usize, why: impl Into<String>) -> Self {
        Self { place: format!("byte {byte}: "), why: why.into() }
    }
}

/// Errors of reading and writing meshes.
#[derive(Debug, Error)]
pub enum MeshError {
    /// An unknown extension.
    #[error("{path}: {doing} needs a name that ends in {known}")]
    UnknownEnding {
        /// The file.
        path: String,
        /// `reading` or `writing`.
        doing: &'static str,
        /// What is known.
        known: String,
    },
    /// The file is broken.
    #[error("{path}: {bad}")]
    Bad {
        /// The file.
        path: String,
        /// What and where.
        bad: BadMesh,
    },
    /// An attribute with another number of values than there are points.
    #[error("cannot write {path}: {found} values of an attribute, but there must be {expected}")]
    WrongCount {
        /// The file.
        path: String,
        /// Values there are.
        found: usize,
        /// Points there are.
        expected: usize,
    },
    /// An error of the operating system.
    #[error(transparent)]
    File(#[from] FileError),
}

/// The extension of a name in lower case, if it is a known one.
pub fn ending(path: &Path, doing: &'static str, known: &[&str]) -> Result<String, MeshError> {
    let ending = path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase();
    if known.contains(&ending.as_str()) {
        return Ok(ending);
    }
    let known = known.iter().map(|e| format!(".{e}")).collect::<Vec<_>>().join(" or ");
    Err(MeshError::UnknownEnding { path: path.display().to_string(), doing, known })
}

impl Mesh {
    /// Its faces cut into triangles, in fans from their first corners: correct for convex polygons.
    pub fn triangles(&self) -> Vec<[u32; 3]> {
        let fan = |face: &Vec<u32>| {
            (1..face.len().saturating_sub(1)).map(|k| [face[0], face[k], face[k + 1]]).collect::<Vec<_>>()
        };
        self.faces.iter().flat_map(fan).collect()
    }

    /// Fails where [`Mesh::write`] would for the name alone.
    pub fn check_writable(path: &Path) -> Result<(), MeshError> {
        ending(path, "writing", &WRITABLE).map(|_| ())
    }

    /// Reads OBJ, PLY or STL, by extension.
    pub fn read(path: &Path) -> Result<Self, MeshError> {
        let ending = ending(path, "reading", &READABLE)?;
        let bytes = regular::read(path).map_err(FileError::of("read", path))?;
        let mesh = match ending.as_str() {
            "obj" => parse_obj(&bytes),
            "ply" => parse_ply(&bytes),
            _ => parse_stl(&bytes),
        };
        mesh.map_err(|bad| MeshError::Bad { path: path.display().to_string(), bad })
    }

    /// Writes OBJ (without the attributes) or PLY, by extension; the old file survives any failure.
    pub fn write(&self, path: &Path) -> Result<(), MeshError> {
        match ending(path, "writing", &WRITABLE)?.as_str() {
            "obj" => write_obj(path, self)?,
            _ => write_ply(path, self)?,
        }
        Ok(())
    }

    /// The first index of a face or an edge that is out of range.
    pub(crate) fn first_bad_index(&self) -> Option<u32> {
        let count = self.points.len();
        let named = self.faces.iter().flatten().chain(self.edges.iter().flatten());
        named.copied().find(|index| *index as usize >= count)
    }
}
