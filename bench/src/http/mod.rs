//! A small load generator: one thread, non-blocking sockets, one outstanding request per connection.
//!
//! It waits for every outstanding answer before it ends, so that the number of answers equals the number of stored
//! effects.

mod answer;
mod connection;
mod load;
mod outcome;

pub(crate) use load::{End, closed_loop, open_loop};
pub(crate) use outcome::Outcome;

/// A source of requests.
pub(crate) trait Source {
    /// Writes the next request. Returns `false` if there is none.
    fn next(&mut self, out: &mut Vec<u8>) -> bool;
}
