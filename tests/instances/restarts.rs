//! Restarts of the PostgreSQL server.

use std::ffi::OsString;
use std::process::Command;
use std::thread;
use std::time::Duration;

use crate::support::Server;

/// Returns the program that kills and restarts the PostgreSQL server, or `None` if the tests did not start that server.
pub(crate) fn restart_program() -> Option<OsString> {
    std::env::var_os("WITH_POSTGRES_RESTART")
}

/// Kills and restarts the PostgreSQL server if the tests started it. Otherwise, Florin's database ends all its sessions
/// and refuses new ones for a second.
pub(crate) fn restart_postgres(florin: &Server) {
    if let Some(program) = restart_program() {
        let output = Command::new("timeout").arg("120").arg(program).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        return;
    }
    let _refused = florin.database().refuse_sessions();
    thread::sleep(Duration::from_secs(1));
}
