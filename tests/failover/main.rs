//! Fail-overs of a real cluster under load. Run with `scripts/with-patroni`, as `make test-failover` does; without a
//! cluster the test fails.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::disallowed_methods,
    missing_docs,
    reason = "a test fails by panicking, and tests may use the machine's clock and random ids"
)]

mod balancer;
mod cluster;
#[allow(dead_code, reason = "the tests of several instances use all of it")]
#[path = "../instances/database.rs"]
mod database;
mod load;
mod outages;
#[path = "../instances/report.rs"]
mod report;
#[allow(dead_code, unused_imports, reason = "shared with the black-box suite, which uses all of it")]
#[path = "../blackbox/support/mod.rs"]
mod support;

use std::time::Duration;

use balancer::Balancer;
use cluster::{Cluster, FAULTS, Fault};
use load::{Load, wallets};
use outages::Outages;
use report::report;
use support::feed::Feed;
use support::folder::directory;
use support::load::check_journal;
use support::setting::setting;
use support::{Server, Wallet, Workspace, expect_json};

/// Whether the tests of this program run on PostgreSQL only.
const ONLY_POSTGRES: bool = true;

/// Number of budgets that the load uses.
const BUDGETS: usize = 4;

/// After each fail-over, every acknowledged effect is stored once, retries replay their answers, and the checks of the
/// books find no fault. `FLORIN_FAILOVERS` is the number of fail-overs.
#[test]
fn acknowledged_effects_survive_fail_overs() {
    let (cluster, mut outages) = (Cluster::of_this_process(), Outages::default());
    let faults: Vec<_> = FAULTS.into_iter().cycle().take(setting("FLORIN_FAILOVERS", 50).try_into().unwrap()).collect();
    // Each fault happens once in a round. Each round has a new database, so that the checks stay short.
    for (round, faults) in faults.chunks(FAULTS.len()).enumerate() {
        cluster.wait_until_whole();
        let workspace = workspace();
        let beside = workspace.beside();
        let servers = [Server::on(workspace), Server::on(beside)];
        let directory = directory();
        let _balancer = Balancer::start(&servers, directory.path());
        let (wallets, mut feed) = (wallets(&Balancer::client(), BUDGETS), Feed::new());
        for fault in faults {
            outages.add(fault, fail_over(&cluster, &wallets, &mut feed, (round, fault)));
            verify(&servers);
        }
        feed.drain(&Balancer::client());
        feed.must_equal_the_list(&Balancer::client());
    }
    report(&outages.table());
}

/// Returns a workspace with demo data. The order of the hosts is random, so only some attempts to connect begin with a
/// host that does not respond.
fn workspace() -> Workspace {
    let workspace = Workspace::demo();
    let url = workspace.setting("FLORIN_DATABASE_URL");
    workspace.set("FLORIN_DATABASE_URL", &format!("{url}&load_balance_hosts=random"))
}

/// Causes a fault under load, waits until the cluster is whole again, and verifies the messages of the load. Returns
/// how long no message succeeded.
fn fail_over(cluster: &Cluster, wallets: &[Wallet], feed: &mut Feed, (round, fault): (usize, &Fault)) -> Duration {
    cluster.wait_until_whole();
    let before: Vec<_> = wallets.iter().map(Wallet::balance).collect();
    let load = Load::new(wallets, &format!("{}-{round}", fault.name));
    load.during(feed, |load| {
        load.wait_for_successes(100);
        cluster.inject(fault, round);
        cluster.wait_until_whole();
        load.wait_for_successes(100);
    });
    load.repeat_and_verify(&before);
    report(&format!("{}: {load}", fault.name));
    load.longest_outage()
}

/// Checks the books with both of Florin's checks.
fn verify(servers: &[Server; 2]) {
    check_journal(servers[0].workspace());
    for server in servers {
        let invariants = expect_json(&server.client().get("/v2/sandbox/invariants"), 200);
        assert_eq!(invariants["verdict"], "holds", "{invariants}");
        assert_eq!(server.readiness(), 200);
        assert!(!server.workspace().log().contains("panicked at"), "{}", server.workspace().log());
    }
}
