//! People of accounts.

use crate::MemoryStore;
use crate::card_management;
use crate::data::{Data, add, replace};
use crate::events;
use crate::idempotency::once;
use crate::pages::paginate;
use async_trait::async_trait;
use florin_domain::card::{Card, CardPhone, CardRecord, CardState, CardTransition, Dispute, ErasureSituation};
use florin_domain::ids::{AccountId, PersonId};
use florin_domain::page::{Page, PageRequest};
use florin_domain::people::{
    CreatePersonRefusal, CreatePersonSituation, EditPersonRefusal, EmailAddress, Person, PersonFilter, PersonOverview,
};
use florin_ports::{
    CreatePersonCommand, EditPersonCommand, ErasePersonCommand, People, RecordedBody, StoreError, WriteError, Written,
};

#[async_trait]
impl People for MemoryStore {
    async fn find(&self, account: &AccountId, person: PersonId) -> Result<Option<PersonOverview>, StoreError> {
        Ok(self.read(|data| data.people.get(&(account.clone(), person)).map(|person| overview(data, person.clone()))))
    }

    async fn list(
        &self,
        account: &AccountId,
        filter: PersonFilter,
        page: PageRequest,
    ) -> Result<Page<PersonOverview>, StoreError> {
        let mut found = self.read(|data| {
            let matching = of_account(data, account).filter(|person| filter.matches(person));
            matching.map(|person| overview(data, person.clone())).collect::<Vec<_>>()
        });
        found.sort_by_key(|overview| (overview.person.created_at, overview.person.id));
        Ok(paginate(found, page))
    }

    async fn create(
        &self,
        command: CreatePersonCommand,
    ) -> Result<Written<PersonOverview>, WriteError<CreatePersonRefusal>> {
        self.decide(|data| {
            once(data, command.claim.as_ref(), |data| {
                if !data.accounts.contains_key(&command.account) {
                    return Err(WriteError::Absent);
                }
                let situation = CreatePersonSituation {
                    people: u64::try_from(of_account(data, &command.account).count()).unwrap_or(u64::MAX),
                    email_taken: of_account(data, &command.account).any(|person| has_email(person, &command.email)),
                    known: known(data, &command),
                };
                let person = (command.decide)(&situation).map_err(WriteError::Refused)?;
                add(&mut data.people, (command.account.clone(), person.id), person.clone())?;
                Ok(PersonOverview { person, has_card: false })
            })
        })
    }

    async fn edit(&self, command: EditPersonCommand) -> Result<Written<PersonOverview>, WriteError<EditPersonRefusal>> {
        self.decide(|data| {
            once(data, command.claim.as_ref(), |data| {
                let key = (command.account.clone(), command.person);
                let person = data.people.get(&key).cloned().ok_or(WriteError::Absent)?;
                let edited = (command.decide)(&person).map_err(WriteError::Refused)?;
                replace(&mut data.people, &key, edited.clone())?;
                Ok(overview(data, edited))
            })
        })
    }

    async fn erase(&self, command: ErasePersonCommand) -> Result<Vec<AccountId>, StoreError> {
        self.change(|data| {
            let known = data.people.keys().filter(|(_, id)| *id == command.person).map(|(account, _)| account.clone());
            let accounts: Vec<AccountId> = known.collect();
            for account in &accounts {
                let key = (account.clone(), command.person);
                if let Some(person) = data.people.get_mut(&key) {
                    *person = (command.erase)(person);
                }
                terminate_cards(data, account, &command)?;
            }
            for record in data.card_records.values_mut().filter(|record| record.phone.person == Some(command.person)) {
                record.phone = CardPhone::default();
            }
            forget_person(data, command.person);
            Ok(accounts)
        })
    }
}

/// Terminates the cards that the person owns on an account, and deletes the evidence of their disputes.
fn terminate_cards(data: &mut Data, account: &AccountId, command: &ErasePersonCommand) -> Result<(), StoreError> {
    let client = data.accounts.get(account).map(|account| account.client);
    let cards = data.cards.keys().filter(|(owner, _)| owner == account).map(|(_, card)| *card);
    let records: Vec<_> = cards.filter_map(|card| card_management::find(data, account, card)).collect();
    let is_owned =
        |record: &CardRecord| record.person.as_ref().is_some_and(|personal| personal.person == command.person);
    for record in records.into_iter().filter(is_owned) {
        forget_evidence(data, &record.card);
        let Some(client) = client else { continue };
        if let Some(change) = (command.terminate)(&ErasureSituation { card: record, client }) {
            let event = change.transition.as_ref().map(CardTransition::event);
            card_management::store_change(data, change)?;
            events::record(data, event.as_slice())?;
        }
    }
    Ok(())
}

/// Deletes the evidence of disputes of a card, and the idempotency records that contain it.
fn forget_evidence(data: &mut Data, card: &Card) {
    let of_card = |dispute: &&mut Dispute| dispute.account == card.account && dispute.card == card.id;
    for dispute in data.disputes.values_mut().filter(of_card) {
        dispute.evidence.clear();
        let id = dispute.id.to_string();
        data.records.retain(|_, record| !(record.request.path.contains(&id) || record.response.body.contains(&id)));
    }
}

fn of_account<'a>(data: &'a Data, account: &'a AccountId) -> impl Iterator<Item = &'a Person> {
    data.people.values().filter(|person| person.account == *account)
}

/// Deletes the idempotency records and the snapshots of worlds that contain the data of a person.
fn forget_person(data: &mut Data, person: PersonId) {
    let id = person.to_string();
    data.records.retain(|_, record| {
        let names_it = |text: &str| text.contains(&id);
        let in_body = match &record.request.body {
            RecordedBody::Json(text) => names_it(text),
            RecordedBody::Hash(_) => false,
        };
        !(in_body || names_it(&record.request.path) || names_it(&record.response.body))
    });
    let is_without_person = |rows: &Data| rows.people.keys().all(|(_, known)| *known != person);
    data.snapshots.retain(|_, (_, _, rows)| is_without_person(rows));
    data.exported.retain(|_, (_, rows)| is_without_person(rows));
    data.imported.retain(|_, stored| is_without_person(&stored.rows));
}

fn has_email(person: &Person, email: &EmailAddress) -> bool {
    person.email.as_ref().is_some_and(|own| own.key() == email.key())
}

/// Returns the person who has this email address on an account of the client. People of worlds are not searched, and
/// the result for a world is `None`.
fn known(data: &Data, command: &CreatePersonCommand) -> Option<PersonId> {
    let is_world = |account: &AccountId| data.worlds.contains_key(account);
    let client = |account: &AccountId| data.accounts.get(account).map(|account| account.client);
    if is_world(&command.account) {
        return None;
    }
    let of_client =
        |person: &&Person| client(&person.account) == client(&command.account) && !is_world(&person.account);
    let holders = data.people.values().filter(of_client).filter(|person| has_email(person, &command.email));
    holders.map(|person| person.id).min()
}

fn overview(data: &Data, person: Person) -> PersonOverview {
    let is_own = |record: &CardRecord| record.person.as_ref().is_some_and(|personal| personal.person == person.id);
    let has_card = data.cards.iter().any(|((account, id), (card, _))| {
        *account == person.account
            && !matches!(card.state, CardState::Replaced | CardState::Terminated)
            && data.card_records.get(&(account.clone(), *id)).is_some_and(is_own)
    });
    PersonOverview { person, has_card }
}
