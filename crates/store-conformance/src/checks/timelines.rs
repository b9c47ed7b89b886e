//! Checks of timelines and of the numbers of seeded worlds.

use super::contention::second;
use crate::check::{CheckResult, Failure, checks};
use crate::commands::{answer_of, claim, expiry, purchase, token};
use crate::expect::{absent, expect_new, expect_some, mismatch, not_found, refused, replayed, same};
use crate::factory::Handle;
use crate::observe::{Observation, books_are_right, due_holds};
use crate::seed_data::{Who, noon, parent_of, seed_store};
use chrono::TimeDelta;
use florin_domain::access::Account;
use florin_domain::card::HoldLife;
use florin_domain::card::decide::decide_first;
use florin_domain::ids::AccountId;
use florin_domain::world::{ClockChange, ClockReading, ClockRefusal, ClockSetting, Timeline, WorldSeed, decide_clock};
use florin_ports::{AccountTimeline, ClockCommand, DueHold};
use std::collections::BTreeSet;
use std::sync::Arc;

checks! {
    "timelines.set_clock.is_seen_with_the_account" (Sandbox) => set_clock_is_seen_with_the_account,
    "timelines.set_clock.refusal_changes_nothing" (Sandbox) => refusal_changes_nothing,
    "timelines.set_clock.replay_gives_the_stored_answer" (Sandbox) => replay_gives_the_stored_answer,
    "timelines.set_clock.is_kept" (Sandbox, Reopen) => set_clock_is_kept,
    "timelines.next_number.each_once" (Sandbox) => each_once,
    "timelines.due_holds.by_the_accounts_own_time" (Sandbox) => own_time,
    "timelines.due_holds.oldest_first_and_bounded" (Sandbox) => oldest_first,
}

/// Builds a command that changes the clock of an account.
pub(super) fn change(who: Who, change: ClockChange) -> Result<ClockCommand, Failure> {
    let decide = Arc::new(move |clock: &ClockSetting| decide_clock(*clock, change, noon()));
    Ok(ClockCommand { account: who.account()?, decide, claim: None })
}

async fn timeline(handle: &Handle, who: Who) -> Result<Timeline, Failure> {
    Ok(expect_some("the account", handle.accounts.find(&who.account()?).await?)?.timeline)
}

async fn set_clock_is_seen_with_the_account(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    same("the clock before any change", timeline(&handle, Who::Main).await?, Timeline::default())?;
    same("the accounts with their own timeline", handle.timelines.accounts_with_timeline().await?, vec![])?;
    let week = ClockChange::AdvanceBy(TimeDelta::days(7));
    let reading = expect_new(handle.timelines.set_clock(change(Who::Main, week)?).await)?;
    let ahead = ClockSetting::Running { ahead: TimeDelta::days(7) };
    same("the answer", reading, ClockReading { clock: ahead, now: noon() + TimeDelta::days(7) })?;
    same("the clock of the account", timeline(&handle, Who::Main).await?.clock, ahead)?;
    let at = noon() + TimeDelta::days(9) + TimeDelta::microseconds(1);
    expect_new(handle.timelines.set_clock(change(Who::Main, ClockChange::FreezeAt(at))?).await)?;
    let frozen = Timeline { clock: ClockSetting::Frozen { at }, seed: None };
    same("the clock of the account", timeline(&handle, Who::Main).await?, frozen.clone())?;
    same("the timeline of the other account", timeline(&handle, Who::Other).await?, Timeline::default())?;
    same(
        "the accounts with their own timeline",
        handle.timelines.accounts_with_timeline().await?,
        vec![AccountTimeline { account: Who::Main.account()?, timeline: frozen.clone() }],
    )?;
    let listed = handle.registry.accounts().await?;
    let mine = listed.into_iter().find(|account| account.timeline != Timeline::default());
    same("the operator's list", expect_some("the account", mine)?.timeline, frozen)?;
    let mut command = change(Who::Main, ClockChange::Resume)?;
    command.account = AccountId::parse("F404")?;
    absent("an unknown account", &handle.timelines.set_clock(command).await)
}

async fn refusal_changes_nothing(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let before = Observation::take(&handle, 1).await?;
    let back = ClockChange::FreezeAt(noon() - TimeDelta::seconds(1));
    let answer = handle.timelines.set_clock(change(Who::Main, back)?).await;
    same("the refusal", refused(answer)?, ClockRefusal::Backwards { now: noon() })?;
    before.still_holds("a refused change of a clock", &handle).await
}

