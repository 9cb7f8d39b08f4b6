//! Where in a scene file something is wrong.
//!
//! A [`Document`] is the text of a TOML file together with what was changed in it (`--set`). It hands out plain serde data, and
//! any error, serde's or a later check's, comes back as a [`Located`]: `scene.toml:14: solid[2].poisson: must be below
//! 0.5, got 0.7`, or `time.until=-1: time.until: …` where a change is to blame. Positions are looked up by parsing the
//! text again with spans, which happens only once something is wrong; so deserialization works on ordinary values, and
//! internally tagged enums, which lose serde's own positions, cost nothing.

mod explain;
mod path;

use std::fmt;

use serde::de::DeserializeOwned;
use toml::Value;
use toml::de::{DeTable, DeValue};

use path::Segment;
pub use path::split_assignment;

/// An error with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// The file.
    pub file: String,
    /// The line, from 1, where one is known.
    pub line: Option<usize>,
    /// The change of the file, as `path=value`, that is to blame in its place.
    pub change: Option<String>,
    /// The key, as `springs[2].poisson`; empty for the whole file.
    pub path: String,
    /// What is wrong and what would be right.
    pub message: String,
}

impl Located {
    /// The whole message. `named` says what whoever made a change calls it: `--set time.until=-1`, or `--until -1`.
    pub fn told(&self, named: &dyn Fn(&str) -> String) -> String {
        let place = match (&self.change, self.line) {
            (Some(change), _) => named(change),
            (None, Some(line)) => format!("{}:{line}", self.file),
            (None, None) => self.file.clone(),
        };
        let path = if self.path.is_empty() { String::new() } else { format!("{}: ", self.path) };
        format!("{place}: {path}{}", self.message)
    }
}

impl fmt::Display for Located {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.told(&str::to_owned))
    }
}

impl std::error::Error for Located {}

/// A TOML file and the changes that the command line makes to it.
#[derive(Clone, Debug)]
pub struct Document {
    label: String,
    text: String,
    /// The merged values; always a table.
    root: Value,
    overrides: Vec<Override>,
}

#[derive(Clone, Debug)]
struct Override {
    path: Vec<Segment>,
    assignment: String,
}

impl Document {
    /// Parses a file's text. `label` is its name in messages.
    pub fn parse(label: &str, text: &str) -> Result<Self, Located> {
        let syntax = |error: toml::de::Error| {
            let place = error.span().map(|span| position(text, span.start));
            let column = place.map_or(String::new(), |(_, column)| format!(" at column {column}"));
            let message = match explain::too_large(error.message()) {
                true => format!("the integer{column} does not fit: integers go from {} to {}", i64::MIN, i64::MAX),
                false => format!("not valid TOML{column}: {}", error.message()),
            };
            Located {
                file: label.to_owned(),
                line: place.map(|(line, _)| line),
                change: None,
                path: String::new(),
                message,
            }
        };
        let table: toml::Table = toml::from_str(text).map_err(syntax)?;
        Ok(Self { label: label.to_owned(), text: text.to_owned(), root: Value::Table(table), overrides: Vec::new() })
    }

    /// The name of the file in messages.
    pub fn label(&self) -> &str {
        &self.label
    }

    /// The merged values; always a table.
    pub fn value(&self) -> &Value {
        &self.root
    }

    /// Applies `path=value`, as `--set` gives it: `time.until=2`, `springs[0].stiffness=5 kN/m`, `springs.0.name="a"`.
    ///
    /// The value is read as TOML, and taken as a plain string if it is none. Missing tables are made. Nothing changes if
    /// this fails.
    pub fn set(&mut self, assignment: &str) -> Result<(), Located> {
        let assignment = assignment.trim();
        let fail = |path: &str, message: String| Located {
            file: self.label.clone(),
            line: None,
            change: Some(assignment.to_owned()),
            path: path.to_owned(),
            message,
        };
        let Some((name, text)) = path::split_assignment(assignment) else {
            return Err(fail("", format!("expected path=value, such as time.until=2, got \"{assignment}\"")));
        };
        let (name, text) = (name.trim(), text.trim());
        let segments = path::parse(name).map_err(|message| fail(name, message))?;
        let value = text.parse().unwrap_or_else(|_| Value::String(text.to_owned()));
        let mut root = self.root.clone();
        let path = place(&mut root, &segments, value).map_err(|message| fail(name, message))?;
        self.root = root;
        self.overrides.push(Override { path, assignment: assignment.to_owned() });
        Ok(())
    }

    /// The merged values as a `T`.
    pub fn deserialize<T: DeserializeOwned>(&self) -> Result<T, Located> {
        serde_path_to_error::deserialize(self.root.clone()).map_err(|error| {
            let path = path::from_serde(&self.root, error.path());
            let (path, message) = explain::explain(&self.root, path, error.inner().message());
            self.locate(&path, message)
        })
    }

