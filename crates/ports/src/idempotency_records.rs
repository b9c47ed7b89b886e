//! Idempotency records of requests that consist of several other requests.

use crate::{IdempotencyClaim, StoredResponse, WriteError, Written};
use async_trait::async_trait;
use std::convert::Infallible;

/// Stores idempotency records of requests that have no effect of their own. Their parts take effect and have their own
/// records.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait IdempotencyRecords: Send + Sync {
    /// Returns the stored response of a claim; `None` if there is no record. `Mismatch`: the record has another
    /// request.
    async fn find(&self, claim: &IdempotencyClaim<()>) -> Result<Option<StoredResponse>, WriteError<Infallible>>;

    /// Stores the record of a claim. If there is one already, it is replayed.
    async fn add(&self, claim: IdempotencyClaim<()>) -> Result<Written<()>, WriteError<Infallible>>;
}