async fn replay_gives_the_stored_answer(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let command = |by: i64, body: &str| -> Result<ClockCommand, Failure> {
        let mut command = change(Who::Main, ClockChange::AdvanceBy(TimeDelta::days(by)))?;
        command.claim = Some(claim(Who::Main, "k", body)?);
        Ok(command)
    };
    let done = expect_new(handle.timelines.set_clock(command(1, "{}")?).await)?;
    let before = Observation::take(&handle, 1).await?;
    same("the answer", replayed(handle.timelines.set_clock(command(1, "{}")?).await)?, answer_of(&done))?;
    mismatch(handle.timelines.set_clock(command(2, "[]")?).await)?;
    before.still_holds("a repeated change of a clock", &handle).await
}

async fn set_clock_is_kept(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    expect_new(handle.timelines.set_clock(change(Who::Main, ClockChange::Freeze)?).await)?;
    let again = second(&handle).await?;
    same("the clock", timeline(&again, Who::Main).await?.clock, ClockSetting::Frozen { at: noon() })
}

async fn each_once(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let mine = Who::Main.account()?;
    not_found("an account in real time", &handle.timelines.next_number(&mine).await)?;
    let seeded = AccountId::parse("F3")?;
    let timeline = Timeline { clock: ClockSetting::Frozen { at: noon() }, seed: Some(WorldSeed([7; 32])) };
    let account = Account { id: seeded.clone(), timeline: timeline.clone(), ..crate::seed_data::account(Who::Main)? };
    let parent = parent_of(&account)?;
    handle.registry.add_account(account, parent).await?;
    same("the timeline", expect_some("the account", handle.accounts.find(&seeded).await?)?.timeline, timeline)?;
    let mut tasks = Vec::new();
    for _ in 0..40 {
        let (timelines, seeded) = (handle.timelines.clone(), seeded.clone());
        tasks.push(tokio::spawn(async move { timelines.next_number(&seeded).await }));
    }
    let mut given = BTreeSet::new();
    for task in tasks {
        given.insert(task.await.map_err(|error| Failure::new(error.to_string()))??);
    }
    same("the numbers", given, (1..=40).collect::<BTreeSet<u64>>())?;
    // A change of the clock does not reset the numbers.
    let mut command = change(Who::Main, ClockChange::Resume)?;
    command.account = seeded.clone();
    expect_new(handle.timelines.set_clock(command).await)?;
    same("the next number", handle.timelines.next_number(&seeded).await?, 41)?;
    same(
        "the seed",
        expect_some("the account", handle.accounts.find(&seeded).await?)?.timeline.seed,
        Some(WorldSeed([7; 32])),
    )
}

async fn own_time(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    for who in [Who::Main, Who::Other] {
        expect_new(handle.cards.first_message(purchase(who, 1, "10")?).await)?;
    }
    let due = noon() + HoldLife::DEFAULT;
    let hold = |who: Who| -> Result<DueHold, Failure> { Ok(DueHold { account: who.account()?, chain: token(1) }) };
    same("due by real time", due_holds(&handle, due, 10).await?, vec![hold(Who::Main)?, hold(Who::Other)?])?;
    expect_new(handle.timelines.set_clock(change(Who::Main, ClockChange::Freeze)?).await)?;
    same("due by real time, one clock frozen", due_holds(&handle, due, 10).await?, vec![hold(Who::Other)?])?;
    let mine = Who::Main.account()?;
    let early = handle.timelines.due_holds(&mine, due - TimeDelta::microseconds(1), 10).await?;
    same("due too early", early, vec![])?;
    same("due by its own time", handle.timelines.due_holds(&mine, due, 10).await?, vec![hold(Who::Main)?])?;
    same("whether it expired", handle.cards.expire(expiry(Who::Main, token(1), 2, due)?).await?, true)?;
    same("due afterwards", handle.timelines.due_holds(&mine, due, 10).await?, vec![])?;
    books_are_right(&handle).await
}

async fn oldest_first(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    for (number, minutes) in [(3, 2), (1, 1), (2, 2), (4, 0)] {
        let mut command = purchase(Who::Main, number, "1")?;
        let message = crate::commands::message(florin_domain::card::decide::FirstKind::Purchase, "1")?;
        let ids = crate::commands::stamp_at(number, noon() + TimeDelta::minutes(minutes));
        command.decide = Arc::new(move |situation| ids.rule(|stamp| decide_first(situation, &message, stamp)));
        expect_new(handle.cards.first_message(command).await)?;
    }
    let (mine, late) = (Who::Main.account()?, noon() + TimeDelta::days(8));
    let chains = |due: Vec<DueHold>| due.into_iter().map(|hold| hold.chain).collect::<Vec<_>>();
    let all = [4, 1, 2, 3].map(token);
    same("all", chains(handle.timelines.due_holds(&mine, late, 10).await?), all.to_vec())?;
    same("the first three", chains(handle.timelines.due_holds(&mine, late, 3).await?), all[..3].to_vec())
}
