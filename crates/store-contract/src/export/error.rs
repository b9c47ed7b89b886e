//! Reasons that an export or import failed.

use super::header::VERSION;
use florin_ports::{BooksReport, StoreError};
use std::io;

/// The reason that an export or import failed. Nothing was imported, except possibly after
/// [`StoreError::OutcomeUnknown`].
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The file can't be read or written.
    #[error("the file can't be read or written: {0}")]
    File(#[from] io::Error),
    /// The file is not an export of Florin.
    #[error("not a Florin export")]
    Foreign,
    /// The file has another version of the format.
    #[error("unsupported export format version {0} (this program supports version {VERSION})")]
    Version(u32),
    /// The file was exported from another schema.
    #[error(
        "schema mismatch: the export has {file}, the store has {store}; import it with the version of florin that \
         exported it, then upgrade florin and run `florin migrate`"
    )]
    Schema {
        /// The last migration of the exporting store.
        file: String,
        /// The last migration of this store.
        store: String,
    },
    /// The file was exported in another environment.
    #[error(
        "the export is from a {0} database, and this one is not: \
        import it into a database initialized with `florin init --environment {0}`"
    )]
    Environment(String),
    /// The file ends too early.
    #[error("the export is incomplete: its last line is missing (truncated, or still being written)")]
    Truncated,
    /// The file was changed after it was written.
    #[error("the export was changed after it was written: {0}")]
    Changed(&'static str),
    /// A line can't be read.
    #[error("line {line} of the export can't be read: {reason}")]
    Line {
        /// Its number, from 1.
        line: u64,
        /// The reason.
        reason: String,
    },
    /// The store is not empty.
    #[error("the store is not empty: table {0} has rows; an import requires an empty store")]
    NotEmpty(&'static str),
    /// After the import the number of rows in the store differs from the file.
    #[error("row count mismatch in {table}: {found} in the store, {expected} in the export")]
    Count {
        /// The table.
        table: &'static str,
        /// The number of rows in the store.
        found: i64,
        /// The number of rows in the file.
        expected: u64,
    },
    /// The check of the imported books found discrepancies.
    #[error(
        "the export is inconsistent ({} discrepancies); run `florin check` on the store that it was exported from",
        .0.discrepancies.len()
    )]
    Books(BooksReport),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}
