//! Reading requests: all faults at once, each with its place.

pub(crate) mod batch_query;
pub(crate) mod body;
pub(crate) mod headers;
pub(crate) mod json;
pub(crate) mod lazy;
pub(crate) mod members;
pub(crate) mod query;
