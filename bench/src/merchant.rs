//! Part of `make bench`: checkout sessions and their pages, compared with credits of a budget and lists of checkouts.
//!
//! It creates sessions over the API, on the demo data: a page has a token that only the server can compute, so prepared
//! rows cannot contain sessions.

use crate::api::{call_with, members};
use crate::database::Database;
use crate::figures::{Figures, median};
use crate::http::Source;
use crate::pgbench::Measured;
use crate::report::{Report, Requirement, Row};
use crate::requests::Credit;
use crate::runner::{drive, figures};
use crate::server::{self, Server};
use crate::settings::Settings;
use crate::{machine, progress};
use anyhow::{Context, bail};
use std::io::Write;
use std::path::Path;
use std::time::Duration;

/// A SHOPPING checkout in pounds, and a budget in pounds, of the demo data.
const CHECKOUT: &str = "0198c0de-0003-7000-8000-000000000001";
const BUDGET: &str = "0198c0de-0005-7000-8000-000000000001";
/// The largest page of a list.
const LIMIT: usize = 1000;
/// Maximum p99 of requests for a payment page, in microseconds.
const PAGE_P99: f64 = 20_000.0;
/// The requirement on the ratio of the rate of lists of payments to the rate of lists of checkouts.
const LIST: Requirement = Requirement::AtLeast { required: 0.8, target: 1.0 };

pub(crate) fn run(settings: &Settings, folder: &Path) -> anyhow::Result<Report> {
    let mut report = Report::default();
    report.notes.push(format!("{}; load before the run {}.", machine::describe(), machine::load()));
    if settings.selects("PostgreSQL") {
        let database = Database::empty("merchant")?;
        measure_store(&database.url, "PostgreSQL", settings, folder, &mut report)?;
    }
    if settings.selects("SQLite") {
        let file = format!("sqlite://{}", folder.join("merchant.db").display());
        measure_store(&file, "SQLite", settings, folder, &mut report)?;
    }
    report.notes.push(format!(
        "Rounds: {} of {:.0} s each; medians. {} connections. After each round, the numbers of sessions and \
        payments had grown by exactly the successful responses.",
        settings.rounds,
        settings.round.as_secs_f64(),
        settings.connections
    ));
    Ok(report)
}

/// A kind of request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RequestKind {
    Credit,
    Create,
    Page,
    Pay,
    Payments,
    Checkouts,
}

/// The order matters: `Page` and `Pay` use the sessions that `Create` left open.
const ALL: [RequestKind; 6] = [
    RequestKind::Credit,
    RequestKind::Create,
    RequestKind::Page,
    RequestKind::Pay,
    RequestKind::Payments,
    RequestKind::Checkouts,
];

/// A merchant of the demo data.
struct Shop<'a> {
    server: &'a Server,
    key: String,
    account: String,
    bank: String,
}

/// A source of requests of one kind. `Pay` uses each session once; `Page` requests the payment pages in turn, many
/// times.
struct Requests<'a> {
    shop: &'a Shop<'a>,
    kind: RequestKind,
    round: usize,
    /// Number of requests so far.
    made: usize,
    /// The ids of sessions to pay, or the tokens of pages.
    objects: &'a [String],
}

/// Measures all kinds of requests on one store, and adds the results to the report.
fn measure_store(
    url: &str,
    store: &str,
    settings: &Settings,
    folder: &Path,
    report: &mut Report,
) -> anyhow::Result<()> {
    progress(&format!("{store}: creating the demo data"));
    let output = server::command(url, &["demo", "--json"])?.output()?;
    if !output.status.success() {
        bail!("florin demo failed: {}", String::from_utf8_lossy(&output.stderr));
    }
    let demo = String::from_utf8_lossy(&output.stdout);
    let server = Server::florin(url, folder, &[])?;
    let mut shop = Shop {
        server: &server,
        key: first(&demo, "apiKey")?,
        account: first(&demo, "accountId")?,
        bank: String::new(),
    };
    shop.bank = first(&shop.get("merchant/banks", "")?, "id")?;
    let mut rounds: Vec<Vec<Figures>> = ALL.map(|_| Vec::new()).to_vec();
    for round in 0..=settings.rounds {
        for (kind, rounds) in ALL.iter().zip(&mut rounds) {
            let lasting = if round == 0 { Duration::from_secs(1) } else { settings.round };
            let figures = shop.round(*kind, round, settings.connections, lasting)?;
            progress(&format!(
                "{store}: {kind:?}, round {round}: {:.0}/s, p50 {:.2} ms, p99 {:.2} ms",
                figures.rate,
                figures.p50 / 1000.0,
                figures.p99 / 1000.0
            ));
            // The first round only warms up.
            if round > 0 {
                rounds.push(figures);
            }
        }
    }
    let [credit, create, page, pay, payments, checkouts] =
        [0, 1, 2, 3, 4, 5].map(|place: usize| median(&rounds[place]));
    let compared = |what: &str, against: &str, baseline: Figures, own, requirement| {
        Row::rates(&format!("{store}: {what}"), against.to_owned(), baseline.rate, own, requirement)
    };
    report.rows.extend([
        compared("create a session", "credit a budget", credit, create, Requirement::None),
        compared("pay a session", "credit a budget", credit, pay, Requirement::None),
        compared("list of 100 payments with count", "list of 100 checkouts with count", checkouts, payments, LIST),
        Row {
            figures: Some(page),
            ..Row::limited(&format!("{store}: page of a session, p99"), " µs", page.p99, (PAGE_P99, PAGE_P99))
        },
    ]);
    drop(server);
    server::run(url, &["check"])
}

