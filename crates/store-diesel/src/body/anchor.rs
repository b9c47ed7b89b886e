//! Detects that the database in use was deleted, replaced or damaged.
//!
//! A process keeps a deleted file open: its writes would succeed, and be gone after a restart. So the file is checked
//! before each read, and before and after each write.

use super::backend::{Identity, Place};
use super::driver;
use super::errors::{Failure, Outcome};
use florin_ports::Readiness;
use std::sync::{Arc, OnceLock};

/// The address of the database, and the identity that it had when it was opened.
#[derive(Clone, Debug)]
pub(crate) struct Anchor {
    place: Place,
    identity: Identity,
    /// The damage that was found.
    damage: Arc<OnceLock<String>>,
}

/// The message for operators if the file is gone.
const GONE: &str =
    "the database file was deleted or replaced while it was in use; stop the server and restore the file";

impl Anchor {
    /// Remembers the identity of the database that is at this place now.
    pub(crate) fn new(place: Place) -> Self {
        let identity = driver::identify(&place);
        Self { place, identity, damage: Arc::default() }
    }

    /// The address of the database.
    pub(crate) fn place(&self) -> &Place {
        &self.place
    }

    /// Records that the database is damaged: it is not used any more.
    pub(crate) fn mark_damaged(&self, damage: String) {
        // The first finding is enough.
        let _known = self.damage.set(damage);
    }

    /// Returns why the database must not be used; `None` if it is still there and not known to be damaged.
    pub(crate) fn unusable(&self) -> Option<Readiness> {
        if self.damage.get().is_some() {
            return Some(Readiness::Damaged);
        }
        (!self.is_unchanged()).then_some(Readiness::Replaced)
    }

    /// Checks that the database is still there and not known to be damaged.
    pub(crate) fn check(&self) -> Outcome<()> {
        if let Some(damage) = self.damage.get() {
            return Err(Failure::Unavailable(damage.clone()));
        }
        if self.is_unchanged() { Ok(()) } else { Err(Failure::Unavailable(GONE.to_owned())) }
    }

    /// Checks after a commit that the database is still there. If not, the commit may be lost.
    pub(crate) fn check_committed(&self) -> Outcome<()> {
        if self.is_unchanged() { Ok(()) } else { Err(Failure::OutcomeUnknown(GONE.to_owned())) }
    }

    fn is_unchanged(&self) -> bool {
        driver::identify(&self.place) == self.identity
    }
}
