//! A full disk: readiness reports it, writes get 503, and nothing is lost.

use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Resource, Rlimit, prlimit};

use crate::support::server::MAX_WAIT;
use crate::support::{AUTHORIZATION, Server, Wallet, Workspace, expect_error, expect_json};

/// Limits the size of the files that the server writes, including its log; `None` for no limit.
fn limit_files(server: &Server, bytes: Option<u64>) {
    let pid = Pid::from_raw(i32::try_from(server.pid()).unwrap());
    prlimit(pid, Resource::Fsize, Rlimit { current: bytes, maximum: None }).unwrap();
}

fn wait_for_readiness(server: &Server, status: u16) {
    let start = Instant::now();
    let ready = || server.client().with_authorization(None).get("/readyz?").status;
    while ready() != status {
        assert!(start.elapsed() < MAX_WAIT, "/readyz is still {}", ready());
        thread::sleep(Duration::from_millis(100));
    }
}

/// This always runs on SQLite, because PostgreSQL writes its own files.
#[test]
fn a_full_disk_makes_the_server_not_ready() {
    // A process that writes beyond its limit gets a signal, which ends it unless it is ignored.
    let workspace = Workspace::empty().set("FLORIN_DATABASE_URL", "sqlite://florin.db").through("trap '' XFSZ");
    let server = Server::on(workspace);
    let wallet = Wallet::with(&server, "GBP", 25_000);
    wait_for_readiness(&server, 200);
    limit_files(&server, Some(4096));
    // No request needs to write: readiness detects the full disk.
    wait_for_readiness(&server, 503);
    expect_json(&server.client().with_authorization(None).get("/healthz?"), 200);
    for _ in 0..3 {
        expect_error(&wallet.client.post(AUTHORIZATION, wallet.first_body("10.00")), 503);
    }
    limit_files(&server, None);
    wait_for_readiness(&server, 200);
    assert_eq!(wallet.balance().available, 25_000);
    expect_json(&wallet.client.post(AUTHORIZATION, wallet.first_body("10.00")), 201);
}
