//! Middleware around every request: its id, its log line, its metrics, and an error body for every failure.

mod envelope;

pub use envelope::REQUESTS;
pub(crate) use envelope::{catch_panic, envelope, note_client};
