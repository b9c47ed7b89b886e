//! What can go wrong in a store.

use crate::repeat::RecordedRequest;

/// A store could not do its work. Texts are for logs, never for callers.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// It can't be reached, or was too slow; a later try may work. Nothing was stored, unless the connection was lost
    /// during the commit: then the idempotency record settles it on the next try.
    #[error("the store is unavailable: {0}")]
    Unavailable(String),
    /// Its queue is full; nothing was stored.
    #[error("the store is overloaded")]
    Overloaded,
    /// Something of this name or id is there already; nothing was stored.
    #[error("there already: {0}")]
    Duplicate(String),
    /// What was to be changed is not there; nothing was stored.
    #[error("not there: {0}")]
    NotFound(String),
    /// A constraint of the store refused what a rule let through, or a stored value can't be read: a bug.
    #[error("the store refused or can't be read: {0}")]
    Corrupt(String),
}

/// A decision under the lock came to nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WriteError<R> {
    /// What the order names is absent, or belongs to another account.
    #[error("absent")]
    Absent,
    /// The rule refused.
    #[error("refused")]
    Refused(R),
    /// The idempotency key was used for another request, which is this one.
    #[error("the idempotency key was used for another request")]
    Mismatch(Box<RecordedRequest>),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}
