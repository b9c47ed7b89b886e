//! Payments in requests and files: read from JSON and CSV, and written as CSV.

pub(crate) mod columns;
mod guard;
mod json_upload;
mod quotes;
pub(crate) mod read_csv;
pub(crate) mod read_json;
mod schema;
mod suggest;
pub(crate) mod write_csv;

#[cfg(test)]
mod round_trip;

pub(crate) use guard::guarded;
pub(crate) use json_upload::JsonUpload;
pub(crate) use schema::RecipientShape;
pub(crate) use write_csv::{csv_writer, finish_csv};
