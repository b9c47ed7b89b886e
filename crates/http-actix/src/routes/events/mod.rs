//! `/v2/events`: the list of events and the stream of new ones.

mod common;
pub(crate) mod list;
pub(crate) mod stream;
mod streams;

pub(crate) use streams::Streams;
