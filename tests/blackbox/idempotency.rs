//! `Idempotency-Key` (contract section 1.4): one effect, replays, and which requests count as equal.

use serde_json::json;

use crate::support::assert::text;
use crate::support::batches::{funded_server, mfa_body, open_session};
use crate::support::http::exchange;
use crate::support::wallet::{credit_body, first_body, follow_body};
use crate::support::{
    ABSENT, ADVICE, ATM, AUTHORIZATION, Answer, BANKS, CLEARING, CREDIT, INCREMENT, MFA_SESSIONS, REFUND,
    REFUND_CLEARING, Server, Wallet, anonymous, confirm_path, demo, expect_error, expect_fault, expect_faults,
    expect_json, shared,
};

/// Returns a key that no other test uses.
fn key(name: &str) -> String {
    format!("{name}-{}", uuid::Uuid::now_v7())
}

fn body(amount: &str) -> String {
    first_body(&demo().active_card("GBP").id, amount)
}

fn assert_replay(first: &Answer, again: &Answer) {
    assert!(!first.replayed(), "{first:?}");
    assert!(again.replayed(), "{again:?}");
    assert_eq!((first.status, &first.body), (again.status, &again.body));
    assert_eq!(first.header("content-type"), again.header("content-type"));
}

#[test]
fn the_same_request_has_one_effect() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 25_000);
    let first = wallet.client.post_once(AUTHORIZATION, "once", wallet.first_body("10.00"));
    expect_json(&first, 201);
    for _ in 0..3 {
        let again = wallet.client.post_once(AUTHORIZATION, "once", wallet.first_body("10.00"));
        assert_replay(&first, &again);
    }
    assert_eq!(wallet.balance().available, 24_000);
    let other = wallet.client.post_once(AUTHORIZATION, "Once", wallet.first_body("10.00"));
    assert!(!other.replayed(), "keys differ by case");
    assert_ne!(first.json()["transaction"]["token"], other.json()["transaction"]["token"]);
    assert_eq!(wallet.balance().available, 23_000);
}

#[test]
fn without_a_key_nothing_is_replayed() {
    let client = shared().client();
    let (first, second) = (client.post(AUTHORIZATION, body("0")), client.post(AUTHORIZATION, body("0")));
    assert!(!first.replayed() && !second.replayed());
    assert_ne!(first.json(), second.json());
}

#[test]
fn the_first_answer_is_replayed_even_after_later_changes() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 25_000);
    let first = wallet.client.post_once(AUTHORIZATION, "moved", wallet.first_body("10"));
    let token = text(&first.json(), "/transaction/token").to_owned();
    wallet.follow_ok(CLEARING, &token, "10");
    wallet.authorize("240");
    let again = wallet.client.post_once(AUTHORIZATION, "moved", wallet.first_body("10"));
    assert_replay(&first, &again);
    assert_eq!(text(&again.json(), "/transaction/state"), "PENDING");
}

#[test]
fn operations_of_each_kind_accept_a_key() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 25_000);
    let purchase = wallet.token(AUTHORIZATION, "10");
    let refund = wallet.token(REFUND, "10");
    let batch = demo().batch("validated");
    for (path, body) in [
        (ADVICE, follow_body(&purchase, "8")),
        (INCREMENT, follow_body(&purchase, "1")),
        (CLEARING, follow_body(&purchase, "8")),
        (REFUND_CLEARING, follow_body(&refund, "10")),
        (ATM, wallet.first_body("1")),
        (CREDIT, credit_body(&wallet.card.budget, "1.00", "GBP")),
        (MFA_SESSIONS, json!({"paymentBatchId": batch}).to_string()),
    ] {
        let name = key("every");
        let first = wallet.client.post_once(path, &name, &body);
        assert!(matches!(first.status, 200 | 201), "{path}: {first:?}");
        assert_replay(&first, &wallet.client.post_once(path, &name, &body));
    }
    assert_eq!(wallet.balance().available, 25_000 - 800 + 1_000 - 100 + 100);
}

