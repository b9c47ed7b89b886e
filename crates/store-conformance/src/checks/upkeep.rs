//! Checks of readiness, overload and the check of the books of valid data.

use super::contention::second;
use crate::check::{CheckResult, Failure, checks};
use crate::commands::{RIGHT, SANDBOX, amount, clearing, confirm, credit, expiry, follow_up, open, purchase, token};
use crate::expect::{expect_new, expect_some, expect_true, same};
use crate::factory::Handle;
use crate::observe::Observation;
use crate::seed_data::{Who, gbp, noon, seed_store};
use crate::together::{Work, in_order};
use chrono::TimeDelta;
use florin_domain::access::Environment;
use florin_domain::card::decide::{CardRefusal, FollowUp};
use florin_ports::{BooksReport, Readiness, StoreError, WriteError};
use std::sync::Arc;
use std::time::Duration;

checks! {
    "upkeep.readiness.is_ready" => readiness_is_ready,
    "upkeep.readiness.shows_pending_migrations" (Schemas) => shows_pending_migrations,
    "upkeep.readiness.shows_a_newer_schema" (Schemas) => shows_a_newer_schema,
    "upkeep.environment.is_bound_once" => bound_once,
    "upkeep.environment.is_seen_by_every_handle" (Reopen) => bound_for_all,
    "upkeep.is_overloaded.while_writes_are_refused" (QueueCapacity) => while_writes_are_refused,
    "books_check.of_an_empty_store" => books_check_of_an_empty_store,
    "books_check.counts_and_finds_nothing_on_good_data" => good_data,
}

async fn readiness_is_ready(handle: Handle) -> CheckResult {
    same("readiness", handle.upkeep.readiness().await?, Readiness::Ready)
}

async fn shows_pending_migrations(handle: Handle) -> CheckResult {
    let behind = expect_some("a store that is behind", handle.schemas.clone())?.behind().await?;
    same("readiness", behind.upkeep.readiness().await?, Readiness::MigrationsPending)?;
    same("readiness", handle.upkeep.readiness().await?, Readiness::Ready)
}

async fn shows_a_newer_schema(handle: Handle) -> CheckResult {
    let ahead = expect_some("a store that is ahead", handle.schemas.clone())?.ahead().await?;
    same("readiness", ahead.upkeep.readiness().await?, Readiness::SchemaTooNew)
}

async fn bound_once(handle: Handle) -> CheckResult {
    use Environment::{Production, Sandbox};

    same("the environment of a new store", handle.upkeep.environment().await?, None)?;
    same("the first binding", handle.upkeep.bind(Production).await?, Production)?;
    same("a second binding", handle.upkeep.bind(Sandbox).await?, Production)?;
    same("the environment", handle.upkeep.environment().await?, Some(Production))
}

async fn bound_for_all(handle: Handle) -> CheckResult {
    let second = second(&handle).await?;
    same("the first binding", handle.upkeep.bind(Environment::Sandbox).await?, Environment::Sandbox)?;
    same("the environment", second.upkeep.environment().await?, Some(Environment::Sandbox))?;
    same("a second binding", second.upkeep.bind(Environment::Production).await?, Environment::Sandbox)
}

/// Sends more writes than may wait behind a command with a slow rule.
async fn while_writes_are_refused(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let capacity = expect_some("the capacity", handle.queue_capacity)?;
    same("whether it is overloaded at first", handle.upkeep.is_overloaded(), false)?;
    let before = Observation::take(&handle, 1).await?;
    let mut slow = purchase(Who::Main, 0, "1")?;
    slow.decide = Arc::new(|_| {
        std::thread::sleep(Duration::from_millis(400));
        Err(CardRefusal::Expired)
    });
    let cards = handle.cards.clone();
    let slow = tokio::spawn(async move { cards.first_message(slow).await });
    tokio::time::sleep(Duration::from_millis(50)).await;
    // A store that prepares the next group while it executes one has room for twice as many.
    let mut work: Vec<Work<_>> = Vec::new();
    for _ in 0..capacity * 3 {
        let mut command = purchase(Who::Main, 1, "1")?;
        command.decide = Arc::new(|_| Err(CardRefusal::Expired));
        let cards = handle.cards.clone();
        work.push(Box::pin(async move { cards.first_message(command).await }));
    }
    let mut waiting = std::pin::pin!(in_order(work));
    std::future::poll_fn(|context| {
        // The first poll sends all writes. Those that wait are not answered yet.
        let answered = waiting.as_mut().poll(context).is_ready();
        std::task::Poll::Ready(answered)
    })
    .await;
    expect_true("it is not overloaded while writes wait", handle.upkeep.is_overloaded())?;
    let answers = waiting.await;
    let refused = answers.iter().filter(|answer| **answer == Err(WriteError::Store(StoreError::Overloaded))).count();
    let decided = answers.iter().filter(|answer| **answer == Err(WriteError::Refused(CardRefusal::Expired))).count();
    same("writes that were decided or refused for lack of room", refused + decided, capacity * 3)?;
    expect_true(
        &format!("{decided} of {} writes fitted into a queue of {capacity}", capacity * 3),
        decided >= capacity && refused >= capacity,
    )?;
    slow.await.map_err(|error| Failure::new(error.to_string()))?.err();
    same("whether it is overloaded in the end", handle.upkeep.is_overloaded(), false)?;
    before.still_holds("writes without an effect", &handle).await?;
    expect_new(handle.cards.first_message(purchase(Who::Main, 1, "1")?).await)?;
    Ok(())
}

async fn books_check_of_an_empty_store(handle: Handle) -> CheckResult {
    same("the report", handle.books_check.check_all().await?, BooksReport::default())
}

async fn good_data(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let seeded = BooksReport { journal_transactions: 6, balances: 12, discrepancies: vec![] };
    same("the report of the seeded store", handle.books_check.check_all().await?, seeded)?;
    for number in 1..=4 {
        expect_new(handle.cards.first_message(purchase(Who::Main, number, "10")?).await)?;
    }
    expect_new(handle.cards.follow_up(follow_up(Who::Main, token(1), 11, clearing("12", true)?)?).await)?;
    let part = FollowUp::Reversal { amount: Some(amount("3")?) };
    expect_new(handle.cards.follow_up(follow_up(Who::Main, token(2), 12, part)?).await)?;
    let due = noon() + TimeDelta::days(8);
    same("expired", handle.cards.expire(expiry(Who::Main, token(3), 13, due)?).await?, true)?;
    expect_new(handle.credits.credit(credit(Who::Other, 14, "3", gbp()?)?).await)?;
    expect_new(handle.mfa.open(open(Who::Main, 1, SANDBOX)?).await)?;
    expect_new(handle.batches.confirm(confirm(Who::Main, 1, 15, (SANDBOX, RIGHT))?).await)?;
    let report = BooksReport { journal_transactions: 6 + 4 + 3 + 1 + 2, balances: 12, discrepancies: vec![] };
    let reporting = handle.books_check.watch_check_all(Arc::new(|_| {})).await?;
    same("the report of a check that reports its steps", &reporting, &report)?;
    same("the report", handle.books_check.check_all().await?, report)
}
