//! Checks of the guards of cards: controls, the owner's status, the PIN and the account's settings.

use crate::check::{CheckResult, Failure, checks};
use crate::commands::{first, follow_up, message, stamp, token};
use crate::expect::{absent, expect_new, expect_some, same};
use crate::factory::Handle;
use crate::management::{card_id, control_budget, find_card, issue_to_person, replacement, set_controls, set_pin};
use crate::observe::{Observation, books_are_right, card};
use crate::payments::after;
use crate::people::{create_person, edit_person, person_id};
use crate::seed_data::{Who, seed_store};
use crate::together::{Work, race};
use florin_domain::card::decide::{Extras, FirstKind, FirstMessage, FollowUp};
use florin_domain::card::{
    CardTransaction, Cardholder, ControlOwner, ControlledCountry, Controls, EntryMode, MccRange, MultiClearing,
    PinDigest, PointOfSale, Response, Rule, SecurityCode, ThreeDSecure, TransactionState, WalletToken,
    WalletTokenState,
};
use florin_domain::ids::CardId;
use florin_domain::money::Minor;
use florin_domain::people::{PersonEdit, PersonStatus};
use florin_domain::text::Text;
use florin_ports::FollowUpCommand;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

checks! {
    "card_guards.controls.of_the_card_are_kept_and_decide_messages" => of_card,
    "card_guards.controls.of_the_budget_are_kept_and_decide_messages" => of_budget,
    "card_guards.controls.decide_increments" => controls_decide_increments,
    "card_guards.controls.of_a_budget_come_before_or_after_authorizations" =>
        controls_of_a_budget_come_before_or_after_authorizations,
    "card_guards.controls.go_to_the_new_card" => controls_go_to_the_new_card,
    "card_guards.pin.is_kept_and_decides_messages" => pin_is_kept_and_decides_messages,
    "card_guards.owner.must_be_active" => owner_must_be_active,
    "card_guards.messages.keep_what_they_present" => messages_keep_what_they_present,
    "card_guards.declines.are_explained_as_they_were_decided" => declines_are_explained_as_they_were_decided,
    "tenancy.card_guards.are_of_their_own_account" => card_guards_are_of_their_own_account,
}

/// Controls with an entry in every list. They allow purchases by chip only.
fn every_control() -> Result<Controls, Failure> {
    Ok(Controls {
        allowed_mccs: Some(vec![MccRange::parse("5000-5999")?, MccRange::parse("0742")?]),
        blocked_mccs: Some(vec![]),
        allowed_countries: Some(vec![ControlledCountry::parse("GBR")?, ControlledCountry::parse("FRA")?]),
        blocked_countries: Some(vec![ControlledCountry::parse("USA")?]),
        allowed_merchants: Some(vec![Text::parse("11111")?, Text::parse(" Käse \\\" ")?]),
        blocked_merchants: Some(vec![Text::parse("22222")?]),
        allowed_entry_modes: Some(vec![EntryMode::Chip]),
    })
}

fn with_entry_mode(mode: EntryMode) -> Extras {
    Extras { pos: Some(PointOfSale { entry_mode: Some(mode), ..PointOfSale::default() }), ..Extras::default() }
}

async fn send(
    handle: &Handle,
    card: CardId,
    number: u128,
    (kind, extras): (FirstKind, Extras),
) -> Result<CardTransaction, Failure> {
    let message = FirstMessage { extras, ..message(kind, "1")? };
    expect_new(handle.cards.first_message(first(Who::Main, card, message, stamp(number))?).await)
}

async fn buy(handle: &Handle, card: CardId, number: u128, mode: EntryMode) -> Result<Response, Failure> {
    Ok(send(handle, card, number, (FirstKind::Purchase, with_entry_mode(mode))).await?.response)
}

async fn of_card(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let card = Who::Main.card();
    let changed = expect_new(handle.card_management.change(set_controls(Who::Main, card, every_control()?)?).await)?;
    same("the controls", &changed.record.controls, &every_control()?)?;
    let found = find_card(&handle, card).await?;
    same("what is found", &found, &changed)?;
    same("a purchase by chip", buy(&handle, card, 1, EntryMode::Chip).await?, Response::Approved)?;
    same(
        "a purchase with a keyed-in number",
        buy(&handle, card, 2, EntryMode::Keyed).await?,
        Response::EntryModeNotAllowed,
    )?;
    same("another card", buy(&handle, Who::Main.limited_card(), 3, EntryMode::Keyed).await?, Response::Approved)?;
    expect_new(handle.card_management.change(set_controls(Who::Main, card, Controls::default())?).await)?;
    same("without controls", buy(&handle, card, 4, EntryMode::Keyed).await?, Response::Approved)?;
    books_are_right(&handle).await
}

