//! Checks of the card settings of accounts: how long holds last, and which clearings are refused.

use crate::check::{CheckResult, Failure, checks};
use crate::commands::{amount, answer_of, claim, clearing, expiry, first, follow_up, message, purchase, stamp, token};
use crate::expect::{absent, expect_new, expect_some, mismatch, refused, replayed, same};
use crate::factory::Handle;
use crate::management::{set_hold_lives, set_over_clearing, some_lives};
use crate::observe::{Observation, books_are_right, chain, due_holds};
use crate::seed_data::{Who, gbp, noon, seed_store};
use chrono::{DateTime, TimeDelta, Utc};
use florin_domain::card::decide::{CardRefusal, FirstKind, FollowUp};
use florin_domain::card::{CardSettings, Chain, HoldLife, OverClearing};
use florin_domain::ids::{AccountId, TransactionToken};
use florin_domain::money::Minor;
use florin_domain::world::{ClockChange, decide_clock};
use florin_ports::{CardSettingsCommand, ClockCommand, DueHold};
use std::sync::Arc;

checks! {
    "card_settings.set.is_kept_and_replayed" => set_is_kept_and_replayed,
    "card_settings.set.concurrent_changes_add_up" => concurrent_changes_add_up,
    "card_settings.hold_life.decides_when_holds_are_due" => decides_when_holds_are_due,
    "card_settings.hold_life.decides_by_the_accounts_own_clock" (Sandbox) => own_clock,
    "card_settings.hold_life.leaves_existing_holds" => leaves_existing_holds,
    "card_settings.over_clearing.decides_clearings" => over_clearing,
    "card_settings.over_clearing.remembers_forced_clearings" => remembers_forced_clearings,
    "tenancy.card_settings.are_of_their_own_account" => card_settings_are_of_their_own_account,
}

async fn settings(handle: &Handle, who: Who) -> Result<CardSettings, Failure> {
    Ok(handle.card_management.settings(&who.account()?).await?)
}

/// Returns the chain that begins with message `number`.
async fn chain_of(handle: &Handle, number: u128) -> Result<Chain, Failure> {
    let seen = expect_some("the message", chain(handle, &Who::Main.account()?, token(number)).await?)?;
    expect_some("the chain", seen.chain)
}

fn hold(number: u128) -> Result<DueHold, Failure> {
    Ok(DueHold { account: Who::Main.account()?, chain: token(number) })
}

