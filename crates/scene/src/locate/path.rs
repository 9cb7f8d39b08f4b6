//! Paths into a document: `springs[2].rest_length`, `springs.2.rest_length`, `springs.net.rest_length`, `presets."my cloth".density`.

use toml::Value;

/// One step into a table or an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Segment {
    Key(String),
    Index(usize),
}

/// Largest nesting depth. The bound keeps recursion over a document within the stack.
const MAX_DEPTH: usize = 32;

/// Splits `path=value` at the first `=` outside of quotes.
pub fn split_assignment(text: &str) -> Option<(&str, &str)> {
    let mut quote = None;
    for (at, c) in text.char_indices() {
        match (c, quote) {
            ('=', None) => return Some((&text[..at], &text[at + 1..])),
            ('"' | '\'', None) => quote = Some(c),
            (c, Some(open)) if c == open => quote = None,
            _ => {}
        }
    }
    None
}

/// Reads a path. A number between dots stays a key here; [`canonical`] decides by the document.
pub(super) fn parse(text: &str) -> Result<Vec<Segment>, String> {
    let mut path = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        if let Some(inside) = rest.strip_prefix('[') {
            let (index, after) = inside.split_once(']').ok_or("a bracket is not closed")?;
            let index = index.trim().parse().map_err(|_| format!("[{index}] is no index: write for example [0]"))?;
            path.push(Segment::Index(index));
            rest = after;
        } else {
            let (key, after) = match rest.chars().next() {
                Some(quote @ ('"' | '\'')) => rest[1..].split_once(quote).ok_or("a quote is not closed")?,
                _ => rest.split_at(rest.find(['.', '[']).unwrap_or(rest.len())),
            };
            if key.trim().is_empty() {
                return Err("a key is empty: write for example time.until".to_owned());
            }
            path.push(Segment::Key(key.trim().to_owned()));
            rest = after;
        }
        if path.len() > MAX_DEPTH {
            return Err(format!("has more than {MAX_DEPTH} parts"));
        }
        rest = rest.trim_start();
        if let Some(after) = rest.strip_prefix('.') {
            rest = after.trim_start();
            if rest.is_empty() {
                return Err("ends with a dot".to_owned());
            }
        } else if !rest.is_empty() && !rest.starts_with('[') {
            return Err(format!("\"{rest}\" should be separated by a dot"));
        }
    }
    if path.is_empty() { Err("the path is empty: write for example time.until".to_owned()) } else { Ok(path) }
}

/// The path as it is shown: `springs[2].rest_length`.
pub(super) fn show(path: &[Segment]) -> String {
    let mut text = String::new();
    for segment in path {
        match segment {
            Segment::Index(index) => text += &format!("[{index}]"),
            Segment::Key(key) => {
                let bare = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
                let dot = if text.is_empty() { "" } else { "." };
                text += &if bare { format!("{dot}{key}") } else { format!("{dot}{key:?}") };
            }
        }
    }
    text
}

/// The value one step inside.
pub(super) fn step<'a>(value: &'a Value, segment: &Segment) -> Option<&'a Value> {
    match segment {
        Segment::Key(key) => value.as_table()?.get(key),
        Segment::Index(index) => value.as_array()?.get(*index),
    }
}

/// The value at a path.
pub(super) fn get<'a>(root: &'a Value, path: &[Segment]) -> Option<&'a Value> {
    path.iter().try_fold(root, step)
}

/// A number used as a key of an array is an index, and so is the name of one of its elements.
pub(super) fn in_context(value: &Value, segment: &Segment) -> Segment {
    match (value, segment) {
        (Value::Array(array), Segment::Key(key)) => {
            let named = || array.iter().position(|element| name_of(element) == Some(key));
            key.parse().ok().or_else(named).map_or_else(|| segment.clone(), Segment::Index)
        }
        _ => segment.clone(),
    }
}

/// The name that a table gives itself.
pub(super) fn name_of(element: &Value) -> Option<&str> {
    element.as_table()?.get("name")?.as_str()
}

/// The path with numbers read as array positions where there is an array.
pub(super) fn canonical(root: &Value, mut path: Vec<Segment>) -> Vec<Segment> {
    let mut value = Some(root);
    for segment in &mut path {
        let Some(here) = value else { break };
        *segment = in_context(here, segment);
        value = step(here, segment);
    }
    path
}

/// The path that serde was on. Variant names count only where they are keys in the file.
pub(super) fn from_serde(root: &Value, path: &serde_path_to_error::Path) -> Vec<Segment> {
    use serde_path_to_error::Segment as Serde;
    let mut result = Vec::new();
    for segment in path {
        match segment {
            Serde::Seq { index } => result.push(Segment::Index(*index)),
            Serde::Map { key } => result.push(Segment::Key(key.clone())),
            Serde::Enum { variant } => {
                let key = Segment::Key(variant.clone());
                if get(root, &result).and_then(|value| step(value, &key)).is_some() {
                    result.push(key);
                }
            }
            Serde::Unknown => break,
        }
    }
    result
}
