//! Checks of physical cards: their orders, and their first use.

use super::events::stored;
use crate::check::{CheckResult, Failure, checks};
use crate::commands::{answer_of, claim, first, message, stamp, token};
use crate::expect::{absent, dry_run, expect_new, expect_some, refused, replayed, same};
use crate::factory::Handle;
use crate::management::{card_id, change_state, find_card, limit, order_physical, recipient, set_pin};
use crate::observe::{Observation, books_are_right, card};
use crate::seed_data::{Who, noon, seed_store};
use crate::together::{Work, race};
use florin_domain::card::decide::{Extras, FirstKind, FirstMessage, FirstUseSituation, decide_first_use};
use florin_domain::card::{
    CardProfile, CardState, Cardholder, LimitWindow, Match, PhysicalCard, PhysicalCardRefusal, PinDigest, Response,
    TransactionState,
};
use florin_domain::event::EventKind;
use florin_domain::page::PageRequest;
use florin_domain::text::Text;
use florin_ports::{FirstUseCommand, Mode, OrderPhysicalCommand, WriteError, Written};
use std::sync::Arc;

checks! {
    "physical_cards.order.stores_every_member" => stores_every_member,
    "physical_cards.order.of_20_at_once_one_passes" => order_of_20_at_once_one_passes,
    "physical_cards.order.replay_gives_the_stored_answer" => replay_gives_the_stored_answer,
    "physical_cards.messages.are_compared_with_the_address" => messages_are_compared_with_the_address,
    "physical_cards.first_use.changes_both_cards_with_the_message" => changes_both_cards_with_the_message,
    "physical_cards.first_use.declined_message_puts_the_card_into_use" => declined_message_puts_the_card_into_use,
    "physical_cards.first_use.refusal_stores_nothing" => refusal_stores_nothing,
    "physical_cards.first_use.of_10_at_once_one_activates" => first_use_of_10_at_once_one_activates,
    "physical_cards.first_use.dry_run_changes_nothing" => dry_run_changes_nothing,
    "physical_cards.end.forgets_the_address" => forgets_the_address,
    "tenancy.physical_cards.of_one_account_only" => physical_cards_of_one_account_only,
}

const RIGHT: [u8; 32] = [7; 32];

/// Orders physical card 1 for my card, and sets its PIN.
async fn with_pin(handle: &Handle) -> Result<CardProfile, Failure> {
    seed_store(handle).await?;
    let command = order_physical(Who::Main, Who::Main.card(), 1)?;
    let new = expect_new(handle.card_management.order_physical(command).await)?;
    expect_new(handle.card_management.change(set_pin(Who::Main, card_id(1), RIGHT)?).await)?;
    Ok(new)
}

/// Builds a debit with a PIN on physical card 1.
fn debit(who: Who, amount: &str, pin: [u8; 32], number: u128) -> Result<FirstUseCommand, Failure> {
    let extras = Extras { pin: Some(PinDigest::new(pin)), ..Extras::default() };
    let message = FirstMessage { extras, ..message(FirstKind::Debit, amount)? };
    let (ids, client) = (stamp(number), who.client());
    let decide = Arc::new(move |situation: &FirstUseSituation| {
        ids.rule(|stamp| decide_first_use(situation, &message, client, stamp))
    });
    Ok(FirstUseCommand { account: who.account()?, card: card_id(1), decide, mode: Mode::Commit, claim: None })
}

/// Returns the states of physical card 1 and of its virtual card.
async fn states(handle: &Handle) -> Result<(CardState, CardState), Failure> {
    let (physical, other) = (find_card(handle, card_id(1)).await?, find_card(handle, Who::Main.card()).await?);
    same("the state that the virtual card shows", other.physical_state, Some(physical.record.card.state))?;
    Ok((physical.record.card.state, other.record.card.state))
}

