//! A database server that accepts bytes and answers nothing, as if its processes were stopped.

use std::time::Duration;

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
    let server = Server::on(wire.clone().into_home(Home::demo()).set("FLORIN_SHUTDOWN_SECONDS", "20"));
    let wallet = Wallet::with(&server, "GBP", 1_000_000);
    let client = server.client();
    let before = wallet.balance().ledger;
    wire.freeze(true);
    assert_eq!(server.readiness(), 503);
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
    assert_eq!(server.readiness(), 503);
    wire.freeze(false);
    until("ready again", LIMIT, || server.readiness() == 200);
    expect_json(&client.get(BANKS), 200);
    let settled = credit();
    assert!(settled.status < 300, "{settled:?}");
    assert_eq!(wallet.balance().ledger - before, 7);
    check_journal(server.home());
    wire.freeze(true);
    let (took, _home) = server.stop_successfully();
    assert!(took < Duration::from_secs(20), "the stop took {took:?}");
    wire.freeze(false);
}
