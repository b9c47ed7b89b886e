//! Idempotency records of requests that have no effect except those of their parts. The parts have their own records.

use super::footprint::Footprint;
use super::group::under_claim;
use super::store::Store;
use super::working_set::WorkingSet;
use async_trait::async_trait;
use florin_ports::{IdempotencyClaim, IdempotencyRecords, StoredResponse, WriteError, Written};
use std::convert::Infallible;

#[async_trait]
impl IdempotencyRecords for Store {
    async fn find(&self, claim: &IdempotencyClaim<()>) -> Result<Option<StoredResponse>, WriteError<Infallible>> {
        let claim = claim.clone();
        self.task(move |conn| {
            let mut footprint = Footprint::default();
            footprint.record(Some(&claim));
            Ok(WorkingSet::load(conn, &footprint)?.records.find::<_, Infallible>(Some(&claim))?)
        })
        .await
    }

    async fn add(&self, claim: IdempotencyClaim<()>) -> Result<Written<()>, WriteError<Infallible>> {
        self.task(move |conn| under_claim(conn, Footprint::default(), Some(&claim), |_, _| Ok(()))).await
    }
}
