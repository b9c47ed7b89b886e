//! `POST /v2/cards/simulations/transaction/authorization`: approvals, account checks and declines.

use serde_json::{Value, json};

use crate::support::assert::text;
use crate::support::demo::Card;
use crate::support::record::{assert_record, expected};
use crate::support::wallet::{first_body, transaction};
use crate::support::{ABSENT, ADVICE, AUTHORIZATION, Client, Server, Wallet, demo, expect_fault, expect_json, shared};

#[test]
fn the_sample_of_the_guides_works_as_typed() {
    let card = &demo().active_card("GBP").id;
    let body =
        format!(r#"{{"cardId": "{card}", "amount": 10.00, "network": "VISA", "cardAcceptor": {{"mid": "11111"}}}}"#);
    let transaction = transaction(&shared().client().post(AUTHORIZATION, body));
    assert_eq!(text(&transaction, "/amount"), "10.00");
}

#[test]
fn an_approval_has_every_member() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 25_000);
    let ledger = wallet.format_ledger(25_000);
    let mut want = expected("authorization", "PENDING");
    want.ledger = &ledger;
    assert_record(&wallet.authorize("10.00"), &wallet.card, &want);
    want.available = "229.99";
    want.amount = "10.01";
    want.requested = "10.01";
    want.impacted = "-10.01";
    assert_record(&wallet.authorize("10.01"), &wallet.card, &want);
}

#[test]
fn yen_have_no_decimals() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "JPY", 250);
    let ledger = wallet.format_ledger(250);
    let mut want = expected("authorization", "PENDING");
    (want.ledger, want.available, want.amount, want.requested, want.impacted) = (&ledger, "240", "10", "10", "-10");
    assert_record(&wallet.authorize("10.0"), &wallet.card, &want);
}

#[test]
fn the_acceptor_is_returned_as_sent() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 25_000);
    let mut body: Value = serde_json::from_str(&wallet.first_body("10")).unwrap();
    let acceptor = json!({
        "mid": "shop-42", "mcc": "0742", "name": "Café 🐈", "city": "Zürich", "state": "ZH",
        "postalCode": "8001", "countryCode": "CHE"
    });
    body["cardAcceptor"] = acceptor.clone();
    let ledger = wallet.format_ledger(25_000);
    let mut want = expected("authorization", "PENDING");
    want.ledger = &ledger;
    want.acceptor = acceptor;
    assert_record(&transaction(&wallet.client.post(AUTHORIZATION, body.to_string())), &wallet.card, &want);
}

fn shown_mid(mid: &str) -> String {
    let card = &demo().active_card("GBP").id;
    let body = json!({"cardId": card, "amount": 0, "network": "VISA", "cardAcceptor": {"mid": mid}});
    let transaction = transaction(&shared().client().post(AUTHORIZATION, body.to_string()));
    text(&transaction, "/cardAcceptor/mid").to_owned()
}

#[test]
fn short_numeric_mids_are_padded_and_others_are_not() {
    for (sent, shown) in [
        ("1", "000000000000001"),
        ("11111", "000000000011111"),
        ("00", "000000000000000"),
        ("12345678901234", "012345678901234"),
        ("123456789012345", "123456789012345"),
        ("1234567890123456", "1234567890123456"),
        ("12a45", "12a45"),
        ("-1", "-1"),
        (" 1", " 1"),
        ("٣٤", "٣٤"),
    ] {
        assert_eq!(shown_mid(sent), shown, "mid {sent}");
    }
    let longest = "🐈".repeat(36);
    assert_eq!(shown_mid(&longest), longest);
}

#[test]
fn optional_members_of_the_acceptor_may_be_null() {
    let card = &demo().active_card("GBP").id;
    let acceptor = json!({
        "mid": "11111", "name": null, "city": null, "state": null, "postalCode": null, "countryCode": null,
        "mcc": null
    });
    let body = json!({"cardId": card, "amount": 0, "network": "VISA", "cardAcceptor": acceptor});
    let transaction = transaction(&shared().client().post(AUTHORIZATION, body.to_string()));
    assert_eq!(transaction["cardAcceptor"], expected("", "").acceptor);
}

#[test]
fn every_network_has_its_subnetwork() {
    let card = &demo().active_card("GBP").id;
    for (network, subnetwork) in
        [("VISA", "VISANET"), ("MASTERCARD", "MASTERCARDDEBIT"), ("DISCOVER", "DISCOVER"), ("PULSE", "PULSE")]
    {
        let body = json!({"cardId": card, "amount": 0, "network": network, "cardAcceptor": {"mid": "1"}});
        let transaction = transaction(&shared().client().post(AUTHORIZATION, body.to_string()));
        assert_eq!(text(&transaction, "/network"), network);
        assert_eq!(text(&transaction, "/subnetwork"), subnetwork);
    }
}

#[test]
fn an_account_check_holds_nothing_and_ends_immediately() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 25_000);
    let ledger = wallet.format_ledger(25_000);
    let mut want = expected("authorization", "COMPLETION");
    (want.code, want.memo) = ("1830", "Card account verification success");
    (want.amount, want.requested, want.impacted) = ("0.00", "0.00", "0.00");
    (want.ledger, want.available) = (&ledger, "250.00");
    for zero in ["0", "0.00", "0e5"] {
        let check = wallet.authorize(zero);
        assert_record(&check, &wallet.card, &want);
        let answer = wallet.follow(ADVICE, text(&check, "/token"), "5");
        expect_fault(&answer, 409, "body.precedingRelatedTransactionToken", "already_cleared");
    }
}

