//! Positions of errors in a scene file.
//!
//! A [`Document`] is the text of a TOML file together with its changes (`--set`). It hands out plain serde data, and
//! any error, serde's or a later check's, comes back as a [`Located`]: `scene.toml:14: solid[2].poisson: must be below
//! 0.5, got 0.7`, or `time.until=-1: time.until: …` where a change is the cause. Positions are found by parsing the
//! text again with spans, which happens only after an error; so deserialization works on ordinary values, and
//! internally tagged enums, which lose serde's own positions, cost nothing.

mod explain;
mod path;
mod place;
mod quotes;
mod retry;

use std::fmt;

use serde::de::DeserializeOwned;
use toml::Value;
use toml::de::{DeTable, DeValue};

use path::Segment;
pub use path::split_assignment;
use retry::Complaint;

use crate::language::Language;

/// An error with its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// The file.
    pub file: String,
    /// The line, from 1, where one is known.
    pub line: Option<usize>,
    /// The change of the file, as `path=value`, that is the cause instead.
    pub change: Option<String>,
    /// The key, as `springs[2].poisson`; empty for the whole file.
    pub path: String,
    /// What is wrong, and valid values.
    pub message: String,
}

impl Located {
    /// The whole message. `named` gives the front end's name of a change: `--set time.until=-1`, or `--until -1`.
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

/// Why a text is not a path to a key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct PathError {
    /// What is wrong, and a valid form.
    pub message: String,
}

/// A TOML file and its changes by the command line.
#[derive(Clone, Debug)]
pub struct Document {
    label: String,
    text: String,
    /// The merged values; always a table.
    root: Value,
    overrides: Vec<Override>,
    /// The front ends of the file and of the changes.
    languages: [Language; 2],
    /// Whether the text is that of a file, so that its lines can be named.
    has_lines: bool,
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
            let quote = error.span().and_then(|span| quotes::in_line(text, span.start));
            let message = match quote {
                Some((quote, at)) => quotes::refused(quote, &format!("at column {}", position(text, at).1)),
                None if explain::too_large(error.message()) => {
                    format!("the integer{column} does not fit: integers go from {} to {}", i64::MIN, i64::MAX)
                }
                None => format!("not valid TOML{column}: {}", error.message()),
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
        let (label, text, root) = (label.to_owned(), text.to_owned(), Value::Table(table));
        Ok(Self { label, text, root, overrides: Vec::new(), languages: Default::default(), has_lines: true })
    }

    /// A document from a program. Its lines mean nothing to the author, so messages name keys alone.
    pub fn of_program(label: &str, table: toml::Table, language: Language) -> Self {
        // A tree of tables, arrays and scalars can always be written as TOML.
        let (text, root) = (toml::to_string(&table).unwrap_or_default(), Value::Table(table));
        let (label, languages) = (label.to_owned(), [language; 2]);
        Self { label, text, root, overrides: Vec::new(), languages, has_lines: false }
    }

    /// The same document, with its file and its changes named in the terms of these front ends.
    pub fn told_in(self, file: Language, changes: Language) -> Self {
        Self { languages: [file, changes], ..self }
    }

    /// The name of the file in messages.
    pub fn label(&self) -> &str {
        &self.label
    }

    /// The name of an array of tables in the terms of the front end: `[[cloth]]`.
    pub fn header(&self, key: &str) -> String {
        self.languages[0].header(key)
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
        if let Some(quote) = text.chars().next().filter(|first| quotes::is_typographic(*first)) {
            return Err(fail(name, quotes::refused(quote, "before the value")));
        }
        let value = text.parse().unwrap_or_else(|_| Value::String(text.to_owned()));
        let mut root = self.root.clone();
        let path =
            place::place(&mut root, &segments, value, self.languages[1]).map_err(|message| fail(name, message))?;
        self.root = root;
        self.overrides.push(Override { path, assignment: assignment.to_owned() });
        Ok(())
    }

