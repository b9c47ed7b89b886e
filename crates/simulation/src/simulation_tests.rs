//! Tests of cases that the simulation found, without a seed.

use super::*;
use crate::check::effects;
use crate::clients::KnownOutcome;

/// Sends a request while disk operations fail with this fault, after `after` operations that succeed, then kills the
/// instance. Returns what the client knows, and the number of effects that the next instance finds.
fn failed(fault: &str, after: u64) -> (KnownOutcome, usize) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let _context = runtime.enter();
    let mut simulation = Simulation::new(0, None);
    simulation.clients = Clients::of_one_credit();
    simulation.start(0);
    simulation.disk.fault(fault, after, 1_000);
    simulation.request(0, 0);
    simulation.instance(0).run_all();
    simulation.disk.fault("none", 0, 0);
    simulation.kill_alone(0);
    simulation.start(0);
    let request = simulation.clients.requests()[0];
    let found = effects(&simulation.instance(0).ports, &request).now_or_never();
    (request.known, found.unwrap().unwrap())
}

#[test]
fn a_commit_whose_sync_failed_may_count_after_a_crash() {
    // The first syncs write the header of the log, before the rows of the commit are written.
    let results: Vec<_> = (0..20).map(|after| failed("sync", after)).collect();
    assert!(results.contains(&(KnownOutcome::Unknown, 1)), "{results:?}");
    assert!(!results.contains(&(KnownOutcome::NoEffect, 1)), "{results:?}");
}

#[test]
fn a_commit_without_room_has_no_effect() {
    assert_eq!(failed("full", 0), (KnownOutcome::NoEffect, 0));
}
