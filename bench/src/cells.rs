//! Measures authorizations over the accounts of four clients: all in one store, and each in a cell of its own.

use crate::api::{call_with, issue_key, member};
use crate::books::Books;
use crate::database::Database;
use crate::figures::{Figures, median};
use crate::http::Source;
use crate::pgbench::Measured;
use crate::report::{Report, Requirement, Row};
use crate::requests::{AUTHORIZE, Authorization, Credit, Random, post};
use crate::runner::{drive, figures};
use crate::server::{self, Server};
use crate::settings::Settings;
use crate::sqlite::File;
use crate::{machine, progress};
use anyhow::{Context, bail};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The cells: the home and three others.
const CELLS: [&str; 4] = ["home", "a", "b", "c"];
/// Number of budgets of each account, each with one card.
const BUDGETS: usize = 50;
/// The increase of each of the [`COUNTS`] by an authorization of 10.00.
const EFFECT: [i64; 3] = [1, 1, 1000];
/// Counts messages, idempotency records and held minor units.
const COUNTS: &str = "SELECT (SELECT COUNT(*) FROM card_transactions), (SELECT COUNT(*) FROM idempotency_records), \
    (SELECT CAST(COALESCE(SUM(held_minor), 0) AS BIGINT) FROM balances)";

pub(crate) fn run(settings: &Settings, folder: &Path) -> anyhow::Result<Report> {
    let mut report = Report::default();
    report.notes.push(format!("{}; load before the run {}.", machine::describe(), machine::load()));
    for kind in [Kind::Sqlite, Kind::Postgres] {
        if settings.selects(kind.name()) {
            measure(kind, settings, folder, &mut report)?;
        }
    }
    report.notes.push(format!(
        "Rounds: {} of {:.0} s each, alternating; medians. {} connections. 4 accounts of 4 clients, each with \
        {BUDGETS} budgets and cards, in one store, and in the home and three cells. Load generator and database share \
        the processors with Florin. Checked after every round: messages, idempotency records and held amounts of all \
        stores grew by exactly what was answered; every balance is verified at the end.",
        settings.rounds,
        settings.round.as_secs_f64(),
        settings.connections
    ));
    Ok(report)
}

/// A kind of store.
#[derive(Clone, Copy)]
enum Kind {
    Sqlite,
    Postgres,
}

impl Kind {
    const fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "SQLite",
            Self::Postgres => "PostgreSQL",
        }
    }
}

/// The database of a cell.
enum Store {
    Sqlite(PathBuf),
    Postgres(Box<Database>),
}

impl Store {
    /// Prepares a database without a schema.
    fn create(kind: Kind, side: &str, cell: &str, folder: &Path) -> anyhow::Result<Self> {
        Ok(match kind {
            Kind::Sqlite => Self::Sqlite(folder.join(format!("{cell}.db"))),
            Kind::Postgres => Self::Postgres(Box::new(Database::bare(&format!("cells_{side}_{cell}"))?)),
        })
    }

    fn url(&self) -> String {
        match self {
            Self::Sqlite(path) => format!("sqlite://{}", path.display()),
            Self::Postgres(database) => database.url.clone(),
        }
    }

    /// Runs a checkpoint, so that every round starts from the same state, and returns the [`COUNTS`].
    fn counts(&mut self) -> anyhow::Result<[i64; 3]> {
        match self {
            Self::Sqlite(path) => {
                let mut file = File::attach(path)?;
                file.checkpoint()?;
                Ok(file.conn.query_row(COUNTS, [], |row| Ok([row.get(0)?, row.get(1)?, row.get(2)?]))?)
            }
            Self::Postgres(database) => {
                database.checkpoint()?;
                let row = database.client.query_one(COUNTS, &[])?;
                Ok([row.get(0), row.get(1), row.get(2)])
            }
        }
    }
}

/// A client with one account.
struct Tenant {
    account: String,
    key: String,
    /// The ids of its cards.
    cards: Vec<String>,
}

/// One side of the comparison: a server on one store or on four.
struct Side {
    server: Server,
    tenants: Vec<Tenant>,
    /// The home first.
    stores: Vec<Store>,
    /// The value of `FLORIN_CELLS`. Empty: there is only the home.
    cells: String,
}