async fn of_budget(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let (mine, budget) = (Who::Main.account()?, Who::Main.budget());
    let changed = expect_new(handle.budgets.edit(control_budget(Who::Main, budget, every_control()?)?).await)?;
    same("the controls", &changed.controls, &every_control()?)?;
    let found = expect_some("the budget", handle.budgets.find(&mine, budget).await?)?;
    same("what is found", (found.controls, found.updated_at), (changed.controls, changed.updated_at))?;
    same("a purchase by chip", buy(&handle, Who::Main.card(), 1, EntryMode::Chip).await?, Response::Approved)?;
    same(
        "a purchase with a keyed-in number",
        buy(&handle, Who::Main.card(), 2, EntryMode::Keyed).await?,
        Response::EntryModeNotAllowed,
    )?;
    let other = buy(&handle, Who::Main.limited_card(), 3, EntryMode::Keyed).await?;
    same("a card of another budget", other, Response::Approved)?;
    expect_new(handle.budgets.edit(control_budget(Who::Main, budget, Controls::default())?).await)?;
    same("without controls", buy(&handle, Who::Main.card(), 4, EntryMode::Keyed).await?, Response::Approved)
}

async fn controls_decide_increments(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    buy(&handle, Who::Main.card(), 1, EntryMode::Keyed).await?;
    let more = |number| {
        let amount = crate::commands::amount("1")?;
        follow_up(Who::Main, token(1), number, FollowUp::Incremental { amount, decline: None })
    };
    same("before", expect_new(handle.cards.follow_up(more(2)?).await)?.response, Response::Approved)?;
    expect_new(handle.budgets.edit(control_budget(Who::Main, Who::Main.budget(), every_control()?)?).await)?;
    same("after", expect_new(handle.cards.follow_up(more(3)?).await)?.response, Response::EntryModeNotAllowed)
}

/// Races authorizations with controls of their budget: none that begins after the controls are set is approved.
async fn controls_of_a_budget_come_before_or_after_authorizations(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let is_set = Arc::new(AtomicBool::new(false));
    let mut work: Vec<Work<Result<i64, ()>>> = Vec::new();
    for number in 0..40 {
        if number == 20 {
            let command = control_budget(Who::Main, Who::Main.budget(), every_control()?)?;
            let budgets = handle.budgets.clone();
            let is_set = Arc::clone(&is_set);
            work.push(Box::pin(async move {
                let done = budgets.edit(command).await.map(|_| 0).map_err(|_| ());
                is_set.store(true, Ordering::SeqCst);
                done
            }));
        }
        let message = FirstMessage { extras: with_entry_mode(EntryMode::Keyed), ..message(FirstKind::Purchase, "1")? };
        let command = first(Who::Main, Who::Main.card(), message, stamp(number))?;
        let cards = handle.cards.clone();
        let is_set = Arc::clone(&is_set);
        work.push(Box::pin(async move {
            let must_decline = is_set.load(Ordering::SeqCst);
            match expect_new(cards.first_message(command).await).map_err(|_| ())? {
                done if done.state == TransactionState::Pending && !must_decline => Ok(100),
                done if done.response == Response::EntryModeNotAllowed => Ok(0),
                _ => Err(()),
            }
        }));
    }
    let mut held = 0;
    for one in race(work).await? {
        held += one.map_err(|()| Failure::new("neither approved before the control nor declined by it"))?;
    }
    let seen = expect_some("the card", card(&handle, &Who::Main.account()?, Who::Main.card()).await?)?;
    same("what is held", seen.balances.held(), Minor(held))?;
    let last = buy(&handle, Who::Main.card(), 99, EntryMode::Keyed).await?;
    same("afterwards", last, Response::EntryModeNotAllowed)?;
    books_are_right(&handle).await
}

async fn controls_go_to_the_new_card(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let card = Who::Main.card();
    expect_new(handle.card_management.change(set_controls(Who::Main, card, every_control()?)?).await)?;
    expect_new(handle.card_management.change(set_pin(Who::Main, card, [7; 32])?).await)?;
    let new = expect_new(handle.card_management.replace(replacement(Who::Main, card, 1)?).await)?;
    let found = find_card(&handle, card_id(1)).await?;
    same("what is found", &found, &new)?;
    same("its controls and its PIN", (found.record.controls, found.record.pin), (every_control()?, None))
}

async fn pin_is_kept_and_decides_messages(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let (card, digest) =
        (Who::Main.card(), PinDigest::new(std::array::from_fn(|place| u8::try_from(place).unwrap_or(0))));
    let with = |digest| (FirstKind::Debit, Extras { pin: Some(digest), ..Extras::default() });
    same("before", send(&handle, card, 1, with(digest)).await?.response, Response::IncorrectPin)?;
    expect_new(handle.card_management.change(set_pin(Who::Main, card, *digest.as_bytes())?).await)?;
    let found = find_card(&handle, card).await?;
    same("the digest", found.record.pin, Some(digest))?;
    same("the right one", send(&handle, card, 2, with(digest)).await?.response, Response::Approved)?;
    let wrong = PinDigest::new([9; 32]);
    same("a wrong one", send(&handle, card, 3, with(wrong)).await?.response, Response::IncorrectPin)
}

