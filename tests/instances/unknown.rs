//! A connection lost during COMMIT: the outcome is unknown, and the idempotency record resolves it.

use crate::fault_load::taken;
use crate::pair::prevent_restarts;
use crate::support::batches::{confirm, open_session};
use crate::support::load::{check_journal, message};
use crate::support::wallet::credit_body;
use crate::support::{CREDIT, Home, Server, Wallet, demo, expect_json};
use crate::wire::{Cut, Wire};

fn server() -> (Wire, Server) {
    let wire = Wire::open();
    let server = Server::on(wire.clone().into_home(Home::demo()));
    (wire, server)
}

/// With a key a message has one effect and is finally accepted, however often the connection is lost.
fn settled(cut: Cut) {
    let _undisturbed = prevent_restarts();
    let (wire, server) = server();
    let wallet = Wallet::with(&server, "GBP", 1_000_000);
    for number in 0..10 {
        let before = wallet.balance();
        let sent = message(&wallet, &format!("{cut:?}-{number}"), number);
        wire.cut(cut);
        let first = sent.send(&wallet.client).unwrap();
        let was_taken = taken(&first);
        assert!(wire.is_whole(), "no COMMIT was seen");
        let again = sent.send(&wallet.client).unwrap();
        assert!(taken(&again), "{again:?}");
        if was_taken {
            assert_eq!(again.body, first.body);
        }
        assert!(again.replayed() || (cut == Cut::Before && !was_taken), "{first:?} {again:?}");
        let (available, ledger) = sent.effect();
        let after = wallet.balance();
        assert_eq!((after.available - before.available, after.ledger - before.ledger), (available, ledger));
    }
    check_journal(server.home());
}

#[test]
fn the_commit_succeeded() {
    settled(Cut::After);
}

#[test]
fn the_commit_never_arrived() {
    settled(Cut::Before);
}

/// Without a key the outcome stays unknown, so nothing is retried: at most one effect, and exactly one if it was
/// answered.
#[test]
fn without_a_key_the_write_is_not_repeated() {
    let _undisturbed = prevent_restarts();
    let (wire, server) = server();
    let wallet = Wallet::with(&server, "GBP", 1_000_000);
    for cut in [Cut::After, Cut::Before, Cut::After, Cut::Before] {
        let before = wallet.balance().ledger;
        wire.cut(cut);
        let answer = wallet.client.post(CREDIT, credit_body(&wallet.card.budget, "0.07", "GBP"));
        assert!(wire.is_whole(), "no COMMIT was seen");
        let effect = wallet.balance().ledger - before;
        match (taken(&answer), cut) {
            (true, _) | (false, Cut::After) => assert_eq!(effect, 7, "{cut:?} {answer:?}"),
            (false, Cut::Before) => assert_eq!(effect, 0, "{answer:?}"),
        }
    }
    check_journal(server.home());
}

/// A batch is confirmed once, and its money reserved once.
#[test]
fn a_confirmation() {
    let _undisturbed = prevent_restarts();
    let (wire, server) = server();
    let client = server.client();
    for currency in ["GBP", "EUR", "JPY"] {
        expect_json(&client.post(CREDIT, credit_body(&demo().budget(currency), "100000000", currency)), 200);
    }
    for (batch, cut) in demo().batches("validated").into_iter().zip([Cut::After, Cut::Before, Cut::After, Cut::Before])
    {
        let session = open_session(&client, &batch);
        wire.cut(cut);
        let first = confirm(&client, &batch, &session, "000000");
        assert!(wire.is_whole(), "no COMMIT was seen");
        let again = confirm(&client, &batch, &session, "000000");
        // The repeat must not be refused because of its own effect.
        let done = taken(&first) || cut == Cut::After;
        assert_eq!(again.status, if done { 409 } else { 200 }, "{cut:?} {first:?} {again:?}");
    }
    check_journal(server.home());
}
