//! Commands that manage budgets and cards, with the domain's rules.

use crate::check::Failure;
use crate::commands::{journal_id, stamped};
use crate::expect::expect_some;
use crate::factory::Handle;
use crate::seed_data::{Who, gbp, noon, uuid};
use chrono::{DateTime, TimeDelta, Utc};
use florin_domain::budget::{
    BudgetEdit, BudgetFeature, BudgetOwner, BudgetRequest, BudgetStatus, CreateBudgetSituation, EditBudgetSituation,
    MAX_BUDGETS, TransferInstruction, TransferReference, TransferSituation, decide_budget_controls,
    decide_create_budget, decide_edit_budget, decide_transfer,
};
use florin_domain::card::{
    CardChangeRequest, CardHolder, CardLimits, CardName, CardPhone, CardProfile, CardRequest, CardSettings, CardState,
    ChangeCardSituation, Controls, CreateCardSituation, GrantedBudget, HoldLife, HoldLifeRule, IndividualHolder,
    LimitChange, LimitWindow, MccRange, MessageKind, OverClearing, PhysicalCardRequest, PhysicalCardSituation,
    PinDigest, RecipientAddress, ReplaceCardRequest, ReplaceCardSituation, decide_card_change, decide_card_controls,
    decide_card_pin, decide_create_card, decide_limit, decide_limit_removal, decide_physical_card, decide_replacement,
};
use florin_domain::checkout::CountryCode;
use florin_domain::ids::{BudgetId, CardId, LimitId, PersonId, PersonaId, UserToken};
use florin_domain::money::{Currency, DecimalAmount};
use florin_domain::stamp::Stamp;
use florin_domain::text::Text;
use florin_ports::{
    CardSettingsCommand, ChangeCardCommand, CreateBudgetCommand, CreateCardCommand, EditBudgetCommand, LimitCommand,
    Mode, OrderPhysicalCommand, RemoveLimitCommand, ReplaceCardCommand, TransferCommand,
};
use std::cell::Cell;
use std::sync::Arc;

/// Returns the id of budget `number` created by a check.
pub(crate) const fn budget_id(number: u128) -> BudgetId {
    BudgetId(uuid(80, number))
}

/// Returns the id of card `number` created by a check.
pub(crate) const fn card_id(number: u128) -> CardId {
    CardId(uuid(81, number))
}

/// Returns the token of card holder `number`.
pub(crate) const fn user(number: u128) -> UserToken {
    UserToken(uuid(82, number))
}

/// Returns a card of my account.
pub(crate) async fn find_card(handle: &Handle, card: CardId) -> Result<CardProfile, Failure> {
    expect_some("the card", handle.card_management.find(&Who::Main.account()?, card).await?)
}

/// Builds a command that creates budget `number` with these currencies and every feature.
pub(crate) fn create_budget(
    who: Who,
    number: u128,
    parent: Option<BudgetId>,
    currencies: Vec<Currency>,
) -> Result<CreateBudgetCommand, Failure> {
    create_budget_with_features(who, number, parent, currencies, &BudgetFeature::ALL)
}

/// Builds a command that creates budget `number` with these currencies and only these features.
pub(crate) fn create_budget_with_features(
    who: Who,
    number: u128,
    parent: Option<BudgetId>,
    currencies: Vec<Currency>,
    features: &[BudgetFeature],
) -> Result<CreateBudgetCommand, Failure> {
    budget_command(who, parent, None, request(who, number, currencies, features)?)
}

fn request(
    who: Who,
    number: u128,
    currencies: Vec<Currency>,
    features: &[BudgetFeature],
) -> Result<BudgetRequest, Failure> {
    Ok(BudgetRequest {
        id: budget_id(number),
        account: who.account()?,
        name: Text::parse(format!("Bücher {number}"))?,
        currencies,
        features: features.iter().copied().collect(),
        owner: BudgetOwner::Everyone,
        status: BudgetStatus::Hidden,
        box_id: Some(Text::parse("Kästchen 7")?),
        max_budgets: MAX_BUDGETS,
        now: noon(),
    })
}

