//! Checks of decisions whose storing fails half-way: nothing remains, and concurrent commands are unaffected.

use crate::check::{CheckResult, Failure, checks};
use crate::commands::{
    RIGHT, SANDBOX, amount, claim, clearing, confirm, credit, expiry, first, follow_up, journal_id, message, open,
    purchase, stamp, token, with_changed_decision, with_changed_follow_up,
};
use crate::expect::{duplicate, expect_new, same, store_failed};
use crate::factory::Handle;
use crate::observe::{Observation, balances, books_are_right};
use crate::seed_data::{Who, gbp, noon, seed_store, unused, uuid};
use chrono::TimeDelta;
use florin_domain::batch::ConfirmSituation;
use florin_domain::budget::CreditSituation;
use florin_domain::card::decide::{CardDecision, FirstKind, FollowUp};
use florin_domain::card::{CardLimit, LimitWindow};
use florin_domain::ids::BudgetId;
use florin_domain::ledger::Balances;
use florin_domain::mfa::{MfaProviderName, MfaVerdict};
use florin_domain::money::Minor;
use florin_ports::{FirstMessageCommand, Mode, StoreError, WriteError};
use std::sync::Arc;

checks! {
    "atomic.first_message.token_that_is_taken" => token_taken,
    "atomic.first_message.journal_id_that_is_taken" => journal_taken,
    "atomic.first_message.budget_that_is_not_there" => unknown_budget,
    "atomic.first_message.limit_that_is_not_there" => unknown_limit,
    "atomic.follow_up.journal_id_that_is_taken" => follow_up_journal_taken,
    "atomic.follow_up.token_that_is_taken" => follow_up_token_taken,
    "atomic.follow_up.limit_that_is_not_there" => follow_up_unknown_limit,
    "atomic.expire.token_that_is_taken" => expiry_token_taken,
    "atomic.credit.journal_id_that_is_taken" => credit_journal_taken,
    "atomic.credit.number_that_is_taken" => credit_number_taken,
    "atomic.confirm.journal_id_that_is_taken" => confirm_journal_taken,
    "atomic.confirm.failure_counts_no_attempt" => failure_counts_no_attempt,
    "atomic.neighbours_of_a_failure_succeed" => neighbours_of_a_failure_succeed,
}

/// Creates two purchases (one on the card with limits), a credit and an MFA session, and observes the store.
async fn seed_and_use(handle: &Handle) -> Result<Observation, Failure> {
    seed_store(handle).await?;
    expect_new(handle.cards.first_message(purchase(Who::Main, 1, "10")?).await)?;
    expect_new(handle.cards.first_message(limited(2)?).await)?;
    expect_new(handle.credits.credit(credit(Who::Main, 3, "1", gbp()?)?).await)?;
    expect_new(handle.mfa.open(open(Who::Main, 1, MfaProviderName::Totp)?).await)?;
    Observation::take(handle, 6).await
}

fn limited(number: u128) -> Result<FirstMessageCommand, Failure> {
    first(Who::Main, Who::Main.limited_card(), message(FirstKind::Purchase, "5")?, stamp(number))
}

/// Expects a command to fail and to store nothing if its decision is changed by `change`. The unchanged command then
/// succeeds under the same key.
async fn expect_failure(
    handle: &Handle,
    before: &Observation,
    command: FirstMessageCommand,
    change: impl Fn(&mut CardDecision) + Send + Sync + 'static,
) -> Result<StoreError, Failure> {
    let command = FirstMessageCommand { claim: Some(claim(Who::Main, "atomic", "{}")?), ..command };
    let good = FirstMessageCommand {
        account: command.account.clone(),
        card: command.card,
        decide: Arc::clone(&command.decide),
        mode: Mode::Commit,
        claim: command.claim.clone(),
    };
    let error = store_failed(
        handle.cards.first_message(with_changed_decision(command, move |_, decision| change(decision))).await,
    )?;
    before.still_holds("a first message that failed half-way", handle).await?;
    expect_new(handle.cards.first_message(good).await)?;
    books_are_right(handle).await?;
    Ok(error)
}

