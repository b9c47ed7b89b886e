//! Checks of expiring holds: found in order and ended once.

use crate::check::{CheckResult, checks};
use crate::commands::{amount, clearing, expiry, first, follow_up, message, purchase, stamp, stamp_at, token};
use crate::expect::{absent, expect_new, expect_some, expect_true, refused, same, store_failed};
use crate::factory::Handle;
use crate::observe::{Observation, balances, books_are_right, chain, due_holds};
use crate::seed_data::{Who, gbp, noon, seed_store};
use chrono::{DateTime, TimeDelta, Utc};
use florin_domain::card::decide::{CardRefusal, FirstKind, FollowUp};
use florin_domain::card::{ChainEnd, HoldLife, MessageKind, TransactionState};
use florin_domain::ledger::Balances;
use florin_domain::money::Minor;
use florin_ports::DueHold;

checks! {
    "cards.expire.stores_the_whole_decision" => stores_the_whole_decision,
    "cards.expire.too_early_changes_nothing" => too_early,
    "cards.expire.ended_chain_changes_nothing" => ended_chain_changes_nothing,
    "cards.expire.refusal_changes_nothing" => refusal_changes_nothing,
    "cards.expire.and_clearing_have_one_winner" => one_winner,
    "cards.due_holds.oldest_first_and_bounded" => oldest_first,
    "cards.due_holds.exact_to_the_microsecond" => due_holds_are_exact_to_the_microsecond,
    "cards.due_holds.only_what_is_held" => only_held,
}

fn due() -> DateTime<Utc> {
    noon() + HoldLife::DEFAULT
}

fn hold(who: Who, number: u128) -> Result<DueHold, crate::check::Failure> {
    Ok(DueHold { account: who.account()?, chain: token(number) })
}

async fn stores_the_whole_decision(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    expect_new(handle.cards.first_message(purchase(Who::Main, 1, "10")?).await)?;
    same("whether it expired", handle.cards.expire(expiry(Who::Main, token(1), 2, due())?).await?, true)?;
    let seen = expect_some("the expiry", chain(&handle, &Who::Main.account()?, token(2)).await?)?;
    same("what is named", seen.named_message, (MessageKind::Expiry, TransactionState::NothingCleared))?;
    same("the first message", seen.first.state, TransactionState::NothingCleared)?;
    let ended = expect_some("the chain", seen.chain)?;
    same("the chain", (ended.held(), ended.end()), (Minor(0), Some(ChainEnd::Expired)))?;
    same("the balances", seen.balances, Balances::new(Minor(9_500), Minor(0), Minor(0))?)?;
    same("due holds", due_holds(&handle, due(), 10).await?, vec![])?;
    books_are_right(&handle).await
}

async fn too_early(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    expect_new(handle.cards.first_message(purchase(Who::Main, 1, "10")?).await)?;
    let before = Observation::take(&handle, 2).await?;
    let early = expiry(Who::Main, token(1), 2, due() - TimeDelta::microseconds(1))?;
    same("whether it expired", handle.cards.expire(early).await?, false)?;
    before.still_holds("an expiry that is too early", &handle).await?;
    let before = Observation::take(&handle, 2).await?;
    absent("an unknown chain", &handle.cards.expire(expiry(Who::Main, token(9), 2, due())?).await)?;
    before.still_holds("an expiry of nothing", &handle).await
}

async fn ended_chain_changes_nothing(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    expect_new(handle.cards.first_message(purchase(Who::Main, 1, "10")?).await)?;
    expect_new(handle.cards.follow_up(follow_up(Who::Main, token(1), 2, FollowUp::Reversal { amount: None })?).await)?;
    let before = Observation::take(&handle, 3).await?;
    same("whether it expired", handle.cards.expire(expiry(Who::Main, token(1), 3, due())?).await?, false)?;
    before.still_holds("an expiry of an ended chain", &handle).await
}

async fn refusal_changes_nothing(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    expect_new(handle.cards.first_message(purchase(Who::Main, 1, "10")?).await)?;
    let before = Observation::take(&handle, 2).await?;
    let mut command = expiry(Who::Main, token(1), 2, due())?;
    command.decide = std::sync::Arc::new(|_| Err(CardRefusal::Expired));
    same("the refusal", refused(handle.cards.expire(command).await)?, CardRefusal::Expired)?;
    let mut command = expiry(Who::Main, token(1), 2, due())?;
    let rule = command.decide;
    // The journal id of the hold itself, which already exists.
    let taken = stamp(1).journal;
    command.decide = std::sync::Arc::new(move |situation| {
        let mut decision = rule(situation)?;
        if let Some(decision) = &mut decision
            && let Some(journal) = &mut decision.journal
        {
            journal.id = taken;
        }
        Ok(decision)
    });
    store_failed(handle.cards.expire(command).await)?;
    before.still_holds("an expiry that failed half-way", &handle).await
}

