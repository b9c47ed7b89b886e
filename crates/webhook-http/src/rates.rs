//! Loads shipping rates from servers of merchants.

use crate::bounded_body::{BodyError, bounded_body};
use crate::client::{GuardedClient, SenderError, SenderSettings};
use crate::request_slots::RequestSlots;
use async_trait::async_trait;
use florin_domain::checkout::{
    BasketItem, CheckoutSession, OfferedRate, OfferedRates, RateDescription, ServiceCode, Shipping,
};
use florin_domain::fault::Flaw;
use florin_domain::ids::{AccountId, ClientId};
use florin_domain::money::{Currency, DecimalAmount, Minor};
use florin_ports::{ShippingRates, ShippingRatesUnavailable};
use reqwest::header::HeaderMap;
use serde::Deserialize;
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::timeout;

/// Maximum size of a response, in bytes.
const BODY_MAX: usize = 64 * 1024;
/// Maximum number of concurrent requests of all accounts. A payer waits for each.
const REQUESTS_MAX: usize = 64;
/// Maximum number of concurrent requests of one account, so that its slow server leaves places for other accounts.
const REQUESTS_OF_ACCOUNT_MAX: usize = 8;
/// Maximum number of concurrent lookups of host names for one client. A lookup can outlast the request that began it.
const LOOKUPS_OF_CLIENT_MAX: usize = 8;

/// Loads shipping rates over HTTP.
pub struct HttpShippingRates {
    client: GuardedClient,
    time_limit: Duration,
    slots: RequestSlots,
}

impl HttpShippingRates {
    /// The time limit of a request, including the body of the response.
    pub const TIME_LIMIT: Duration = Duration::from_secs(5);
    /// Maximum number of concurrent lookups of host names for all clients. It is small, because a lookup blocks a
    /// thread on which requests of the API read the store.
    pub const LOOKUPS_MAX: usize = 64;

    /// Creates the HTTP client. Reads the certificate authorities of the machine. The time limit includes the body of
    /// the response.
    pub fn new(settings: SenderSettings) -> Result<Self, SenderError> {
        let time_limit = settings.time_limit;
        let slots = RequestSlots::new(REQUESTS_MAX, REQUESTS_OF_ACCOUNT_MAX);
        Ok(Self { client: GuardedClient::new(settings, LOOKUPS_OF_CLIENT_MAX)?, time_limit, slots })
    }

    async fn request(
        &self,
        (client, account): (ClientId, &AccountId),
        url: &str,
        body: String,
    ) -> Result<Vec<u8>, ShippingRatesUnavailable> {
        let _slot = self.slots.take(account).ok_or_else(|| unavailable("too many requests at once"))?;
        let answer = async {
            let response = self.client.post(url, HeaderMap::new(), body, Some(client)).await;
            let response = response.map_err(|error| unavailable(error.as_str()))?;
            if !response.status().is_success() {
                return Err(unavailable(&format!("status {}", response.status().as_u16())));
            }
            bounded_body(response, BODY_MAX).await.map_err(|error| match error {
                BodyError::EndedEarly => unavailable("the answer ended early"),
                BodyError::TooLarge => unavailable("the answer is larger than 64 KiB"),
            })
        };
        timeout(self.time_limit, answer).await.unwrap_or_else(|_| Err(unavailable("no answer in time")))
    }
}

#[async_trait]
impl ShippingRates for HttpShippingRates {
    async fn load(
        &self,
        client: ClientId,
        session: &CheckoutSession,
    ) -> Result<OfferedRates, ShippingRatesUnavailable> {
        let url = session.options().and_then(|options| options.dynamic_rates_url.as_ref());
        let (Some(url), Some(destination)) = (url, &session.shipping) else {
            return Err(unavailable("the session has no address, or no URL of shipping rates"));
        };
        let body = request_body(session, destination).to_string();
        let answer = self.request((client, &session.account), url.as_str(), body).await?;
        let rates: Vec<Rate> = serde_json::from_slice(&answer).map_err(|error| unavailable(&malformed(&error)))?;
        let rates: Result<Vec<_>, Flaw> = rates.into_iter().map(|rate| rate.read(session.amount.currency)).collect();
        let offered = rates.and_then(|rates| OfferedRates::new(rates, session));
        offered.map_err(|flaw| unavailable(&flaw.message))
    }
}

fn unavailable(reason: &str) -> ShippingRatesUnavailable {
    ShippingRatesUnavailable(reason.to_owned())
}

/// Returns a message that says where a response is not a valid list of rates. The message quotes nothing from the
/// response, which can be long or contain the payer's address.
fn malformed(error: &serde_json::Error) -> String {
    format!(
        "the answer is not a list of rates ({:?}, line {}, column {})",
        error.classify(),
        error.line(),
        error.column()
    )
}

/// Reads a service code. Refuses codes that the form of a payment page would not return unchanged: with spaces at the
/// ends, which are trimmed, or with characters other than visible ASCII and spaces.
fn service_code(text: String) -> Result<String, Flaw> {
    let code = ServiceCode::parse(text)?.into_string();
    let is_returned_unchanged =
        code.trim() == code && code.chars().all(|letter| letter == ' ' || letter.is_ascii_graphic());
    if is_returned_unchanged {
        Ok(code)
    } else {
        Err(Flaw::format("must have only visible ASCII characters, and no spaces at its ends"))
    }
}

/// Returns the body of the request. Its members have the names that the API uses.
fn request_body(session: &CheckoutSession, to: &Shipping) -> Value {
    let currency = session.amount.currency;
    let item = |item: &BasketItem| {
        json!({
            "name": item.name,
            "quantity": item.quantity.get(),
            "unitPrice": Minor(item.unit_price).of(currency).to_string(),
            "sku": item.sku,
            "productId": item.product_id,
            "taxRate": item.tax_rate,
            "imageUrl": item.image_url,
        })
    };
    let items = session.basket.as_ref().map(|basket| basket.items().iter().map(item).collect::<Vec<_>>());
    json!({"rate": {
        "destinationAddress": {
            "recipientName": to.recipient_name,
            "addressLine1": to.address_line1,
            "addressLine2": to.address_line2,
            "city": to.city,
            "region": to.region,
            "postcode": to.postcode,
            "countryCode": to.country_code.as_str(),
        },
        "basket": items.map(|items| json!({"items": items})),
        "merchantReference": session.merchant_reference,
        "checkoutSessionId": session.id.0.to_string(),
    }})
}

/// A rate in a response. Other members are ignored.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Rate {
    description: String,
    amount: String,
    service_code: String,
    pre_selected: Option<bool>,
    /// Optional. A response that names another currency than the session's is not valid.
    currency_code: Option<String>,
}

impl Rate {
    fn read(self, currency: Currency) -> Result<OfferedRate, Flaw> {
        if self.currency_code.is_some_and(|code| code != currency.code()) {
            return Err(Flaw::value("must be in the currency of the session"));
        }
        Ok(OfferedRate {
            service_code: service_code(self.service_code)?,
            description: RateDescription::parse(self.description)?.into_string(),
            amount: DecimalAmount::from_decimal_string(&self.amount)?.to_minor(currency)?,
            is_preselected: self.pre_selected.unwrap_or_default(),
        })
    }
}
