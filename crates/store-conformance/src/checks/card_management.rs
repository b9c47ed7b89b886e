//! Checks of cards: creation, lookup, lists, states and limits.

use crate::check::{CheckResult, Failure, checks};
use crate::commands::{claim, first, follow_up, message, request, stamp, stamp_at, token};
use crate::expect::{absent, expect_new, expect_some, expect_true, mismatch, refused, replayed, same};
use crate::factory::Handle;
use crate::management::{
    card_id, change_state, create_budget_with_features, find_card, issue, limit, limit_id, remove_limit, replacement,
};
use crate::observe::{Observation, books_are_right, card};
use crate::seed_data::{Who, gbp, noon, seed_store};
use crate::together::{Work, race};
use chrono::TimeDelta;
use florin_domain::budget::BudgetFeature;
use florin_domain::card::decide::FirstKind;
use florin_domain::card::decide::FollowUp;
use florin_domain::card::{
    CardBudget, CardFilter, CardLimit, CardProfile, CardRecord, CardState, ChangeCardRefusal, CreateCardRefusal,
    CreateCardSituation, IllegalTransition, LimitWindow, NoSuchLimit, ReplaceCardRefusal, Response, TransactionState,
};
use florin_domain::money::Minor;
use florin_domain::page::PageRequest;
use florin_ports::{ChangeCardCommand, CreateCardCommand, LimitCommand, RemoveLimitCommand};
use std::sync::Arc;

checks! {
    "card_management.create.stores_the_whole_decision" => stores_the_whole_decision,
    "card_management.create.concurrent_calls_see_the_true_count" => concurrent_calls_see_the_true_count,
    "card_management.create.counts_cards_of_every_state" => every_state,
    "card_management.create.refusal_changes_nothing" => refusal_changes_nothing,
    "card_management.list.newest_first_with_filters_and_counts" => list_newest_first_with_filters_and_counts,
    "card_management.transition.is_kept_and_decides_messages" => transition_is_kept_and_decides_messages,
    "card_management.transition.refusal_changes_nothing" => transition_refusal_changes_nothing,
    "card_management.transition.of_two_at_once_the_second_sees_the_first" =>
        transition_of_two_at_once_the_second_sees_the_first,
    "card_management.transition.authorizations_come_before_or_after" => authorizations_come_before_or_after,
    "card_management.set_limit.decides_messages_and_keeps_what_was_used" => decides_messages_and_keeps_what_was_used,
    "card_management.remove_limit.removes_one" => removes_one,
    "card_management.replace.copies_limits_and_keeps_holds" => copies_limits_and_keeps_holds,
    "card_management.writes.replay_the_stored_answer" => replay_the_stored_answer,
    "tenancy.card_management.foreign_cards_are_absent" => foreign_cards_are_absent,
}

async fn stores_the_whole_decision(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let made = expect_new(handle.card_management.create(issue(Who::Main, 1, Who::Main.second_budget(), false)?).await)?;
    let mine = Who::Main.account()?;
    let found = find_card(&handle, card_id(1)).await?;
    same("what is found", &found, &made)?;
    same("its name", found.record.name.as_str(), "日本 8")?;
    let budget = expect_some("its budget", handle.budgets.find(&mine, Who::Main.second_budget()).await?)?;
    let expected = CardBudget { id: budget.budget.id, name: budget.budget.name, kind: budget.kind, active: true };
    same("its budgets", &found.budgets, &vec![expected])?;
    let limits = expect_some("its limits", handle.card_management.limits(&mine, card_id(1)).await?)?;
    same("its limits", (limits.card, limits.limits.len()), (found.record.card, 0))?;
    let command = first(Who::Main, card_id(1), message(FirstKind::Purchase, "1")?, stamp(1))?;
    same("not active", expect_new(handle.cards.first_message(command).await)?.response, Response::CardNotActive)?;
    let seeded = find_card(&handle, Who::Main.card()).await?;
    let known = expect_some("the card", card(&handle, &mine, Who::Main.card()).await?)?.card;
    same("a seeded card", seeded.record, CardRecord::seeded(known))
}

