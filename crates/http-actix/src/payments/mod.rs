//! Payments in requests and files: read from JSON and CSV, and written as CSV.

pub(crate) mod columns;
mod guard;
mod quotes;
pub(crate) mod read_csv;
pub(crate) mod read_json;
mod schema;
mod suggest;
mod typed;
pub(crate) mod write_csv;

#[cfg(test)]
mod round_trip;

pub(crate) use guard::guarded;
pub(crate) use schema::RecipientShape;

pub(crate) use typed::JsonUpload;
pub(crate) use write_csv::{csv_writer, finish_csv};
