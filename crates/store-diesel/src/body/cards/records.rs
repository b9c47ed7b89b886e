//! Full records of cards, and their transitions, as rows.

use super::body::backend::sql::IdSql;
use super::body::backend::{Conn, Db};
use super::body::errors::{Outcome, corrupt};
use super::body::list_counts;
use super::body::statements::{insert, update};
use super::body::tables::cards::{
    CardBudgetRow, CardColumns, CardRecordRow, LimitRow, TransitionRow, WordRow, card_budgets, card_limits,
    card_transitions, card_words, cards,
};
use super::body::tables::money::budgets;
use super::body::types::{Account, Bytes, Currency, Day, Id, Named, Time};
use super::{controls, physical_rows};
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::{Bool, Text};
use florin_domain::budget::BudgetKind;
use florin_domain::card::{
    Card, CardBudget, CardChange, CardFilter, CardLimit, CardPhone, CardProfile, CardRecord, CardTransition,
    GrantedBudget, IndividualHolder, PhoneNumber, PhysicalCard, PinDigest,
};
use florin_domain::ids::{AccountId, BudgetId, CardId, ClientId, PersonId, UserToken};
use std::collections::{BTreeMap, BTreeSet};

/// Reads the records of cards of one account, with the budgets that individual cards name.
pub(super) fn records(conn: &mut Conn, rows: Vec<CardRecordRow>) -> Outcome<Vec<CardRecord>> {
    let personal: Vec<_> = rows.iter().filter(|row| row.person_id.is_some()).map(|row| row.id).collect();
    let mut granted: BTreeMap<Id, Vec<GrantedBudget>> = BTreeMap::new();
    if let (Some(first), false) = (rows.first(), personal.is_empty()) {
        let found = card_budgets::table
            .filter(card_budgets::account_id.eq(first.account_id.clone()))
            .filter(card_budgets::card_id.eq_any(personal))
            .order((card_budgets::card_id, card_budgets::position))
            .select(CardBudgetRow::as_select())
            .load(conn)?;
        for row in found {
            let budget = GrantedBudget { budget: BudgetId(row.budget_id.0), active: row.active };
            granted.entry(row.card_id).or_default().push(budget);
        }
    }
    let read = |row: CardRecordRow| {
        let budgets = granted.remove(&row.id).unwrap_or_default();
        row.read(budgets)
    };
    rows.into_iter().map(read).collect()
}

impl CardRecordRow {
    /// Checks that the row can be read, and also its recipient's address: card messages read the address of any card,
    /// even of a virtual one.
    pub(crate) fn check(self) -> Outcome<()> {
        physical_rows::recipient(self.recipient_address.as_deref())?;
        self.read(Vec::new()).map(drop)
    }

    fn read(self, budgets: Vec<GrantedBudget>) -> Outcome<CardRecord> {
        let card = Card {
            id: CardId(self.id.0),
            account: self.account_id.0,
            budget: BudgetId(self.budget_id.0),
            currency: self.currency.0,
            state: self.state.0,
            user_token: UserToken(self.user_token.0),
            expires_on: self.expires_on.0,
        };
        Ok(CardRecord {
            card,
            person: self.person_id.map(|person| IndividualHolder { person: PersonId(person.0), budgets }),
            name: self.name,
            state_reason: self.state_reason,
            fulfillment: self.fulfillment.0,
            phone: CardPhone {
                number: phone_number(self.phone, CardId(self.id.0))?,
                person: self.phone_person_id.map(|person| PersonId(person.0)),
            },
            replaced_by: self.replaced_by.map(|card| CardId(card.0)),
            created_at: self.created_at.map(|at| at.0),
            controls: controls::read(self.controls.as_deref())?,
            pin: pin(self.pin_digest)?,
            physical: match self.virtual_card_id {
                Some(card) => Some(PhysicalCard {
                    virtual_card: CardId(card.0),
                    recipient: physical_rows::recipient(self.recipient_address.as_deref())?,
                }),
                None => None,
            },
            updated_at: self.updated_at.map(|at| at.0),
        })
    }
}

fn phone_number(stored: Option<String>, card: CardId) -> Outcome<Option<PhoneNumber>> {
    let number = stored.map(PhoneNumber::parse).transpose();
    number.map_err(|flaw| corrupt(format!("the phone number of card {card} {}", flaw.message)))
}

/// Reads the digest of a PIN.
pub(super) fn pin(stored: Option<Bytes>) -> Outcome<Option<PinDigest>> {
    let digest = |bytes: Bytes| bytes.0.try_into().map(PinDigest::new).map_err(|_| corrupt("half a digest of a PIN"));
    stored.map(digest).transpose()
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
            owner_type: Named(record.owner()),
            state_reason: record.state_reason.clone(),
            fulfillment: Named(record.fulfillment),
            phone: record.phone.number.as_ref().map(|number| number.as_str().to_owned()),
            phone_person_id: record.phone.person.map(|person| Id(person.0)),
            replaced_by: record.replaced_by.map(|card| Id(card.0)),
            created_at: record.created_at.map(Time),
            updated_at: record.updated_at.map(Time),
            person_id: record.person.as_ref().map(|personal| Id(personal.person.0)),
            controls: controls::text(&record.controls),
            pin_digest: record.pin.map(|digest| Bytes(digest.as_bytes().to_vec())),
            virtual_card_id: record.physical.as_ref().map(|physical| Id(physical.virtual_card.0)),
            recipient_address: physical_rows::recipient_text(
                record.physical.as_ref().and_then(|physical| physical.recipient.as_ref()),
            ),
        }
    }
}