/// Builds a command that creates budget `number` of a person.
pub(crate) fn create_budget_of_person(
    who: Who,
    number: u128,
    persona: PersonaId,
    currencies: Vec<Currency>,
) -> Result<CreateBudgetCommand, Failure> {
    let owner = BudgetOwner::Person(persona);
    let request = BudgetRequest { owner, ..request(who, number, currencies, &BudgetFeature::ALL)? };
    budget_command(who, None, Some(persona), request)
}

/// Builds a command that creates budget `number` for pounds with this name.
pub(crate) fn create_named_budget(who: Who, number: u128, name: &str) -> Result<CreateBudgetCommand, Failure> {
    let request = request(who, number, vec![gbp()?], &BudgetFeature::ALL)?;
    budget_command(who, None, None, BudgetRequest { name: Text::parse(name)?, ..request })
}

fn budget_command(
    who: Who,
    parent: Option<BudgetId>,
    persona: Option<PersonaId>,
    request: BudgetRequest,
) -> Result<CreateBudgetCommand, Failure> {
    let name = request.name.as_str().to_owned();
    let decide = Arc::new(move |situation: &CreateBudgetSituation| decide_create_budget(situation, &request));
    Ok(CreateBudgetCommand { account: who.account()?, parent, persona, name, decide, claim: None })
}

/// Builds a command that changes the members of a budget.
pub(crate) fn edit_budget(
    who: Who,
    budget: BudgetId,
    edit: BudgetEdit,
    now: DateTime<Utc>,
) -> Result<EditBudgetCommand, Failure> {
    let name = edit.name.as_ref().map(|name| name.as_str().to_owned());
    let decide = Arc::new(move |situation: &EditBudgetSituation| decide_edit_budget(situation, &edit, now));
    Ok(EditBudgetCommand { account: who.account()?, budget, name, decide, claim: None })
}

/// Builds a command that replaces the controls of a budget.
pub(crate) fn control_budget(who: Who, budget: BudgetId, controls: Controls) -> Result<EditBudgetCommand, Failure> {
    let decide = Arc::new(move |situation: &EditBudgetSituation| {
        Ok(decide_budget_controls(&situation.record, &controls, noon()))
    });
    Ok(EditBudgetCommand { account: who.account()?, budget, name: None, decide, claim: None })
}

/// Builds a command that replaces the controls of a card.
pub(crate) fn set_controls(who: Who, card: CardId, controls: Controls) -> Result<ChangeCardCommand, Failure> {
    let decide =
        Arc::new(move |situation: &ChangeCardSituation| Ok(decide_card_controls(&situation.card, &controls, noon())));
    Ok(ChangeCardCommand { account: who.account()?, card, person: None, decide, claim: None })
}

/// Builds a command that sets the PIN of a card, by its digest.
pub(crate) fn set_pin(who: Who, card: CardId, digest: [u8; 32]) -> Result<ChangeCardCommand, Failure> {
    let pin = PinDigest::new(digest);
    let decide = Arc::new(move |situation: &ChangeCardSituation| Ok(decide_card_pin(&situation.card, pin, noon())));
    Ok(ChangeCardCommand { account: who.account()?, card, person: None, decide, claim: None })
}

/// Returns lives of holds: `hours` hours for purchases, an hour more for withdrawals, and rules of every form.
pub(crate) fn some_lives(hours: i64) -> Result<HoldLife, Failure> {
    let rule = |mcc, message, life| HoldLifeRule { mcc, message, life };
    let rules = vec![
        rule(None, Some(MessageKind::AtmAuthorization), TimeDelta::hours(hours + 1)),
        rule(Some(MccRange::parse("0742")?), None, HoldLife::MIN),
        rule(Some(MccRange::parse("3000-3350")?), Some(MessageKind::CashbackAuthorization), HoldLife::MAX),
    ];
    Ok(HoldLife { default: TimeDelta::hours(hours), rules })
}

