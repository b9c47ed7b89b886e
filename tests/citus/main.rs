//! A home and a cell on the nodes of a Citus cluster, under load. Run with `scripts/with-citus`, as `make test-citus`
//! does; without a cluster each test fails.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::disallowed_methods,
    missing_docs,
    reason = "a test fails by panicking, and tests may use the machine's clock and random ids"
)]

#[allow(dead_code, reason = "the tests of several instances use all of it")]
#[path = "../instances/database.rs"]
mod database;
#[path = "../failover/load.rs"]
mod load;
mod nodes;
#[path = "../instances/report.rs"]
mod report;
#[allow(dead_code, unused_imports, reason = "shared with the black-box suite, which uses all of it")]
#[path = "../blackbox/support/mod.rs"]
mod support;

use std::thread;
use std::time::{Duration, Instant};

use load::{Load, wallets};
use nodes::Nodes;
use report::report;
use support::cells::Tenant;
use support::feed::Feed;
use support::load::check_journal;
use support::setting::setting;
use support::{Client, Server, Wallet, Workspace, expect_json};

/// Whether the tests of this program run on PostgreSQL only.
const ONLY_POSTGRES: bool = true;

/// Number of budgets that the load on each schema uses.
const BUDGETS: usize = 2;
/// Number of messages on each schema that must succeed before and after a fault.
const MESSAGES: usize = 100;
/// How long a killed node is down.
const DOWNTIME: Duration = Duration::from_secs(3);

/// The schemas of the home and of the cell. At first, each is on its own worker.
const SCHEMAS: [&str; 2] = ["home", "cell_a"];

/// A server whose home and cell are schemas of one database, with a client in each.
struct Cluster {
    server: Server,
    nodes: Nodes,
    clients: [Client; 2],
    wallets: [Vec<Wallet>; 2],
    feeds: [Feed; 2],
}

impl Cluster {
    fn new() -> Self {
        let workspace = Workspace::demo();
        let nodes = Nodes::of(&workspace);
        nodes.add_schema(SCHEMAS[1]);
        let url = workspace.setting("FLORIN_DATABASE_URL");
        let cell = url.replace(SCHEMAS[0], SCHEMAS[1]);
        assert_ne!(url, cell);
        let workspace = workspace.set("FLORIN_CELLS", &format!("a={cell}"));
        workspace.json(&["cells", "add", "a", "--json"]);
        nodes.separate(SCHEMAS);
        let tenant = Tenant::create(&workspace, "Ada", "F70001", "a");
        let server = Server::on(workspace);
        let clients = [server.client(), tenant.caller(&server)];
        let wallets = clients.each_ref().map(|client| wallets(client, BUDGETS));
        Self { server, nodes, clients, wallets, feeds: [Feed::new(), Feed::new()] }
    }

    /// Causes a fault under load. Afterwards, every acknowledged effect must be stored once, retries must replay their
    /// answers, and the checks of the books must find no fault.
    fn inject_under_load(&mut self, name: &str, fault: impl FnOnce(&Nodes)) {
        let before = self.wallets.each_ref().map(|wallets| wallets.iter().map(Wallet::balance).collect::<Vec<_>>());
        let [home, cell] = [0, 1].map(|place| Load::new(&self.wallets[place], &format!("{name}-{}", SCHEMAS[place])));
        let [home_feed, cell_feed] = &mut self.feeds;
        home.during(home_feed, |home| {
            cell.during(cell_feed, |cell| {
                home.wait_for_successes(MESSAGES);
                cell.wait_for_successes(MESSAGES);
                fault(&self.nodes);
                home.wait_for_successes(MESSAGES);
                cell.wait_for_successes(MESSAGES);
            });
        });
        for (place, load) in [&home, &cell].into_iter().enumerate() {
            load.repeat_and_verify(&before[place]);
            report(&format!("{name}, {}: {load}", SCHEMAS[place]));
        }
        self.verify();
    }

    /// Reads the feeds of changes to the end, and checks that they have missed and repeated nothing.
    fn verify_feeds(&mut self) {
        for (feed, client) in self.feeds.iter_mut().zip(&self.clients) {
            feed.drain(client);
            feed.must_equal_the_list(client);
        }
    }

    /// Checks the books with both of Florin's checks.
    fn verify(&self) {
        check_journal(self.server.workspace());
        for client in &self.clients {
            let invariants = expect_json(&client.get("/v2/sandbox/invariants"), 200);
            assert_eq!(invariants["verdict"], "holds", "{invariants}");
        }
        assert!(!self.server.workspace().log().contains("panicked at"), "{}", self.server.workspace().log());
    }
}

/// `FLORIN_CITUS_ROUNDS` is the number of rounds. In each, both schemas move, and each node is killed.
#[test]
fn acknowledged_effects_survive_moves_and_kills() {
    let mut cluster = Cluster::new();
    for round in 0..setting("FLORIN_CITUS_ROUNDS", 2) {
        for schema in SCHEMAS {
            cluster.inject_under_load(&format!("move-{round}-of-{schema}"), |nodes| {
                let start = Instant::now();
                nodes.move_to_other_worker(schema);
                report(&format!("{schema} moved within {:.1} s", start.elapsed().as_secs_f64()));
            });
            cluster.verify_feeds();
        }
        for (place, port) in cluster.nodes.ports().into_iter().enumerate() {
            cluster.inject_under_load(&format!("kill-{round}-of-{place}"), |nodes| {
                nodes.control("kill", port);
                thread::sleep(DOWNTIME);
                nodes.control("start", port);
            });
        }
        cluster.verify_feeds();
    }
}