impl Side {
    fn start(kind: Kind, name: &str, cells: &[&str], folder: &Path) -> anyhow::Result<Self> {
        let folder = folder.join(format!("cells-{}-{name}", kind.name()));
        std::fs::create_dir(&folder)?;
        let stores: Vec<_> =
            cells.iter().map(|cell| Store::create(kind, name, cell, &folder)).collect::<anyhow::Result<_>>()?;
        let home = stores.first().context("a side needs a store")?.url();
        let others = cells.iter().zip(&stores).skip(1);
        let cells_setting = others.map(|(cell, store)| format!("{cell}={}", store.url())).collect::<Vec<_>>().join(" ");
        let settings = [("FLORIN_CELLS", cells_setting.as_str())];
        server::output(&home, &["migrate"], &[])?;
        for &cell in cells.iter().skip(1) {
            server::output(&home, &["cells", "add", cell], &settings)?;
        }
        let mut tenants = Vec::new();
        for (number, own_cell) in CELLS.iter().enumerate() {
            let cell = if cells.contains(own_cell) { *own_cell } else { "home" };
            tenants.push(Tenant::create(&home, &settings, number, cell)?);
        }
        let server = Server::florin(&home, &folder, &settings)?;
        for tenant in &mut tenants {
            tenant.open_cards(&server)?;
        }
        Ok(Self { server, tenants, stores, cells: cells_setting })
    }

    fn counts(&mut self) -> anyhow::Result<[i64; 3]> {
        let mut sum = [0; 3];
        for store in &mut self.stores {
            for (sum, count) in sum.iter_mut().zip(store.counts()?) {
                *sum += count;
            }
        }
        Ok(sum)
    }

    /// Runs one round, with its check.
    fn round(&mut self, settings: &Settings, lasting: Duration, round: u64) -> anyhow::Result<Figures> {
        let before = self.counts()?;
        let mut requests = Authorizations::new(&self.tenants, round);
        let (outcome, server_cpu) = drive(&self.server, settings.connections, lasting, &mut requests)?;
        let (rate, transactions) = (outcome.rate(), outcome.answered);
        let after = self.counts()?;
        let answered = i64::try_from(transactions)?;
        for (index, effect) in EFFECT.iter().enumerate() {
            if after[index] - before[index] != effect * answered {
                bail!("{answered} answers changed {before:?} to {after:?}");
            }
        }
        let measured = Measured { rate, transactions, latencies: outcome.latencies };
        Ok(Figures { server_cpu, ..figures(measured) })
    }

    /// Verifies every balance.
    fn check(&self) -> anyhow::Result<()> {
        let home = self.stores.first().context("a side has a store")?.url();
        server::output(&home, &["check"], &[("FLORIN_CELLS", self.cells.as_str())]).map(drop)
    }
}

impl Tenant {
    fn create(home: &str, settings: &[(&str, &str)], number: usize, cell: &str) -> anyhow::Result<Self> {
        let (name, account) = (format!("client-{number}"), format!("cells-{number}"));
        server::output(home, &["clients", "create", "--name", &name, "--cell", cell], settings)?;
        server::output(home, &["accounts", "create", &account, "--client", &name], settings)?;
        let key = issue_key(home, &name, settings)?;
        Ok(Self { account, key, cards: Vec::new() })
    }

    /// Creates budgets with enough money, and a card for each.
    fn open_cards(&mut self, server: &Server) -> anyhow::Result<()> {
        let create = |path: &str, body: &str| {
            call_with(&self.key, server.address, "POST", &format!("{path}?accountId={}", self.account), body)
        };
        let mut cards = Vec::with_capacity(BUDGETS);
        for number in 0..BUDGETS {
            let budget = create(
                "budgets",
                &format!(
                    "{{\"parentId\":null,\"name\":\"Budget {number}\",\
                    \"features\":[\"payments\",\"peopleCards\",\"budgetCards\"],\
                    \"currencies\":[\"GBP\"],\"type\":\"shared\"}}"
                ),
            )?;
            let budget = member(&budget, "id").context("no budget was created")?;
            create("budgets/generate-credit", &Credit(budget, "100000000").to_string())?;
            let card = create(
                "cards",
                &format!(
                    "{{\"cardOwnerType\":\"BUDGET\",\"budgetId\":\"{budget}\",\"name\":\"Bench\",\"activate\":true}}"
                ),
            )?;
            cards.push(member(&card, "id").context("no card was created")?.to_owned());
        }
        self.cards = cards;
        Ok(())
    }
}

