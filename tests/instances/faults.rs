//! Faults of the database server. Callers get 2xx, or 503 with `Retry-After`. Nothing
//! is half written, no answered effect is lost, and a repeat resolves unknown outcomes.

use std::process::Command;
use std::thread;
use std::time::Duration;

use crate::fault_load::{Tally, run_fault_test, taken};
use crate::pair::{Pair, alone, undisturbed, until};
use crate::support::load::check_journal;
use crate::support::server::LIMIT;
use crate::support::{BANKS, CHECKOUTS, Server, expect_error, expect_json, together};

fn ready(server: &Server) -> u16 {
    server.client().with_authorization(None).get("/readyz?").status
}

/// Kills and restarts the server if the tests own it. Otherwise refuses connections for a while.
pub(crate) fn restart(one: &Server) {
    if let Ok(program) = std::env::var("WITH_POSTGRES_RESTART") {
        let output = Command::new("timeout").args(["120", &program]).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        return;
    }
    one.database().allow_sessions(false);
    one.database().end_sessions();
    thread::sleep(Duration::from_secs(1));
    one.database().allow_sessions(true);
}

#[test]
fn the_database_server_is_restarted() {
    let _alone = alone();
    run_fault_test("restart", |pair, tally| {
        for _ in 0..3 {
            restart(&pair.first);
            tally.more_taken(50);
        }
    });
}

#[test]
fn sessions_are_ended() {
    let _undisturbed = undisturbed();
    run_fault_test("ended", |pair, tally| {
        for _ in 0..40 {
            pair.first.database().end_sessions();
            thread::sleep(Duration::from_millis(40));
        }
        tally.more_taken(10);
    });
}

#[test]
fn the_database_is_unreachable_for_a_while() {
    let _undisturbed = undisturbed();
    run_fault_test("away", |pair, tally| {
        let database = pair.first.database();
        database.allow_sessions(false);
        database.end_sessions();
        tally.more_refused(20);
        for server in [&pair.first, &pair.second] {
            let client = server.client();
            expect_error(&client.with_authorization(None).get("/readyz?"), 503);
            assert_eq!(client.with_authorization(None).get("/healthz?").status, 200);
            assert!(!taken(&client.get(CHECKOUTS)));
        }
        database.allow_sessions(true);
        for server in [&pair.first, &pair.second] {
            until("ready again", LIMIT, || ready(server) == 200);
        }
    });
}

/// Tests a session that holds the rows for longer than a request may wait.
fn held(name: &str, statement: &str) {
    let _undisturbed = undisturbed();
    run_fault_test(name, |pair, tally: &Tally| {
        let session = pair.first.database().hold(statement);
        tally.more_refused(8);
        drop(session);
    });
}

#[test]
fn balances_are_locked() {
    held("balances", "SELECT 1 FROM balances FOR UPDATE");
}

#[test]
fn idempotency_records_are_locked() {
    held("records", "LOCK TABLE idempotency_records IN ACCESS EXCLUSIVE MODE");
}

#[test]
fn the_journal_is_locked() {
    held("journal", "LOCK TABLE journal_legs IN ACCESS EXCLUSIVE MODE");
}

/// Every connection of the pool waits for a lock, and there are more callers than connections.
#[test]
fn all_connections_are_taken() {
    let _undisturbed = undisturbed();
    let pair = Pair::sandbox();
    let session = pair.first.database().hold("LOCK TABLE checkouts IN ACCESS EXCLUSIVE MODE");
    let answers = together(100, |_| pair.first.client().get(CHECKOUTS));
    let refused = answers.iter().filter(|answer| !taken(answer)).count();
    assert_eq!(refused, 100, "somebody read a locked table");
    // The other instance shares the database, not the pool.
    expect_json(&pair.second.client().get(BANKS), 200);
    drop(session);
    for server in [&pair.first, &pair.second] {
        until("served again", LIMIT, || taken(&server.client().get(CHECKOUTS)));
        assert_eq!(ready(server), 200);
    }
    check_journal(pair.first.home());
}

/// Another session acquires an instance's locks in another order, so that both deadlock. Its deadlock timeout is long,
/// so that the server cancels the instance.
#[test]
fn deadlocks() {
    let _undisturbed = undisturbed();
    run_fault_test("deadlocks", |pair, tally| {
        let database = pair.first.database();
        let deadlocks = || database.count("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()");
        for table in ["cards", "accounts", "credit_counters", "budgets", "cards"] {
            let mut session = database.connect();
            session.batch_execute("SET deadlock_timeout = '20s'; BEGIN").unwrap();
            session.batch_execute(&format!("SELECT 1 FROM {table} FOR UPDATE")).unwrap();
            // By now both instances wait for this session, and hold the balances.
            thread::sleep(Duration::from_millis(200));
            session.batch_execute("SET lock_timeout = '5s'; SELECT 1 FROM balances FOR UPDATE").unwrap();
            drop(session);
            tally.more_taken(10);
        }
        until("the server reports deadlocks", LIMIT, || deadlocks() > 0);
    });
}
