//! Faults of the database server. Callers get 2xx, or 503 with `Retry-After`. Nothing is half written, no answered
//! effect is lost, and a repeat resolves unknown outcomes.

use std::thread;
use std::time::Duration;

use crate::fault_load::{run_fault_test, taken};
use crate::pair::{exclusive_use, prevent_restarts, until_ready};
use crate::restarts::restart;
use crate::support::{CHECKOUTS, expect_error};

#[test]
fn the_database_server_is_restarted() {
    let _exclusive = exclusive_use();
    run_fault_test("restart", |pair, tally| {
        for _ in 0..3 {
            restart(&pair.first);
            tally.more_taken(50);
        }
    });
}

#[test]
fn sessions_are_ended() {
    let _undisturbed = prevent_restarts();
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
    let _undisturbed = prevent_restarts();
    run_fault_test("away", |pair, tally| {
        let refused = pair.first.database().refuse_sessions();
        tally.more_refused(20);
        for server in [&pair.first, &pair.second] {
            let client = server.client();
            expect_error(&client.with_authorization(None).get("/readyz?"), 503);
            assert_eq!(client.with_authorization(None).get("/healthz?").status, 200);
            assert!(!taken(&client.get(CHECKOUTS)));
        }
        drop(refused);
        for server in [&pair.first, &pair.second] {
            until_ready(server);
        }
    });
}