#[test]
fn an_account_check_needs_no_funds() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 0);
    assert_eq!(text(&wallet.authorize("0"), "/response/code"), "1830");
    assert_eq!(text(&wallet.authorize("0.01"), "/response/code"), "1016");
}

#[test]
fn an_amount_above_the_available_balance_is_declined() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 25_000);
    let ledger = wallet.format_ledger(25_000);
    let mut want = expected("authorization", "DECLINED");
    (want.code, want.memo) = ("1016", "Not sufficient funds");
    (want.ledger, want.available, want.impacted) = (&ledger, "250.00", "0.00");
    for (asked, shown) in [("250.01", "250.01"), ("1000000000", "1000000000.00")] {
        (want.amount, want.requested) = (shown, shown);
        assert_record(&wallet.authorize(asked), &wallet.card, &want);
    }
    assert_eq!(text(&wallet.authorize("250.00"), "/response/code"), "0000");
    assert_eq!(text(&wallet.authorize("0.01"), "/response/code"), "1016");
}

fn expect_decline(client: &Client, card: &Card, amount: &str, code: &str, memo: &str) {
    let decline = transaction(&client.post(AUTHORIZATION, first_body(&card.id, amount)));
    let available = text(&decline, "/gpa/availableBalance").to_owned();
    let ledger = text(&decline, "/gpa/ledgerBalance").to_owned();
    let yen = card.currency == "JPY";
    let shown = match (amount, yen) {
        ("0", true) => "0",
        ("0", false) => "0.00",
        (_, true) => "10",
        (_, false) => "10.00",
    };
    let mut want = expected("authorization", "DECLINED");
    (want.code, want.memo, want.ledger, want.available) = (code, memo, &ledger, &available);
    (want.amount, want.requested) = (shown, shown);
    want.impacted = if yen { "0" } else { "0.00" };
    assert_record(&decline, card, &want);
    let answer = client
        .post(ADVICE, json!({"precedingRelatedTransactionToken": text(&decline, "/token"), "amount": 5}).to_string());
    expect_fault(&answer, 409, "body.precedingRelatedTransactionToken", "wrong_transaction_kind");
}

#[test]
fn the_state_of_the_card_decides() {
    let client = shared().client();
    for (state, code, memo) in [
        ("UNACTIVATED", "1806", "Card not active"),
        ("REPLACED", "1806", "Card not active"),
        ("TERMINATED", "1806", "Card not active"),
        ("SUSPENDED", "1003", "Card suspended"),
    ] {
        let card = demo().card_in(state);
        expect_decline(&client, card, "10", code, memo);
        expect_decline(&client, card, "0", code, memo);
    }
    expect_decline(&client, demo().expired_card(), "10", "1001", "Card expired");
    expect_decline(&client, demo().expired_card(), "0", "1001", "Card expired");
}

#[test]
fn the_card_state_is_checked_before_the_funds() {
    let client = shared().client();
    let decline = transaction(&client.post(AUTHORIZATION, first_body(&demo().card_in("SUSPENDED").id, "999999999")));
    assert_eq!(text(&decline, "/response/code"), "1003");
    let decline = transaction(&client.post(AUTHORIZATION, first_body(&demo().expired_card().id, "999999999")));
    assert_eq!(text(&decline, "/response/code"), "1001");
}

#[test]
fn a_decline_does_not_change_the_balance() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 25_000);
    let before = wallet.balance();
    wallet.authorize("250.01");
    assert_eq!(wallet.balance(), before);
}

#[test]
fn absent_and_foreign_cards_get_the_same_answer() {
    let card = &demo().active_card("GBP").id;
    let absent = shared().client().post(AUTHORIZATION, first_body(ABSENT, "1"));
    expect_fault(&absent, 404, "body.cardId", "not_found");
    let foreign = shared().other().post(AUTHORIZATION, first_body(card, "1"));
    expect_fault(&foreign, 404, "body.cardId", "not_found");
    assert_eq!(absent.text().replace(ABSENT, ""), foreign.text().replace(card, ""));
}

#[test]
fn ids_are_read_in_either_case_and_written_in_lower() {
    let card = &demo().active_card("GBP").id;
    let answer = shared().client().post(AUTHORIZATION, first_body(&card.to_uppercase(), "0"));
    assert_eq!(text(&expect_json(&answer, 201), "/transaction/cardToken"), card);
}

#[test]
fn the_holder_of_a_card_stays_the_same() {
    let client = shared().client();
    let card = &demo().active_card("GBP").id;
    let holder = || {
        let check = transaction(&client.post(AUTHORIZATION, first_body(card, "0")));
        (text(&check, "/userToken").to_owned(), text(&check, "/token").to_owned())
    };
    let (first, second) = (holder(), holder());
    assert_eq!(first.0, second.0);
    assert_ne!(first.1, second.1);
    assert_ne!(&first.0, card);
}

#[test]
fn balances_follow_spending_and_credits() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 500);
    assert_eq!(text(&wallet.authorize("10"), "/response/code"), "1016");
    wallet.credit("5.00");
    assert_eq!(text(&wallet.authorize("10"), "/response/code"), "0000");
    assert_eq!(wallet.balance().available, 0);
}
