//! Reads exports, and checks that they are complete and unchanged.

use super::header::{FORMAT, VERSION};
use super::{ExportContents, ExportError, ExportHeader, ExportSource, Footer, hexadecimal};
use serde::Deserialize;
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::io::{BufRead, Read, SeekFrom};

/// Maximum length of a line in bytes: far more than the largest stored response.
const MAX_LINE: u64 = 64 * 1024 * 1024;

/// A row of an export.
#[derive(Clone, Copy, Debug)]
pub struct ExportRow<'a> {
    /// The number of its line, from 1.
    pub line: u64,
    /// Its table.
    pub table: &'a str,
    /// The row as a JSON object.
    pub json: &'a str,
}

/// Reads the rows of an export, and checks that the file is complete and unchanged.
pub struct ExportReader<'a> {
    file: &'a mut dyn ExportSource,
    header: ExportHeader,
    digest: Sha256,
    line: u64,
    counted: BTreeMap<String, u64>,
}

/// Any line except the first.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line<'a> {
    #[serde(borrow)]
    table: Option<&'a str>,
    #[serde(borrow)]
    row: Option<&'a RawValue>,
    rows: Option<BTreeMap<String, u64>>,
    sha256: Option<String>,
}

impl<'a> ExportReader<'a> {
    /// Seeks to the beginning of the file and reads its header.
    pub fn open(file: &'a mut dyn ExportSource) -> Result<Self, ExportError> {
        #[derive(Deserialize)]
        struct Known {
            format: String,
            version: u32,
        }
        file.seek(SeekFrom::Start(0))?;
        let mut bytes = Vec::new();
        // A header is short, so a file of another kind is not read to its end.
        (&mut *file).take(4096).read_until(b'\n', &mut bytes)?;
        let known: Known = serde_json::from_slice(&bytes).map_err(|_| ExportError::Foreign)?;
        if known.format != FORMAT {
            return Err(ExportError::Foreign);
        }
        if known.version != VERSION {
            return Err(ExportError::Version(known.version));
        }
        let header = serde_json::from_slice(&bytes).map_err(|error| unreadable(1, &error))?;
        Ok(Self { file, header, digest: Sha256::new_with_prefix(&bytes), line: 1, counted: BTreeMap::new() })
    }

    /// The header of the file.
    pub fn header(&self) -> &ExportHeader {
        &self.header
    }

    /// Calls `visit` for each row, and returns an error if the file is incomplete or was changed.
    pub fn each(
        mut self,
        mut visit: impl FnMut(ExportRow<'_>) -> Result<(), ExportError>,
    ) -> Result<ExportContents, ExportError> {
        let mut bytes = Vec::new();
        loop {
            bytes.clear();
            (&mut *self.file).take(MAX_LINE).read_until(b'\n', &mut bytes)?;
            self.line += 1;
            if bytes.last() != Some(&b'\n') {
                return Err(ExportError::Truncated);
            }
            match serde_json::from_slice(&bytes).map_err(|error| unreadable(self.line, &error))? {
                Line { table: Some(table), row: Some(row), rows: None, sha256: None } => {
                    self.digest.update(&bytes);
                    match self.counted.get_mut(table) {
                        Some(rows) => *rows += 1,
                        None => drop(self.counted.insert(table.to_owned(), 1)),
                    }
                    visit(ExportRow { line: self.line, table, json: row.get() })?;
                }
                Line { table: None, row: None, rows: Some(rows), sha256: Some(sha256) } => {
                    return self.end(Footer { rows, sha256 });
                }
                _ => return Err(unreadable(self.line, &"it is neither a row nor the last line")),
            }
        }
    }

    fn end(self, footer: Footer) -> Result<ExportContents, ExportError> {
        if hexadecimal(&self.digest.finalize()) != footer.sha256 {
            return Err(ExportError::Changed("its SHA-256 differs from the one in its last line"));
        }
        let stated = footer.rows.iter().filter(|(_, rows)| **rows > 0);
        if !stated.eq(self.counted.iter()) {
            return Err(ExportError::Changed("its numbers of rows differ from those in its last line"));
        }
        if !self.file.fill_buf()?.is_empty() {
            return Err(ExportError::Changed("something follows its last line"));
        }
        Ok(ExportContents { rows: footer.rows, sha256: footer.sha256 })
    }
}

fn unreadable(line: u64, reason: &dyn std::fmt::Display) -> ExportError {
    ExportError::Line { line, reason: reason.to_string() }
}
