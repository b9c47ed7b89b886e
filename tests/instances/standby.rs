//! A database server that must wait for a standby before it confirms a commit, but has no standby. The server has
//! stored such a commit. Florin must not cancel the wait, because the commit would then count as confirmed.

use std::thread;

use crate::changes::change_setting;
use crate::pair::{exclusive_use, until, until_ready};
use crate::support::http::exchange;
use crate::support::load::check_journal;
use crate::support::server::MAX_WAIT;
use crate::support::wallet::credit_body;
use crate::support::{CHECKOUTS, CREDIT, Server, Wallet, Workspace, expect_error, expect_json};

#[test]
fn a_commit_that_waits_for_a_standby_is_not_confirmed() {
    let _exclusive = exclusive_use();
    let server = Server::on(Workspace::demo().set("FLORIN_METRICS", "true"));
    let wallet = Wallet::with(&server, "GBP", 1_000_000);
    let (client, before) = (server.client(), wallet.balance().ledger);
    let admin = server.banner["adminListen"].as_str().unwrap();
    let metrics = || exchange(admin, "GET /metrics", &[], b"").text();
    let credit = |key: &str| {
        let body = credit_body(&wallet.card.budget, "0.07", "GBP");
        client.call("POST", CREDIT).header("Idempotency-Key", key).json(body).send()
    };
    assert!(metrics().contains("florin_ready 1"));

    // No standby has this name, so every commit waits.
    let change = change_setting("synchronous_standby_names", "nobody");
    // The check of readiness detects this even if no caller writes.
    until("the instance is not ready", MAX_WAIT, || server.readiness() == 503);
    assert!(metrics().contains("florin_ready 0"));
    let messages: Vec<_> = thread::scope(|scope| {
        let calls = ["one", "two", "three"].map(|key| scope.spawn(|| expect_error(&credit(key), 503)));
        calls.into_iter().map(|call| call.join().unwrap()[0].message.clone()).collect()
    });
    // At least the first write is stored locally, although no standby has confirmed it.
    assert!(messages.iter().any(|message| message.contains("may have taken effect")), "{messages:?}");
    expect_json(&client.get(CHECKOUTS), 200);
    let waiting = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'SyncRep'";
    assert_eq!(server.database().count(waiting), 1, "the commit was cancelled");

    drop(change);
    until_ready(&server);
    for key in ["one", "two", "three"] {
        let credited = credit(key);
        assert!(credited.status < 300, "{credited:?}");
    }
    assert_eq!(wallet.balance().ledger - before, 21, "each credit took effect once");
    check_journal(server.workspace());
}
