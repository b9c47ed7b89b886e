//! The parts of a request: headers, query, body.

pub(crate) mod body;
pub(crate) mod headers;
pub(crate) mod multipart;
pub(crate) mod query;