async fn stores_every_member(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let virtual_card = Who::Main.limited_card();
    let command = limit(Who::Main, virtual_card, (LimitWindow::Week, "50", Some(5)), noon())?;
    expect_new(handle.card_management.set_limit(command).await)?;
    let before = find_card(&handle, virtual_card).await?;
    same("before", before.physical_state, None)?;
    let new = expect_new(handle.card_management.order_physical(order_physical(Who::Main, virtual_card, 1)?).await)?;
    let expected = PhysicalCard { virtual_card, recipient: Some(recipient()?) };
    same("the physical card", &new.record.physical, &Some(expected))?;
    same("what is found", &find_card(&handle, card_id(1)).await?, &new)?;
    let windows: Vec<_> = new.limits.iter().map(|limit| (limit.window, limit.amount)).collect();
    let expected: Vec<_> = before.limits.iter().map(|limit| (limit.window, limit.amount)).collect();
    same("the limits", windows, expected)?;
    let after = find_card(&handle, virtual_card).await?;
    same("the virtual card", (after.record, after.physical_state), (before.record, Some(CardState::Unactivated)))?;
    same("awaits first use", handle.cards.awaits_first_use(&Who::Main.account()?, card_id(1)).await?, true)?;
    same("awaits first use", handle.cards.awaits_first_use(&Who::Main.account()?, virtual_card).await?, false)?;
    books_are_right(&handle).await
}

async fn messages_are_compared_with_the_address(handle: Handle) -> CheckResult {
    with_pin(&handle).await?;
    let recipient = recipient()?;
    for (number, card, expected) in [(10, card_id(1), Match::Match), (11, Who::Main.card(), Match::NotChecked)] {
        let sent = Cardholder {
            address_line1: Some(Text::parse(recipient.address_line1.clone())?),
            postal_code: Some(Text::parse(recipient.postcode.clone())?),
            security_code: None,
        };
        let extras = Extras { cardholder: Some(sent), ..Extras::default() };
        let message = FirstMessage { extras, ..message(FirstKind::Purchase, "0")? };
        let stored = expect_new(handle.cards.first_message(first(Who::Main, card, message, stamp(number))?).await)?;
        let found = expect_some("the verification", stored.details.verification)?;
        same("the address", (found.address_line1, found.postal_code), (expected, expected))?;
    }
    Ok(())
}

async fn order_of_20_at_once_one_passes(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let mut works: Vec<Work<_>> = Vec::new();
    for number in 1..=20 {
        let (command, cards) = (order_physical(Who::Main, Who::Main.card(), number)?, handle.card_management.clone());
        works.push(Box::pin(async move { cards.order_physical(command).await }));
    }
    let mut passed = 0;
    for answer in race(works).await? {
        match answer {
            Ok(Written::New(_)) => passed += 1,
            Err(WriteError::Refused(PhysicalCardRefusal::Ordered)) => {}
            other => return Err(Failure::new(format!("neither ordered nor refused: {other:?}"))),
        }
    }
    same("the number of orders that passed", passed, 1)
}

async fn replay_gives_the_stored_answer(handle: Handle) -> CheckResult {
    with_pin(&handle).await?;
    let order = || -> Result<_, Failure> {
        let claim = Some(claim(Who::Main, "o", "{}")?);
        Ok(OrderPhysicalCommand { claim, ..order_physical(Who::Main, Who::Main.limited_card(), 2)? })
    };
    let done = expect_new(handle.card_management.order_physical(order()?).await)?;
    same("the stored response", replayed(handle.card_management.order_physical(order()?).await)?, answer_of(&done))?;
    let first = || -> Result<_, Failure> {
        Ok(FirstUseCommand { claim: Some(claim(Who::Main, "f", "{}")?), ..debit(Who::Main, "1", RIGHT, 10)? })
    };
    let done = expect_new(handle.cards.first_use(first()?).await)?;
    same("the stored response", replayed(handle.cards.first_use(first()?).await)?, answer_of(&done))
}

async fn changes_both_cards_with_the_message(handle: Handle) -> CheckResult {
    with_pin(&handle).await?;
    let wrong = expect_new(handle.cards.first_use(debit(Who::Main, "1", [8; 32], 10)?).await)?;
    same("a wrong PIN", wrong.response, Response::CardNotActive)?;
    same("the cards", states(&handle).await?, (CardState::Unactivated, CardState::Active))?;
    let right = expect_new(handle.cards.first_use(debit(Who::Main, "1", RIGHT, 11)?).await)?;
    same("the right PIN", (right.response, right.state), (Response::Approved, TransactionState::Completed))?;
    same("the cards", states(&handle).await?, (CardState::Active, CardState::Terminated))?;
    same("awaits first use", handle.cards.awaits_first_use(&Who::Main.account()?, card_id(1)).await?, false)?;
    for (card, to) in [(card_id(1), CardState::Active), (Who::Main.card(), CardState::Terminated)] {
        let transitions =
            handle.card_management.transitions(&Who::Main.account()?, card, PageRequest::default()).await?;
        let last = expect_some("a transition", expect_some("the card", transitions)?.rows.into_iter().next())?;
        same("the transition", (last.to, last.client, last.created_at), (to, Who::Main.client(), noon()))?;
    }
    let seen = expect_some("the situation", card(&handle, &Who::Main.account()?, card_id(1)).await?)?;
    same("the card of the next message", seen.card.state, CardState::Active)?;
    let next = expect_new(handle.cards.first_use(debit(Who::Main, "1", RIGHT, 12)?).await)?;
    same("a later message", next.response, Response::Approved)?;
    let events = stored(&handle).await?;
    let states = events.iter().filter(|event| event.kind == EventKind::CardStateUpdated).count();
    same("events of states", states, 3)?;
    books_are_right(&handle).await
}

