//! A database server that accepts bytes and answers nothing: behind a proxy that stops forwarding, and with stopped
//! processes.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::fault_load::is_accepted;
use crate::pair::{exclusive_use, prevent_restarts, until_ready};
use crate::proxy::Proxy;
use crate::restarts::restart_program;
use crate::support::load::check_journal;
use crate::support::postgres::{connect, server_url};
use crate::support::wallet::credit_body;
use crate::support::{BANKS, CHECKOUTS, CREDIT, Server, Wallet, Workspace, expect_json};

/// Stops processes, starting with the parent, until its input ends: also if the test is killed.
const STOP: &str = r#"
kill -STOP "$1"
all="$1 $(cat "/proc/$1/task/$1/children")"
kill -STOP $all
echo stopped
read -r _
kill -CONT $all
"#;

/// The processes of the database server, stopped until this is dropped.
struct Stopped(Child);

impl Stopped {
    /// Stops the processes. Returns `None` if the tests did not start the server, or if its processes are in a
    /// container.
    fn server() -> Option<Self> {
        restart_program()?;
        let query = r"SELECT current_setting('data_directory'), split_part(pg_read_file('postmaster.pid'), E'\n', 1)";
        let row = connect(&server_url()).unwrap().query_one(query, &[]).unwrap();
        let (directory, process): (String, String) = (row.get(0), row.get(1));
        let command = fs::read_to_string(format!("/proc/{process}/cmdline")).ok()?;
        if !command.contains(&directory) {
            return None;
        }
        let mut helper = Command::new("sh");
        helper.args(["-c", STOP, "sh", &process]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut stopped = Self(helper.spawn().unwrap());
        let mut line = String::new();
        BufReader::new(stopped.0.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(line, "stopped\n");
        Some(stopped)
    }
}

impl Drop for Stopped {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _status = self.0.wait();
    }
}

/// A proxy that forwards nothing until this is dropped.
struct Frozen(Proxy);

impl Frozen {
    fn proxy(proxy: &Proxy) -> Self {
        proxy.freeze(true);
        Self(proxy.clone())
    }
}

impl Drop for Frozen {
    fn drop(&mut self) {
        self.0.freeze(false);
    }
}

/// Freezes the database of an instance twice: during requests, and during the shutdown of the instance. The database is
/// frozen until the result of `freeze` is dropped.
fn check<F>(workspace: Workspace, freeze: impl Fn() -> F) {
    let server = Server::on(workspace.set("FLORIN_SHUTDOWN_SECONDS", "20"));
    let wallet = Wallet::with(&server, "GBP", 1_000_000);
    let client = server.client();
    let before = wallet.balance().ledger;
    let frozen = freeze();
    assert_eq!(server.readiness(), 503);
    assert_eq!(client.with_authorization(None).get("/healthz?").status, 200);
    assert!(!is_accepted(&client.get(CHECKOUTS)));
    // The request has an idempotency key, because its outcome is unknown: the credit may be stored when the
    // database server answers again.
    let credit = || {
        let body = credit_body(&wallet.card.budget, "0.07", "GBP");
        client.call("POST", CREDIT).header("Idempotency-Key", "frozen").json(body).send()
    };
    assert!(!is_accepted(&credit()));
    assert_eq!(server.readiness(), 503);
    drop(frozen);
    until_ready(&server);
    expect_json(&client.get(BANKS), 200);
    let credited = credit();
    assert!(credited.status < 300, "{credited:?}");
    assert_eq!(wallet.balance().ledger - before, 7);
    check_journal(server.workspace());
    let frozen = freeze();
    let (took, workspace) = server.stop_successfully();
    // When the workspace is dropped, it drops its database, which must then answer again.
    drop(frozen);
    drop(workspace);
    assert!(took < Duration::from_secs(20), "the stop took {took:?}");
}

#[test]
fn every_wait_behind_a_frozen_proxy_ends() {
    let _undisturbed = prevent_restarts();
    let proxy = Proxy::open();
    check(proxy.clone().into_workspace(Workspace::demo()), || Frozen::proxy(&proxy));
}

#[test]
fn every_wait_on_stopped_processes_ends() {
    let _exclusive = exclusive_use();
    let Some(stopped) = Stopped::server() else { return };
    drop(stopped);
    check(Workspace::demo(), || Stopped::server().unwrap());
}
