//! The values behind the header, one after the other. All types fit into `f64` without loss.

use super::header::Encoding;
use crate::attribute::NumberKind;
use crate::mesh::BadMesh;

pub(super) struct Values<'a> {
    bytes: &'a [u8],
    at: usize,
    encoding: Encoding,
    /// Text: the number of the line and what is left of it.
    line: usize,
    rest: &'a [u8],
}

impl<'a> Values<'a> {
    pub fn new(bytes: &'a [u8], at: usize, line: usize, encoding: Encoding) -> Self {
        Self { bytes, at, encoding, line, rest: &[] }
    }

    fn is_text(&self) -> bool {
        self.encoding == Encoding::Text
    }

    /// Bytes that are not read yet; in text, those of this line included.
    pub fn left(&self) -> usize {
        self.bytes.len() - self.at + self.rest.len()
    }

    pub fn bad(&self, why: String) -> BadMesh {
        if self.is_text() { BadMesh::line(self.line, why) } else { BadMesh::byte(self.at, why) }
    }

    /// Text: goes on to the next line that is not empty.
    pub fn begin_row(&mut self) -> Result<(), BadMesh> {
        while self.is_text() && self.rest.is_empty() {
            if self.at == self.bytes.len() {
                return Err(self.bad("the file ends before all rows are there".into()));
            }
            let from = &self.bytes[self.at..];
            let length = from.iter().position(|byte| *byte == b'\n');
            self.rest = from[..length.unwrap_or(from.len())].trim_ascii();
            self.at += length.map_or(from.len(), |length| length + 1);
            self.line += 1;
        }
        Ok(())
    }

    /// Text: a row ends with its line.
    pub fn end_row(&mut self, element: &str) -> Result<(), BadMesh> {
        if !self.is_text() || self.rest.is_empty() {
            return Ok(());
        }
        Err(self.bad(format!("there is more in this row than element \"{element}\" declares")))
    }

    /// Behind the last row there is nothing but blanks.
    pub fn end(&mut self) -> Result<(), BadMesh> {
        let rest = &self.bytes[self.at..];
        let blank = rest.len() - rest.trim_ascii_start().len();
        if blank == rest.len() {
            return Ok(());
        }
        self.at += blank;
        self.line += 1 + rest[..blank].iter().filter(|byte| **byte == b'\n').count();
        Err(self.bad(format!("{} bytes follow the last row that the header declares", rest.len() - blank)))
    }

    pub fn next(&mut self, kind: NumberKind) -> Result<f64, BadMesh> {
        if self.is_text() { self.next_word() } else { self.next_binary(kind) }
    }

    fn next_word(&mut self) -> Result<f64, BadMesh> {
        let length = self.rest.iter().position(u8::is_ascii_whitespace).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(length);
        if word.is_empty() {
            return Err(self.bad("the row ends too early".into()));
        }
        let word = String::from_utf8_lossy(word);
        let value = word.parse().map_err(|_| self.bad(format!("\"{word}\" is no number")))?;
        self.rest = rest.trim_ascii_start();
        Ok(value)
    }

    fn next_binary(&mut self, kind: NumberKind) -> Result<f64, BadMesh> {
        let Some(from) = self.bytes.get(self.at..self.at + kind.bytes()) else {
            return Err(self.bad("the file ends before all rows are there".into()));
        };
        self.at += kind.bytes();
        let mut ordered = [0; 8];
        let ordered = &mut ordered[..kind.bytes()];
        ordered.copy_from_slice(from);
        if self.encoding == Encoding::BigEndian {
            ordered.reverse();
        }
        Ok(match (kind, &*ordered) {
            (NumberKind::I8, &[a]) => f64::from(a as i8),
            (NumberKind::U8, &[a]) => f64::from(a),
            (NumberKind::I16, &[a, b]) => f64::from(i16::from_le_bytes([a, b])),
            (NumberKind::U16, &[a, b]) => f64::from(u16::from_le_bytes([a, b])),
            (NumberKind::I32, &[a, b, c, d]) => f64::from(i32::from_le_bytes([a, b, c, d])),
            (NumberKind::U32, &[a, b, c, d]) => f64::from(u32::from_le_bytes([a, b, c, d])),
            (NumberKind::F32, &[a, b, c, d]) => f64::from(f32::from_le_bytes([a, b, c, d])),
            (_, from) => f64::from_le_bytes(from.try_into().expect("eight bytes were taken")),
        })
    }
}