fn use_taken_journal_id(decision: &mut CardDecision) {
    if let Some(journal) = &mut decision.journal {
        journal.id = journal_id(1);
    }
}

fn add_unknown_limit(decision: &mut CardDecision) {
    let (amount, spent) = (Minor(1), Minor(1));
    decision.limits.push(CardLimit { amount, spent, uses: 1, ..unused(Who::Main, LimitWindow::Day) });
}

async fn token_taken(handle: Handle) -> CheckResult {
    let before = seed_and_use(&handle).await?;
    let error = expect_failure(&handle, &before, purchase(Who::Main, 5, "10")?, |decision| {
        decision.transaction.token = token(1);
        decision.transaction.chain = token(1);
        if let Some(chain) = &mut decision.chain {
            chain.id = token(1);
        }
    });
    duplicate::<()>("a token that is taken", &Err(error.await?))
}

async fn journal_taken(handle: Handle) -> CheckResult {
    let before = seed_and_use(&handle).await?;
    let error = expect_failure(&handle, &before, limited(5)?, use_taken_journal_id).await?;
    duplicate::<()>("a journal id that is taken", &Err(error))
}

async fn unknown_budget(handle: Handle) -> CheckResult {
    let before = seed_and_use(&handle).await?;
    expect_failure(&handle, &before, limited(5)?, |decision| {
        decision.transaction.budget = BudgetId(uuid(2, 99));
    })
    .await?;
    Ok(())
}

async fn unknown_limit(handle: Handle) -> CheckResult {
    let before = seed_and_use(&handle).await?;
    // The first card has no limits, and limits are stored last.
    expect_failure(&handle, &before, purchase(Who::Main, 5, "10")?, add_unknown_limit).await?;
    Ok(())
}

/// Expects a clearing that ends a chain to fail and to store nothing if its decision is changed by `change`. The
/// unchanged clearing then succeeds.
async fn expect_clearing_to_fail(
    handle: &Handle,
    number: u128,
    change: impl Fn(&mut CardDecision) + Send + Sync + 'static,
) -> CheckResult {
    let before = seed_and_use(handle).await?;
    let command = || -> Result<_, Failure> {
        let mut command = follow_up(Who::Main, token(number), 5, clearing("3", true)?)?;
        command.claim = Some(claim(Who::Main, "atomic", "{}")?);
        Ok(command)
    };
    store_failed(handle.cards.follow_up(with_changed_follow_up(command()?, change)).await)?;
    before.still_holds("a follow-up that failed half-way", handle).await?;
    expect_new(handle.cards.follow_up(command()?).await)?;
    books_are_right(handle).await
}

async fn follow_up_journal_taken(handle: Handle) -> CheckResult {
    expect_clearing_to_fail(&handle, 2, use_taken_journal_id).await
}

async fn follow_up_token_taken(handle: Handle) -> CheckResult {
    expect_clearing_to_fail(&handle, 2, |decision| decision.transaction.token = token(1)).await
}

async fn follow_up_unknown_limit(handle: Handle) -> CheckResult {
    expect_clearing_to_fail(&handle, 1, add_unknown_limit).await
}

async fn expiry_token_taken(handle: Handle) -> CheckResult {
    let before = seed_and_use(&handle).await?;
    let due = noon() + TimeDelta::days(8);
    store_failed(handle.cards.expire(expiry(Who::Main, token(1), 2, due)?).await)?;
    before.still_holds("an expiry that failed", &handle).await?;
    same("whether it expired", handle.cards.expire(expiry(Who::Main, token(1), 5, due)?).await?, true)?;
    books_are_right(&handle).await
}

async fn credit_journal_taken(handle: Handle) -> CheckResult {
    let before = seed_and_use(&handle).await?;
    let mut command = credit(Who::Main, 1, "1", gbp()?)?;
    command.claim = Some(claim(Who::Main, "atomic", "{}")?);
    let error = store_failed(handle.credits.credit(command).await)?;
    duplicate::<()>("a journal id that is taken", &Err(error))?;
    before.still_holds("a credit that failed half-way", &handle).await?;
    let mut command = credit(Who::Main, 5, "1", gbp()?)?;
    command.claim = Some(claim(Who::Main, "atomic", "{}")?);
    same("the next number", expect_new(handle.credits.credit(command).await)?.box_transaction_id, 2)
}

