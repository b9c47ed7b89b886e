//! Test data: people.

use super::ids::{account, noon};
use crate::ids::{PersonId, PersonaId};
use crate::people::{
    CreatePersonSituation, EmailAddress, MAX_PEOPLE, Person, PersonRequest, PersonStatus, Role, decide_create_person,
};
use crate::text::Text;
use uuid::Uuid;

/// Returns a request to create Ada Byron, a User, with this email address.
pub fn a_person_request(email: &str) -> PersonRequest {
    PersonRequest {
        id: PersonId(Uuid::from_u128(0xe1)),
        persona: PersonaId(Uuid::from_u128(0xe2)),
        account: account(),
        first_name: Text::parse("Ada").unwrap(),
        last_name: Text::parse("Byron").unwrap(),
        email: EmailAddress::parse(email).unwrap(),
        born: None,
        role: Role::User,
        status: PersonStatus::Active,
        max_people: MAX_PEOPLE,
        now: noon(),
    }
}

/// Returns Ada Byron, a User, with this email address.
pub fn a_person(email: &str) -> Person {
    let situation = CreatePersonSituation { people: 0, email_taken: false, known: None };
    decide_create_person(situation, &a_person_request(email)).unwrap()
}
