//! Members of the bodies of subscriptions.

use crate::declare::{FieldType, TextValue, body, of_format, plain_text};
use crate::json::{Place, Reading, Value};
use florin_domain::fault::Flaw;
use florin_domain::ids::CheckoutId;
use florin_domain::webhook::{CheckoutFilter, TargetPolicy, WebhookUrl, authorization_header, shared_secret};
use utoipa::openapi::schema::{ArrayBuilder, KnownFormat, Object};
use utoipa::openapi::{RefOr, Schema};

/// The URL of a receiver.
pub(crate) struct ReceiverUrl(pub(crate) WebhookUrl);

impl FieldType for ReceiverUrl {
    fn read(value: Value<'_>, place: &Place<'_>, reading: &mut Reading<'_>) -> Option<Self> {
        let text = reading.string(value, place)?;
        let policy = TargetPolicy::new(reading.context.environment, Vec::new());
        reading.keep(place, WebhookUrl::parse(&text, &policy)).map(Self)
    }

    fn schema() -> RefOr<Schema> {
        plain_text().pattern(Some("^[Hh][Tt][Tt][Pp][Ss]?://[!-~]+$")).max_length(Some(512)).build().into()
    }
}

/// The client's own secret, a UUID, for the header `x-em-signature`.
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
        plain_text().pattern(Some("^[ -~]{1,512}$")).max_length(Some(512)).build()
    }
}

/// A filter of 1 to 100 checkouts.
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
    /// The checkouts that a filter matches.
    pub(crate) struct FilterBody as "WebhookFilterRequest" {
        /// The ids of the checkouts.
        #[example(["0198c0de-0003-7000-8000-000000000001"])]
        "in" => ids: Checkouts,
    }
}

body! {
    /// The filters of a subscription to a Merchant event type.
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
