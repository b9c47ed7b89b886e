//! Shared parts of the operations on events.

use crate::call::Call;
use crate::declare::{TextValue, parameters};
use crate::problem::Problem;
use florin_application::{Permission, event_reach};
use florin_domain::access::{Feature, Scope};
use florin_domain::event::{EventKind, EventType};
use florin_domain::fault::Flaw;
use florin_domain::ids::{AccountId, parse_uuid};
use florin_ports::EventReach;
use utoipa::openapi::schema::{KnownFormat, Object, ObjectBuilder, SchemaFormat, Type};
use uuid::Uuid;

/// Reads events. In production, an operator enables them for each client.
pub(super) const READ: Permission =
    Permission { scope: Scope::EventsRead, sandbox_only: false, feature: Some(Feature::Events) };

parameters! {
    /// Which events to read.
    pub(crate) struct EventParameters in Query {
        /// Only events of this account. Default: of all accounts that the API key can access.
        "accountId" => account: Option<AccountId>,
        /// Only events of these types, separated by commas.
        "types" => types: Vec<EventTypeName>,
        /// Only events about this object: a budget, a card, a payment batch, or the first token of a chain.
        "objectId" => object: Option<ObjectId>,
    }
}

/// The name of a type of events.
pub(crate) struct EventTypeName(pub(super) EventKind);

/// The id of an object of events.
pub(crate) struct ObjectId(pub(super) Uuid);

impl TextValue for EventTypeName {
    fn parse(text: &str) -> Result<Self, Flaw> {
        let known = EventType::named(text).map(|known| Self(known.kind));
        known.ok_or_else(|| {
            Flaw::value("must be the name of a type of events (GET /v2/webhooks/event-types lists them)")
        })
    }

    fn schema() -> Object {
        let names: Vec<_> = EventType::ALL.iter().map(|known| known.name).collect();
        ObjectBuilder::new().schema_type(Type::String).pattern(Some(format!("^({})$", names.join("|")))).build()
    }
}

impl TextValue for ObjectId {
    fn parse(text: &str) -> Result<Self, Flaw> {
        parse_uuid(text).map(Self)
    }

    fn schema() -> Object {
        let format = SchemaFormat::KnownFormat(KnownFormat::Uuid);
        ObjectBuilder::new().schema_type(Type::String).format(Some(format)).build()
    }
}

/// Finishes reading the request: returns all faults, or the accounts whose events the caller may read.
pub(super) async fn reach(call: &mut Call<'_>, account: Option<AccountId>) -> Result<EventReach, Problem> {
    let Some(id) = account else {
        call.finish_reading()?;
        return Ok(event_reach(&call.caller, None));
    };
    let account = call.account(Some(id)).await?;
    Ok(event_reach(&call.caller, Some(&account)))
}
