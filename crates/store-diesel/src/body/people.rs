//! People of accounts.

mod counts;

pub(crate) use self::counts::miscounted;
use super::ask::ask;
use super::backend::{Conn, Db};
use super::body;
use super::cards::{self, store_change};
use super::disputes;
use super::driver;
use super::errors::{Outcome, Stop, corrupt};
use super::footprint::Footprint;
use super::group::under_claim;
use super::recording::Recording;
use super::statements::{insert, update};
use super::store::Store;
use super::tables::access::accounts;
use super::tables::cards::cards as card_rows;
use super::tables::money::budgets;
use super::tables::people::{PersonChange, PersonRow, people};
use super::tables::service::idempotency_records;
use super::tables::worlds::{imported_snapshots, world_snapshots, worlds};
use super::types::{Account, Day, Id, Named, Time};
use super::working_set::WorkingSet;
use async_trait::async_trait;
use diesel::dsl::{exists, not};
use diesel::prelude::*;
use florin_domain::card::{CardRecord, CardState, CardTransition, ErasureSituation};
use florin_domain::ids::{AccountId, CardId, ClientId, PersonId, PersonaId};
use florin_domain::page::{Page, PageRequest};
use florin_domain::people::{
    CreatePersonRefusal, CreatePersonSituation, EditPersonRefusal, EmailAddress, Person, PersonFilter, PersonOverview,
};
use florin_ports::{
    CreatePersonCommand, EditPersonCommand, ErasePersonCommand, People, StoreError, WriteError, Written,
};
use std::collections::BTreeSet;
use std::slice;

#[async_trait]
impl People for Store {
    async fn find(&self, account: &AccountId, person: PersonId) -> Result<Option<PersonOverview>, StoreError> {
        let account = account.clone();
        self.read_in_one_transaction(move |conn| {
            let person = find(conn, &account, person)?;
            Ok(overviews(conn, &account, person.into_iter().collect())?.pop())
        })
        .await
    }

    async fn list(
        &self,
        account: &AccountId,
        filter: PersonFilter,
        page: PageRequest,
    ) -> Result<Page<PersonOverview>, StoreError> {
        let account = account.clone();
        self.read_in_one_transaction(move |conn| {
            let rows = matching(&account, &filter)
                .order((people::created_at, people::id))
                .limit(page.limit)
                .offset(page.offset)
                .select(PersonRow::as_select())
                .load(conn)?;
            let count = count(conn, &account, &filter)?;
            let rows = rows.into_iter().map(PersonRow::read).collect::<Outcome<_>>()?;
            Ok(Page { count, rows: overviews(conn, &account, rows)? })
        })
        .await
    }

    async fn create(
        &self,
        command: CreatePersonCommand,
    ) -> Result<Written<PersonOverview>, WriteError<CreatePersonRefusal>> {
        self.task(move |conn| {
            // With this lock, a person who is created on two accounts of a client concurrently has the same id on both.
            driver::lock_operators(conn)?;
            let mut footprint = Footprint::default();
            footprint.counters(&command.account);
            under_claim(conn, footprint, command.claim.as_ref(), |conn, working_set| {
                if !working_set.credits.has_account(&command.account) {
                    return Err(WriteError::Absent.into());
                }
                let situation = situation(conn, &command)?;
                let person = ask(|| (command.decide)(&situation))?.map_err(WriteError::Refused)?;
                insert_all(conn, slice::from_ref(&person))?;
                Ok(PersonOverview { person, has_card: false })
            })
        })
        .await
    }

    async fn edit(&self, command: EditPersonCommand) -> Result<Written<PersonOverview>, WriteError<EditPersonRefusal>> {
        self.task(move |conn| {
            let mut footprint = Footprint::default();
            footprint.counters(&command.account);
            under_claim(conn, footprint, command.claim.as_ref(), |conn, _| edit(conn, &command))
        })
        .await
    }

    async fn erase(&self, command: ErasePersonCommand) -> Result<Vec<AccountId>, StoreError> {
        let recording = self.recording();
        self.change(move |conn| erase(conn, &command, recording.clone())).await
    }
}

fn situation(conn: &mut Conn, command: &CreatePersonCommand) -> Outcome<CreatePersonSituation> {
    let (account, key) = (command.account.as_str(), command.email.key());
    let holder = people::table.filter(people::account_id.eq(account)).filter(people::email_key.eq(&key));
    let count = counts::of(conn, &command.account, None)?;
    Ok(CreatePersonSituation {
        people: u64::try_from(count).map_err(corrupt)?,
        email_taken: diesel::select(exists(holder)).get_result(conn)?,
        known: known(conn, account, &key)?,
    })
}

