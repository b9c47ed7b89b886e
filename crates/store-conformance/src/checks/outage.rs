//! Checks of an unreachable server: callers get an error in time, and the store recovers by itself.

use crate::check::{CheckResult, Failure, checks};
use crate::commands::{claim, credit, purchase};
use crate::expect::{expect_new, expect_some, replayed, same};
use crate::factory::{Handle, Outage};
use crate::observe::{Observation, books_are_right};
use crate::seed_data::{Who, gbp, seed_store};
use florin_ports::{FirstMessageCommand, Readiness, StoreError, WriteError, Written};
use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

checks! {
    "outage.answers_unavailable_in_time" (Outage) => answers_unavailable_in_time,
    "outage.store_comes_back_by_itself" (Outage) => comes_back,
    "outage.commands_in_flight_end_whole_or_not_at_all" (Outage) => in_flight,
}

/// Maximum time that a caller waits for an answer.
const MAX_WAIT: Duration = Duration::from_secs(10);
/// Maximum time for which the store may still fail after the server is reachable again.
const RECOVERY: Duration = Duration::from_secs(30);

fn outage(handle: &Handle) -> Result<Arc<dyn Outage>, Failure> {
    expect_some("the way to an outage", handle.outage.clone())
}

async fn in_time<T>(what: &str, work: impl Future<Output = T> + Send) -> Result<T, Failure> {
    let slow = || Failure::new(format!("{what}: no answer within {} seconds", MAX_WAIT.as_secs()));
    tokio::time::timeout(MAX_WAIT, work).await.map_err(|_| slow())
}

fn expect_unavailable<T: Debug>(what: &str, answer: &Result<T, StoreError>) -> CheckResult {
    match answer {
        Err(StoreError::Unavailable(_)) => Ok(()),
        other => Err(Failure::new(format!("{what}: expected `Unavailable`, got {other:?}"))),
    }
}

fn expect_unavailable_or_unknown<T: Debug, R: Debug>(what: &str, answer: &Result<T, WriteError<R>>) -> CheckResult {
    match answer {
        Err(WriteError::Store(StoreError::Unavailable(_) | StoreError::OutcomeUnknown(_))) => Ok(()),
        other => Err(Failure::new(format!("{what}: expected `Unavailable` or `OutcomeUnknown`, got {other:?}"))),
    }
}

/// Waits until the store is ready again.
async fn wait_for_recovery(handle: &Handle) -> CheckResult {
    let ready = async {
        while handle.upkeep.readiness().await != Ok(Readiness::Ready) {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    let slow = || Failure::new(format!("not ready within {} seconds", RECOVERY.as_secs()));
    tokio::time::timeout(RECOVERY, ready).await.map_err(|_| slow())
}

async fn answers_unavailable_in_time(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let account = Who::Main.account()?;
    outage(&handle)?.break_down().await?;
    expect_unavailable("a read", &in_time("a read", handle.seeding.cards(&account)).await?)?;
    expect_unavailable("readiness", &in_time("readiness", handle.upkeep.readiness()).await?)?;
    expect_unavailable("the caller", &in_time("the caller", handle.callers.find(&Who::Main.key_hash())).await?)?;
    let message = in_time("a message", handle.cards.first_message(purchase(Who::Main, 1, "1")?)).await?;
    expect_unavailable_or_unknown("a message", &message)?;
    let credit = in_time("a credit", handle.credits.credit(credit(Who::Main, 2, "1", gbp()?)?)).await?;
    expect_unavailable_or_unknown("a credit", &credit)?;
    outage(&handle)?.heal().await?;
    Ok(())
}

async fn comes_back(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    expect_new(handle.cards.first_message(purchase(Who::Main, 1, "1")?).await)?;
    let before = Observation::take(&handle, 2).await?;
    for _ in 0..2 {
        outage(&handle)?.break_down().await?;
        let message = in_time("a message", handle.cards.first_message(purchase(Who::Main, 2, "1")?)).await?;
        same("a message while the server is away", message.is_err(), true)?;
        outage(&handle)?.heal().await?;
        wait_for_recovery(&handle).await?;
        before.still_holds("an outage", &handle).await?;
    }
    expect_new(handle.cards.first_message(purchase(Who::Main, 2, "1")?).await)?;
    books_are_right(&handle).await
}

async fn in_flight(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let command = |number: u128| -> Result<_, Failure> {
        let claim = Some(claim(Who::Main, &format!("k{number}"), "{}")?);
        Ok(FirstMessageCommand { claim, ..purchase(Who::Main, number, "0.10")? })
    };
    let mut tasks = Vec::new();
    for number in 0..200 {
        let (cards, command) = (handle.cards.clone(), command(number)?);
        let task = async move {
            tokio::time::sleep(Duration::from_millis(u64::try_from(number).unwrap_or(0))).await;
            cards.first_message(command).await
        };
        tasks.push(tokio::spawn(task));
    }
    tokio::time::sleep(Duration::from_millis(100)).await;
    outage(&handle)?.break_down().await?;
    let mut answered = Vec::new();
    for (number, task) in (0..).zip(tasks) {
        let answer = in_time("a message in flight", task).await?.map_err(|error| Failure::new(error.to_string()))?;
        if matches!(answer, Ok(Written::New(_))) {
            answered.push(number);
        }
    }
    outage(&handle)?.heal().await?;
    wait_for_recovery(&handle).await?;
    books_are_right(&handle).await?;
    // Answered commands took effect. Unanswered commands may or may not have; their records decide.
    for number in &answered {
        replayed(handle.cards.first_message(command(*number)?).await)?;
    }
    for number in 0..200 {
        handle.cards.first_message(command(number)?).await?;
    }
    let now = crate::observe::balances(&handle, Who::Main, gbp()?).await?;
    same("each message counts once", (now.available().0, now.held().0), (7_500, 2_000))?;
    books_are_right(&handle).await
}