#[test]
fn member_order_and_white_space_are_ignored() {
    let client = shared().client();
    let card = &demo().active_card("GBP").id;
    let name = key("order");
    let first = client.post_once(AUTHORIZATION, &name, body("10.00"));
    for same in [
        format!(r#"{{"cardAcceptor":{{"mid":"11111"}},"network":"VISA","amount":10.00,"cardId":"{card}"}}"#),
        format!(
            "\n{{\"amount\" : 10.00 , \"cardAcceptor\" : {{ \"m\\u0069d\" : \"\\u0031\\u0031111\" }}, \
            \"network\": \"VISA\", \"cardId\": \"{card}\"}}\n"
        ),
    ] {
        assert_replay(&first, &client.post_once(AUTHORIZATION, &name, same));
    }
}

#[test]
fn another_request_with_the_key_is_refused_with_every_difference() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 25_000);
    let card = &wallet.card.id;
    let acceptor = r#"{"mid": "11111", "city": "Bath"}"#;
    let sent = format!(r#"{{"cardId": "{card}", "amount": 10.00, "network": "VISA", "cardAcceptor": {acceptor}}}"#);
    expect_json(&wallet.client.post_once(AUTHORIZATION, "mismatch", &sent), 201);
    let changed = |from: &str, to: &str| {
        assert!(sent.contains(from));
        wallet.client.post_once(AUTHORIZATION, "mismatch", sent.replace(from, to))
    };
    let code = "idempotency_mismatch";
    expect_fault(&changed("10.00", "10.0"), 422, "body.amount", code);
    expect_fault(&changed("10.00", "11.00"), 422, "body.amount", code);
    expect_fault(&changed("\"11111\"", "\"011111\""), 422, "body.cardAcceptor.mid", code);
    expect_fault(&changed(", \"city\": \"Bath\"", ""), 422, "body.cardAcceptor.city", code);
    expect_fault(&changed("\"Bath\"", "\"Bath\", \"name\": \"Shop\""), 422, "body.cardAcceptor.name", code);
    expect_fault(&changed(card, ABSENT), 422, "body.cardId", code);
    let two = sent.replace("VISA", "PULSE").replace("10.00", "9");
    let two = wallet.client.post_once(AUTHORIZATION, "mismatch", two);
    expect_faults(&two, 422, &[("body.amount", code), ("body.network", code)]);
    let query = format!("{AUTHORIZATION}?accountId={}&trace=1", demo().account);
    expect_fault(&wallet.client.post_once(&query, "mismatch", &sent), 422, "query.trace", code);
    let path = wallet.client.post_once(ATM, "mismatch", &sent);
    assert!(expect_error(&path, 422).iter().any(|fault| fault.path.is_empty() && fault.code == code));
    assert_eq!(wallet.balance().available, 24_000);
    assert!(wallet.client.post_once(AUTHORIZATION, "mismatch", &sent).replayed());
}

#[test]
fn an_error_leaves_the_key_free() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 25_000);
    let client = &wallet.client;
    expect_error(&client.post_once(AUTHORIZATION, "free", first_body(ABSENT, "10")), 404);
    expect_error(&client.post_once(AUTHORIZATION, "free", wallet.first_body("-1")), 400);
    expect_error(&client.post_once(AUTHORIZATION, "free", "{"), 400);
    expect_error(&client.post_once(CLEARING, "free", follow_body(ABSENT, "10")), 404);
    let refund = wallet.token(REFUND, "1");
    expect_error(&client.post_once(CLEARING, "free", follow_body(&refund, "1")), 409);
    let first = client.post_once(AUTHORIZATION, "free", wallet.first_body("10"));
    expect_json(&first, 201);
    assert_replay(&first, &client.post_once(AUTHORIZATION, "free", wallet.first_body("10")));
    assert_eq!(wallet.balance().available, 24_000);
}

#[test]
fn a_decline_is_recorded_as_a_success() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 500);
    let first = wallet.client.post_once(AUTHORIZATION, "declined", wallet.first_body("10"));
    assert_eq!(text(&first.json(), "/transaction/state"), "DECLINED");
    wallet.credit("100");
    let again = wallet.client.post_once(AUTHORIZATION, "declined", wallet.first_body("10"));
    assert_replay(&first, &again);
    assert_eq!(wallet.balance().available, 10_500);
}

#[test]
fn keys_have_1_to_255_visible_ascii_characters() {
    let client = shared().client();
    let longest = "k".repeat(255);
    for good in ["!", "~", "a,b;c=\"d\"", "8e03978e-40d5-43dd-bc93-6894a57f9324", &longest] {
        let answer = client.post_once(AUTHORIZATION, good, body("0"));
        assert_eq!(answer.status, 201, "{good}: {answer:?}");
    }
    let longer = "k".repeat(256);
    for bad in ["", "a b", "a\tb", &longer, "caf\u{e9}", "🐈"] {
        let answer = raw(&[("Idempotency-Key", bad)]);
        expect_fault(&answer, 400, "header.Idempotency-Key", "invalid_format");
    }
}

