//! Errors of writing and reading files. Every message names the file and a remedy, because it is the
//! last line that the user of a long run sees.

use std::io;
use std::path::{Path, PathBuf};

use pliant_mesh::{FileError, MeshError};
use thiserror::Error;

/// Errors of the files of a run.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The operating system refused. Its answer is part of the message, so it is not repeated as a source.
    #[error("cannot {doing} {path}: {error}")]
    Io {
        /// What was being done: `write`, `read`, `create`, `resume`, …
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// The answer.
        error: io::Error,
    },
    /// The file does not begin like a checkpoint.
    #[error("{path} is not a Pliant checkpoint: one begins with the letters PLIANTCP")]
    NotACheckpoint {
        /// The file.
        path: PathBuf,
    },
    /// A checkpoint of another version of the format.
    #[error(
        "{path} is a checkpoint of version {found}, but this program reads version {known}: resume with the program that wrote it, \
         or start the run again"
    )]
    WrongVersion {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// The version that can be read.
        known: u32,
    },
    /// A checkpoint that ends too early.
    #[error(
        "{path} is cut short: {found} bytes of a checkpoint that needs {needed}: use an earlier one, or start the run again"
    )]
    Truncated {
        /// The file.
        path: PathBuf,
        /// Bytes there are.
        found: u64,
        /// Bytes there should be.
        needed: u64,
    },
    /// A checkpoint with bytes that are not those that were written.
    #[error("{path} is damaged: {why}: use an earlier checkpoint, or start the run again")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The failed check.
        why: String,
    },
    /// A checkpoint of another scene.
    #[error(
        "{path} belongs to another scene: its fingerprint is {found:016x}, that of this scene is {expected:016x}: resume with the \
         scene file and the settings that the run was started with"
    )]
    Foreign {
        /// The file.
        path: PathBuf,
        /// Fingerprint in the file.
        found: u64,
        /// Fingerprint of the scene at hand.
        expected: u64,
    },
    /// What was to be written does not fit the file: another number of particles or columns than it was created with.
    #[error("cannot write {path}: {found} {what}, but there must be {expected}")]
    Shape {
        /// The file.
        path: PathBuf,
        /// What was counted: `particles`, `columns`, …
        what: &'static str,
        /// How many came.
        found: usize,
        /// How many are right.
        expected: usize,
    },
    /// An edge to draw names a particle that does not exist.
    #[error("cannot write {path}: an edge of body \"{body}\" names particle {particle}, but there are only {count}")]
    BadEdge {
        /// The file.
        path: PathBuf,
        /// The body.
        body: String,
        /// The particle named.
        particle: u32,
        /// How many there are.
        count: usize,
    },
    /// A triangle of a fine surface names a vertex that does not exist.
    #[error(
        "cannot write {path}: a triangle of body \"{body}\" names vertex {vertex} of its surface, which has only {count}"
    )]
    BadCorner {
        /// The file.
        path: PathBuf,
        /// The body.
        body: String,
        /// The vertex named.
        vertex: u32,
        /// How many there are.
        count: usize,
    },
    /// A fluid without a surface.
    #[error("cannot write {path}: body \"{body}\": {why}")]
    NoSurface {
        /// The file.
        path: PathBuf,
        /// The fluid.
        body: String,
        /// The reason.
        why: pliant_surface::SurfaceError,
    },
    /// An output file that does not match the checkpoint.
    #[error("cannot resume {path}: {why}: put back the file that belongs to the checkpoint, or start the run again")]
    NotResumable {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// A file that is not there as it was written.
    #[error("{path} {why}: the result is not complete; start the run again")]
    Lost {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// A file that is not a log of frames, or not a whole one.
    #[error("{path} is not a usable frame log: {why}")]
    BadFrameLog {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// A file that is not a frame, or a list of frames, of ours.
    #[error("{path} is not a usable frame: {why}")]
    BadFrame {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// A mesh that cannot be read or written.
    #[error(transparent)]
    Mesh(MeshError),
    /// Two logs of frames that do not show the same moments of the same particles.
    #[error("{a} and {b} cannot be compared: {why}")]
    Incomparable {
        /// The first log.
        a: PathBuf,
        /// The second log.
        b: PathBuf,
        /// Where they differ, and what would be right.
        why: String,
    },
}

impl From<FileError> for RecordError {
    fn from(FileError { doing, path, error }: FileError) -> Self {
        Self::Io { doing, path, error }
    }
}

impl From<MeshError> for RecordError {
    fn from(error: MeshError) -> Self {
        match error {
            MeshError::File(error) => error.into(),
            error => Self::Mesh(error),
        }
    }
}

impl RecordError {
    /// For `map_err`: the operating system's refusal, with what was being done to which file.
    pub fn io<'a>(doing: &'static str, path: &'a Path) -> impl FnOnce(io::Error) -> Self + 'a {
        move |error| Self::Io { doing, path: path.to_owned(), error }
    }

    /// The operating system's answer, where it is what failed.
    pub fn io_kind(&self) -> Option<io::ErrorKind> {
        if let Self::Io { error, .. } = self { Some(error.kind()) } else { None }
    }
}
