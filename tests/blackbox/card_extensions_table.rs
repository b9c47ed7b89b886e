//! Plays every row of the table of messages in docs/CARD-EXTENSIONS.md in three currencies, exact to the last digit.

use serde_json::json;

use crate::documented_messages::{Row, SIMULATIONS, body, play_in_three_currencies, play_preceding};
use crate::support::assert::text;
use crate::support::wallet::transaction;
use crate::support::{Server, Wallet, expect_fault, expect_faults, expect_json};

pub(crate) fn rows() -> Vec<Row> {
    crate::documented_messages::rows(include_str!("../../docs/CARD-EXTENSIONS.md"), "## What each message does")
}

#[test]
fn every_row_is_true_in_three_currencies() {
    let rows = rows();
    assert_eq!(rows.len(), 24);
    play_in_three_currencies(&rows);
}

/// The documentation has 34 kinds of messages and 6 stories, in three tables. Tests play all of them in three
/// currencies.
#[test]
fn there_are_forty_kinds_and_stories() {
    let (basic, more, stories) = (crate::balance_table::rows(), rows(), crate::scenarios::stories());
    assert_eq!((basic.len(), more.len(), stories.len()), (10, 24, 6));
    let names: std::collections::BTreeSet<_> = basic.iter().chain(&more).map(|row| &row.name).collect();
    assert_eq!(names.len(), 34, "each row has its own name");
}

#[test]
fn a_dry_run_of_each_message_changes_nothing() {
    let server = Server::sandbox();
    for row in rows() {
        let wallet = Wallet::with(&server, "GBP", 25_000);
        let before = play_preceding(&wallet, &row);
        let balance = wallet.balance();
        let path = format!("{}?accountId={}&dryRun=true", before.with_dispute(&row.path), wallet.client.account);
        let answer = wallet.client.post(&path, body(&wallet, &row.body, before.token.as_deref()));
        let previewed = expect_json(&answer, 201);
        assert_eq!(previewed["transaction"]["type"], row.expected[0], "{path}");
        assert!(previewed["dryRun"].is_object(), "{path} {previewed}");
        assert_eq!(wallet.balance(), balance, "{path}");
        if let Some(token) = before.token {
            let chain = format!("{SIMULATIONS}transactions/{token}");
            let messages = expect_json(&wallet.client.get(&chain), 200)["messages"].as_array().unwrap().len();
            let of_chain = row.after.iter().filter(|path| !path.contains("/disputes")).count();
            assert_eq!(messages, of_chain, "{path}");
        }
    }
}

#[test]
fn a_clearing_names_an_authorization_or_a_card() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 25_000);
    let token = wallet.token(&format!("{SIMULATIONS}transaction/authorization"), "10");
    let path = format!("{SIMULATIONS}transaction/authorization/clearing");
    let send = |items: &[&str]| {
        let items: Vec<_> = items.iter().map(|item| (*item).to_owned()).collect();
        wallet.client.post(&path, body(&wallet, &items, Some(&token)))
    };
    expect_fault(&send(&["amount"]), 400, "body.precedingRelatedTransactionToken", "required");
    expect_fault(&send(&["card", "token", "amount", "forcePost: true"]), 400, "body.cardId", "invalid_value");
    expect_fault(&send(&["card", "amount"]), 400, "body.forcePost", "invalid_value");
    let bare = [("body.network", "required"), ("body.cardAcceptor", "required")];
    expect_faults(&send(&["cardId", "amount", "forcePost: true"]), 400, &bare);
    let with_card_members = [("body.network", "invalid_value"), ("body.finalClearing", "invalid_value")];
    let items = ["token", "amount", "forcePost: true", "finalClearing: true", r#"network: "VISA""#];
    expect_faults(&send(&items), 400, &with_card_members);
    assert_eq!(wallet.balance().available, 24_000);
}

#[test]
fn returns_never_exceed_what_is_left() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 25_000);
    for first in ["debit", "refund"] {
        let token = wallet.token(&format!("{SIMULATIONS}{first}"), "10");
        let reversal = format!("{SIMULATIONS}{first}/reversal");
        wallet.follow_ok(&reversal, &token, "7.50");
        let too_much = wallet.follow(&reversal, &token, "2.51");
        expect_fault(&too_much, 409, "body.amount", "amount_exceeds_authorization");
        wallet.follow_ok(&reversal, &token, "2.50");
        let nothing_left = wallet.follow(&reversal, &token, "0.01");
        expect_fault(&nothing_left, 409, "body.precedingRelatedTransactionToken", "already_reversed");
        let other = if first == "debit" { "refund" } else { "debit" };
        let wrong = wallet.follow(&format!("{SIMULATIONS}{other}/reversal"), &token, "1");
        expect_fault(&wrong, 409, "body.precedingRelatedTransactionToken", "wrong_transaction_kind");
    }
    assert_eq!(wallet.balance().available, 25_000);
}

#[test]
fn cash_and_fee_type_are_shown() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 25_000);
    let send = |path: &str, items: &[&str]| {
        let items: Vec<_> = items.iter().map(|item| (*item).to_owned()).collect();
        wallet.client.post(&format!("{SIMULATIONS}{path}"), body(&wallet, &items, None))
    };
    let held = transaction(&send("transaction/authorization", &["card", "amount", "cashBackAmount: 4.5"]));
    assert_eq!(held["cashBackAmount"], "4.50");
    let clearing = format!("{SIMULATIONS}transaction/authorization/clearing");
    let cleared = wallet.follow_ok(&clearing, text(&held, "/token"), "10");
    assert_eq!(cleared["type"], "authorization.clearing.cashback");
    let fee = transaction(&send("fee", &["cardId", "amount", r#"feeType: "cross-border""#, r#"creditDebit: "D""#]));
    assert_eq!((&fee["feeType"], &fee["cardAcceptor"]["name"]), (&json!("cross-border"), &json!("Card network")));
    let too_much = send("debit", &["card", "amount", "cashBackAmount: 10.01"]);
    expect_fault(&too_much, 400, "body.cashBackAmount", "out_of_range");
    let chain = format!("{SIMULATIONS}transactions/{}", text(&fee, "/token"));
    let chain = expect_json(&wallet.client.get(&chain), 200);
    assert_eq!(chain["messages"][0]["transaction"]["feeType"], "cross-border");
}
