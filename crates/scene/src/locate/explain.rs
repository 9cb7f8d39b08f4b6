//! serde's messages in the terms of a scene author.
//!
//! serde says `unknown field `stifness`, expected one of …`; we say `unknown key "stifness"; did you mean "stiffness"?`.
//! Where serde read a table into a buffer first (internally tagged and untagged enums) it knows only the table; then the
//! cause is searched for inside of that table, by the name or the value that the message quotes.

use toml::Value;

use super::path::{Segment, get};
use crate::language::Language;
use crate::schema::VERSION;
use crate::suggest::nearest;

/// The actual position of an error, and the message in plain language. `language_at` gives the terms.
pub(super) fn explain(
    root: &Value,
    path: Vec<Segment>,
    message: &str,
    language_at: &dyn Fn(&[Segment]) -> Language,
) -> (Vec<Segment>, String) {
    if let Some((name, known)) = names(message, "unknown field `") {
        let path = find_key(root, &path, name);
        return (path, format!("unknown key \"{name}\"{}", suggestion(name, &known, "keys")));
    }
    if let Some((name, known)) = names(message, "unknown variant `") {
        let here = get(root, &path);
        if here.and_then(Value::as_table).is_some_and(|table| table.contains_key(name)) {
            let path = find_key(root, &path, name);
            return (path, format!("unknown key \"{name}\"{}", suggestion(name, &known, "keys")));
        }
        let path = find_quoted(root, path, &format!("\"{name}\""));
        return (path, format!("unknown value \"{name}\"{}", suggestion(name, &known, "values")));
    }
    if let Some(name) = message.strip_prefix("missing field `").and_then(|rest| rest.strip_suffix('`')) {
        let add = match path.is_empty() && name == "version" {
            true => format!(": {}", language_at(&path).first_key(name, VERSION)),
            false => String::new(),
        };
        return (path, format!("the key \"{name}\" is missing{add}"));
    }
    if let Some(rest) = message.strip_prefix("invalid length ")
        && let Some((length, expected)) = rest.split_once(", expected ")
    {
        let needed = expected.rsplit(' ').next().and_then(|last| last.parse::<usize>().ok());
        let message = match needed {
            Some(needed) => format!("needs {needed} elements, but this has {length}"),
            None => format!("has {length} elements, which is too many"),
        };
        return (path, message);
    }
    let mismatch = ["invalid type: ", "invalid value: "].iter().find_map(|start| message.strip_prefix(start));
    if let Some((found, expected)) = mismatch.and_then(|rest| rest.split_once(", expected ")) {
        let path = find_quoted(root, path, found);
        let language = language_at(&path);
        let needs = needed(expected, language);
        let here = get(root, &path);
        // 15.0 for 15, as Python's division gives it
        if let (Some(Value::Float(number)), true) = (here, needs.starts_with(language.whole()))
            && number.fract() == 0.0
            && number.abs() < 1e15
        {
            return (path, format!("needs {needs}: write {number:.0} instead of {number:?}"));
        }
        let is = here.map_or_else(|| found.to_owned(), |value| describe(value, language));
        return (path, format!("needs {needs}, but this is {is}"));
    }
    if message.starts_with("wanted exactly 1 element") {
        let table = get(root, &path).and_then(Value::as_table);
        let keys: Vec<&str> = table.into_iter().flat_map(|table| table.keys().map(String::as_str)).collect();
        let has = if keys.is_empty() { "none".to_owned() } else { keys.join(", ") };
        return (path, format!("needs exactly one key, but this has {has}"));
    }
    if message.starts_with("data did not match any variant") {
        let language = language_at(&path);
        let is = get(root, &path).map_or_else(String::new, |value| format!(": this is {}", describe(value, language)));
        return (path, format!("has none of the forms that are allowed here{is}"));
    }
    (find_quoted(root, path, message), message.to_owned())
}

/// Whether the parser's error is an integer that it cannot parse.
pub(super) fn too_large(message: &str) -> bool {
    ["u64 value was too large", "integer number overflowed", "as i128", "as u128"]
        .iter()
        .any(|part| message.contains(part))
}

/// The unknown name and the known ones, from `unknown field `a`, expected one of `b`, `c``.
fn names<'a>(message: &'a str, start: &str) -> Option<(&'a str, Vec<&'a str>)> {
    let rest = message.strip_prefix(start)?;
    let end = rest.rfind("`, expected ").or_else(|| rest.rfind("`, there are no"))?;
    let known = rest[end + 1..].split('`').skip(1).step_by(2).collect();
    Some((&rest[..end], known))
}

