//! Errors of stores.

use crate::repeat::RecordedRequest;

/// Reasons that a store failed. Texts are for logs, never for callers.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// The store can't be reached or was too slow; a retry may succeed. Nothing was stored, unless the connection was
    /// lost during the commit. In that case the idempotency record resolves a retry.
    #[error("the store is unavailable: {0}")]
    Unavailable(String),
    /// The queue is full; nothing was stored.
    #[error("the store is overloaded")]
    Overloaded,
    /// An object with this name or id already exists; nothing was stored.
    #[error("there already: {0}")]
    Duplicate(String),
    /// The object to change does not exist; nothing was stored.
    #[error("not there: {0}")]
    NotFound(String),
    /// A constraint of the store refused what a rule allowed, or a stored value can't be read: a bug.
    #[error("the store refused or can't be read: {0}")]
    Corrupt(String),
}

/// Reasons that a decision under the lock was not stored.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WriteError<R> {
    /// An object that the command names is absent, or belongs to another account.
    #[error("absent")]
    Absent,
    /// The rule refused.
    #[error("refused")]
    Refused(R),
    /// The idempotency key was used for another request, which is attached.
    #[error("the idempotency key was used for another request")]
    Mismatch(Box<RecordedRequest>),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}
