//! Measures authorizations of one account while the decision endpoint of another account takes 50 ms for each decision.

use crate::api::call;
use crate::database::{Database, Size};
use crate::figures::{Figures, median};
use crate::http::{self, End, Outcome, Source};
use crate::pgbench::Measured;
use crate::report::{Report, Requirement, Row};
use crate::requests::{Cards, RequestKind, Requests};
use crate::runner::figures;
use crate::server::Server;
use crate::settings::Settings;
use crate::sqlite::File;
use crate::{machine, progress};
use anyhow::{Context, bail};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Time that the endpoint takes to reply.
const REPLY_DELAY: Duration = Duration::from_millis(50);
/// Number of authorizations in a round for which the endpoint is asked.
const DECIDED: u64 = 10_000;
/// Number of connections of each account.
const CONNECTIONS: usize = 32;
/// Authorizations of the measured account per second: far below the server's capacity, so that latencies show waiting,
/// not saturation.
const MEASURED_RATE: f64 = 200.0;
/// Maximum duration of the authorizations on which the endpoint decides, in a round.
const DECIDED_LIMIT: Duration = Duration::from_secs(120);

pub(crate) fn run(settings: &Settings, folder: &Path) -> anyhow::Result<Report> {
    let mut report = Report::default();
    report.notes.push(format!("{}; load before the run {}.", machine::describe(), machine::load()));
    if settings.selects("SQLite") {
        progress("SQLite: loading the data set");
        let file = File::fill(&folder.join("florin.db"), Size::STANDARD)?;
        measure(("SQLite", &file.url), settings, folder, &mut report)?;
    }
    if settings.selects("PostgreSQL") {
        progress("PostgreSQL: loading the data set");
        let database = Database::fill("decisions", Size::STANDARD)?;
        measure(("PostgreSQL", &database.url), settings, folder, &mut report)?;
    }
    report.notes.push(format!(
        "Latencies of an account without an endpoint, {MEASURED_RATE} authorizations a second, while another account \
        sends {DECIDED} authorizations on {CONNECTIONS} connections, each of which waits {} ms for its endpoint. They \
        are compared with the latencies while the other account sends as many authorizations a second with its \
        endpoint disabled, and while it is idle. Endpoint, load generator and database share the processors with \
        Florin.",
        REPLY_DELAY.as_millis()
    ));
    Ok(report)
}

/// The load of the account with the endpoint while the other account is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Load {
    /// Authorizations on which the endpoint decides.
    Decided,
    /// As many authorizations per second, with the endpoint disabled.
    Undecided,
    Idle,
}

/// All loads, in the order of the warm-up. `Decided` is first, because `Undecided` uses the rate of the last `Decided`.
const LOADS: [Load; 3] = [Load::Decided, Load::Undecided, Load::Idle];

/// A server whose account `bench-1` has a decision endpoint.
struct Bench<'a> {
    name: &'a str,
    server: Server,
    endpoint: Endpoint,
    round: u64,
    /// Authorizations per second of the last round with [`Load::Decided`].
    rate: f64,
}

/// Compares the latencies of one account in three cases: while the endpoint of the other account decides, while the
/// other account has as many authorizations with its endpoint disabled, and while it is idle.
fn measure((name, url): (&str, &str), settings: &Settings, folder: &Path, report: &mut Report) -> anyhow::Result<()> {
    let (server, endpoint) = (Server::florin(url, folder, &[])?, Endpoint::start()?);
    let mut bench = Bench { name, server, endpoint, round: 0x1000, rate: 0.0 };
    let mut all = [Vec::new(), Vec::new(), Vec::new()];
    for number in 0..=settings.rounds {
        // The order alternates.
        let order: Vec<usize> =
            if number % 2 == 0 { (0..LOADS.len()).collect() } else { (0..LOADS.len()).rev().collect() };
        for index in order {
            let (lasting, asked) =
                if number == 0 { (Duration::from_secs(1), DECIDED / 10) } else { (settings.round, DECIDED) };
            let measured = bench.measure_under(LOADS[index], lasting, asked)?;
            if number > 0 {
                all[index].push(measured);
            }
        }
    }
    let [decided, undecided, idle] = all.map(|rounds| median(&rounds));
    let row = |compared_with: &str, baseline: Figures, requirement| Row {
        workload: format!("{name}: authorize beside an account whose endpoint takes 50 ms, p99"),
        compared_with: compared_with.into(),
        unit: " µs",
        baseline: Some(baseline.p99),
        florin: decided.p99,
        ratio: decided.p99 / baseline.p99,
        requirement,
        figures: Some(decided),
    };
    let disabled = "while it has as many authorizations, its endpoint disabled";
    report.rows.push(row(disabled, undecided, Requirement::AtMost { required: 1.5, target: 1.1 }));
    report.rows.push(row("while it is idle", idle, Requirement::AtMost { required: 3.0, target: 1.5 }));
    Ok(())
}

