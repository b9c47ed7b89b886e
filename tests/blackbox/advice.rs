//! `POST …/authorization/advice`: the amount replaces the held amount.

use crate::support::assert::text;
use crate::support::record::{assert_record, expected};
use crate::support::{ADVICE, ATM, CLEARING, REFUND, REVERSAL, Wallet, expect_fault, expect_json};

const PRECEDING: &str = "body.precedingRelatedTransactionToken";

/// Sends an advice with this total, checks its record, and returns its token.
fn advised(wallet: &Wallet, token: &str, total: &str, available: &str) -> String {
    let advice = wallet.follow_ok(ADVICE, token, total);
    let ledger = wallet.format_ledger(25_000);
    let impacted = format!("-{total}");
    let mut want = expected("authorization.advice", "PENDING");
    (want.ledger, want.available, want.preceding) = (&ledger, available, Some(token));
    (want.amount, want.requested, want.impacted) = (total, total, &impacted);
    assert_record(&advice, &wallet.card, &want);
    text(&advice, "/token").to_owned()
}

#[test]
fn a_lower_advice_releases_the_difference() {
    let (_server, wallet, token) = Wallet::with_hold();
    advised(&wallet, &token, "8.00", "242.00");
    assert_eq!(wallet.balance().available, 24_200);
}

#[test]
fn a_higher_advice_holds_more() {
    let (_server, wallet, token) = Wallet::with_hold();
    advised(&wallet, &token, "15.00", "235.00");
    advised(&wallet, &token, "250.00", "0.00");
}

#[test]
fn an_equal_advice_changes_nothing() {
    let (_server, wallet, token) = Wallet::with_hold();
    advised(&wallet, &token, "10.00", "240.00");
}

#[test]
fn an_advice_above_the_available_balance_is_declined_and_the_hold_stays() {
    let (_server, wallet, token) = Wallet::with_hold();
    let advice = wallet.follow_ok(ADVICE, &token, "250.01");
    let ledger = wallet.format_ledger(25_000);
    let mut want = expected("authorization.advice", "DECLINED");
    (want.code, want.memo) = ("1016", "Not sufficient funds");
    (want.ledger, want.preceding) = (&ledger, Some(token.as_str()));
    (want.amount, want.requested, want.impacted) = ("250.01", "250.01", "0.00");
    assert_record(&advice, &wallet.card, &want);
    let again = wallet.follow(CLEARING, text(&advice, "/token"), "10");
    expect_fault(&again, 409, PRECEDING, "wrong_transaction_kind");
    let cleared = wallet.follow_ok(CLEARING, &token, "10");
    assert_eq!(text(&cleared, "/gpa/availableBalance"), "240.00");
}

#[test]
fn the_token_of_an_advice_identifies_the_chain() {
    let (_server, wallet, token) = Wallet::with_hold();
    let first = advised(&wallet, &token, "8.00", "242.00");
    let second = advised(&wallet, &first, "9.00", "241.00");
    let cleared = wallet.follow_ok(CLEARING, &second, "9");
    assert_eq!(text(&cleared, "/precedingRelatedTransactionToken"), second);
    assert_eq!(text(&cleared, "/gpa/availableBalance"), "241.00");
    for token in [&token, &first, &second] {
        expect_fault(&wallet.follow(ADVICE, token, "1"), 409, PRECEDING, "already_cleared");
    }
}

#[test]
fn an_advice_is_refused_after_any_clearing() {
    let (_server, wallet, token) = Wallet::with_hold();
    let body = format!(r#"{{"precedingRelatedTransactionToken": "{token}", "amount": 4, "finalClearing": false}}"#);
    let clearing = expect_json(&wallet.client.post(CLEARING, body), 201);
    expect_fault(&wallet.follow(ADVICE, &token, "8"), 409, PRECEDING, "already_cleared");
    let on_clearing = wallet.follow(ADVICE, text(&clearing, "/transaction/token"), "8");
    expect_fault(&on_clearing, 409, PRECEDING, "wrong_transaction_kind");
    assert_eq!(wallet.balance().available, 24_000);
}

#[test]
fn an_advice_is_refused_after_a_full_reversal() {
    let (_server, wallet, token) = Wallet::with_hold();
    wallet.follow_ok(REVERSAL, &token, "10");
    expect_fault(&wallet.follow(ADVICE, &token, "8"), 409, PRECEDING, "already_reversed");
    assert_eq!(wallet.balance().available, 25_000);
}

#[test]
fn after_a_partial_reversal_an_advice_replaces_the_rest() {
    let (_server, wallet, token) = Wallet::with_hold();
    let reversal = wallet.follow_ok(REVERSAL, &token, "4");
    assert_eq!(text(&reversal, "/gpa/availableBalance"), "244.00");
    advised(&wallet, text(&reversal, "/token"), "7.00", "243.00");
}

#[test]
fn an_advice_works_on_purchases_only() {
    let (_server, wallet, _) = Wallet::with_hold();
    for path in [ATM, REFUND] {
        let token = wallet.token(path, "10");
        let answer = wallet.follow(ADVICE, &token, "5");
        let fault = expect_fault(&answer, 409, PRECEDING, "wrong_transaction_kind");
        assert!(!fault.message.is_empty());
    }
}
