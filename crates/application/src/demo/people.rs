//! People of the demo accounts.

use super::DemoFault;
use super::ids::{Kind, id};
use chrono::{DateTime, NaiveDate, Utc};
use florin_domain::ids::{AccountId, PersonId, PersonaId};
use florin_domain::people::{EmailAddress, Person, PersonStatus, Role};

/// The people of the demo account: its owner and a payer.
pub(super) fn of_demo_account(account: &AccountId, at: DateTime<Utc>) -> Result<Vec<Person>, DemoFault> {
    Ok(vec![
        person(1, account, ("Ada", "Byron"), Role::Owner, at)?,
        person(2, account, ("Grace", "Hopper"), Role::Payer, at)?,
    ])
}

/// The person of the other client's account.
pub(super) fn of_other_account(account: &AccountId, at: DateTime<Utc>) -> Result<Vec<Person>, DemoFault> {
    Ok(vec![person(11, account, ("Alan", "Turing"), Role::Owner, at)?])
}

fn person(
    number: u32,
    account: &AccountId,
    (first, last): (&str, &str),
    role: Role,
    at: DateTime<Utc>,
) -> Result<Person, DemoFault> {
    Ok(Person {
        id: PersonId(id(Kind::Person, number)),
        persona: PersonaId(id(Kind::Persona, number)),
        account: account.clone(),
        first_name: first.to_owned(),
        last_name: last.to_owned(),
        email: Some(EmailAddress::parse(&format!("{}@example.com", first.to_lowercase()))?),
        born: NaiveDate::from_ymd_opt(1980, 1, number),
        role,
        status: PersonStatus::Active,
        created_at: at,
        updated_at: at,
    })
}