impl Bench<'_> {
    /// Measures the account without an endpoint, under a load of the other account. `asked` is the number of
    /// authorizations with [`Load::Decided`].
    fn measure_under(&mut self, load: Load, lasting: Duration, asked: u64) -> anyhow::Result<Figures> {
        self.round += 2;
        let enabled = load == Load::Decided;
        let body = format!(
            "{{\"url\":\"http://127.0.0.1:{}/\",\"timeoutMs\":5000,\"enabled\":{enabled}}}",
            self.endpoint.port
        );
        call(self.server.address, "PUT", "card-decisions?accountId=bench-1", &body)?;
        let (address, round, rate, before) = (self.server.address, self.round, self.rate, self.endpoint.count());
        let (measured, loaded) = std::thread::scope(|scope| {
            let loading = match load {
                Load::Idle => None,
                Load::Decided => Some(scope.spawn(move || authorize_with_decisions(address, asked, round))),
                Load::Undecided => {
                    Some(scope.spawn(move || authorize_at_rate(address, rate, lasting, cards_of(1), round)))
                }
            };
            let measured = authorize_at_rate(address, MEASURED_RATE, lasting, cards_of(2), round + 1);
            let loaded = loading.map(|loading| loading.join().map_err(|_| anyhow::anyhow!("the load panicked")));
            anyhow::Ok((measured?, loaded.transpose()?.transpose()?))
        })?;
        let (questions, expected) = (self.endpoint.count() - before, if enabled { asked } else { 0 });
        if questions != expected {
            bail!("{load:?}: {questions} questions were asked, not {expected}");
        }
        let rate = loaded.map_or(0.0, |loaded| loaded.rate());
        if enabled {
            self.rate = rate;
        }
        let measured = figures_of(measured);
        progress(&format!(
            "{}: {load:?}, {rate:.0}/s; the measured account: p50 {:.2} ms, p99 {:.2} ms",
            self.name,
            measured.p50 / 1000.0,
            measured.p99 / 1000.0
        ));
        Ok(measured)
    }
}

/// Returns the cards of an account of the data set.
const fn cards_of(account: u64) -> Cards {
    Cards { first: account, step: 10, span: Size::STANDARD.cards / 10 }
}

/// Authorizes on the account with the endpoint.
fn authorize_with_decisions(server: SocketAddr, count: u64, round: u64) -> anyhow::Result<Outcome> {
    let mut requests = Limited { inner: Requests::new(RequestKind::Authorize(cards_of(1)), round), left: count };
    let outcome = http::closed_loop(server, CONNECTIONS, End(DECIDED_LIMIT), &mut requests);
    let outcome = outcome.context("decided authorizations")?;
    outcome.must_be_clean()?;
    if outcome.answered != count {
        bail!("{} of {count} authorizations were answered", outcome.answered);
    }
    Ok(outcome)
}

/// Authorizes on an account at a fixed rate.
fn authorize_at_rate(
    server: SocketAddr,
    rate: f64,
    lasting: Duration,
    cards: Cards,
    round: u64,
) -> anyhow::Result<Outcome> {
    let mut requests = Requests::new(RequestKind::Authorize(cards), round);
    let outcome = http::open_loop(server, CONNECTIONS, rate, End(lasting), &mut requests)?;
    outcome.must_be_clean()?;
    if outcome.unsent > CONNECTIONS as u64 {
        bail!("{} requests of {rate:.0} per second were still due at the end", outcome.unsent);
    }
    Ok(outcome)
}

fn figures_of(outcome: Outcome) -> Figures {
    let (rate, transactions) = (outcome.rate(), outcome.answered);
    figures(Measured { rate, transactions, latencies: outcome.latencies })
}

/// A source that ends after a number of requests.
struct Limited {
    inner: Requests,
    left: u64,
}

impl Source for Limited {
    fn next(&mut self, out: &mut Vec<u8>) -> bool {
        let has_more = self.left > 0;
        self.left = self.left.saturating_sub(1);
        has_more && self.inner.next(out)
    }
}

/// A decision endpoint that approves every message after [`REPLY_DELAY`].
struct Endpoint {
    port: u16,
    count: Arc<AtomicU64>,
}

impl Endpoint {
    fn start() -> anyhow::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let (port, count) = (listener.local_addr()?.port(), Arc::new(AtomicU64::new(0)));
        let counting = Arc::clone(&count);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let counting = Arc::clone(&counting);
                std::thread::spawn(move || serve(&stream, &counting));
            }
        });
        Ok(Self { port, count })
    }

    fn count(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }
}

/// Serves one connection until it ends.
fn serve(mut stream: &TcpStream, count: &AtomicU64) -> Option<()> {
    const APPROVE: &str = r#"{"decision":"APPROVE"}"#;
    let mut reader = BufReader::new(stream);
    let (mut line, mut body) = (String::new(), Vec::new());
    loop {
        let mut length = 0;
        loop {
            line.clear();
            reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
            let Some((name, value)) = line.trim_end().split_once(':') else {
                if line.trim_end().is_empty() {
                    break;
                }
                continue;
            };
            if name.eq_ignore_ascii_case("content-length") {
                length = value.trim().parse().ok()?;
            }
        }
        body.resize(length, 0);
        reader.read_exact(&mut body).ok()?;
        std::thread::sleep(REPLY_DELAY);
        count.fetch_add(1, Ordering::Relaxed);
        let reply = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{APPROVE}", APPROVE.len());
        stream.write_all(reply.as_bytes()).ok()?;
    }
}
