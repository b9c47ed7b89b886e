//! People with their roles.

use super::EmailAddress;
use crate::ids::{AccountId, PersonId, PersonaId};
use chrono::{DateTime, NaiveDate, Utc};
use std::fmt;
use uuid::Uuid;

/// The function of a person in an account. It grants no permissions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// Owns the account.
    Owner,
    /// Administers the account.
    Admin,
    /// Makes payments.
    Payer,
    /// Views everything.
    Viewer,
    /// Keeps the books.
    Accountant,
    /// Has a card.
    User,
}

impl Role {
    /// All roles.
    pub const ALL: [Self; 6] = [Self::Owner, Self::Admin, Self::Payer, Self::Viewer, Self::Accountant, Self::User];

    /// Returns the name in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Owner => "Owner",
            Self::Admin => "Admin",
            Self::Payer => "Payer",
            Self::Viewer => "Viewer",
            Self::Accountant => "Accountant",
            Self::User => "User",
        }
    }

    /// Returns the id of the role, which is the same on every server.
    pub const fn id(self) -> Uuid {
        const BASE: u128 = 0x0198_c0de_00ff_7000_8000_0000_0000_0001;
        Uuid::from_u128(BASE + self as u128)
    }
}

/// Whether a person is active in an account. [`Rule::CardholderActive`](crate::card::Rule::CardholderActive) declines
/// messages of an inactive person's cards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PersonStatus {
    /// The person is active.
    Active,
    /// The person is not active.
    Inactive,
}

impl PersonStatus {
    /// All statuses.
    pub const ALL: [Self; 2] = [Self::Active, Self::Inactive];

    /// Returns the name in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Inactive => "inactive",
        }
    }
}

/// A person of an account. A person who belongs to several accounts of a client has one record on each.
#[derive(Clone, PartialEq, Eq)]
pub struct Person {
    /// The person's id, the same on each account of the client.
    pub id: PersonId,
    /// The id of the person's membership in the account. Individual budgets refer to it.
    pub persona: PersonaId,
    /// The account.
    pub account: AccountId,
    /// First name.
    pub first_name: String,
    /// Last name.
    pub last_name: String,
    /// Email address, unique in the account. `None`: the data was erased.
    pub email: Option<EmailAddress>,
    /// Date of birth.
    pub born: Option<NaiveDate>,
    /// The role of the person in the account.
    pub role: Role,
    /// Whether the person is active.
    pub status: PersonStatus,
    /// When the person was created.
    pub created_at: DateTime<Utc>,
    /// When the record was last changed.
    pub updated_at: DateTime<Utc>,
}

impl Person {
    /// Returns whether the personal data was erased.
    pub const fn is_erased(&self) -> bool {
        self.email.is_none()
    }
}

/// Omits names, email address and date of birth, because they are personal data.
impl fmt::Debug for Person {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { id, persona, account, role, status, created_at, updated_at, .. } = self;
        f.debug_struct("Person")
            .field("id", id)
            .field("persona", persona)
            .field("account", account)
            .field("role", role)
            .field("status", status)
            .field("created_at", created_at)
            .field("updated_at", updated_at)
            .finish_non_exhaustive()
    }
}

/// A person, with data that is only read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PersonOverview {
    /// The person.
    pub person: Person,
    /// Whether the person owns a card that is not replaced or terminated.
    pub has_card: bool,
}

/// Selects people. `None` and empty fields select everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PersonFilter {
    /// The role to select.
    pub role: Option<Role>,
    /// The email address to select, ignoring case.
    pub email: Option<EmailAddress>,
    /// The ids to select. Empty: all.
    pub ids: Vec<PersonId>,
}

impl PersonFilter {
    /// Returns whether the filter selects a person.
    pub fn matches(&self, person: &Person) -> bool {
        let key = |email: &Option<EmailAddress>| email.as_ref().map(EmailAddress::key);
        self.role.is_none_or(|role| person.role == role)
            && (self.email.is_none() || key(&person.email) == key(&self.email))
            && (self.ids.is_empty() || self.ids.contains(&person.id))
    }
}
