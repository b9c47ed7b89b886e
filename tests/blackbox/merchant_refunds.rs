//! Refunds of payments, their authorisation, the export, and top-ups of budgets.

use serde_json::{Value, json};

use crate::openapi::assert_documented;
use crate::support::assert::{expect_invariants, members, text, uuid};
use crate::support::busy::retry_while_overloaded;
use crate::support::management::{budget, with};
use crate::support::shop::{
    PAYMENTS, REFUNDS, SESSIONS, TOP_UPS, act_as_payer, bank, create_payee, new_session, shop, sold,
};
use crate::support::worlds::set_clock;
use crate::support::{
    ABSENT, Answer, BANKS, CHECKOUTS, Client, SETTLEMENT_ACCOUNTS, expect_fault, expect_json, together,
};

const OF_PAYMENT: &str = "/v2/merchant/payments/{paymentId}/refunds";
const SINGLE: &str = "/v2/merchant/refunds/{refundId}";
const AUTHORISE: &str = "/v2/sandbox/refunds/{refundId}/authorise";
const TOP_UP: &str = "/v2/merchant/top-ups/{topUpId}";

fn refund(client: &Client, payment: &Value, amount: &str) -> Answer {
    let path = format!("{PAYMENTS}/{}/refunds", payment.as_str().unwrap());
    let body = json!({"amount": {"amount": amount, "currencyCode": "GBP"}, "reason": "Returned"});
    let answer = client.post(&path, body.to_string());
    assert_documented("post", OF_PAYMENT, &answer);
    answer
}

fn authorise(client: &Client, refund: &Value, body: &Value) -> Answer {
    let answer = client.post(&format!("/v2/sandbox/refunds/{}/authorise", text(refund, "/id")), body.to_string());
    assert_documented("post", AUTHORISE, &answer);
    answer
}

fn find(client: &Client, refund: &Value) -> Value {
    let answer = client.get(&format!("{REFUNDS}/{}", text(refund, "/id")));
    assert_documented("get", SINGLE, &answer);
    expect_json(&answer, 200)
}

fn payment(client: &Client, id: &Value) -> Value {
    expect_json(&client.get(&format!("{PAYMENTS}/{}", id.as_str().unwrap())), 200)
}

#[test]
fn a_refund_is_authorised_and_paid() {
    let (_server, client, checkout) = shop();
    let session = sold(&client, &checkout, "1");
    let paid = &session["paymentId"];
    assert_eq!(payment(&client, paid)["isRefundable"], true);
    let created = expect_json(&refund(&client, paid, "2.50"), 201);
    let names = ["amount", "authorisationUrl", "completedAt", "createdAt", "id", "paymentId", "reason", "status"];
    assert_eq!(members(&created), names);
    uuid(&created["id"]);
    assert_eq!((&created["status"], &created["paymentId"]), (&json!("AWAITING_AUTHORISATION"), paid));
    assert!(text(&created, "/authorisationUrl").contains("/pay/refunds/"), "{created}");
    assert_eq!(find(&client, &created)["authorisationUrl"], Value::Null);
    let completed = expect_json(&authorise(&client, &created, &json!({"outcome": "approve"})), 200);
    assert_eq!((&completed["status"], &find(&client, &created)), (&json!("COMPLETED"), &completed));
    expect_fault(&authorise(&client, &created, &json!({"outcome": "approve"})), 409, "path.refundId", "invalid_state");
    let path = format!("{PAYMENTS}?accountId={}&refundedPaymentId={}", client.account, paid.as_str().unwrap());
    let rows = expect_json(&client.get(&path), 200);
    let row = &rows["rows"][0];
    assert_eq!((&rows["count"], &row["type"], &row["refundId"]), (&json!(1), &json!("REFUND"), &created["id"]));
    assert_eq!((&row["orderId"], &row["isRefundable"]), (&session["orderId"], &json!(false)));
    let summary = client.get(&format!("/v2/merchant?accountId={}&include=paymentsSummary", client.account));
    let expected = json!([{"currencyCode": "GBP", "paidAmount": "12.50", "refundedAmount": "2.50", "count": 1}]);
    assert_eq!(expect_json(&summary, 200)["paymentsSummary"], expected);
}

