//! Shared parts of the operations on events.

use crate::call::Call;
use crate::declare::{TextValue, TypeName, of_format, parameters};
use crate::problem::Problem;
use florin_application::{Requirement, event_reach};
use florin_domain::access::{Feature, Scope};
use florin_domain::fault::Flaw;
use florin_domain::ids::{AccountId, parse_uuid};
use florin_ports::EventReach;
use utoipa::openapi::schema::{KnownFormat, Object};
use uuid::Uuid;

/// The requirement to read events. In production, the operator enables events for each client.
pub(super) const READ: Requirement =
    Requirement { scope: Scope::EventsRead, sandbox_only: false, feature: Some(Feature::Events) };

parameters! {
    /// Filters of events.
    pub(crate) struct EventParameters in Query {
        /// Only events of this account. Default: of all accounts that the API key can access.
        "accountId" => account: Option<AccountId>,
        /// Only events of these types, separated by commas.
        "types" => types: Vec<TypeName>,
        /// Only events about this object: a budget, a card, a payment batch, a checkout session, or a chain, which the
        /// token of its first message identifies.
        "objectId" => object: Option<ObjectId>,
    }
}

/// The id of the object that an event is about.
pub(crate) struct ObjectId(pub(super) Uuid);

impl TextValue for ObjectId {
    fn parse(text: &str) -> Result<Self, Flaw> {
        parse_uuid(text).map(Self)
    }

    fn schema() -> Object {
        of_format(KnownFormat::Uuid).build()
    }
}

/// Finishes reading the request. Returns the accounts from which the caller may read events, or all faults as an error.
pub(super) async fn reach(call: &mut Call<'_>, account: Option<AccountId>) -> Result<EventReach, Problem> {
    let Some(id) = account else {
        call.finish_reading()?;
        return Ok(event_reach(&call.caller, None));
    };
    let account = call.account(Some(id)).await?;
    Ok(event_reach(&call.caller, Some(&account)))
}
