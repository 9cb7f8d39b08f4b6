//! Inserts the value of a change.

use toml::Value;

use super::explain;
use super::path::{self, Segment};
use crate::language::Language;
use crate::suggest::nearest;

/// Inserts `value` at `path`, creating missing tables. Returns the path with array indices distinguished from keys.
pub(super) fn place(
    root: &mut Value,
    path: &[Segment],
    value: Value,
    language: Language,
) -> Result<Vec<Segment>, String> {
    let mut here = root;
    let mut done: Vec<Segment> = Vec::new();
    for (depth, segment) in path.iter().enumerate() {
        let name = path::show(&done);
        let segment = path::in_context(here, segment);
        done.push(segment.clone());
        here = match (here, segment) {
            (Value::Table(table), Segment::Key(key)) => {
                if let Some(Segment::Index(index)) = path.get(depth + 1)
                    && !table.contains_key(&key)
                {
                    let meant = nearest(&key, table.keys().map(String::as_str));
                    let hint = meant.map_or_else(String::new, |meant| format!("; did you mean \"{meant}\"?"));
                    return Err(format!("there is no {} to take element {index} of{hint}", path::show(&done)));
                }
                table.entry(key).or_insert_with(|| Value::Table(toml::Table::new()))
            }
            (Value::Array(array), Segment::Index(index)) => {
                let length = array.len();
                let elements = if length == 1 { "element" } else { "elements" };
                array.get_mut(index).ok_or_else(|| {
                    format!("{name} has {length} {elements}, so there is no [{index}] (the first is [0])")
                })?
            }
            (Value::Array(array), Segment::Key(key)) => {
                return Err(no_element(array, &name, &key, depth + 1 == path.len(), language));
            }
            (Value::Table(_), Segment::Index(index)) => {
                let what = if name.is_empty() { "the scene" } else { &name };
                let (table, array) = (language.table(), language.array());
                return Err(format!("{what} is {table}, not {array}: [{index}] has no meaning there"));
            }
            (scalar, _) => {
                let is = explain::describe(scalar, language);
                return Err(format!("{name} is {is}: there is nothing inside of it"));
            }
        };
    }
    *here = value;
    Ok(done)
}

/// The message where a key stands for an element of an array: a name that no element has, or a missing index.
fn no_element(array: &[Value], name: &str, key: &str, is_last: bool, language: Language) -> String {
    let names: Vec<&str> = array.iter().filter_map(path::name_of).collect();
    let is = format!("{name} is {}", language.array());
    let shown = path::show(&[Segment::Key(key.to_owned())]);
    match (names.as_slice(), is_last) {
        ([], _) => format!("{is}: write an index, as in {name}[0].{shown}"),
        ([first, ..], true) => {
            let first = path::show(&[Segment::Key((*first).to_owned())]);
            format!("{is}: write an index or a name, as in {name}[0].{shown} or {name}.{first}.{shown}")
        }
        (names, false) => {
            let hint = match nearest(key, names.iter().copied()) {
                Some(meant) => format!("did you mean \"{meant}\"?"),
                None => format!("there are: {}", names.join(", ")),
            };
            format!("nothing in {name} is called \"{key}\"; {hint}")
        }
    }
}
