//! Members of the bodies of subscriptions.

use crate::declare::{FieldType, TextValue, body, of_format, plain_text};
use crate::json::{Place, Reading, Value};
use florin_domain::fault::Flaw;
use florin_domain::ids::CheckoutId;
use florin_domain::webhook::{CheckoutIds, TargetPolicy, WebhookUrl, authorization_header, shared_secret};
use utoipa::openapi::schema::{ArrayBuilder, KnownFormat, Object};
use utoipa::openapi::{RefOr, Schema};

/// The pattern of the URL of a receiver: a host name or a loopback address, a standard port or one above 1023, no user
/// info and no fragment.
const RECEIVER_URL: &str = "^[Hh][Tt][Tt][Pp][Ss]?://\
    (([0-9A-Za-z_]([0-9A-Za-z_-]*[0-9A-Za-z_])?\\.)*[A-Za-z_]([0-9A-Za-z_-]*[0-9A-Za-z_])?\\.?|\
    127\\.0\\.0\\.1|\\[::1\\])\
    (:(80|443|102[4-9]|10[3-9][0-9]|1[1-9][0-9]{2}|[2-9][0-9]{3}|[1-5][0-9]{4}|\
    6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]))?\
    ([/?][!-\"$-\\[\\]-~]*)?$";

/// The URL of a receiver.
pub(crate) struct ReceiverUrl(pub(crate) WebhookUrl);

impl FieldType for ReceiverUrl {
    fn read(value: Value<'_>, place: &Place<'_>, reading: &mut Reading<'_>) -> Option<Self> {
        let text = reading.string(value, place)?;
        let policy = TargetPolicy::new(reading.context.environment, Vec::new());
        reading.keep(place, WebhookUrl::parse(&text, &policy)).map(Self)
    }

    fn schema() -> RefOr<Schema> {
        plain_text().pattern(Some(RECEIVER_URL)).max_length(Some(512)).build().into()
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
pub(crate) struct Checkouts(CheckoutIds);

impl FieldType for Checkouts {
    fn read(value: Value<'_>, place: &Place<'_>, reading: &mut Reading<'_>) -> Option<Self> {
        let ids = Vec::<CheckoutId>::read(value, place, reading)?;
        reading.keep(place, CheckoutIds::new(ids)).map(Self)
    }

    fn schema() -> RefOr<Schema> {
        let items = of_format(KnownFormat::Uuid).build();
        ArrayBuilder::new().items(items).min_items(Some(1)).max_items(Some(CheckoutIds::MAX)).into()
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

impl From<FiltersBody> for CheckoutIds {
    fn from(body: FiltersBody) -> Self {
        body.checkout.ids.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::pattern_tests::check;
    use florin_domain::access::Environment;

    #[test]
    fn the_pattern_of_receivers_matches_what_the_sandbox_accepts() {
        let policy = TargetPolicy::new(Environment::Sandbox, Vec::new());
        check::<ReceiverUrl>(
            |text| WebhookUrl::parse(text, &policy).is_ok(),
            &[
                "https://example.com",
                "http://example.com/",
                "HTTPS://example.com:8443/hooks?a=b",
                "https://example.com:443/",
            ],
            &[
                "",
                "example.com",
                "ftp://example.com/",
                "https://user@example.com/",
                "https://example.com/#top",
                "https://example.com:22/",
                "https://example.com:65536/",
            ],
        );
    }
}
