//! Measures authorizations of one account while the decision endpoint of another account takes 50 ms for each decision.

use crate::api::call;
use crate::database::{Database, Size};
use crate::figures::{Figures, median};
use crate::http::{self, End, Outcome, Source};
use crate::pgbench::Measured;
use crate::report::{Report, Row, Rule};
use crate::requests::{Ask, Cards, Requests};
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

/// How long the endpoint takes to reply.
const THINKING: Duration = Duration::from_millis(50);
/// Number of authorizations in a round for which the endpoint is asked.
const DECIDED: u64 = 10_000;
/// Number of connections of those authorizations.
const CONNECTIONS: usize = 32;
/// Authorizations of the measured account per second: far below the server's capacity, so that latencies show waiting,
/// not saturation.
const MEASURED_RATE: f64 = 200.0;
/// Number of connections of the measured account.
const MEASURED_CONNECTIONS: usize = 32;
/// Maximum duration of a round.
const PATIENCE: Duration = Duration::from_secs(120);

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
        "Latencies of an account without an endpoint, {MEASURED_RATE} authorizations a second, while {DECIDED} authorizations \
        of another account, on {CONNECTIONS} connections, each wait {} ms for its endpoint; compared with the same while that account \
        is idle. Endpoint, load generator and database share the processors with Florin.",
        THINKING.as_millis()
    ));
    Ok(report)
}

/// Compares the latencies of one account while the other account is idle, and while the endpoint of the other decides.
fn measure((name, url): (&str, &str), settings: &Settings, folder: &Path, report: &mut Report) -> anyhow::Result<()> {
    let server = Server::florin(url, folder, &[])?;
    let endpoint = Endpoint::start()?;
    let body = format!("{{\"url\":\"http://127.0.0.1:{}/\",\"timeoutMs\":5000}}", endpoint.port);
    call(server.address, "PUT", "card-decisions?accountId=bench-1", &body)?;
    let mut all = [Vec::new(), Vec::new()];
    let mut round = 0x1000;
    for number in 0..=settings.rounds {
        // The order of the two sides alternates.
        let first = number % 2 == 1;
        for is_busy in [first, !first] {
            round += 2;
            let lasting = if number == 0 { Duration::from_secs(1) } else { settings.round };
            let (asked, before) = (if number == 0 { DECIDED / 10 } else { DECIDED }, endpoint.count());
            let (others, decided) = std::thread::scope(|scope| {
                let deciding = is_busy.then(|| scope.spawn(move || authorize(server.address, asked, round)));
                let others = measured_account(server.address, lasting, round + 1);
                let decided =
                    deciding.map(|deciding| deciding.join().map_err(|_| anyhow::anyhow!("the load panicked")));
                anyhow::Ok((others?, decided.transpose()?.transpose()?))
            })?;
            if let Some(decided) = decided {
                let questions = endpoint.count() - before;
                if (decided.answered, questions) != (asked, asked) {
                    bail!(
                        "{} of {asked} authorizations were answered, and {questions} questions asked",
                        decided.answered
                    );
                }
                progress(&format!("{name}: {:.0} decided authorizations/s", decided.rate()));
            }
            progress(&format!(
                "{name}, endpoint busy {is_busy}: p50 {:.2} ms, p99 {:.2} ms",
                others.p50 / 1000.0,
                others.p99 / 1000.0
            ));
            if number > 0 {
                all[usize::from(is_busy)].push(others);
            }
        }
    }
    let [idle, busy] = all.map(|rounds| median(&rounds));
    report.rows.push(Row {
        workload: format!("{name}: authorize beside an account whose endpoint takes 50 ms, p99"),
        compared_with: "while it is idle".into(),
        unit: " µs",
        baseline: idle.p99,
        florin: busy.p99,
        ratio: busy.p99 / idle.p99,
        rule: Rule::AtMost(3.0, 1.5),
        figures: Some(busy),
    });
    Ok(())
}

/// Returns the cards of an account of the data set.
const fn cards_of(account: u64) -> Cards {
    Cards { first: account, step: 10, span: Size::STANDARD.cards / 10 }
}

/// Authorizes on the account with the endpoint.
fn authorize(server: SocketAddr, count: u64, round: u64) -> anyhow::Result<Outcome> {
    let mut requests = Limited { inner: Requests::new(Ask::Authorize(cards_of(1)), round), left: count };
    let outcome = http::closed(server, CONNECTIONS, End(PATIENCE), &mut requests).context("decided authorizations")?;
    outcome.must_be_clean()?;
    Ok(outcome)
}

/// Authorizes on the measured account, at a fixed rate.
fn measured_account(server: SocketAddr, lasting: Duration, round: u64) -> anyhow::Result<Figures> {
    let mut requests = Requests::new(Ask::Authorize(cards_of(2)), round);
    let outcome = http::open(server, MEASURED_CONNECTIONS, MEASURED_RATE, End(lasting), &mut requests)?;
    outcome.must_be_clean()?;
    let (rate, transactions) = (outcome.rate(), outcome.answered);
    Ok(figures(Measured { rate, transactions, latencies: outcome.latencies }))
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

/// A decision endpoint that approves every message after [`THINKING`].
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
        std::thread::sleep(THINKING);
        count.fetch_add(1, Ordering::Relaxed);
        let answer = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{APPROVE}", APPROVE.len());
        stream.write_all(answer.as_bytes()).ok()?;
    }
}
