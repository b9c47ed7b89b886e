//! People and roles.

use super::Time;
use florin_domain::people::{PersonOverview, Role};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

/// A role that people can have.
#[derive(Serialize, ToSchema)]
#[schema(as = Role)]
pub(crate) struct RoleView {
    /// The id, the same on every account.
    #[schema(value_type = String, format = Uuid)]
    id: Uuid,
    #[schema(pattern = "^(Owner|Admin|Payer|Viewer|Accountant|User)$")]
    name: &'static str,
}

/// A person of an account.
#[derive(Serialize, ToSchema)]
#[schema(as = Person)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PersonView {
    #[schema(format = Uuid)]
    id: String,
    /// The id of the person's membership of the account. Individual budgets name it.
    #[schema(format = Uuid)]
    persona_id: String,
    first_name: String,
    last_name: String,
    /// Null if the person was erased.
    #[schema(required, nullable)]
    email_address: Option<String>,
    /// Date of birth.
    #[schema(required, nullable, format = Date)]
    dob: Option<String>,
    #[schema(pattern = "^(active|inactive)$")]
    status: &'static str,
    #[schema(pattern = "^(Owner|Admin|Payer|Viewer|Accountant|User)$")]
    role_name: &'static str,
    /// Whether the person owns a card that is not replaced or terminated.
    has_people_card: bool,
    persona: PersonaView,
    #[schema(value_type = String, format = DateTime)]
    created_at: Time,
    #[schema(value_type = String, format = DateTime)]
    updated_at: Time,
}

/// The membership of a person in an account.
#[derive(Serialize, ToSchema)]
#[schema(as = Persona)]
#[serde(rename_all = "camelCase")]
struct PersonaView {
    #[schema(format = Uuid)]
    id: String,
    account_id: String,
    /// The id of the role.
    #[schema(value_type = String, format = Uuid)]
    role_id: Uuid,
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
