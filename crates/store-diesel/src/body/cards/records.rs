//! Full records of cards, and their transitions, as rows.

use super::body::backend::{Conn, Db};
use super::body::errors::{Outcome, corrupt};
use super::body::statements::{insert, update};
use super::body::tables::cards::{
    CardColumns, CardRecordRow, LimitRow, TransitionRow, WordRow, card_limits, card_transitions, card_words, cards,
};
use super::body::tables::money::budgets;
use super::body::types::{Account, Currency, Day, Id, Named, Time};
use diesel::prelude::*;
use florin_domain::budget::BudgetKind;
use florin_domain::card::{
    Card, CardBudget, CardChange, CardFilter, CardLimit, CardProfile, CardRecord, CardTransition,
};
use florin_domain::ids::{AccountId, BudgetId, CardId, ClientId, PersonId, UserToken};
use std::collections::{BTreeMap, BTreeSet};

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
        Self {
            card,
            owner: row.owner_type.0,
            name: row.name,
            state_reason: row.state_reason,
            fulfillment: row.fulfillment.0,
            phone: row.phone,
            phone_person: row.phone_person_id.map(|person| PersonId(person.0)),
            replaced_by: row.replaced_by.map(|card| CardId(card.0)),
            created_at: row.created_at.map(|at| at.0),
            updated_at: row.updated_at.map(|at| at.0),
        }
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
            owner_type: Named(record.owner),
            state_reason: record.state_reason.clone(),
            fulfillment: Named(record.fulfillment),
            phone: record.phone.clone(),
            phone_person_id: record.phone_person.map(|person| Id(person.0)),
            replaced_by: record.replaced_by.map(|card| Id(card.0)),
            created_at: record.created_at.map(Time),
            updated_at: record.updated_at.map(Time),
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
pub(super) fn matching<'a>(account: &'a AccountId, filter: &'a CardFilter) -> cards::BoxedQuery<'a, Db> {
    let mut rows = cards::table.filter(cards::account_id.eq(account.as_str())).into_boxed();
    if let Some(budget) = filter.budget {
        rows = rows.filter(cards::budget_id.eq(Id(budget.0)));
    }
    if let [state] = filter.states.as_slice() {
        rows = rows.filter(cards::state.eq(state.as_str()));
    } else if !filter.states.is_empty() {
        rows = rows.filter(cards::state.eq_any(filter.states.iter().map(|state| state.as_str())));
    }
    if let Some(ids) = &filter.ids {
        rows = rows.filter(cards::id.eq_any(ids.iter().map(|id| Id(id.0))));
    }
    if let Some(owner) = filter.owner {
        rows = rows.filter(cards::owner_type.eq(owner.as_str()));
    }
    if let Some(from) = filter.created_from {
        rows = rows.filter(cards::created_at.ge(Time(from)));
    }
    if let Some(before) = filter.created_before {
        rows = rows.filter(cards::created_at.lt(Time(before)));
    }
    if let Some(search) = &filter.search {
        // The largest character ends the range of the texts that start with the search.
        let found = card_words::table
            .filter(card_words::account_id.eq(account.as_str()))
            .filter(card_words::word.ge(search.as_str()))
            .filter(card_words::word.lt(format!("{}{}", search.as_str(), char::MAX)))
            .select(card_words::card_id);
        rows = rows.filter(cards::id.eq_any(found));
    }
    rows
}

/// Adds to each card of the account its budget and its limits by window.
pub(super) fn profiles(conn: &mut Conn, account: &AccountId, records: Vec<CardRecord>) -> Outcome<Vec<CardProfile>> {
    let named: BTreeSet<_> = records.iter().map(|record| Id(record.card.budget.0)).collect();
    let known: BTreeMap<Id, (String, BudgetKind)> = budgets::table
        .filter(budgets::account_id.eq(account.as_str()))
        .filter(budgets::id.eq_any(named))
        .select((budgets::id, budgets::name, budgets::kind))
        .load::<(Id, String, Named<BudgetKind>)>(conn)?
        .into_iter()
        .map(|(id, name, kind)| (id, (name, kind.0)))
        .collect();
    let mut limits: BTreeMap<Id, Vec<CardLimit>> = BTreeMap::new();
    let rows = card_limits::table
        .filter(card_limits::account_id.eq(account.as_str()))
        .filter(card_limits::card_id.eq_any(records.iter().map(|record| Id(record.card.id.0))))
        .select(LimitRow::as_select())
        .load(conn)?;
    for row in rows {
        limits.entry(row.card_id).or_default().push(row.read()?);
    }
    let profile = |record: CardRecord| {
        let id = record.card.budget;
        let (name, kind) = known.get(&Id(id.0)).ok_or_else(|| corrupt("a card without its budget"))?.clone();
        let mut limits = limits.remove(&Id(record.card.id.0)).unwrap_or_default();
        limits.sort_by_key(|limit| limit.window);
        Ok(CardProfile { record, budget: CardBudget { id, name, kind }, limits })
    };
    records.into_iter().map(profile).collect()
}

/// Adds the budget and the limits of one card.
pub(super) fn profile(conn: &mut Conn, record: CardRecord) -> Outcome<CardProfile> {
    let account = record.card.account.clone();
    let profile = profiles(conn, &account, vec![record])?.pop();
    profile.ok_or_else(|| corrupt("a card without its profile"))
}

/// Stores the texts under which a card is found.
pub(super) fn insert_words(conn: &mut Conn, record: &CardRecord) -> Outcome<()> {
    let (account, card_id) = (&record.card.account, Id(record.card.id.0));
    let words = record.search_words().into_iter();
    insert(words.map(|word| WordRow { account_id: Account(account.clone()), word, card_id }).collect(), conn)
}

/// Stores a change of a card.
pub(super) fn store_change(conn: &mut Conn, before: &CardRecord, change: CardChange) -> Outcome<()> {
    let CardChange { card: after, transition } = change;
    let (account_id, id) = (Account(after.card.account.clone()), Id(after.card.id.0));
    if before.name != after.name {
        let words = card_words::table
            .filter(card_words::account_id.eq(after.card.account.as_str()))
            .filter(card_words::card_id.eq(id));
        diesel::delete(words).execute(conn)?;
        insert_words(conn, &after)?;
    }
    let row = CardRecordRow::from(&after);
    let change = CardColumns {
        state: row.state,
        name: row.name,
        state_reason: row.state_reason,
        fulfillment: row.fulfillment,
        phone: row.phone,
        phone_person_id: row.phone_person_id,
        replaced_by: row.replaced_by,
        updated_at: row.updated_at,
        account_id,
        id,
    };
    update(vec![change], conn)?;
    transition.map_or(Ok(()), |transition| insert_transition(conn, transition))
}

/// Stores a transition, which is the latest of its card.
fn insert_transition(conn: &mut Conn, transition: CardTransition) -> Outcome<()> {
    let (account_id, card_id) = (Account(transition.account), Id(transition.card.0));
    let position = card_transitions::table
        .filter(card_transitions::account_id.eq(account_id.clone()))
        .filter(card_transitions::card_id.eq(card_id))
        .count()
        .get_result(conn)?;
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