async fn concurrent_calls_see_the_true_count(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let mut work: Vec<Work<bool>> = Vec::new();
    for number in 0..20_u128 {
        // The cards are on two budgets, so locking the budget is not sufficient.
        let budget = if number.is_multiple_of(2) { Who::Main.budget() } else { Who::Main.second_budget() };
        let mut command = issue(Who::Main, number, budget, true)?;
        let rule = command.decide;
        command.decide =
            Arc::new(
                move |situation: &CreateCardSituation| {
                    if situation.cards < 10 { rule(situation) } else { Err(CreateCardRefusal::TooMany(10)) }
                },
            );
        let cards = handle.card_management.clone();
        work.push(Box::pin(async move { cards.create(command).await.is_ok() }));
    }
    let made = race(work).await?.into_iter().filter(|made| *made).count();
    same("the number of created cards, in addition to three seeded ones", made, 7)
}

async fn refusal_changes_nothing(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let off = [BudgetFeature::PeopleCards];
    expect_new(handle.budgets.create(create_budget_with_features(Who::Main, 1, None, vec![gbp()?], &off)?).await)?;
    let before = Observation::take(&handle, 1).await?;
    let command = issue(Who::Main, 1, crate::management::budget_id(1), true)?;
    same(
        "no cards",
        refused(handle.card_management.create(command).await)?,
        CreateCardRefusal::FeatureMissing { path: "body.budgetId".into(), feature: BudgetFeature::BudgetCards },
    )?;
    before.still_holds("a refused card", &handle).await
}

async fn list_newest_first_with_filters_and_counts(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let mine = Who::Main.account()?;
    for number in [2, 1, 3] {
        let budget = if number == 3 { Who::Main.budget() } else { Who::Main.second_budget() };
        expect_new(handle.card_management.create(issue(Who::Main, number, budget, number == 1)?).await)?;
    }
    let list = |filter, page| handle.card_management.list(&mine, filter, page);
    let ids = |rows: Vec<CardProfile>| rows.into_iter().map(|row| row.record.card.id).collect::<Vec<_>>();
    let all = list(CardFilter::default(), PageRequest::default()).await?;
    // Seeded cards are called "Card", and card 3 has the first of the other names.
    let made = [card_id(3), card_id(2), card_id(1)];
    let mut old = [Who::Main.card(), Who::Main.limited_card(), Who::Main.yen_card()];
    old.sort_unstable();
    same("all", (all.count, ids(all.rows)), (6, [&old[..], &made[..]].concat()))?;
    let of_budget = CardFilter { budget: Some(Who::Main.second_budget()), ..CardFilter::default() };
    let page = list(of_budget.clone(), PageRequest { limit: 1, offset: 2 }).await?;
    same("cards of a budget", (page.count, ids(page.rows)), (3, vec![card_id(1)]))?;
    let waiting = CardFilter { states: vec![CardState::Unactivated], ..CardFilter::default() };
    same("cards in a state", ids(list(waiting, PageRequest::default()).await?.rows), vec![card_id(3), card_id(2)])?;
    let backwards = CardFilter { descending: true, ids: Some(vec![card_id(1), card_id(2)]), ..of_budget };
    same("descending", ids(list(backwards, PageRequest::default()).await?.rows), vec![card_id(1), card_id(2)])
}

async fn transition_is_kept_and_decides_messages(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let (mine, id) = (Who::Main.account()?, Who::Main.card());
    let page = PageRequest::default();
    let transitions = expect_some("the transitions", handle.card_management.transitions(&mine, id, page).await?)?;
    same("before", transitions.count, 0)?;
    let suspended = expect_new(
        handle.card_management.change(change_state(Who::Main, id, CardState::Suspended, "Verloren ✗")?).await,
    )?;
    let seen = (suspended.record.card.state, suspended.record.state_reason.as_deref());
    same("the card", seen, (CardState::Suspended, Some("Verloren ✗")))?;
    let command = first(Who::Main, id, message(FirstKind::Purchase, "1")?, stamp(1))?;
    same("a message", expect_new(handle.cards.first_message(command).await)?.response, Response::CardSuspended)?;
    expect_new(handle.card_management.change(change_state(Who::Main, id, CardState::Active, "Gefunden")?).await)?;
    let command = first(Who::Main, id, message(FirstKind::Purchase, "1")?, stamp(2))?;
    same("a message", expect_new(handle.cards.first_message(command).await)?.response, Response::Approved)?;
    let transitions = expect_some("the transitions", handle.card_management.transitions(&mine, id, page).await?)?;
    let steps: Vec<_> = transitions.rows.iter().map(|step| (step.from, step.to, step.reason.as_deref())).collect();
    let expected = vec![
        (CardState::Suspended, CardState::Active, Some("Gefunden")),
        (CardState::Active, CardState::Suspended, Some("Verloren ✗")),
    ];
    same("the steps, the last first", (transitions.count, steps), (2, expected))?;
    same("the client of the last step", transitions.rows[0].client, Who::Main.client())?;
    same("the time of the last step", transitions.rows[0].created_at, noon())
}

