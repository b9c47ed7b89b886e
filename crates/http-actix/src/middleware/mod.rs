//! Middleware around every request: its id, its log line, its metrics, an error body for every failure,
//! and its headers for browsers.

mod cors;
mod envelope;

pub(crate) use cors::cors;
pub use envelope::REQUESTS;
pub(crate) use envelope::{admit, catch_panic, envelope, note_client, protect};
