//! Checks of dry runs: the answer of the real command, without its effect.

use crate::check::{CheckResult, Failure, checks};
use crate::commands::{
    RIGHT, SANDBOX, claim, clearing, confirm, credit, first, follow_up, message, open, purchase, stamp, token,
};
use crate::expect::{absent, expect_new, expect_some, expect_true, refused, same, store_failed};
use crate::factory::Handle;
use crate::management::transfer;
use crate::observe::Observation;
use crate::seed_data::{Who, gbp, seed_store};
use florin_domain::batch::{ConfirmRefusal, PaymentBatch};
use florin_domain::budget::{Credit, CreditRefusal, TransferDone, TransferRefusal};
use florin_domain::card::decide::{CardRefusal, FirstKind, FollowUp};
use florin_domain::card::{CardTransaction, TransactionState};
use florin_domain::ids::BudgetId;
use florin_domain::mfa::{MfaFailure, MfaProviderName, MfaVerdict};
use florin_domain::money::Minor;
use florin_ports::{
    ConfirmCommand, CreditCommand, DryRun, DryRunDecline, FirstMessageCommand, FollowUpCommand, Mode, StoreError,
    TransferCommand, WriteError, Written,
};
use std::fmt::Debug;
use std::sync::Arc;

checks! {
    "cards.dry_run.changes_nothing" => cards_nothing,
    "cards.dry_run.answers_as_the_real_one_would" => cards_answer,
    "cards.dry_run.shows_declines_and_why" => shows_declines_and_why,
    "credits.dry_run.changes_nothing" => credits_nothing,
    "credits.dry_run.answers_as_the_real_one_would" => credits_answer,
    "transfers.dry_run.changes_nothing" => transfers_nothing,
    "transfers.dry_run.answers_as_the_real_one_would" => transfers_answer,
    "batches.dry_run.changes_nothing" => batches_nothing,
    "batches.dry_run.answers_as_the_real_one_would" => batches_answer,
    "batches.dry_run.counts_no_attempt" => counts_no_attempt,
    "dry_runs.read_no_record_and_store_none" => read_no_record_and_store_none,
    "dry_runs.see_what_came_before_and_leave_nothing_to_what_follows" => dry_runs_in_one_queue,
    "panics.dry_run_of_a_rule_that_panics" => dry_run_of_a_rule_that_panics,
    "tenancy.dry_run.foreign_objects_are_absent" => foreign_objects_are_absent,
}

const TOTP: MfaProviderName = MfaProviderName::Totp;
const ENDS: (BudgetId, BudgetId) = (Who::Main.budget(), Who::Main.second_budget());
const RIGHT_STEP: MfaVerdict = MfaVerdict::Correct { step: Some(7) };

/// Returns the dry run in an answer of a store. Any other success is a failure.
pub(super) fn dry<T, R>(answer: Result<Written<T>, WriteError<R>>) -> Result<DryRun<T>, WriteError<R>> {
    match answer? {
        Written::DryRun(dry_run) => Ok(*dry_run),
        Written::New(_) | Written::Replayed(_) => Err(StoreError::Corrupt("a dry run took effect".into()).into()),
    }
}

async fn preview_first_message(
    handle: &Handle,
    command: FirstMessageCommand,
) -> Result<DryRun<CardTransaction>, WriteError<CardRefusal>> {
    dry(handle.cards.first_message(FirstMessageCommand { mode: Mode::DryRun, ..command }).await)
}

async fn preview_follow_up(
    handle: &Handle,
    command: FollowUpCommand,
) -> Result<DryRun<CardTransaction>, WriteError<CardRefusal>> {
    dry(handle.cards.follow_up(FollowUpCommand { mode: Mode::DryRun, ..command }).await)
}

async fn preview_credit(handle: &Handle, command: CreditCommand) -> Result<DryRun<Credit>, WriteError<CreditRefusal>> {
    dry(handle.credits.credit(CreditCommand { mode: Mode::DryRun, ..command }).await)
}

async fn preview_transfer(
    handle: &Handle,
    command: TransferCommand,
) -> Result<DryRun<TransferDone>, WriteError<TransferRefusal>> {
    dry(handle.transfers.transfer(TransferCommand { mode: Mode::DryRun, ..command }).await)
}