async fn owner_must_be_active(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    expect_new(handle.people.create(create_person(Who::Main, 1, "ada@example.com")?).await)?;
    let card = issue_to_person(Who::Main, 1, person_id(1), &[(Who::Main.budget(), true)])?;
    expect_new(handle.card_management.create(card).await)?;
    let set_status = async |status, at| {
        let edit = PersonEdit { status: Some(status), ..PersonEdit::default() };
        expect_new(handle.people.edit(edit_person(Who::Main, person_id(1), edit, after(at))?).await)
    };
    set_status(PersonStatus::Active, 1).await?;
    same("active", buy(&handle, card_id(1), 1, EntryMode::Chip).await?, Response::Approved)?;
    set_status(PersonStatus::Inactive, 2).await?;
    same("inactive", buy(&handle, card_id(1), 2, EntryMode::Chip).await?, Response::CardholderNotActive)?;
    same("a shared card", buy(&handle, Who::Main.card(), 3, EntryMode::Chip).await?, Response::Approved)
}

fn every_detail() -> Result<Extras, Failure> {
    let pos =
        PointOfSale { entry_mode: Some(EntryMode::Ecommerce), merchant_initiated: Some(false), recurring: Some(true) };
    Ok(Extras {
        pos: Some(pos),
        cardholder: Some(Cardholder { postal_code: Some(Text::parse("EC1A")?), ..Cardholder::default() }),
        three_d_secure: Some(ThreeDSecure::Attempted),
        wallet_token: Some(WalletToken { token: " tök\" ".into(), state: WalletTokenState::Active }),
        multi_clearing: MultiClearing { number: Some(2), count: Some(3) },
        ..Extras::default()
    })
}

async fn messages_keep_what_they_present(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let mut sent = vec![send(&handle, Who::Main.card(), 1, (FirstKind::Purchase, every_detail()?)).await?];
    let little = Extras { pos: Some(PointOfSale::default()), ..Extras::default() };
    sent.push(send(&handle, Who::Main.card(), 2, (FirstKind::Debit, little)).await?);
    let place = MultiClearing { number: Some(1), count: None };
    let command = follow_up(Who::Main, token(1), 3, crate::commands::clearing("0.50", false)?)?;
    let rule = command.decide;
    let decide = Arc::new(move |situation: &_| rule(situation).map(|decision| decision.placed(place)));
    sent.push(expect_new(handle.cards.follow_up(FollowUpCommand { decide, ..command }).await)?);
    same("3-D Secure", sent[0].details.three_d_secure, Some(ThreeDSecure::Attempted))?;
    for expected in sent {
        let chain = handle.chains.history(&Who::Main.account()?, expected.token).await?;
        let messages = expect_some("the history", chain)?.messages;
        let found = messages.into_iter().find(|message| message.transaction.token == expected.token);
        same("what it presents", expect_some("the message", found)?.transaction.details, expected.details)?;
    }
    Ok(())
}

async fn declines_are_explained_as_they_were_decided(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let card = Who::Main.card();
    let token_of = |state| WalletToken { token: "a".into(), state };
    let other = Cardholder { security_code: Some(SecurityCode::parse("9999")?), ..Cardholder::default() };
    let wrong = [
        (Extras { pin: Some(PinDigest::new([1; 32])), ..Extras::default() }, FirstKind::Debit),
        (Extras { cardholder: Some(other), ..Extras::default() }, FirstKind::Purchase),
        (
            Extras { wallet_token: Some(token_of(WalletTokenState::Suspended)), ..Extras::default() },
            FirstKind::Purchase,
        ),
        (Extras { three_d_secure: Some(ThreeDSecure::Rejected), ..Extras::default() }, FirstKind::Purchase),
    ];
    for (number, (extras, kind)) in (1..).zip(wrong) {
        send(&handle, card, number, (kind, extras)).await?;
    }
    expect_new(handle.card_management.change(set_controls(Who::Main, card, every_control()?)?).await)?;
    send(&handle, card, 5, (FirstKind::Purchase, Extras::default())).await?;
    let mut names = Vec::new();
    for number in 1..=5 {
        let chain = expect_some("the history", handle.chains.history(&Who::Main.account()?, token(number)).await?)?;
        let declined =
            expect_some("the explanation", chain.messages.into_iter().next().and_then(|only| only.declined))?;
        names.push(declined.failed.name());
        if let Rule::Controls(seen) = declined.failed {
            same("the control", (seen.owner, seen.value, seen.allows), (ControlOwner::Card, None, false))?;
            let passed = declined.passed.iter().filter(|rule| matches!(rule, Rule::Controls(_))).count();
            same("controls that passed", passed, 6)?;
        }
    }
    same("the rules", names, vec!["pin", "security_code", "wallet_token", "three_d_secure", "controls"])
}

async fn card_guards_are_of_their_own_account(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let before = Observation::take(&handle, 1).await?;
    let command = set_controls(Who::Main, Who::Other.limited_card(), every_control()?)?;
    absent("controls of a card", &handle.card_management.change(command).await)?;
    let command = control_budget(Who::Main, Who::Other.budget(), every_control()?)?;
    absent("controls of a budget", &handle.budgets.edit(command).await)?;
    let command = set_pin(Who::Main, Who::Other.limited_card(), [7; 32])?;
    absent("a PIN", &handle.card_management.change(command).await)?;
    before.still_holds("what was tried on foreign cards", &handle).await
}
