//! A SQLite database that another process has locked: every wait ends, and nothing is lost.

use std::thread;
use std::time::{Duration, Instant};

use diesel::connection::SimpleConnection;
use diesel::{Connection, SqliteConnection};

use crate::support::server::MAX_WAIT;
use crate::support::wallet::credit_body;
use crate::support::{BANKS, CREDIT, Server, Wallet, Workspace, expect_error, expect_json};

fn wait_for_readiness(server: &Server, status: u16) {
    let start = Instant::now();
    while server.readiness() != status {
        assert!(start.elapsed() < MAX_WAIT, "/readyz is not {status}");
        thread::sleep(Duration::from_millis(100));
    }
}

/// This always runs on SQLite. `tests/instances/frozen.rs` tests a database server that does not answer.
#[test]
fn every_wait_for_a_locked_database_ends() {
    let workspace =
        Workspace::empty().set("FLORIN_DATABASE_URL", "sqlite://florin.db").set("FLORIN_SHUTDOWN_SECONDS", "20");
    let server = Server::on(workspace);
    let wallet = Wallet::with(&server, "GBP", 1_000);
    let credit = || wallet.client.post_once(CREDIT, "locked", credit_body(&wallet.card.budget, "0.07", "GBP"));
    wait_for_readiness(&server, 200);

    let file = server.workspace().path().join("florin.db");
    let mut other = SqliteConnection::establish(file.to_str().unwrap()).unwrap();
    other.batch_execute("PRAGMA busy_timeout = 30000; BEGIN EXCLUSIVE").unwrap();
    wait_for_readiness(&server, 503);
    expect_json(&wallet.client.get(BANKS), 200);
    let refused = credit();
    expect_error(&refused, 503);
    assert!(refused.header("retry-after").is_some(), "{refused:?}");
    // The write that failed is still in progress, or has just ended.
    assert_eq!(server.readiness(), 503);
    expect_json(&wallet.client.with_authorization(None).get("/healthz?"), 200);

    other.batch_execute("ROLLBACK").unwrap();
    wait_for_readiness(&server, 200);
    let credited = credit();
    assert!(credited.status < 300, "{credited:?}");
    assert_eq!(wallet.balance().available, 1_007);

    other.batch_execute("BEGIN EXCLUSIVE").unwrap();
    let (took, _workspace) = server.stop_successfully();
    assert!(took < Duration::from_secs(20), "the stop took {took:?}");
}