#[test]
fn of_100_refunds_of_1_on_a_payment_of_10_exactly_10_are_created() {
    let (_server, client, checkout) = shop();
    let paid = sold_for(&client, &checkout, "10.00");
    let answers = together(100, |_| retry_while_overloaded(|| refund(&client, &paid, "1.00")));
    let created = answers.iter().filter(|answer| answer.status == 201).count();
    assert_eq!(created, 10, "{answers:?}");
    for refused in answers.iter().filter(|answer| answer.status != 201) {
        let fault = expect_fault(refused, 409, "body.amount", "invalid_state");
        assert!(fault.message.contains("0.00 GBP"), "{}", fault.message);
    }
    let path = format!("{PAYMENTS}?accountId={}&refundedPaymentId={}", client.account, paid.as_str().unwrap());
    assert_eq!(expect_json(&client.get(&path), 200)["count"], 10);
    assert_eq!(payment(&client, &paid)["isRefundable"], false);
    let one = answers.iter().find(|answer| answer.status == 201).unwrap().json();
    assert_eq!(expect_json(&authorise(&client, &one, &json!({"outcome": "reject"})), 200)["status"], "CANCELLED");
    expect_json(&refund(&client, &paid, "1.00"), 201);
    expect_fault(&refund(&client, &paid, "0.01"), 409, "body.amount", "invalid_state");
    expect_invariants(&client);
}

#[test]
fn refunds_never_exceed_the_payment() {
    let (_server, client, checkout) = shop();
    let paid = sold(&client, &checkout, "1")["paymentId"].clone();
    expect_json(&refund(&client, &paid, "12.00"), 201);
    let fault = expect_fault(&refund(&client, &paid, "0.51"), 409, "body.amount", "invalid_state");
    assert!(fault.message.contains("0.50 GBP"), "{}", fault.message);
    expect_json(&refund(&client, &paid, "0.50"), 201);
    expect_fault(&refund(&client, &paid, "0.01"), 409, "body.amount", "invalid_state");
    let expensive = sold_for(&client, &checkout, "2000.00");
    let fault = expect_fault(&refund(&client, &expensive, "1000.01"), 409, "body.amount", "invalid_state");
    assert!(fault.message.contains("1000.00 GBP"), "{}", fault.message);
    expect_json(&refund(&client, &expensive, "1000.00"), 201);
    let path = format!("{PAYMENTS}/{}/refunds", expensive.as_str().unwrap());
    for (body, path_of_fault, code) in [
        (json!({"amount": {"amount": "1.00", "currencyCode": "EUR"}}), "body.amount.currencyCode", "invalid_value"),
        (
            json!({"amount": {"amount": "1.00", "currencyCode": "GBP"}, "reason": "x".repeat(141)}),
            "body.reason",
            "too_long",
        ),
        (json!({"reason": "x"}), "body.amount", "required"),
    ] {
        expect_fault(&client.post(&path, body.to_string()), 400, path_of_fault, code);
    }
    expect_invariants(&client);
}

/// Sells something for this amount, and returns the id of the payment.
fn sold_for(client: &Client, checkout: &str, amount: &str) -> Value {
    let more = json!({"amount": {"amount": amount, "currencyCode": "GBP"}});
    let session = with(new_session(checkout, &format!("for {amount}")), &more);
    let session = expect_json(&client.post(SESSIONS, session.to_string()), 201);
    let body = json!({"bankId": bank(client), "outcome": "approve"});
    expect_json(&act_as_payer(client, &session, &body), 200)["paymentId"].clone()
}

#[test]
fn a_refund_is_authorised_once() {
    let (_server, client, checkout) = shop();
    let paid = sold(&client, &checkout, "1")["paymentId"].clone();
    let created = expect_json(&refund(&client, &paid, "12.50"), 201);
    let answers = together(8, |_| authorise(&client, &created, &json!({"outcome": "approve"})));
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 1, "{answers:?}");
    assert!(answers.iter().all(|answer| [200, 409].contains(&answer.status)), "{answers:?}");
    expect_invariants(&client);
}

