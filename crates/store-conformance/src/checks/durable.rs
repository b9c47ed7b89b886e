//! Checks that answered commands are visible on another handle and after a restart.

use super::contention::second;
use crate::check::{CheckResult, checks};
use crate::commands::{SANDBOX, claim, confirm, credit, open, purchase};
use crate::expect::{expect_new, replayed, same};
use crate::factory::Handle;
use crate::observe::{Observation, books_are_right};
use crate::seed_data::{Who, gbp, key, noon, seed_store};
use florin_domain::mfa::MfaVerdict;

checks! {
    "durable.second_handle_sees_everything" (Reopen) => sees_everything,
    "durable.answers_are_given_again_by_another_handle" (Reopen) => answers_are_given_again_by_another_handle,
    "durable.revoked_key_is_revoked_everywhere" (Reopen) => revoked_key_is_revoked_everywhere,
}

async fn sees_everything(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    expect_new(handle.cards.first_message(purchase(Who::Main, 1, "10")?).await)?;
    expect_new(handle.credits.credit(credit(Who::Main, 2, "10", gbp()?)?).await)?;
    expect_new(handle.mfa.open(open(Who::Main, 1, SANDBOX)?).await)?;
    let wrong = handle.batches.confirm(confirm(Who::Main, 1, 3, (SANDBOX, MfaVerdict::Wrong))?).await;
    same("a wrong token is refused", wrong.is_err(), true)?;
    let before = Observation::take(&handle, 2).await?;
    let other = second(&handle).await?;
    before.still_holds("another handle", &other).await?;
    drop(handle);
    before.still_holds("the end of the first handle", &other).await?;
    books_are_right(&other).await
}

async fn answers_are_given_again_by_another_handle(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let command = |number| -> Result<_, crate::check::Failure> {
        let mut command = purchase(Who::Main, number, "10")?;
        command.claim = Some(claim(Who::Main, "k", "{}")?);
        Ok(command)
    };
    let done = expect_new(handle.cards.first_message(command(1)?).await)?;
    let other = second(&handle).await?;
    let again = replayed(other.cards.first_message(command(2)?).await)?;
    same("the answer", again, crate::commands::answer_of(&done))
}

async fn revoked_key_is_revoked_everywhere(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let other = second(&handle).await?;
    let revoked_at = |caller: Option<florin_domain::access::Caller>| caller.and_then(|caller| caller.key.revoked_at);
    same("before", revoked_at(other.callers.find(&Who::Main.key_hash()).await?), None)?;
    handle.registry.revoke_key(key(Who::Main)?.id, noon()).await?;
    same("at once", revoked_at(other.callers.find(&Who::Main.key_hash()).await?), Some(noon()))
}
