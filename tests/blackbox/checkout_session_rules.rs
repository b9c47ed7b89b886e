//! Checkout sessions: the order of steps that are due, changed checkouts, and what a session requires.

use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::events::{events, name};
use crate::support::assert::{text, time};
use crate::support::management::with;
use crate::support::payments::fresh_sandbox;
use crate::support::server::MAX_WAIT;
use crate::support::shop::{
    PAYMENTS, SESSIONS, act_as_payer, bank, create_payee, new_session, refund_one_pound, shipping_address, shop, sold,
};
use crate::support::worlds::set_clock;
use crate::support::{CHECKOUTS, Client, PAYEES, SETTLEMENT_ACCOUNTS, Server, Workspace, expect_fault, expect_json};

fn created(client: &Client, body: &Value) -> Value {
    expect_json(&client.post(SESSIONS, body.to_string()), 201)
}

fn find(client: &Client, session: &Value) -> Value {
    expect_json(&client.get(&format!("{SESSIONS}/{}", text(session, "/id"))), 200)
}

fn patch(client: &Client, path: &str, body: &Value) -> Value {
    expect_json(&client.call("PATCH", path).json(body.to_string()).send(), 200)
}

/// One session has two steps that are due. Steps of a refund and of another session are due between them.
#[test]
fn due_steps_of_all_objects_are_applied_in_order() {
    let (_server, client, checkout) = shop();
    set_clock(&client, json!({"freezeAt": "2040-01-01T12:00:00Z"}));
    let bank = bank(&client);
    let paid = sold(&client, &checkout, "1");
    let refund = refund_one_pound(&client, text(&paid, "/paymentId"));
    let authorise = format!("/v2/sandbox/refunds/{}/authorise", text(&refund, "/id"));
    expect_json(&client.post(&authorise, json!({"outcome": "pending", "afterMinutes": 12}).to_string()), 200);
    let failing = created(&client, &new_session(&checkout, "2"));
    let slow = created(&client, &new_session(&checkout, "3"));
    for (session, how, minutes) in [(&failing, "time_out", 10), (&slow, "pending", 15)] {
        let body = json!({"bankId": bank, "outcome": how, "afterMinutes": minutes});
        expect_json(&act_as_payer(&client, session, &body), 200);
    }
    let before = events(&client, "").len();
    set_clock(&client, json!({"advanceBy": "PT60M"}));
    let new_events: Vec<_> = events(&client, "")[before..]
        .iter()
        .map(|body| (name(body), text(body, "/occurredAt")["2040-01-01T".len()..].to_owned()))
        .collect();
    let expected = [
        ("MerchantPaymentFailed", "12:10:00Z"),
        ("MerchantRefundCompleted", "12:12:00Z"),
        ("MerchantCheckoutSessionCompleted", "12:15:00Z"),
        ("MerchantPaymentReconciled", "12:15:00Z"),
        ("MerchantCheckoutSessionAbandoned", "12:20:00Z"),
    ];
    assert_eq!(new_events, expected.map(|(name, at)| (name.to_owned(), at.to_owned())));
}

/// Waits until a list has a row of a session.
fn wait_until_listed(client: &Client, list: &str, session: &Value) {
    let start = Instant::now();
    let has_row = || {
        let rows = expect_json(&client.get(&format!("{list}&accountId={}", client.account)), 200)["rows"].clone();
        let is_row = |row: &Value| row["id"] == session["id"] || row["checkoutSessionId"] == session["id"];
        rows.as_array().unwrap().iter().any(is_row)
    };
    while !has_row() {
        assert!(start.elapsed() < MAX_WAIT, "{list} does not show {session}");
        thread::sleep(Duration::from_millis(50));
    }
}