    /// The error that what stands at `path` (`springs[2].poisson`) is wrong, with the line of that key or of the nearest
    /// one around it.
    pub fn at(&self, path: &str, message: impl Into<String>) -> Located {
        match path::parse(path) {
            Ok(segments) => self.locate(&path::canonical(&self.root, segments), message.into()),
            Err(_) => Located { path: path.to_owned(), ..self.locate(&[], message.into()) },
        }
    }

    /// The same where several keys do not go together: one that was changed is to blame, else the first.
    pub fn at_one_of(&self, paths: &[&str], message: impl Into<String>) -> Located {
        let message = message.into();
        let mut all = paths.iter().map(|path| self.at(path, message.as_str()));
        let first = all.next().unwrap_or_else(|| self.locate(&[], message.clone()));
        if first.change.is_some() { first } else { all.find(|one| one.change.is_some()).unwrap_or(first) }
    }

    /// The path as messages show it: `cloth.0.density` is `cloth[0].density`, if that is an array.
    pub fn canonical(&self, path: &str) -> Result<String, String> {
        path::parse(path).map(|segments| path::show(&path::canonical(&self.root, segments)))
    }

    /// The merged document as TOML. Without `--set` this is the file's own text, comments and all.
    pub fn to_toml(&self) -> String {
        if self.overrides.is_empty() {
            return self.text.clone();
        }
        let plain = |text: &str| text.replace(char::is_control, " ");
        let mut text = format!("# {}, changed by\n", plain(&self.label));
        for change in &self.overrides {
            text += &format!("#   --set {}\n", plain(&change.assignment));
        }
        text += "\n";
        // A tree of tables, arrays and scalars that was read from TOML can always be written as TOML.
        text += &toml::to_string(&self.root).unwrap_or_default();
        text
    }

    fn locate(&self, path: &[Segment], message: String) -> Located {
        let (known, offset) = self.find(path);
        // Set itself, or inside of what was set, or a table that exists only because something in it was set. The last change counts.
        let is_to_blame = |change: &&Override| {
            path.starts_with(&change.path) || (known < path.len() && change.path.starts_with(path))
        };
        let change = self.overrides.iter().rev().find(is_to_blame).map(|change| change.assignment.clone());
        let line = offset.filter(|_| change.is_none()).map(|offset| position(&self.text, offset).0);
        Located { file: self.label.clone(), line, change, path: path::show(path), message }
    }

    /// How many segments of the path exist in the file, and where the last of them starts.
    fn find(&self, path: &[Segment]) -> (usize, Option<usize>) {
        let Ok(table) = DeTable::parse(&self.text) else {
            return (0, None);
        };
        let root = DeValue::Table(table.into_inner());
        let mut value = &root;
        let mut offset = None;
        for (depth, segment) in path.iter().enumerate() {
            let next = match (value, segment) {
                (DeValue::Table(table), Segment::Key(key)) => {
                    let entry = table.iter().find(|(name, _)| name.get_ref() == key);
                    entry.map(|(name, value)| (name.span().start, value))
                }
                (DeValue::Array(array), Segment::Index(index)) => {
                    array.get(*index).map(|value| (value.span().start, value))
                }
                _ => None,
            };
            let Some((start, inner)) = next else {
                return (depth, offset);
            };
            offset = Some(start);
            value = inner.get_ref();
        }
        (path.len(), offset)
    }
}

/// Line and column of a byte offset, both from 1; columns count characters.
fn position(text: &str, offset: usize) -> (usize, usize) {
    let before = &text[..text.floor_char_boundary(offset)];
    let line = before.rsplit_once('\n').map_or(before, |(_, line)| line);
    (before.matches('\n').count() + 1, line.trim_start_matches('\u{feff}').chars().count() + 1)
}

/// Puts `value` at `path`, making the tables on the way. Returns the path with array positions told from keys.
fn place(root: &mut Value, path: &[Segment], value: Value) -> Result<Vec<Segment>, String> {
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
                    return Err(format!("there is no {} to take element {index} of", path::show(&done)));
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
            (Value::Array(_), Segment::Key(key)) => {
                return Err(format!("{name} is an array: write an index, as in {name}[0].{key}"));
            }
            (Value::Table(_), Segment::Index(index)) => {
                let what = if name.is_empty() { "the scene" } else { &name };
                return Err(format!("{what} is a table, not an array: [{index}] has no meaning there"));
            }
            (scalar, _) => {
                return Err(format!("{name} is {}: there is nothing inside of it", explain::describe(scalar)));
            }
        };
    }
    *here = value;
    Ok(done)
}

#[cfg(test)]
mod tests;
