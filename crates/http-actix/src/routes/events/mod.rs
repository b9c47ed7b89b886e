//! `/v2/events`: the list of events and the stream of new ones.

mod common;
pub(crate) mod list;
mod open_streams;
pub(crate) mod stream;

pub(crate) use open_streams::Streams;
