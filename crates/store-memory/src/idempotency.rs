//! Idempotency records.

use crate::data::{Data, Record, add, must_exist};
use florin_domain::ids::{AccountId, ClientId};
use florin_ports::{IdempotencyClaim, WriteError, Written};

/// Executes work under an idempotency claim, or replays the stored answer. The record is looked up before anything else
/// and stored together with the effect. A refusal stores no record.
pub(crate) fn once<T, R>(
    data: &mut Data,
    claim: Option<&IdempotencyClaim<T>>,
    work: impl FnOnce(&mut Data) -> Result<T, WriteError<R>>,
) -> Result<Written<T>, WriteError<R>> {
    let Some(claim) = claim else { return work(data).map(Written::New) };
    let key = key_of(claim);
    if let Some(record) = data.records.get(&key) {
        return if record.request == claim.request {
            Ok(Written::Replayed(record.answer.clone()))
        } else {
            Err(WriteError::Mismatch(Box::new(record.request.clone())))
        };
    }
    let done = work(data)?;
    must_exist(data.accounts.contains_key(&claim.account), &claim.account)?;
    let record = Record { request: claim.request.clone(), answer: (claim.answer)(&done), at: claim.at };
    add(&mut data.records, key, record)?;
    Ok(Written::New(done))
}

/// Returns the key of the record of a claim: account, client, key.
pub(crate) fn key_of<T>(claim: &IdempotencyClaim<T>) -> (AccountId, ClientId, String) {
    (claim.account.clone(), claim.client, claim.key.as_str().to_owned())
}
