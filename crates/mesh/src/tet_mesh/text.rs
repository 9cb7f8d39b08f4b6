//! Text files of numbers, row by row or word by word, with the line for messages. No memory is reserved for a count that a file states:
//! arrays grow with the actual contents.

use std::str::{FromStr, SplitAsciiWhitespace};

use glam::DVec3;

use crate::mesh::{BadMesh, NOT_FINITE};

/// A partly read file.
#[derive(Clone)]
pub(super) struct Text<'a> {
    bytes: &'a [u8],
    at: usize,
    /// The number of the last line that was begun, from 1.
    line: usize,
    /// What is left of that line, for words.
    rest: SplitAsciiWhitespace<'a>,
    /// What begins a comment.
    comment: Option<u8>,
}

/// A line cut into words.
pub(super) struct Row<'a> {
    words: SplitAsciiWhitespace<'a>,
    line: usize,
}

impl<'a> Text<'a> {
    pub fn new(bytes: &'a [u8], comment: Option<u8>) -> Self {
        Self { bytes, at: 0, line: 0, rest: "".split_ascii_whitespace(), comment }
    }

    /// The number of the last line that was begun, from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// An error at the current position.
    pub fn bad(&self, why: impl Into<String>) -> BadMesh {
        BadMesh::line(self.line.max(1), why)
    }

    /// The next line unparsed; the rest of the last one is dropped.
    pub fn raw_line(&mut self) -> Option<&'a [u8]> {
        let left = &self.bytes[self.at..];
        if left.is_empty() {
            return None;
        }
        let length = left.iter().position(|byte| *byte == b'\n');
        self.at += length.map_or(left.len(), |length| length + 1);
        self.line += 1;
        self.rest = "".split_ascii_whitespace();
        Some(&left[..length.unwrap_or(left.len())])
    }

    /// The next line that has words; `None` at the end.
    pub fn row(&mut self) -> Result<Option<Row<'a>>, BadMesh> {
        while let Some(line) = self.raw_line() {
            let end = self.comment.and_then(|mark| line.iter().position(|byte| *byte == mark)).unwrap_or(line.len());
            let text =
                std::str::from_utf8(&line[..end]).map_err(|_| self.bad("this line is no text: is the file binary?"))?;
            if !text.trim_ascii().is_empty() {
                return Ok(Some(Row { words: text.split_ascii_whitespace(), line: self.line }));
            }
        }
        Ok(None)
    }

    /// The next line that has words; the end is an error that says what is missing.
    pub fn needed_row(&mut self, what: &str) -> Result<Row<'a>, BadMesh> {
        let row = self.row()?;
        row.ok_or_else(|| self.bad(format!("the file ends where {what} should be")))
    }

    /// The next number, on this line or a later one.
    pub fn number<T: FromStr>(&mut self, what: &str) -> Result<T, BadMesh> {
        loop {
            if let Some(word) = self.rest.next() {
                return word.parse().map_err(|_| self.bad(format!("\"{word}\" is not {what}")));
            }
            self.rest = self.needed_row(what)?.words;
        }
    }

    /// Fails if the rest of the file cannot hold this many items of at least two bytes each.
    pub fn check_count(&self, count: usize, what: &str) -> Result<(), BadMesh> {
        let left = self.bytes.len() - self.at;
        if count.checked_mul(2).is_some_and(|bytes| bytes <= left + 1) {
            return Ok(());
        }
        Err(self.bad(format!("{count} {what} do not fit into the {left} bytes that are left of the file")))
    }
}

impl<'a> Row<'a> {
    pub fn bad(&self, why: impl Into<String>) -> BadMesh {
        BadMesh::line(self.line, why)
    }

    pub fn word(&mut self) -> Option<&'a str> {
        self.words.next()
    }

    pub fn number<T: FromStr>(&mut self, what: &str) -> Result<T, BadMesh> {
        let word = self.word().ok_or_else(|| self.bad(format!("the line ends where {what} should be")))?;
        word.parse().map_err(|_| self.bad(format!("\"{word}\" is not {what}")))
    }

    /// Three finite coordinates.
    pub fn point(&mut self) -> Result<DVec3, BadMesh> {
        let mut point = DVec3::ZERO;
        for axis in 0..3 {
            point[axis] = self.number("a coordinate")?;
        }
        if point.is_finite() { Ok(point) } else { Err(self.bad(NOT_FINITE)) }
    }

    /// Everything that is left of the line.
    pub fn all<T: FromStr>(&mut self, what: &str) -> Result<Vec<T>, BadMesh> {
        let mut all = Vec::new();
        while let Some(word) = self.word() {
            all.push(word.parse().map_err(|_| self.bad(format!("\"{word}\" is not {what}")))?);
        }
        Ok(all)
    }
}
