//! The order of checks (contract section 1.3): of two faults in different stages, only the earlier one is reported.

use serde_json::json;

use crate::support::batches::confirm;
use crate::support::http::exchange;
use crate::support::wallet::{first_body, follow_body};
use crate::support::{
    ABSENT, AUTHORIZATION, CHECKOUTS, CLEARING, LOOKUP, Server, Wallet, anonymous, confirm_path, demo, expect_fault,
    shared,
};

#[test]
fn the_route_and_method_are_checked_before_the_credentials() {
    expect_fault(&anonymous().get("/v2/nothing?"), 404, "", "not_found");
    expect_fault(&anonymous().call("DELETE", CHECKOUTS).send(), 405, "", "method_not_allowed");
    expect_fault(&anonymous().get(AUTHORIZATION), 405, "", "method_not_allowed");
}

#[test]
fn the_credentials_are_checked_before_the_scope() {
    let answer = anonymous().post(&format!("{AUTHORIZATION}?"), "{");
    expect_fault(&answer, 401, "header.Authorization", "missing_credentials");
}

#[test]
fn the_scope_is_checked_before_features_media_type_and_shape() {
    let limited = shared().limited();
    expect_fault(&limited.get(&format!("{LOOKUP}?")), 403, "header.Authorization", "insufficient_scope");
    let answer = limited.call("POST", AUTHORIZATION).header("Content-Type", "text/plain").bytes("{").send();
    expect_fault(&answer, 403, "header.Authorization", "insufficient_scope");
    let authorization = format!("ApiKey {}", demo().limited_key);
    let headers = [
        ("Authorization", authorization.as_str()),
        ("Content-Type", "application/json"),
        ("Content-Length", "1048577"),
    ];
    let target = format!("POST {AUTHORIZATION}?accountId={}", demo().account);
    let answer = exchange(&shared().address, &target, &headers, b"");
    expect_fault(&answer, 403, "header.Authorization", "insufficient_scope");
    expect_fault(&limited.get(&format!("{CHECKOUTS}?limit=0")), 403, "header.Authorization", "insufficient_scope");
}

#[test]
fn the_media_type_is_checked_before_the_syntax() {
    let client = shared().client();
    let answer = client.call("POST", AUTHORIZATION).header("Content-Type", "text/plain").bytes("{").send();
    expect_fault(&answer, 415, "header.Content-Type", "unsupported_media_type");
    for encoding in ["gzip", "identity, br", ""] {
        let call = client.call("POST", AUTHORIZATION).header("Content-Type", "application/json");
        let answer = call.header("Content-Encoding", encoding).bytes("{").send();
        expect_fault(&answer, 415, "header.Content-Encoding", "unsupported_media_type");
    }
    let call = client.call("POST", AUTHORIZATION).header("Content-Type", "application/json");
    let answer = call.header("Content-Encoding", "Identity").bytes("{").send();
    expect_fault(&answer, 400, "body", "invalid_json");
}

#[test]
fn the_syntax_is_checked_before_the_shape_of_query_and_path() {
    let client = shared().client();
    let answer = client.post(&format!("{AUTHORIZATION}?accountId="), "{\"amount\": }");
    expect_fault(&answer, 400, "body", "invalid_json");
    let answer = client.post(&format!("{}?", confirm_path("x")), "{");
    expect_fault(&answer, 400, "body", "invalid_json");
}

#[test]
fn the_shape_is_checked_before_the_account() {
    let client = shared().client().with_account("F00000");
    let card = &demo().active_card("GBP").id;
    let answer = client.post(AUTHORIZATION, first_body(card, "-1"));
    expect_fault(&answer, 400, "body.amount", "out_of_range");
    let answer = client.get(&format!("{CHECKOUTS}?accountId=F00000&limit=0"));
    expect_fault(&answer, 400, "query.limit", "out_of_range");
    let answer = client.call("POST", AUTHORIZATION).header("Idempotency-Key", "a b").json(first_body(card, "1")).send();
    expect_fault(&answer, 400, "header.Idempotency-Key", "invalid_format");
}

#[test]
fn the_account_is_checked_before_the_object() {
    let client = shared().client().with_account("F00000");
    let answer = client.post(AUTHORIZATION, first_body(ABSENT, "1"));
    expect_fault(&answer, 404, "query.accountId", "not_found");
    let answer = confirm(&client, &demo().batch("draft"), ABSENT, "1");
    expect_fault(&answer, 404, "query.accountId", "not_found");
}

#[test]
fn the_idempotency_record_is_checked_before_the_object() {
    let client = shared().client();
    let card = &demo().active_card("GBP").id;
    let first = client.post_once(AUTHORIZATION, "order-of-checks", first_body(card, "0"));
    assert_eq!(first.status, 201, "{first:?}");
    let answer = client.post_once(AUTHORIZATION, "order-of-checks", first_body(ABSENT, "0"));
    expect_fault(&answer, 422, "body.cardId", "idempotency_mismatch");
    let answer = client.post_once(AUTHORIZATION, "order-of-checks", first_body("x", "0"));
    expect_fault(&answer, 400, "body.cardId", "invalid_format");
}

#[test]
fn the_object_is_checked_before_values_that_depend_on_it() {
    let client = shared().client();
    let answer = client.post(AUTHORIZATION, first_body(ABSENT, "10.001"));
    expect_fault(&answer, 404, "body.cardId", "not_found");
    let answer = client.post(CLEARING, follow_body(ABSENT, "10.001"));
    expect_fault(&answer, 404, "body.precedingRelatedTransactionToken", "not_found");
}

#[test]
fn values_are_checked_before_the_state() {
    let client = shared().client();
    let suspended = &demo().card_in("SUSPENDED").id;
    let answer = client.post(AUTHORIZATION, first_body(suspended, "10.0001"));
    expect_fault(&answer, 400, "body.amount", "too_many_decimals");

    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 1_000);
    let token = wallet.token(AUTHORIZATION, "10");
    wallet.follow_ok(CLEARING, &token, "10");
    expect_fault(&wallet.follow(CLEARING, &token, "1.001"), 400, "body.amount", "too_many_decimals");
    let answer = wallet.follow(CLEARING, &token, "1");
    expect_fault(&answer, 409, "body.precedingRelatedTransactionToken", "already_cleared");
}

#[test]
fn the_state_is_checked_before_mfa() {
    let answer = confirm(&shared().client(), &demo().batch("cancelled"), ABSENT, "000001");
    expect_fault(&answer, 409, "path.paymentBatchId", "invalid_state");
}

#[test]
fn the_kind_of_a_message_is_checked_before_the_state_of_its_chain() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 1_000);
    let token = wallet.token(AUTHORIZATION, "10");
    let clearing = wallet.follow_ok(CLEARING, &token, "10");
    let answer = wallet.follow(CLEARING, clearing["token"].as_str().unwrap(), "1");
    let fault = expect_fault(&answer, 409, "body.precedingRelatedTransactionToken", "wrong_transaction_kind");
    assert!(fault.message.contains("clearing"), "the answer does not name the kind of the message: {}", fault.message);
}

#[test]
fn the_batch_is_checked_before_the_mfa_session() {
    let client = shared().client();
    let body = json!({"mfa": {"provider": "sandbox", "sessionId": ABSENT, "token": "000001"}}).to_string();
    expect_fault(&client.post(&confirm_path(ABSENT), body), 404, "path.paymentBatchId", "not_found");
}
