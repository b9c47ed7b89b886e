//! The cluster of `scripts/with-patroni`, and the faults that make it fail over.

use std::env;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Maximum time until there is another leader.
const MAX_FAILOVER: Duration = Duration::from_secs(120);

/// A way to lose the leader.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fault {
    pub(crate) name: &'static str,
    /// The command that causes the fault. `{leader}` stands for the name of the leader.
    begin: &'static str,
    /// The command that ends the fault. If `moves_leader`, it runs after another node has become the leader.
    end: Option<&'static str>,
    /// Whether another node must become the leader.
    moves_leader: bool,
}

/// All faults.
pub(crate) const FAULTS: [Fault; 5] = [
    Fault { name: "process killed", begin: "kill {leader}", end: None, moves_leader: true },
    Fault { name: "node stopped", begin: "stop {leader}", end: Some("start {leader}"), moves_leader: true },
    Fault { name: "network cut", begin: "cut {leader}", end: Some("heal {leader}"), moves_leader: true },
    Fault { name: "switchover", begin: "switchover {leader}", end: None, moves_leader: true },
    // Without etcd, there is no leader. Afterwards, any node may become the leader, even the same one.
    Fault { name: "etcd lost", begin: "lose-etcd", end: Some("return-etcd"), moves_leader: false },
];

/// The cluster that this process runs with.
pub(crate) struct Cluster {
    /// The program that runs commands on the cluster.
    program: String,
}

impl Cluster {
    pub(crate) fn of_this_process() -> Self {
        let program = env::var("WITH_PATRONI").expect("no WITH_PATRONI: run this through scripts/with-patroni");
        Self { program }
    }

    /// Waits until there are a leader and two standbys that follow it.
    pub(crate) fn wait_until_whole(&self) {
        self.run("whole");
    }

    /// Causes a fault, waits until there is another leader if the fault requires one, and ends the fault. In every
    /// second round, a cut separates the leader from the other nodes only, so that Florin still reaches it.
    pub(crate) fn inject(&self, fault: &Fault, round: usize) {
        let leader = self.run("leader");
        let with_leader = |command: &str| command.replace("{leader}", &leader);
        let mut begin = with_leader(fault.begin);
        if begin.starts_with("cut") && round.is_multiple_of(2) {
            begin.push_str(" nodes");
        }
        self.run(&begin);
        let start = Instant::now();
        while fault.moves_leader && self.run("leader") == leader {
            assert!(start.elapsed() < MAX_FAILOVER, "{leader} still leads: {fault:?}");
            thread::sleep(Duration::from_millis(100));
        }
        if let Some(end) = fault.end {
            self.run(&with_leader(end));
        }
    }

    /// Runs a command of the cluster, and returns its output. Its messages on stderr are shown.
    fn run(&self, command: &str) -> String {
        let mut program = Command::new(&self.program);
        let output = program.args(command.split(' ')).stderr(Stdio::inherit()).output().unwrap();
        assert!(output.status.success(), "{command} failed");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }
}
