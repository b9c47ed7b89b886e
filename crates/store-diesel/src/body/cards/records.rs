//! Full records of cards, and their transitions, as rows.

use super::body::backend::{Conn, Db};
use super::body::errors::Outcome;
use super::body::statements::{insert, update};
use super::body::tables::cards::{CardRecordRow, StateChange, TransitionRow, card_transitions, cards};
use super::body::types::{Account, Currency, Day, Id, Named, Time};
use diesel::prelude::*;
use florin_domain::card::{Card, CardFilter, CardRecord, CardTransition};
use florin_domain::ids::{AccountId, BudgetId, CardId, ClientId, UserToken};

impl From<CardRecordRow> for CardRecord {
    fn from(row: CardRecordRow) -> Self {
        let card = Card {
            id: CardId(row.id.0),
            account: row.account_id.0,
            budget: BudgetId(row.budget_id.0),
            currency: row.currency.0,
            state: row.state.0,
            user_token: UserToken(row.user_token.0),
            expires_on: row.expires_on.0,
        };
        Self { card, owner: row.owner.0, name: row.name, created_at: row.created_at.map(|at| at.0) }
    }
}

impl From<&CardRecord> for CardRecordRow {
    fn from(record: &CardRecord) -> Self {
        let card = &record.card;
        Self {
            account_id: Account(card.account.clone()),
            id: Id(card.id.0),
            budget_id: Id(card.budget.0),
            currency: Currency(card.currency),
            state: Named(card.state),
            user_token: Id(card.user_token.0),
            expires_on: Day(card.expires_on),
            name: record.name.clone(),
            owner: Named(record.owner),
            created_at: record.created_at.map(Time),
        }
    }
}

impl From<TransitionRow> for CardTransition {
    fn from(row: TransitionRow) -> Self {
        Self {
            account: row.account_id.0,
            card: CardId(row.card_id.0),
            from: row.from_state.0,
            to: row.to_state.0,
            reason: row.reason,
            client: ClientId(row.client_id.0),
            created_at: row.created_at.0,
        }
    }
}

/// Finds a card of the account.
pub(super) fn find(conn: &mut Conn, account: &AccountId, card: CardId) -> Outcome<Option<CardRecord>> {
    let row = cards::table
        .filter(cards::account_id.eq(account.as_str()))
        .filter(cards::id.eq(Id(card.0)))
        .select(CardRecordRow::as_select())
        .get_result(conn)
        .optional()?;
    Ok(row.map(CardRecord::from))
}

/// Selects the cards of the account that match the filter.
pub(super) fn matching(account: &AccountId, filter: CardFilter) -> cards::BoxedQuery<'_, Db> {
    let mut rows = cards::table.filter(cards::account_id.eq(account.as_str())).into_boxed();
    if let Some(budget) = filter.budget {
        rows = rows.filter(cards::budget_id.eq(Id(budget.0)));
    }
    if let Some(state) = filter.state {
        rows = rows.filter(cards::state.eq(state.as_str()));
    }
    if let Some(user) = filter.user {
        rows = rows.filter(cards::user_token.eq(Id(user.0)));
    }
    rows
}

/// Stores a transition, which is the latest of its card, and the card's new state.
pub(super) fn insert_transition(conn: &mut Conn, transition: CardTransition) -> Outcome<()> {
    let (account_id, card_id) = (Account(transition.account), Id(transition.card.0));
    let position = card_transitions::table
        .filter(card_transitions::account_id.eq(account_id.clone()))
        .filter(card_transitions::card_id.eq(card_id))
        .count()
        .get_result(conn)?;
    update(vec![StateChange { state: Named(transition.to), account_id: account_id.clone(), id: card_id }], conn)?;
    let row = TransitionRow {
        account_id,
        card_id,
        position,
        from_state: Named(transition.from),
        to_state: Named(transition.to),
        reason: transition.reason,
        client_id: Id(transition.client.0),
        created_at: Time(transition.created_at),
    };
    insert(vec![row], conn)
}
