//! `make bench`: Florin against plain SQL on PostgreSQL and SQLite.

use crate::books::{self, AUTHORIZED, Books, NOTHING};
use crate::compare;
use crate::database::{Database, Size};
use crate::figures::{Figures, median};
use crate::pgbench::Measured;
use crate::report::{Report, Requirement, Row};
use crate::requests::{RequestKind, Requests};
use crate::runner::{Runner, drive, figures};
use crate::server::{self, Server};
use crate::settings::Settings;
use crate::sqlite::{self, File};
use crate::workloads::{SPREAD, spread, workloads};
use crate::{machine, progress};
use std::path::Path;
use std::time::Duration;

/// Maximum and target of an authorization on PostgreSQL: microseconds of processor time, and bytes.
const PROCESSOR_TIME: (f64, f64) = (120.0, 90.0);
const STORED: (f64, f64) = (600.0, 400.0);
/// The requirements on the ratio of Florin on SQLite to a loop of single commits: of the rates, and of the times of a
/// single request.
const COMMITS: Requirement = Requirement::AtLeast { required: 3.0, target: 4.0 };
const SINGLE: Requirement = Requirement::AtMost { required: 1.4, target: 1.2 };

pub(crate) fn run(settings: &Settings, folder: &Path) -> anyhow::Result<Report> {
    let mut report = Report::default();
    let load = machine::load();
    on_postgres(settings, folder, &mut report)?;
    on_sqlite(settings, folder, &mut report)?;
    report.notes.insert(0, format!("{}; load before the run {load}.", machine::describe()));
    if let Some(rate) = machine::fsync_rate(&folder.join("fsync")) {
        report.notes.insert(1, format!("The disk: {rate} of 8 kB, sequentially (`pg_test_fsync`)."));
    }
    report.notes.push(format!(
        "Rounds: {} of {:.0} s each, alternating; medians. {} connections to Florin.",
        settings.rounds,
        settings.round.as_secs_f64(),
        settings.connections
    ));
    report.notes.push(
        "Checked after every round: messages, chains, journal, postings, idempotency records and balances moved by \
        exactly what was answered; every balance is verified. Before the first round, the check detected every \
        deliberate fault."
            .into(),
    );
    Ok(report)
}

fn on_postgres(settings: &Settings, folder: &Path, report: &mut Report) -> anyhow::Result<()> {
    progress("PostgreSQL: loading the data set");
    let mut database = Database::fill("standard", Size::STANDARD)?;
    progress("verifying that the check of the books detects deliberate faults");
    books::test_the_checks(&mut database)?;
    report.notes.push(format!("{}.", database.describe()?));
    let mut runner = Runner::new(database, settings, folder);
    let florin = Server::florin(&runner.database.url, folder, &[])?;
    for workload in workloads(Size::STANDARD) {
        if settings.selects(workload.name) {
            let own = compare::concurrent(&mut runner, &workload, &florin, report)?;
            compare::single(&mut runner, &workload, &florin, report)?;
            if workload.name == SPREAD {
                costs(workload.name, own, report);
            }
        }
    }
    note_memory(&florin, "PostgreSQL", report);
    runner.database.execute(books::LEGS)?;
    server::run(&runner.database.url, &["check"])
}

/// Compares what a request costs with limits: the processor time of Florin and of PostgreSQL together, and the bytes.
fn costs(workload: &str, own: Figures, report: &mut Report) {
    match own.server_cpu.zip(own.store_cpu) {
        Some((server, store)) => report.rows.push(Row::limited(
            &format!("{workload}: processor time of Florin and PostgreSQL"),
            " µs",
            server + store,
            PROCESSOR_TIME,
        )),
        None => report.notes.push("Processor time was not measured: PostgreSQL does not run on this machine.".into()),
    }
    if let Some(bytes) = own.stored {
        let name = format!("{workload}: bytes stored, with indexes");
        report.rows.push(Row::limited(&name, " B", bytes, STORED));
    }
}

