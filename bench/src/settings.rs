//! What may be changed by the environment.

use anyhow::{Context, bail};
use std::str::FromStr;
use std::time::Duration;

/// How a run goes.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// How long a turn is.
    pub(crate) turn: Duration,
    /// How many turns everybody has.
    pub(crate) turns: usize,
    /// Connections to the server.
    pub(crate) connections: usize,
    /// Client counts that pgbench is tried with.
    pub(crate) clients: Vec<usize>,
    /// Only the works whose names begin with one of these; none: all.
    pub(crate) works: Vec<String>,
    /// How long the overload lasts.
    pub(crate) overload: Duration,
    /// Connections of the overload.
    pub(crate) overload_connections: usize,
    /// Card transactions of the large store.
    pub(crate) growth_messages: u64,
    /// Rows of the long list.
    pub(crate) growth_rows: u64,
    /// A target that is missed fails the run.
    pub(crate) strict: bool,
}

impl Settings {
    pub(crate) fn read() -> anyhow::Result<Self> {
        let settings = Self {
            turn: Duration::from_secs_f64(number("SECONDS", 5.0)?),
            turns: number("TURNS", 3)?,
            connections: number("CONNECTIONS", 32)?,
            clients: list("CLIENTS", "8 16 32 64")?,
            works: list("WORKS", "")?,
            overload: Duration::from_secs_f64(number("OVERLOAD_SECONDS", 60.0)?),
            overload_connections: number("OVERLOAD_CONNECTIONS", 2048)?,
            growth_messages: number("GROWTH_MESSAGES", 10_000_000)?,
            growth_rows: number("GROWTH_ROWS", 1_000_000)?,
            strict: number("STRICT", 0_u8)? != 0,
        };
        if settings.turns == 0 || settings.connections == 0 || settings.clients.is_empty() {
            bail!("FLORIN_BENCH_TURNS, FLORIN_BENCH_CONNECTIONS and FLORIN_BENCH_CLIENTS must not be nothing");
        }
        Ok(settings)
    }

    /// Whether a work was asked for.
    pub(crate) fn wants(&self, work: &str) -> bool {
        self.works.is_empty() || self.works.iter().any(|start| work.starts_with(start.as_str()))
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

/// Values with blanks between them.
fn list<T: FromStr>(name: &str, default: &str) -> anyhow::Result<Vec<T>> {
    text(name).unwrap_or_else(|| default.to_owned()).split_whitespace().map(|word| parse(name, word)).collect()
}

fn parse<T: FromStr>(name: &str, text: &str) -> anyhow::Result<T> {
    text.trim().parse().ok().with_context(|| format!("FLORIN_BENCH_{name} is {text:?}: that can't be read"))
}
