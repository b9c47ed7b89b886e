//! Settings from environment variables.

use anyhow::{Context, bail};
use std::str::FromStr;
use std::time::Duration;

/// Settings of a run.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// Length of a round.
    pub(crate) round: Duration,
    /// Number of rounds of each contender.
    pub(crate) rounds: usize,
    /// Number of connections to the server.
    pub(crate) connections: usize,
    /// Client counts to try with pgbench.
    pub(crate) clients: Vec<usize>,
    /// Prefixes of the names of the workloads to run; empty means all.
    pub(crate) workloads: Vec<String>,
    /// Length of the overload.
    pub(crate) overload: Duration,
    /// Number of connections during the overload.
    pub(crate) overload_connections: usize,
    /// Number of card transactions of the large store.
    pub(crate) growth_messages: u64,
    /// Number of rows of the long lists of the growth benchmark: checkouts, cards and movements.
    pub(crate) growth_rows: u64,
    /// The minimum number of events that wait for one subscription while authorizations and memory are measured.
    pub(crate) waiting: u64,
    /// Whether a missed requirement fails the run.
    pub(crate) strict: bool,
}

impl Settings {
    pub(crate) fn read() -> anyhow::Result<Self> {
        let settings = Self {
            round: Duration::from_secs_f64(number("SECONDS", 5.0)?),
            rounds: number("ROUNDS", 3)?,
            connections: number("CONNECTIONS", 32)?,
            clients: list("CLIENTS", "8 16 32 64")?,
            workloads: list("WORKLOADS", "")?,
            overload: Duration::from_secs_f64(number("OVERLOAD_SECONDS", 60.0)?),
            overload_connections: number("OVERLOAD_CONNECTIONS", 2048)?,
            growth_messages: number("GROWTH_MESSAGES", 10_000_000)?,
            growth_rows: number("GROWTH_ROWS", 1_000_000)?,
            waiting: number("WAITING", 1_000_000)?,
            strict: number("STRICT", 0_u8)? != 0,
        };
        if settings.rounds == 0 || settings.connections == 0 || settings.clients.contains(&0) {
            bail!("FLORIN_BENCH_ROUNDS, FLORIN_BENCH_CONNECTIONS and FLORIN_BENCH_CLIENTS must not be zero");
        }
        Ok(settings)
    }

    /// Whether a workload is selected.
    pub(crate) fn selects(&self, workload: &str) -> bool {
        self.workloads.is_empty() || self.workloads.iter().any(|start| workload.starts_with(start.as_str()))
    }
}

fn text(name: &str) -> Option<String> {
    std::env::var(format!("FLORIN_BENCH_{name}")).ok().filter(|text| !text.trim().is_empty())
}

fn number<T: FromStr>(name: &str, default: T) -> anyhow::Result<T> {
    match text(name) {
        None => Ok(default),
        Some(text) => parse(name, &text),
    }
}

/// Reads values separated by spaces.
fn list<T: FromStr>(name: &str, default: &str) -> anyhow::Result<Vec<T>> {
    text(name).unwrap_or_else(|| default.to_owned()).split_whitespace().map(|word| parse(name, word)).collect()
}

fn parse<T: FromStr>(name: &str, text: &str) -> anyhow::Result<T> {
    text.trim().parse().ok().with_context(|| format!("FLORIN_BENCH_{name} has the invalid value {text:?}"))
}
