//! Checkout sessions.

use super::{Amount, DryRunView, Time};
use florin_domain::checkout::{Basket, BasketItem, CheckoutSession, CountryCode, Shipping, ShippingRate};
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
    /// The type of its checkout.
    #[serde(rename = "type")]
    #[schema(pattern = "^(SHOPPING|TOP_UP)$")]
    kind: &'static str,
    #[schema(pattern = "^(OPEN|PROCESSING|COMPLETED|CANCELLED|ABANDONED|EXPIRED)$")]
    status: &'static str,
    /// Its checkout.
    #[schema(required, value_type = Option<String>, format = Uuid)]
    checkout_id: Option<Uuid>,
    /// The merchant's reference.
    #[schema(required)]
    merchant_reference: Option<&'a str>,
    /// What the payer reads about the purchase.
    #[schema(required)]
    description: Option<&'a str>,
    /// The amount to pay, with the shipping.
    amount: MoneyView,
    /// The locale of the page.
    #[schema(required)]
    locale: Option<&'a str>,
    /// The address of the page on which the payer pays. Events do not have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, format = "uri")]
    checkout_url: Option<String>,
    /// Where the payer returns to.
    #[schema(required, format = "uri")]
    return_url: Option<&'a str>,
    /// From this moment on the session can't be paid.
    #[schema(value_type = String, format = DateTime)]
    expires_at: Time,
    /// The reference on the payer's bank statement.
    #[schema(pattern = "^RQ[2-9A-HJ-NP-Z]{8}$")]
    payment_reference: &'a str,
    /// The payee of a `TOP_UP` session.
    #[schema(required, value_type = Option<String>, format = Uuid)]
    payee_id: Option<Uuid>,
    /// What is bought.
    #[schema(required)]
    basket: Option<BasketView<'a>>,
    /// Where and how it is shipped.
    #[schema(required)]
    shipping: Option<ShippingView<'a>>,
    /// The payment that completed the session.
    #[schema(required, value_type = Option<String>, format = Uuid)]
    payment_id: Option<Uuid>,
    /// The order of a completed SHOPPING session.
    #[schema(required, value_type = Option<String>, format = Uuid)]
    order_id: Option<Uuid>,
    #[schema(value_type = String, format = DateTime)]
    created_at: Time,
    #[schema(value_type = String, format = DateTime)]
    updated_at: Time,
    /// When the session was completed.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    completed_at: Option<Time>,
}

/// A session that was paid without a browser, or the dry run of it.
#[derive(Serialize, ToSchema)]
#[schema(as = PayCheckoutSessionAnswer)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PayAnswer<'a> {
    #[serde(flatten)]
    pub(crate) session: SessionView<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub(crate) dry_run: Option<DryRunView>,
}

/// An amount of money.
#[derive(Serialize, ToSchema)]
#[schema(as = MerchantAmount)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MoneyView {
    /// A decimal with the digits of its currency.
    #[schema(value_type = String)]
    amount: Amount,
    /// ISO 4217, alphabetic.
    #[schema(pattern = "^(GBP|EUR)$")]
    currency_code: &'static str,
}

/// What a payer buys.
#[derive(Serialize, ToSchema)]
#[schema(as = Basket)]
struct BasketView<'a> {
    items: Vec<ItemView<'a>>,
}

/// An item of a basket.
#[derive(Serialize, ToSchema)]
#[schema(as = BasketItem)]
#[serde(rename_all = "camelCase")]
struct ItemView<'a> {
    name: &'a str,
    #[schema(minimum = 1, maximum = 100_000)]
    quantity: u32,
    /// The price of one.
    #[schema(value_type = String)]
    unit_price: Amount,
    /// The merchant's stock-keeping unit.
    #[schema(required)]
    sku: Option<&'a str>,
    /// The merchant's product.
    #[schema(required)]
    product_id: Option<&'a str>,
    /// The tax rate, as it was sent.
    #[schema(required)]
    tax_rate: Option<&'a str>,
    /// A picture, which the payment page never loads.
    #[schema(required, format = "uri")]
    image_url: Option<&'a str>,
}