/// Sends an account check with these headers over a raw connection.
fn raw(extra: &[(&str, &str)]) -> Answer {
    let body = body("0");
    let length = body.len().to_string();
    let authorization = format!("ApiKey {}", demo().api_key);
    let mut headers = vec![
        ("Authorization", authorization.as_str()),
        ("Content-Type", "application/json"),
        ("Content-Length", &length),
    ];
    headers.extend(extra);
    let target = format!("POST {AUTHORIZATION}?accountId={}", demo().account);
    exchange(&shared().address, &target, &headers, body.as_bytes())
}

#[test]
fn two_keys_are_refused() {
    let (one, two) = (key("one"), key("two"));
    let answer = raw(&[("Idempotency-Key", &one), ("Idempotency-Key", &two)]);
    expect_fault(&answer, 400, "header.Idempotency-Key", "duplicate_parameter");
    let answer = raw(&[("Idempotency-Key", &one), ("idempotency-key", &one)]);
    expect_fault(&answer, 400, "header.Idempotency-Key", "duplicate_parameter");
}

#[test]
fn a_key_on_a_read_is_ignored() {
    let client = shared().client();
    for value in ["a b", "read", "read"] {
        let answer = client.call("GET", BANKS).header("Idempotency-Key", value).send();
        expect_json(&answer, 200);
        assert!(!answer.replayed());
    }
}

#[test]
fn a_confirmation_is_replayed_and_keeps_its_secrets() {
    let server = funded_server();
    let client = server.client();
    let batch = demo().batch("validated");
    let session = open_session(&client, &batch);
    let path = confirm_path(&batch);
    let once = |token: &str| client.post_once(&path, "confirm", mfa_body("sandbox", &session, token));
    assert_eq!(expect_error(&once("000001"), 403)[0].code, "mfa_failed");
    let first = once("000000");
    assert_eq!(expect_json(&first, 200), json!({"status": "confirmed"}));
    assert_replay(&first, &once("000000"));
    let other = expect_error(&once("123456"), 422);
    assert!(other.iter().all(|fault| fault.path.starts_with("body") && fault.code == "idempotency_mismatch"));
    assert!(other.iter().all(|fault| !fault.message.contains("000000")), "{other:?}");
    let fresh = client.post(&path, mfa_body("sandbox", &session, "000000"));
    expect_fault(&fresh, 409, "path.paymentBatchId", "invalid_state");
}

#[test]
fn keys_are_scoped_to_their_account() {
    let server = Server::sandbox();
    let client = server.client();
    let body = credit_body(&demo().budget("GBP"), "1.00", "GBP");
    let first = client.post_once(CREDIT, "mine", &body);
    expect_json(&first, 200);
    let foreign = server.other().post_once(CREDIT, "mine", &body);
    expect_fault(&foreign, 404, "body.budgetId", "not_found");
    assert_replay(&first, &client.post_once(CREDIT, "mine", &body));
}

#[test]
fn replays_survive_a_restart() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 25_000);
    let first = wallet.client.post_once(AUTHORIZATION, "restart", wallet.first_body("10"));
    let (status, workspace) = server.stop();
    assert!(status.success());
    let server = Server::on(workspace);
    let again = server.client().post_once(AUTHORIZATION, "restart", wallet.first_body("10"));
    assert_replay(&first, &again);
    let balance = Wallet { client: server.client(), ..wallet.clone() }.balance();
    assert_eq!(balance.available, 24_000);
}

#[test]
fn callers_without_scope_or_credentials_never_get_a_stored_answer() {
    let name = key("secret");
    let first = shared().client().post_once(AUTHORIZATION, &name, body("0")).json();
    assert!(first["transaction"].is_object());
    let limited = shared().limited().post_once(AUTHORIZATION, &name, body("0"));
    expect_fault(&limited, 403, "header.Authorization", "insufficient_scope");
    let anonymous = anonymous().post_once(AUTHORIZATION, &name, body("0"));
    expect_fault(&anonymous, 401, "header.Authorization", "missing_credentials");
}
