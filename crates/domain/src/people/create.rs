//! Creating people.

use super::{EmailAddress, Person, PersonStatus, Role};
use crate::ids::{AccountId, PersonId, PersonaId};
use crate::text::Text;
use chrono::{DateTime, NaiveDate, Utc};

/// Default maximum number of people of an account.
pub const MAX_PEOPLE: u64 = 100_000;

/// A request to create a person, with the new ids and the time.
#[derive(Clone)]
pub struct PersonRequest {
    /// The id of the new person. It is not used if the person already belongs to another account of the client.
    pub id: PersonId,
    /// The id of the person's membership in the account.
    pub persona: PersonaId,
    /// The account to which the person is added.
    pub account: AccountId,
    /// First name.
    pub first_name: Text<1, 140>,
    /// Last name.
    pub last_name: Text<1, 140>,
    /// Email address.
    pub email: EmailAddress,
    /// Date of birth.
    pub born: Option<NaiveDate>,
    /// The role of the person in the account.
    pub role: Role,
    /// Whether the person is active.
    pub status: PersonStatus,
    /// Maximum number of people of an account.
    pub max_people: u64,
    /// The time of creation.
    pub now: DateTime<Utc>,
}

/// The situation for the creation of a person. An adapter loads it under the lock that serializes creations on an
/// account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CreatePersonSituation {
    /// Number of people of the account.
    pub people: u64,
    /// Whether a person of the account has this email address.
    pub email_taken: bool,
    /// The person with this email address on another account of the same client. Worlds are isolated: other accounts do
    /// not see the people of a world, and a world only sees its own.
    pub known: Option<PersonId>,
}

/// Reasons to refuse the creation of a person. Nothing changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CreatePersonRefusal {
    /// Another person of the account has this email address.
    #[error("a person of the account has this email address")]
    EmailTaken,
    /// The account has the maximum number of people.
    #[error("an account has at most {max} people")]
    TooMany {
        /// The maximum.
        max: u64,
    },
}

/// Decides the creation of a person. A person who already belongs to another account of the client has the same id on
/// both accounts, but a separate membership and record.
///
/// ```
/// use florin_domain::people::{CreatePersonSituation, decide_create_person};
/// use florin_domain::test_support::a_person_request;
///
/// let situation = CreatePersonSituation { people: 0, email_taken: false, known: None };
/// let person = decide_create_person(situation, &a_person_request("ada@example.com")).unwrap();
/// assert_eq!(person.email.unwrap().as_str(), "ada@example.com");
/// ```
pub fn decide_create_person(
    situation: CreatePersonSituation,
    request: &PersonRequest,
) -> Result<Person, CreatePersonRefusal> {
    if situation.email_taken {
        return Err(CreatePersonRefusal::EmailTaken);
    }
    if situation.people >= request.max_people {
        return Err(CreatePersonRefusal::TooMany { max: request.max_people });
    }
    Ok(Person {
        id: situation.known.unwrap_or(request.id),
        persona: request.persona,
        account: request.account.clone(),
        first_name: request.first_name.as_str().to_owned(),
        last_name: request.last_name.as_str().to_owned(),
        email: Some(request.email.clone()),
        born: request.born,
        role: request.role,
        status: request.status,
        created_at: request.now,
        updated_at: request.now,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::a_person_request;

    fn decide(people: u64, email_taken: bool, known: Option<PersonId>) -> Result<Person, CreatePersonRefusal> {
        let request = PersonRequest { max_people: 3, ..a_person_request("ada@example.com") };
        decide_create_person(CreatePersonSituation { people, email_taken, known }, &request)
    }

    #[test]
    fn an_address_belongs_to_one_person_of_an_account() {
        assert_eq!(decide(2, false, None).map(|person| person.status), Ok(PersonStatus::Active));
        assert_eq!(decide(3, false, None), Err(CreatePersonRefusal::TooMany { max: 3 }));
        assert_eq!(decide(3, true, None), Err(CreatePersonRefusal::EmailTaken));
    }

    #[test]
    fn a_person_of_another_account_keeps_the_id() {
        let known = PersonId(uuid::Uuid::from_u128(7));
        let (new, joined) = (decide(0, false, None).unwrap(), decide(0, false, Some(known)).unwrap());
        assert_eq!((joined.id, joined.persona), (known, new.persona));
        assert_eq!(Person { id: new.id, ..joined }, new);
    }
}