/// No request reads the sessions by id, and none changes the clock, when an expiry and a bank's report become due.
#[test]
fn lists_show_within_5_seconds_what_is_due() {
    let (_server, client, checkout) = shop();
    set_clock(&client, json!({"freezeAt": "2040-01-01T12:00:00Z"}));
    let pending = json!({"bankId": bank(&client), "outcome": "pending", "afterMinutes": 1});
    // On a machine that is very busy, a worker may be late.
    let is_in_time = (1..=3).any(|attempt| {
        let session = |key: &str| {
            let body = new_session(&checkout, &format!("{key} {attempt}"));
            created(&client, &with(body, &json!({"expiresInMinutes": 1})))
        };
        let (expiring, paid) = (session("expiring"), session("paid"));
        expect_json(&act_as_payer(&client, &paid, &pending), 200);
        set_clock(&client, json!({"advanceBy": "PT58S"}));
        set_clock(&client, json!({"resume": true}));
        wait_until_listed(&client, &format!("{SESSIONS}?status=EXPIRED"), &expiring);
        wait_until_listed(&client, &format!("{PAYMENTS}?status=COMPLETED"), &paid);
        let shown_at = time(&json!(set_clock(&client, json!({"freeze": true}))));
        (shown_at - time(&expiring["expiresAt"])).num_seconds() <= 5
    });
    assert!(is_in_time, "lists showed what was due after more than 5 seconds");
}

#[test]
fn sessions_keep_the_values_of_their_checkout() {
    let (_server, client, checkout) = shop();
    let path = format!("{CHECKOUTS}/{checkout}");
    let first = expect_json(&client.get(SETTLEMENT_ACCOUNTS), 200)["rows"][0].clone();
    let details = json!({"type": "SORT_CODE", "sortCode": "204000", "accountNumber": "00000001"});
    let second = json!({"currencyCode": "GBP", "bankDetails": details});
    let second = expect_json(&client.post(SETTLEMENT_ACCOUNTS, second.to_string()), 201);
    let session = created(&client, &new_session(&checkout, "1"));
    let change = json!({"name": "Parcels", "returnUrl": "https://new.example/", "locale": "cy",
        "settlementAccountId": second["id"], "shippingOptions": {"collectAddress": true}, "status": "DEACTIVATED"});
    patch(&client, &path, &change);
    assert_eq!(find(&client, &session), session);
    let delete = || client.call("DELETE", &format!("{SETTLEMENT_ACCOUNTS}/{}", text(&first, "/id"))).send();
    let fault = expect_fault(&delete(), 409, "path.settlementAccountId", "invalid_state");
    assert!(fault.message.contains("session"), "{}", fault.message);
    expect_fault(
        &client.post(SESSIONS, new_session(&checkout, "2").to_string()),
        409,
        "body.checkoutId",
        "invalid_state",
    );
    // The checkout asks for an address now, and the session does not.
    let pay = json!({"bankId": bank(&client), "outcome": "approve"});
    let shipped = with(pay.clone(), &json!({"shipping": shipping_address()}));
    expect_fault(&act_as_payer(&client, &session, &shipped), 400, "body.shipping", "invalid_value");
    assert_eq!(expect_json(&act_as_payer(&client, &session, &pay), 200)["status"], "COMPLETED");
    assert_eq!(delete().status, 204, "no checkout and no session pays into it any more");
    patch(&client, &path, &json!({"status": "ACTIVE"}));
    let later = created(&client, &new_session(&checkout, "3"));
    assert_eq!((&later["returnUrl"], &later["locale"]), (&json!("https://new.example/"), &json!("cy")));
    expect_fault(&act_as_payer(&client, &later, &pay), 400, "body.shipping", "required");
    assert_eq!(expect_json(&act_as_payer(&client, &later, &shipped), 200)["status"], "COMPLETED");
}

/// SQL creates this state, because requests cannot: approvals are final, and a settlement account that checkouts pay
/// into cannot be deleted without a replacement.
#[test]
fn a_checkout_without_an_approved_settlement_account_accepts_no_sessions() {
    let workspace = Workspace::demo();
    workspace.sql("UPDATE settlement_accounts SET approval = 'PENDING', is_default = (1 = 0)").unwrap();
    let server = Server::on(workspace);
    let client = server.client();
    let list = format!("{CHECKOUTS}?accountId={}&type=SHOPPING&status=ACTIVE&limit=100", client.account);
    let rows = expect_json(&client.get(&list), 200)["rows"].clone();
    for names_account in [true, false] {
        let of_pounds =
            |row: &&Value| row["currencyCode"] == "GBP" && row["settlementAccountId"].is_null() != names_account;
        let checkout = rows.as_array().unwrap().iter().find(of_pounds).unwrap();
        let answer = client.post(SESSIONS, new_session(text(checkout, "/id"), "1").to_string());
        expect_fault(&answer, 409, "body.checkoutId", "invalid_state");
    }
}

