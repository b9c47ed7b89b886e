//! Idempotency records of requests that consist of other requests.

use crate::{Answer, IdempotencyClaim, WriteError, Written};
use async_trait::async_trait;
use std::convert::Infallible;

/// Stores idempotency records of requests that have no effect but those of their parts, which have records of their own.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait IdempotencyRecords: Send + Sync {
    /// Returns the stored answer of a claim; `None` if there is no record. `Mismatch`: the record is of another request.
    async fn find(&self, claim: &IdempotencyClaim<()>) -> Result<Option<Answer>, WriteError<Infallible>>;

    /// Stores the record of a claim without any effect, unless there is one.
    async fn add(&self, claim: IdempotencyClaim<()>) -> Result<Written<()>, WriteError<Infallible>>;
}
