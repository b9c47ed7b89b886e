//! A database server that accepts bytes and answers nothing, as if its processes were stopped.

use crate::pair::{undisturbed, until};
use crate::support::load::check_journal;
use crate::support::server::LIMIT;
use crate::support::wallet::credit_body;
use crate::support::{BANKS, CHECKOUTS, CREDIT, Home, Server, Wallet, expect_error, expect_json};
use crate::wire::Wire;

#[test]
fn every_wait_ends() {
    let _undisturbed = undisturbed();
    let wire = Wire::open();
    let server = Server::on(wire.clone().into_home(Home::demo()));
    let wallet = Wallet::with(&server, "GBP", 1_000_000);
    let client = server.client();
    let before = wallet.balance().ledger;
    let ready = || client.with_authorization(None).get("/readyz?").status;
    wire.freeze(true);
    assert_eq!(ready(), 503);
    assert_eq!(client.with_authorization(None).get("/healthz?").status, 200);
    let read = client.get(CHECKOUTS);
    expect_error(&read, 503);
    assert!(read.header("retry-after").is_some(), "{read:?}");
    // The request has an idempotency key, because its outcome is unknown: the credit may be stored when the server
    // answers again.
    let credit = || {
        let body = credit_body(&wallet.card.budget, "0.07", "GBP");
        client.call("POST", CREDIT).header("Idempotency-Key", "frozen").json(body).send()
    };
    let written = credit();
    expect_error(&written, 503);
    assert!(written.header("retry-after").is_some(), "{written:?}");
    assert_eq!(ready(), 503);
    wire.freeze(false);
    until("ready again", LIMIT, || ready() == 200);
    expect_json(&client.get(BANKS), 200);
    let settled = credit();
    assert!(settled.status < 300, "{settled:?}");
    assert_eq!(wallet.balance().ledger - before, 7);
    check_journal(server.home());
    wire.freeze(true);
    let (status, _home) = server.stop();
    assert_eq!(status.code(), Some(0));
    wire.freeze(false);
}