#[test]
fn refunds_follow_the_clock() {
    let (_server, client, checkout) = shop();
    set_clock(&client, json!({"freezeAt": "2040-01-01T12:00:00Z"}));
    let paid = sold(&client, &checkout, "1")["paymentId"].clone();
    let forgotten = expect_json(&refund(&client, &paid, "12.50"), 201);
    assert_eq!(payment(&client, &paid)["isRefundable"], false);
    set_clock(&client, json!({"advanceBy": "PT20M"}));
    assert_eq!(payment(&client, &paid)["isRefundable"], true);
    assert_eq!(find(&client, &forgotten)["status"], "CANCELLED");
    for (outcome, later) in [("pending", "COMPLETED"), ("fail_later", "FAILED"), ("leave", "CANCELLED")] {
        let created = expect_json(&refund(&client, &paid, "1.00"), 201);
        let status = expect_json(&authorise(&client, &created, &json!({"outcome": outcome})), 200)["status"].clone();
        assert_eq!(status, if outcome == "leave" { "CANCELLED" } else { "PENDING" }, "{outcome}");
        set_clock(&client, json!({"advanceBy": "PT1M"}));
        assert_eq!(find(&client, &created)["status"], later, "{outcome}");
    }
}

/// A refund is paid from the settlement account, which cannot be deleted until the refund is final.
#[test]
fn a_settlement_account_with_open_refunds_cannot_be_deleted() {
    let (_server, client, checkout) = shop();
    let first = expect_json(&client.get(SETTLEMENT_ACCOUNTS), 200)["rows"][0].clone();
    let details = json!({"type": "SORT_CODE", "sortCode": "204000", "accountNumber": "00000001"});
    let other = json!({"currencyCode": "GBP", "bankDetails": details});
    expect_json(&client.post(SETTLEMENT_ACCOUNTS, other.to_string()), 201);
    let delete = || client.call("DELETE", &format!("{SETTLEMENT_ACCOUNTS}/{}", text(&first, "/id"))).send();
    let paid = sold(&client, &checkout, "1")["paymentId"].clone();
    let refused = |what: &str| {
        let fault = expect_fault(&delete(), 409, "path.settlementAccountId", "invalid_state");
        assert!(fault.message.contains("refunds"), "{what}: {fault:?}");
    };
    let created = expect_json(&refund(&client, &paid, "1.00"), 201);
    refused("AWAITING_AUTHORISATION");
    expect_json(&authorise(&client, &created, &json!({"outcome": "pending", "afterMinutes": 9})), 200);
    refused("PENDING");
    set_clock(&client, json!({"advanceBy": "PT9M"}));
    assert_eq!(find(&client, &created)["status"], "COMPLETED");
    assert_eq!(delete().status, 204);
    expect_fault(&refund(&client, &paid, "1.00"), 409, "path.paymentId", "invalid_state");
    expect_invariants(&client);
}