async fn preview_confirm(
    handle: &Handle,
    command: ConfirmCommand,
) -> Result<DryRun<PaymentBatch>, WriteError<ConfirmRefusal>> {
    dry(handle.batches.confirm(ConfirmCommand { mode: Mode::DryRun, ..command }).await)
}

/// Expects the stored balances and journal to match what the dry run returned; `before` counts earlier transactions.
pub(super) async fn matches_dry_run<T: PartialEq + Debug>(
    handle: &Handle,
    before: i64,
    preview: &DryRun<T>,
    done: &T,
) -> CheckResult {
    same("the answer", &preview.done, done)?;
    for ((budget, currency), after) in &preview.balances {
        let record = expect_some("the budget", handle.budgets.find(&Who::Main.account()?, *budget).await?)?;
        same("what a budget holds", record.budget.in_currency(*currency), Some(*after))?;
    }
    let written = i64::try_from(preview.journal.len()).unwrap_or_default();
    same("the journal", journal(handle).await?, before + written)
}

pub(super) async fn journal(handle: &Handle) -> Result<i64, Failure> {
    Ok(handle.books_check.check_all().await?.journal_transactions)
}

/// Builds a purchase on the card that has limits.
fn limited(number: u128, text: &str) -> Result<FirstMessageCommand, Failure> {
    first(Who::Main, Who::Main.limited_card(), message(FirstKind::Purchase, text)?, stamp(number))
}

fn clear(number: u128, text: &str) -> Result<FollowUpCommand, Failure> {
    follow_up(Who::Main, token(1), number, clearing(text, true)?)
}

async fn cards_nothing(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    expect_new(handle.cards.first_message(limited(1, "10")?).await)?;
    let before = Observation::take(&handle, 3).await?;
    for _ in 0..2 {
        preview_first_message(&handle, limited(2, "5")?).await?;
        preview_first_message(&handle, limited(3, "5000")?).await?;
        preview_follow_up(&handle, clear(2, "8")?).await?;
        preview_follow_up(&handle, follow_up(Who::Main, token(1), 3, FollowUp::Reversal { amount: None })?).await?;
        refused(preview_first_message(&handle, limited(2, "0.001")?).await)?;
    }
    before.still_holds("dry runs of card messages", &handle).await
}

async fn cards_answer(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let before = journal(&handle).await?;
    let preview = preview_first_message(&handle, limited(1, "10")?).await?;
    let done = expect_new(handle.cards.first_message(limited(1, "10")?).await)?;
    matches_dry_run(&handle, before, &preview, &done).await?;
    same("one transaction", preview.journal.len(), 1)?;
    let cleared = preview_follow_up(&handle, clear(2, "8")?).await?;
    let done = expect_new(handle.cards.follow_up(clear(2, "8")?).await)?;
    matches_dry_run(&handle, before + 1, &cleared, &done).await?;
    let history = expect_some("the history", handle.chains.history(&Who::Main.account()?, token(1)).await?)?;
    same("the postings", history.journal, [preview.journal, cleared.journal].concat())?;
    let again = refused(preview_follow_up(&handle, clear(3, "8")?).await)?;
    same("a refusal", again, refused(handle.cards.follow_up(clear(3, "8")?).await)?)
}

async fn shows_declines_and_why(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let preview = preview_first_message(&handle, limited(1, "20.01")?).await?;
    same("the state", preview.done.state, TransactionState::Declined)?;
    same("no postings", &preview.journal, &Vec::new())?;
    let done = expect_new(handle.cards.first_message(limited(1, "20.01")?).await)?;
    same("the answer", &preview.done, &done)?;
    let history = expect_some("the history", handle.chains.history(&Who::Main.account()?, token(1)).await?)?;
    let stored = history.messages.into_iter().next().and_then(|done| done.declined);
    let stored = stored.map(|explanation| DryRunDecline { explanation, currency: done.currency });
    same("why", preview.declined, stored)
}

async fn credits_nothing(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let before = Observation::take(&handle, 1).await?;
    for _ in 0..2 {
        preview_credit(&handle, credit(Who::Main, 1, "5", gbp()?)?).await?;
        refused(preview_credit(&handle, credit(Who::Main, 1, "0.001", gbp()?)?).await)?;
    }
    before.still_holds("dry runs of credits", &handle).await
}

