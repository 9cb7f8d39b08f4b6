//! `stats.json` and other small results, for users and scripts. JSON has no NaN and no infinity: they are written as `null`.

use std::path::Path;

use serde::Serialize;

use crate::atomic::write_atomic;
use crate::error::RecordError;

/// Indented JSON with a final newline, for the file `path`.
pub fn json(path: &Path, value: &impl Serialize) -> Result<Vec<u8>, RecordError> {
    let text = serde_json::to_vec_pretty(value).map_err(|error| RecordError::io("write", path)(error.into()))?;
    Ok([&text[..], b"\n"].concat())
}

/// Writes indented JSON with a final newline; the old file survives any failure.
pub fn write_json(path: &Path, value: &impl Serialize) -> Result<(), RecordError> {
    let text = json(path, value)?;
    write_atomic(path, |out| out.write_all(&text))
}