/// Where and how goods are shipped.
#[derive(Serialize, ToSchema)]
#[schema(as = Shipping)]
#[serde(rename_all = "camelCase")]
struct ShippingView<'a> {
    recipient_name: &'a str,
    address_line1: &'a str,
    #[schema(required)]
    address_line2: Option<&'a str>,
    city: &'a str,
    #[schema(required)]
    region: Option<&'a str>,
    postcode: &'a str,
    /// ISO 3166, two letters.
    #[schema(pattern = "^[A-Z]{2}$")]
    country_code: &'a str,
    /// The rate of the shipping, once it is known.
    #[schema(required)]
    rate: Option<RateView<'a>>,
}

/// A way of shipping, and its price.
#[derive(Serialize, ToSchema)]
#[schema(as = ShippingRate)]
#[serde(rename_all = "camelCase")]
struct RateView<'a> {
    description: &'a str,
    #[schema(value_type = String)]
    amount: Amount,
    /// The merchant's code of the service.
    #[schema(required)]
    service_code: Option<&'a str>,
}

impl<'a> From<&'a CheckoutSession> for SessionView<'a> {
    fn from(session: &'a CheckoutSession) -> Self {
        let currency = session.amount.currency;
        Self {
            id: session.id.0,
            kind: session.purpose.checkout_type().as_str(),
            status: session.status.as_str(),
            checkout_id: session.purpose.checkout().map(|id| id.0),
            merchant_reference: session.merchant_reference.as_deref(),
            description: session.description.as_deref(),
            amount: session.amount.into(),
            locale: session.locale.as_deref(),
            checkout_url: None,
            return_url: session.return_url.as_deref(),
            expires_at: Time(session.expires_at),
            payment_reference: session.payment_reference.as_str(),
            payee_id: session.purpose.payee().map(|id| id.0),
            basket: session.basket.as_ref().map(|basket| BasketView::of(basket, currency)),
            shipping: session.shipping.as_ref().map(|shipping| ShippingView::of(shipping, currency)),
            payment_id: session.payment.map(|id| id.0),
            order_id: session.order.map(|id| id.0),
            created_at: Time(session.created_at),
            updated_at: Time(session.updated_at),
            completed_at: session.completed_at.map(Time),
        }
    }
}

impl SessionView<'_> {
    /// Adds the address of the page.
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
    /// Its session.
    #[schema(value_type = String, format = Uuid)]
    checkout_session_id: Uuid,
    /// The merchant's reference.
    #[schema(required)]
    merchant_reference: Option<&'a str>,
    /// What was paid, with the shipping.
    amount: MoneyView,
    /// What was bought.
    #[schema(required)]
    basket: Option<BasketView<'a>>,
    /// Where and how it is shipped.
    #[schema(required)]
    shipping: Option<ShippingView<'a>>,
    /// The payment.
    #[schema(required, value_type = Option<String>, format = Uuid)]
    payment_id: Option<Uuid>,
    #[schema(required, value_type = Option<String>, format = DateTime)]
    created_at: Option<Time>,
}

impl<'a> OrderView<'a> {
    /// Shows the order of a session. `None`: it has none.
    pub(crate) fn of(session: &'a CheckoutSession) -> Option<Self> {
        let currency = session.amount.currency;
        Some(Self {
            id: session.order?.0,
            checkout_session_id: session.id.0,
            merchant_reference: session.merchant_reference.as_deref(),
            amount: session.amount.into(),
            basket: session.basket.as_ref().map(|basket| BasketView::of(basket, currency)),
            shipping: session.shipping.as_ref().map(|shipping| ShippingView::of(shipping, currency)),
            payment_id: session.payment.map(|id| id.0),
            created_at: session.completed_at.map(Time),
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
        let rate = |rate: &'a ShippingRate| RateView {
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