async fn credits_answer(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let before = journal(&handle).await?;
    let preview = preview_credit(&handle, credit(Who::Main, 1, "5", gbp()?)?).await?;
    let done = expect_new(handle.credits.credit(credit(Who::Main, 1, "5", gbp()?)?).await)?;
    matches_dry_run(&handle, before, &preview, &done).await?;
    same("budgets and transactions", (preview.balances.len(), preview.journal.len()), (1, 1))
}

async fn transfers_nothing(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let before = Observation::take(&handle, 1).await?;
    for _ in 0..2 {
        preview_transfer(&handle, transfer(Who::Main, 1, ENDS, "95.00")?).await?;
        refused(preview_transfer(&handle, transfer(Who::Main, 1, ENDS, "95.01")?).await)?;
    }
    before.still_holds("dry runs of transfers", &handle).await
}

async fn transfers_answer(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let before = journal(&handle).await?;
    let preview = preview_transfer(&handle, transfer(Who::Main, 1, ENDS, "20.05")?).await?;
    let done = expect_new(handle.transfers.transfer(transfer(Who::Main, 1, ENDS, "20.05")?).await)?;
    matches_dry_run(&handle, before, &preview, &done).await?;
    same("budgets and transactions", (preview.balances.len(), preview.journal.len()), (2, 1))
}

async fn batches_nothing(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    expect_new(handle.mfa.open(open(Who::Main, 1, TOTP)?).await)?;
    let before = Observation::take(&handle, 2).await?;
    for _ in 0..2 {
        preview_confirm(&handle, confirm(Who::Main, 1, 1, (TOTP, RIGHT_STEP))?).await?;
    }
    before.still_holds("dry runs of confirmations", &handle).await
}

async fn batches_answer(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    expect_new(handle.mfa.open(open(Who::Main, 1, TOTP)?).await)?;
    let before = journal(&handle).await?;
    let preview = preview_confirm(&handle, confirm(Who::Main, 1, 1, (TOTP, RIGHT_STEP))?).await?;
    let done = expect_new(handle.batches.confirm(confirm(Who::Main, 1, 1, (TOTP, RIGHT_STEP))?).await)?;
    matches_dry_run(&handle, before, &preview, &done).await?;
    same("transactions", preview.journal.len(), 2)?;
    let late = refused(preview_confirm(&handle, confirm(Who::Main, 1, 3, (TOTP, RIGHT_STEP))?).await)?;
    same("a confirmed batch", matches!(late, ConfirmRefusal::Mfa(_)), false)
}

async fn counts_no_attempt(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    expect_new(handle.mfa.open(open(Who::Main, 1, SANDBOX)?).await)?;
    expect_new(handle.mfa.open(open(Who::Main, 2, TOTP)?).await)?;
    let before = Observation::take(&handle, 2).await?;
    // Five wrong tokens would lock a session.
    for _ in 0..6 {
        for (session, provider) in [(1, SANDBOX), (2, TOTP)] {
            let wrong = confirm(Who::Main, session, 1, (provider, MfaVerdict::Wrong))?;
            let refusal = refused(preview_confirm(&handle, wrong).await)?;
            same("a wrong token", refusal, ConfirmRefusal::Mfa(MfaFailure::Failed))?;
        }
    }
    before.still_holds("wrong tokens of dry runs", &handle).await?;
    expect_new(handle.batches.confirm(confirm(Who::Main, 1, 1, (SANDBOX, RIGHT))?).await)?;
    Ok(())
}

