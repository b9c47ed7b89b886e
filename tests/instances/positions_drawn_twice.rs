//! Positions of events that are drawn twice: once before a crash of the database server, in a transaction that the
//! crash ends, and again after it.

use std::thread;
use std::time::Duration;

use serde_json::json;

use crate::changes::change_setting;
use crate::pair::{exclusive_use, until, until_ready};
use crate::restarts::{restart_postgres, restart_program};
use crate::support::receiver::Receiver;
use crate::support::server::MAX_WAIT;
use crate::support::wallet::credit_body;
use crate::support::{CREDIT, Server, demo, expect_json};

/// Draws positions in a transaction that stays open, as Florin does before it stores events.
const DRAW: &str = "BEGIN; SELECT nextval('outbox_positions') FROM generate_series(1, 500) \
    WHERE pg_advisory_xact_lock_shared(7003214873)::text IS NOT NULL";

/// The fan-out waits for a transaction that has drawn positions, and the database server crashes meanwhile. Afterwards,
/// other transactions draw the same positions. The deliveries of their events must be queued.
#[test]
fn deliveries_are_queued_for_positions_that_were_drawn_before_a_crash() {
    if restart_program().is_none() {
        // Without a crash, no position is drawn again.
        return;
    }
    let _exclusive = exclusive_use();
    let (server, receiver) = (Server::sandbox(), Receiver::start());
    let client = server.client();
    receiver.subscribe(&client, "BoxCredited", &json!({}));
    let queued = || server.database().count("SELECT count(*) FROM webhook_deliveries");
    let credit = |count: i64| {
        expect_json(&client.post(CREDIT, credit_body(&demo().budget("GBP"), "0.07", "GBP")), 200);
        until("the delivery is queued", MAX_WAIT, || queued() == count);
    };
    // Now only commits write the write-ahead log to the disk, so a crash loses what the open transaction has logged.
    let _delay = change_setting("wal_writer_delay", "10s");
    // In a copy of a database, PostgreSQL 15 does not log the first numbers that are drawn, until a checkpoint.
    // Without this checkpoint, a crash would take back the positions of committed events, too.
    server.database().execute("CHECKPOINT");
    for round in 0..4 {
        credit(2 * round + 1);
        let mut session = server.database().connect();
        session.batch_execute(DRAW).unwrap();
        // The fan-out searches for events five times a second, so it probably waits for the transaction by now.
        thread::sleep(Duration::from_millis(100));
        restart_postgres(&server);
        until_ready(&server);
        // The fan-out continues, and searches again.
        thread::sleep(Duration::from_millis(500));
        credit(2 * round + 2);
    }
}
