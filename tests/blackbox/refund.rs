//! `POST /v2/cards/simulations/refund/authorization` and its `/clearing`.

use crate::support::assert::text;
use crate::support::demo::Card;
use crate::support::record::{assert_record, expected};
use crate::support::wallet::{Balance, first_body, follow_body, transaction};
use crate::support::{
    ABSENT, ADVICE, ATM, ATM_CLEARING, AUTHORIZATION, CLEARING, Client, REFUND, REFUND_CLEARING, REVERSAL, Server,
    Wallet, demo, expect_error, expect_fault, shared,
};

const PRECEDING: &str = "body.precedingRelatedTransactionToken";

/// Starts a server. Returns the server, a card with 250.00 available, and the token of a refund of 10.00.
fn with_refund() -> (Server, Wallet, String) {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 25_000);
    let token = wallet.token(REFUND, "10");
    (server, wallet, token)
}

#[test]
fn an_authorization_has_every_member_and_moves_nothing() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 25_000);
    let ledger = wallet.format_ledger(25_000);
    let mut want = expected("refund.authorization", "PENDING");
    (want.ledger, want.available, want.impacted) = (&ledger, "250.00", "10.00");
    assert_record(&wallet.first(REFUND, "10.00"), &wallet.card, &want);
    assert_eq!(wallet.balance(), Balance { ledger: 25_000 + wallet.reserved, available: 25_000 });
}

#[test]
fn a_refund_needs_no_funds() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 0);
    assert_eq!(text(&wallet.first(REFUND, "1000000000"), "/response/code"), "0000");
}

#[test]
fn clearing_has_every_member_and_pays() {
    let (_server, wallet, token) = with_refund();
    let ledger = wallet.format_ledger(26_000);
    let mut want = expected("refund.authorization.clearing", "COMPLETION");
    (want.ledger, want.available, want.impacted) = (&ledger, "260.00", "10.00");
    want.preceding = Some(&token);
    assert_record(&wallet.follow_ok(REFUND_CLEARING, &token, "10"), &wallet.card, &want);
    assert_eq!(wallet.balance().available, 26_000);
}

#[test]
fn a_partial_clearing_ends_the_refund() {
    let (_server, wallet, token) = with_refund();
    let cleared = wallet.follow_ok(REFUND_CLEARING, &token, "7.5");
    assert_eq!((text(&cleared, "/amount"), text(&cleared, "/state")), ("7.50", "COMPLETION"));
    assert_eq!(wallet.balance_in(&cleared).available, 25_750);
    expect_fault(&wallet.follow(REFUND_CLEARING, &token, "2.5"), 409, PRECEDING, "already_cleared");
    let on_clearing = wallet.follow(REFUND_CLEARING, text(&cleared, "/token"), "1");
    expect_fault(&on_clearing, 409, PRECEDING, "wrong_transaction_kind");
}

#[test]
fn a_clearing_above_the_authorization_is_refused() {
    let (_server, wallet, token) = with_refund();
    let faults = expect_error(&wallet.follow(REFUND_CLEARING, &token, "10.01"), 409);
    assert_eq!(faults[0].code, "amount_exceeds_authorization");
    assert!(faults[0].path.starts_with("body."), "{faults:?}");
    assert_eq!(wallet.balance().available, 25_000);
    wallet.follow_ok(REFUND_CLEARING, &token, "10");
}

#[test]
fn other_follow_ups_are_refused() {
    let (_server, wallet, token) = with_refund();
    for path in [ADVICE, CLEARING, REVERSAL, ATM_CLEARING] {
        expect_fault(&wallet.follow(path, &token, "1"), 409, PRECEDING, "wrong_transaction_kind");
    }
    wallet.follow_ok(REFUND_CLEARING, &token, "10");
    for path in [ADVICE, CLEARING, REVERSAL, ATM_CLEARING] {
        expect_fault(&wallet.follow(path, &token, "1"), 409, PRECEDING, "wrong_transaction_kind");
    }
}

#[test]
fn a_refund_clearing_is_refused_on_other_chains() {
    let (_server, wallet, _) = with_refund();
    for path in [AUTHORIZATION, ATM] {
        let token = wallet.token(path, "10");
        expect_fault(&wallet.follow(REFUND_CLEARING, &token, "1"), 409, PRECEDING, "wrong_transaction_kind");
    }
}

fn refund_to(client: &Client, card: &Card) -> String {
    let answer = transaction(&client.post(REFUND, first_body(&card.id, "10")));
    let code = text(&answer, "/response/code");
    let state = text(&answer, "/state");
    assert_eq!(state, if code == "0000" { "PENDING" } else { "DECLINED" });
    code.to_owned()
}

#[test]
fn every_activated_card_accepts_a_refund() {
    let client = shared().client();
    assert_eq!(refund_to(&client, demo().card_in("UNACTIVATED")), "1806");
    for state in ["ACTIVE", "SUSPENDED", "REPLACED", "TERMINATED"] {
        assert_eq!(refund_to(&client, demo().card_in(state)), "0000", "{state}");
    }
    assert_eq!(refund_to(&client, demo().expired_card()), "0000");
}

#[test]
fn a_declined_refund_has_every_member() {
    let card = demo().card_in("UNACTIVATED");
    let decline = transaction(&shared().client().post(REFUND, first_body(&card.id, "10")));
    let yen = card.currency == "JPY";
    let (ledger, available) = (text(&decline, "/gpa/ledgerBalance"), text(&decline, "/gpa/availableBalance"));
    let mut want = expected("refund.authorization", "DECLINED");
    (want.code, want.memo, want.ledger, want.available) = ("1806", "Card not active", ledger, available);
    (want.amount, want.requested, want.impacted) = if yen { ("10", "10", "0") } else { ("10.00", "10.00", "0.00") };
    assert_record(&decline, card, &want);
    let answer = shared().client().post(REFUND_CLEARING, follow_body(text(&decline, "/token"), "1"));
    expect_fault(&answer, 409, PRECEDING, "wrong_transaction_kind");
}

#[test]
fn an_amount_of_zero_is_refused() {
    let client = shared().client();
    let card = &demo().active_card("GBP").id;
    expect_fault(&client.post(REFUND, first_body(card, "0")), 400, "body.amount", "out_of_range");
    expect_fault(&client.post(REFUND, first_body(card, "0.00")), 400, "body.amount", "out_of_range");
}

#[test]
fn absent_cards_and_tokens_are_not_found() {
    let client = shared().client();
    expect_fault(&client.post(REFUND, first_body(ABSENT, "1")), 404, "body.cardId", "not_found");
    expect_fault(&client.post(REFUND_CLEARING, follow_body(ABSENT, "1")), 404, PRECEDING, "not_found");
}