fn suggestion(name: &str, known: &[&str], what: &str) -> String {
    match nearest(name, known.iter().copied()) {
        Some(meant) => format!("; did you mean \"{meant}\"?"),
        None if known.is_empty() => format!("; no {what} are known here"),
        None => format!("; known {what}: {}", known.join(", ")),
    }
}

/// The path of the key `name` at or below `path`; `path` itself if there is none or more than one.
fn find_key(root: &Value, path: &[Segment], name: &str) -> Vec<Segment> {
    let key = Segment::Key(name.to_owned());
    if path.last() == Some(&key) {
        return path.to_vec();
    }
    let direct = [path, std::slice::from_ref(&key)].concat();
    if get(root, &direct).is_some() {
        return direct;
    }
    let mut found = Vec::new();
    visit(root, path, &mut |place, _| {
        if place.last() == Some(&key) {
            found.push(place.to_vec());
        }
    });
    only(found).unwrap_or_else(|| path.to_vec())
}

/// The path of the one scalar below `path` that the message quotes; `path` itself if it is a scalar or that is not clear.
fn find_quoted(root: &Value, path: Vec<Segment>, message: &str) -> Vec<Segment> {
    let mut found = Vec::new();
    let mut longest = 0;
    visit(root, &path, &mut |place, value| {
        let quoted = match value {
            Value::String(text) => format!("\"{}\"", text.trim()),
            Value::Integer(number) => format!("`{number}`"),
            Value::Float(number) => format!("`{number:?}`"),
            Value::Boolean(truth) => format!("`{truth}`"),
            _ => return,
        };
        // "5 m" also occurs in "0.5 m": the longest quotation is meant.
        if message.contains(&quoted) && quoted.len() >= longest {
            if quoted.len() > longest {
                found.clear();
            }
            longest = quoted.len();
            found.push(place.to_vec());
        }
    });
    only(found).unwrap_or(path)
}

fn only<T>(mut found: Vec<T>) -> Option<T> {
    if found.len() == 1 { found.pop() } else { None }
}

/// Calls `each` with everything strictly inside of what stands at `path`.
fn visit(root: &Value, path: &[Segment], each: &mut impl FnMut(&[Segment], &Value)) {
    fn inside(place: &mut Vec<Segment>, value: &Value, each: &mut impl FnMut(&[Segment], &Value)) {
        let mut enter = |segment: Segment, value: &Value| {
            place.push(segment);
            each(place, value);
            inside(place, value, each);
            place.pop();
        };
        match value {
            Value::Table(table) => table.iter().for_each(|(key, value)| enter(Segment::Key(key.clone()), value)),
            Value::Array(array) => array.iter().enumerate().for_each(|(i, value)| enter(Segment::Index(i), value)),
            _ => {}
        }
    }
    if let Some(value) = get(root, path) {
        inside(&mut path.to_vec(), value, each);
    }
}

/// The kind of a value, for a sentence.
pub(super) fn describe(value: &Value, language: Language) -> String {
    match value {
        Value::String(text) => format!("the string {text:?}"),
        Value::Integer(number) => format!("the {} {number}", language.integer()),
        Value::Float(number) => format!("the {} {number}", language.float()),
        Value::Boolean(truth) => language.truth(*truth).to_owned(),
        Value::Datetime(date) => format!("the date {date}"),
        Value::Array(_) => language.array().to_owned(),
        Value::Table(_) => language.table().to_owned(),
    }
}

/// What serde expected, for a sentence.
fn needed(expected: &str, language: Language) -> String {
    let (table, array, whole) = (language.table(), language.array(), language.whole());
    match expected {
        "f32" | "f64" => "a number",
        "u8" => return format!("{whole} from 0 to 255"),
        "u16" => return format!("{whole} from 0 to 65535"),
        "u32" => return format!("{whole} from 0 to 4294967295"),
        "u64" | "u128" | "usize" => return format!("{whole}, 0 or more"),
        "i8" | "i16" | "i32" | "i64" | "i128" | "isize" => whole,
        "bool" | "a boolean" => return format!("{} or {}", language.truth(true), language.truth(false)),
        "a borrowed string" | "string" => "a string",
        "a sequence" | "sequence" => array,
        "a map" | "map" | "struct variant" | "newtype variant" => table,
        _ if expected.starts_with("struct ") || expected.starts_with("internally tagged enum") => table,
        _ if expected.starts_with("an array of length ") || expected.starts_with("a tuple of size ") => {
            let length = expected.rsplit(' ').next().unwrap_or_default();
            return format!("{array} of {length} elements");
        }
        _ if expected == "string only" || expected.starts_with("enum ") => return format!("a string or {table}"),
        _ => expected,
    }
    .to_owned()
}
