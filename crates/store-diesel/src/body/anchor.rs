//! The database in use, which somebody may delete or replace.
//!
//! A process keeps a deleted file open: its writes would succeed, and be gone after a restart. So the file is checked
//! before each read, and before and after each write.

use super::backend::{Identity, Place};
use super::driver;
use super::errors::{Failure, Outcome};

/// The address of the database, and the identity that it had when it was opened.
#[derive(Clone, Debug)]
pub(crate) struct Anchor {
    place: Place,
    identity: Identity,
}

/// The message for operators.
const GONE: &str =
    "the database file was deleted or replaced while it was in use; stop the server and restore the file";

impl Anchor {
    /// The database that is at this place now.
    pub(crate) fn new(place: Place) -> Self {
        let identity = driver::identify(&place);
        Self { place, identity }
    }

    /// The address of the database.
    pub(crate) fn place(&self) -> &Place {
        &self.place
    }

    /// Checks that the database is still there.
    pub(crate) fn check(&self) -> Outcome<()> {
        if self.is_there() { Ok(()) } else { Err(Failure::Unavailable(GONE.to_owned())) }
    }

    /// Checks after a commit that the database is still there. If not, the commit may be lost.
    pub(crate) fn check_committed(&self) -> Outcome<()> {
        if self.is_there() { Ok(()) } else { Err(Failure::OutcomeUnknown(GONE.to_owned())) }
    }

    fn is_there(&self) -> bool {
        driver::identify(&self.place) == self.identity
    }
}
