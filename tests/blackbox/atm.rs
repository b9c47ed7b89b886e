//! `POST /v2/cards/simulations/atm/withdrawal/authorization` and its `/clearing`.

use serde_json::json;

use crate::support::assert::text;
use crate::support::record::{assert_record, expected};
use crate::support::wallet::{Balance, first_body, follow_body, transaction};
use crate::support::{
    ABSENT, ADVICE, ATM, ATM_CLEARING, AUTHORIZATION, CLEARING, REFUND, REFUND_CLEARING, Server, Wallet, demo,
    expect_fault, shared,
};

const PRECEDING: &str = "body.precedingRelatedTransactionToken";

/// Starts a server with a card that has 250.00 available, and authorizes a withdrawal of 10.00. Returns the server, the
/// card, and the token of the withdrawal.
fn with_withdrawal() -> (Server, Wallet, String) {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 25_000);
    let token = wallet.token(ATM, "10");
    (server, wallet, token)
}

#[test]
fn an_authorization_has_every_member() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 25_000);
    let ledger = wallet.format_ledger(25_000);
    let mut want = expected("authorization.atm.withdrawal", "PENDING");
    (want.ledger, want.subnetwork) = (&ledger, "VISAPLUS");
    assert_record(&wallet.first(ATM, "10.00"), &wallet.card, &want);
}

#[test]
fn clearing_has_every_member() {
    let (_server, wallet, token) = with_withdrawal();
    let ledger = wallet.format_ledger(24_000);
    let mut want = expected("authorization.clearing.atm.withdrawal", "COMPLETION");
    (want.ledger, want.subnetwork, want.preceding) = (&ledger, "VISAPLUS", Some(token.as_str()));
    assert_record(&wallet.follow_ok(ATM_CLEARING, &token, "10"), &wallet.card, &want);
    expect_fault(&wallet.follow(ATM_CLEARING, &token, "10"), 409, PRECEDING, "already_cleared");
}

#[test]
fn clearing_is_always_final() {
    let (_server, wallet, token) = with_withdrawal();
    let cleared = wallet.follow_ok(ATM_CLEARING, &token, "4");
    let expected = Balance { ledger: 24_600 + wallet.reserved, available: 24_600 };
    assert_eq!(wallet.balance_in(&cleared), expected);
    expect_fault(&wallet.follow(ATM_CLEARING, &token, "1"), 409, PRECEDING, "already_cleared");
    let body = format!(r#"{{"precedingRelatedTransactionToken": "{token}", "amount": 4, "finalClearing": true}}"#);
    let answer = wallet.client.post(ATM_CLEARING, body);
    expect_fault(&answer, 400, "body.finalClearing", "unknown_field");
}

#[test]
fn a_clearing_above_the_hold_is_accepted_in_full() {
    let (_server, wallet, token) = with_withdrawal();
    let cleared = wallet.follow_ok(ATM_CLEARING, &token, "260");
    let expected = Balance { ledger: -1_000 + wallet.reserved, available: -1_000 };
    assert_eq!(wallet.balance_in(&cleared), expected);
    assert_eq!(text(&cleared, "/gpa/impactedAmount"), "-260.00");
}

#[test]
fn every_network_has_its_subnetwork() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 25_000);
    for (network, subnetwork) in
        [("VISA", "VISAPLUS"), ("MASTERCARD", "CIRRUS"), ("DISCOVER", "DISCOVER"), ("PULSE", "PULSE")]
    {
        let body = json!({"cardId": wallet.card.id, "amount": 1, "network": network, "cardAcceptor": {"mid": "1"}});
        let withdrawal = transaction(&wallet.client.post(ATM, body.to_string()));
        assert_eq!((text(&withdrawal, "/network"), text(&withdrawal, "/subnetwork")), (network, subnetwork));
        let cleared = wallet.follow_ok(ATM_CLEARING, text(&withdrawal, "/token"), "1");
        assert_eq!((text(&cleared, "/network"), text(&cleared, "/subnetwork")), (network, subnetwork));
    }
}

#[test]
fn other_follow_ups_are_refused() {
    let (_server, wallet, token) = with_withdrawal();
    for path in [ADVICE, CLEARING, REFUND_CLEARING] {
        expect_fault(&wallet.follow(path, &token, "1"), 409, PRECEDING, "wrong_transaction_kind");
    }
    for path in [AUTHORIZATION, REFUND] {
        let token = wallet.token(path, "10");
        expect_fault(&wallet.follow(ATM_CLEARING, &token, "1"), 409, PRECEDING, "wrong_transaction_kind");
    }
}

#[test]
fn the_state_and_expiry_of_the_card_decide() {
    let client = shared().client();
    let code = |card: &str, amount: &str| {
        let withdrawal = transaction(&client.post(ATM, first_body(card, amount)));
        assert_eq!(text(&withdrawal, "/state"), "DECLINED");
        assert_eq!(text(&withdrawal, "/type"), "authorization.atm.withdrawal");
        text(&withdrawal, "/response/code").to_owned()
    };
    for (state, expected) in
        [("UNACTIVATED", "1806"), ("REPLACED", "1806"), ("TERMINATED", "1806"), ("SUSPENDED", "1003")]
    {
        assert_eq!(code(&demo().card_in(state).id, "10"), expected, "{state}");
    }
    assert_eq!(code(&demo().expired_card().id, "10"), "1001");
}

#[test]
fn an_amount_above_the_available_balance_is_declined() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 25_000);
    let ledger = wallet.format_ledger(25_000);
    let mut want = expected("authorization.atm.withdrawal", "DECLINED");
    (want.code, want.memo, want.subnetwork) = ("1016", "Not sufficient funds", "VISAPLUS");
    (want.ledger, want.available, want.impacted) = (&ledger, "250.00", "0.00");
    (want.amount, want.requested) = ("250.01", "250.01");
    assert_record(&wallet.first(ATM, "250.01"), &wallet.card, &want);
}

#[test]
fn an_amount_of_zero_is_refused() {
    let card = &demo().active_card("GBP").id;
    let answer = shared().client().post(ATM, first_body(card, "0"));
    expect_fault(&answer, 400, "body.amount", "out_of_range");
}

#[test]
fn absent_cards_and_tokens_are_not_found() {
    let client = shared().client();
    expect_fault(&client.post(ATM, first_body(ABSENT, "1")), 404, "body.cardId", "not_found");
    expect_fault(&client.post(ATM_CLEARING, follow_body(ABSENT, "1")), 404, PRECEDING, "not_found");
}
