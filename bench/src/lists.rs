//! Part of `make bench-growth`: lists, searches and explanations of accounts with few and with many objects.

use crate::books::{self, Books};
use crate::database::Database;
use crate::figures::{Figures, median};
use crate::report::{Report, Requirement, Row};
use crate::requests::{api_key, id};
use crate::runner::{drive, figures};
use crate::server::{self, Server};
use crate::settings::Settings;
use crate::sqlite::File;
use crate::{http, pgbench, progress};
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

const POSTGRES: &str = include_str!("../sql/postgres/lists.sql");
const SQLITE: &str = include_str!("../sql/sqlite/lists.sql");

/// The accounts with few and with many budgets, people and cards, each with the kind of the ids of its budgets (see
/// [`crate::requests::id`]).
const LISTS: [(&str, u16); 2] = [("few", 1), ("many", 2)];
/// The accounts with few and with many movements, each with the kind of the id of its budget.
const BALANCES: [(&str, u16); 2] = [("short", 3), ("long", 4)];

/// The same request to two accounts. In its path, `{budget}` and `{parent}` are replaced by ids, `{middle}` by the
/// offset of the middle of the list, and `{last}` by the number of the last card.
struct Comparison {
    name: &'static str,
    path: &'static str,
    accounts: [(&'static str, u16); 2],
    /// Whether the row has no requirement, because the cost grows with the offset, with the rows found, or with the
    /// budgets below those of the page, as documented.
    has_no_requirement: bool,
}

const fn list(name: &'static str, path: &'static str) -> Comparison {
    Comparison { name, path, accounts: LISTS, has_no_requirement: false }
}

const COMPARISONS: [Comparison; 17] = [
    list("budgets: first page", "budgets?limit=100"),
    list("budgets: in a currency", "budgets?limit=100&currencyCode=GBP"),
    list("budgets: below one", "budgets?limit=100&parentId={parent}"),
    // The first budget is the parent budget: its row adds up the balances of all others.
    Comparison { has_no_requirement: true, ..list("budgets: with balances", "budgets?limit=100&include=balance") },
    list("people: first page", "people?limit=100"),
    list("people: with a role", "people?limit=100&roleName=Payer"),
    list("cards: first page", "cards?limit=100"),
    list("cards: in a state", "cards?limit=100&state=ACTIVE"),
    list("cards: in two states", "cards?limit=100&state=ACTIVE,SUSPENDED"),
    list("cards: of a kind of owner", "cards?limit=100&cardOwnerType=BUDGET"),
    list("cards: of a budget", "cards?limit=100&budgetId={budget}"),
    list("cards: search for a name", "cards?limit=100&search=holder%20{last}"),
    // Every card was created since then.
    Comparison { has_no_requirement: true, ..list("cards: since a day", "cards?limit=100&startDate=2000-01-01") },
    // One card in 10,000 has these digits, so the large account has 100 of them.
    Comparison { has_no_requirement: true, ..list("cards: search for digits", "cards?limit=100&search=q0777") },
    Comparison { has_no_requirement: true, ..list("cards: a page in the middle", "cards?limit=100&offset={middle}") },
    Comparison {
        accounts: BALANCES,
        ..list("explanation: first page", "budgets/{budget}/explanation?currencyCode=GBP&limit=100")
    },
    Comparison {
        accounts: BALANCES,
        ..list(
            "explanation: a page in the middle",
            "budgets/{budget}/explanation?currencyCode=GBP&limit=100&offset={middle}",
        )
    },
];

/// A source that repeats one request.
struct Same(Vec<u8>);

impl http::Source for Same {
    fn next(&mut self, out: &mut Vec<u8>) -> bool {
        out.extend_from_slice(&self.0);
        true
    }
}

/// Numbers of rows of an account.
#[derive(Clone, Copy)]
struct Sizes {
    budgets: u64,
    cards: u64,
    movements: u64,
}

impl Sizes {
    /// Returns the sizes for a number of cards or movements. There are one budget and one person for ten cards.
    const fn of(rows: u64) -> Self {
        Self { budgets: rows / 10, cards: rows, movements: rows }
    }

    fn fill(self, script: &str) -> String {
        let numbers = [("{budgets}", self.budgets), ("{cards}", self.cards), ("{movements}", self.movements)];
        numbers.iter().fold(script.to_owned(), |text, (name, number)| text.replace(name, &number.to_string()))
    }
}

/// Measures on SQLite and on PostgreSQL.
pub(crate) fn run(settings: &Settings, folder: &Path, report: &mut Report) -> anyhow::Result<()> {
    let sizes = Sizes::of(settings.growth_rows);
    if settings.selects("lists PostgreSQL") {
        let began = Instant::now();
        let mut database = Database::empty("lists")?;
        database.load(&sizes.fill(POSTGRES))?;
        database.execute(books::LIST_COUNTS)?;
        note_loading(report, "PostgreSQL", began);
        measure(settings, folder, report, ("PostgreSQL", &database.url), sizes)?;
    }
    if settings.selects("lists SQLite") {
        let began = Instant::now();
        let mut file = File::empty(&folder.join("lists.db"))?;
        file.load(&sizes.fill(SQLITE))?;
        file.execute(books::LIST_COUNTS)?;
        file.checkpoint()?;
        note_loading(report, "SQLite", began);
        measure(settings, folder, report, ("SQLite", &file.url), sizes)?;
    }
    Ok(())
}

fn note_loading(report: &mut Report, store: &str, began: Instant) {
    let seconds = began.elapsed().as_secs_f64();
    progress(&format!("loaded the lists on {store} in {seconds:.0} s"));
    report.notes.push(format!("Lists on {store}: loaded in {seconds:.0} s."));
}

fn measure(
    settings: &Settings,
    folder: &Path,
    report: &mut Report,
    (store, url): (&str, &str),
    sizes: Sizes,
) -> anyhow::Result<()> {
    let server = Server::florin(url, folder, &[])?;
    let (few, many) = (Sizes::of(1000), sizes);
    for comparison in &COMPARISONS {
        let requests = [(0, few), (1, many)].map(|(place, sizes)| request(comparison, place, sizes));
        let [first_few, first_many] = [time_once(&server, &requests[0])?, time_once(&server, &requests[1])?];
        let mut all = [Vec::new(), Vec::new()];
        for _ in 0..settings.rounds {
            for (request, rounds) in requests.iter().zip(&mut all) {
                rounds.push(round(&server, request, settings.round / 2)?);
            }
        }
        let [few, many] = all.map(|rounds| median(&rounds));
        let name = format!("{store}, {}", comparison.name);
        let requirement = if comparison.has_no_requirement {
            Requirement::None
        } else {
            Requirement::AtMost { required: 1.5, target: 1.1 }
        };
        progress(&format!(
            "{name}: {:.0} µs and {:.0} µs; the first requests took {:.1} ms and {:.1} ms",
            few.p50, many.p50, first_few, first_many
        ));
        report.rows.push(Row::latencies(&name, "1,000 rows, p50".into(), few.p50, many, requirement));
        if comparison.name == "explanation: first page" {
            report
                .notes
                .push(format!("{name}: the first one took {:.1} s, without a checkpoint.", first_many / 1000.0));
        }
    }
    drop(server);
    server::run(url, &["check"])
}

/// Returns the request of a comparison to the account at this place among [`Comparison::accounts`].
fn request(comparison: &Comparison, place: usize, sizes: Sizes) -> Vec<u8> {
    let (account, kind) = comparison.accounts[place];
    let path = comparison.path.replace("{budget}", &id(kind, 1)).replace("{parent}", &id(kind, 0));
    let path = path.replace("{middle}", &(sizes.cards / 2).to_string()).replace("{last}", &sizes.cards.to_string());
    let mut request = Vec::new();
    // Writing to a Vec cannot fail.
    let _ = write!(
        request,
        "GET /v2/{path}&accountId={account} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ApiKey {}\r\n\r\n",
        api_key()
    );
    request
}

/// Sends the request for some time, on one connection.
fn round(server: &Server, request: &[u8], lasting: Duration) -> anyhow::Result<Figures> {
    let (outcome, server_cpu) = drive(server, 1, lasting, &mut Same(request.to_vec()))?;
    let (rate, transactions) = (outcome.rate(), outcome.answered);
    let measured = pgbench::Measured { rate, transactions, latencies: outcome.latencies };
    Ok(Figures { server_cpu, ..figures(measured) })
}

/// Connects, sends the request for a millisecond or until it is answered, and returns the elapsed time in milliseconds.
fn time_once(server: &Server, request: &[u8]) -> anyhow::Result<f64> {
    let began = Instant::now();
    round(server, request, Duration::from_millis(1))?;
    Ok(began.elapsed().as_secs_f64() * 1000.0)
}
