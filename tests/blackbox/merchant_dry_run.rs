//! `dryRun=true` on payments of merchants: the answer of the real call, without its effect.

use serde_json::{Value, json};

use crate::openapi::assert_documented;
use crate::support::assert::text;
use crate::support::management::budget;
use crate::support::shop::{PAYMENTS, REFUNDS, SESSIONS, TOP_UPS, bank, new_session, shop, sold};
use crate::support::worlds::set_clock;
use crate::support::{Client, expect_fault, expect_json};

const PAY: &str = "/v2/sandbox/checkout-sessions/{checkoutSessionId}/pay";
const REFUND: &str = "/v2/merchant/payments/{paymentId}/refunds";
const AUTHORISE: &str = "/v2/sandbox/refunds/{refundId}/authorise";

/// Returns the visible state of the merchant.
fn visible_state(client: &Client, budget: &str) -> Vec<Value> {
    let account = &client.account;
    let paths = [
        format!("{SESSIONS}?accountId={account}"),
        format!("{PAYMENTS}?accountId={account}"),
        format!("/v2/activity/{account}?limit=1000"),
        format!("/v2/events?accountId={account}"),
        format!("/v2/budgets/{budget}?accountId={account}&include=balance"),
        format!("/v2/sandbox/invariants?accountId={account}"),
    ];
    paths.iter().map(|path| expect_json(&client.get(path), 200)).collect()
}

/// Sends a dry run, which must change nothing, then the real call. Returns both answers.
fn dry_run_and_call(
    client: &Client,
    (documented_path, path, budget): (&str, &str, &str),
    body: &Value,
) -> (Value, Value) {
    let before = visible_state(client, budget);
    let preview = client.post(&format!("{path}?accountId={}&dryRun=true", client.account), body.to_string());
    assert_eq!(visible_state(client, budget), before, "{path}");
    let real = client.post(path, body.to_string());
    for answer in [&preview, &real] {
        assert_documented("post", documented_path, answer);
    }
    assert_eq!(preview.status, real.status, "{preview:?} {real:?}");
    (preview.json(), real.json())
}

/// Returns the pools and amounts of the postings of a dry run.
fn postings(preview: &Value) -> Vec<(&str, &str)> {
    let postings = preview["dryRun"]["postings"].as_array().unwrap();
    postings.iter().map(|posting| (text(posting, "/pool"), text(posting, "/amount"))).collect()
}

#[test]
fn dry_runs_predict_payments_and_refunds() {
    let (_server, client, checkout) = shop();
    set_clock(&client, json!({"freeze": true}));
    let float = budget(&client, "Float");
    let visit = json!({"bankId": bank(&client), "outcome": "approve"});
    let session = expect_json(&client.post(SESSIONS, new_session(&checkout, "1").to_string()), 201);
    let path = format!("/v2/sandbox/checkout-sessions/{}/pay", text(&session, "/id"));
    let (preview, real) = dry_run_and_call(&client, (PAY, &path, &float), &visit);
    assert_eq!(postings(&preview), [("payer_banks", "-12.50"), ("merchant_settled", "12.50")]);
    assert_eq!((&preview["status"], &preview["checkoutUrl"]), (&real["status"], &session["checkoutUrl"]));
    assert_ne!(preview["paymentId"], real["paymentId"]);

    let new = json!({"budgetId": float, "amount": {"amount": "40.00", "currencyCode": "GBP"}, "idempotencyKey": "2"});
    let top_up = expect_json(&client.post(TOP_UPS, new.to_string()), 201);
    let path = format!("/v2/sandbox/checkout-sessions/{}/pay", text(&top_up, "/id"));
    let (preview, _) = dry_run_and_call(&client, (PAY, &path, &float), &visit);
    assert_eq!(postings(&preview), [("inbound_payments", "-40.00"), ("available", "40.00")]);
    let balance = &preview["dryRun"]["balances"][0];
    assert_eq!((&balance["budgetId"], &balance["available"]), (&json!(float), &json!("40.00")));

    let path = format!("{PAYMENTS}/{}/refunds", text(&real, "/paymentId"));
    let body = json!({"amount": {"amount": "2.50", "currencyCode": "GBP"}});
    let (preview, refund) = dry_run_and_call(&client, (REFUND, &path, &float), &body);
    assert_eq!((postings(&preview), &preview["authorisationUrl"]), (vec![], &Value::Null));
    assert!(refund["authorisationUrl"].is_string(), "{refund}");
    let path = format!("/v2/sandbox/refunds/{}/authorise", text(&refund, "/id"));
    let (preview, real) = dry_run_and_call(&client, (AUTHORISE, &path, &float), &json!({"outcome": "approve"}));
    assert_eq!(postings(&preview), [("merchant_settled", "-2.50"), ("payer_banks", "2.50")]);
    assert_eq!((&preview["id"], &preview["status"]), (&real["id"], &real["status"]));
}

#[test]
fn a_dry_run_refuses_as_the_real_call_and_records_nothing() {
    let (_server, client, checkout) = shop();
    let paid = text(&sold(&client, &checkout, "1"), "/paymentId").to_owned();
    let refund = |amount: &str, dry: &str| {
        let body = json!({"amount": {"amount": amount, "currencyCode": "GBP"}});
        let path = format!("{PAYMENTS}/{paid}/refunds?accountId={}{dry}", client.account);
        client.call("POST", &path).header("idempotency-key", "once").json(body.to_string()).send()
    };
    expect_fault(&refund("12.51", "&dryRun=true"), 409, "body.amount", "invalid_state");
    let preview = expect_json(&refund("12.50", "&dryRun=true"), 201);
    expect_fault(&client.get(&format!("{REFUNDS}/{}", text(&preview, "/id"))), 404, "path.refundId", "not_found");
    let real = refund("1.00", "");
    assert!(real.status == 201 && !real.replayed(), "{real:?}");
}
