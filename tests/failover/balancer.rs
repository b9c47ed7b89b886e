//! `HAProxy`, the load balancer. It sends each request to an instance that is ready.

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::support::guards::KilledOnDrop;
use crate::support::server::MAX_WAIT;
use crate::support::{Client, Server, demo};

/// The address of the balancer. In the network of the cluster, nothing else uses this port: ports that the system
/// chooses are greater.
const ADDRESS: &str = "127.0.0.1:8000";

/// A running balancer. It is killed on drop.
pub(crate) struct Balancer {
    _process: KilledOnDrop,
}

impl Balancer {
    /// Starts a balancer, and waits until it accepts requests.
    pub(crate) fn start(servers: &[Server], directory: &Path) -> Self {
        let settings = directory.join("haproxy.cfg");
        fs::write(&settings, configuration(servers)).unwrap();
        let process = Command::new("haproxy").arg("-db").arg("-f").arg(&settings).stdin(Stdio::null()).spawn().unwrap();
        let balancer = Self { _process: KilledOnDrop(process) };
        let start = Instant::now();
        while !matches!(Self::client().call("GET", "/readyz?").try_send(), Ok(answer) if answer.status == 200) {
            assert!(start.elapsed() < MAX_WAIT, "the balancer does not respond");
            thread::sleep(Duration::from_millis(50));
        }
        balancer
    }

    /// Returns a client with the demo account's key.
    pub(crate) fn client() -> Client {
        Client::new(ADDRESS, Some(&format!("ApiKey {}", demo().api_key)), &demo().account)
    }
}

/// Returns the configuration of docs/SCALING.md for these instances.
fn configuration(servers: &[Server]) -> String {
    let mut text = format!(
        "defaults\n  mode http\n  timeout connect 2s\n  timeout client 60s\n  timeout server 60s\n  option redispatch\n\
         frontend api\n  bind {ADDRESS}\n  default_backend florin\n\
         backend florin\n  balance roundrobin\n  option httpchk GET /readyz\n  http-check expect status 200\n  \
         default-server check inter 1s fall 2 rise 1\n"
    );
    for (number, server) in servers.iter().enumerate() {
        writeln!(text, "  server florin{number} {}", server.address).unwrap();
    }
    text
}
