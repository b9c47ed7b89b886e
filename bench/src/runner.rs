//! Runs rounds on PostgreSQL. In a round, one contender runs one workload for some seconds. Then the books are checked.

use crate::books::{self, Books, Counts};
use crate::database::Database;
use crate::figures::{Figures, quantile};
use crate::http::{self, Outcome, Source};
use crate::pgbench::{self, Measured};
use crate::requests::Requests;
use crate::server::Server;
use crate::settings::Settings;
use crate::workloads::Workload;
use anyhow::Context;
use std::path::Path;
use std::time::Duration;

/// One less than the number of the first round. In a round, pgbench creates ids whose kind is the round's number
/// (see [`crate::requests::id`]). So the numbers of rounds must be above all kinds of ids in the data set.
const BEFORE_ROUNDS: u64 = 0x1000;
/// Number of batches prepared for the warm-up of a workload that uses one batch per request.
const WARM_UP_BATCHES: u64 = 1600;
/// Number of batches to prepare for each batch that a round is expected to use. The expectation is the rate of the
/// contender's previous round.
const SPARE: f64 = 1.1;

/// A PostgreSQL database with the data set, on which contenders take turns.
pub(crate) struct Runner<'a> {
    pub(crate) database: Database,
    pub(crate) settings: &'a Settings,
    pub(crate) folder: &'a Path,
    round: u64,
    /// Number of prepared batches.
    batches: u64,
    /// Whether rounds check only the counts of rows, because verifying the balances takes too long after each round.
    checks_counts_only: bool,
}