async fn transition_refusal_changes_nothing(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let command = change_state(Who::Main, Who::Main.card(), CardState::Terminated, "over")?;
    expect_new(handle.card_management.change(command).await)?;
    let before = Observation::take(&handle, 1).await?;
    let command = change_state(Who::Main, Who::Main.card(), CardState::Active, "again")?;
    let expected =
        ChangeCardRefusal::from(IllegalTransition { current: CardState::Terminated, requested: CardState::Active });
    same("from an end", refused(handle.card_management.change(command).await)?, expected)?;
    before.still_holds("a refused transition", &handle).await
}

async fn transition_of_two_at_once_the_second_sees_the_first(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let mut work: Vec<Work<bool>> = Vec::new();
    for _ in 0..8 {
        let command = change_state(Who::Main, Who::Main.card(), CardState::Suspended, "now")?;
        let cards = handle.card_management.clone();
        work.push(Box::pin(async move { cards.change(command).await.is_ok() }));
    }
    let made = race(work).await?.into_iter().filter(|made| *made).count();
    same("the number of suspensions", made, 1)
}

/// Races authorizations with the suspension of their card: none is approved after the suspension.
async fn authorizations_come_before_or_after(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let mut work: Vec<Work<Result<i64, ()>>> = Vec::new();
    for number in 0..40 {
        if number == 20 {
            let command = change_state(Who::Main, Who::Main.card(), CardState::Suspended, "now")?;
            let cards = handle.card_management.clone();
            work.push(Box::pin(async move { cards.change(command).await.map(|_| 0).map_err(|_| ()) }));
        }
        let command = first(Who::Main, Who::Main.card(), message(FirstKind::Purchase, "1")?, stamp(number))?;
        let cards = handle.cards.clone();
        work.push(Box::pin(async move {
            match expect_new(cards.first_message(command).await).map_err(|_| ())? {
                done if done.state == TransactionState::Pending => Ok(100),
                done if done.response == Response::CardSuspended => Ok(0),
                _ => Err(()),
            }
        }));
    }
    let mut held = 0;
    for one in race(work).await? {
        held += one.map_err(|()| Failure::new("neither approved nor declined as suspended"))?;
    }
    let seen = expect_some("the card", card(&handle, &Who::Main.account()?, Who::Main.card()).await?)?;
    same("what is held", seen.balances.held(), Minor(held))?;
    let command = first(Who::Main, Who::Main.card(), message(FirstKind::Purchase, "1")?, stamp(99))?;
    same("afterwards", expect_new(handle.cards.first_message(command).await)?.response, Response::CardSuspended)?;
    books_are_right(&handle).await
}

async fn decides_messages_and_keeps_what_was_used(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let id = Who::Main.card();
    let day = |amount| limit(Who::Main, id, (LimitWindow::Day, amount, Some(5)), noon());
    let buy = |number, text| first(Who::Main, id, message(FirstKind::Purchase, text)?, stamp_at(number, noon()));
    let set = expect_new(handle.card_management.set_limit(day("10.00")?).await)?;
    same("a new limit", (set.limit.id, set.limit.spent), (limit_id(LimitWindow::Day), Minor(0)))?;
    same("within it", expect_new(handle.cards.first_message(buy(1, "9")?).await)?.response, Response::Approved)?;
    let over = expect_new(handle.cards.first_message(buy(2, "2")?).await)?;
    same("over it", over.response, Response::UsageLimitReached)?;
    let set = expect_new(handle.card_management.set_limit(day("12.00")?).await)?;
    same("a changed limit", (set.limit.spent, set.limit.uses), (Minor(900), 1))?;
    same(
        "within the new one",
        expect_new(handle.cards.first_message(buy(3, "2")?).await)?.response,
        Response::Approved,
    )?;
    let week = limit(Who::Main, id, (LimitWindow::Week, "50.00", None), noon() + TimeDelta::days(1))?;
    expect_new(handle.card_management.set_limit(week).await)?;
    let seen = expect_some("the limits", handle.card_management.limits(&Who::Main.account()?, id).await?)?;
    let seen: Vec<_> = seen.limits.iter().map(|limit| (limit.window, limit.spent.0, limit.max_uses)).collect();
    same("the limits, sorted by window", seen, vec![(LimitWindow::Day, 1_100, Some(5)), (LimitWindow::Week, 0, None)])
}

