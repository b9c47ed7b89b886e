//! Checkout sessions and orders in responses.

use super::{Amount, DryRunView, Time};
use florin_domain::checkout::{Basket, BasketItem, CheckoutSession, CountryCode, Shipping, ShippingRate};
use florin_domain::merchant::{Locale, WebUrl};
use florin_domain::money::{Currency, Minor, Money};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

/// A checkout session, in which a payer pays the merchant.
#[derive(Serialize, ToSchema)]
#[schema(as = CheckoutSessionRecord)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SessionView<'a> {
    /// The id of the session.
    #[schema(value_type = String, format = Uuid)]
    id: Uuid,
    /// The type of the session's checkout; `TOP_UP` for a top-up of a budget.
    #[serde(rename = "type")]
    #[schema(pattern = "^(SHOPPING|TOP_UP)$")]
    kind: &'static str,
    /// `OPEN`: the payer can pay. `PROCESSING`: the payer approved a payment, and the bank has not confirmed it.
    /// `COMPLETED`: the bank confirmed the payment. `CANCELLED`: the merchant or the payer cancelled the session. After
    /// its expiry, an unpaid session is `ABANDONED` if the payer had begun, otherwise `EXPIRED`.
    #[schema(pattern = "^(OPEN|PROCESSING|COMPLETED|CANCELLED|ABANDONED|EXPIRED)$")]
    status: &'static str,
    /// The id of the checkout; null for a top-up of a budget.
    #[schema(required, value_type = Option<String>, format = Uuid)]
    checkout_id: Option<Uuid>,
    /// The merchant's reference; null if the session has none.
    #[schema(required)]
    merchant_reference: Option<&'a str>,
    /// The description that the payer reads; null if there is none.
    #[schema(required)]
    description: Option<&'a str>,
    /// The amount to pay, including shipping.
    amount: MoneyView,
    /// The locale of the payment page; null if none is set.
    #[schema(required)]
    locale: Option<&'a str>,
    /// The URL of the payment page. Absent in events.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, format = "uri")]
    checkout_url: Option<String>,
    /// The URL to which the payer returns; null if none is set.
    #[schema(required, format = "uri")]
    return_url: Option<&'a str>,
    /// The time from which the session can't be paid any more.
    #[schema(value_type = String, format = DateTime)]
    expires_at: Time,
    /// The reference that the payer's bank statement shows.
    #[schema(pattern = "^RQ[2-9A-HJ-NP-Z]{8}$")]
    payment_reference: &'a str,
    /// The payee of a session of a `TOP_UP` checkout; null for other sessions.
    #[schema(required, value_type = Option<String>, format = Uuid)]
    payee_id: Option<Uuid>,
    /// The basket; null if none was sent.
    #[schema(required)]
    basket: Option<BasketView<'a>>,
    /// The shipping address and rate; null until they are known.
    #[schema(required)]
    shipping: Option<ShippingView<'a>>,
    /// The id of the payment that completed the session; null if it is not completed.
    #[schema(required, value_type = Option<String>, format = Uuid)]
    payment_id: Option<Uuid>,
    /// The id of the order of a completed SHOPPING session; null for other sessions.
    #[schema(required, value_type = Option<String>, format = Uuid)]
    order_id: Option<Uuid>,
    /// When the session was created.
    #[schema(value_type = String, format = DateTime)]
    created_at: Time,
    /// When the session last changed.
    #[schema(value_type = String, format = DateTime)]
    updated_at: Time,
    /// When the session was completed; null if it is not completed.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    completed_at: Option<Time>,
}

/// The result of paying a session without a browser, or of its dry run.
#[derive(Serialize, ToSchema)]
#[schema(as = PayCheckoutSessionAnswer)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PaidSession<'a> {
    #[serde(flatten)]
    pub(crate) session: SessionView<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub(crate) dry_run: Option<DryRunView>,
}

/// An amount with its currency.
#[derive(Serialize, ToSchema)]
#[schema(as = MerchantAmount)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MoneyView {
    /// The amount: a decimal with exactly the digits of its currency.
    #[schema(value_type = String)]
    amount: Amount,
    /// ISO 4217, alphabetic.
    #[schema(pattern = "^(GBP|EUR)$")]
    currency_code: &'static str,
}

/// The items that a payer buys.
#[derive(Serialize, ToSchema)]
#[schema(as = Basket)]
struct BasketView<'a> {
    /// The items.
    items: Vec<ItemView<'a>>,
}

/// An item of a basket.
#[derive(Serialize, ToSchema)]
#[schema(as = BasketItem)]
#[serde(rename_all = "camelCase")]
struct ItemView<'a> {
    /// The name of the item.
    name: &'a str,
    /// The number of units.
    #[schema(minimum = 1, maximum = 100_000)]
    quantity: u32,
    /// The price of one unit.
    #[schema(value_type = String)]
    unit_price: Amount,
    /// The merchant's stock-keeping unit; null if none was sent.
    #[schema(required)]
    sku: Option<&'a str>,
    /// The merchant's id of the product; null if none was sent.
    #[schema(required)]
    product_id: Option<&'a str>,
    /// The tax rate, as sent; null if none was sent.
    #[schema(required)]
    tax_rate: Option<&'a str>,
    /// The URL of an image; null if none was sent. The payment page never loads it.
    #[schema(required, format = "uri")]
    image_url: Option<&'a str>,
}