/// Compares Florin on SQLite with loops that run the same statements directly on the file.
fn on_sqlite(settings: &Settings, folder: &Path, report: &mut Report) -> anyhow::Result<()> {
    if !settings.selects("SQLite") {
        return Ok(());
    }
    progress("SQLite: loading the data set");
    let mut file = File::fill(&folder.join("florin.db"), Size::STANDARD)?;
    books::test_the_checks(&mut file)?;
    let florin = Server::florin(&file.url, folder, &[])?;
    let cards = spread(Size::STANDARD);
    let writes = [("SQLite: authorize, 1,000 budgets", settings.connections), ("SQLite: authorize: one at a time", 1)];
    let mut round = 0x1000;
    for (name, connections) in writes {
        let (mut direct, mut own) = (Vec::new(), Vec::new());
        for number in 0..=settings.rounds {
            let lasting = if number == 0 { Duration::from_secs(1) } else { settings.round };
            round += 2;
            let loops =
                checked_round(&mut file, &AUTHORIZED, |file| sqlite::authorize(file, round, cards.span, lasting))?;
            let mut requests = Requests::new(RequestKind::Authorize(cards), round + 1);
            let served = florin_round(&mut file, &florin, connections, lasting, &mut requests, &AUTHORIZED)?;
            report_round(name, number, &loops, &served);
            if number > 0 {
                direct.push(loops);
                own.push(served);
            }
        }
        let (direct, own) = (median(&direct), median(&own));
        report.rows.push(if connections == 1 {
            Row::latencies(name, "a loop of single commits, p50".into(), direct.p50, own, SINGLE)
        } else {
            Row::rates(name, "a loop of single commits".into(), direct.rate, own, COMMITS)
        });
    }
    lists(settings, &mut file, &florin, report)?;
    note_memory(&florin, "SQLite", report);
    drop(florin);
    file.execute(books::LEGS)?;
    server::run(&file.url, &["check"])
}

/// Compares a list of checkouts with a loop of its queries.
fn lists(settings: &Settings, file: &mut File, florin: &Server, report: &mut Report) -> anyhow::Result<()> {
    let name = "SQLite: list of 100 checkouts with count";
    let (mut direct, mut own) = (Vec::new(), Vec::new());
    for number in 0..=settings.rounds {
        let lasting = if number == 0 { Duration::from_secs(1) } else { settings.round };
        let loops = checked_round(file, &NOTHING, |file| sqlite::list(file, lasting))?;
        let mut requests = Requests::new(RequestKind::List(0, 9), 0);
        let served = florin_round(file, florin, settings.connections, lasting, &mut requests, &NOTHING)?;
        report_round(name, number, &loops, &served);
        if number > 0 {
            direct.push(loops);
            own.push(served);
        }
    }
    let direct = median(&direct).rate;
    report.rows.push(Row::rates(
        name,
        "a loop of its queries, one thread".into(),
        direct,
        median(&own),
        Requirement::None,
    ));
    Ok(())
}

/// Runs a round of Florin on SQLite, with its checks.
fn florin_round(
    file: &mut File,
    florin: &Server,
    connections: usize,
    lasting: Duration,
    requests: &mut Requests,
    effect: &books::Counts,
) -> anyhow::Result<Figures> {
    let mut server_cpu = None;
    let served = checked_round(file, effect, |_| {
        let (outcome, cpu) = drive(florin, connections, lasting, requests)?;
        server_cpu = cpu;
        Ok(Measured { rate: outcome.rate(), transactions: outcome.answered, latencies: outcome.latencies })
    })?;
    Ok(Figures { server_cpu, ..served })
}

/// Runs a round on SQLite, with its checks.
fn checked_round(
    file: &mut File,
    effect: &books::Counts,
    round: impl FnOnce(&mut File) -> anyhow::Result<Measured>,
) -> anyhow::Result<Figures> {
    file.checkpoint()?;
    let before = file.counts()?;
    let measured = round(file)?;
    books::check_counts(&before, &file.counts()?, effect, measured.transactions)?;
    books::verify_balances(file)?;
    Ok(figures(measured))
}

fn report_round(name: &str, number: usize, direct: &Figures, own: &Figures) {
    progress(&format!(
        "{name}, round {number}: directly {:.0}/s, p50 {:.2} ms; Florin {:.0}/s, p50 {:.2} ms, p99 {:.2} ms",
        direct.rate,
        direct.p50 / 1000.0,
        own.rate,
        own.p50 / 1000.0,
        own.p99 / 1000.0
    ));
}

fn note_memory(florin: &Server, store: &str, report: &mut Report) {
    if let Some(bytes) = florin.peak_memory() {
        report.notes.push(format!("Florin's peak memory on {store}: {} MiB.", bytes >> 20));
    }
}
