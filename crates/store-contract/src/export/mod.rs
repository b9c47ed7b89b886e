//! Export and import: writes everything in a store to a file, and reads the file into an empty store of any kind.
//!
//! The file is JSON Lines: a header, a line for each row of each table, and a footer with the number of rows of each
//! table and the SHA-256 of all lines before it. Amounts are integers in minor units, times RFC 3339 with microseconds,
//! bytes hexadecimal. Secrets are encrypted as in the store, and the header has the id of their key. If a sandbox
//! generated the key, the header contains the key itself: such a file is as secret as its contents.

mod error;
mod header;
mod reader;
#[cfg(test)]
mod tests;
mod writer;

pub use error::ExportError;
pub use header::ExportHeader;
pub use reader::{ExportReader, ExportRow};
pub use writer::ExportWriter;

use chrono::{DateTime, Utc};
use florin_ports::{BooksReport, Reseal};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::{BufRead, Seek, Write};

/// The facts about an export that the caller provides, because the store does not have them.
#[derive(Clone, PartialEq, Eq)]
pub struct ExportOrigin {
    /// The environment that the exporting process serves: `sandbox` or `production`.
    pub environment: String,
    /// The current time.
    pub at: DateTime<Utc>,
    /// The id of the key that encrypts the secrets of the store.
    pub secret_key: String,
    /// The key itself, if a sandbox generated it.
    pub sandbox_key: Option<String>,
}

/// The contents of a file, as its last line states them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportContents {
    /// The number of rows of each table.
    pub rows: BTreeMap<String, u64>,
    /// The SHA-256 of all lines before the last, hexadecimal.
    pub sha256: String,
}

impl ExportContents {
    /// The number of rows of all tables together.
    pub fn total(&self) -> u64 {
        self.rows.values().sum()
    }
}

/// The result of an import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportReport {
    /// The time at which the file was written.
    pub exported_at: String,
    /// The contents of the file, which are now those of the store.
    pub contents: ExportContents,
    /// The check of the imported books. It found no discrepancies.
    pub books: BooksReport,
}

/// A file to import. It is read twice, first to check that it is complete.
pub trait ExportSource: BufRead + Seek {}

impl<S: BufRead + Seek> ExportSource for S {}

/// Copies everything in a store to a file, and a file into an empty store.
pub trait ExportImport {
    /// Writes every row of every table, in one consistent view. The schema must be current. Blocks.
    fn export(&self, origin: &ExportOrigin, out: &mut dyn Write) -> Result<ExportContents, ExportError>;

    /// Stores all rows of an export with the same schema and environment, or none after any error. `reseal` encrypts
    /// each secret for the record that it belongs to in this store. The store must be empty, and its schema current.
    /// Blocks.
    fn import(
        &self,
        environment: &str,
        file: &mut dyn ExportSource,
        reseal: &Reseal,
    ) -> Result<ImportReport, ExportError>;
}

/// The last line of a file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Footer {
    rows: BTreeMap<String, u64>,
    sha256: String,
}

/// Formats bytes as hexadecimal digits, the form of all bytes in an export.
pub fn hexadecimal(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        // Writing to a string can't fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
