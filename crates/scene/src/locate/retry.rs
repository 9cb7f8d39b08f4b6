//! serde stops at the first error, which need not be the author's mistake: `[tme]` beside `[time.control]` is a table
//! `time` without `until`. Further errors are found by reading again, with a part of the document changed.

use serde::de::DeserializeOwned;
use toml::Value;

use super::path::{self, Segment, get};

/// serde's message, and its position.
#[derive(Clone)]
pub(super) struct Complaint {
    pub path: Vec<Segment>,
    pub message: String,
}

/// Reads values as a `T`.
pub(super) fn read<T: DeserializeOwned>(root: &Value) -> Result<T, Complaint> {
    serde_path_to_error::deserialize(root.clone()).map_err(|error| Complaint {
        path: path::from_serde(root, error.path()),
        message: error.inner().message().to_owned(),
    })
}

/// Where a key is missing, the first unknown key, if there is one: it is probably the missing one or its table, misspelt. A key is
/// reported as missing only after all of its table was read; without that table the rest is read.
pub(super) fn unknown_instead<T: DeserializeOwned>(root: &Value, first: &Complaint) -> Option<Complaint> {
    let mut rest = root.clone();
    let mut complaint = first.clone();
    let mut removed: Vec<Vec<Segment>> = Vec::new();
    while complaint.message.starts_with("missing field `") {
        remove(&mut rest, &complaint.path)?;
        removed.push(complaint.path);
        complaint = read::<T>(&rest).err()?;
    }
    // elements of arrays have moved up by the removed ones
    for gone in removed.iter().rev() {
        if let Some((Segment::Index(index), array)) = gone.split_last()
            && complaint.path.starts_with(array)
            && let Some(Segment::Index(moved)) = complaint.path.get_mut(array.len())
            && *moved >= *index
        {
            *moved += 1;
        }
    }
    complaint.message.starts_with("unknown field `").then_some(complaint)
}

fn remove(root: &mut Value, path: &[Segment]) -> Option<()> {
    let (last, around) = path.split_last()?;
    let inside = around.iter().try_fold(root, |value, segment| match segment {
        Segment::Key(key) => value.as_table_mut()?.get_mut(key),
        Segment::Index(index) => value.as_array_mut()?.get_mut(*index),
    })?;
    match (inside, last) {
        (Value::Table(table), Segment::Key(key)) => table.remove(key).map(|_| ()),
        (Value::Array(array), Segment::Index(index)) if *index < array.len() => {
            array.remove(*index);
            Some(())
        }
        _ => None,
    }
}

/// Whether the table at `path` should be an element of an array.
pub(super) fn wants_tables<T: DeserializeOwned>(root: &Value, path: &[Segment]) -> bool {
    let Some(table @ Value::Table(_)) = get(root, path) else { return false };
    let mut wrapped = root.clone();
    let place = path.iter().try_fold(&mut wrapped, |value, segment| match segment {
        Segment::Key(key) => value.as_table_mut()?.get_mut(key),
        Segment::Index(index) => value.as_array_mut()?.get_mut(*index),
    });
    let Some(place) = place else { return false };
    *place = Value::Array(vec![table.clone()]);
    let element = [path, &[Segment::Index(0)]].concat();
    let is_refused = |said: &Complaint| said.path == element && said.message.starts_with("invalid type: map");
    read::<T>(&wrapped).map_or_else(|said| !is_refused(&said), |_| true)
}
