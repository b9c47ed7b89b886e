//! Every operation of merchants: its scope, the profile that it needs, and the accounts that it reaches.

use serde_json::{Value, json};

use crate::support::assert::text;
use crate::support::logo::{LOGO, png, set_logo};
use crate::support::management::budget;
use crate::support::shop::{
    ORDERS, PAYMENTS, REFUNDS, SESSIONS, TOP_UPS, act_as_payer, bank, create_payee, new_session, refund_one_pound,
    shop, sold,
};
use crate::support::worlds::create_world;
use crate::support::{ABSENT, Answer, CHECKOUTS, Client, PAYEES, SETTLEMENT_ACCOUNTS, expect_fault, expect_json};

/// Returns the method, path and scope of every operation of merchants except the bank list. No object has the id in the
/// paths.
pub(crate) fn operations() -> Vec<(&'static str, String, &'static str)> {
    let path_of = |list: &str, rest: &str| format!("{list}/{ABSENT}{rest}");
    let sandbox = "/v2/sandbox/merchant";
    vec![
        ("GET", "/v2/merchant".to_owned(), "merchant:profile:read:any"),
        ("PATCH", "/v2/merchant".to_owned(), "merchant:profile:write:any"),
        ("PATCH", "/v2/merchant/logo".to_owned(), "merchant:profile:write:any"),
        ("GET", CHECKOUTS.to_owned(), "merchant:checkouts:read:any"),
        ("POST", CHECKOUTS.to_owned(), "merchant:checkouts:write:any"),
        ("GET", path_of(CHECKOUTS, ""), "merchant:checkouts:read:any"),
        ("PATCH", path_of(CHECKOUTS, ""), "merchant:checkouts:write:any"),
        ("GET", SETTLEMENT_ACCOUNTS.to_owned(), "merchant:settlement-accounts:read:any"),
        ("POST", SETTLEMENT_ACCOUNTS.to_owned(), "merchant:settlement-accounts:write:any"),
        ("GET", path_of(SETTLEMENT_ACCOUNTS, ""), "merchant:settlement-accounts:read:any"),
        ("PATCH", path_of(SETTLEMENT_ACCOUNTS, ""), "merchant:settlement-accounts:write:any"),
        ("DELETE", path_of(SETTLEMENT_ACCOUNTS, ""), "merchant:settlement-accounts:write:any"),
        ("GET", PAYEES.to_owned(), "merchant:payees:read:any"),
        ("POST", PAYEES.to_owned(), "merchant:payees:write:any"),
        ("GET", path_of(PAYEES, ""), "merchant:payees:read:any"),
        ("GET", SESSIONS.to_owned(), "merchant:checkout-sessions:read:any"),
        ("POST", SESSIONS.to_owned(), "merchant:checkout-sessions:write:any"),
        ("GET", path_of(SESSIONS, ""), "merchant:checkout-sessions:read:any"),
        ("POST", path_of(SESSIONS, "/cancel"), "merchant:checkout-sessions:write:any"),
        ("POST", TOP_UPS.to_owned(), "merchant:top-ups:write:any"),
        ("GET", path_of(TOP_UPS, ""), "merchant:top-ups:read:any"),
        ("POST", path_of(TOP_UPS, "/cancel"), "merchant:top-ups:write:any"),
        ("GET", PAYMENTS.to_owned(), "merchant:payments:read:any"),
        ("GET", path_of(PAYMENTS, ""), "merchant:payments:read:any"),
        ("GET", format!("{PAYMENTS}/export"), "merchant:payments:read:any"),
        ("POST", path_of(PAYMENTS, "/refunds"), "merchant:refunds:write:any"),
        ("GET", path_of(REFUNDS, ""), "merchant:refunds:read:any"),
        ("GET", path_of(ORDERS, ""), "merchant:orders:read:any"),
        ("PATCH", sandbox.to_owned(), "merchant:simulate:any"),
        ("POST", format!("{sandbox}/settlement-accounts/{ABSENT}/approval"), "merchant:simulate:any"),
        ("POST", format!("{sandbox}/payees/{ABSENT}/approval"), "merchant:simulate:any"),
        ("POST", path_of("/v2/sandbox/checkout-sessions", "/pay"), "merchant:simulate:any"),
        ("POST", path_of("/v2/sandbox/refunds", "/authorise"), "merchant:simulate:any"),
    ]
}

/// Returns a valid body of an operation.
fn body(method: &str, path: &str) -> Value {
    let details = json!({"type": "SORT_CODE", "sortCode": "200000", "accountNumber": "55779911"});
    let account = json!({"name": "x", "currencyCode": "GBP", "bankDetails": details});
    let amount = json!({"amount": "1.00", "currencyCode": "GBP"});
    match path {
        _ if method == "PATCH" || path.ends_with("/cancel") => json!({}),
        CHECKOUTS => json!({"type": "SHOPPING", "name": "x", "currencyCode": "GBP", "returnUrl": "https://x.example"}),
        SETTLEMENT_ACCOUNTS | PAYEES => account,
        SESSIONS => new_session(ABSENT, "1"),
        TOP_UPS => json!({"budgetId": ABSENT, "amount": amount, "idempotencyKey": "1"}),
        _ if path.ends_with("/refunds") => json!({ "amount": amount }),
        _ if path.ends_with("/approval") => json!({"approvalStatus": "APPROVED"}),
        _ if path.ends_with("/pay") => json!({"bankId": "0".repeat(32), "outcome": "approve"}),
        _ if path.ends_with("/authorise") => json!({"outcome": "approve"}),
        _ => panic!("no body for {method} {path}"),
    }
}