/// Builds a command that replaces how long holds last.
pub(crate) fn set_hold_lives(who: Who, hold_life: HoldLife) -> Result<CardSettingsCommand, Failure> {
    let change = move |before: &CardSettings| CardSettings { hold_life: hold_life.clone(), ..before.clone() };
    Ok(CardSettingsCommand { account: who.account()?, decide: Arc::new(change), claim: None })
}

/// Builds a command that sets which clearings are refused.
pub(crate) fn set_over_clearing(who: Who, over_clearing: OverClearing) -> Result<CardSettingsCommand, Failure> {
    let change = move |before: &CardSettings| CardSettings { over_clearing, ..before.clone() };
    Ok(CardSettingsCommand { account: who.account()?, decide: Arc::new(change), claim: None })
}

/// Builds a command for transfer `number` between two budgets, in GBP.
pub(crate) fn transfer(
    who: Who,
    number: u128,
    (from, to): (BudgetId, BudgetId),
    amount: &str,
) -> Result<TransferCommand, Failure> {
    let instruction = TransferInstruction {
        from,
        to,
        amount: DecimalAmount::from_decimal_string(amount)?,
        currency: gbp()?,
        reference: Some(TransferReference::parse("Inv. 7 (a/b)")?),
    };
    let ids = (uuid(83, number), journal_id(number).0);
    let decide = Arc::new(move |situation: &TransferSituation| {
        stamped(noon(), ids, |stamp| decide_transfer(situation, &instruction, stamp))
    });
    Ok(TransferCommand { account: who.account()?, from, to, decide, mode: Mode::Commit, claim: None })
}

/// Builds a command that creates card `number` on a budget, in GBP.
pub(crate) fn issue(who: Who, number: u128, budget: BudgetId, activate: bool) -> Result<CreateCardCommand, Failure> {
    issue_to(who, number, CardHolder::Budget(budget), activate)
}

/// Builds a command that creates card `number` of a person, in GBP. `budgets` are the budgets of the card, each with
/// whether the card may spend from it.
pub(crate) fn issue_to_person(
    who: Who,
    number: u128,
    person: PersonId,
    budgets: &[(BudgetId, bool)],
) -> Result<CreateCardCommand, Failure> {
    let granted = |(budget, active): &(BudgetId, bool)| GrantedBudget { budget: *budget, active: *active };
    let personal = IndividualHolder { person, budgets: budgets.iter().map(granted).collect() };
    issue_to(who, number, CardHolder::Person(personal), true)
}

fn issue_to(who: Who, number: u128, holder: CardHolder, activate: bool) -> Result<CreateCardCommand, Failure> {
    let (budgets, person) = (holder.budgets(), holder.person());
    let request = CardRequest {
        id: card_id(number),
        account: who.account()?,
        holder,
        currency: Some(gbp()?),
        user_token: user(number),
        name: CardName::parse(&format!("日本 {}", 9 - number % 10))?,
        phone: CardPhone { number: Some(Text::parse("+447911001762 ✓")?), person: Some(PersonId(uuid(84, number))) },
        expires_on: None,
        activate,
        max_cards: 1_000,
        now: noon(),
    };
    let decide = Arc::new(move |situation: &CreateCardSituation| decide_create_card(situation, &request));
    Ok(CreateCardCommand { account: who.account()?, budgets, person, decide, claim: None })
}

/// Builds a command that changes the state of a card.
pub(crate) fn change_state(who: Who, card: CardId, to: CardState, reason: &str) -> Result<ChangeCardCommand, Failure> {
    change(who, card, CardChangeRequest::transition(to, Some(Text::parse(reason)?), who.client(), noon()))
}

