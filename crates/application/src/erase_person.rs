//! Erases the personal data of a person.

use chrono::{DateTime, Utc};
use florin_domain::card::terminate_for_erasure;
use florin_domain::ids::{AccountId, PersonId};
use florin_domain::people;
use florin_ports::{ErasePersonCommand, People, StoreError};
use std::sync::Arc;

/// Erases a person's data on every account, and terminates the person's cards. Returns the affected accounts.
pub async fn erase_person(
    people: &(impl People + ?Sized),
    person: PersonId,
    now: DateTime<Utc>,
) -> Result<Vec<AccountId>, StoreError> {
    let command = ErasePersonCommand {
        person,
        erase: Arc::new(move |person| people::erase_person(person, now)),
        terminate: Arc::new(move |situation| terminate_for_erasure(situation, now)),
    };
    people.erase(command).await
}