async fn one_winner(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    for round in 0..10_u128 {
        let (number, base) = (round * 10 + 1, round * 10);
        expect_new(handle.cards.first_message(purchase(Who::Main, number, "9")?).await)?;
        let expiries = (2..6).map(|step| expiry(Who::Main, token(number), base + step, due()));
        let mut tasks = Vec::new();
        for command in expiries {
            let (cards, command) = (handle.cards.clone(), command?);
            tasks.push(tokio::spawn(async move { cards.expire(command).await == Ok(true) }));
        }
        let (cards, command) =
            (handle.cards.clone(), follow_up(Who::Main, token(number), base + 6, FollowUp::Reversal { amount: None })?);
        tasks.push(tokio::spawn(async move { cards.follow_up(command).await.is_ok() }));
        let mut winners = 0;
        for task in tasks {
            winners += usize::from(task.await.unwrap_or(false));
        }
        same("the number of commands that ended the chain", winners, 1)?;
        let now = balances(&handle, Who::Main, gbp()?).await?;
        same("the balances", now, Balances::new(Minor(9_500), Minor(0), Minor(0))?)?;
    }
    expect_new(handle.cards.first_message(purchase(Who::Main, 500, "9")?).await)?;
    expect_new(handle.cards.follow_up(follow_up(Who::Main, token(500), 501, clearing("9", true)?)?).await)?;
    same(
        "an expiry after the clearing",
        handle.cards.expire(expiry(Who::Main, token(500), 502, due())?).await?,
        false,
    )?;
    books_are_right(&handle).await
}

async fn oldest_first(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    // Ages in hours, deliberately unordered; two accounts; two holds of the same age.
    let mut expected = Vec::new();
    for (number, age) in (1..).zip([3, 9, 1, 7, 5, 7]) {
        let who = if number % 2 == 0 { Who::Other } else { Who::Main };
        let at = noon() - TimeDelta::hours(age);
        let command = first(who, who.card(), message(FirstKind::Purchase, "1")?, stamp_at(number, at))?;
        expect_new(handle.cards.first_message(command).await)?;
        expected.push((at, hold(who, number)?));
    }
    expected.sort_by_key(|(at, _)| *at);
    let times: Vec<_> = handle.cards.due_holds(due(), 100).await?.into_iter().map(|due| due.at).collect();
    let expected_times: Vec<_> = expected.iter().map(|(at, _)| *at + HoldLife::DEFAULT).collect();
    same("when they are due", times, expected_times)?;
    let expected: Vec<_> = expected.into_iter().map(|(_, hold)| hold).collect();
    for max in [0, 1, 3, 6, 100] {
        let found = due_holds(&handle, due(), max).await?;
        let max = usize::try_from(max).unwrap_or(0).min(6);
        same(&format!("the number of holds, at most {max}"), found.len(), max)?;
        // The order of holds with the same age is unspecified.
        let ages = |holds: &[DueHold]| -> Vec<_> {
            let age = |hold: &DueHold| {
                expected.iter().position(|one| one == hold).map(|place| if place == 2 { 1 } else { place })
            };
            holds.iter().map(age).collect()
        };
        same("the oldest", ages(&found), ages(&expected[..max]))?;
        same("all holds", found.iter().all(|hold| expected.contains(hold)), true)?;
    }
    let later = noon() - TimeDelta::hours(6) + HoldLife::DEFAULT;
    same("the number of holds that are due earlier", due_holds(&handle, later, 100).await?.len(), 3)
}

async fn due_holds_are_exact_to_the_microsecond(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let at = noon() + TimeDelta::microseconds(123_457);
    let command = first(Who::Main, Who::Main.card(), message(FirstKind::Atm, "1")?, stamp_at(1, at))?;
    expect_new(handle.cards.first_message(command).await)?;
    let due = at + HoldLife::DEFAULT;
    same("too early", due_holds(&handle, due - TimeDelta::microseconds(1), 10).await?, vec![])?;
    same("in time", due_holds(&handle, due, 10).await?, vec![hold(Who::Main, 1)?])
}

async fn only_held(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let messages = [
        (FirstKind::Refund, "5"),
        // An account verification without an amount.
        (FirstKind::Purchase, "0"),
        // A declined purchase.
        (FirstKind::Purchase, "9999"),
        (FirstKind::Purchase, "5"),
        (FirstKind::Purchase, "6"),
        (FirstKind::Purchase, "7"),
    ];
    for (number, (kind, text)) in (1..).zip(messages) {
        let command = first(Who::Main, Who::Main.card(), message(kind, text)?, stamp(number))?;
        expect_new(handle.cards.first_message(command).await)?;
    }
    expect_new(handle.cards.follow_up(follow_up(Who::Main, token(4), 14, clearing("5", true)?)?).await)?;
    let part = FollowUp::Reversal { amount: Some(amount("1")?) };
    expect_new(handle.cards.follow_up(follow_up(Who::Main, token(5), 15, part)?).await)?;
    let advice = FollowUp::Advice { amount: amount("0")? };
    expect_new(handle.cards.follow_up(follow_up(Who::Main, token(6), 16, advice)?).await)?;
    let found = due_holds(&handle, due(), 100).await?;
    expect_true("an open hold is missing", found.contains(&hold(Who::Main, 5)?))?;
    same("what is due", found, vec![hold(Who::Main, 5)?])?;
    // A chain without a held amount stays open: an advice can raise the amount again.
    let advice = FollowUp::Advice { amount: amount("8")? };
    expect_new(handle.cards.follow_up(follow_up(Who::Main, token(6), 17, advice)?).await)?;
    same("what is due", due_holds(&handle, due(), 100).await?.len(), 2)
}