/// Returns the person with this email address on another account of the client, unless this account is a world.
fn known(conn: &mut Conn, account: &str, email: &str) -> Outcome<Option<PersonId>> {
    let world = worlds::table.filter(worlds::account_id.eq(account));
    if diesel::select(exists(world)).get_result(conn)? {
        return Ok(None);
    }
    let own = accounts::table.filter(accounts::id.eq(account)).select(accounts::client_id);
    let client: Id = own.get_result(conn)?;
    let found = people::table
        .inner_join(accounts::table)
        .filter(people::email_key.eq(email))
        .filter(accounts::client_id.eq(client))
        .filter(not(exists(worlds::table.filter(worlds::account_id.eq(people::account_id)))))
        .order(people::id)
        .select(people::id)
        .first::<Id>(conn)
        .optional()?;
    Ok(found.map(|id| PersonId(id.0)))
}

fn edit(conn: &mut Conn, command: &EditPersonCommand) -> Result<PersonOverview, Stop<WriteError<EditPersonRefusal>>> {
    let account = &command.account;
    let person = find(conn, account, command.person)?.ok_or(WriteError::Absent)?;
    let edited = ask(|| (command.decide)(&person))?.map_err(WriteError::Refused)?;
    store(conn, &person, &edited)?;
    Ok(overviews(conn, account, vec![edited])?.pop().ok_or_else(|| corrupt("a changed person is missing"))?)
}

/// Stores a changed person.
fn store(conn: &mut Conn, before: &Person, after: &Person) -> Outcome<()> {
    update(vec![PersonChange::from(PersonRow::from(after))], conn)?;
    counts::change_one(conn, before, after)
}

/// Erases a person. The caller holds the lock of operators. Creations hold it, too.
fn erase(conn: &mut Conn, command: &ErasePersonCommand, recording: Option<Recording>) -> Outcome<Vec<AccountId>> {
    let person = Id(command.person.0);
    let accounts: Vec<(Account, Id)> = people::table
        .inner_join(accounts::table)
        .filter(people::id.eq(person))
        .order(people::account_id)
        .select((people::account_id, accounts::client_id))
        .load(conn)?;
    let owned: Vec<(Account, Id)> = card_rows::table
        .filter(card_rows::person_id.eq(person))
        .select((card_rows::account_id, card_rows::id))
        .load(conn)?;
    let mut footprint = Footprint::default();
    for (account, _) in &accounts {
        footprint.counters(&account.0);
    }
    for (account, card) in &owned {
        footprint.card(&account.0, CardId(card.0));
    }
    let mut working_set = WorkingSet::load(conn, &footprint)?;
    working_set.events.record_with(recording);
    for (account, client) in &accounts {
        let found = find(conn, &account.0, command.person)?.ok_or_else(|| corrupt("a person is missing"))?;
        store(conn, &found, &ask(|| (command.erase)(&found))?)?;
        for (_, card) in owned.iter().filter(|(owner, _)| owner == account) {
            let card = card_of(conn, &account.0, CardId(card.0))?;
            let situation = ErasureSituation { card, client: ClientId(client.0) };
            if let Some(change) = ask(|| (command.terminate)(&situation))? {
                working_set.events.add(change.transition.as_ref().map(CardTransition::event).as_slice());
                store_change(conn, &situation.card, change)?;
            }
        }
    }
    let phones = card_rows::table.filter(card_rows::phone_person_id.eq(person));
    let nothing = (card_rows::phone.eq(None::<String>), card_rows::phone_person_id.eq(None::<Id>));
    diesel::update(phones).set(nothing).execute(conn)?;
    working_set.store(conn)?;
    forget(conn, command.person)?;
    disputes::forget_evidence(conn, &owned)?;
    Ok(accounts.into_iter().map(|(account, _)| account.0).collect())
}

fn card_of(conn: &mut Conn, account: &AccountId, card: CardId) -> Outcome<CardRecord> {
    cards::find(conn, account, card)?.ok_or_else(|| corrupt("a card is missing"))
}

/// Deletes everything else that contains the data of a person: idempotency records that name the person, snapshots of
/// worlds, and imported snapshots.
fn forget(conn: &mut Conn, person: PersonId) -> Outcome<()> {
    let pattern = format!("%{person}%");
    // Any record that names the person may contain the data. Such records are found by a pattern, because a path can be
    // written in several ways.
    let of_person = idempotency_records::path
        .like(&pattern)
        .or(idempotency_records::body.like(&pattern))
        .or(idempotency_records::answer_body.like(&pattern));
    diesel::delete(idempotency_records::table.filter(of_person)).execute(conn)?;
    diesel::delete(world_snapshots::table.filter(world_snapshots::contents.like(&pattern))).execute(conn)?;
    diesel::delete(imported_snapshots::table.filter(imported_snapshots::contents.like(&pattern))).execute(conn)?;
    Ok(())
}

