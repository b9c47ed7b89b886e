//! Checks of rules that panic: the caller gets an error, and the store continues.

use super::timelines::change;
use crate::check::{CheckResult, checks};
use crate::commands::{RIGHT, SANDBOX, claim, confirm, credit, expiry, follow_up, open, purchase, token};
use crate::expect::{expect_new, same, store_failed};
use crate::factory::Handle;
use crate::management::{change_state, create_budget, issue, limit, remove_limit, transfer};
use crate::observe::{Observation, books_are_right};
use crate::payments::{NewPayments, after, batch_id, cancel, create, empty, rename, upload};
use crate::seed_data::{Who, gbp, noon, seed_store};
use crate::together::{Work, in_one_group};
use florin_domain::card::decide::FollowUp;
use florin_domain::card::{CardState, LimitWindow};
use florin_domain::world::ClockChange;
use florin_ports::{IdempotencyClaim, Readiness, StoredResponse};
use std::sync::Arc;

checks! {
    "panics.rule_that_panics_answers_and_changes_nothing" => rule_that_panics_answers_and_changes_nothing,
    "panics.answer_that_panics_leaves_nothing" => answer_that_panics_leaves_nothing,
    "panics.rule_in_a_group_fails_its_own_command_only" => in_a_group,
}

/// Panics like a rule with a bug.
#[expect(clippy::panic, reason = "a store must handle rules that panic")]
pub(super) fn bug<T>() -> T {
    panic!("a rule that panics on purpose, for a check")
}

async fn rule_that_panics_answers_and_changes_nothing(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    expect_new(handle.cards.first_message(purchase(Who::Main, 1, "10")?).await)?;
    expect_new(handle.mfa.open(open(Who::Main, 1, SANDBOX)?).await)?;
    let before = Observation::take(&handle, 3).await?;
    for _ in 0..2 {
        let mut command = purchase(Who::Main, 2, "10")?;
        command.decide = Arc::new(|_| bug());
        store_failed(handle.cards.first_message(command).await)?;
        let mut command = follow_up(Who::Main, token(1), 2, FollowUp::Reversal { amount: None })?;
        command.decide = Arc::new(|_| bug());
        store_failed(handle.cards.follow_up(command).await)?;
        let mut command = expiry(Who::Main, token(1), 2, noon())?;
        command.decide = Arc::new(|_| bug());
        store_failed(handle.cards.expire(command).await)?;
        let mut command = credit(Who::Main, 2, "1", gbp()?)?;
        command.decide = Arc::new(|_| bug());
        store_failed(handle.credits.credit(command).await)?;
        let mut command = open(Who::Main, 2, SANDBOX)?;
        command.decide = Arc::new(|_| bug());
        store_failed(handle.mfa.open(command).await)?;
        let mut command = confirm(Who::Main, 1, 2, (SANDBOX, RIGHT))?;
        command.decide = Arc::new(|_| bug());
        store_failed(handle.batches.confirm(command).await)?;
    }
    before.still_holds("rules that panicked", &handle).await?;
    same("readiness", handle.upkeep.readiness().await?, Readiness::Ready)?;
    expect_new(handle.cards.first_message(purchase(Who::Main, 2, "10")?).await)?;
    books_are_right(&handle).await
}

/// Sends a command whose idempotency claim panics when it creates the response to store. Expects no effect, and sends
/// the correct command.
macro_rules! response_panics {
    ($handle:ident.$port:ident.$method:ident($command:expr)) => {{
        let before = Observation::take(&$handle, 5).await?;
        let mut command = $command;
        let claim = claim(Who::Main, concat!(stringify!($port), "-", stringify!($method)), "{}")?;
        command.claim = Some(IdempotencyClaim { response: Arc::new(|_| bug::<StoredResponse>()), ..claim.clone() });
        store_failed($handle.$port.$method(command).await)?;
        before
            .still_holds(concat!(stringify!($port), ".", stringify!($method), " without its record"), &$handle)
            .await?;
        let mut command = $command;
        command.claim = Some(claim);
        expect_new($handle.$port.$method(command).await)?;
    }};
}

/// If the function that builds the stored response of an idempotency claim panics, nothing is stored.
async fn answer_that_panics_leaves_nothing(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let (who, card, day) = (Who::Main, Who::Main.card(), LimitWindow::Day);
    response_panics!(handle.cards.first_message(purchase(who, 1, "10")?));
    response_panics!(handle.cards.follow_up(follow_up(who, token(1), 2, FollowUp::Reversal { amount: None })?));
    response_panics!(handle.credits.credit(credit(who, 3, "1", gbp()?)?));
    let ends = (who.budget(), who.second_budget());
    response_panics!(handle.transfers.transfer(transfer(who, 4, ends, "1")?));
    response_panics!(handle.budgets.create(create_budget(who, 1, None, vec![gbp()?])?));
    response_panics!(handle.card_management.create(issue(who, 1, who.budget(), true)?));
    response_panics!(handle.card_management.change(change_state(who, card, CardState::Suspended, "now")?));
    response_panics!(handle.card_management.set_limit(limit(who, card, (day, "1", None), noon())?));
    response_panics!(handle.card_management.remove_limit(remove_limit(who, card, day)?));
    response_panics!(handle.mfa.open(open(who, 1, SANDBOX)?));
    response_panics!(handle.batches.confirm(confirm(who, 1, 100, (SANDBOX, RIGHT))?));
    response_panics!(handle.management.create(create(who, empty(who, 1, noon())?, Some(NewPayments::of(10, 2)))?));
    response_panics!(handle.management.upload(upload(who, batch_id(1), NewPayments::of(20, 3))?));
    response_panics!(handle.management.edit(rename(who, batch_id(1), "renamed", after(1))?));
    response_panics!(handle.management.cancel(cancel(who, batch_id(1), 200)?));
    if handle.serves_sandbox {
        response_panics!(handle.timelines.set_clock(change(who, ClockChange::Freeze)?));
    }
    books_are_right(&handle).await
}

async fn in_a_group(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let mut work: Vec<Work<_>> = Vec::new();
    for number in 1..=5 {
        let mut command = purchase(Who::Main, number, "1")?;
        if number == 3 {
            command.decide = Arc::new(|_| bug());
        }
        let cards = handle.cards.clone();
        work.push(Box::pin(async move { cards.first_message(command).await }));
    }
    for (number, answer) in (1..).zip(in_one_group(&handle, Who::Main, work).await?) {
        if number == 3 {
            store_failed(answer)?;
        } else {
            expect_new(answer)?;
        }
    }
    books_are_right(&handle).await
}
