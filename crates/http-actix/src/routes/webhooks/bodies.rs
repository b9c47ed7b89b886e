//! Members of the bodies of subscriptions.

use crate::declare::{FieldType, TextValue, body, of_format};
use crate::json::{Place, Reading, Value};
use florin_domain::event::EventType;
use florin_domain::fault::Flaw;
use florin_domain::ids::{CheckoutId, parse_uuid};
use florin_domain::webhook::{CheckoutFilter, TargetPolicy, WebhookUrl, authorization_header, shared_secret};
use utoipa::openapi::schema::{ArrayBuilder, KnownFormat, Object, ObjectBuilder, Type};
use utoipa::openapi::{RefOr, Schema};

/// The URL of a receiver.
pub(crate) struct ReceiverUrl(pub(super) WebhookUrl);

impl FieldType for ReceiverUrl {
    fn read(value: Value<'_>, place: &Place<'_>, reading: &mut Reading<'_>) -> Option<Self> {
        let text = reading.string(value, place)?;
        let policy = TargetPolicy::new(reading.context.environment, Vec::new());
        reading.keep(place, WebhookUrl::parse(&text, &policy)).map(Self)
    }

    fn schema() -> RefOr<Schema> {
        text().pattern(Some("^[Hh][Tt][Tt][Pp][Ss]?://[!-~]+$")).max_length(Some(512)).build().into()
    }
}

/// A type of event, by its name.
pub(crate) struct TypeName(pub(super) &'static EventType);

impl TextValue for TypeName {
    fn parse(text: &str) -> Result<Self, Flaw> {
        EventType::named(text).map(Self).ok_or_else(unknown_type)
    }

    fn schema() -> Object {
        let names = EventType::ALL.iter().map(|known| known.name).collect::<Vec<_>>().join("|");
        text().pattern(Some(format!("^({names})$"))).build()
    }
}

/// A type of event, by its id.
pub(crate) struct TypeId(pub(super) &'static EventType);

impl TextValue for TypeId {
    fn parse(text: &str) -> Result<Self, Flaw> {
        EventType::with_id(parse_uuid(text)?).map(Self).ok_or_else(unknown_type)
    }

    fn schema() -> Object {
        of_format(KnownFormat::Uuid).build()
    }
}

fn unknown_type() -> Flaw {
    Flaw::value("must be an event type that GET /v2/webhooks/event-types lists")
}

fn text() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::String)
}

/// The client's secret for `x-em-signature`.
pub(crate) struct SharedSecret(pub(super) String);

impl TextValue for SharedSecret {
    fn parse(text: &str) -> Result<Self, Flaw> {
        shared_secret(text).map(Self)
    }

    fn schema() -> Object {
        of_format(KnownFormat::Uuid).build()
    }
}

/// The `Authorization` header of deliveries.
pub(crate) struct AuthorizationHeader(pub(super) String);

impl TextValue for AuthorizationHeader {
    fn parse(text: &str) -> Result<Self, Flaw> {
        authorization_header(text).map(Self)
    }

    fn schema() -> Object {
        text().pattern(Some("^[ -~]{1,512}$")).max_length(Some(512)).build()
    }
}

/// Checkouts, 1 to 100.
pub(crate) struct Checkouts(CheckoutFilter);

impl FieldType for Checkouts {
    fn read(value: Value<'_>, place: &Place<'_>, reading: &mut Reading<'_>) -> Option<Self> {
        let ids = Vec::<CheckoutId>::read(value, place, reading)?;
        reading.keep(place, CheckoutFilter::new(ids)).map(Self)
    }

    fn schema() -> RefOr<Schema> {
        let items = of_format(KnownFormat::Uuid).build();
        ArrayBuilder::new().items(items).min_items(Some(1)).max_items(Some(CheckoutFilter::MAX)).into()
    }
}

body! {
    /// The values of a filter.
    pub(crate) struct FilterBody as "WebhookFilterRequest" {
        /// One of these ids.
        #[example(["0198c0de-0003-7000-8000-000000000001"])]
        "in" => ids: Checkouts,
    }
}

body! {
    /// The events of a subscription to a Merchant type.
    pub(crate) struct FiltersBody as "WebhookFiltersRequest" {
        /// Only events of these checkouts.
        "checkoutId" => checkout: FilterBody,
    }
}

impl From<FiltersBody> for CheckoutFilter {
    fn from(body: FiltersBody) -> Self {
        body.checkout.ids.0
    }
}
