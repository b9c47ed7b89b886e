//! `POST …/authorization/clearing`: below, equal to and above the held amount, final and not final.

use serde_json::Value;

use crate::support::assert::text;
use crate::support::record::{assert_record, expected};
use crate::support::wallet::{Balance, transaction};
use crate::support::{ATM, AUTHORIZATION, CLEARING, REFUND, REVERSAL, Wallet, expect_fault};

const PRECEDING: &str = "body.precedingRelatedTransactionToken";

fn clear(wallet: &Wallet, token: &str, amount: &str, is_final: bool) -> Value {
    let body = format!(
        r#"{{"precedingRelatedTransactionToken": "{token}", "amount": {amount}, "finalClearing": {is_final}}}"#
    );
    transaction(&wallet.client.post(CLEARING, body))
}

fn balance(wallet: &Wallet, ledger: i64, available: i64) -> Balance {
    Balance { ledger: ledger + wallet.reserved, available }
}

#[test]
fn a_clearing_of_the_whole_hold_has_every_member() {
    let (_server, wallet, token) = Wallet::with_hold();
    let ledger = wallet.format_ledger(24_000);
    let mut want = expected("authorization.clearing", "COMPLETION");
    (want.ledger, want.preceding) = (&ledger, Some(token.as_str()));
    assert_record(&wallet.follow_ok(CLEARING, &token, "10"), &wallet.card, &want);
    assert_eq!(wallet.balance(), balance(&wallet, 24_000, 24_000));
}

#[test]
fn a_clearing_below_the_hold_releases_the_rest() {
    let (_server, wallet, token) = Wallet::with_hold();
    let ledger = wallet.format_ledger(24_300);
    let mut want = expected("authorization.clearing", "COMPLETION");
    (want.ledger, want.available, want.preceding) = (&ledger, "243.00", Some(token.as_str()));
    (want.amount, want.requested, want.impacted) = ("7.00", "7.00", "-7.00");
    assert_record(&clear(&wallet, &token, "7", true), &wallet.card, &want);
    expect_fault(&wallet.follow(CLEARING, &token, "3"), 409, PRECEDING, "already_cleared");
}

#[test]
fn final_is_the_default_and_may_be_null() {
    let (_server, wallet, token) = Wallet::with_hold();
    let body = format!(r#"{{"precedingRelatedTransactionToken": "{token}", "amount": 7, "finalClearing": null}}"#);
    transaction(&wallet.client.post(CLEARING, body));
    assert_eq!(wallet.balance(), balance(&wallet, 24_300, 24_300));
}

#[test]
fn a_clearing_that_is_not_final_keeps_the_rest_held() {
    let (_server, wallet, token) = Wallet::with_hold();
    let first = clear(&wallet, &token, "4", false);
    assert_eq!(text(&first, "/amount"), "4.00");
    assert_eq!(text(&first, "/gpa/impactedAmount"), "-4.00");
    assert_eq!(wallet.balance_in(&first), balance(&wallet, 24_600, 24_000));
    let second = clear(&wallet, &token, "1", false);
    assert_eq!(wallet.balance_in(&second), balance(&wallet, 24_500, 24_000));
    let last = clear(&wallet, &token, "2", true);
    assert_eq!(text(&last, "/state"), "COMPLETION");
    assert_eq!(wallet.balance_in(&last), balance(&wallet, 24_300, 24_300));
    expect_fault(&wallet.follow(CLEARING, &token, "1"), 409, PRECEDING, "already_cleared");
}

#[test]
fn a_clearing_of_the_whole_hold_ends_the_chain_even_if_not_final() {
    let (_server, wallet, token) = Wallet::with_hold();
    clear(&wallet, &token, "4", false);
    let second = clear(&wallet, &token, "6", false);
    assert_eq!(wallet.balance_in(&second), balance(&wallet, 24_000, 24_000));
    expect_fault(&wallet.follow(CLEARING, &token, "1"), 409, PRECEDING, "already_cleared");
    expect_fault(&wallet.follow(REVERSAL, &token, "1"), 409, PRECEDING, "already_cleared");
}

#[test]
fn a_clearing_above_the_hold_is_accepted_in_full_and_ends_the_chain() {
    for is_final in [true, false] {
        let (_server, wallet, token) = Wallet::with_hold();
        let ledger = wallet.format_ledger(23_500);
        let mut want = expected("authorization.clearing", "COMPLETION");
        (want.ledger, want.available, want.preceding) = (&ledger, "235.00", Some(token.as_str()));
        (want.amount, want.requested, want.impacted) = ("15.00", "15.00", "-15.00");
        assert_record(&clear(&wallet, &token, "15", is_final), &wallet.card, &want);
        expect_fault(&wallet.follow(CLEARING, &token, "1"), 409, PRECEDING, "already_cleared");
    }
}

#[test]
fn available_may_go_below_zero_and_then_everything_is_declined() {
    let (_server, wallet, token) = Wallet::with_hold();
    let clearing = wallet.follow_ok(CLEARING, &token, "300.05");
    assert_eq!(text(&clearing, "/gpa/availableBalance"), "-50.05");
    assert_eq!(text(&clearing, "/gpa/ledgerBalance"), wallet.format_ledger(-5_005));
    assert_eq!(text(&wallet.authorize("0.01"), "/response/code"), "1016");
    wallet.credit("50.05");
    assert_eq!(wallet.balance(), balance(&wallet, 0, 0));
    assert_eq!(text(&wallet.authorize("0.01"), "/response/code"), "1016");
    wallet.credit("0.01");
    assert_eq!(text(&wallet.authorize("0.01"), "/response/code"), "0000");
}

#[test]
fn a_clearing_above_the_hold_leaves_other_holds() {
    let (_server, wallet, token) = Wallet::with_hold();
    let other = wallet.token(AUTHORIZATION, "240");
    let clearing = wallet.follow_ok(CLEARING, &token, "20");
    assert_eq!(wallet.balance_in(&clearing), balance(&wallet, 23_000, -1_000));
    let clearing = wallet.follow_ok(CLEARING, &other, "240");
    assert_eq!(wallet.balance_in(&clearing), balance(&wallet, -1_000, -1_000));
}

#[test]
fn a_second_clearing_is_refused() {
    let (_server, wallet, token) = Wallet::with_hold();
    let clearing = wallet.follow_ok(CLEARING, &token, "10");
    expect_fault(&wallet.follow(CLEARING, &token, "10"), 409, PRECEDING, "already_cleared");
    let on_clearing = wallet.follow(CLEARING, text(&clearing, "/token"), "10");
    expect_fault(&on_clearing, 409, PRECEDING, "wrong_transaction_kind");
    assert_eq!(wallet.balance(), balance(&wallet, 24_000, 24_000));
}

#[test]
fn the_token_of_a_clearing_does_not_identify_the_chain() {
    let (_server, wallet, token) = Wallet::with_hold();
    let clearing = clear(&wallet, &token, "4", false);
    let answer = wallet.follow(CLEARING, text(&clearing, "/token"), "1");
    expect_fault(&answer, 409, PRECEDING, "wrong_transaction_kind");
}

#[test]
fn a_clearing_works_on_purchases_only() {
    let (_server, wallet, _) = Wallet::with_hold();
    for path in [ATM, REFUND] {
        let token = wallet.token(path, "10");
        let answer = wallet.follow(CLEARING, &token, "10");
        expect_fault(&answer, 409, PRECEDING, "wrong_transaction_kind");
    }
}
