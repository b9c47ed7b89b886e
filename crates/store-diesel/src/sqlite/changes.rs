//! Changes of several tables, stored at once: a call into SQLite is cheap.

use super::Conn;
use super::body::errors::Outcome;

/// Where changes are stored.
pub(crate) struct Changes<'c>(&'c mut Conn);

impl<'c> Changes<'c> {
    /// Stores what is noted on this connection.
    pub(crate) const fn on(conn: &'c mut Conn) -> Self {
        Self(conn)
    }

    /// The connection.
    pub(super) const fn conn(&mut self) -> &mut Conn {
        self.0
    }

    /// Stores what was noted: that is done.
    #[allow(clippy::unnecessary_wraps, clippy::unused_self, reason = "every backend has it, and elsewhere it may fail")]
    pub(crate) fn store(self) -> Outcome<()> {
        Ok(())
    }
}