async fn removes_one(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let id = Who::Main.limited_card();
    let seen = expect_some("the limits", handle.card_management.limits(&Who::Main.account()?, id).await?)?;
    let day = expect_some("a limit", seen.limits.first())?.id;
    let removed =
        expect_new(handle.card_management.remove_limit(remove_limit(Who::Main, id, LimitWindow::Day)?).await)?;
    same("what was removed", removed, day)?;
    let seen = expect_some("the limits", handle.card_management.limits(&Who::Main.account()?, id).await?)?;
    let left: Vec<_> = seen.limits.iter().map(|limit| limit.window).collect();
    same("what is left", left, vec![LimitWindow::Week, LimitWindow::Month, LimitWindow::Lifetime])?;
    let command = remove_limit(Who::Main, id, LimitWindow::Day)?;
    same("a second removal", refused(handle.card_management.remove_limit(command).await)?, NoSuchLimit)?;
    let other = expect_some("a card", card(&handle, &Who::Other.account()?, Who::Other.limited_card()).await?)?;
    same("another account's", other.limits.len(), 4)
}

/// The new card has copies of the limits with their used amounts, and the old card's hold stays open.
async fn copies_limits_and_keeps_holds(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let (mine, old) = (Who::Main.account()?, Who::Main.limited_card());
    let command = first(Who::Main, old, message(FirstKind::Purchase, "7.01")?, stamp(1))?;
    expect_new(handle.cards.first_message(command).await)?;
    let before = expect_some("the limits", handle.card_management.limits(&mine, old).await?)?.limits;
    let new = expect_new(handle.card_management.replace(replacement(Who::Main, old, 1)?).await)?;
    same("the new card", (new.record.card.id, new.record.card.state), (card_id(1), CardState::Unactivated))?;
    same("what is found", handle.card_management.find(&mine, card_id(1)).await?.as_ref(), Some(&new))?;
    let found = find_card(&handle, old).await?;
    let seen = (found.record.card.state, found.record.replaced_by, found.limits);
    same("the old card", seen, (CardState::Replaced, Some(card_id(1)), before.clone()))?;
    let used = |limits: &[CardLimit]| -> Vec<_> {
        limits.iter().map(|limit| (limit.window, limit.amount, limit.spent, limit.uses)).collect()
    };
    same("the limits", used(&new.limits), used(&before))?;
    expect_true("a limit keeps its id", new.limits.iter().all(|limit| before.iter().all(|old| old.id != limit.id)))?;
    let carried: Vec<_> = new.limits.iter().map(|limit| (limit.carried.spent, limit.carried.uses)).collect();
    same("what was carried over", carried, vec![(Minor(701), 1); 4])?;
    let transitions = handle.card_management.transitions(&mine, old, PageRequest::default()).await?;
    let steps: Vec<_> =
        expect_some("the transitions", transitions)?.rows.into_iter().map(|step| (step.to, step.reason)).collect();
    same("the transitions", steps, vec![(CardState::Replaced, None)])?;
    let reversal = follow_up(Who::Main, token(1), 2, FollowUp::Reversal { amount: None })?;
    expect_new(handle.cards.follow_up(reversal).await)?;
    let books = handle.books.books(&mine).await?;
    expect_true(
        "messages do not account for all limits",
        books.limits.iter().all(florin_domain::books::LimitBooks::agrees),
    )?;
    books_are_right(&handle).await?;
    let before = Observation::take(&handle, 1).await?;
    let again = refused(handle.card_management.replace(replacement(Who::Main, old, 2)?).await)?;
    let expected = IllegalTransition { current: CardState::Replaced, requested: CardState::Replaced };
    same("a second replacement", again, ReplaceCardRefusal::Illegal(expected))?;
    before.still_holds("a refused replacement", &handle).await
}