/// Stores the budgets that an individual card names.
pub(super) fn insert_budgets(conn: &mut Conn, record: &CardRecord) -> Outcome<()> {
    let Some(personal) = &record.person else { return Ok(()) };
    let row = |(position, granted): (i64, &GrantedBudget)| CardBudgetRow {
        account_id: Account(record.card.account.clone()),
        card_id: Id(record.card.id.0),
        position,
        budget_id: Id(granted.budget.0),
        active: granted.active,
    };
    insert((0..).zip(&personal.budgets).map(row).collect(), conn)
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
pub(crate) fn find(conn: &mut Conn, account: &AccountId, card: CardId) -> Outcome<Option<CardRecord>> {
    let row = cards::table
        .filter(cards::account_id.eq(account.as_str()))
        .filter(cards::id.eq(Id(card.0)))
        .select(CardRecordRow::as_select())
        .get_result(conn)
        .optional()?;
    Ok(records(conn, row.into_iter().collect())?.pop())
}

/// Selects the cards of the account that match the filter.
pub(super) fn matching<'a>(account: &'a AccountId, filter: &'a CardFilter) -> cards::BoxedQuery<'a, Db> {
    let mut rows = cards::table.filter(cards::account_id.eq(account.as_str())).into_boxed();
    if let Some(budget) = filter.budget {
        // An individual card names its budgets in `card_budgets`. A shared card names only the budget that pays. With
        // `OR` instead of `UNION`, PostgreSQL would read all cards of the account.
        let of_budget = sql::<Bool>("cards.id IN (SELECT paid.id FROM cards paid WHERE paid.account_id = ")
            .bind::<Text, _>(account.as_str())
            .sql(" AND paid.budget_id = ")
            .bind::<IdSql, _>(Id(budget.0))
            .sql(" UNION SELECT named.card_id FROM card_budgets named WHERE named.account_id = ")
            .bind::<Text, _>(account.as_str())
            .sql(" AND named.budget_id = ")
            .bind::<IdSql, _>(Id(budget.0))
            .sql(")");
        rows = rows.filter(of_budget);
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
    if let Some(people) = &filter.people {
        rows = rows.filter(cards::person_id.eq_any(people.iter().map(|person| Some(Id(person.0))).collect::<Vec<_>>()));
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

/// Builds the profiles of cards of the account, with their budgets, their limits by window, and the states of their
/// physical cards.
pub(super) fn profiles(conn: &mut Conn, account: &AccountId, records: Vec<CardRecord>) -> Outcome<Vec<CardProfile>> {
    let named: BTreeSet<_> = records.iter().flat_map(CardRecord::budgets).map(|granted| Id(granted.budget.0)).collect();
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
    let ordered = physical_rows::states(conn, account, &records)?;
    let profile = |record: CardRecord| {
        let budget = |granted: GrantedBudget| {
            let (name, kind) =
                known.get(&Id(granted.budget.0)).ok_or_else(|| corrupt("a card without its budget"))?.clone();
            Ok(CardBudget { id: granted.budget, name, kind, active: granted.active })
        };
        let budgets = record.budgets().into_iter().map(budget).collect::<Outcome<_>>()?;
        let mut limits = limits.remove(&Id(record.card.id.0)).unwrap_or_default();
        limits.sort_by_key(|limit| limit.window);
        let physical_state = match record.physical {
            Some(_) => Some(record.card.state),
            None => ordered.get(&Id(record.card.id.0)).copied(),
        };
        Ok(CardProfile { record, budgets, limits, physical_state })
    };
    records.into_iter().map(profile).collect()
}

/// Builds the profile of one card.
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
pub(crate) fn store_change(conn: &mut Conn, before: &CardRecord, change: CardChange) -> Outcome<()> {
    let CardChange { card: after, transition } = change;
    if before.name != after.name {
        let words = card_words::table
            .filter(card_words::account_id.eq(after.card.account.as_str()))
            .filter(card_words::card_id.eq(Id(after.card.id.0)));
        diesel::delete(words).execute(conn)?;
        insert_words(conn, &after)?;
    }
    update(vec![CardColumns::from(CardRecordRow::from(&after))], conn)?;
    list_counts::change_card(conn, before, &after)?;
    transition.map_or(Ok(()), |transition| insert_transition(conn, transition))
}

/// Stores a transition as the latest one of its card.
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
