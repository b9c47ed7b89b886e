//! A lean load generator: one thread, non-blocking sockets, one request under way on each connection.
//!
//! It lets every request under way be answered before it ends, so that what was answered is exactly what is stored.

mod answer;
mod connection;
mod load;
mod outcome;

pub(crate) use load::{End, closed, open};
pub(crate) use outcome::Outcome;

/// Where requests come from.
pub(crate) trait Source {
    /// Writes the next request; `false` when there is none.
    fn next(&mut self, out: &mut Vec<u8>) -> bool;
}
