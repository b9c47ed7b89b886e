//! `POST /v2/payment-batches/{paymentBatchId}/confirm`: requirements, effects and refusals.

use serde_json::json;

use crate::support::assert::text;
use crate::support::batches::{confirm, funded_server, mfa_body, open_session};
use crate::support::payments::{confirmed, euros, filled, fresh_sandbox, pounds};
use crate::support::wallet::{Balance, credit_body};
use crate::support::{
    ABSENT, Answer, CREDIT, Client, MFA_SESSIONS, Server, Wallet, Workspace, confirm_path, demo, expect_error,
    expect_fault, expect_faults, expect_json, shared,
};

#[test]
fn a_validated_batch_is_confirmed_once() {
    let server = funded_server();
    let client = server.client();
    let batch = demo().batch("validated");
    let session = open_session(&client, &batch);
    let answer = confirm(&client, &batch, &session, "000000");
    assert_eq!(expect_json(&answer, 200), json!({"status": "confirmed"}));
    let second = confirm(&client, &batch, &session, "000000");
    let fault = expect_fault(&second, 409, "path.paymentBatchId", "invalid_state");
    // The processing of the batch may have begun by now.
    let named = ["confirmed", "started", "completed"].map(|status| format!("(got {status})"));
    assert!(named.iter().any(|status| fault.message.ends_with(status.as_str())), "{}", fault.message);
    let late = client.post(MFA_SESSIONS, json!({"paymentBatchId": batch}).to_string());
    expect_fault(&late, 409, "body.paymentBatchId", "invalid_state");
}

#[test]
fn the_id_is_read_in_either_case() {
    let server = funded_server();
    let client = server.client();
    let batch = demo().batch("validated");
    let session = open_session(&client, &batch.to_uppercase());
    let answer = confirm(&client, &batch.to_uppercase(), &session.to_uppercase(), "000000");
    assert_eq!(expect_json(&answer, 200), json!({"status": "confirmed"}));
}

#[test]
fn the_providers_name_of_the_original_is_an_alias() {
    let server = funded_server();
    let client = server.client();
    let batch = demo().batch("validated");
    let session = open_session(&client, &batch);
    let answer = client.post(&confirm_path(&batch), mfa_body("fx-mfa-service", &session, "000000"));
    assert_eq!(expect_json(&answer, 200), json!({"status": "confirmed"}));
}

#[test]
fn only_a_validated_batch_can_be_confirmed_whatever_the_token() {
    let client = shared().client();
    for status in ["draft", "confirmed", "started", "completed", "failed", "cancelled"] {
        for batch in demo().batches(status) {
            for token in ["000000", "000001"] {
                let answer = confirm(&client, &batch, ABSENT, token);
                let fault = expect_fault(&answer, 409, "path.paymentBatchId", "invalid_state");
                assert!(fault.message.contains(status), "{status} is not named: {}", fault.message);
            }
        }
    }
}

#[test]
fn absent_and_foreign_batches_get_the_same_answer() {
    let batch = demo().batch("validated");
    let absent = confirm(&shared().client(), ABSENT, ABSENT, "000000");
    expect_fault(&absent, 404, "path.paymentBatchId", "not_found");
    let foreign = confirm(&shared().other(), &batch, ABSENT, "000000");
    expect_fault(&foreign, 404, "path.paymentBatchId", "not_found");
    assert_eq!(absent.text().replace(ABSENT, ""), foreign.text().replace(&batch, ""));
}

