//! Idempotency records.

use crate::MemoryStore;
use crate::data::{Data, Record, add, must_exist};
use async_trait::async_trait;
use florin_domain::ids::{AccountId, ClientId};
use florin_ports::{IdempotencyClaim, IdempotencyRecords, RecordedRequest, StoredResponse, WriteError, Written};
use std::convert::Infallible;

#[async_trait]
impl IdempotencyRecords for MemoryStore {
    async fn find(&self, claim: &IdempotencyClaim<()>) -> Result<Option<StoredResponse>, WriteError<Infallible>> {
        self.read(|data| stored(data, claim))
    }

    async fn add(&self, claim: IdempotencyClaim<()>) -> Result<Written<()>, WriteError<Infallible>> {
        self.decide(|data| once(data, Some(&claim), |_| Ok(())))
    }
}

/// Executes work under an idempotency claim, or replays the stored response. The record is looked up before anything
/// else, and stored together with the effect. A refusal stores no record.
pub(crate) fn once<T, R>(
    data: &mut Data,
    claim: Option<&IdempotencyClaim<T>>,
    work: impl FnOnce(&mut Data) -> Result<T, WriteError<R>>,
) -> Result<Written<T>, WriteError<R>> {
    let Some(claim) = claim else { return work(data).map(Written::New) };
    if let Some(response) = stored(data, claim)? {
        return Ok(Written::Replayed(response));
    }
    let done = work(data)?;
    must_exist(data.accounts.contains_key(&claim.account), &claim.account)?;
    let record =
        Record { request: RecordedRequest::clone(&claim.request), response: (claim.response)(&done), at: claim.at };
    add(&mut data.records, key_of(claim), record)?;
    Ok(Written::New(done))
}

/// Returns the stored response of a claim, if there is one.
fn stored<T, R>(data: &Data, claim: &IdempotencyClaim<T>) -> Result<Option<StoredResponse>, WriteError<R>> {
    match data.records.get(&key_of(claim)) {
        Some(record) if record.request == *claim.request => Ok(Some(record.response.clone())),
        Some(record) => Err(WriteError::Mismatch(Box::new(record.request.clone()))),
        None => Ok(None),
    }
}

/// Returns the key of the record of a claim: account, client, key.
pub(crate) fn key_of<T>(claim: &IdempotencyClaim<T>) -> (AccountId, ClientId, String) {
    (claim.account.clone(), claim.client, claim.key.as_str().to_owned())
}