/// Sends a request, with the body unless the method is GET or DELETE.
pub(crate) fn send(client: &Client, method: &str, path: &str, body: &str) -> Answer {
    let call = client.call(method, path);
    if matches!(method, "GET" | "DELETE") { call.send() } else { call.json(body).send() }
}

/// Expects 404 from every operation of an account without an active profile. The exception is the operation of the
/// sandbox that creates the profile.
pub(crate) fn expect_no_merchant(client: &Client) {
    let mut count = 0;
    for (method, path, _) in operations() {
        let answer = match path.as_str() {
            "/v2/sandbox/merchant" => continue,
            LOGO => set_logo(client, &png()),
            path if matches!(method, "GET" | "DELETE") => send(client, method, path, ""),
            path => send(client, method, path, &body(method, path).to_string()),
        };
        expect_fault(&answer, 404, "query.accountId", "not_found");
        count += 1;
    }
    assert_eq!(count, 32);
}

/// The objects of a shop: a paid session with a refund, and a top-up of a budget.
struct Objects {
    session: Value,
    refund: Value,
    top_up: Value,
    budget: String,
    payee: Value,
}

fn create_objects(client: &Client, checkout: &str) -> Objects {
    let session = sold(client, checkout, "1");
    let refund = refund_one_pound(client, text(&session, "/paymentId"));
    let amount = json!({"amount": "1.00", "currencyCode": "GBP"});
    let budget = budget(client, "Float");
    let top_up = json!({"budgetId": budget, "amount": amount, "idempotencyKey": "1"});
    let top_up = expect_json(&client.post(TOP_UPS, top_up.to_string()), 201);
    let payee = create_payee(client);
    Objects { session, refund, top_up, budget, payee }
}

#[test]
fn payments_refunds_orders_and_top_ups_of_other_accounts_are_absent() {
    let (server, client, checkout) = shop();
    let own = create_objects(&client, &checkout);
    let other = create_world(&server, json!({"template": "demo"})).1;
    let payment = format!("{PAYMENTS}/{}", text(&own.session, "/paymentId"));
    let refund = format!("{REFUNDS}/{}", text(&own.refund, "/id"));
    let order = format!("{ORDERS}/{}", text(&own.session, "/orderId"));
    let top_up = format!("{TOP_UPS}/{}", text(&own.top_up, "/id"));
    let read = || [&payment, &refund, &order, &top_up].map(|path| expect_json(&client.get(path), 200));
    let before = read();
    for (path, named) in
        [(&payment, "path.paymentId"), (&refund, "path.refundId"), (&order, "path.orderId"), (&top_up, "path.topUpId")]
    {
        expect_fault(&other.get(path), 404, named, "not_found");
    }
    let approve = json!({"outcome": "approve"}).to_string();
    let amount = json!({"amount": {"amount": "1.00", "currencyCode": "GBP"}}).to_string();
    for (path, body, named) in [
        (format!("{payment}/refunds"), amount.as_str(), "path.paymentId"),
        (format!("{top_up}/cancel"), "", "path.topUpId"),
        (format!("/v2/sandbox/refunds/{}/authorise", text(&own.refund, "/id")), approve.as_str(), "path.refundId"),
    ] {
        expect_fault(&other.post(&path, body), 404, named, "not_found");
    }
    let pay = json!({"bankId": bank(&client), "outcome": "approve"});
    expect_fault(&act_as_payer(&other, &own.top_up, &pay), 404, "path.checkoutSessionId", "not_found");
    for filter in [
        format!("checkoutSessionId={}", text(&own.session, "/id")),
        format!("refundedPaymentId={}", text(&own.session, "/paymentId")),
    ] {
        let found = other.get(&format!("{PAYMENTS}?accountId={}&{filter}", other.account));
        assert_eq!(expect_json(&found, 200)["count"], 0, "{filter}");
        let found = client.get(&format!("{PAYMENTS}?accountId={}&{filter}", client.account));
        assert!(expect_json(&found, 200)["count"].as_i64() >= Some(1), "{filter}");
    }
    assert_eq!(read(), before);
}

#[test]
fn nothing_is_created_with_the_objects_of_other_accounts() {
    let (server, client, checkout) = shop();
    let own = create_objects(&client, &checkout);
    let other = create_world(&server, json!({"template": "demo"})).1;
    let create = |path: &str, body: &Value| other.post(path, body.to_string());
    expect_fault(&create(SESSIONS, &new_session(&checkout, "1")), 404, "body.checkoutId", "not_found");
    let checkouts = format!("{CHECKOUTS}?accountId={}&type=TOP_UP&status=ACTIVE", other.account);
    let rows = expect_json(&other.get(&checkouts), 200)["rows"].clone();
    let pounds = rows.as_array().unwrap().iter().find(|row| row["currencyCode"] == "GBP").unwrap();
    let mut to_payee = new_session(text(pounds, "/id"), "1");
    (to_payee["type"], to_payee["payeeId"]) = (json!("TOP_UP"), own.payee["id"].clone());
    expect_fault(&create(SESSIONS, &to_payee), 404, "body.payeeId", "not_found");
    let amount = json!({"amount": "1.00", "currencyCode": "GBP"});
    let top_up = json!({"budgetId": own.budget, "amount": amount, "idempotencyKey": "2"});
    expect_fault(&create(TOP_UPS, &top_up), 404, "body.budgetId", "not_found");
}
