//! PostgreSQL: a database of its own, filled with the data set.

use crate::books::{self, Books, Counts};
use crate::{machine, server};
use anyhow::{Context, bail};
use postgres::{Client, NoTls};
use std::process::Command;

const DATA: &str = include_str!("../sql/postgres/data.sql");
const FUNCTIONS: &str = include_str!("../sql/postgres/functions.sql");
/// Counts that are kept beside rows.
const KEPT_COUNTS: &str = include_str!("../sql/postgres/checkout-counts.sql");
const BATCHES: &str = include_str!("../sql/postgres/batches.sql");

/// How much is loaded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Size {
    pub(crate) budgets: u64,
    pub(crate) cards: u64,
    /// Of each of ten accounts.
    pub(crate) checkouts: u64,
    /// Card transactions.
    pub(crate) messages: u64,
}

impl Size {
    /// Of `make bench`.
    pub(crate) const STANDARD: Self = Self { budgets: 1000, cards: 10_000, checkouts: 1000, messages: 200_000 };

    /// A script with its numbers in place. Five messages are three chains.
    pub(crate) fn fill(self, script: &str) -> String {
        let numbers = [
            ("{budgets}", self.budgets),
            ("{cards}", self.cards),
            ("{checkouts}", self.checkouts),
            ("{chains}", self.messages * 3 / 5),
        ];
        numbers.iter().fold(script.to_owned(), |text, (name, number)| text.replace(name, &number.to_string()))
    }
}

/// A database of the benchmark's own. It is dropped at the end.
pub(crate) struct Database {
    pub(crate) url: String,
    pub(crate) client: Client,
    /// The process above all of the server's, where it is on this machine.
    pub(crate) postmaster: Option<u32>,
    name: String,
    server: String,
    size: Size,
}

impl Database {
    /// Makes, migrates and fills a database of the server in `DATABASE_URL`.
    pub(crate) fn fill(name: &str, size: Size) -> anyhow::Result<Self> {
        let server = std::env::var("DATABASE_URL")
            .context("DATABASE_URL is not set: this is called through scripts/with-postgres, by `make`")?;
        let name = format!("florin_bench_{name}_{}", std::process::id());
        let mut admin = connect(&server)?;
        must_be_durable(&mut admin)?;
        admin.batch_execute(&format!("CREATE DATABASE {name}"))?;
        let url = with_database(&server, &name);
        let mut database = Self { client: connect(&url)?, url, postmaster: postmaster(&mut admin), name, server, size };
        server::run(&database.url, &["migrate"])?;
        database.load(&size.fill(DATA))?;
        database.client.batch_execute(FUNCTIONS)?;
        database.client.batch_execute("SET work_mem = '256MB'; SET jit = off")?;
        Ok(database)
    }

    /// Loads rows, and has the server learn of them.
    pub(crate) fn load(&mut self, script: &str) -> anyhow::Result<()> {
        self.client.batch_execute(script).context("the data set can't be loaded")?;
        self.client.batch_execute(KEPT_COUNTS)?;
        // Not in one: a VACUUM wants no transaction around it.
        self.client.batch_execute("VACUUM ANALYZE")?;
        self.settle()
    }

    /// How much disk it takes.
    pub(crate) fn disk(&mut self) -> anyhow::Result<String> {
        Ok(self.client.query_one("SELECT pg_size_pretty(pg_database_size(current_database()))", &[])?.get(0))
    }

    /// Prepares validated batches with open sessions, for confirmations.
    pub(crate) fn prepare_batches(&mut self, first: u64, last: u64) -> anyhow::Result<()> {
        let script =
            self.size.fill(BATCHES).replace("{first}", &first.to_string()).replace("{last}", &last.to_string());
        Ok(self.client.batch_execute(&script)?)
    }

    /// Before each turn: whoever comes next starts from the same state.
    pub(crate) fn settle(&mut self) -> anyhow::Result<()> {
        Ok(self.client.batch_execute("CHECKPOINT")?)
    }

