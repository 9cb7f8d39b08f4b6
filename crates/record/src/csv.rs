//! `probes.csv`: a header and rows of numbers that read back to the same bits. Each number is printed with the fewest digits that do
//! so, in plain notation from 1e-5 up to 1e16 and with an exponent outside (plain digits would take 300 characters for the smallest
//! numbers). Lines end in `\n`; names are quoted as RFC 4180 asks where they contain a comma, a quote or a line break, and where
//! they are empty.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use pliant_scalar::number::push_number;

use crate::append::{AppendFile, not_resumable};
use crate::checksum::Checksum;
use crate::error::RecordError;
use crate::manifest::Grown;

/// A table that grows by rows.
pub struct CsvFile {
    file: AppendFile,
    columns: usize,
    line: String,
}

impl CsvFile {
    /// A new table with these column names; replaces an existing one.
    pub fn create(path: &Path, header: &[String]) -> Result<Self, RecordError> {
        let mut csv = Self { file: AppendFile::create(path, &[])?, columns: header.len(), line: String::new() };
        for (i, name) in header.iter().enumerate() {
            csv.separate(i);
            if name.is_empty() || name.contains(['"', ',', '\n', '\r']) {
                csv.line += &format!("\"{}\"", name.replace('"', "\"\""));
            } else {
                csv.line += name;
            }
        }
        csv.end_line()?;
        // At once, so that an unwritable disk is found before the run and not after it.
        csv.flush()?;
        Ok(csv)
    }

    /// Continues a table that was `len` bytes long; later rows are truncated.
    pub fn resume(path: &Path, len: u64) -> Result<Self, RecordError> {
        let (file, columns) = AppendFile::resume(path, len, 0, |file| {
            let last = last_byte(file, len).map_err(RecordError::io("resume", path))?;
            if last != Some(b'\n') {
                return Err(not_resumable(path, format!("no row ends at byte {len}")));
            }
            count_columns(file).map_err(RecordError::io("resume", path))
        })?;
        Ok(Self { file, columns, line: String::new() })
    }

    /// Appends one row; it may stay in the buffer until [`CsvFile::flush`].
    pub fn row(&mut self, values: &[f64]) -> Result<(), RecordError> {
        if values.len() != self.columns {
            let path = self.file.path().to_owned();
            return Err(RecordError::Shape { path, what: "columns", found: values.len(), expected: self.columns });
        }
        for (i, value) in values.iter().enumerate() {
            self.separate(i);
            push_number(&mut self.line, *value);
        }
        self.end_line()
    }

    /// Flushes all rows to the system.
    pub fn flush(&mut self) -> Result<(), RecordError> {
        self.file.flush()
    }

    /// Waits until all rows are on the disk; before a checkpoint that stores [`CsvFile::len`].
    pub fn sync(&mut self) -> Result<(), RecordError> {
        self.file.sync()
    }

    /// What a checkpoint stores of it.
    pub fn grown(&self, name: &str) -> Grown {
        self.file.grown(name)
    }

    /// Length and hash of the whole file.
    pub fn checksum(&mut self) -> Result<Checksum, RecordError> {
        self.file.checksum()
    }

    /// Bytes so far, those in the buffer included.
    #[allow(clippy::len_without_is_empty)] // there is always a header
    pub fn len(&self) -> u64 {
        self.file.len()
    }

    fn separate(&mut self, column: usize) {
        if column > 0 {
            self.line.push(',');
        }
    }

    fn end_line(&mut self) -> Result<(), RecordError> {
        self.line.push('\n');
        let line = std::mem::take(&mut self.line);
        let written = self.file.append(|out| out.write_all(line.as_bytes()));
        self.line = line;
        self.line.clear();
        written
    }
}

fn last_byte(file: &mut File, len: u64) -> std::io::Result<Option<u8>> {
    let Some(at) = len.checked_sub(1) else { return Ok(None) };
    let mut byte = [0];
    file.seek(SeekFrom::Start(at))?;
    file.read_exact(&mut byte)?;
    Ok(Some(byte[0]))
}

/// Columns of the header: commas outside quotes, up to the first line break outside quotes.
fn count_columns(file: &mut File) -> std::io::Result<usize> {
    file.seek(SeekFrom::Start(0))?;
    let (mut columns, mut quoted, mut empty) = (1, false, true);
    for byte in BufReader::new(file).bytes() {
        match byte? {
            b'"' => quoted = !quoted,
            b',' if !quoted => columns += 1,
            b'\n' if !quoted => break,
            _ => {}
        }
        empty = false;
    }
    Ok(if empty { 0 } else { columns })
}
