//! `/v2/merchant/checkout-sessions` and payments of payers: creation, reads, cancellation, and every outcome.

use serde_json::{Value, json};

use crate::openapi::assert_documented;
use crate::support::assert::{members, text, time, uuid};
use crate::support::management::with;
use crate::support::shop::{
    ORDERS, PAYMENTS, SESSIONS, act_as_payer, bank, basket, new_session, shipping_address, shop,
};
use crate::support::table::{Table, bad};
use crate::support::worlds::set_clock;
use crate::support::{ABSENT, Answer, CHECKOUTS, Client, PAYEES, expect_fault, expect_json, together};

const SINGLE: &str = "/v2/merchant/checkout-sessions/{checkoutSessionId}";
const CANCEL: &str = "/v2/merchant/checkout-sessions/{checkoutSessionId}/cancel";
const PAY: &str = "/v2/sandbox/checkout-sessions/{checkoutSessionId}/pay";

fn create(client: &Client, body: &Value) -> Answer {
    let answer = client.post(SESSIONS, body.to_string());
    assert_documented("post", SESSIONS, &answer);
    answer
}

fn created(client: &Client, body: &Value) -> Value {
    expect_json(&create(client, body), 201)
}

fn find(client: &Client, session: &Value) -> Value {
    let answer = client.get(&format!("{SESSIONS}/{}", text(session, "/id")));
    assert_documented("get", SINGLE, &answer);
    expect_json(&answer, 200)
}

fn cancel(client: &Client, session: &Value) -> Answer {
    let answer = client.post(&format!("{SESSIONS}/{}/cancel", text(session, "/id")), "{}");
    assert_documented("post", CANCEL, &answer);
    answer
}

fn pay(client: &Client, session: &Value, body: &Value) -> Answer {
    let answer = act_as_payer(client, session, body);
    assert_documented("post", PAY, &answer);
    answer
}

fn payments_of(client: &Client, session: &Value) -> Vec<Value> {
    let path = format!("{PAYMENTS}?accountId={}&checkoutSessionId={}", client.account, text(session, "/id"));
    let answer = client.get(&path);
    assert_documented("get", PAYMENTS, &answer);
    expect_json(&answer, 200)["rows"].as_array().unwrap().clone()
}

#[test]
fn a_session_has_every_member_and_is_replayed() {
    let (_server, client, checkout) = shop();
    let body =
        with(new_session(&checkout, "1"), &json!({"basket": basket(), "description": "Two mugs", "locale": "cy"}));
    let session = created(&client, &body);
    let names = [
        "amount",
        "basket",
        "checkoutId",
        "checkoutUrl",
        "completedAt",
        "createdAt",
        "description",
        "expiresAt",
        "id",
        "locale",
        "merchantReference",
        "orderId",
        "payeeId",
        "paymentId",
        "paymentReference",
        "returnUrl",
        "shipping",
        "status",
        "type",
        "updatedAt",
    ];
    assert_eq!(members(&session), names);
    uuid(&session["id"]);
    assert_eq!((&session["status"], &session["amount"]), (&json!("OPEN"), &body["amount"]));
    assert_eq!(session["returnUrl"], "https://shop.example/paid");
    assert_eq!((time(&session["expiresAt"]) - time(&session["createdAt"])).num_minutes(), 20);
    assert_eq!(session["basket"]["items"][0]["unitPrice"], "6.25");
    let url = text(&session, "/checkoutUrl");
    let (root, token) = url.split_once("/pay/").unwrap();
    assert!(root.starts_with("http://127.0.0.1:") && token.len() == 32, "{url}");
    assert_eq!(find(&client, &session), session);
    let again = create(&client, &with(body, &json!({"amount": {"amount": "1.00", "currencyCode": "GBP"}})));
    assert!(again.replayed(), "{again:?}");
    assert_eq!(expect_json(&again, 200), session);
    let header = client.post_once(SESSIONS, "k", new_session(&checkout, "2").to_string());
    let repeat = client.post_once(SESSIONS, "k", new_session(&checkout, "2").to_string());
    assert_eq!((header.status, repeat.status, repeat.replayed()), (201, 201, true));
}