#[test]
fn payments_that_cannot_be_refunded_are_refused() {
    let (_server, client, checkout) = shop();
    let session = expect_json(&client.post(SESSIONS, new_session(&checkout, "1").to_string()), 201);
    let body = json!({"bankId": bank(&client), "outcome": "pending"});
    expect_json(&act_as_payer(&client, &session, &body), 200);
    let path = format!("{PAYMENTS}?accountId={}", client.account);
    let pending = expect_json(&client.get(&path), 200)["rows"][0]["id"].clone();
    expect_fault(&refund(&client, &pending, "1.00"), 409, "path.paymentId", "invalid_state");
    expect_fault(&refund(&client, &json!(ABSENT), "1.00"), 404, "path.paymentId", "not_found");
    let paid = sold(&client, &checkout, "2")["paymentId"].clone();
    expect_fault(&refund(&client, &paid, "1.001"), 400, "body.amount.amount", "too_many_decimals");
    expect_fault(&refund(&client, &paid, "12.51"), 409, "body.amount", "invalid_state");
    let accounts = expect_json(&client.get(SETTLEMENT_ACCOUNTS), 200);
    let account = format!("{SETTLEMENT_ACCOUNTS}/{}", text(&accounts, "/rows/0/id"));
    expect_json(&client.call("PATCH", &account).json(r#"{"bankId": null}"#).send(), 200);
    expect_fault(&refund(&client, &paid, "1.00"), 409, "path.paymentId", "invalid_state");
    assert_eq!(payment(&client, &paid)["isRefundable"], false);
}

#[test]
fn only_payments_of_purchases_are_refunded() {
    let (_server, client, checkout) = shop();
    let approve = json!({"bankId": bank(&client), "outcome": "approve"});
    let paid = |session: &Value| {
        let paid = expect_json(&act_as_payer(&client, session, &approve), 200);
        assert_eq!(paid["status"], "COMPLETED", "{paid}");
        paid["paymentId"].clone()
    };
    let created = expect_json(&refund(&client, &sold(&client, &checkout, "1")["paymentId"], "2.00"), 201);
    expect_json(&authorise(&client, &created, &json!({"outcome": "approve"})), 200);
    let refunds = expect_json(&client.get(&format!("{PAYMENTS}?accountId={}&type=REFUND", client.account)), 200);
    let of_refund = refunds["rows"][0]["id"].clone();
    let amount = json!({"amount": "12.50", "currencyCode": "GBP"});
    let top_up = json!({"budgetId": budget(&client, "Float"), "amount": amount, "idempotencyKey": "1"});
    let of_budget = paid(&expect_json(&client.post(TOP_UPS, top_up.to_string()), 201));
    let new = json!({"type": "TOP_UP", "name": "x", "currencyCode": "GBP", "returnUrl": "https://shop.example/paid"});
    let top_ups = expect_json(&client.post(CHECKOUTS, new.to_string()), 201);
    let to_payee = json!({"type": "TOP_UP", "payeeId": create_payee(&client)["id"]});
    let to_payee = with(new_session(text(&top_ups, "/id"), "2"), &to_payee);
    let of_payee = paid(&expect_json(&client.post(SESSIONS, to_payee.to_string()), 201));
    for id in [&of_refund, &of_budget, &of_payee] {
        let fault = expect_fault(&refund(&client, id, "1.00"), 409, "path.paymentId", "invalid_state");
        assert!(fault.message.contains("SHOPPING"), "{fault:?}");
        assert_eq!(payment(&client, id)["isRefundable"], false);
    }
    expect_invariants(&client);
}

#[test]
fn a_bank_that_does_not_support_refunds_pays_none() {
    let (_server, client, checkout) = shop();
    let paid = sold(&client, &checkout, "1")["paymentId"].clone();
    let banks = expect_json(&client.get(BANKS), 200)["rows"].clone();
    let without = banks.as_array().unwrap().iter().find(|bank| bank["supportsRefunds"] == false).unwrap();
    let accounts = expect_json(&client.get(SETTLEMENT_ACCOUNTS), 200);
    let account = format!("{SETTLEMENT_ACCOUNTS}/{}", text(&accounts, "/rows/0/id"));
    let set_bank = |id: &str| {
        expect_json(&client.call("PATCH", &account).json(json!({"bankId": id}).to_string()).send(), 200);
    };
    set_bank(text(without, "/id"));
    let fault = expect_fault(&refund(&client, &paid, "1.00"), 409, "path.paymentId", "invalid_state");
    assert!(fault.message.contains("the bank of its settlement account"), "{fault:?}");
    assert_eq!(payment(&client, &paid)["isRefundable"], false);
    set_bank(&bank(&client));
    assert_eq!(payment(&client, &paid)["isRefundable"], true);
    expect_json(&refund(&client, &paid, "1.00"), 201);
}

#[test]
fn the_export_is_csv_without_formulas() {
    let (_server, client, checkout) = shop();
    let mut new = new_session(&checkout, "1");
    new["merchantReference"] = json!("=SUM(A1:A9), \"x\"");
    let session = expect_json(&client.post(SESSIONS, new.to_string()), 201);
    let body = json!({"bankId": bank(&client), "outcome": "approve"});
    let session = expect_json(&act_as_payer(&client, &session, &body), 200);
    expect_json(&refund(&client, &session["paymentId"], "1.00"), 201);
    let answer = client.get(&format!("{PAYMENTS}/export?accountId={}&sort=createdAt", client.account));
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("text/csv; charset=utf-8")));
    let content = answer.text();
    let rows: Vec<_> = content.split("\r\n").collect();
    assert_eq!(rows.len(), 4, "{rows:?}");
    // The reference has a comma.
    assert_eq!([0, 2].map(|row: usize| rows[row].split(',').count()), [16, 17], "{rows:?}");
    let columns = "id,type,checkoutType,status,amount,currencyCode,checkoutSessionId,refundedPaymentId,\
        refundId,orderId,\
        merchantReference,payerBankName,isRefundable,initiatedAt,completedAt,createdAt";
    assert_eq!(rows[0], columns);
    assert!(rows[1].contains(",PAYMENT,SHOPPING,COMPLETED,12.50,GBP,"), "{rows:?}");
    assert!(rows[1].contains("\"'=SUM(A1:A9), \"\"x\"\"\""), "{rows:?}");
    assert!(rows[2].contains(",REFUND,SHOPPING,PENDING,1.00,GBP,"), "{rows:?}");
    let none = client.get(&format!("{PAYMENTS}/export?accountId={}&status=FAILED", client.account));
    assert_eq!(none.text(), format!("{}\r\n", rows[0]));
    let invalid = client.get(&format!("{PAYMENTS}/export?accountId={}&type=refund", client.account));
    expect_fault(&invalid, 400, "query.type", "invalid_value");
}

