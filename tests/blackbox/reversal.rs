//! `POST …/authorization/reversal`: partial and full reversals.

use serde_json::Value;

use crate::support::assert::text;
use crate::support::record::{Expected, assert_record, expected};
use crate::support::wallet::{Balance, transaction};
use crate::support::{
    ADVICE, ATM, ATM_CLEARING, AUTHORIZATION, CLEARING, REFUND, REVERSAL, Server, Wallet, expect_error, expect_fault,
};

const PRECEDING: &str = "body.precedingRelatedTransactionToken";

/// Starts a server. Returns the server, a card with 250.00 available, and the token of a first message of 10.00.
fn with_first_message(path: &str) -> (Server, Wallet, String) {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 25_000);
    let token = wallet.token(path, "10");
    (server, wallet, token)
}

fn reverse(wallet: &Wallet, token: &str, amount: &str) -> Value {
    let body = format!(r#"{{"precedingRelatedTransactionToken": "{token}"{amount}}}"#);
    transaction(&wallet.client.post(REVERSAL, body))
}

fn expected_reversal<'a>(state: &'a str, ledger: &'a str, preceding: &'a str) -> Expected<'a> {
    let mut want = expected("authorization.reversal", state);
    (want.ledger, want.preceding) = (ledger, Some(preceding));
    (want.available, want.impacted) = ("250.00", "10.00");
    want
}

#[test]
fn without_an_amount_everything_is_released() {
    for amount in ["", r#", "amount": null"#, r#", "amount": 10"#] {
        let (_server, wallet, token) = with_first_message(AUTHORIZATION);
        let ledger = wallet.format_ledger(25_000);
        let want = expected_reversal("CLEARED", &ledger, &token);
        assert_record(&reverse(&wallet, &token, amount), &wallet.card, &want);
        expect_fault(&wallet.follow(REVERSAL, &token, "1"), 409, PRECEDING, "already_reversed");
        expect_fault(&wallet.follow(CLEARING, &token, "10"), 409, PRECEDING, "already_reversed");
        assert_eq!(wallet.balance(), Balance { ledger: 25_000 + wallet.reserved, available: 25_000 });
    }
}

#[test]
fn a_partial_reversal_can_be_followed_by_the_rest() {
    let (_server, wallet, token) = with_first_message(AUTHORIZATION);
    let ledger = wallet.format_ledger(25_000);
    let mut want = expected_reversal("PENDING", &ledger, &token);
    (want.available, want.amount, want.impacted) = ("244.00", "4.00", "4.00");
    let first = wallet.follow_ok(REVERSAL, &token, "4");
    assert_record(&first, &wallet.card, &want);
    let partial = text(&first, "/token");
    let mut want = expected_reversal("CLEARED", &ledger, partial);
    (want.amount, want.impacted) = ("6.00", "6.00");
    let last = wallet.follow_ok(REVERSAL, partial, "6");
    assert_record(&last, &wallet.card, &want);
    for token in [token.as_str(), partial] {
        expect_fault(&wallet.follow(REVERSAL, token, "1"), 409, PRECEDING, "already_reversed");
    }
    let on_last = wallet.follow(REVERSAL, text(&last, "/token"), "1");
    expect_fault(&on_last, 409, PRECEDING, "wrong_transaction_kind");
}

#[test]
fn a_reversal_above_the_hold_is_refused() {
    let (_server, wallet, token) = with_first_message(AUTHORIZATION);
    for amount in ["10.01", "1000000000"] {
        let faults = expect_error(&wallet.follow(REVERSAL, &token, amount), 409);
        assert_eq!(faults[0].code, "amount_exceeds_hold");
        assert!(faults[0].path.starts_with("body."), "{faults:?}");
    }
    wallet.follow_ok(REVERSAL, &token, "4");
    assert_eq!(expect_error(&wallet.follow(REVERSAL, &token, "6.01"), 409)[0].code, "amount_exceeds_hold");
    assert_eq!(wallet.balance().available, 24_400);
}

#[test]
fn a_reversal_after_an_advice_releases_the_new_hold() {
    let (_server, wallet, token) = with_first_message(AUTHORIZATION);
    wallet.follow_ok(ADVICE, &token, "8");
    let ledger = wallet.format_ledger(25_000);
    let mut want = expected_reversal("CLEARED", &ledger, &token);
    (want.amount, want.impacted) = ("8.00", "8.00");
    assert_record(&reverse(&wallet, &token, ""), &wallet.card, &want);
}

#[test]
fn a_reversal_after_a_partial_clearing_releases_the_rest() {
    let (_server, wallet, token) = with_first_message(AUTHORIZATION);
    let body = format!(r#"{{"precedingRelatedTransactionToken": "{token}", "amount": 4, "finalClearing": false}}"#);
    transaction(&wallet.client.post(CLEARING, body));
    assert_eq!(expect_error(&wallet.follow(REVERSAL, &token, "6.01"), 409)[0].code, "amount_exceeds_hold");
    let rest = reverse(&wallet, &token, "");
    assert_eq!((text(&rest, "/amount"), text(&rest, "/gpa/impactedAmount")), ("6.00", "6.00"));
    assert_eq!(wallet.balance_in(&rest), Balance { ledger: 24_600 + wallet.reserved, available: 24_600 });
    expect_fault(&wallet.follow(CLEARING, &token, "1"), 409, PRECEDING, "already_reversed");
}

#[test]
fn a_withdrawal_can_be_reversed() {
    let (_server, wallet, token) = with_first_message(ATM);
    let ledger = wallet.format_ledger(25_000);
    let mut want = expected_reversal("CLEARED", &ledger, &token);
    want.subnetwork = "VISAPLUS";
    assert_record(&reverse(&wallet, &token, ""), &wallet.card, &want);
    expect_fault(&wallet.follow(ATM_CLEARING, &token, "10"), 409, PRECEDING, "already_reversed");
}

#[test]
fn a_partial_reversal_identifies_the_chain() {
    let (_server, wallet, token) = with_first_message(AUTHORIZATION);
    let partial = wallet.follow_ok(REVERSAL, &token, "4");
    let cleared = wallet.follow_ok(CLEARING, text(&partial, "/token"), "6");
    assert_eq!(wallet.balance_in(&cleared), Balance { ledger: 24_400 + wallet.reserved, available: 24_400 });
}

#[test]
fn refunds_and_clearings_cannot_be_reversed() {
    let (_server, wallet, token) = with_first_message(REFUND);
    expect_fault(&wallet.follow(REVERSAL, &token, "10"), 409, PRECEDING, "wrong_transaction_kind");
    let purchase = wallet.token(AUTHORIZATION, "10");
    let clearing = wallet.follow_ok(CLEARING, &purchase, "10");
    let answer = wallet.follow(REVERSAL, text(&clearing, "/token"), "10");
    expect_fault(&answer, 409, PRECEDING, "wrong_transaction_kind");
    expect_fault(&wallet.follow(REVERSAL, &purchase, "10"), 409, PRECEDING, "already_cleared");
}