/// Stores new people of existing accounts.
pub(super) fn insert_all(conn: &mut Conn, new: &[Person]) -> Outcome<()> {
    insert(new.iter().map(PersonRow::from).collect(), conn)?;
    counts::add_all(conn, new)
}

/// Returns whether the person with this persona has an individual budget. `None`: no such person on the account.
pub(super) fn has_budget(conn: &mut Conn, account: &AccountId, persona: PersonaId) -> Outcome<Option<bool>> {
    let known =
        people::table.filter(people::account_id.eq(account.as_str())).filter(people::persona_id.eq(Id(persona.0)));
    if !diesel::select(exists(known)).get_result::<bool>(conn)? {
        return Ok(None);
    }
    let own =
        budgets::table.filter(budgets::account_id.eq(account.as_str())).filter(budgets::persona_id.eq(Id(persona.0)));
    Ok(Some(diesel::select(exists(own)).get_result(conn)?))
}

/// Returns a person of the account.
pub(super) fn find(conn: &mut Conn, account: &AccountId, person: PersonId) -> Outcome<Option<Person>> {
    let row = people::table
        .filter(people::account_id.eq(account.as_str()))
        .filter(people::id.eq(Id(person.0)))
        .select(PersonRow::as_select())
        .get_result(conn)
        .optional()?;
    row.map(PersonRow::read).transpose()
}

/// Returns the number of people that match the filter. Counts are stored for roles only: few people match an email
/// address or ids.
fn count(conn: &mut Conn, account: &AccountId, filter: &PersonFilter) -> Outcome<i64> {
    let PersonFilter { role, email, ids } = filter;
    if email.is_none() && ids.is_empty() {
        return counts::of(conn, account, *role);
    }
    Ok(matching(account, filter).count().get_result(conn)?)
}

fn matching(account: &AccountId, filter: &PersonFilter) -> people::BoxedQuery<'static, Db> {
    let mut rows = people::table.filter(people::account_id.eq(Account(account.clone()))).into_boxed();
    if let Some(role) = filter.role {
        rows = rows.filter(people::role.eq(Named(role)));
    }
    if let Some(email) = &filter.email {
        rows = rows.filter(people::email_key.eq(email.key()));
    }
    if !filter.ids.is_empty() {
        rows = rows.filter(people::id.eq_any(filter.ids.iter().map(|id| Id(id.0)).collect::<Vec<_>>()));
    }
    rows
}

/// Adds to people of the account whether they have a card.
fn overviews(conn: &mut Conn, account: &AccountId, found: Vec<Person>) -> Outcome<Vec<PersonOverview>> {
    let ids: Vec<_> = found.iter().map(|person| Some(Id(person.id.0))).collect();
    let owners: BTreeSet<Option<Id>> = card_rows::table
        .filter(card_rows::account_id.eq(account.as_str()))
        .filter(card_rows::person_id.eq_any(ids))
        .filter(card_rows::state.ne_all([CardState::Replaced, CardState::Terminated].map(Named)))
        .select(card_rows::person_id)
        .load(conn)?
        .into_iter()
        .collect();
    let overview = |person: Person| PersonOverview { has_card: owners.contains(&Some(Id(person.id.0))), person };
    Ok(found.into_iter().map(overview).collect())
}

impl PersonRow {
    /// Converts the row to the domain.
    pub(crate) fn read(self) -> Outcome<Person> {
        let email = self.email.as_deref().map(EmailAddress::parse).transpose();
        Ok(Person {
            id: PersonId(self.id.0),
            persona: PersonaId(self.persona_id.0),
            account: self.account_id.0,
            first_name: self.first_name,
            last_name: self.last_name,
            email: email.map_err(|flaw| corrupt(format!("`email` {}", flaw.message)))?,
            born: self.born.map(|day| day.0),
            role: self.role.0,
            status: self.status.0,
            created_at: self.created_at.0,
            updated_at: self.updated_at.0,
        })
    }
}

impl From<&Person> for PersonRow {
    fn from(person: &Person) -> Self {
        Self {
            account_id: Account(person.account.clone()),
            id: Id(person.id.0),
            persona_id: Id(person.persona.0),
            first_name: person.first_name.clone(),
            last_name: person.last_name.clone(),
            email: person.email.as_ref().map(|email| email.as_str().to_owned()),
            email_key: person.email.as_ref().map(EmailAddress::key),
            born: person.born.map(Day),
            role: Named(person.role),
            status: Named(person.status),
            created_at: Time(person.created_at),
            updated_at: Time(person.updated_at),
        }
    }
}