    /// The merged values as a `T`.
    pub fn deserialize<T: DeserializeOwned>(&self) -> Result<T, Located> {
        retry::read(&self.root).map_err(|first: Complaint| {
            let said = retry::unknown_instead::<T>(&self.root, &first).unwrap_or(first);
            if said.message.starts_with("invalid type: map, expected a sequence")
                && retry::wants_tables::<T>(&self.root, &said.path)
            {
                return self.locate(&said.path, self.one_of_several(&said.path));
            }
            let language = |path: &[Segment]| self.language(path);
            let (path, message) = explain::explain(&self.root, said.path, &said.message, &language);
            let located = self.locate(&path, message);
            // a key that the whole file lacks is reported at its start
            let line = located.line.or((path.is_empty() && located.change.is_none() && self.has_lines).then_some(1));
            Located { line, ..located }
        })
    }

    /// The correct form where one table stands for an array of them.
    fn one_of_several(&self, path: &[Segment]) -> String {
        let language = self.language(path);
        let needs = format!("needs {}", language.tables());
        let dotted = path::show(&path.iter().filter(|s| matches!(s, Segment::Key(_))).cloned().collect::<Vec<_>>());
        let last = path.last().map_or_else(String::new, |segment| path::show(std::slice::from_ref(segment)));
        match self.blamed(path) {
            Some(change) if change.path.len() > path.len() => {
                let header = language.header(&dotted);
                return format!("the scene has no {header} in which something could be changed");
            }
            _ if language == Language::Python => return format!("{needs}, but this is a dict: write [{{...}}]"),
            Some(_) => return format!("{needs}: write {last}=[{{ ... }}]"),
            None => {}
        }
        let start = self.find(path).1.unwrap_or(0);
        let line = self.text[..start].rfind('\n').map_or(0, |at| at + 1);
        let line = self.text[line..].lines().next().unwrap_or_default();
        let bare: String = line.split(['#', ']']).next().unwrap_or_default().split_whitespace().collect();
        match bare.strip_prefix('[') {
            Some(header) if header == dotted => format!("{needs}: write [[{dotted}]] instead of [{dotted}]"),
            None if line.contains('{') => format!("{needs}: write {last} = [{{ ... }}]"),
            _ => format!("{needs}: begin it with [[{dotted}]]"),
        }
    }

    /// The error that the value at `path` (`springs[2].poisson`) is wrong, with the line of that key or of the nearest
    /// one around it.
    pub fn at(&self, path: &str, message: impl Into<String>) -> Located {
        match path::parse(path) {
            Ok(segments) => self.locate(&path::canonical(&self.root, segments), message.into()),
            Err(_) => Located { path: path.to_owned(), ..self.locate(&[], message.into()) },
        }
    }

    /// The same where several keys are incompatible: a changed one is the cause, else the first.
    pub fn at_one_of(&self, paths: &[&str], message: impl Into<String>) -> Located {
        let message = message.into();
        let mut all = paths.iter().map(|path| self.at(path, message.as_str()));
        let first = all.next().unwrap_or_else(|| self.locate(&[], message.clone()));
        if first.change.is_some() { first } else { all.find(|one| one.change.is_some()).unwrap_or(first) }
    }

    /// The path as messages show it: `cloth.0.density` is `cloth[0].density`, if that is an array.
    pub fn canonical(&self, path: &str) -> Result<String, PathError> {
        let segments = path::parse(path).map_err(|message| PathError { message })?;
        Ok(path::show(&path::canonical(&self.root, segments)))
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
        let change = self.blamed(path).map(|change| change.assignment.clone());
        let offset = if change.is_none() && self.has_lines { self.find(path).1 } else { None };
        let line = offset.map(|offset| position(&self.text, offset).0);
        Located { file: self.label.clone(), line, change, path: path::show(path), message }
    }

    /// The change that caused an error at `path`; `None` for the file.
    fn blamed(&self, path: &[Segment]) -> Option<&Override> {
        let (known, _) = self.find(path);
        // Set itself, or inside of what was set, or a table that exists only because something in it was set. The last change counts.
        let is_to_blame = |change: &&Override| {
            path.starts_with(&change.path) || (known < path.len() && change.path.starts_with(path))
        };
        self.overrides.iter().rev().find(is_to_blame)
    }

    fn language(&self, path: &[Segment]) -> Language {
        self.languages[usize::from(self.blamed(path).is_some())]
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

#[cfg(test)]
mod tests;
