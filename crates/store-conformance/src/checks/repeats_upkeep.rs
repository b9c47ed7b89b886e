//! Checks of the deletion of old idempotency records.

use crate::check::{CheckResult, Failure, checks};
use crate::commands::{claim, purchase};
use crate::expect::{expect_new, replayed, same};
use crate::factory::Handle;
use crate::seed_data::{Who, noon, seed_store};
use crate::webhooks::{claimed, create, webhook};
use chrono::TimeDelta;
use florin_ports::{CreateWebhookCommand, FirstMessageCommand};

checks! {
    "upkeep.delete_idempotency_records.only_older_ones" => only_older,
    "upkeep.delete_idempotency_records.up_to_the_maximum" => at_most,
}

/// Sends requests under the keys k0 to k5, spaced by an hour and a microsecond.
async fn send_requests(handle: &Handle) -> Result<(), Failure> {
    seed_store(handle).await?;
    // Deliberately not in time order.
    for number in [3, 0, 5, 1, 4, 2] {
        expect_new(handle.cards.first_message(command(number, number)?).await)?;
    }
    Ok(())
}

fn command(key: u8, number: u8) -> Result<FirstMessageCommand, Failure> {
    let mut claim = claim(Who::Main, &format!("k{key}"), "{}")?;
    claim.at = noon() + TimeDelta::hours(key.into()) + TimeDelta::microseconds(key.into());
    Ok(FirstMessageCommand { claim: Some(claim), ..purchase(Who::Main, number.into(), "1")? })
}

async fn only_older(handle: Handle) -> CheckResult {
    send_requests(&handle).await?;
    let exactly = noon() + TimeDelta::hours(2) + TimeDelta::microseconds(2);
    same("the number of deleted records", handle.upkeep.delete_idempotency_records(exactly, 100).await?, 2)?;
    same(
        "the number of records that a second call deleted",
        handle.upkeep.delete_idempotency_records(exactly, 100).await?,
        0,
    )?;
    for key in 2..6 {
        replayed(handle.cards.first_message(command(key, 50 + key)?).await)?;
    }
    same(
        "the number of records deleted for a time one microsecond later",
        handle.upkeep.delete_idempotency_records(exactly + TimeDelta::microseconds(1), 100).await?,
        1,
    )?;
    for key in 0..3 {
        expect_new(handle.cards.first_message(command(key, 50 + key)?).await)?;
    }
    Ok(())
}

async fn at_most(handle: Handle) -> CheckResult {
    send_requests(&handle).await?;
    for number in 1..=2 {
        let claim = Some(claimed(Who::Main, &format!("k{number}"), "a", None)?);
        let command = CreateWebhookCommand { claim, ..create(webhook(Who::Main, number)?) };
        expect_new(handle.webhooks.create(command).await)?;
    }
    let later = noon() + TimeDelta::days(1);
    // Six records of accounts and two of clients.
    for (max, gone) in [(0, 0), (1, 1), (3, 3), (3, 3), (1, 1), (3, 0)] {
        same(
            &format!("the number of deleted records, at most {max}"),
            handle.upkeep.delete_idempotency_records(later, max).await?,
            gone,
        )?;
    }
    Ok(())
}
