//! Locks that other sessions of the database hold. Callers that wait for them too long get 503 with `Retry-After`, as
//! they do while PostgreSQL is down.

use std::thread;
use std::time::Duration;

use crate::fault_load::{is_accepted, run_fault_test};
use crate::pair::{Pair, prevent_restarts, until};
use crate::support::load::check_journal;
use crate::support::server::MAX_WAIT;
use crate::support::{BANKS, CHECKOUTS, expect_json, together};

/// Tests a session that holds locks for longer than a request may wait.
fn run_lock_test(name: &str, statement: &str) {
    let _undisturbed = prevent_restarts();
    run_fault_test(name, |pair, tally| {
        let session = pair.first.database().hold(statement);
        tally.wait_for_refused(8);
        drop(session);
    });
}

#[test]
fn locked_balances_lose_and_double_nothing() {
    run_lock_test("balances", "SELECT 1 FROM balances FOR UPDATE");
}

#[test]
fn locked_idempotency_records_lose_and_double_nothing() {
    run_lock_test("records", "LOCK TABLE idempotency_records IN ACCESS EXCLUSIVE MODE");
}

#[test]
fn a_locked_journal_loses_and_doubles_nothing() {
    run_lock_test("journal", "LOCK TABLE journal_legs IN ACCESS EXCLUSIVE MODE");
}

/// Every connection of the pool waits for a lock, and there are more callers than connections.
#[test]
fn callers_are_refused_while_all_connections_wait() {
    let _undisturbed = prevent_restarts();
    let pair = Pair::sandbox();
    let session = pair.first.database().hold("LOCK TABLE checkouts IN ACCESS EXCLUSIVE MODE");
    let answers = together(100, |_| pair.first.client().get(CHECKOUTS));
    let refused = answers.iter().filter(|answer| !is_accepted(answer)).count();
    assert_eq!(refused, 100, "a caller read a locked table");
    // The other instance shares the database, not the pool.
    expect_json(&pair.second.client().get(BANKS), 200);
    drop(session);
    for server in [&pair.first, &pair.second] {
        until("the instance serves again", MAX_WAIT, || is_accepted(&server.client().get(CHECKOUTS)));
        assert_eq!(server.readiness(), 200);
    }
    check_journal(pair.first.workspace());
}

/// Another session acquires an instance's locks in another order, so that both deadlock. The deadlock timeout of that
/// session is long, so that the database server cancels the transaction of the instance.
#[test]
fn deadlocks_lose_and_double_nothing() {
    let _undisturbed = prevent_restarts();
    run_fault_test("deadlocks", |pair, tally| {
        let database = pair.first.database();
        let deadlocks = || database.count("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()");
        for table in ["cards", "accounts", "credit_counters", "budgets", "cards"] {
            let mut session = database.connect();
            session.batch_execute("SET deadlock_timeout = '20s'; BEGIN").unwrap();
            session.batch_execute(&format!("SELECT 1 FROM {table} FOR UPDATE")).unwrap();
            // By now one instance holds the balance and waits for this session. The other one waits, too.
            thread::sleep(Duration::from_millis(200));
            session.batch_execute("SET lock_timeout = '5s'; SELECT 1 FROM balances FOR UPDATE").unwrap();
            drop(session);
            tally.wait_for_accepted(10);
        }
        until("PostgreSQL reports deadlocks", MAX_WAIT, || deadlocks() > 0);
    });
}
