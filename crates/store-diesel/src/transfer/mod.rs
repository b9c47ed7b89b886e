//! Moving everything that is in a store: into a file, and from it into an empty store of any kind.
//!
//! The file is JSON Lines: a header, a line for each row of each table, and a footer with the number of rows of each
//! table and the SHA-256 of all lines before it. Amounts are integers in minor units, times RFC 3339 with microseconds,
//! bytes hexadecimal. It holds all secrets that the store holds.

mod reading;
mod writing;

pub(crate) use reading::{Row, Rows};
pub(crate) use writing::ExportTable;

use chrono::{DateTime, SecondsFormat, Utc};
use florin_ports::{AuditReport, StoreError};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::{self, BufRead, Seek, Write};

/// What the first line of a file calls its format.
const FORMAT: &str = "florin-export";
/// The version of the format.
const VERSION: u32 = 1;

/// What a store can't know of an export.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct About {
    /// What the exporting process serves: `sandbox` or `production`.
    pub environment: String,
    /// Now.
    pub at: DateTime<Utc>,
}

/// A file, as its last line tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contents {
    /// The number of rows of each table.
    pub rows: BTreeMap<String, u64>,
    /// The SHA-256 of all lines before the last, hexadecimal.
    pub sha256: String,
}

impl Contents {
    /// The number of all rows.
    pub fn total(&self) -> u64 {
        self.rows.values().sum()
    }
}

/// An import that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Imported {
    /// When the file was written.
    pub exported_at: String,
    /// What was in it, and is in the store now.
    pub contents: Contents,
    /// The audit of the imported ledger: it found nothing amiss.
    pub audit: AuditReport,
}

/// Where an export is read from: twice, first to see that it is whole.
pub trait Source: BufRead + Seek {}

impl<S: BufRead + Seek> Source for S {}

/// Moves everything that is in a store.
pub trait Transfer {
    /// Writes every row of every table, in one consistent view. The schema must be current. Blocks.
    fn export(&self, about: &About, out: &mut dyn Write) -> Result<Contents, TransferError>;

    /// Stores all rows of an export of the same schema and environment: all of them or, after any error, none. The
    /// store must be empty, and its schema current. Blocks.
    fn import(&self, environment: &str, file: &mut dyn Source) -> Result<Imported, TransferError>;
}

/// Why nothing was moved.
#[derive(Debug, thiserror::Error)]
pub enum TransferError {
    /// The file can't be read or written.
    #[error("the file can't be read or written: {0}")]
    File(#[from] io::Error),
    /// The file is of another kind.
    #[error("this is no export of florin")]
    Foreign,
    /// The file is in a format of another version.
    #[error("the export has format version {0}, and this program knows version {VERSION}")]
    Version(u32),
    /// The file was exported from another schema.
    #[error(
        "the export has the schema {file}, and this store {store}: import it with the program that exported it, and \
         let this one migrate the store"
    )]
    Schema {
        /// The last migration of the exporting store.
        file: String,
        /// The last migration here.
        store: String,
    },
    /// The file was exported in another environment.
    #[error("the export is of environment {0}: set FLORIN_ENVIRONMENT to the same")]
    Environment(String),
    /// The file ends too early.
    #[error("the export ends before its last line: it was cut off, or is still being written")]
    Truncated,
    /// The file is not as it was written.
    #[error("the export was changed after it was written: {0}")]
    Changed(&'static str),
    /// A line can't be read.
    #[error("line {line} of the export can't be read: {reason}")]
    Line {
        /// Its number, from 1.
        line: u64,
        /// What is wrong.
        reason: String,
    },
    /// There is something in the store.
    #[error("the store is not empty: there are rows in {0}; an export goes into an empty store only")]
    NotEmpty(&'static str),
    /// The store has other rows than were given to it.
    #[error("the store has {found} rows in {table}, and the export {wanted}")]
    Count {
        /// The table.
        table: &'static str,
        /// What the store says.
        found: i64,
        /// What the file says.
        wanted: u64,
    },
    /// The imported books do not agree.
    #[error("the books in the export do not agree: see `florin check` where it was made ({})", .0.discrepancies.len())]
    Books(AuditReport),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The first line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Header {
    format: String,
    version: u32,
    schema: String,
    environment: String,
    pub(crate) exported_at: String,
}

impl Header {
    /// Of an export that is made now.
    pub(crate) fn new(about: &About, schema: String) -> Self {
        Self {
            format: FORMAT.to_owned(),
            version: VERSION,
            schema,
            environment: about.environment.clone(),
            exported_at: about.at.to_rfc3339_opts(SecondsFormat::Micros, true),
        }
    }

    /// Whether what follows fits a store.
    pub(crate) fn fits(&self, schema: &str, environment: &str) -> Result<(), TransferError> {
        if self.schema != schema {
            return Err(TransferError::Schema { file: self.schema.clone(), store: schema.to_owned() });
        }
        if self.environment != environment {
            return Err(TransferError::Environment(self.environment.clone()));
        }
        Ok(())
    }
}

/// The last line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Footer {
    rows: BTreeMap<String, u64>,
    sha256: String,
}

/// Bytes as hexadecimal digits.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        // A string takes everything.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests;
