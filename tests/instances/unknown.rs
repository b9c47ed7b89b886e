//! A connection lost during COMMIT: the outcome is unknown, and the idempotency record resolves it.

use crate::fault_load::is_accepted;
use crate::pair::prevent_restarts;
use crate::proxy::{Cut, Proxy};
use crate::support::batches::{confirm, open_session};
use crate::support::load::{check_journal, message};
use crate::support::wallet::credit_body;
use crate::support::{CREDIT, Server, Wallet, Workspace, demo, expect_json};

fn server() -> (Proxy, Server) {
    let proxy = Proxy::open();
    let server = Server::on(proxy.clone().into_workspace(Workspace::demo()));
    (proxy, server)
}

/// Tests that a message with an idempotency key has one effect, and that its repeat is accepted.
fn check_one_effect(cut: Cut) {
    let _undisturbed = prevent_restarts();
    let (proxy, server) = server();
    let wallet = Wallet::with(&server, "GBP", 1_000_000);
    for number in 0..10 {
        let before = wallet.balance();
        let sent = message(&wallet, &format!("{cut:?}-{number}"), number);
        proxy.cut(cut);
        let first = sent.send(&wallet.client).unwrap();
        let was_accepted = is_accepted(&first);
        assert!(proxy.has_cut(), "no COMMIT was seen");
        let again = sent.send(&wallet.client).unwrap();
        assert!(is_accepted(&again), "{again:?}");
        if was_accepted {
            assert_eq!(again.body, first.body);
        }
        assert!(again.replayed() || (cut == Cut::Before && !was_accepted), "{first:?} {again:?}");
        let (available, ledger) = sent.effect();
        let after = wallet.balance();
        assert_eq!((after.available - before.available, after.ledger - before.ledger), (available, ledger));
    }
    check_journal(server.workspace());
}

#[test]
fn a_write_whose_commit_succeeded_has_one_effect() {
    check_one_effect(Cut::After);
}

#[test]
fn a_write_whose_commit_did_not_arrive_has_one_effect() {
    check_one_effect(Cut::Before);
}

/// Without an idempotency key the outcome stays unknown, so Florin does not retry the write. It has at most one effect,
/// and exactly one if its answer was a success.
#[test]
fn a_write_without_a_key_is_not_retried() {
    let _undisturbed = prevent_restarts();
    let (proxy, server) = server();
    let wallet = Wallet::with(&server, "GBP", 1_000_000);
    for cut in [Cut::After, Cut::Before, Cut::After, Cut::Before] {
        let before = wallet.balance().ledger;
        proxy.cut(cut);
        let answer = wallet.client.post(CREDIT, credit_body(&wallet.card.budget, "0.07", "GBP"));
        assert!(proxy.has_cut(), "no COMMIT was seen");
        let effect = wallet.balance().ledger - before;
        match (is_accepted(&answer), cut) {
            (true, _) | (false, Cut::After) => assert_eq!(effect, 7, "{cut:?} {answer:?}"),
            (false, Cut::Before) => assert_eq!(effect, 0, "{answer:?}"),
        }
    }
    check_journal(server.workspace());
}

/// After a confirmation that succeeded, a repeat is refused.
#[test]
fn a_batch_is_confirmed_once() {
    let _undisturbed = prevent_restarts();
    let (proxy, server) = server();
    let client = server.client();
    for currency in ["GBP", "EUR", "JPY"] {
        expect_json(&client.post(CREDIT, credit_body(&demo().budget(currency), "100000000", currency)), 200);
    }
    for (batch, cut) in demo().batches("validated").into_iter().zip([Cut::After, Cut::Before, Cut::After, Cut::Before])
    {
        let session = open_session(&client, &batch);
        proxy.cut(cut);
        let first = confirm(&client, &batch, &session, "000000");
        assert!(proxy.has_cut(), "no COMMIT was seen");
        let again = confirm(&client, &batch, &session, "000000");
        // The repeat is refused if the first request has confirmed the batch.
        let is_confirmed = is_accepted(&first) || cut == Cut::After;
        assert_eq!(again.status, if is_confirmed { 409 } else { 200 }, "{cut:?} {first:?} {again:?}");
    }
    check_journal(server.workspace());
}
