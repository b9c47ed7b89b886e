//! Checks of idempotency records without another effect.

use crate::check::{CheckResult, Failure, checks};
use crate::commands::{answer_of, claim, purchase};
use crate::expect::{expect_new, mismatch, replayed, same};
use crate::factory::Handle;
use crate::observe::Observation;
use crate::seed_data::{Who, seed_store};
use florin_domain::ids::ClientId;
use florin_ports::{FirstMessageCommand, IdempotencyClaim};
use uuid::Uuid;

checks! {
    "idempotency_records.add.is_found_and_replayed" => add_is_found_and_replayed,
    "idempotency_records.add.another_request_is_a_mismatch" => add_another_request_is_a_mismatch,
    "idempotency_records.share_their_keys_with_commands" => share_their_keys_with_commands,
    "tenancy.idempotency_records.are_of_their_own_client_and_account" =>
        idempotency_records_are_of_their_own_client_and_account,
}

fn claim_of(who: Who, key: &str) -> Result<IdempotencyClaim<()>, Failure> {
    claim(who, key, "{}")
}

async fn add_is_found_and_replayed(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let records = &handle.records;
    same("before", records.find(&claim_of(Who::Main, "k")?).await, Ok(None))?;
    expect_new(records.add(claim_of(Who::Main, "k")?).await)?;
    let before = Observation::take(&handle, 1).await?;
    same("what is found", records.find(&claim_of(Who::Main, "k")?).await, Ok(Some(answer_of(&()))))?;
    same("the answer", replayed(records.add(claim_of(Who::Main, "k")?).await)?, answer_of(&()))?;
    same("another key", records.find(&claim_of(Who::Main, "K")?).await, Ok(None))?;
    before.still_holds("a repetition", &handle).await
}

async fn add_another_request_is_a_mismatch(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let (first, second) = (claim_of(Who::Main, "k")?, claim::<()>(Who::Main, "k", r#"{"a":1}"#)?);
    expect_new(handle.records.add(first.clone()).await)?;
    same("when it is looked up", mismatch(handle.records.find(&second).await)?, (*first.request).clone())?;
    same("when it is added", mismatch(handle.records.add(second).await)?, (*first.request).clone())
}

async fn share_their_keys_with_commands(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    expect_new(handle.records.add(claim_of(Who::Main, "k")?).await)?;
    let claim = Some(claim(Who::Main, "k", "{}")?);
    let command = FirstMessageCommand { claim, ..purchase(Who::Main, 1, "10")? };
    same("a message under the key", replayed(handle.cards.first_message(command).await)?, answer_of(&()))
}

async fn idempotency_records_are_of_their_own_client_and_account(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    expect_new(handle.records.add(claim_of(Who::Other, "k")?).await)?;
    same("the record of another account", handle.records.find(&claim_of(Who::Main, "k")?).await, Ok(None))?;
    let other = IdempotencyClaim { client: ClientId(Uuid::max()), ..claim_of(Who::Other, "k")? };
    same("the record of another client", handle.records.find(&other).await, Ok(None))
}