#[test]
fn mfa_is_required() {
    let client = shared().client();
    let path = confirm_path(&demo().batch("validated"));
    expect_fault(&client.post(&path, "{}"), 400, "body.mfa", "mfa_required");
    let inside =
        [("body.mfa.provider", "required"), ("body.mfa.sessionId", "required"), ("body.mfa.token", "required")];
    expect_faults(&client.post(&path, r#"{"mfa": {}}"#), 400, &inside);
    let nulls = r#"{"mfa": {"provider": null, "sessionId": null, "token": null}}"#;
    expect_faults(&client.post(&path, nulls), 400, &inside);
}

fn balances(wallets: &[Wallet]) -> Vec<Balance> {
    wallets.iter().map(Wallet::balance).collect()
}

#[test]
fn confirming_reserves_the_funds_and_moves_nothing() {
    let (server, client) = fresh_sandbox();
    let wallets = [Wallet::with(&server, "GBP", 100_000), Wallet::with(&server, "EUR", 50_000)];
    let before = balances(&wallets);
    // The simulated bank keeps these payments pending, so that nothing but the confirmation changes the balances.
    let batch = filled(&client, &[pounds("10", "SBX-PENDING"), euros("15", "SBX-PENDING")]);
    confirmed(&client, &batch);
    for ((before, after), cost) in before.iter().zip(balances(&wallets)).zip([1_000, 1_500]) {
        assert_eq!(before.ledger, after.ledger, "confirming moved money");
        assert_eq!(before.available - after.available, cost);
    }
}

/// Reduces the available balance of every budget of the demo account to zero.
fn drain(server: &Server) {
    Wallet::with(server, "GBP", 0);
    Wallet::with(server, "JPY", 0);
    if demo().active_cards("EUR").next().is_some() {
        Wallet::with(server, "EUR", 0);
    }
}

/// Confirms validated batches until the funds do not suffice for one. Returns this batch, its session and the answer.
fn batch_without_funds(client: &Client) -> (String, String, Answer) {
    for batch in demo().batches("validated") {
        let session = open_session(client, &batch);
        let answer = confirm(client, &batch, &session, "000000");
        if answer.status == 409 {
            return (batch, session, answer);
        }
        expect_json(&answer, 200);
    }
    panic!("every batch was funded from drained budgets");
}

#[test]
fn insufficient_funds_use_up_neither_session_nor_token() {
    let server = Server::sandbox();
    let client = server.client();
    drain(&server);
    let (batch, session, answer) = batch_without_funds(&client);
    for fault in expect_error(&answer, 409) {
        assert_eq!((fault.path.as_str(), fault.code.as_str()), ("", "insufficient_funds"));
        let digits = fault.message.chars().filter(char::is_ascii_digit).count();
        assert!(digits > 1, "neither the needed nor the available amount: {}", fault.message);
    }
    let again = confirm(&client, &batch, &session, "000000");
    assert!(expect_error(&again, 409).iter().all(|fault| fault.code == "insufficient_funds"));
    for currency in ["GBP", "EUR", "JPY"] {
        let credit = credit_body(&demo().budget(currency), "1000000000", currency);
        expect_json(&client.post(CREDIT, credit), 200);
    }
    let funded = confirm(&client, &batch, &session, "000000");
    assert_eq!(expect_json(&funded, 200), json!({"status": "confirmed"}));
}

#[test]
fn the_token_is_checked_before_the_funds() {
    let server = Server::sandbox();
    let client = server.client();
    drain(&server);
    let (batch, session, _) = batch_without_funds(&client);
    let answer = confirm(&client, &batch, &session, "000001");
    assert_eq!(expect_error(&answer, 403)[0].code, "mfa_failed");
}

#[test]
fn confirming_requires_a_scope() {
    let batch = demo().batch("validated");
    let answer = confirm(&shared().limited(), &batch, ABSENT, "000000");
    let fault = expect_fault(&answer, 403, "header.Authorization", "insufficient_scope");
    assert!(fault.message.contains("payment-batches:confirm:any"), "{}", fault.message);
}

#[test]
fn mfa_can_be_waived_for_an_account() {
    let workspace = Workspace::demo();
    let client = workspace.json(&["clients", "create", "--name", "No MFA", "--json"]);
    let client = text(&client, "/id").to_owned();
    workspace.json(&["accounts", "create", "F70001", "--client", &client, "--mfa-optional", "--json"]);
    let key = workspace.json(&["keys", "issue", "--client", &client, "--all-scopes", "--json"]);
    let server = Server::on(workspace);
    let optional = server.client_of(text(&key, "/key"), "F70001");
    expect_fault(&optional.post(&confirm_path(ABSENT), "{}"), 404, "path.paymentBatchId", "not_found");
    let inside = optional.post(&confirm_path(ABSENT), r#"{"mfa": {"provider": "sandbox", "token": "000000"}}"#);
    expect_fault(&inside, 400, "body.mfa.sessionId", "required");
}

#[test]
fn every_currency_that_is_short_is_named() {
    let server = Server::sandbox();
    for (currency, left) in [("GBP", 999), ("EUR", 1_499)] {
        Wallet::with(&server, currency, left);
    }
    // The batch with payment orders of 10.00 GBP and 15.00 EUR.
    let batch = demo().batches("validated").swap_remove(3);
    let client = server.client();
    let session = open_session(&client, &batch);
    let faults = expect_error(&confirm(&client, &batch, &session, "000000"), 409);
    assert!(faults.iter().all(|fault| fault.path.is_empty() && fault.code == "insufficient_funds"), "{faults:?}");
    let named = |needed: &str, available: &str, currency: &str| {
        let budget = demo().budget(currency);
        let all = [needed, available, currency, budget.as_str()];
        faults.iter().filter(|fault| all.iter().all(|word| fault.message.contains(word))).count()
    };
    assert_eq!((faults.len(), named("10.00", "9.99", "GBP"), named("15.00", "14.99", "EUR")), (2, 1, 1), "{faults:?}");
}
