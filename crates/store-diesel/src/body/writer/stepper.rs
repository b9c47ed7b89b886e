//! The writer without threads, for simulations.

use super::body::anchor::Anchor;
use super::body::errors::Failure;
use super::pace::Pace;
use super::{Writer, WriterThread};
use diesel::connection::SimpleConnection;
use florin_ports::StoreError;
use florin_store_contract::OpenError;

/// The writer of a store that has no threads. Its turns run when the caller calls [`Self::step`], on the caller's
/// thread. It is for simulations, which decide what happens next.
#[allow(dead_code, reason = "simulations run on SQLite only")]
pub struct Stepper(WriterThread);

#[allow(dead_code, reason = "simulations run on SQLite only")]
impl Stepper {
    /// Whether jobs are waiting.
    pub fn has_jobs(&self) -> bool {
        self.0.turns.has_jobs()
    }

    /// Runs one turn of the writer: writes and answers the waiting jobs. Returns `false` if there are none.
    pub fn step(&mut self) -> bool {
        self.has_jobs() && self.0.take_turn()
    }

    /// Runs statements on the connection of the writer, for example to change its settings.
    pub fn execute(&mut self, statements: &str) -> Result<(), StoreError> {
        match &mut self.0.conn {
            Some(conn) => Ok(conn.batch_execute(statements).map_err(Failure::from)?),
            None => Err(StoreError::Unavailable("the writer has no connection".into())),
        }
    }

    /// Ends the writer as a clean stop does: writes the waiting jobs, then merges the write-ahead log into the database
    /// file.
    pub fn finish(mut self) {
        while self.step() {}
        self.0.finish();
    }
}

impl Writer {
    /// Connects, and leaves the turns of the first thread to the caller.
    #[allow(dead_code, reason = "simulations run on SQLite only")]
    pub(crate) fn stepped(anchor: &Anchor, queue_capacity: usize) -> Result<(Self, Stepper), OpenError> {
        let (writer, states) = Self::connect(anchor, queue_capacity)?;
        let first = states.into_iter().next().ok_or(OpenError::WrongAdapter)?;
        first.turns.set_pace(Pace::off());
        Ok((writer, Stepper(first)))
    }
}