async fn replay_the_stored_answer(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let (cards, id) = (&handle.card_management, Who::Main.card());
    let card = |number, body| {
        let claim = Some(claim(Who::Main, "card", body)?);
        Ok::<_, Failure>(CreateCardCommand { claim, ..issue(Who::Main, number, Who::Main.budget(), true)? })
    };
    let made = expect_new(cards.create(card(1, "{}")?).await)?;
    same("a card", replayed(cards.create(card(2, "{}")?).await)?.body, format!("{made:?}"))?;
    same("another request", mismatch(cards.create(card(2, "[]")?).await)?, request("{}"))?;
    let step = || {
        let claim = Some(claim(Who::Main, "step", "{}")?);
        Ok::<_, Failure>(ChangeCardCommand { claim, ..change_state(Who::Main, id, CardState::Suspended, "now")? })
    };
    let moved = expect_new(cards.change(step()?).await)?;
    same("a transition", replayed(cards.change(step()?).await)?.body, format!("{moved:?}"))?;
    let set = || {
        let claim = Some(claim(Who::Main, "limit", "{}")?);
        let command = limit(Who::Main, id, (LimitWindow::Day, "1", None), noon())?;
        Ok::<_, Failure>(LimitCommand { claim, ..command })
    };
    let done = expect_new(cards.set_limit(set()?).await)?;
    same("a limit", replayed(cards.set_limit(set()?).await)?.body, format!("{done:?}"))?;
    let gone = || {
        let claim = Some(claim(Who::Main, "no-limit", "{}")?);
        Ok::<_, Failure>(RemoveLimitCommand { claim, ..remove_limit(Who::Main, id, LimitWindow::Day)? })
    };
    let done = expect_new(cards.remove_limit(gone()?).await)?;
    same("a removal", replayed(cards.remove_limit(gone()?).await)?.body, format!("{done:?}"))
}

async fn foreign_cards_are_absent(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let before = Observation::take(&handle, 1).await?;
    let (cards, mine, id) = (&handle.card_management, Who::Main.account()?, Who::Other.limited_card());
    same("a card", cards.find(&mine, id).await?, None)?;
    same("its limits", cards.limits(&mine, id).await?, None)?;
    same("its transitions", cards.transitions(&mine, id, PageRequest::default()).await?, None)?;
    let of_budget = CardFilter { budget: Some(Who::Other.budget()), ..CardFilter::default() };
    same("cards of a budget", cards.list(&mine, of_budget, PageRequest::default()).await?.count, 0)?;
    same("all cards", cards.list(&mine, CardFilter::default(), PageRequest::default()).await?.count, 3)?;
    let refusal = refused(cards.create(issue(Who::Main, 1, Who::Other.budget(), true)?).await)?;
    same("a budget", refusal, CreateCardRefusal::NoBudget("body.budgetId".into()))?;
    absent("a replacement", &cards.replace(replacement(Who::Main, id, 1)?).await)?;
    absent("a transition", &cards.change(change_state(Who::Main, id, CardState::Suspended, "mine")?).await)?;
    let command = limit(Who::Main, id, (LimitWindow::Day, "1", None), noon())?;
    absent("a limit", &cards.set_limit(command).await)?;
    absent("a removal", &cards.remove_limit(remove_limit(Who::Main, id, LimitWindow::Day)?).await)?;
    before.still_holds("what was tried on foreign cards", &handle).await
}

async fn every_state(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let move_to = |state| change_state(Who::Main, Who::Main.card(), state, "now");
    expect_new(handle.card_management.change(move_to(CardState::Suspended)?).await)?;
    let mut command = issue(Who::Main, 1, Who::Main.budget(), true)?;
    let rule = command.decide;
    command.decide = Arc::new(
        move |situation: &CreateCardSituation| {
            if situation.cards == 3 { rule(situation) } else { Err(CreateCardRefusal::TooMany(10)) }
        },
    );
    expect_new(handle.card_management.create(command).await)?;
    Ok(())
}
