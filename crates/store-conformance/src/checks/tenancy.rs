//! Checks of isolation: records of another account are absent for every command, and nothing changes.

use crate::check::{CheckResult, Failure, checks};
use crate::commands::{
    RIGHT, SANDBOX, confirm, credit, expiry, first, follow_up, message, open, purchase, session_id, stamp, token,
};
use crate::expect::{absent, expect_new, expect_some, same};
use crate::factory::Handle;
use crate::observe::{Observation, batch};
use crate::seed_data::{Who, gbp, noon, seed_store};
use chrono::TimeDelta;
use florin_domain::card::decide::FirstKind;
use florin_domain::card::decide::FollowUp;

checks! {
    "tenancy.first_message.foreign_card_is_absent" => foreign_card,
    "tenancy.follow_up.foreign_token_is_absent" => foreign_token,
    "tenancy.expire.foreign_chain_is_absent" => foreign_chain,
    "tenancy.credit.foreign_budget_is_absent" => foreign_budget,
    "tenancy.open.foreign_batch_is_absent" => foreign_batch_to_open,
    "tenancy.confirm.foreign_batch_is_absent" => foreign_batch,
    "tenancy.confirm.foreign_session_is_not_shown" => foreign_session,
    "tenancy.lists.show_one_account_only" => lists_show_one_account_only,
}

/// Seeds both accounts, and sends commands on the other one. Returns what the store then shows.
async fn seed_and_use_other_account(handle: &Handle) -> Result<Observation, Failure> {
    seed_store(handle).await?;
    expect_new(handle.cards.first_message(purchase(Who::Other, 1, "10")?).await)?;
    expect_new(handle.credits.credit(credit(Who::Other, 2, "10", gbp()?)?).await)?;
    expect_new(handle.mfa.open(open(Who::Other, 1, SANDBOX)?).await)?;
    Observation::take(handle, 3).await
}

async fn foreign_card(handle: Handle) -> CheckResult {
    let before = seed_and_use_other_account(&handle).await?;
    for card in [Who::Other.card(), Who::Other.limited_card(), Who::Other.yen_card()] {
        let command = first(Who::Main, card, message(FirstKind::Purchase, "1")?, stamp(3))?;
        absent("a foreign card", &handle.cards.first_message(command).await)?;
    }
    before.still_holds("a message on a foreign card", &handle).await
}

async fn foreign_token(handle: Handle) -> CheckResult {
    let before = seed_and_use_other_account(&handle).await?;
    let command = follow_up(Who::Main, token(1), 3, FollowUp::Reversal { amount: None })?;
    absent("a foreign token", &handle.cards.follow_up(command).await)?;
    before.still_holds("a follow-up to a foreign message", &handle).await
}

async fn foreign_chain(handle: Handle) -> CheckResult {
    let before = seed_and_use_other_account(&handle).await?;
    let command = expiry(Who::Main, token(1), 3, noon() + TimeDelta::days(30))?;
    absent("a foreign chain", &handle.cards.expire(command).await)?;
    before.still_holds("an expiry of a foreign chain", &handle).await
}

async fn foreign_budget(handle: Handle) -> CheckResult {
    let before = seed_and_use_other_account(&handle).await?;
    let mut command = credit(Who::Main, 3, "1", gbp()?)?;
    command.budget = Who::Other.budget();
    absent("a foreign budget", &handle.credits.credit(command).await)?;
    before.still_holds("a credit to a foreign budget", &handle).await
}

async fn foreign_batch_to_open(handle: Handle) -> CheckResult {
    let before = seed_and_use_other_account(&handle).await?;
    let mut command = open(Who::Main, 3, SANDBOX)?;
    command.batch = Who::Other.batch();
    absent("a foreign batch", &handle.mfa.open(command).await)?;
    before.still_holds("a session for a foreign batch", &handle).await
}

async fn foreign_batch(handle: Handle) -> CheckResult {
    let before = seed_and_use_other_account(&handle).await?;
    let mut command = confirm(Who::Main, 1, 3, (SANDBOX, RIGHT))?;
    command.batch = Who::Other.batch();
    absent("a foreign batch", &handle.batches.confirm(command).await)?;
    before.still_holds("a confirmation of a foreign batch", &handle).await
}

async fn foreign_session(handle: Handle) -> CheckResult {
    seed_and_use_other_account(&handle).await?;
    let account = Who::Main.account()?;
    let seen = batch(&handle, &account, Who::Main.batch(), Some(session_id(1))).await?;
    same("a foreign session", expect_some("the batch", seen)?.session, None)
}

async fn lists_show_one_account_only(handle: Handle) -> CheckResult {
    seed_and_use_other_account(&handle).await?;
    for who in crate::seed_data::BOTH {
        let account = who.account()?;
        let budgets = handle.seeding.budgets(&account).await?;
        same("budgets", (budgets.len(), budgets.iter().all(|budget| budget.account == account)), (3, true))?;
        let cards = handle.seeding.cards(&account).await?;
        same("cards", (cards.len(), cards.iter().all(|card| card.account == account)), (3, true))?;
        let batches = handle.seeding.batches(&account).await?;
        same("batches", (batches.len(), batches.iter().all(|batch| batch.account == account)), (2, true))?;
    }
    Ok(())
}