async fn set_is_kept_and_replayed(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    same("before", settings(&handle, Who::Main).await?, CardSettings::default())?;
    let set = CardSettings { hold_life: some_lives(3)?, over_clearing: OverClearing::Accept };
    let claimed = |lives| -> Result<_, Failure> {
        let claim = Some(claim(Who::Main, "lives", "{}")?);
        Ok(CardSettingsCommand { claim, ..set_hold_lives(Who::Main, lives)? })
    };
    let done = expect_new(handle.card_management.set_settings(claimed(some_lives(3)?)?).await)?;
    same("what was set", (&done, settings(&handle, Who::Main).await?), (&set, set.clone()))?;
    let answer = replayed(handle.card_management.set_settings(claimed(some_lives(4)?)?).await)?;
    same("the stored response", answer, answer_of(&done))?;
    let other = CardSettingsCommand {
        claim: Some(claim(Who::Main, "lives", r#"{"a":1}"#)?),
        ..set_over_clearing(Who::Main, OverClearing::Network)?
    };
    mismatch(handle.card_management.set_settings(other).await)?;
    same("after a replay and a mismatch", settings(&handle, Who::Main).await?, set.clone())?;
    expect_new(handle.card_management.set_settings(set_over_clearing(Who::Main, OverClearing::Network)?).await)?;
    let both = CardSettings { over_clearing: OverClearing::Network, ..set };
    same("after another change", settings(&handle, Who::Main).await?, both)?;
    expect_new(handle.card_management.set_settings(set_hold_lives(Who::Main, HoldLife::default())?).await)?;
    same("the default life", settings(&handle, Who::Main).await?.hold_life, HoldLife::default())?;
    let unknown =
        CardSettingsCommand { account: AccountId::parse("nobody")?, ..set_hold_lives(Who::Main, some_lives(1)?)? };
    absent("settings of nobody", &handle.card_management.set_settings(unknown).await)
}

async fn concurrent_changes_add_up(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let mut tasks = Vec::new();
    for _ in 0..20 {
        let longer = |before: &CardSettings| {
            let default = before.hold_life.default + TimeDelta::seconds(1);
            CardSettings { hold_life: HoldLife { default, ..before.hold_life.clone() }, ..before.clone() }
        };
        let command = CardSettingsCommand { account: Who::Main.account()?, decide: Arc::new(longer), claim: None };
        let cards = handle.card_management.clone();
        tasks.push(tokio::spawn(async move { cards.set_settings(command).await }));
    }
    for task in tasks {
        expect_new(task.await.map_err(|error| Failure::new(error.to_string()))?)?;
    }
    let expected = HoldLife::DEFAULT + TimeDelta::seconds(20);
    same("the life", settings(&handle, Who::Main).await?.hold_life.default, expected)
}

async fn decides_when_holds_are_due(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    expect_new(handle.card_management.set_settings(set_hold_lives(Who::Main, some_lives(3)?)?).await)?;
    expect_new(handle.cards.first_message(purchase(Who::Main, 1, "10")?).await)?;
    let atm = first(Who::Main, Who::Main.card(), message(FirstKind::Atm, "5")?, stamp(2))?;
    expect_new(handle.cards.first_message(atm).await)?;
    let (soon, late) = (noon() + TimeDelta::hours(3), noon() + TimeDelta::hours(4));
    same("due of the purchase", chain_of(&handle, 1).await?.due_at(), Some(soon))?;
    same("due of the withdrawal", chain_of(&handle, 2).await?.due_at(), Some(late))?;
    let found = async |at: DateTime<Utc>| due_holds(&handle, at, 10).await;
    same("due too early", found(soon - TimeDelta::microseconds(1)).await?, vec![])?;
    same("due at first", found(soon).await?, vec![hold(1)?])?;
    same("due later", found(late).await?, vec![hold(1)?, hold(2)?])?;
    same("whether it expired", handle.cards.expire(expiry(Who::Main, token(1), 3, soon)?).await?, true)?;
    same("due afterwards", found(late).await?, vec![hold(2)?])?;
    same("due after its end", chain_of(&handle, 1).await?.expires_at, None)?;
    books_are_right(&handle).await
}

async fn own_clock(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let decide = Arc::new(|clock: &_| decide_clock(*clock, ClockChange::Freeze, noon()));
    let account = Who::Main.account()?;
    expect_new(handle.timelines.set_clock(ClockCommand { account: account.clone(), decide, claim: None }).await)?;
    expect_new(handle.cards.first_message(purchase(Who::Main, 1, "10")?).await)?;
    expect_new(handle.card_management.set_settings(set_hold_lives(Who::Main, some_lives(3)?)?).await)?;
    expect_new(handle.cards.first_message(purchase(Who::Main, 2, "10")?).await)?;
    let found = async |at: DateTime<Utc>| handle.timelines.due_holds(&account, at, 10).await;
    let soon = noon() + TimeDelta::hours(3);
    same("due too early", found(soon - TimeDelta::microseconds(1)).await?, vec![])?;
    same("due at first", found(soon).await?, vec![hold(2)?])?;
    same("due later, in order", found(noon() + HoldLife::DEFAULT).await?, vec![hold(2)?, hold(1)?])
}

async fn leaves_existing_holds(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    expect_new(handle.cards.first_message(purchase(Who::Main, 1, "10")?).await)?;
    let due = Some(noon() + HoldLife::DEFAULT);
    expect_new(handle.card_management.set_settings(set_hold_lives(Who::Main, some_lives(3)?)?).await)?;
    same("after the change", chain_of(&handle, 1).await?.due_at(), due)?;
    let more = FollowUp::Incremental { amount: amount("1")?, decline: None };
    expect_new(handle.cards.follow_up(follow_up(Who::Main, token(1), 2, more)?).await)?;
    same("after an increment", chain_of(&handle, 1).await?.due_at(), due)?;
    expect_new(handle.cards.follow_up(follow_up(Who::Main, token(1), 3, clearing("4", false)?)?).await)?;
    same("after a part was cleared", chain_of(&handle, 1).await?.due_at(), due)
}

async fn over_clearing(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    expect_new(handle.card_management.set_settings(set_over_clearing(Who::Main, OverClearing::Network)?).await)?;
    for number in [1, 2] {
        expect_new(handle.cards.first_message(purchase(Who::Main, number, "10")?).await)?;
    }
    let before = Observation::take(&handle, 3).await?;
    let clear =
        |number, step, text| -> Result<_, Failure> { follow_up(Who::Main, token(number), step, clearing(text, true)?) };
    let max = Minor(1_000).of(gbp()?);
    let refusal = refused(handle.cards.follow_up(clear(1, 3, "10.01")?).await)?;
    same("the refusal", refusal, CardRefusal::ExceedsMargin { max })?;
    before.still_holds("a clearing above the margin", &handle).await?;
    expect_new(handle.cards.follow_up(clear(1, 3, "10")?).await)?;
    expect_new(handle.card_management.set_settings(set_over_clearing(Who::Main, OverClearing::Accept)?).await)?;
    expect_new(handle.cards.follow_up(clear(2, 4, "10.01")?).await)?;
    books_are_right(&handle).await
}

async fn remembers_forced_clearings(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    expect_new(handle.card_management.set_settings(set_over_clearing(Who::Main, OverClearing::Network)?).await)?;
    expect_new(handle.cards.first_message(purchase(Who::Main, 1, "10")?).await)?;
    let late = FollowUp::ForcedClearing { amount: amount("10")? };
    expect_new(handle.cards.follow_up(follow_up(Who::Main, token(1), 2, late)?).await)?;
    let found = chain_of(&handle, 1).await?;
    same(
        "forced and cleared",
        (found.forced, found.cleared, found.held()),
        (Minor(1_000), Minor(1_000), Minor(1_000)),
    )?;
    let refusal = refused(handle.cards.follow_up(follow_up(Who::Main, token(1), 3, clearing("10.01", true)?)?).await)?;
    same("the refusal", refusal, CardRefusal::ExceedsMargin { max: Minor(1_000).of(gbp()?) })
}

async fn card_settings_are_of_their_own_account(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    expect_new(handle.card_management.set_settings(set_hold_lives(Who::Other, some_lives(3)?)?).await)?;
    expect_new(handle.card_management.set_settings(set_over_clearing(Who::Other, OverClearing::Network)?).await)?;
    same("the settings of my account", settings(&handle, Who::Main).await?, CardSettings::default())?;
    expect_new(handle.cards.first_message(purchase(Who::Main, 1, "10")?).await)?;
    same("when it is due", chain_of(&handle, 1).await?.due_at(), Some(noon() + HoldLife::DEFAULT))?;
    let above = follow_up(Who::Main, token(1), 2, clearing("10.01", true)?)?;
    let cleared: TransactionToken = expect_new(handle.cards.follow_up(above).await)?.chain;
    same("what was cleared", cleared, token(1))
}
