//! Checks of accounts and clients that use equal ids and idempotency keys: records of one do not affect another.

use super::equal_ids::create_untouched_twins;
use crate::check::{CheckResult, checks};
use crate::commands::{
    RIGHT, SANDBOX, amount, claim, clearing, confirm, credit, credit_of, expiry, follow_up, instruction, open,
    purchase, token,
};
use crate::expect::{expect_new, expect_some, expect_true, replayed, same};
use crate::factory::Handle;
use crate::management::{budget_id, create_budget};
use crate::observe::{Observation, books_are_right};
use crate::seed_data::{Who, gbp, jpy, noon, seed_store};
use crate::together::{Work, in_one_group};
use crate::worlds::{copy, restore};
use chrono::TimeDelta;
use florin_domain::activity::ActivityFilter;
use florin_domain::budget::{BudgetFilter, CreateBudgetRefusal, CreateBudgetSituation, CreditInstruction};
use florin_domain::card::TransactionState;
use florin_domain::card::decide::{CardRefusal, ChainSituation, FollowUp};
use florin_domain::mfa::MfaVerdict;
use florin_domain::page::PageRequest;
use florin_domain::world::WorldSeed;
use florin_ports::{CreditCommand, FirstMessageCommand, IdempotencyClaim, RestoreCommand, Written};
use std::sync::{Arc, Mutex, PoisonError};

checks! {
    "groups.two_accounts.are_kept_apart" (Sandbox) => two_accounts_are_kept_apart,
    "groups.keys.are_per_client" => keys_are_per_client,
    "equal_ids.budgets.have_their_own_parents_and_currencies" (Sandbox) =>
        budgets_have_their_own_parents_and_currencies,
    "equal_ids.records.are_forgotten_by_their_own_age" (Sandbox) => records_are_forgotten_by_their_own_age,
    "equal_ids.restore.leaves_the_other_accounts_record" (Sandbox) => leaves_the_other_accounts_record,
    "equal_ids.activities.are_of_the_budgets_own_account" (Sandbox) => activities_are_of_the_budgets_own_account,
    "groups.follow_ups.are_shown_the_state_of_the_first_message" => follow_ups_are_shown_the_state_of_the_first_message,
}

const TWINS: [Who; 2] = [Who::Main, Who::Twin];

/// Adds a command and formats its answer as text.
macro_rules! queue {
    ($commands:ident, $handle:ident.$port:ident.$method:ident($command:expr)) => {{
        let (port, command) = ($handle.$port.clone(), $command);
        $commands.push(Box::pin(async move { format!("{:?}", port.$method(command).await) }) as Work<String>);
    }};
}

/// Builds commands that alternate between both accounts, with equal ids and different amounts.
fn alternating(handle: &Handle) -> Result<Vec<Work<String>>, crate::check::Failure> {
    let mut commands = Vec::new();
    let both = || TWINS.into_iter().zip(["10", "11"]);
    for (who, text) in both() {
        queue!(commands, handle.credits.credit(credit(who, 3, text, gbp()?)?));
        queue!(commands, handle.mfa.open(open(who, 1, SANDBOX)?));
    }
    queue!(commands, handle.batches.confirm(confirm(Who::Main, 1, 1_000, (SANDBOX, MfaVerdict::Wrong))?));
    for who in [Who::Twin, Who::Main] {
        queue!(commands, handle.batches.confirm(confirm(who, 1, 2_000, (SANDBOX, RIGHT))?));
    }
    for (who, text) in both() {
        queue!(commands, handle.cards.first_message(purchase(who, 1, text)?));
        queue!(commands, handle.cards.first_message(purchase(who, 2, "3")?));
    }
    for (who, text) in both() {
        let more = FollowUp::Incremental { amount: amount(text)?, decline: None };
        queue!(commands, handle.cards.follow_up(follow_up(who, token(1), 4, more)?));
    }
    // The chains end in different ways.
    queue!(commands, handle.cards.follow_up(follow_up(Who::Twin, token(1), 5, clearing("1", true)?)?));
    queue!(commands, handle.cards.follow_up(follow_up(Who::Main, token(1), 5, FollowUp::Reversal { amount: None })?));
    queue!(commands, handle.cards.expire(expiry(Who::Twin, token(2), 6, noon() + TimeDelta::days(40))?));
    Ok(commands)
}