#[test]
fn a_payee_must_be_approved_and_have_the_currency() {
    let (_server, client) = fresh_sandbox();
    let new = json!({"type": "TOP_UP", "name": "Top-ups", "currencyCode": "GBP", "returnUrl": "https://shop.example/"});
    let checkout = expect_json(&client.post(CHECKOUTS, new.to_string()), 201);
    let payees = expect_json(&client.get(PAYEES), 200)["rows"].clone();
    let body = |payee: &Value| {
        with(new_session(text(&checkout, "/id"), "1"), &json!({"type": "TOP_UP", "payeeId": payee["id"]}))
    };
    for (currency, approval, status) in
        [("GBP", "PENDING", 400), ("GBP", "REJECTED", 400), ("EUR", "APPROVED", 400), ("GBP", "APPROVED", 201)]
    {
        let matches = |row: &&Value| row["currencyCode"] == currency && row["approvalStatus"] == approval;
        let payee = payees.as_array().unwrap().iter().find(matches);
        let payee = payee.unwrap_or_else(|| panic!("no {approval} payee in {currency}: {payees}"));
        let answer = client.post(SESSIONS, body(payee).to_string());
        if status == 201 {
            expect_json(&answer, 201);
        } else {
            expect_fault(&answer, 400, "body.payeeId", "invalid_value");
        }
    }
    // Without the permission for TOP_UP checkouts, a new payee waits for the approval of the operator.
    let off = json!({"canCreateTopUpCheckouts": false});
    expect_json(&client.call("PATCH", "/v2/sandbox/merchant").json(off.to_string()).send(), 200);
    let payee = create_payee(&client);
    assert_eq!(payee["approvalStatus"], "PENDING");
    let request = with(body(&payee), &json!({"idempotencyKey": "2"})).to_string();
    expect_fault(&client.post(SESSIONS, &request), 400, "body.payeeId", "invalid_value");
    let approval = format!("/v2/sandbox/merchant/payees/{}/approval", text(&payee, "/id"));
    expect_json(&client.post(&approval, r#"{"approvalStatus": "APPROVED"}"#), 200);
    expect_json(&client.post(SESSIONS, &request), 201);
}

#[test]
fn a_basket_has_at_most_500_items() {
    let (_server, client, checkout) = shop();
    let basket = |items: usize| {
        let item = json!({"name": "Screw", "quantity": 1, "unitPrice": "0.01"});
        let amount = format!("{}.{:02}", items / 100, items % 100);
        let more = json!({"amount": {"amount": amount, "currencyCode": "GBP"}, "basket": {"items": vec![item; items]}});
        client.post(SESSIONS, with(new_session(&checkout, "1"), &more).to_string())
    };
    expect_fault(&basket(501), 400, "body.basket.items", "out_of_range");
    expect_json(&basket(500), 201);
}

#[test]
fn the_limits_of_a_session_are_inclusive() {
    let (_server, client, checkout) = shop();
    let items = json!([
        {"name": "x".repeat(256), "quantity": 1, "unitPrice": "1000000.00"},
        {"name": "Sticker", "quantity": 100_000, "unitPrice": "0"},
    ]);
    let largest = json!({
        "idempotencyKey": "x".repeat(255), "merchantReference": "x".repeat(128), "description": "x".repeat(140),
        "amount": {"amount": "1000000.00", "currencyCode": "GBP"}, "basket": {"items": items}, "expiresInMinutes": 1440,
    });
    let smallest = json!({
        "idempotencyKey": "x", "merchantReference": "x", "description": "x",
        "amount": {"amount": "0.01", "currencyCode": "GBP"}, "expiresInMinutes": 1,
    });
    for (members, minutes) in [(&largest, 1440), (&smallest, 1)] {
        let session = created(&client, &with(new_session(&checkout, ""), members));
        assert_eq!((time(&session["expiresAt"]) - time(&session["createdAt"])).num_minutes(), minutes);
        for name in ["merchantReference", "description", "amount"] {
            assert_eq!(session[name], members[name], "{name}");
        }
    }
    for name in ["idempotencyKey", "merchantReference", "description"] {
        let longer = format!("{}x", text(&largest, &format!("/{name}")));
        let body = with(with(new_session(&checkout, "2"), &smallest), &json!({name: longer}));
        expect_fault(&client.post(SESSIONS, body.to_string()), 400, &format!("body.{name}"), "too_long");
    }
}
