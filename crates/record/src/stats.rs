//! `stats.json` and other small results, for users and scripts. JSON has no NaN and no infinity: they are written as `null`.

use std::path::Path;

use serde::Serialize;

use crate::atomic::write_atomic;
use crate::error::RecordError;

/// Writes indented JSON with a final newline; the old file survives any failure.
pub fn write_json(path: &Path, value: &impl Serialize) -> Result<(), RecordError> {
    write_atomic(path, |out| {
        serde_json::to_writer_pretty(&mut *out, value)?;
        out.write_all(b"\n")
    })
}