/// Sends the commands as one group, restores both accounts, and sends the same commands one at a time.
async fn two_accounts_are_kept_apart(handle: Handle) -> CheckResult {
    create_untouched_twins(&handle).await?;
    let together = in_one_group(&handle, Who::Main, alternating(&handle)?).await?;
    let seen = Observation::of_accounts(&handle, &TWINS, 0..=6).await?;
    expect_new(handle.worlds.restore(restore(1)?).await)?;
    expect_true("there was no copy to delete", handle.worlds.delete(&Who::Twin.account()?).await?)?;
    handle.worlds.create(copy("T1", 102, Some(WorldSeed([1; 32])))?).await?;
    for (place, (work, found)) in (1..).zip(alternating(&handle)?.into_iter().zip(together)) {
        same(&format!("the answer to command {place} of a group of two accounts"), found, work.await)?;
    }
    seen.still_holds("sending the commands one at a time", &handle).await?;
    books_are_right(&handle).await
}

/// Two clients use the same idempotency key on one account concurrently.
async fn keys_are_per_client(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let mut commands: Vec<Work<_>> = Vec::new();
    for (number, who) in [(1, Who::Main), (2, Who::Other)] {
        let claim = Some(IdempotencyClaim { client: who.client(), ..claim(Who::Main, "k", "{}")? });
        let command = FirstMessageCommand { claim, ..purchase(Who::Main, number, "1")? };
        let cards = handle.cards.clone();
        commands.push(Box::pin(async move { cards.first_message(command).await }));
    }
    for answer in in_one_group(&handle, Who::Main, commands).await? {
        expect_new(answer)?;
    }
    Ok(())
}

/// The same budget has another parent and other currencies on each account.
async fn budgets_have_their_own_parents_and_currencies(handle: Handle) -> CheckResult {
    create_untouched_twins(&handle).await?;
    let (first, second) = (None, Some(budget_id(1)));
    for (who, parents, currencies) in
        [(Who::Main, [None, None], vec![gbp()?]), (Who::Twin, [first, second], vec![gbp()?, jpy()?])]
    {
        for (number, parent) in (1..).zip(parents) {
            expect_new(handle.budgets.create(create_budget(who, number, parent, currencies.clone())?).await)?;
        }
    }
    for (who, level, with_yen) in [(Who::Main, 2, 2), (Who::Twin, 3, 4)] {
        let mut command = create_budget(who, 3, Some(budget_id(2)), vec![gbp()?])?;
        command.decide = Arc::new(move |situation: &CreateBudgetSituation| {
            // This refusal shows the check that the rule received the right level.
            Err(if situation.parent.as_ref().map(|parent| parent.level) == Some(level) {
                CreateBudgetRefusal::TooMany { max: 0 }
            } else {
                CreateBudgetRefusal::TooDeep
            })
        });
        let refusal = crate::expect::refused(handle.budgets.create(command).await)?;
        same("the level of the parent", refusal, CreateBudgetRefusal::TooMany { max: 0 })?;
        let filter = BudgetFilter { currency: Some(jpy()?), ..BudgetFilter::default() };
        let found = handle.budgets.list(&who.account()?, filter, PageRequest::default()).await?;
        same("budgets with yen", (found.count, found.rows.len()), (with_yen, usize::try_from(with_yen).unwrap_or(0)))?;
    }
    Ok(())
}

