//! Checks of one idempotency key used on two handles concurrently: one effect for every kind of command.

use super::two_handles::race_on_both;
use crate::check::{CheckResult, checks};
use crate::commands::{RIGHT, SANDBOX, claim, confirm, credit, expiry, open, purchase};
use crate::expect::{expect_new, same};
use crate::factory::Handle;
use crate::management::{change_state, create_budget, issue, limit, remove_limit, transfer};
use crate::observe::books_are_right;
use crate::payments::{NewPayments, after, batch_id, cancel, create, empty, rename, upload};
use crate::seed_data::{Who, gbp, noon, seed_store};
use crate::together::one_effect;
use crate::worlds::{command as my_world, restore, seed_all_but_my_account, snapshot};
use chrono::TimeDelta;
use florin_domain::card::{CardState, LimitWindow};
use florin_domain::ids::BudgetId;
use florin_domain::world::ClockChange;

checks! {
    "two_handles.credits.one_key_has_one_effect" (Reopen) => one_key_has_one_effect,
    "two_handles.transfers.one_key_has_one_effect" (Reopen) => transfers_one_key_has_one_effect,
    "two_handles.mfa.one_key_has_one_effect" (Reopen) => mfa_one_key_has_one_effect,
    "two_handles.management.one_key_has_one_effect" (Reopen) => management_one_key_has_one_effect,
    "two_handles.batch_management.one_key_has_one_effect" (Reopen) => batch_management_one_key_has_one_effect,
    "two_handles.worlds.one_key_has_one_effect" (Sandbox, Reopen) => worlds_one_key_has_one_effect,
    "two_handles.cards.a_hold_expires_once" (Reopen) => a_hold_expires_once,
}

const ENDS: (BudgetId, BudgetId) = (Who::Main.budget(), Who::Main.second_budget());

/// Sends commands with different numbers under one key through both handles concurrently, and expects one effect.
macro_rules! expect_one_effect {
    ($handle:ident.$port:ident.$method:ident, |$number:ident| $command:expr) => {{
        let answers = race_on_both(&$handle, |handle, number| {
            let $number = 100 + u128::from(number);
            let mut command = $command;
            command.claim = Some(claim(Who::Main, stringify!($method), "{}")?);
            Ok(Box::pin(async move { handle.$port.$method(command).await }))
        });
        one_effect(stringify!($method), answers.await?)?;
    }};
}

async fn one_key_has_one_effect(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    expect_one_effect!(handle.credits.credit, |number| credit(Who::Main, number, "1", gbp()?)?);
    let done = expect_new(handle.credits.credit(credit(Who::Main, 1, "1", gbp()?)?).await)?;
    same("the next number and the balance", (done.box_transaction_id, done.balances.available().0), (2, 9_700))?;
    books_are_right(&handle).await
}

async fn transfers_one_key_has_one_effect(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    expect_one_effect!(handle.transfers.transfer, |number| transfer(Who::Main, number, ENDS, "1")?);
    books_are_right(&handle).await
}

async fn mfa_one_key_has_one_effect(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    expect_one_effect!(handle.mfa.open, |number| open(Who::Main, number, SANDBOX)?);
    expect_new(handle.mfa.open(open(Who::Main, 1, SANDBOX)?).await)?;
    expect_one_effect!(handle.batches.confirm, |number| confirm(Who::Main, 1, number * 100, (SANDBOX, RIGHT))?);
    books_are_right(&handle).await
}

async fn management_one_key_has_one_effect(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let card = Who::Main.card();
    expect_one_effect!(handle.budgets.create, |number| create_budget(Who::Main, number, None, vec![gbp()?])?);
    let day = LimitWindow::Day;
    expect_one_effect!(handle.card_management.set_limit, |number| limit(
        Who::Main,
        card,
        (day, &number.to_string(), None),
        noon()
    )?);
    expect_one_effect!(handle.card_management.remove_limit, |_number| remove_limit(Who::Main, card, day)?);
    expect_one_effect!(handle.card_management.change, |number| {
        change_state(Who::Main, card, CardState::Suspended, &number.to_string())?
    });
    let issue = |number| issue(Who::Main, number, Who::Main.budget(), true);
    let answers = race_on_both(&handle, |handle, number| {
        let mut command = issue(number.into())?;
        command.claim = Some(claim(Who::Main, "card", "{}")?);
        Ok(Box::pin(async move { handle.card_management.create(command).await }))
    });
    one_effect("create", answers.await?)
}

async fn batch_management_one_key_has_one_effect(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let who = Who::Main;
    expect_one_effect!(handle.management.create, |number| create(who, empty(who, number, noon())?, None)?);
    expect_new(handle.management.create(create(who, empty(who, 1, noon())?, None)?).await)?;
    expect_one_effect!(handle.management.upload, |number| upload(who, batch_id(1), NewPayments::of(number * 10, 3))?);
    expect_one_effect!(handle.management.edit, |number| rename(who, batch_id(1), &number.to_string(), after(1))?);
    expect_one_effect!(handle.management.cancel, |number| cancel(who, batch_id(1), number * 100)?);
    books_are_right(&handle).await
}

async fn worlds_one_key_has_one_effect(handle: Handle) -> CheckResult {
    seed_all_but_my_account(&handle).await?;
    handle.worlds.create(my_world()?).await?;
    expect_one_effect!(handle.timelines.set_clock, |_number| {
        super::timelines::change(Who::Main, ClockChange::AdvanceBy(TimeDelta::days(1)))?
    });
    expect_one_effect!(handle.worlds.take_snapshot, |number| snapshot(number)?);
    expect_new(handle.worlds.take_snapshot(snapshot(1)?).await)?;
    expect_one_effect!(handle.worlds.restore, |_number| restore(1)?);
    let (mine, id) = (Who::Main.account()?, snapshot(1)?.id);
    let answers = race_on_both(&handle, |handle, _| {
        let (mine, claim) = (mine.clone(), Some(claim(Who::Main, "delete_snapshot", "{}")?));
        Ok(Box::pin(async move { handle.worlds.delete_snapshot(&mine, id, claim).await }))
    });
    one_effect("delete_snapshot", answers.await?)
}

async fn a_hold_expires_once(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    expect_new(handle.cards.first_message(purchase(Who::Main, 1, "10")?).await)?;
    let late = noon() + TimeDelta::days(8);
    let expired = race_on_both(&handle, |handle, number| {
        let command = expiry(Who::Main, crate::commands::token(1), 100 + u128::from(number), late)?;
        Ok(Box::pin(async move { handle.cards.expire(command).await }))
    });
    let expired = expired.await?.into_iter().collect::<Result<Vec<_>, _>>()?;
    same("the number of expiries", expired.into_iter().filter(|expired| *expired).count(), 1)?;
    books_are_right(&handle).await
}