async fn read_no_record_and_store_none(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let keyed = |number| {
        let claim = Some(claim(Who::Main, "key", "{}")?);
        Ok::<_, Failure>(FirstMessageCommand { claim, ..purchase(Who::Main, number, "10")? })
    };
    preview_first_message(&handle, keyed(1)?).await?;
    expect_new(handle.cards.first_message(keyed(1)?).await)?;
    let second = preview_first_message(&handle, keyed(2)?).await?;
    same("what is left", second.done.available_balance, Minor(7_500))?;
    let claimed = |body| {
        let claim = Some(claim(Who::Main, "other", body)?);
        Ok::<_, Failure>(TransferCommand { claim, ..transfer(Who::Main, 5, ENDS, "1")? })
    };
    expect_new(handle.transfers.transfer(claimed("{}")?).await)?;
    preview_transfer(&handle, claimed("[]")?).await?;
    preview_credit(
        &handle,
        CreditCommand { claim: Some(claim(Who::Main, "credit", "{}")?), ..credit(Who::Main, 8, "1", gbp()?)? },
    )
    .await?;
    expect_new(
        handle
            .credits
            .credit(CreditCommand {
                claim: Some(claim(Who::Main, "credit", "{}")?),
                ..credit(Who::Main, 8, "1", gbp()?)?
            })
            .await,
    )?;
    expect_new(handle.mfa.open(open(Who::Main, 1, SANDBOX)?).await)?;
    preview_confirm(
        &handle,
        ConfirmCommand {
            claim: Some(claim(Who::Main, "confirm", "{}")?),
            ..confirm(Who::Main, 1, 20, (SANDBOX, RIGHT))?
        },
    )
    .await?;
    expect_new(
        handle
            .batches
            .confirm(ConfirmCommand {
                claim: Some(claim(Who::Main, "confirm", "{}")?),
                ..confirm(Who::Main, 1, 20, (SANDBOX, RIGHT))?
            })
            .await,
    )?;
    Ok(())
}

/// Sends purchases of 10.00 on 95.00, each with a dry run, all in one queue.
async fn dry_runs_in_one_queue(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let mut real = Vec::new();
    let mut previews = Vec::new();
    for number in 1..=12_u128 {
        let (cards, command) = (handle.cards.clone(), purchase(Who::Main, number, "10")?);
        real.push(tokio::spawn(async move { cards.first_message(command).await }));
        let (handle, command) = (handle.clone(), purchase(Who::Main, 100 + number, "5")?);
        previews.push(tokio::spawn(async move { preview_first_message(&handle, command).await }));
    }
    let mut approved = 0;
    for task in real {
        let done = expect_new(task.await.map_err(|error| Failure::new(error.to_string()))?)?;
        approved += i32::from(done.state == TransactionState::Pending);
    }
    same("the number of approved purchases", approved, 9)?;
    let transaction =
        |preview: Result<DryRun<CardTransaction>, WriteError<CardRefusal>>| Ok::<_, Failure>(preview?.done);
    for task in previews {
        let done = transaction(task.await.map_err(|error| Failure::new(error.to_string()))?)?;
        // A dry run sees the effects of earlier purchases, but not of other dry runs.
        expect_true("it does not see what earlier purchases left", (done.available_balance.0 + 500) % 1_000 == 500)?;
        same("the state of the dry run", done.state, TransactionState::Pending)?;
    }
    let last = transaction(preview_first_message(&handle, purchase(Who::Main, 99, "5")?).await)?;
    same("what is left after all", last.available_balance, Minor(0))
}

async fn dry_run_of_a_rule_that_panics(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let before = Observation::take(&handle, 1).await?;
    let mut command = purchase(Who::Main, 1, "10")?;
    command.decide = Arc::new(|_| crate::checks::panics::bug());
    store_failed(preview_first_message(&handle, command).await)?;
    before.still_holds("a dry run that panicked", &handle).await
}

async fn foreign_objects_are_absent(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    expect_new(handle.cards.first_message(purchase(Who::Other, 1, "10")?).await)?;
    let command = first(Who::Main, Who::Other.card(), message(FirstKind::Purchase, "1")?, stamp(2))?;
    absent("a foreign card", &preview_first_message(&handle, command).await)?;
    absent("a foreign token", &preview_follow_up(&handle, clear(2, "1")?).await)?;
    let command = CreditCommand { budget: Who::Other.budget(), ..credit(Who::Main, 2, "1", gbp()?)? };
    absent("a foreign budget", &preview_credit(&handle, command).await)?;
    let command = transfer(Who::Main, 2, (Who::Other.budget(), ENDS.1), "1")?;
    absent("a foreign giver", &preview_transfer(&handle, command).await)?;
    let command = ConfirmCommand { batch: Who::Other.batch(), ..confirm(Who::Main, 1, 2, (SANDBOX, RIGHT))? };
    absent("a foreign batch", &preview_confirm(&handle, command).await)
}