/// Builds a credit under the key `k`. Its record has a time of `hours` hours after noon.
fn credit_under_key(who: Who, number: u128, hours: i64) -> Result<CreditCommand, crate::check::Failure> {
    let claim = Some(IdempotencyClaim { at: noon() + TimeDelta::hours(hours), ..claim(who, "k", "{}")? });
    Ok(CreditCommand { claim, ..credit(who, number, "1", gbp()?)? })
}

async fn records_are_forgotten_by_their_own_age(handle: Handle) -> CheckResult {
    create_untouched_twins(&handle).await?;
    for (who, hours) in [(Who::Main, 1), (Who::Twin, 3)] {
        expect_new(handle.credits.credit(credit_under_key(who, 1, hours)?).await)?;
    }
    let gone = handle.upkeep.delete_idempotency_records(noon() + TimeDelta::hours(2), 100).await?;
    same("the number of deleted records", gone, 1)?;
    replayed(handle.credits.credit(credit_under_key(Who::Twin, 2, 3)?).await)?;
    expect_new(handle.credits.credit(credit_under_key(Who::Main, 2, 3)?).await)?;
    Ok(())
}

/// Both accounts have a record under the key of a restore.
async fn leaves_the_other_accounts_record(handle: Handle) -> CheckResult {
    create_untouched_twins(&handle).await?;
    expect_new(handle.credits.credit(credit_under_key(Who::Twin, 1, 1)?).await)?;
    let command = RestoreCommand { claim: Some(claim(Who::Main, "k", "{}")?), ..restore(1)? };
    expect_new(handle.worlds.restore(command).await)?;
    let answer = handle.credits.credit(credit_under_key(Who::Twin, 2, 1)?).await;
    expect_true("the record of the other account is gone", matches!(answer, Ok(Written::Replayed(_))))?;
    expect_some("the account", handle.accounts.find(&Who::Twin.account()?).await?)?;
    books_are_right(&handle).await
}

/// On each account, a journal transaction with the same id credits a different budget.
async fn activities_are_of_the_budgets_own_account(handle: Handle) -> CheckResult {
    create_untouched_twins(&handle).await?;
    let filter = ActivityFilter { budgets: vec![Who::Main.second_budget()], ..ActivityFilter::default() };
    expect_new(handle.credits.credit(credit(Who::Main, 1, "1", gbp()?)?).await)?;
    let before = handle.activities.list(&Who::Main.account()?, filter.clone(), PageRequest::default()).await?;
    let elsewhere = CreditInstruction { budget: Who::Twin.second_budget(), ..instruction(Who::Twin, "1", gbp()?)? };
    expect_new(handle.credits.credit(credit_of(Who::Twin, 1, elsewhere)?).await)?;
    let after = handle.activities.list(&Who::Main.account()?, filter, PageRequest::default()).await?;
    same("the activity of the second budget", after, before)
}

/// A reversal and a later follow-up are in one group. The follow-up's situation shows that the first message was
/// reversed.
async fn follow_ups_are_shown_the_state_of_the_first_message(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    expect_new(handle.cards.first_message(purchase(Who::Main, 1, "10")?).await)?;
    let seen = Arc::new(Mutex::new(None));
    let reversal = follow_up(Who::Main, token(1), 2, FollowUp::Reversal { amount: None })?;
    let mut spy = follow_up(Who::Main, token(1), 3, FollowUp::Reversal { amount: None })?;
    let spied = Arc::clone(&seen);
    spy.decide = Arc::new(move |situation: &ChainSituation| {
        *spied.lock().unwrap_or_else(PoisonError::into_inner) = Some(situation.first.state);
        Err(CardRefusal::Expired)
    });
    let mut work: Vec<Work<_>> = Vec::new();
    for command in [reversal, spy] {
        let cards = handle.cards.clone();
        work.push(Box::pin(async move { cards.follow_up(command).await }));
    }
    in_one_group(&handle, Who::Main, work).await?;
    let seen = expect_some("a state", *seen.lock().unwrap_or_else(PoisonError::into_inner))?;
    expect_true("the group showed a message that is still pending", seen != TransactionState::Pending)
}