impl Shop<'_> {
    /// Runs one round, and compares the number of responses with the number of objects that the server counts
    /// afterwards.
    fn round(&self, kind: RequestKind, round: usize, connections: usize, lasting: Duration) -> anyhow::Result<Figures> {
        let open = match kind {
            RequestKind::Pay | RequestKind::Page => self.open_sessions()?,
            _ => String::new(),
        };
        let objects = match kind {
            RequestKind::Pay => members(&open, "id"),
            _ => members(&open, "checkoutUrl")
                .iter()
                .filter_map(|url| Some(url.rsplit_once('/')?.1.to_owned()))
                .collect(),
        };
        if objects.is_empty() && matches!(kind, RequestKind::Pay | RequestKind::Page) {
            bail!("{kind:?}: there is no open session; a longer round creates more");
        }
        let counted = |shop: &Self| -> anyhow::Result<[u64; 2]> {
            Ok([shop.count("merchant/checkout-sessions")?, shop.count("merchant/payments")?])
        };
        let [sessions, payments] = counted(self)?;
        let mut requests = Requests { shop: self, kind, round, made: 0, objects: &objects };
        let (outcome, server_cpu) = drive(self.server, connections, lasting, &mut requests)?;
        let own = |of: RequestKind| if kind == of { outcome.answered } else { 0 };
        let expected = [sessions + own(RequestKind::Create), payments + own(RequestKind::Pay)];
        let found = counted(self)?;
        if found != expected {
            bail!("{kind:?}: {found:?} sessions and payments, not {expected:?}");
        }
        let (rate, transactions) = (outcome.rate(), outcome.answered);
        let measured = Measured { rate, transactions, latencies: outcome.latencies };
        Ok(Figures { server_cpu, ..figures(measured) })
    }

    /// Returns the lists of all open sessions of the account.
    fn open_sessions(&self) -> anyhow::Result<String> {
        let mut all = String::new();
        for offset in (0..).step_by(LIMIT) {
            let page =
                self.get("merchant/checkout-sessions", &format!("&status=OPEN&limit={LIMIT}&offset={offset}"))?;
            let rows = members(&page, "checkoutUrl").len();
            all.push_str(&page);
            if rows < LIMIT {
                break;
            }
        }
        Ok(all)
    }

    fn count(&self, path: &str) -> anyhow::Result<u64> {
        let list = self.get(path, "&limit=1")?;
        let count = list.split("\"count\":").nth(1).map(|rest| rest.chars().take_while(char::is_ascii_digit));
        Ok(count.context("a list without a count")?.collect::<String>().parse()?)
    }

    fn get(&self, path: &str, query: &str) -> anyhow::Result<String> {
        call_with(&self.key, self.server.address, "GET", &format!("{path}?accountId={}{query}", self.account), "")
    }

    fn authorization(&self) -> String {
        format!("Host: localhost\r\nAuthorization: ApiKey {}\r\n", self.key)
    }
}

impl Requests<'_> {
    /// Returns path and body of a POST, or the path of a GET.
    fn target(&self, object: &str) -> (String, Option<String>) {
        let number = format!("{}-{}", self.round, self.made);
        let amount = "\"amount\":{\"amount\":\"12.50\",\"currencyCode\":\"GBP\"}";
        let at = |path: &str| format!("/v2/{path}?accountId={}", self.shop.account);
        match self.kind {
            RequestKind::Credit => (at("budgets/generate-credit"), Some(Credit(BUDGET, "0.01").to_string())),
            RequestKind::Create => (
                at("merchant/checkout-sessions"),
                Some(format!(
                    "{{\"type\":\"SHOPPING\",\"checkoutId\":\"{CHECKOUT}\",\"idempotencyKey\":\"bench-{number}\",\
                    \"merchantReference\":\"order-{number}\",\"expiresInMinutes\":1440,{amount}}}"
                )),
            ),
            RequestKind::Pay => (
                at(&format!("sandbox/checkout-sessions/{object}/pay")),
                Some(format!("{{\"bankId\":\"{}\",\"outcome\":\"approve\"}}", self.shop.bank)),
            ),
            RequestKind::Page => (format!("/pay/{object}"), None),
            RequestKind::Payments => (at("merchant/payments"), None),
            RequestKind::Checkouts => (at("merchant/checkouts"), None),
        }
    }
}

impl Source for Requests<'_> {
    fn next(&mut self, out: &mut Vec<u8>) -> bool {
        let object = match self.kind {
            RequestKind::Pay if self.made >= self.objects.len() => return false,
            _ => self.objects.get(self.made % self.objects.len().max(1)).map_or("", String::as_str),
        };
        let (target, body) = self.target(object);
        let head = self.shop.authorization();
        // Writing to a Vec cannot fail.
        let _ = match body {
            Some(body) => write!(
                out,
                "POST {target} HTTP/1.1\r\n{head}Idempotency-Key: bench-{:?}-{}-{}\r\n\
                Content-Type: application/json\r\n\
                Content-Length: {}\r\n\r\n{body}",
                self.kind,
                self.round,
                self.made,
                body.len()
            ),
            None => write!(out, "GET {target} HTTP/1.1\r\n{head}\r\n"),
        };
        self.made += 1;
        true
    }
}

/// Returns the value of the first member with this name. Fails if there is none.
fn first(json: &str, name: &str) -> anyhow::Result<String> {
    members(json, name).into_iter().next().with_context(|| format!("no {name} in the response"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_member_is_required() {
        assert_eq!(first(r#"{ "apiKey": "k" }"#, "apiKey").ok().as_deref(), Some("k"));
        assert!(first(r#"{"id":"a"}"#, "apiKey").is_err());
    }
}