/// The shipping address and rate.
#[derive(Serialize, ToSchema)]
#[schema(as = Shipping)]
#[serde(rename_all = "camelCase")]
struct ShippingView<'a> {
    /// The name of the recipient.
    recipient_name: &'a str,
    /// The first line of the address.
    address_line1: &'a str,
    /// The second line of the address.
    #[schema(required)]
    address_line2: Option<&'a str>,
    /// The city.
    city: &'a str,
    /// The region.
    #[schema(required)]
    region: Option<&'a str>,
    /// The postcode.
    postcode: &'a str,
    /// ISO 3166-1 alpha-2.
    #[schema(pattern = "^[A-Z]{2}$")]
    country_code: &'a str,
    /// The shipping rate; null if none is known.
    #[schema(required)]
    rate: Option<ShippingRateView<'a>>,
}

/// A shipping rate and its price.
#[derive(Serialize, ToSchema)]
#[schema(as = ShippingRate)]
#[serde(rename_all = "camelCase")]
struct ShippingRateView<'a> {
    /// The name of the rate.
    description: &'a str,
    /// The price of shipping.
    #[schema(value_type = String)]
    amount: Amount,
    /// The merchant's code of the shipping service; null if none was sent.
    #[schema(required)]
    service_code: Option<&'a str>,
}

impl<'a> From<&'a CheckoutSession> for SessionView<'a> {
    fn from(session: &'a CheckoutSession) -> Self {
        let currency = session.amount.currency;
        Self {
            id: session.id.0,
            kind: session.purpose.checkout_type().as_str(),
            status: session.status().as_str(),
            checkout_id: session.purpose.checkout().map(|id| id.0),
            merchant_reference: session.merchant_reference.as_deref(),
            description: session.description.as_deref(),
            amount: session.amount.into(),
            locale: session.locale.as_ref().map(Locale::as_str),
            checkout_url: None,
            return_url: session.return_url.as_ref().map(WebUrl::as_str),
            expires_at: Time(session.expires_at),
            payment_reference: session.payment_reference.as_str(),
            payee_id: session.purpose.payee().map(|id| id.0),
            basket: session.basket.as_ref().map(|basket| BasketView::of(basket, currency)),
            shipping: session.shipping.as_ref().map(|shipping| ShippingView::of(shipping, currency)),
            payment_id: session.state.payment().map(|id| id.0),
            order_id: session.state.order().map(|id| id.0),
            created_at: Time(session.created_at),
            updated_at: Time(session.updated_at),
            completed_at: session.state.completed_at().map(Time),
        }
    }
}

impl SessionView<'_> {
    /// Adds the URL of the payment page.
    pub(crate) fn with_checkout_url(self, checkout_url: String) -> Self {
        Self { checkout_url: Some(checkout_url), ..self }
    }
}

/// The order of a completed SHOPPING session.
#[derive(Serialize, ToSchema)]
#[schema(as = MerchantOrder)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OrderView<'a> {
    /// The id of the order.
    #[schema(value_type = String, format = Uuid)]
    id: Uuid,
    /// The id of the session.
    #[schema(value_type = String, format = Uuid)]
    checkout_session_id: Uuid,
    /// The merchant's reference; null if the session has none.
    #[schema(required)]
    merchant_reference: Option<&'a str>,
    /// The amount that was paid, including shipping.
    amount: MoneyView,
    /// The basket; null if none was sent.
    #[schema(required)]
    basket: Option<BasketView<'a>>,
    /// The shipping address and rate; null if the order has none.
    #[schema(required)]
    shipping: Option<ShippingView<'a>>,
    /// The id of the payment.
    #[schema(required, value_type = Option<String>, format = Uuid)]
    payment_id: Option<Uuid>,
    /// When the session was completed.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    created_at: Option<Time>,
}

impl<'a> OrderView<'a> {
    /// Builds the view of a session's order. `None`: the session has no order.
    pub(crate) fn of(session: &'a CheckoutSession) -> Option<Self> {
        let currency = session.amount.currency;
        Some(Self {
            id: session.state.order()?.0,
            checkout_session_id: session.id.0,
            merchant_reference: session.merchant_reference.as_deref(),
            amount: session.amount.into(),
            basket: session.basket.as_ref().map(|basket| BasketView::of(basket, currency)),
            shipping: session.shipping.as_ref().map(|shipping| ShippingView::of(shipping, currency)),
            payment_id: session.state.payment().map(|id| id.0),
            created_at: session.state.completed_at().map(Time),
        })
    }
}

impl From<Money> for MoneyView {
    fn from(money: Money) -> Self {
        Self { amount: Amount(money), currency_code: money.currency.code() }
    }
}

impl<'a> BasketView<'a> {
    fn of(basket: &'a Basket, currency: Currency) -> Self {
        let item = |item: &'a BasketItem| ItemView {
            name: &item.name,
            quantity: item.quantity.get(),
            unit_price: Amount(Minor(item.unit_price).of(currency)),
            sku: item.sku.as_deref(),
            product_id: item.product_id.as_deref(),
            tax_rate: item.tax_rate.as_deref(),
            image_url: item.image_url.as_deref(),
        };
        Self { items: basket.items().iter().map(item).collect() }
    }
}

impl<'a> ShippingView<'a> {
    fn of(shipping: &'a Shipping, currency: Currency) -> Self {
        let rate = |rate: &'a ShippingRate| ShippingRateView {
            description: &rate.description,
            amount: Amount(Minor(rate.amount).of(currency)),
            service_code: rate.service_code.as_deref(),
        };
        Self {
            recipient_name: &shipping.recipient_name,
            address_line1: &shipping.address_line1,
            address_line2: shipping.address_line2.as_deref(),
            city: &shipping.city,
            region: shipping.region.as_deref(),
            postcode: &shipping.postcode,
            country_code: CountryCode::as_str(&shipping.country_code),
            rate: shipping.rate.as_ref().map(rate),
        }
    }
}
