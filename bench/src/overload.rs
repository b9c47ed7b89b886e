//! `make bench-overload`: four times the load that Florin can serve, in an open loop.

use crate::books::{self, AUTHORIZED, Books};
use crate::database::{Database, Size};
use crate::figures::{Figures, quantile};
use crate::http::{self, Outcome};
use crate::report::{Report, Requirement, Row};
use crate::requests::{RequestKind, Requests};
use crate::runner::{Contender, Purpose, Runner};
use crate::server::Server;
use crate::settings::Settings;
use crate::workloads::{spread, workloads};
use crate::{machine, progress};
use std::path::Path;

/// Offered load, as a multiple of the peak rate.
const TIMES: f64 = 4.0;
/// Maximum and target of the p99 of refusals, in milliseconds.
const REFUSALS: (f64, f64) = (50.0, 20.0);
/// Maximum memory of Florin, in MiB.
const MEMORY: f64 = 256.0;

pub(crate) fn run(settings: &Settings, folder: &Path) -> anyhow::Result<Report> {
    let database = Database::fill("overload", Size::STANDARD)?;
    let mut runner = Runner::new(database, settings, folder);
    // More connections than Florin's default, so that its own queue fills, not the operating system's.
    let max = (settings.overload_connections + 64).to_string();
    let florin = Server::florin(&runner.database.url, folder, &[("FLORIN_MAX_CONNECTIONS", &max)])?;
    let peak = peak(&mut runner, &florin)?;
    let rate = peak * TIMES;
    progress(&format!(
        "{rate:.0} requests/s for {:?} over {} connections",
        settings.overload, settings.overload_connections
    ));
    runner.database.checkpoint()?;
    let before = runner.database.counts()?;
    let mut requests = Requests::new(RequestKind::Authorize(spread(Size::STANDARD)), runner.next_round());
    let end = http::End(settings.overload);
    let mut outcome = http::open_loop(florin.address, settings.overload_connections, rate, end, &mut requests)?;
    if outcome.others.0 > 0 {
        anyhow::bail!("{} unexpected answers, such as: {}", outcome.others.0, outcome.others.1.join(" | "));
    }
    books::check_counts(&before, &runner.database.counts()?, &AUTHORIZED, outcome.answered)?;
    books::verify_balances(&mut runner.database)?;
    let recovered = runner.round(
        &workloads(Size::STANDARD)[1],
        Contender::Server(&florin, settings.connections),
        Purpose::Measure(peak),
    )?;
    let mut report = table(&mut outcome, peak, rate, &florin);
    report.rows.push(row("throughput after the overload", "peak before it", (peak, recovered.rate), Requirement::None));
    report.notes.insert(0, format!("{}; load {}.", machine::describe(), machine::load()));
    report.notes.push(format!("{}.", runner.database.describe()?));
    Ok(report)
}

/// Finds Florin's best rate in a closed loop.
fn peak(runner: &mut Runner<'_>, florin: &Server) -> anyhow::Result<f64> {
    let workload = workloads(Size::STANDARD)[1];
    let mut peak = 0.0_f64;
    for connections in [runner.settings.connections, 4 * runner.settings.connections] {
        runner.round(&workload, Contender::Server(florin, connections), Purpose::WarmUp)?;
        for _ in 0..runner.settings.rounds {
            let figures = runner.round(&workload, Contender::Server(florin, connections), Purpose::Measure(0.0))?;
            progress(&format!("closed loop, {connections} connections: {:.0}/s", figures.rate));
            peak = peak.max(figures.rate);
        }
    }
    Ok(peak)
}

/// Compares requests per second.
fn row(workload: &str, compared_with: &str, (baseline, rate): (f64, f64), requirement: Requirement) -> Row {
    let own = Figures { rate, ..Figures::default() };
    Row { figures: None, ..Row::rates(workload, compared_with.into(), baseline, own, requirement) }
}

fn table(outcome: &mut Outcome, peak: f64, rate: f64, florin: &Server) -> Report {
    let goodput = outcome.rate();
    let mut refused = |share| quantile(&mut outcome.refusals, share) / 1000.0;
    let (p50, p99) = (refused(0.5), refused(0.99));
    let memory = florin.peak_memory().map_or(f64::NAN, |bytes| bytes as f64 / 1_048_576.0);
    let rows = vec![
        row(
            "goodput at 4 × the peak",
            "peak, closed loop",
            (peak, goodput),
            Requirement::AtLeast { required: 0.95, target: 0.95 },
        ),
        Row::limited("refusals at 4 × the peak, p99", " ms", p99, REFUSALS),
        Row::limited("peak memory", " MiB", memory, (MEMORY, MEMORY)),
    ];
    let seconds = outcome.elapsed.as_secs_f64();
    let notes = vec![
        format!(
            "Offered {rate:.0}/s for {seconds:.0} s; sent {:.0}/s; answered 2xx {goodput:.0}/s \
            (p50 {:.1} ms, p99 {:.1} ms); \
            refused {:.0}/s (p50 {p50:.1} ms); not sent because no connection was free: {}.",
            outcome.sent as f64 / seconds,
            quantile(&mut outcome.latencies, 0.5) / 1000.0,
            quantile(&mut outcome.latencies, 0.99) / 1000.0,
            outcome.refusals.len() as f64 / seconds,
            outcome.unsent,
        ),
        "Times are from when a request was due, not from when it could be sent. Every 2xx is in the store, once."
            .into(),
    ];
    Report { rows, notes }
}