/// What runs a workload in a round.
#[derive(Clone, Copy)]
pub(crate) enum Contender<'a> {
    /// A pgbench script with a number of clients.
    Pgbench(&'a str, usize),
    /// A server with a number of connections.
    Server(&'a Server, usize),
}

/// The purpose of a round.
#[derive(Clone, Copy)]
pub(crate) enum Purpose {
    /// Warms up, and finds the rate for the first [`Self::Measure`].
    WarmUp,
    /// Measures. Contains the rate of the contender's previous round, which decides how many batches are prepared.
    Measure(f64),
}

impl<'a> Runner<'a> {
    pub(crate) fn new(database: Database, settings: &'a Settings, folder: &'a Path) -> Self {
        Self { database, settings, folder, round: BEFORE_ROUNDS, batches: 0, checks_counts_only: false }
    }

    /// Creates a runner for a large store. Rounds check only the counts of rows; the caller verifies balances at the
    /// end.
    pub(crate) fn large(database: Database, settings: &'a Settings, folder: &'a Path) -> Self {
        Self { checks_counts_only: true, ..Self::new(database, settings, folder) }
    }

    /// Runs one round, and checks the books after it.
    pub(crate) fn round(
        &mut self,
        workload: &Workload,
        contender: Contender<'_>,
        purpose: Purpose,
    ) -> anyhow::Result<Figures> {
        self.round += 1;
        let clients = match contender {
            Contender::Pgbench(_, clients) | Contender::Server(_, clients) => clients as u64,
        };
        // With one client, results are median latencies, for which a shorter round has enough requests.
        let lasting = match purpose {
            Purpose::Measure(_) if clients > 1 => self.settings.round,
            Purpose::Measure(_) => self.settings.round * 3 / 5,
            Purpose::WarmUp => self.settings.round * 2 / 5,
        };
        let lasting = lasting.max(Duration::from_secs(1));
        let batches = if workload.takes_batches() { Some(self.prepare(purpose, lasting, clients)?) } else { None };
        let is_baseline = matches!(contender, Contender::Pgbench(..));
        if is_baseline {
            self.database.add_constraints()?;
        }
        self.database.checkpoint()?;
        let before = self.database.counts()?;
        let (size, store_cpu) = (self.database.table_bytes()?, self.database.cpu());
        let (answered, mut figures) = match contender {
            Contender::Pgbench(script, clients) => self.pgbench(workload, (script, clients), batches, lasting)?,
            Contender::Server(server, connections) => self.server(workload, (server, connections), batches, lasting)?,
        };
        figures.store_cpu = per_request(store_cpu, self.database.cpu(), answered);
        figures.stored = per_request(Some(size), Some(self.database.table_bytes()?), answered);
        if is_baseline {
            self.database.drop_constraints()?;
        }
        let check = matches!(purpose, Purpose::Measure(_)) && !self.checks_counts_only;
        self.check(&before, &workload.effect, answered, check)
            .with_context(|| format!("{}: {}", workload.name, contender.name()))?;
        Ok(figures)
    }

    /// Prepares the batches of a round, the same number for each client. Returns the numbers of the first and the last.
    fn prepare(&mut self, purpose: Purpose, lasting: Duration, clients: u64) -> anyhow::Result<(u64, u64)> {
        let required = match purpose {
            Purpose::WarmUp => WARM_UP_BATCHES,
            Purpose::Measure(rate) => (rate * lasting.as_secs_f64() * SPARE) as u64,
        };
        let first = self.batches + 1;
        self.batches += required.div_ceil(clients).max(1) * clients;
        self.database.prepare_batches(first, self.batches)?;
        Ok((first, self.batches))
    }

    fn pgbench(
        &self,
        workload: &Workload,
        (script, clients): (&str, usize),
        batches: Option<(u64, u64)>,
        lasting: Duration,
    ) -> anyhow::Result<(u64, Figures)> {
        let mut variables = workload.variables();
        variables.push(("round", self.round));
        let mut end = pgbench::End::Seconds(lasting.as_secs_f64());
        if let Some((first, last)) = batches {
            let each = (last + 1 - first) / clients as u64;
            variables.extend([("first", first), ("each", each)]);
            end = pgbench::End::Each(each);
        }
        let url = &self.database.url;
        let run = pgbench::Run { url, script, clients, end, variables: &variables, folder: self.folder };
        let measured = run.execute()?;
        Ok((measured.transactions, figures(measured)))
    }

    fn server(
        &self,
        workload: &Workload,
        (server, connections): (&Server, usize),
        batches: Option<(u64, u64)>,
        lasting: Duration,
    ) -> anyhow::Result<(u64, Figures)> {
        // The round ends when all prepared batches are used.
        let max = if batches.is_some() { Duration::from_secs(120) } else { lasting };
        let mut requests = Requests::new(workload.request_kind(batches), self.round);
        let (outcome, server_cpu) = drive(server, connections, max, &mut requests)?;
        let answered = outcome.answered;
        let measured = Measured { rate: outcome.rate(), transactions: answered, latencies: outcome.latencies };
        Ok((answered, Figures { server_cpu, ..figures(measured) }))
    }

    /// Checks that the stored rows are the effect of the answered requests, and with `proof` verifies every balance.
    pub(crate) fn check(&mut self, before: &Counts, effect: &Counts, answered: u64, proof: bool) -> anyhow::Result<()> {
        books::check_counts(before, &self.database.counts()?, effect, answered)?;
        if proof { books::verify_balances(&mut self.database) } else { Ok(()) }
    }

    /// Returns an unused round number.
    pub(crate) fn next_round(&mut self) -> u64 {
        self.round += 1;
        self.round
    }
}

impl Contender<'_> {
    /// Describes the contender for the progress report.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Pgbench(script, clients) => format!("pgbench {script}, {clients} clients"),
            Self::Server(server, connections) => format!("{}, {connections} connections", server.name),
        }
    }
}

/// Runs a load that must get only 2xx answers, and measures the server's processor time per request.
pub(crate) fn drive(
    server: &Server,
    connections: usize,
    max: Duration,
    requests: &mut dyn Source,
) -> anyhow::Result<(Outcome, Option<f64>)> {
    let before = server.cpu();
    let outcome = http::closed_loop(server.address, connections, http::End(max), requests).context(server.name)?;
    outcome.must_be_clean().with_context(|| format!("{}, whose log ends: {}", server.name, server.end_of_log()))?;
    let cpu = per_request(before, server.cpu(), outcome.answered);
    Ok((outcome, cpu))
}

pub(crate) fn per_request(before: Option<f64>, after: Option<f64>, requests: u64) -> Option<f64> {
    Some((after? - before?) / requests as f64)
}

pub(crate) fn figures(mut measured: Measured) -> Figures {
    let (p50, p99) = (quantile(&mut measured.latencies, 0.5), quantile(&mut measured.latencies, 0.99));
    Figures { rate: measured.rate, p50, p99, ..Figures::default() }
}