/// Authorizations of 10.00 on the accounts in turn, each on a random card.
struct Authorizations<'a> {
    tenants: &'a [Tenant],
    /// Makes idempotency keys unique.
    round: u64,
    made: u64,
    random: Random,
    body: Vec<u8>,
}

impl<'a> Authorizations<'a> {
    fn new(tenants: &'a [Tenant], round: u64) -> Self {
        Self { tenants, round, made: 0, random: Random::of_round(round), body: Vec::with_capacity(512) }
    }
}

impl Source for Authorizations<'_> {
    fn next(&mut self, out: &mut Vec<u8>) -> bool {
        let Some(tenant) = self.tenants.get(self.made as usize % self.tenants.len().max(1)) else { return false };
        let number = self.random.below(tenant.cards.len().max(1) as u64);
        let Some(card) = tenant.cards.get(number as usize) else { return false };
        self.body.clear();
        // Writing to a Vec cannot fail.
        let _ = write!(self.body, "{}", Authorization(card));
        let idempotency_key = format!("cells-{}-{}", self.round, self.made);
        let (account, key) = (&tenant.account, &tenant.key);
        post(out, format_args!("{AUTHORIZE}?accountId={account}"), key, &idempotency_key, &self.body);
        self.made += 1;
        true
    }
}

/// Compares four cells with one store.
fn measure(kind: Kind, settings: &Settings, folder: &Path, report: &mut Report) -> anyhow::Result<()> {
    progress(&format!("{}: preparing one store, and four cells", kind.name()));
    let mut sides = [Side::start(kind, "one", &CELLS[..1], folder)?, Side::start(kind, "four", &CELLS, folder)?];
    let mut all = [Vec::new(), Vec::new()];
    for number in 0..=settings.rounds {
        let lasting = if number == 0 { Duration::from_secs(1) } else { settings.round };
        for (side, rounds) in sides.iter_mut().zip(&mut all) {
            let figures = side.round(settings, lasting, number as u64)?;
            progress(&format!(
                "{}, {} store(s), round {number}: {:.0}/s, p50 {:.2} ms, p99 {:.2} ms",
                kind.name(),
                side.stores.len(),
                figures.rate,
                figures.p50 / 1000.0,
                figures.p99 / 1000.0
            ));
            if number > 0 {
                rounds.push(figures);
            }
        }
    }
    let [one, four] = all.map(|rounds| median(&rounds));
    let name = format!("{}: authorize over accounts in 4 cells", kind.name());
    report.rows.push(Row::rates(
        &name,
        "the same accounts in 1 store".into(),
        one.rate,
        four,
        Requirement::AtLeast { required: 1.25, target: 1.5 },
    ));
    for side in &sides {
        side.check()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_go_to_all_accounts_in_turn() {
        let tenant = |number: u8| Tenant {
            account: format!("cells-{number}"),
            key: format!("key-{number}"),
            cards: vec![format!("card-{number}")],
        };
        let tenants = [tenant(0), tenant(1)];
        let mut requests = Authorizations::new(&tenants, 7);
        for made in 0..4 {
            let mut out = Vec::new();
            assert!(requests.next(&mut out));
            let text = String::from_utf8(out).unwrap();
            let number = made % 2;
            let parts =
                [format!("accountId=cells-{number} "), format!("ApiKey key-{number}\r"), format!("card-{number}\"")];
            assert!(parts.iter().all(|part| text.contains(part)), "{text}");
            assert!(text.contains(&format!("Idempotency-Key: cells-7-{made}\r\n")), "{text}");
        }
        assert!(!Authorizations::new(&[], 1).next(&mut Vec::new()));
    }
}
