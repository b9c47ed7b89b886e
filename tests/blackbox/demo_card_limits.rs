//! The demo card with spending limits: 100.00 a day, 500.00 a month.

use serde_json::Value;

use crate::support::assert::text;
use crate::support::{ADVICE, ATM, CLEARING, REFUND, REVERSAL, Server, Wallet, demo};

/// Returns the card with limits, on a budget with this available balance.
fn limited(server: &Server, available: i64) -> Wallet {
    let cards = demo().json["cards"].as_array().unwrap();
    let shown = cards.iter().find(|card| card.get("limited") == Some(&Value::Bool(true))).unwrap();
    let mut wallet = Wallet::with(server, "GBP", available);
    wallet.card = demo().cards.iter().find(|card| shown["id"] == card.id).unwrap().clone();
    wallet
}

/// Returns response code and state.
fn code_and_state(transaction: &Value) -> (&str, &str) {
    (text(transaction, "/response/code"), text(transaction, "/state"))
}

#[test]
fn a_limit_can_be_used_up_but_not_exceeded() {
    let server = Server::sandbox();
    let wallet = limited(&server, 100_000);
    assert_eq!(code_and_state(&wallet.authorize("60")), ("0000", "PENDING"));
    let over = wallet.authorize("40.01");
    assert_eq!(code_and_state(&over), ("1817", "DECLINED"));
    assert_eq!(text(&over, "/response/memo"), "Usage limit reached");
    assert_eq!(text(&over, "/gpa/availableBalance"), "940.00", "a decline takes nothing");
    assert_eq!(code_and_state(&wallet.authorize("40")), ("0000", "PENDING"));
    assert_eq!(code_and_state(&wallet.authorize("0.01")), ("1817", "DECLINED"));
    assert_eq!(code_and_state(&wallet.authorize("0")), ("1830", "COMPLETION"), "an account check uses nothing");
}

#[test]
fn withdrawals_count_and_refunds_do_not() {
    let server = Server::sandbox();
    let wallet = limited(&server, 100_000);
    assert_eq!(code_and_state(&wallet.first(ATM, "100")), ("0000", "PENDING"));
    assert_eq!(code_and_state(&wallet.first(ATM, "0.01")), ("1817", "DECLINED"));
    assert_eq!(code_and_state(&wallet.first(REFUND, "250")), ("0000", "PENDING"));
}

#[test]
fn amounts_given_back_can_be_spent_again() {
    let server = Server::sandbox();
    let wallet = limited(&server, 100_000);
    let first = wallet.token(crate::support::AUTHORIZATION, "100");
    assert_eq!(code_and_state(&wallet.authorize("1")), ("1817", "DECLINED"));
    wallet.follow_ok(ADVICE, &first, "90");
    let second = wallet.token(crate::support::AUTHORIZATION, "10");
    wallet.follow_ok(REVERSAL, &second, "10");
    wallet.follow_ok(CLEARING, &first, "50");
    assert_eq!(code_and_state(&wallet.authorize("50.01")), ("1817", "DECLINED"));
    assert_eq!(code_and_state(&wallet.authorize("50")), ("0000", "PENDING"));
}

#[test]
fn the_limit_is_checked_before_the_balance() {
    let server = Server::sandbox();
    let wallet = limited(&server, 1_000);
    assert_eq!(text(&wallet.authorize("100.01"), "/response/code"), "1817");
    assert_eq!(text(&wallet.authorize("10.01"), "/response/code"), "1016");
}
