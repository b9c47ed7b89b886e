//! Checks the promises about days in processes with local times other than UTC.

use florin_store_conformance::{Factory, Outcome, checks};
use std::process::Command;

/// Time zones before and after UTC.
const ZONES: [&str; 2] = ["Pacific/Kiritimati", "America/Los_Angeles"];
/// The environment variable that marks a process that was started with one of these time zones.
const MARK: &str = "FLORIN_TEST_ZONE";

/// Runs all checks about days and times. The time zone of a process is set at its start, so this function starts the
/// same test again, once for each time zone.
pub(crate) async fn check_promises(factory: &impl Factory, test: &str) {
    if std::env::var_os(MARK).is_none() {
        for zone in ZONES {
            let program = std::env::current_exe().unwrap();
            let mut again = Command::new(program);
            again.args(["--exact", test]).env("TZ", zone).env("PGTZ", zone).env(MARK, zone);
            let output = again.output().unwrap();
            assert!(output.status.success(), "in {zone}: {}", String::from_utf8_lossy(&output.stdout));
        }
        return;
    }
    let about_time = ["days.", "times.", "cards.limits."];
    for check in checks() {
        if about_time.iter().any(|start| check.name().starts_with(start)) {
            let outcome = check.run(factory).await;
            assert!(matches!(outcome, Outcome::Kept), "{}: {outcome:?}", check.name());
        }
    }
}
