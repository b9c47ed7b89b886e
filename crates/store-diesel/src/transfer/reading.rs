//! Reading an export.

use super::{Contents, FORMAT, Footer, Header, Source, TransferError, VERSION, hexadecimal};
use serde::Deserialize;
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::io::{BufRead, Read, SeekFrom};

/// The longest line: far above the largest answer that is kept.
const LONGEST: u64 = 64 * 1024 * 1024;

/// A row of an export.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row<'a> {
    /// The number of its line.
    pub(crate) line: u64,
    pub(crate) table: &'a str,
    /// As JSON.
    pub(crate) json: &'a str,
}

/// The rows of an export, and the proof that they are all of it.
pub(crate) struct Rows<'a> {
    file: &'a mut dyn Source,
    pub(crate) header: Header,
    digest: Sha256,
    line: u64,
    counted: BTreeMap<String, u64>,
}

/// Any line but the first.
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

impl<'a> Rows<'a> {
    /// Goes to the beginning of the file, and reads its header.
    pub(crate) fn of(file: &'a mut dyn Source) -> Result<Self, TransferError> {
        #[derive(Deserialize)]
        struct Known {
            format: String,
            version: u32,
        }
        file.seek(SeekFrom::Start(0))?;
        let mut bytes = Vec::new();
        // A header is short: a file of another kind is not read to its end.
        (&mut *file).take(4096).read_until(b'\n', &mut bytes)?;
        let known: Known = serde_json::from_slice(&bytes).map_err(|_| TransferError::Foreign)?;
        if known.format != FORMAT {
            return Err(TransferError::Foreign);
        }
        if known.version != VERSION {
            return Err(TransferError::Version(known.version));
        }
        let header = serde_json::from_slice(&bytes).map_err(|error| unreadable(1, &error))?;
        Ok(Self { file, header, digest: Sha256::new_with_prefix(&bytes), line: 1, counted: BTreeMap::new() })
    }

    /// Gives each row away, and wants that the file is whole and unchanged.
    pub(crate) fn each(
        mut self,
        mut take: impl FnMut(Row<'_>) -> Result<(), TransferError>,
    ) -> Result<Contents, TransferError> {
        let mut bytes = Vec::new();
        loop {
            bytes.clear();
            (&mut *self.file).take(LONGEST).read_until(b'\n', &mut bytes)?;
            self.line += 1;
            if bytes.last() != Some(&b'\n') {
                return Err(TransferError::Truncated);
            }
            match serde_json::from_slice(&bytes).map_err(|error| unreadable(self.line, &error))? {
                Line { table: Some(table), row: Some(row), rows: None, sha256: None } => {
                    self.digest.update(&bytes);
                    match self.counted.get_mut(table) {
                        Some(rows) => *rows += 1,
                        None => drop(self.counted.insert(table.to_owned(), 1)),
                    }
                    take(Row { line: self.line, table, json: row.get() })?;
                }
                Line { table: None, row: None, rows: Some(rows), sha256: Some(sha256) } => {
                    return self.end(Footer { rows, sha256 });
                }
                _ => return Err(unreadable(self.line, &"it is neither a row nor the last line")),
            }
        }
    }

    fn end(self, footer: Footer) -> Result<Contents, TransferError> {
        if hexadecimal(&self.digest.finalize()) != footer.sha256 {
            return Err(TransferError::Changed("its SHA-256 is not what its last line says"));
        }
        let said = footer.rows.iter().filter(|(_, rows)| **rows > 0);
        if !said.eq(self.counted.iter()) {
            return Err(TransferError::Changed("it has not the rows that its last line says"));
        }
        if !self.file.fill_buf()?.is_empty() {
            return Err(TransferError::Changed("something follows its last line"));
        }
        Ok(Contents { rows: footer.rows, sha256: footer.sha256 })
    }
}

fn unreadable(line: u64, reason: &dyn std::fmt::Display) -> TransferError {
    TransferError::Line { line, reason: reason.to_string() }
}
