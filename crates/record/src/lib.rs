//! The output of a run: frames in the formats of [`FORMATS`], CSV probes, a log of raw positions, checkpoints and JSON
//! statistics. Mesh files are those of [`pliant_mesh`].
//!
//! A run may be killed at any moment, and a disk may be full. Two rules keep its results usable:
//!
//! - What is written once (VTU, PLY, OBJ, USD, JSON, checkpoints) goes to a temporary file that takes the final name when it is complete
//!   ([`write_atomic`]): there is the old file or the new one, never half of one.
//! - What grows ([`CsvFile`], [`PvdFile`], [`FrameLog`], [`npy::NpyFile`]) knows its length. Lengths and hashes are stored in the [`Checkpoint`]; `resume`
//!   truncates the file to its length, and what follows is byte for byte what an undisturbed run would have written. So call `sync` on
//!   every growing file *before* the checkpoint that holds its length is saved.
//!
//! What is there can be compared with what was written: [`manifest`].
//!
//! Numbers are stored so that they read back to the same bits; binary ones are little endian on every machine. The fingerprint of a
//! state's bits is [`pliant_core::State::hash`].

mod append;
pub mod atomic;
pub mod checkpoint;
pub mod checksum;
pub mod csv;
pub mod error;
pub mod formats;
pub mod fragments;
pub mod frame_log;
mod little_endian;
pub mod manifest;
pub mod npy;
pub mod obj;
mod outside;
pub mod ply;
mod pvd;
pub mod stats;
pub mod surface;
pub mod usd;
pub mod vtk;
pub mod vtu_read;

pub use atomic::{write_atomic, write_atomic_with, write_hashed};
pub use checkpoint::Checkpoint;
pub use checksum::Checksum;
pub use csv::CsvFile;
pub use error::RecordError;
pub use formats::{Content, FORMATS, Format, FrameWriter, Making, Opening, Pictures};
pub use frame_log::{Difference, FrameLog, FrameLogReader, largest_difference};
pub use manifest::{Damage, Grown, MANIFEST, Manifest, Written};
pub use stats::{json, write_json};
pub use vtk::{PvdFile, VtuWriter, write_vtu};
pub use vtu_read::{Frame, Listed, read_mesh, read_pvd, read_vtu};
