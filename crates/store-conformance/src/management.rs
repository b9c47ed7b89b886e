//! Commands that manage budgets and cards, with the domain's rules.

use crate::check::Failure;
use crate::commands::{journal_id, stamped};
use crate::world::{Who, gbp, noon, uuid};
use chrono::{DateTime, Utc};
use florin_domain::budget::{
    BudgetEdit, BudgetFeature, BudgetOwner, BudgetRecord, BudgetRequest, BudgetStatus, CreateBudgetSituation,
    MAX_BUDGETS, TransferInstruction, TransferReference, TransferSituation, decide_create_budget, decide_edit_budget,
    decide_transfer,
};
use florin_domain::card::{
    CardLimits, CardOwner, CardRecord, CardRequest, CardState, CreateCardSituation, LimitChange, SpendingWindow,
    TransitionRequest, decide_create_card, decide_limit, decide_limit_removal, decide_transition,
};
use florin_domain::ids::{BudgetId, CardId, UserToken};
use florin_domain::money::{Currency, DecimalAmount};
use florin_domain::text::Text;
use florin_ports::{
    CreateBudgetCommand, CreateCardCommand, EditBudgetCommand, LimitCommand, Mode, RemoveLimitCommand, TransferCommand,
    TransitionCommand,
};
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

/// Builds a command that creates budget `number` with these currencies and every feature.
pub(crate) fn make(
    who: Who,
    number: u128,
    parent: Option<BudgetId>,
    currencies: Vec<Currency>,
) -> Result<CreateBudgetCommand, Failure> {
    make_for(who, number, parent, currencies, &BudgetFeature::ALL)
}

/// Builds a command that creates budget `number` with these currencies and only these features.
pub(crate) fn make_for(
    who: Who,
    number: u128,
    parent: Option<BudgetId>,
    currencies: Vec<Currency>,
    features: &[BudgetFeature],
) -> Result<CreateBudgetCommand, Failure> {
    let request = BudgetRequest {
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
    };
    let decide = Arc::new(move |situation: &CreateBudgetSituation| decide_create_budget(situation, &request));
    Ok(CreateBudgetCommand { account: who.account()?, parent, persona: None, decide, claim: None })
}

/// Builds a command that changes the members of a budget.
pub(crate) fn edit_budget(
    who: Who,
    budget: BudgetId,
    edit: BudgetEdit,
    now: DateTime<Utc>,
) -> Result<EditBudgetCommand, Failure> {
    let decide = Arc::new(move |record: &BudgetRecord| decide_edit_budget(record, &edit, now));
    Ok(EditBudgetCommand { account: who.account()?, budget, decide, claim: None })
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
    let request = CardRequest {
        id: card_id(number),
        account: who.account()?,
        budget,
        currency: gbp()?,
        owner: CardOwner::Budget,
        user_token: user(number),
        name: Some(Text::parse("Zoë")?),
        expires_on: None,
        activate,
        now: noon(),
    };
    let decide = Arc::new(move |situation: &CreateCardSituation| decide_create_card(situation, &request));
    Ok(CreateCardCommand { account: who.account()?, budget, decide, claim: None })
}

/// Builds a command that changes the state of a card.
pub(crate) fn bring(who: Who, card: CardId, to: CardState, reason: &str) -> Result<TransitionCommand, Failure> {
    let request = TransitionRequest { to, reason: Text::parse(reason)?, client: who.client(), now: noon() };
    let decide = Arc::new(move |card: &CardRecord| decide_transition(card, &request));
    Ok(TransitionCommand { account: who.account()?, card, decide, claim: None })
}

/// Builds a command that sets a spending limit of a card at the given time.
pub(crate) fn limit(
    who: Who,
    card: CardId,
    (window, amount, most_uses): (SpendingWindow, &str, Option<u32>),
    now: DateTime<Utc>,
) -> Result<LimitCommand, Failure> {
    let change = LimitChange { window, amount: DecimalAmount::from_decimal_string(amount)?, most_uses, now };
    let decide = Arc::new(move |limits: &CardLimits| decide_limit(limits, &change));
    Ok(LimitCommand { account: who.account()?, card, decide, claim: None })
}

/// Builds a command that removes a spending limit.
pub(crate) fn no_limit(who: Who, card: CardId, window: SpendingWindow) -> Result<RemoveLimitCommand, Failure> {
    let decide = Arc::new(move |limits: &CardLimits| decide_limit_removal(limits, window));
    Ok(RemoveLimitCommand { account: who.account()?, card, decide, claim: None })
}
