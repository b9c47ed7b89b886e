//! Plays every row of the balance table in section 5.5 of docs/CONTRACT-CHOICES.md in three currencies, exact to the
//! last digit. Also plays complete chains.

use crate::documented_messages::{Row, play_in_three_currencies};
use crate::support::assert::text;
use crate::support::{
    ADVICE, ATM, ATM_CLEARING, AUTHORIZATION, CLEARING, REFUND, REFUND_CLEARING, REVERSAL, Server, Wallet,
};

pub(crate) fn rows() -> Vec<Row> {
    crate::documented_messages::rows(include_str!("../../docs/CONTRACT-CHOICES.md"), "**5.5 What each message does.**")
}

#[test]
fn every_row_is_true_in_three_currencies() {
    let rows = rows();
    assert_eq!(rows.len(), 10);
    play_in_three_currencies(&rows);
}

#[test]
fn a_decline_shows_unchanged_balances() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 25_000);
    let ledger = wallet.format_ledger(25_000);
    for (path, kind) in [(AUTHORIZATION, "authorization"), (ATM, "authorization.atm.withdrawal")] {
        let shown = wallet.first(path, "251");
        let found = [
            text(&shown, "/type"),
            text(&shown, "/state"),
            text(&shown, "/amount"),
            text(&shown, "/gpa/ledgerBalance"),
            text(&shown, "/gpa/availableBalance"),
            text(&shown, "/gpa/impactedAmount"),
        ];
        assert_eq!(found, [kind, "DECLINED", "251.00", &ledger, "250.00", "0.00"]);
    }
}

/// Plays a chain. Each step is a path, an amount, and the expected ledger and available balance in minor units.
fn play_chain(wallet: &Wallet, first: &str, amount: &str, steps: &[(&str, &str, i64, i64)]) {
    let mut token = wallet.token(first, amount);
    for (path, amount, ledger, available) in steps {
        let shown = wallet.follow_ok(path, &token, amount);
        let balance = wallet.balance_in(&shown);
        assert_eq!(
            (balance.ledger - wallet.reserved, balance.available),
            (*ledger, *available),
            "after {path} of {amount}"
        );
        if matches!(*path, ADVICE | REVERSAL) {
            text(&shown, "/token").clone_into(&mut token);
        }
    }
}

#[test]
fn complete_chains_have_the_expected_balances() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 25_000);
    let first = [(ADVICE, "30", 25_000, 22_000), (REVERSAL, "5.55", 25_000, 22_555), (CLEARING, "24", 22_600, 22_600)];
    play_chain(&wallet, AUTHORIZATION, "19.99", &first);
    let second = [(REVERSAL, "100", 22_600, 12_600), (REVERSAL, "100", 22_600, 22_600)];
    play_chain(&wallet, AUTHORIZATION, "200", &second);
    play_chain(&wallet, REFUND, "0.02", &[(REFUND_CLEARING, "0.01", 22_601, 22_601)]);
    play_chain(&wallet, ATM, "26.01", &[(ATM_CLEARING, "26.01", 20_000, 20_000)]);
    assert_eq!(wallet.balance().available, 20_000);
}

#[test]
fn chains_of_one_budget_do_not_mix() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 25_000);
    let tokens: Vec<_> = (1..=5).map(|pounds| wallet.token(AUTHORIZATION, &pounds.to_string())).collect();
    assert_eq!(wallet.balance().available, 23_500);
    wallet.follow_ok(CLEARING, &tokens[0], "1");
    wallet.follow_ok(REVERSAL, &tokens[1], "2");
    wallet.follow_ok(ADVICE, &tokens[2], "1");
    wallet.follow_ok(REVERSAL, &tokens[3], "3.50");
    let balance = wallet.balance();
    assert_eq!((balance.ledger - wallet.reserved, balance.available), (24_900, 24_250));
}

#[test]
fn all_cards_of_a_budget_share_its_balance() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 25_000);
    for card in crate::support::demo().active_cards("GBP").filter(|card| card.budget == wallet.card.budget) {
        let other = Wallet { card: card.clone(), ..wallet.clone() };
        assert_eq!(other.balance(), wallet.balance());
    }
}
