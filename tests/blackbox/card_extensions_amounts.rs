//! Partial approval, and the acquirer's fee.

use crate::openapi::assert_documented;
use crate::support::assert::text;
use crate::support::load::check_journal;
use crate::support::record::{assert_record, expected};
use crate::support::wallet::{follow_body, transaction};
use crate::support::{ATM, ATM_CLEARING, AUTHORIZATION, CLEARING, REVERSAL, Server, Wallet, chain_path, expect_json};
use serde_json::{Value, json};

/// Sends an authorization that may be approved in part.
fn authorize_partly(wallet: &Wallet, amount: &str) -> Value {
    let body = wallet.first_body(amount).replacen('{', r#"{"partialApproval": true, "#, 1);
    let answer = wallet.client.post(AUTHORIZATION, body);
    assert_documented("post", AUTHORIZATION, &answer);
    transaction(&answer)
}

/// Withdraws an amount at an ATM whose acquirer charges a fee.
fn withdraw(wallet: &Wallet, amount: &str, fee: &str) -> Value {
    let body = wallet.first_body(amount).replacen('{', &format!(r#"{{"acquirerFeeAmount": {fee}, "#), 1);
    transaction(&wallet.client.post(ATM, body))
}

#[test]
fn the_available_amount_is_approved() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 700);
    let partial = authorize_partly(&wallet, "10");
    let ledger = wallet.format_ledger(700);
    let mut want = expected("authorization", "PENDING");
    (want.code, want.memo) = ("0002", "Partially approved");
    (want.amount, want.requested, want.impacted) = ("7.00", "10.00", "-7.00");
    (want.ledger, want.available) = (&ledger, "0.00");
    assert_record(&partial, &wallet.card, &want);
    let declined = authorize_partly(&wallet, "10");
    assert_eq!((text(&declined, "/state"), text(&declined, "/response/code")), ("DECLINED", "1016"));
    let token = text(&partial, "/token");
    let cleared = wallet.follow_ok(CLEARING, token, "7");
    assert_eq!(text(&cleared, "/gpa/availableBalance"), "0.00");
    check_journal(server.workspace());
}

#[test]
fn partial_approval_must_be_requested_and_necessary() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 700);
    let approved = authorize_partly(&wallet, "7");
    assert_eq!((text(&approved, "/response/code"), text(&approved, "/amount")), ("0000", "7.00"));
    let reversal =
        wallet.client.post(REVERSAL, format!(r#"{{"precedingRelatedTransactionToken": {}}}"#, approved["token"]));
    expect_json(&reversal, 201);
    assert_eq!(text(&wallet.authorize("10"), "/response/code"), "1016");
    let without_approval = wallet.first_body("10").replacen('{', r#"{"partialApproval": false, "#, 1);
    assert_eq!(text(&transaction(&wallet.client.post(AUTHORIZATION, without_approval)), "/response/code"), "1016");
}

#[test]
fn the_fee_is_added_to_hold_and_clearing() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 25_000);
    let held = withdraw(&wallet, "100", "2.50");
    assert_eq!((text(&held, "/amount"), text(&held, "/acquirerFeeAmount")), ("100.00", "2.50"));
    assert_eq!(text(&held, "/requestAmount"), "100.00");
    assert_eq!(text(&held, "/gpa/impactedAmount"), "-102.50");
    assert_eq!(text(&held, "/gpa/availableBalance"), "147.50");
    let token = text(&held, "/token");
    let body = follow_body(token, "100").replacen('{', r#"{"acquirerFeeAmount": 2, "#, 1);
    let answer = wallet.client.post(ATM_CLEARING, body);
    assert_documented("post", ATM_CLEARING, &answer);
    let cleared = transaction(&answer);
    assert_eq!((text(&cleared, "/amount"), text(&cleared, "/acquirerFeeAmount")), ("100.00", "2.00"));
    assert_eq!(text(&cleared, "/gpa/impactedAmount"), "-102.00");
    assert_eq!(text(&cleared, "/gpa/ledgerBalance"), wallet.format_ledger(14_800));
    assert_eq!(text(&cleared, "/gpa/availableBalance"), "148.00");
    let chain = expect_json(&wallet.client.get(&chain_path(token)), 200);
    assert_eq!(chain["hold"]["clearedAmount"], "102.00");
    assert_eq!(chain["hold"]["steps"][0]["heldAmount"], "102.50");
    let network = chain["journal"][1]["postings"].as_array().unwrap().last().unwrap().clone();
    assert_eq!(network, json!({"pool": "card_network", "budgetId": null, "amount": "102.00"}));
    check_journal(server.workspace());
}

#[test]
fn a_clearing_without_a_fee_charges_none() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 25_000);
    let held = withdraw(&wallet, "100", "2.50");
    let cleared = wallet.follow_ok(ATM_CLEARING, text(&held, "/token"), "100");
    assert_eq!((text(&cleared, "/acquirerFeeAmount"), text(&cleared, "/gpa/availableBalance")), ("0.00", "150.00"));
    let short = withdraw(&wallet, "150", "0.01");
    assert_eq!(text(&short, "/response/code"), "1016", "the balance does not cover amount and fee");
    assert_eq!(text(&short, "/acquirerFeeAmount"), "0.01");
    assert_eq!(text(&withdraw(&wallet, "150", "0"), "/response/code"), "0000");
}
