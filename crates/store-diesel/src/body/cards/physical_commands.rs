//! Physical cards: their orders, and their first use.

use super::body::ask::ask;
use super::body::backend::Conn;
use super::body::errors::{Outcome, Stop, corrupt};
use super::body::tables::cards::cards;
use super::body::types::{Id, Named};
use super::body::working_set::WorkingSet;
use super::records::{find, profile, store_change};
use super::rows::insert_card;
use diesel::prelude::*;
use florin_domain::card::decide::{CardRefusal, FirstUseDecision, FirstUseSituation};
use florin_domain::card::{
    CardLimits, CardProfile, CardState, CardTransaction, CardTransition, PhysicalCardRefusal, PhysicalCardSituation,
};
use florin_domain::ids::{AccountId, CardId};
use florin_ports::{FirstUseCommand, OrderPhysicalCommand, WriteError};

/// Decides and stores the order of a physical card. `locked` is the virtual card, which is locked, with its limits.
/// `cards` is the number of the account's cards, which can't change meanwhile.
pub(super) fn order(
    conn: &mut Conn,
    working_set: &mut WorkingSet,
    command: &OrderPhysicalCommand,
    (locked, cards): (CardLimits, u64),
) -> Result<CardProfile, Stop<WriteError<PhysicalCardRefusal>>> {
    let record = find(conn, &command.account, command.card)?.ok_or(WriteError::Absent)?;
    let ordered = ordered(conn, &command.account, command.card)?;
    let situation = PhysicalCardSituation { record, limits: locked.limits, ordered, cards };
    let new = ask(|| (command.decide)(&situation))?.map_err(WriteError::Refused)?;
    working_set.events.add(new.card.creation_event().as_slice());
    insert_card(conn, &new.card, &new.limits.limits)?;
    Ok(profile(conn, new.card)?)
}

/// Returns the states of the physical cards of a virtual card, oldest first.
fn ordered(conn: &mut Conn, account: &AccountId, card: CardId) -> Outcome<Vec<CardState>> {
    let states = cards::table
        .filter(cards::account_id.eq(account.as_str()))
        .filter(cards::virtual_card_id.eq(Id(card.0)))
        .order((cards::created_at, cards::id))
        .select(cards::state)
        .load::<Named<CardState>>(conn)?;
    Ok(states.into_iter().map(|state| state.0).collect())
}

/// Returns whether a card is physical and not in use yet.
pub(super) fn awaits_first_use(conn: &mut Conn, account: &AccountId, card: CardId) -> Outcome<bool> {
    let waiting = cards::table
        .filter(cards::account_id.eq(account.as_str()))
        .filter(cards::id.eq(Id(card.0)))
        .filter(cards::state.eq(Named(CardState::Unactivated)))
        .filter(cards::virtual_card_id.is_not_null());
    Ok(diesel::select(diesel::dsl::exists(waiting)).get_result(conn)?)
}

/// Decides a first message that may put a physical card into use.
pub(super) fn decide_first_use(
    conn: &mut Conn,
    working_set: &WorkingSet,
    command: &FirstUseCommand,
) -> Result<(FirstUseSituation, FirstUseDecision), Stop<WriteError<CardRefusal>>> {
    let account = &command.account;
    let message = working_set.first_situation(account, command.card)?.ok_or(WriteError::Absent)?;
    let card = find(conn, account, command.card)?.ok_or(WriteError::Absent)?;
    let virtual_card = match &card.physical {
        Some(physical) => find(conn, account, physical.virtual_card)?,
        None => None,
    };
    let situation = FirstUseSituation { message, card, virtual_card };
    let decision = ask(|| (command.decide)(&situation))?.map_err(WriteError::Refused)?;
    Ok((situation, decision))
}

/// Stores the changes of both cards, and stages the message.
pub(super) fn store_first_use(
    conn: &mut Conn,
    working_set: &mut WorkingSet,
    situation: &FirstUseSituation,
    decision: FirstUseDecision,
) -> Outcome<CardTransaction> {
    let known = || std::iter::once(&situation.card).chain(&situation.virtual_card);
    for change in decision.changes {
        let before = known().find(|card| card.card.id == change.card.card.id);
        let before = before.ok_or_else(|| corrupt("a change of a card that was not loaded"))?;
        working_set.events.add(change.transition.as_ref().map(CardTransition::event).as_slice());
        store_change(conn, before, change)?;
    }
    working_set.stage(&decision.message);
    Ok(decision.message.transaction)
}