async fn declined_message_puts_the_card_into_use(handle: Handle) -> CheckResult {
    with_pin(&handle).await?;
    let answer = expect_new(handle.cards.first_use(debit(Who::Main, "9999", RIGHT, 10)?).await)?;
    same("a debit above the balance", answer.response, Response::NotSufficientFunds)?;
    same("the cards", states(&handle).await?, (CardState::Active, CardState::Terminated))?;
    same("its explanation", handle.chains.history(&Who::Main.account()?, token(10)).await?.is_some(), true)
}

async fn refusal_stores_nothing(handle: Handle) -> CheckResult {
    with_pin(&handle).await?;
    let before = Observation::take(&handle, 20).await?;
    refused(handle.cards.first_use(debit(Who::Main, "0.001", RIGHT, 10)?).await)?;
    for card in [card_id(1), Who::Main.card()] {
        refused(handle.card_management.order_physical(order_physical(Who::Main, card, 2)?).await)?;
    }
    before.still_holds("refused commands", &handle).await
}

async fn first_use_of_10_at_once_one_activates(handle: Handle) -> CheckResult {
    with_pin(&handle).await?;
    let mut works: Vec<Work<_>> = Vec::new();
    for number in 10..20 {
        let (command, cards) = (debit(Who::Main, "1", RIGHT, number)?, handle.cards.clone());
        works.push(Box::pin(async move { cards.first_use(command).await }));
    }
    for answer in race(works).await? {
        same("an answer", expect_new(answer)?.response, Response::Approved)?;
    }
    let transitions =
        handle.card_management.transitions(&Who::Main.account()?, card_id(1), PageRequest::default()).await?;
    same("transitions", expect_some("the card", transitions)?.count, 1)?;
    books_are_right(&handle).await
}

async fn dry_run_changes_nothing(handle: Handle) -> CheckResult {
    with_pin(&handle).await?;
    let before = Observation::take(&handle, 20).await?;
    let command = FirstUseCommand { mode: Mode::DryRun, ..debit(Who::Main, "1", RIGHT, 10)? };
    let run = dry_run(handle.cards.first_use(command).await)?;
    same("the answer", (run.done.response, run.journal.len()), (Response::Approved, 1))?;
    before.still_holds("a dry run of a first use", &handle).await
}

async fn forgets_the_address(handle: Handle) -> CheckResult {
    with_pin(&handle).await?;
    let end = change_state(Who::Main, card_id(1), CardState::Terminated, "lost")?;
    expect_new(handle.card_management.change(end).await)?;
    let found = find_card(&handle, card_id(1)).await?;
    let expected = PhysicalCard { virtual_card: Who::Main.card(), recipient: None };
    same("the card", &found.record.physical, &Some(expected))?;
    let new = order_physical(Who::Main, Who::Main.card(), 2)?;
    expect_new(handle.card_management.order_physical(new).await)?;
    let shown = find_card(&handle, Who::Main.card()).await?.physical_state;
    same("the state of the card that was ordered last", shown, Some(CardState::Unactivated))
}

async fn physical_cards_of_one_account_only(handle: Handle) -> CheckResult {
    with_pin(&handle).await?;
    let before = Observation::take(&handle, 20).await?;
    let order = order_physical(Who::Other, Who::Main.limited_card(), 2)?;
    absent("a card", &handle.card_management.order_physical(order).await)?;
    absent("a message", &handle.cards.first_use(debit(Who::Other, "1", RIGHT, 10)?).await)?;
    same("awaits first use", handle.cards.awaits_first_use(&Who::Other.account()?, card_id(1)).await?, false)?;
    before.still_holds("commands on foreign cards", &handle).await
}