    /// Bytes that are free where it is, if that is this machine.
    pub(crate) fn free_disk(&mut self) -> anyhow::Result<Option<u64>> {
        let folder: String = self.client.query_one("SHOW data_directory", &[])?.get(0);
        let output = Command::new("df").args(["--output=avail", "-B1", &folder]).output().ok();
        let said = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
        Ok(said.lines().last().and_then(|line| line.trim().parse().ok()))
    }

    /// Microseconds of processor time of all of the server's processes.
    pub(crate) fn cpu(&self) -> Option<f64> {
        machine::cpu(self.postmaster?)
    }

    /// Version, settings and disk of the server, in a line.
    pub(crate) fn describe(&mut self) -> anyhow::Result<String> {
        let mut setting = |name: &str| -> anyhow::Result<String> {
            Ok(self.client.query_one(&format!("SHOW {name}"), &[])?.get::<_, String>(0))
        };
        let version = setting("server_version")?;
        let mut settings = Vec::new();
        for name in ["fsync", "synchronous_commit", "full_page_writes", "wal_sync_method", "shared_buffers"] {
            settings.push(format!("{name} {}", setting(name)?));
        }
        let folder = setting("data_directory")?;
        let system = Command::new("stat").args(["-f", "-c", "%T", &folder]).output().ok();
        let system = system.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
        let system = system.filter(|name| !name.is_empty()).unwrap_or_else(|| "unknown".into());
        Ok(format!("PostgreSQL {version}, {}, data on {system}", settings.join(", ")))
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        if let Ok(mut admin) = connect(&self.server) {
            let _ = admin.batch_execute(&format!("DROP DATABASE {} WITH (FORCE)", self.name));
        }
    }
}

impl Books for Database {
    fn counts(&mut self) -> anyhow::Result<Counts> {
        let row = self.client.query_one(books::COUNTS, &[])?;
        Ok(std::array::from_fn(|index| row.get(index)))
    }

    fn flaws(&mut self) -> anyhow::Result<[i64; 4]> {
        let row = self.client.query_one(books::PROOF, &[])?;
        Ok(std::array::from_fn(|index| row.get(index)))
    }

    fn execute(&mut self, sql: &str) -> anyhow::Result<()> {
        Ok(self.client.batch_execute(sql)?)
    }
}

fn connect(url: &str) -> anyhow::Result<Client> {
    Client::connect(url, NoTls).context("PostgreSQL can't be reached")
}

/// The same server, another database.
fn with_database(url: &str, name: &str) -> String {
    let (place, options) = url.split_once('?').map_or((url, None), |(place, options)| (place, Some(options)));
    let authority = place.find("://").map_or(0, |at| at + 3);
    let place = place[authority..].find('/').map_or(place, |slash| &place[..authority + slash]);
    options.map_or_else(|| format!("{place}/{name}"), |options| format!("{place}/{name}?{options}"))
}

/// Figures of a server that does not wait for its disk are worth nothing.
fn must_be_durable(client: &mut Client) -> anyhow::Result<()> {
    for name in ["fsync", "synchronous_commit", "full_page_writes"] {
        let value: String = client.query_one(&format!("SHOW {name}"), &[])?.get(0);
        if value != "on" {
            bail!("{name} is {value}: the benchmark wants a durable server (FLORIN_PG_DURABLE=1)");
        }
    }
    Ok(())
}

/// The parent of our backend, if it is a process of this machine.
fn postmaster(client: &mut Client) -> Option<u32> {
    let backend: i32 = client.query_one("SELECT pg_backend_pid()", &[]).ok()?.get(0);
    let parent = machine::parent(u32::try_from(backend).ok()?)?;
    (machine::name(parent)? == "postgres").then_some(parent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_database_of_a_url_is_replaced() {
        for (url, expected) in [
            ("postgres://a:b@h:1/postgres", "postgres://a:b@h:1/x"),
            ("postgres://h", "postgres://h/x"),
            ("postgres://h/p?sslmode=disable", "postgres://h/x?sslmode=disable"),
        ] {
            assert_eq!(with_database(url, "x"), expected);
        }
    }

    #[test]
    fn every_number_of_a_script_is_filled_in() {
        let filled = Size::STANDARD.fill(DATA);
        assert!(
            filled.contains("generate_series(1, 120000)") && !filled.contains("{c") && !filled.contains("{budgets}")
        );
    }
}