#[test]
fn every_fault_of_a_session_is_named() {
    let (_server, client, checkout) = shop();
    let mut table = Table::default();
    let body = |change: Value| with(new_session(&checkout, "1"), &change);
    let amount = |amount: &str| json!({"amount": {"amount": amount, "currencyCode": "GBP"}});
    let item = |change: Value| json!({"basket": {"items": [with(basket()["items"][0].clone(), &change)]}});
    let shipping = |change: Value| json!({"shipping": with(shipping_address(), &change)});
    for (change, path, code) in [
        (amount("0.001"), "body.amount.amount", "too_many_decimals"),
        (amount("1000000.01"), "body.amount.amount", "out_of_range"),
        (amount("0.00"), "body.amount.amount", "out_of_range"),
        (amount("-1"), "body.amount.amount", "invalid_format"),
        (json!({"amount": {"amount": "12.50", "currencyCode": "EUR"}}), "body.amount.currencyCode", "invalid_value"),
        (json!({"amount": {"amount": "12.50", "currencyCode": "USD"}}), "body.amount.currencyCode", "invalid_value"),
        (json!({"type": "TOP_UP"}), "body.payeeId", "required"),
        (json!({"payeeId": ABSENT}), "body.payeeId", "invalid_value"),
        (json!({"idempotencyKey": ""}), "body.idempotencyKey", "invalid_format"),
        (json!({"merchantReference": "x".repeat(129)}), "body.merchantReference", "too_long"),
        (json!({"expiresInMinutes": 0}), "body.expiresInMinutes", "out_of_range"),
        (json!({"expiresInMinutes": 1441}), "body.expiresInMinutes", "out_of_range"),
        (json!({"returnUrl": "http://shop.example/"}), "body.returnUrl", "invalid_format"),
        (json!({"locale": "english"}), "body.locale", "invalid_format"),
        (json!({"basket": {"items": []}}), "body.basket.items", "out_of_range"),
        (item(json!({"quantity": 0})), "body.basket.items[0].quantity", "out_of_range"),
        (item(json!({"quantity": 1.5})), "body.basket.items[0].quantity", "invalid_format"),
        (item(json!({"unitPrice": "6.255"})), "body.basket.items[0].unitPrice", "too_many_decimals"),
        (item(json!({"unitPrice": 6.25})), "body.basket.items[0].unitPrice", "invalid_type"),
        (item(json!({"imageUrl": "http://x.example/a.png"})), "body.basket.items[0].imageUrl", "invalid_format"),
        (item(json!({"quantity": 3})), "body.amount", "invalid_value"),
        (shipping(json!({"countryCode": "GBR"})), "body.shipping.countryCode", "invalid_value"),
        (shipping(json!({"city": null})), "body.shipping.city", "required"),
        (shipping(json!({"rate": {"description": "x"}})), "body.shipping.rate.amount", "required"),
    ] {
        table.check(&bad(change.to_string(), path, code), &create(&client, &body(change)));
    }
    table.assert_passed(24);
    assert_eq!(expect_json(&client.get(SESSIONS), 200)["count"], 0);
    let unknown = body(json!({"checkoutId": ABSENT}));
    expect_fault(&create(&client, &unknown), 404, "body.checkoutId", "not_found");
    for good in [json!({"returnUrl": "http://localhost:3000/paid", "basket": basket()}), shipping(json!({}))] {
        let key = json!({"idempotencyKey": good.to_string()});
        created(&client, &body(with(good, &key)));
    }
    let path = format!("{CHECKOUTS}/{checkout}");
    expect_json(&client.call("PATCH", &path).json(r#"{"status": "DEACTIVATED"}"#).send(), 200);
    expect_fault(&create(&client, &new_session(&checkout, "9")), 409, "body.checkoutId", "invalid_state");
}

#[test]
fn a_paid_session_has_a_payment_and_an_order() {
    let (_server, client, checkout) = shop();
    let session = created(&client, &with(new_session(&checkout, "1"), &json!({"basket": basket()})));
    let paid = expect_json(&pay(&client, &session, &json!({"bankId": bank(&client), "outcome": "approve"})), 200);
    assert_eq!((&paid["status"], &paid["completedAt"]), (&json!("COMPLETED"), &paid["updatedAt"]));
    let payments = payments_of(&client, &session);
    assert_eq!(payments.len(), 1);
    let payment = &payments[0];
    assert_eq!((&payment["id"], &payment["orderId"]), (&paid["paymentId"], &paid["orderId"]));
    assert_eq!(
        (&payment["status"], &payment["type"], &payment["failureReason"]),
        (&json!("COMPLETED"), &json!("PAYMENT"), &Value::Null)
    );
    assert_eq!(payment["amount"], session["amount"]);
    let found = client.get(&format!("{PAYMENTS}/{}", text(payment, "/id")));
    assert_documented("get", "/v2/merchant/payments/{paymentId}", &found);
    assert_eq!(&expect_json(&found, 200), payment);
    let order = client.get(&format!("{ORDERS}/{}", text(&paid, "/orderId")));
    assert_documented("get", "/v2/merchant/orders/{orderId}", &order);
    let order = expect_json(&order, 200);
    assert_eq!((&order["checkoutSessionId"], &order["basket"]), (&session["id"], &session["basket"]));
    let again = pay(&client, &session, &json!({"bankId": bank(&client), "outcome": "approve"}));
    expect_fault(&again, 409, "path.checkoutSessionId", "invalid_state");
    expect_fault(&cancel(&client, &session), 409, "path.checkoutSessionId", "invalid_state");
    let summary =
        expect_json(&client.get(&format!("/v2/merchant?accountId={}&include=paymentsSummary", client.account)), 200);
    let expected = json!([{"currencyCode": "GBP", "paidAmount": "12.50", "refundedAmount": "0.00", "count": 1}]);
    assert_eq!(summary["paymentsSummary"], expected);
}

#[test]
fn the_outcomes_of_payments_follow_the_clock() {
    let (_server, client, checkout) = shop();
    set_clock(&client, json!({"freezeAt": "2040-01-01T12:00:00Z"}));
    let bank = bank(&client);
    let mut number = 0;
    let mut open = || {
        number += 1;
        created(&client, &new_session(&checkout, &number.to_string()))
    };
    for (outcome, immediately, later, payment, reason) in [
        ("approve", "COMPLETED", "COMPLETED", "COMPLETED", None),
        ("reject", "OPEN", "OPEN", "FAILED", Some("REJECTED_BY_BANK")),
        ("leave", "OPEN", "OPEN", "CANCELLED", None),
        ("pending", "PROCESSING", "COMPLETED", "COMPLETED", None),
        ("fail_later", "PROCESSING", "OPEN", "FAILED", Some("REJECTED_BY_BANK")),
        ("time_out", "PROCESSING", "OPEN", "FAILED", Some("TIMED_OUT")),
        ("technical_error", "PROCESSING", "OPEN", "FAILED", Some("TECHNICAL_ERROR")),
    ] {
        let session = open();
        let paid = expect_json(&pay(&client, &session, &json!({"bankId": bank, "outcome": outcome})), 200);
        assert_eq!(paid["status"], immediately, "{outcome}");
        set_clock(&client, json!({"advanceBy": "PT1M"}));
        let found = find(&client, &session);
        assert_eq!(found["status"], later, "{outcome}");
        let payments = payments_of(&client, &session);
        assert_eq!(
            (&payments[0]["status"], &payments[0]["failureReason"]),
            (&json!(payment), &json!(reason)),
            "{outcome}"
        );
        // A session that is open again can be paid.
        if later == "OPEN" {
            let paid = pay(&client, &session, &json!({"bankId": bank, "outcome": "approve"}));
            assert_eq!(expect_json(&paid, 200)["status"], "COMPLETED", "{outcome}");
            assert_eq!(payments_of(&client, &session).len(), 2, "{outcome}");
        }
    }
    for (body, path, code) in [
        (json!({"bankId": bank, "outcome": "approve", "afterMinutes": 1}), "body.afterMinutes", "invalid_value"),
        (json!({"bankId": bank, "outcome": "pending", "afterMinutes": 10_081}), "body.afterMinutes", "out_of_range"),
        (json!({"bankId": bank, "outcome": "steal"}), "body.outcome", "invalid_value"),
        (json!({"bankId": "f".repeat(32), "outcome": "approve"}), "body.bankId", "invalid_value"),
        (
            json!({"bankId": bank, "outcome": "approve", "shipping": shipping_address()}),
            "body.shipping",
            "invalid_value",
        ),
    ] {
        expect_fault(&pay(&client, &open(), &body), 400, path, code);
    }
}

#[test]
fn a_session_expires_by_the_clock() {
    let (_server, client, checkout) = shop();
    set_clock(&client, json!({"freezeAt": "2040-01-01T12:00:00Z"}));
    let bank = bank(&client);
    let unpaid = created(&client, &new_session(&checkout, "1"));
    let begun = created(&client, &new_session(&checkout, "2"));
    expect_json(&pay(&client, &begun, &json!({"bankId": bank, "outcome": "leave"})), 200);
    let slow = created(&client, &new_session(&checkout, "3"));
    expect_json(&pay(&client, &slow, &json!({"bankId": bank, "outcome": "pending", "afterMinutes": 30})), 200);
    let failing = created(&client, &new_session(&checkout, "4"));
    expect_json(&pay(&client, &failing, &json!({"bankId": bank, "outcome": "time_out", "afterMinutes": 30})), 200);
    set_clock(&client, json!({"advanceBy": "PT19M59S"}));
    assert_eq!(find(&client, &unpaid)["status"], "OPEN");
    set_clock(&client, json!({"advanceBy": "PT1S"}));
    assert_eq!(
        (&find(&client, &unpaid)["status"], &find(&client, &begun)["status"]),
        (&json!("EXPIRED"), &json!("ABANDONED"))
    );
    assert_eq!(find(&client, &unpaid)["updatedAt"], unpaid["expiresAt"]);
    expect_fault(&cancel(&client, &unpaid), 409, "path.checkoutSessionId", "invalid_state");
    assert_eq!(find(&client, &slow)["status"], "PROCESSING");
    set_clock(&client, json!({"advanceBy": "PT1H"}));
    let slow = find(&client, &slow);
    assert_eq!((&slow["status"], &slow["completedAt"]), (&json!("COMPLETED"), &json!("2040-01-01T12:30:00Z")));
    let failing = find(&client, &failing);
    assert_eq!((&failing["status"], &failing["updatedAt"]), (&json!("ABANDONED"), &json!("2040-01-01T12:30:00Z")));
    let list = expect_json(&client.get(&format!("{SESSIONS}?accountId={}&status=ABANDONED", client.account)), 200);
    assert_eq!(list["count"], 2);
}

#[test]
fn the_list_is_filtered() {
    let (_server, client, checkout) = shop();
    set_clock(&client, json!({"freezeAt": "2040-01-01T23:59:59Z"}));
    let first = created(&client, &new_session(&checkout, "1"));
    set_clock(&client, json!({"advanceBy": "PT1S"}));
    let second = created(&client, &with(new_session(&checkout, "2"), &json!({"merchantReference": "other"})));
    assert_eq!(expect_json(&cancel(&client, &second), 200)["status"], "CANCELLED");
    let ids = |filter: &str| {
        let answer = client.get(&format!("{SESSIONS}?accountId={}&{filter}", client.account));
        assert_documented("get", SESSIONS, &answer);
        let rows = expect_json(&answer, 200)["rows"].as_array().unwrap().clone();
        rows.iter().map(|row| row["id"].clone()).collect::<Vec<_>>()
    };
    let (one, two) = (first["id"].clone(), second["id"].clone());
    assert_eq!(ids("limit=10"), [two.clone(), one.clone()]);
    for (filter, expected) in [
        ("startDate=2040-01-02", vec![&two]),
        ("endDate=2040-01-01", vec![&one]),
        ("startDate=2040-01-01&endDate=2040-01-02", vec![&two, &one]),
        ("startDate=2040-01-02&endDate=2040-01-01", vec![]),
        ("status=CANCELLED", vec![&two]),
        ("type=TOP_UP", vec![]),
        ("merchantReference=other", vec![&two]),
        (&format!("checkoutId={checkout}"), vec![&two, &one]),
        (&format!("checkoutId={ABSENT}"), vec![]),
    ] {
        assert_eq!(ids(filter).iter().collect::<Vec<_>>(), expected, "{filter}");
    }
    let wrong = client.get(&format!("{SESSIONS}?accountId={}&status=open&startDate=1", client.account));
    crate::support::expect_faults(
        &wrong,
        400,
        &[("query.startDate", "invalid_format"), ("query.status", "invalid_value")],
    );
}

#[test]
fn the_payer_says_where_to_ship() {
    let (_server, client, _) = shop();
    let new = json!({"type": "SHOPPING", "name": "Parcels", "currencyCode": "GBP",
        "returnUrl": "https://shop.example/paid", "shippingOptions": {"collectAddress": true}});
    let checkout = expect_json(&client.post(CHECKOUTS, new.to_string()), 201);
    let checkout = text(&checkout, "/id").to_owned();
    let session = created(&client, &new_session(&checkout, "1"));
    let body = json!({"bankId": bank(&client), "outcome": "approve"});
    expect_fault(&pay(&client, &session, &body), 400, "body.shipping", "required");
    let rate = json!({"rate": {"description": "Next day", "amount": "3.00", "serviceCode": "ND"}});
    let paid =
        expect_json(&pay(&client, &session, &with(body, &json!({"shipping": with(shipping_address(), &rate)}))), 200);
    assert_eq!((&paid["status"], &paid["amount"]["amount"]), (&json!("COMPLETED"), &json!("15.50")));
    assert_eq!((&paid["shipping"]["rate"]["serviceCode"], &paid["shipping"]["city"]), (&json!("ND"), &json!("London")));
}

#[test]
fn a_payee_is_topped_up() {
    let (_server, client, _) = shop();
    let new =
        json!({"type": "TOP_UP", "name": "Top-ups", "currencyCode": "GBP", "returnUrl": "https://shop.example/paid"});
    let checkout = expect_json(&client.post(CHECKOUTS, new.to_string()), 201);
    let details = json!({"type": "SORT_CODE", "sortCode": "204000", "accountNumber": "55779903"});
    let payee = json!({"name": "Zoë", "currencyCode": "GBP", "bankDetails": details});
    let payee = expect_json(&client.post(PAYEES, payee.to_string()), 201);
    let body = with(new_session(text(&checkout, "/id"), "1"), &json!({"type": "TOP_UP", "payeeId": payee["id"]}));
    let session = created(&client, &body);
    assert_eq!((&session["payeeId"], &session["type"]), (&payee["id"], &json!("TOP_UP")));
    let paid = expect_json(&pay(&client, &session, &json!({"bankId": bank(&client), "outcome": "approve"})), 200);
    assert_eq!((&paid["status"], &paid["orderId"]), (&json!("COMPLETED"), &Value::Null));
    assert_eq!(payments_of(&client, &session)[0]["isRefundable"], false);
    let wrong = with(body.clone(), &json!({"idempotencyKey": "2", "basket": basket()}));
    expect_fault(&create(&client, &wrong), 400, "body.basket", "invalid_value");
    let unknown = with(body, &json!({"idempotencyKey": "2", "payeeId": ABSENT}));
    expect_fault(&create(&client, &unknown), 404, "body.payeeId", "not_found");
}

#[test]
fn of_concurrent_payments_and_cancellations_one_succeeds() {
    let (_server, client, checkout) = shop();
    let session = created(&client, &new_session(&checkout, "1"));
    let body = json!({"bankId": bank(&client), "outcome": "approve"});
    let answers =
        together(
            8,
            |number| {
                if number % 2 == 0 { act_as_payer(&client, &session, &body) } else { cancel(&client, &session) }
            },
        );
    let succeeded: Vec<_> = answers.iter().filter(|answer| answer.status == 200).collect();
    assert_eq!(succeeded.len(), 1, "{answers:?}");
    assert!(answers.iter().all(|answer| [200, 409].contains(&answer.status)), "{answers:?}");
    assert_eq!(find(&client, &session)["status"], succeeded[0].json()["status"]);
}

#[test]
fn sessions_of_other_accounts_are_absent() {
    let (server, client, checkout) = shop();
    let session = created(&client, &new_session(&checkout, "1"));
    let other = crate::support::worlds::create_world(&server, json!({"template": "demo"})).1;
    for path in ["", "/cancel"] {
        let path = format!("{SESSIONS}/{}{path}", text(&session, "/id"));
        let answer = if path.ends_with("cancel") { other.post(&path, "") } else { other.get(&path) };
        expect_fault(&answer, 404, "path.checkoutSessionId", "not_found");
    }
    let body = json!({"bankId": bank(&client), "outcome": "approve"});
    expect_fault(&act_as_payer(&other, &session, &body), 404, "path.checkoutSessionId", "not_found");
}
