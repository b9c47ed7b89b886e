//! People and roles in responses.

use super::Time;
use florin_domain::people::{PersonOverview, Role};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

/// A role that a person can have. It grants no permissions.
#[derive(Serialize, ToSchema)]
#[schema(as = Role)]
pub(crate) struct RoleView {
    /// The id of the role, which is the same on every account.
    #[schema(value_type = String, format = Uuid)]
    id: Uuid,
    /// The name of the role.
    #[schema(pattern = "^(Owner|Admin|Payer|Viewer|Accountant|User)$")]
    name: &'static str,
}

/// A person of an account.
#[derive(Serialize, ToSchema)]
#[schema(as = Person)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PersonView {
    /// The id of the person.
    #[schema(format = Uuid)]
    id: String,
    /// The id of the person's membership in the account. It is used to assign an individual budget.
    #[schema(format = Uuid)]
    persona_id: String,
    /// The first name.
    first_name: String,
    /// The last name.
    last_name: String,
    /// The email address; null if the person's data was erased.
    #[schema(required, nullable)]
    email_address: Option<String>,
    /// The date of birth; null if it is not stored.
    #[schema(required, nullable, format = Date)]
    dob: Option<String>,
    /// The status of the person.
    #[schema(pattern = "^(active|inactive)$")]
    status: &'static str,
    /// The name of the person's role.
    #[schema(pattern = "^(Owner|Admin|Payer|Viewer|Accountant|User)$")]
    role_name: &'static str,
    /// Whether the person owns a card that is neither REPLACED nor TERMINATED.
    has_people_card: bool,
    /// The membership of the person in the account.
    persona: PersonaView,
    /// When the person was created.
    #[schema(value_type = String, format = DateTime)]
    created_at: Time,
    /// When the person last changed.
    #[schema(value_type = String, format = DateTime)]
    updated_at: Time,
}

/// The membership of a person in an account.
#[derive(Serialize, ToSchema)]
#[schema(as = Persona)]
#[serde(rename_all = "camelCase")]
struct PersonaView {
    /// The id of the membership.
    #[schema(format = Uuid)]
    id: String,
    /// The id of the account.
    account_id: String,
    /// The id of the role.
    #[schema(value_type = String, format = Uuid)]
    role_id: Uuid,
    /// The status of the person.
    #[schema(pattern = "^(active|inactive)$")]
    status: &'static str,
}

impl From<Role> for RoleView {
    fn from(role: Role) -> Self {
        Self { id: role.id(), name: role.as_str() }
    }
}

impl From<&PersonOverview> for PersonView {
    fn from(PersonOverview { person, has_card }: &PersonOverview) -> Self {
        let (persona_id, status) = (person.persona.to_string(), person.status.as_str());
        Self {
            id: person.id.to_string(),
            persona: PersonaView {
                id: persona_id.clone(),
                account_id: person.account.to_string(),
                role_id: person.role.id(),
                status,
            },
            persona_id,
            first_name: person.first_name.clone(),
            last_name: person.last_name.clone(),
            email_address: person.email.as_ref().map(|email| email.as_str().to_owned()),
            dob: person.born.map(|day| day.to_string()),
            status,
            role_name: person.role.as_str(),
            has_people_card: *has_card,
            created_at: Time(person.created_at),
            updated_at: Time(person.updated_at),
        }
    }
}
