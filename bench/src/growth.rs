//! `make bench-growth`: measures whether more stored rows make requests slower.

use crate::books::{self, NOTHING};
use crate::database::{Database, Size};
use crate::figures::{Figures, median};
use crate::report::{Report, Requirement, Row};
use crate::runner::{Contender, Purpose, Runner};
use crate::server::{self, Server};
use crate::settings::Settings;
use crate::workloads::{Kind, Workload, workloads};
use crate::{lists, machine, progress};
use std::path::Path;
use std::time::Instant;

/// Number of card transactions of the small store.
const SMALL: u64 = 10_000;
/// Disk space of a card transaction while it is loaded, with its chain, journal in both forms, and indexes.
const BYTES_EACH: u64 = 1_500;
/// Empties the tables of the baselines, which do not run.
const NO_BASELINES: &str = "TRUNCATE journal_transactions, journal_entries";
/// Additional disk space that must be free, for the WAL and for other programs.
const RESERVE: u64 = 6 << 30;
/// Numbers of the account with the long list, and of an account with a short list.
const LONG: u64 = 8;
const SHORT: u64 = 3;

const CHECKOUTS: &str = include_str!("../sql/postgres/checkouts.sql");

pub(crate) fn run(settings: &Settings, folder: &Path) -> anyhow::Result<Report> {
    let mut report = Report::default();
    report.notes.push(format!("{}; load before the run {}.", machine::describe(), machine::load()));
    lists::run(settings, folder, &mut report)?;
    if !settings.selects("authorize") {
        return Ok(report);
    }
    let [mut small, mut large] = runners(settings, folder, &mut report)?;
    let servers =
        [Server::florin(&small.database.url, folder, &[])?, Server::florin(&large.database.url, folder, &[])?];
    let workload = workloads(Size::STANDARD)[1];
    for connections in [settings.connections, 1] {
        let contenders = servers.each_ref().map(|server| Contender::Server(server, connections));
        let [few, many] =
            alternate(&mut [(&mut small, workload, contenders[0]), (&mut large, workload, contenders[1])])?;
        let name =
            format!("authorize, {} transactions stored, {}", settings.growth_messages, connections_text(connections));
        report.rows.push(row(
            &name,
            format!("{SMALL} stored"),
            few,
            many,
            Requirement::AtMost { required: 1.3, target: 1.1 },
        ));
    }
    for connections in [settings.connections, 1] {
        let list = |account| Workload { kind: Kind::Account(account), effect: NOTHING, ..workloads(Size::STANDARD)[0] };
        let contender = Contender::Server(&servers[0], connections);
        let [few, many] = alternate_on_one(&mut small, &[(list(SHORT), contender), (list(LONG), contender)])?;
        let name = format!("first page of {} rows, {}", settings.growth_rows, connections_text(connections));
        report.rows.push(row(&name, "1000 rows".into(), few, many, Requirement::AtMost { required: 1.5, target: 1.1 }));
    }
    progress("verifying every balance of the large store");
    books::verify_balances(&mut large.database)?;
    server::run(&small.database.url, &["check"])?;
    Ok(report)
}

/// Loads a small store with one long list, and a large store.
fn runners<'a>(settings: &'a Settings, folder: &'a Path, report: &mut Report) -> anyhow::Result<[Runner<'a>; 2]> {
    let required = settings.growth_messages * BYTES_EACH + RESERVE;
    progress(&format!(
        "loading {} card transactions: {} GiB of disk, including the WAL",
        settings.growth_messages,
        required >> 30
    ));
    let began = Instant::now();
    let mut small = Database::fill("small", Size { messages: SMALL, ..Size::STANDARD })?;
    if let Some(free) = small.free_disk()? {
        anyhow::ensure!(free > required, "{} GiB of disk are free, {} are required", free >> 30, required >> 30);
    }
    let rows = [("{account}", LONG), ("{last}", settings.growth_rows)];
    small.load(
        &rows.iter().fold(CHECKOUTS.to_owned(), |text, (name, number)| text.replace(name, &number.to_string())),
    )?;
    let mut large = Database::fill("large", Size { messages: settings.growth_messages, ..Size::STANDARD })?;
    for database in [&mut small, &mut large] {
        database.client.batch_execute(NO_BASELINES)?;
    }
    let seconds = began.elapsed().as_secs_f64();
    progress(&format!("loaded in {seconds:.0} s"));
    report.notes.push(format!("{}. The large store: {}, loaded in {seconds:.0} s.", large.describe()?, large.disk()?));
    Ok([Runner::new(small, settings, folder), Runner::large(large, settings, folder)])
}

fn connections_text(connections: usize) -> String {
    if connections == 1 { "one at a time".into() } else { format!("{connections} connections") }
}

/// Compares request times: by rate with many connections, by median latency with one connection. The ratio of rates is
/// inverted, so that both ratios are ratios of times.
fn row(workload: &str, compared_with: String, few: Figures, many: Figures, requirement: Requirement) -> Row {
    if workload.ends_with("one at a time") {
        return Row::latencies(workload, format!("{compared_with}, p50"), few.p50, many, requirement);
    }
    let ratio = few.rate / many.rate;
    Row { ratio, ..Row::rates(workload, compared_with, few.rate, many, requirement) }
}

/// Runs two workloads, each on its runner, in alternating rounds.
fn alternate(both: &mut [(&mut Runner<'_>, Workload, Contender<'_>); 2]) -> anyhow::Result<[Figures; 2]> {
    let mut all = [Vec::new(), Vec::new()];
    let rounds = both[0].0.settings.rounds;
    for number in 0..=rounds {
        for (index, (runner, workload, contender)) in both.iter_mut().enumerate() {
            round(runner, workload, *contender, number, &mut all[index])?;
        }
    }
    Ok(all.map(|rounds| median(&rounds)))
}

/// Runs one round on each of two contenders of one runner.
fn alternate_on_one(runner: &mut Runner<'_>, both: &[(Workload, Contender<'_>); 2]) -> anyhow::Result<[Figures; 2]> {
    let mut all = [Vec::new(), Vec::new()];
    for number in 0..=runner.settings.rounds {
        for (index, (workload, contender)) in both.iter().enumerate() {
            round(runner, workload, *contender, number, &mut all[index])?;
        }
    }
    Ok(all.map(|rounds| median(&rounds)))
}

/// Runs one round. Round 0 warms up.
fn round(
    runner: &mut Runner<'_>,
    workload: &Workload,
    contender: Contender<'_>,
    number: usize,
    all: &mut Vec<Figures>,
) -> anyhow::Result<()> {
    if number == 0 {
        runner.round(workload, contender, Purpose::WarmUp)?;
        return Ok(());
    }
    let figures = runner.round(workload, contender, Purpose::Measure(0.0))?;
    let times = (figures.p50 / 1000.0, figures.p99 / 1000.0);
    progress(&format!(
        "round {number}: {}, {:?}: {:.0}/s, p50 {:.2} ms, p99 {:.2} ms",
        workload.name, workload.kind, figures.rate, times.0, times.1
    ));
    all.push(figures);
    Ok(())
}
