//! Checkouts in responses.

use super::Time;
use florin_domain::merchant::{Checkout, CheckoutKind, Locale, ShippingOptions, WebUrl};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

/// A configured payment page for checkout sessions.
#[derive(Serialize, ToSchema)]
#[schema(as = Checkout)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CheckoutView {
    /// The id of the checkout.
    #[schema(value_type = String, format = Uuid, max_length = 36)]
    id: Uuid,
    /// The type of the checkout, fixed at creation.
    #[serde(rename = "type")]
    #[schema(pattern = "^(SHOPPING|TOP_UP)$")]
    kind: &'static str,
    /// The merchant's name for the checkout, which payers never see; null if it has none.
    #[schema(required, min_length = 1)]
    name: Option<String>,
    /// Whether the checkout accepts new sessions.
    #[schema(pattern = "^(ACTIVE|DEACTIVATED)$")]
    status: &'static str,
    /// The currency of all sessions, fixed at creation.
    #[schema(pattern = "^(GBP|EUR)$")]
    currency_code: &'static str,
    /// The settlement account into which SHOPPING sessions pay. Null: the default account. Always null for `TOP_UP`.
    #[schema(required, value_type = Option<String>, format = Uuid, max_length = 36)]
    settlement_account_id: Option<Uuid>,
    /// How the checkout collects shipping data; null for `TOP_UP`.
    #[schema(required)]
    shipping_options: Option<ShippingOptionsView>,
    /// The URL to which the payer is redirected when a session ends.
    #[schema(format = "uri", max_length = 2048, pattern = "^https://")]
    return_url: String,
    /// Default locale of the pages that the payer sees; null if none is set.
    #[schema(required, pattern = "^[a-zA-Z]{2,3}(-[a-zA-Z]{4})?(-([a-zA-Z]{2}|[0-9]{3}))?$")]
    locale: Option<String>,
    /// When the checkout was created.
    #[schema(value_type = String, format = DateTime)]
    created_at: Time,
    /// When the checkout was last changed.
    #[schema(value_type = String, format = DateTime)]
    updated_at: Time,
}

/// How a SHOPPING checkout collects shipping data.
#[derive(Serialize, ToSchema)]
#[schema(as = ShippingOptions)]
#[serde(rename_all = "camelCase")]
struct ShippingOptionsView {
    /// Whether the payer must enter a shipping address.
    collect_address: bool,
    /// The URL of the merchant's server that returns shipping rates; null if rates are not dynamic.
    #[schema(required, format = "uri", max_length = 2048, pattern = "^(https|http)://")]
    dynamic_rates_url: Option<String>,
}

impl From<Checkout> for CheckoutView {
    fn from(checkout: Checkout) -> Self {
        let kind = checkout.kind.checkout_type().as_str();
        let (settlement_account, shipping) = match checkout.kind {
            CheckoutKind::Shopping { settlement_account, shipping } => (settlement_account, shipping),
            CheckoutKind::TopUp => (None, None),
        };
        Self {
            id: checkout.id.0,
            kind,
            name: checkout.name,
            status: checkout.status.as_str(),
            currency_code: checkout.currency.code(),
            settlement_account_id: settlement_account.map(|id| id.0),
            shipping_options: shipping.map(ShippingOptionsView::from),
            return_url: checkout.return_url.into_string(),
            locale: checkout.locale.map(Locale::into_string),
            created_at: Time(checkout.created_at),
            updated_at: Time(checkout.updated_at),
        }
    }
}

impl From<ShippingOptions> for ShippingOptionsView {
    fn from(options: ShippingOptions) -> Self {
        let dynamic_rates_url = options.dynamic_rates_url.map(WebUrl::into_string);
        Self { collect_address: options.collect_address, dynamic_rates_url }
    }
}
