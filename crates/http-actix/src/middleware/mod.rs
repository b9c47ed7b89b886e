//! Middleware around every request. It adds the request id, the log line, the metrics, an error body to every failure,
//! and headers for browsers.

mod cors;
mod envelope;
mod restored;

pub(crate) use cors::cors;
pub use envelope::REQUEST_LOG_TARGET;
pub(crate) use envelope::{admit, catch_panic, envelope, protect, record_client};
pub(crate) use restored::record_world;
