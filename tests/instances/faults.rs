//! Faults of the database server. Callers get 2xx, or 503 with `Retry-After`. Nothing is half written, no answered
//! effect is lost, and a repeat resolves unknown outcomes.

use std::thread;
use std::time::Duration;

use crate::fault_load::{is_accepted, run_fault_test};
use crate::pair::{exclusive_use, prevent_restarts, until_ready};
use crate::restarts::restart_postgres;
use crate::support::{CHECKOUTS, expect_error};

#[test]
fn restarts_of_the_database_server_lose_and_double_nothing() {
    let _exclusive = exclusive_use();
    run_fault_test("restart", |pair, tally| {
        for _ in 0..3 {
            restart_postgres(&pair.first);
            tally.wait_for_accepted(50);
        }
    });
}

#[test]
fn ended_sessions_lose_and_double_nothing() {
    let _undisturbed = prevent_restarts();
    run_fault_test("ended", |pair, tally| {
        for _ in 0..40 {
            pair.first.database().end_sessions();
            thread::sleep(Duration::from_millis(40));
        }
        tally.wait_for_accepted(10);
    });
}

#[test]
fn an_unreachable_database_loses_and_doubles_nothing() {
    let _undisturbed = prevent_restarts();
    run_fault_test("away", |pair, tally| {
        let refused = pair.first.database().refuse_sessions();
        tally.wait_for_refused(20);
        for server in [&pair.first, &pair.second] {
            let client = server.client();
            expect_error(&client.with_authorization(None).get("/readyz?"), 503);
            assert_eq!(client.with_authorization(None).get("/healthz?").status, 200);
            assert!(!is_accepted(&client.get(CHECKOUTS)));
        }
        drop(refused);
        for server in [&pair.first, &pair.second] {
            until_ready(server);
        }
    });
}
