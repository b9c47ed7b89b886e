//! Event types as members and parameters.

use super::member::{TextValue, plain_text};
use super::values::of_format;
use florin_domain::event::EventType;
use florin_domain::fault::Flaw;
use florin_domain::ids::parse_uuid;
use utoipa::openapi::schema::{KnownFormat, Object};

/// An event type, given by its name.
pub(crate) struct TypeName(pub(crate) &'static EventType);

impl TextValue for TypeName {
    fn parse(text: &str) -> Result<Self, Flaw> {
        EventType::named(text).map(Self).ok_or_else(unknown_type)
    }

    fn schema() -> Object {
        let names: Vec<_> = EventType::ALL.iter().map(|known| known.name).collect();
        plain_text().pattern(Some(format!("^({})$", names.join("|")))).build()
    }
}

/// An event type, given by its id.
pub(crate) struct TypeId(pub(crate) &'static EventType);

impl TextValue for TypeId {
    fn parse(text: &str) -> Result<Self, Flaw> {
        EventType::with_id(parse_uuid(text)?).map(Self).ok_or_else(unknown_type)
    }

    fn schema() -> Object {
        let ids = EventType::ALL.iter().map(|known| known.id.to_string());
        of_format(KnownFormat::Uuid).enum_values(Some(ids)).build()
    }
}

fn unknown_type() -> Flaw {
    Flaw::value("must be an event type that GET /v2/webhooks/event-types lists")
}
