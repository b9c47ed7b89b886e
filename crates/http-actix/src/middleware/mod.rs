//! Middleware around every request. It adds the request id, the log line, the metrics, an error body to every failure,
//! and headers for browsers.

mod cors;
mod envelope;
mod restored;

pub(crate) use cors::cors;
pub use envelope::REQUESTS;
pub(crate) use envelope::{admit, catch_panic, envelope, note_client, protect};
pub(crate) use restored::note_world;
