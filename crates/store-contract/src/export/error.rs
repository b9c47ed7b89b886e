//! Reasons that an export or import failed.

use super::header::VERSION;
use florin_ports::{AuditReport, StoreError};
use std::io;

/// The reason that an export or import failed. Nothing was imported.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The file can't be read or written.
    #[error("the file can't be read or written: {0}")]
    File(#[from] io::Error),
    /// The file is not an export of Florin.
    #[error("this is no export of florin")]
    Foreign,
    /// The file has another version of the format.
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
        /// The last migration of this store.
        store: String,
    },
    /// The file was exported in another environment.
    #[error("the export is of environment {0}: this store has another one")]
    Environment(String),
    /// The file ends too early.
    #[error("the export ends before its last line: it was cut off, or is still being written")]
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
    #[error("the store is not empty: there are rows in {0}; an export goes into an empty store only")]
    NotEmpty(&'static str),
    /// After the import the number of rows in the store differs from the file.
    #[error("the store has {found} rows in {table}, and the export {expected}")]
    Count {
        /// The table.
        table: &'static str,
        /// The number of rows in the store.
        found: i64,
        /// The number of rows in the file.
        expected: u64,
    },
    /// The audit of the imported books found discrepancies.
    #[error("the books in the export do not agree: see `florin check` where it was made ({})", .0.discrepancies.len())]
    Books(AuditReport),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}