#[test]
fn a_top_up_credits_its_budget() {
    let (_server, client, _) = shop();
    let budget = budget(&client, "Float");
    let body = json!({"budgetId": budget, "amount": {"amount": "40.00", "currencyCode": "GBP"},
        "idempotencyKey": "1", "returnUrl": "http://localhost/done"});
    let post = |body: &Value| {
        let answer = client.post(TOP_UPS, body.to_string());
        assert_documented("post", TOP_UPS, &answer);
        answer
    };
    let created = expect_json(&post(&body), 201);
    let again = post(&body);
    assert!(again.replayed() && again.status == 200, "{again:?}");
    assert_eq!((&created["status"], &created["budgetId"]), (&json!("OPEN"), &json!(budget)));
    expect_json(&act_as_payer(&client, &created, &json!({"bankId": bank(&client), "outcome": "reject"})), 200);
    let paid =
        expect_json(&act_as_payer(&client, &created, &json!({"bankId": bank(&client), "outcome": "approve"})), 200);
    assert_eq!((&paid["status"], &paid["checkoutId"]), (&json!("COMPLETED"), &Value::Null));
    let found = client.get(&format!("{TOP_UPS}/{}", text(&created, "/id")));
    assert_documented("get", TOP_UP, &found);
    assert_eq!(expect_json(&found, 200)["status"], "COMPLETED");
    let rows = expect_json(&client.get(&format!("/v2/activity/{}?type=deposit", client.account)), 200);
    assert_eq!((&rows["count"], &rows["rows"][0]["impactedAmount"]), (&json!(1), &json!(40.0)));
    let events = expect_json(&client.get(&format!("/v2/events?accountId={}", client.account)), 200);
    let kinds: Vec<_> =
        events["rows"].as_array().unwrap().iter().map(|row| text(row, "/body/webhookEventTypeName")).collect();
    assert_eq!(kinds, ["BoxCredited", "MerchantPaymentFailed"]);
    assert_eq!(events["rows"][1]["body"]["checkoutSessionId"], created["id"]);
    let path = format!("/v2/budgets/{budget}/explanation?accountId={}&currencyCode=GBP", client.account);
    let explained = expect_json(&client.get(&path), 200);
    let (posting, sum) = (&explained["postings"]["rows"][0], &explained["sums"][0]);
    assert_eq!(
        (&explained["addsUp"], &posting["kind"], &sum["kind"]),
        (&json!(true), &json!("top_up"), &json!("top_up"))
    );
    assert_eq!((&posting["causeId"], &posting["moved"]["available"]), (&paid["paymentId"], &json!("40.00")));
    let cancel = client.post(&format!("{TOP_UPS}/{}/cancel", text(&created, "/id")), "");
    expect_fault(&cancel, 409, "path.topUpId", "invalid_state");
    let list = expect_json(&client.get(SESSIONS), 200);
    assert_eq!(list["count"], 0, "{list}");
    let mut other = body.clone();
    other["idempotencyKey"] = json!("2");
    other["amount"]["currencyCode"] = json!("EUR");
    expect_fault(&post(&other), 400, "body.amount.currencyCode", "invalid_value");
    other["budgetId"] = json!(ABSENT);
    expect_fault(&post(&other), 404, "body.budgetId", "not_found");
    expect_invariants(&client);
}
