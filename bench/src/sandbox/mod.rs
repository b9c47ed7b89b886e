//! Part of `make bench`: transfers, dry runs, and worlds. They have no baseline and no requirement.

mod worlds;

use crate::api::issue_key;
use crate::books::{self, Books, Counts, NOTHING, TRANSFERRED};
use crate::database::{Database, Size};
use crate::figures::{Figures, median};
use crate::pgbench::Measured;
use crate::report::{Report, Row};
use crate::requests::{RequestKind, Requests};
use crate::runner::{drive, figures};
use crate::server::{self, Server};
use crate::settings::Settings;
use crate::sqlite::File;
use crate::workloads::spread;
use crate::{machine, progress};
use std::path::Path;
use std::time::Duration;

pub(crate) fn run(settings: &Settings, folder: &Path) -> anyhow::Result<Report> {
    let mut report = Report::default();
    report.notes.push(format!("{}; load before the run {}.", machine::describe(), machine::load()));
    if settings.selects("PostgreSQL") {
        progress("PostgreSQL: loading the data set");
        let mut database = Database::fill("sandbox", Size::STANDARD)?;
        let url = database.url.clone();
        measure(("PostgreSQL", &url), &mut database, settings, folder, &mut report)?;
    }
    if settings.selects("SQLite") {
        progress("SQLite: loading the data set");
        let mut file = File::fill(&folder.join("florin.db"), Size::STANDARD)?;
        let url = file.url.clone();
        measure(("SQLite", &url), &mut file, settings, folder, &mut report)?;
    }
    report.notes.push(format!(
        "Rounds: {} of {:.0} s each; medians. {} connections. Checked after every round of transfers and dry runs: \
        journal, postings, idempotency records and balances moved by exactly what was answered; every balance is \
        verified. Checked for all worlds: each exists, has one snapshot, and is gone once it is deleted.",
        settings.rounds,
        settings.round.as_secs_f64(),
        settings.connections
    ));
    Ok(report)
}

/// A server on a store with the data set, and a key with all scopes.
struct Bench<'a> {
    name: &'a str,
    server: Server,
    key: String,
    settings: &'a Settings,
}

fn measure(
    (name, url): (&str, &str),
    books: &mut dyn Books,
    settings: &Settings,
    folder: &Path,
    report: &mut Report,
) -> anyhow::Result<()> {
    let key = issue_key(url, "Benchmark", &[])?;
    let bench = Bench { name, server: Server::florin(url, folder, &[])?, key, settings };
    let workloads = [
        ("transfer between two budgets", RequestKind::Transfer(Size::STANDARD.budgets), TRANSFERRED),
        ("dry run of an authorization", RequestKind::DryRun(spread(Size::STANDARD)), NOTHING),
    ];
    let mut first = 0x1000;
    for (what, kind, effect) in workloads {
        let mut rounds = Vec::new();
        for number in 0..=settings.rounds {
            let own = bench.round(books, Requests::of_key(bench.key.clone(), kind, first), number, &effect)?;
            first += 1;
            bench.report_round(what, number, &own);
            if number > 0 {
                rounds.push(own);
            }
        }
        report.rows.push(Row::alone(&format!("{name}: {what}"), median(&rounds)));
    }
    worlds::measure(&bench, report)?;
    drop(bench);
    server::run(url, &["check"])
}

impl Bench<'_> {
    /// Returns the length of a round. Round 0 warms up.
    fn lasting(&self, number: usize) -> Duration {
        if number == 0 { Duration::from_secs(1) } else { self.settings.round }
    }

    /// Runs one round, with its checks.
    fn round(
        &self,
        books: &mut dyn Books,
        mut requests: Requests,
        number: usize,
        effect: &Counts,
    ) -> anyhow::Result<Figures> {
        books.checkpoint()?;
        let before = books.counts()?;
        let connections = self.settings.connections;
        let (outcome, server_cpu) = drive(&self.server, connections, self.lasting(number), &mut requests)?;
        let (rate, transactions) = (outcome.rate(), outcome.answered);
        books::check_counts(&before, &books.counts()?, effect, transactions)?;
        books::verify_balances(books)?;
        let measured = Measured { rate, transactions, latencies: outcome.latencies };
        Ok(Figures { server_cpu, ..figures(measured) })
    }

    fn report_round(&self, what: &str, number: usize, own: &Figures) {
        progress(&format!(
            "{}: {what}, round {number}: {:.0}/s, p50 {:.2} ms, p99 {:.2} ms",
            self.name,
            own.rate,
            own.p50 / 1000.0,
            own.p99 / 1000.0
        ));
    }
}
