//! A shop: a world with a merchant and its checkout, and the actions of payers.

use serde_json::{Value, json};

use super::assert::text;
use super::{Answer, BANKS, CHECKOUTS, Client, PAYEES, SETTLEMENT_ACCOUNTS, Server, expect_json};

pub(crate) const SESSIONS: &str = "/v2/merchant/checkout-sessions";
pub(crate) const TOP_UPS: &str = "/v2/merchant/top-ups";
pub(crate) const PAYMENTS: &str = "/v2/merchant/payments";
pub(crate) const REFUNDS: &str = "/v2/merchant/refunds";
pub(crate) const ORDERS: &str = "/v2/merchant/orders";

/// The same address as [`shipping_address`], as the fields of the payment pages.
pub(crate) const SHIPPING_FIELDS: [(&str, &str); 7] = [
    ("recipientName", "Ada Lovelace"),
    ("addressLine1", "12 St James's Square"),
    ("addressLine2", ""),
    ("city", "London"),
    ("region", ""),
    ("postcode", "SW1Y 4JH"),
    ("countryCode", "GB"),
];

/// Creates a world without demo data, whose merchant has every permission and a SHOPPING checkout in pounds. The
/// settlement account of the merchant has a bank that pays refunds. Returns the server, a client with the world's key,
/// and the id of the checkout.
pub(crate) fn shop() -> (Server, Client, String) {
    let server = Server::sandbox();
    let (_, client) = super::worlds::create_world(&server, json!({"template": "empty"}));
    let checkout = open_shop(&client);
    (server, client, checkout)
}

/// Gives the merchant of an account every permission, and a SHOPPING checkout in pounds. Returns the checkout's id.
pub(crate) fn open_shop(client: &Client) -> String {
    let all = json!({"canCreateTopUpCheckouts": true, "reconciliation": {"enabled": true}});
    expect_json(&client.call("PATCH", "/v2/sandbox/merchant").json(all.to_string()).send(), 200);
    let details = json!({"type": "SORT_CODE", "sortCode": "200000", "accountNumber": "55779911"});
    let account = json!({"currencyCode": "GBP", "bankDetails": details});
    let account = expect_json(&client.post(SETTLEMENT_ACCOUNTS, account.to_string()), 201);
    let path = format!("{SETTLEMENT_ACCOUNTS}/{}", text(&account, "/id"));
    let bank = json!({"bankId": bank(client)});
    expect_json(&client.call("PATCH", &path).json(bank.to_string()).send(), 200);
    let new = json!({"type": "SHOPPING", "name": "Web shop", "currencyCode": "GBP",
        "returnUrl": "https://shop.example/paid"});
    text(&expect_json(&client.post(CHECKOUTS, new.to_string()), 201), "/id").to_owned()
}

/// Returns the id of a bank that pays refunds.
pub(crate) fn bank(client: &Client) -> String {
    let banks = expect_json(&client.get(BANKS), 200)["rows"].clone();
    let bank = banks.as_array().unwrap().iter().find(|bank| bank["supportsRefunds"] == true);
    text(bank.unwrap(), "/id").to_owned()
}

/// Returns a request for a session of 12.50 pounds, with this idempotency key.
pub(crate) fn new_session(checkout: &str, key: &str) -> Value {
    json!({"type": "SHOPPING", "checkoutId": checkout, "idempotencyKey": key, "merchantReference": "order-7",
        "amount": {"amount": "12.50", "currencyCode": "GBP"}})
}

/// Returns a basket of 12.50.
pub(crate) fn basket() -> Value {
    json!({"items": [{"name": "Mug", "quantity": 2, "unitPrice": "6.25", "sku": "MUG-1"}]})
}

/// Returns a complete shipping address.
pub(crate) fn shipping_address() -> Value {
    json!({"recipientName": "Ada Lovelace", "addressLine1": "12 St James's Square", "city": "London",
        "postcode": "SW1Y 4JH", "countryCode": "GB"})
}

/// Performs a payer's action on a session, without the page.
pub(crate) fn act_as_payer(client: &Client, session: &Value, body: &Value) -> Answer {
    client.post(&format!("/v2/sandbox/checkout-sessions/{}/pay", text(session, "/id")), body.to_string())
}

/// Creates a session with this key, pays it, and returns it.
pub(crate) fn sold(client: &Client, checkout: &str, key: &str) -> Value {
    let session = expect_json(&client.post(SESSIONS, new_session(checkout, key).to_string()), 201);
    let body = json!({"bankId": bank(client), "outcome": "approve"});
    expect_json(&act_as_payer(client, &session, &body), 200)
}

/// Creates a refund of 1.00 pounds of a payment.
pub(crate) fn refund_one_pound(client: &Client, payment_id: &str) -> Value {
    let body = json!({"amount": {"amount": "1.00", "currencyCode": "GBP"}});
    expect_json(&client.post(&format!("{PAYMENTS}/{payment_id}/refunds"), body.to_string()), 201)
}

/// Creates a payee in pounds.
pub(crate) fn create_payee(client: &Client) -> Value {
    let details = json!({"type": "SORT_CODE", "sortCode": "204000", "accountNumber": "55779903"});
    let payee = json!({"name": "Zoë", "currencyCode": "GBP", "bankDetails": details});
    expect_json(&client.post(PAYEES, payee.to_string()), 201)
}
