//! Checks of spending limits: usage is stored with the message that causes it.

use crate::check::{CheckResult, Failure, checks};
use crate::commands::{amount, clearing, first, follow_up, message, stamp, stamp_at, token};
use crate::expect::{expect_new, expect_some, expect_true, same};
use crate::factory::Handle;
use crate::management::{limit, remove_limit};
use crate::observe::card;
use crate::seed_data::{Who, day, noon, seed_store};
use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use florin_domain::card::decide::FirstKind;
use florin_domain::card::decide::FollowUp;
use florin_domain::card::{CardLimit, CardTransaction, LimitWindow, Response};
use florin_domain::money::Minor;

checks! {
    "cards.limits.are_stored_with_the_message" => limits_are_stored_with_the_message,
    "cards.limits.decline_when_used_up" => used_up,
    "cards.limits.are_given_back_by_a_reversal" => given_back,
    "cards.limits.give_back_only_what_they_counted" => give_back_only_what_they_counted,
    "cards.limits.start_a_new_window" => new_window,
    "cards.limits.are_the_cards_own" => limits_are_the_cards_own,
    "cards.limits.declined_message_uses_nothing" => declined_message_uses_nothing,
}

async fn limits(handle: &Handle) -> Result<Vec<CardLimit>, Failure> {
    let seen = card(handle, &Who::Main.account()?, Who::Main.limited_card()).await?;
    Ok(expect_some("the card", seen)?.limits)
}

/// Returns the spent amount and the uses of the day, week, month and lifetime limits.
async fn used_amounts(handle: &Handle) -> Result<Vec<(i64, u32)>, Failure> {
    Ok(limits(handle).await?.into_iter().map(|limit| (limit.spent.0, limit.uses)).collect())
}

async fn buy(handle: &Handle, number: u128, text: &str, now: DateTime<Utc>) -> Result<CardTransaction, Failure> {
    let message = message(FirstKind::Purchase, text)?;
    let command = first(Who::Main, Who::Main.limited_card(), message, stamp_at(number, now))?;
    expect_new(handle.cards.first_message(command).await)
}

async fn limits_are_stored_with_the_message(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    buy(&handle, 1, "7.01", noon()).await?;
    same("after one", used_amounts(&handle).await?, vec![(701, 1); 4])?;
    buy(&handle, 2, "2.99", noon()).await?;
    same("after two", used_amounts(&handle).await?, vec![(1_000, 2); 4])?;
    let amounts: Vec<_> = limits(&handle).await?.into_iter().map(|limit| (limit.amount.0, limit.max_uses)).collect();
    let expected = vec![(2_000, Some(3)), (3_000, None), (4_000, Some(u32::MAX)), (i64::MAX, None)];
    same("the limits themselves", amounts, expected)
}

async fn used_up(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    buy(&handle, 1, "20", noon()).await?;
    same("one penny more", buy(&handle, 2, "0.01", noon()).await?.response, Response::UsageLimitReached)?;
    same("the next day", buy(&handle, 3, "10", noon() + TimeDelta::days(1)).await?.response, Response::Approved)?;
    let week = buy(&handle, 4, "0.01", noon() + TimeDelta::days(1)).await?;
    same("more than the week's", week.response, Response::UsageLimitReached)
}

async fn given_back(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    buy(&handle, 1, "15", noon()).await?;
    let part = FollowUp::Reversal { amount: Some(amount("4")?) };
    expect_new(handle.cards.follow_up(follow_up(Who::Main, token(1), 2, part)?).await)?;
    same("after a partial reversal", used_amounts(&handle).await?, vec![(1_100, 1); 4])?;
    expect_new(handle.cards.follow_up(follow_up(Who::Main, token(1), 3, clearing("1", true)?)?).await)?;
    same("after a final clearing", used_amounts(&handle).await?, vec![(100, 1); 4])
}

/// The amounts that limits counted for a chain are stored with the chain. They include increments, and what was cleared
/// above the hold.
async fn give_back_only_what_they_counted(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    buy(&handle, 1, "5", noon()).await?;
    let more = FollowUp::Incremental { amount: amount("3")?, decline: None };
    expect_new(handle.cards.follow_up(follow_up(Who::Main, token(1), 2, more)?).await)?;
    same("after an increment", used_amounts(&handle).await?, vec![(800, 1); 4])?;
    // A limit that was set in between has counted nothing for the chain.
    let day = LimitWindow::Day;
    expect_new(handle.card_management.remove_limit(remove_limit(Who::Main, Who::Main.limited_card(), day)?).await)?;
    let command = limit(Who::Main, Who::Main.limited_card(), (day, "20", None), noon())?;
    expect_new(handle.card_management.set_limit(command).await)?;
    buy(&handle, 3, "2", noon()).await?;
    same("two chains", used_amounts(&handle).await?, vec![(200, 1), (1_000, 2), (1_000, 2), (1_000, 2)])?;
    expect_new(handle.cards.follow_up(follow_up(Who::Main, token(1), 4, clearing("1", false)?)?).await)?;
    let rest = FollowUp::Reversal { amount: None };
    expect_new(handle.cards.follow_up(follow_up(Who::Main, token(1), 5, rest)?).await)?;
    same("after a reversal", used_amounts(&handle).await?, vec![(200, 1), (300, 2), (300, 2), (300, 2)])?;
    expect_new(handle.cards.follow_up(follow_up(Who::Main, token(3), 6, clearing("2.50", true)?)?).await)?;
    same("above the hold", used_amounts(&handle).await?, vec![(250, 1), (350, 2), (350, 2), (350, 2)])?;
    let books = handle.books.books(&Who::Main.account()?).await?;
    expect_true(
        "chains do not account for all limits",
        books.limits.iter().all(florin_domain::books::LimitBooks::agrees),
    )
}

async fn new_window(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    buy(&handle, 1, "5", noon()).await?;
    buy(&handle, 2, "6", noon() + TimeDelta::days(1)).await?;
    same("the next day", used_amounts(&handle).await?, vec![(600, 1), (1_100, 2), (1_100, 2), (1_100, 2)])?;
    buy(&handle, 3, "7", noon() + TimeDelta::days(40)).await?;
    same("weeks later", used_amounts(&handle).await?, vec![(700, 1), (700, 1), (700, 1), (1_800, 3)])?;
    let starts: Vec<NaiveDate> = limits(&handle).await?.into_iter().map(|limit| limit.window_start).collect();
    let expected = vec![day(2026, 10, 11), day(2026, 10, 11), day(2026, 10, 1), NaiveDate::default()];
    same("the starts of windows", starts, expected)
}

async fn limits_are_the_cards_own(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let command = first(Who::Other, Who::Other.limited_card(), message(FirstKind::Purchase, "5")?, stamp(1))?;
    expect_new(handle.cards.first_message(command).await)?;
    same("after another account's", used_amounts(&handle).await?, vec![(0, 0); 4])?;
    let other = expect_some("a card", card(&handle, &Who::Other.account()?, Who::Other.limited_card()).await?)?;
    same(
        "the limits of the other account",
        other.limits.iter().map(|limit| limit.spent).collect::<Vec<_>>(),
        vec![Minor(500); 4],
    )
}

async fn declined_message_uses_nothing(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    same("the response", buy(&handle, 1, "20.01", noon()).await?.response, Response::UsageLimitReached)?;
    same("after a decline", used_amounts(&handle).await?, vec![(0, 0); 4])
}