async fn credit_number_taken(handle: Handle) -> CheckResult {
    let before = seed_and_use(&handle).await?;
    let mut command = credit(Who::Main, 5, "1", gbp()?)?;
    let rule = command.decide;
    command.decide = Arc::new(move |situation: &CreditSituation| {
        let mut decision = rule(situation)?;
        decision.credit.box_transaction_id = 1;
        Ok(decision)
    });
    store_failed(handle.credits.credit(command).await)?;
    before.still_holds("a credit that failed half-way", &handle).await?;
    let done = expect_new(handle.credits.credit(credit(Who::Main, 5, "1", gbp()?)?).await)?;
    same("the next number", done.box_transaction_id, 2)?;
    books_are_right(&handle).await
}

async fn confirm_journal_taken(handle: Handle) -> CheckResult {
    let before = seed_and_use(&handle).await?;
    let right = (MfaProviderName::Totp, MfaVerdict::Correct { step: Some(7) });
    // The second of its two journal ids already belongs to a credit.
    store_failed(handle.batches.confirm(confirm(Who::Main, 1, 2, right)?).await)?;
    before.still_holds("a confirmation that failed half-way", &handle).await?;
    expect_new(handle.batches.confirm(confirm(Who::Main, 1, 5, right)?).await)?;
    books_are_right(&handle).await
}

async fn failure_counts_no_attempt(handle: Handle) -> CheckResult {
    let before = seed_and_use(&handle).await?;
    // A wrong token, but the enrolment can't be stored: nothing of the attempt remains.
    let mut command = confirm(Who::Main, 1, 5, (MfaProviderName::Totp, MfaVerdict::Wrong))?;
    let rule = command.decide;
    command.decide = Arc::new(move |situation: &ConfirmSituation| {
        let mut decision = rule(situation);
        if let Some(enrolment) = &mut decision.enrolment
            && let Ok(nobody) = florin_domain::ids::AccountId::parse("F99")
        {
            enrolment.account = nobody;
        }
        decision
    });
    store_failed(handle.batches.confirm(command).await)?;
    before.still_holds("an attempt that could not be stored", &handle).await?;
    expect_new(handle.mfa.open(open(Who::Main, 2, SANDBOX)?).await)?;
    expect_new(handle.batches.confirm(confirm(Who::Main, 2, 5, (SANDBOX, RIGHT))?).await)?;
    books_are_right(&handle).await
}

async fn neighbours_of_a_failure_succeed(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    expect_new(handle.cards.first_message(purchase(Who::Main, 1, "1")?).await)?;
    let mut tasks = Vec::new();
    for number in 100..160 {
        let command = purchase(Who::Main, number, "1")?;
        // Every third command fails after most of its decision is stored.
        let command = if number % 3 == 0 {
            with_changed_decision(command, |_, decision| add_unknown_limit(decision))
        } else {
            command
        };
        let command = if number % 3 == 1 && number % 2 == 0 {
            with_changed_decision(command, |_, decision| use_taken_journal_id(decision))
        } else {
            command
        };
        let cards = handle.cards.clone();
        tasks.push((number, tokio::spawn(async move { cards.first_message(command).await })));
    }
    let mut stored = 0;
    for (number, task) in tasks {
        let answer = task.await.map_err(|error| Failure::new(error.to_string()))?;
        if number % 3 == 2 || (number % 3 == 1 && number % 2 == 1) {
            expect_new(answer)?;
            stored += 1;
        } else if !matches!(answer, Err(WriteError::Store(_))) {
            return Err(Failure::new(format!("expected a failure, got {answer:?}")));
        }
    }
    same("the number of stored messages", stored, 30)?;
    let now = balances(&handle, Who::Main, gbp()?).await?;
    same("the balances", now, Balances::new(Minor(6_400), Minor(3_100), Minor(0))?)?;
    let part = FollowUp::Reversal { amount: Some(amount("1")?) };
    expect_new(handle.cards.follow_up(follow_up(Who::Main, token(101), 200, part)?).await)?;
    books_are_right(&handle).await
}
