//! Errors of stores.

use crate::idempotency::RecordedRequest;

/// Reasons that a store failed. Texts are for logs, never for callers.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// The store can't be reached, or was too slow. Nothing was stored; a retry may succeed.
    #[error("the store is unavailable: {0}")]
    Unavailable(String),
    /// The client that owns the data is being moved to another store, which the text names. This error is also returned
    /// if no store has the requested object, but the object may belong to a client that is being moved. Nothing was
    /// stored; a retry succeeds once the client has arrived.
    #[error("a client is being moved to {0}")]
    Moving(String),
    /// The queue of the store is full, or too much work precedes the call. The call stored nothing.
    #[error("the store is overloaded")]
    Overloaded,
    /// The connection was lost or the disk failed during the commit, or the store did not respond in time. Either
    /// everything is stored or nothing. With an idempotency key, a retry takes effect only if the first attempt did
    /// not.
    #[error("it is unknown whether the store has stored the change: {0}")]
    OutcomeUnknown(String),
    /// Something with this name or id already exists. Nothing was stored.
    #[error("already exists: {0}")]
    Duplicate(String),
    /// The record to change, or a record that it refers to, does not exist. Nothing was stored.
    #[error("not found: {0}")]
    NotFound(String),
    /// A bug: a constraint of the store refused what a rule allowed, or a stored value can't be read. Nothing was
    /// stored.
    #[error("the store refused a change or can't read a value: {0}")]
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
