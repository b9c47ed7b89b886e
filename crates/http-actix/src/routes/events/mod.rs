//! Events.

mod common;
pub(crate) mod list;
pub(crate) mod stream;
mod streams;

pub(crate) use streams::Streams;