/// Builds a command that changes a card.
pub(crate) fn change(who: Who, card: CardId, request: CardChangeRequest) -> Result<ChangeCardCommand, Failure> {
    let person = request.person;
    let decide = Arc::new(move |situation: &ChangeCardSituation| decide_card_change(situation, &request));
    Ok(ChangeCardCommand { account: who.account()?, card, person, decide, claim: None })
}

/// Runs a rule that creates card `number` with copies of limits: it draws the ids of the card, of its holder and of the
/// limits, in this order.
fn with_ids_of_card<T>(number: u128, rule: impl FnOnce(&Stamp<'_>) -> T) -> T {
    let next = Cell::new(0);
    let ids = || match next.replace(next.get() + 1) {
        0 => card_id(number).0,
        1 => user(number).0,
        limit => uuid(85, number * 10 + limit),
    };
    rule(&Stamp { now: noon(), ids: &ids })
}

/// Builds a command that replaces a card by card `number`.
pub(crate) fn replacement(who: Who, card: CardId, number: u128) -> Result<ReplaceCardCommand, Failure> {
    let request = ReplaceCardRequest { reason: None, client: who.client(), max_cards: 1_000 };
    let decide = Arc::new(move |situation: &ReplaceCardSituation| {
        with_ids_of_card(number, |stamp| decide_replacement(situation, &request, stamp))
    });
    Ok(ReplaceCardCommand { account: who.account()?, card, decide, claim: None })
}

/// Returns an address for a physical card.
pub(crate) fn recipient() -> Result<RecipientAddress, Failure> {
    Ok(RecipientAddress {
        recipient_name: Some("Žofie \" O'Neil".into()),
        address_line1: " 1 High Street ".into(),
        address_line2: Some("✓".into()),
        city: "Brno".into(),
        region: None,
        postcode: "602 00".into(),
        country_code: CountryCode::parse("CZ")?,
    })
}

/// Builds a command that orders physical card `number` for a virtual card.
pub(crate) fn order_physical(who: Who, card: CardId, number: u128) -> Result<OrderPhysicalCommand, Failure> {
    let request = PhysicalCardRequest { recipient: recipient()?, max_cards: 1_000 };
    let decide = Arc::new(move |situation: &PhysicalCardSituation| {
        with_ids_of_card(number, |stamp| decide_physical_card(situation, &request, stamp))
    });
    Ok(OrderPhysicalCommand { account: who.account()?, card, decide, claim: None })
}

/// Builds a command that sets a spending limit of a card at the given time.
pub(crate) fn limit(
    who: Who,
    card: CardId,
    (window, amount, max_uses): (LimitWindow, &str, Option<u32>),
    now: DateTime<Utc>,
) -> Result<LimitCommand, Failure> {
    let change = LimitChange {
        id: limit_id(window),
        window,
        amount: DecimalAmount::from_decimal_string(amount)?,
        currency: None,
        max_uses,
        active: true,
        turned_off: window == LimitWindow::Lifetime,
        now,
    };
    let decide = Arc::new(move |limits: &CardLimits| decide_limit(limits, &change));
    Ok(LimitCommand { account: who.account()?, card, decide, claim: None })
}

/// Returns the id of a limit that a check sets.
pub(crate) const fn limit_id(window: LimitWindow) -> LimitId {
    LimitId(uuid(86, window as u128))
}

/// Builds a command that removes the limit over a window.
pub(crate) fn remove_limit(who: Who, card: CardId, window: LimitWindow) -> Result<RemoveLimitCommand, Failure> {
    let decide = Arc::new(move |limits: &CardLimits| {
        let known = limits.limits.iter().find(|limit| limit.window == window);
        decide_limit_removal(limits, known.map_or(limit_id(window), |limit| limit.id), &[window])
    });
    Ok(RemoveLimitCommand { account: who.account()?, card, decide, claim: None })
}
