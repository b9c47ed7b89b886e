//! Creates a person of an account.

use crate::ManagementServices;
use chrono::NaiveDate;
use florin_domain::access::Account;
use florin_domain::ids::{PersonId, PersonaId};
use florin_domain::people::{
    CreatePersonRefusal, EmailAddress, PersonOverview, PersonRequest, PersonStatus, Role, decide_create_person,
};
use florin_domain::text::Text;
use florin_ports::{CreatePersonCommand, IdempotencyClaim, WriteError, Written};
use std::sync::Arc;

/// A client's request for a person.
#[derive(Clone)]
pub struct NewPerson {
    /// First name.
    pub first_name: Text<1, 140>,
    /// Last name.
    pub last_name: Text<1, 140>,
    /// Email address.
    pub email: EmailAddress,
    /// Date of birth.
    pub born: Option<NaiveDate>,
    /// The role.
    pub role: Role,
    /// Whether the person is active.
    pub status: PersonStatus,
}

/// Creates a person of the account.
pub async fn create_person(
    services: &ManagementServices,
    account: &Account,
    new: NewPerson,
    claim: Option<IdempotencyClaim<PersonOverview>>,
) -> Result<Written<PersonOverview>, WriteError<CreatePersonRefusal>> {
    let clock = services.clock_of(account).await?;
    let NewPerson { first_name, last_name, email, born, role, status } = new;
    let request = PersonRequest {
        id: PersonId(clock.next_id()),
        persona: PersonaId(clock.next_id()),
        account: account.id.clone(),
        first_name,
        last_name,
        email: email.clone(),
        born,
        role,
        status,
        max_people: services.max_people,
        now: clock.now(),
    };
    let decide = Arc::new(move |situation: &_| decide_create_person(*situation, &request));
    services.people.create(CreatePersonCommand { account: account.id.clone(), email, decide, claim }).await
}
