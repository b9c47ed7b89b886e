//! A PostgreSQL database of the benchmark, filled with the data set.

use crate::books::{self, Books, Counts};
use crate::{machine, server};
use anyhow::{Context, bail};
use postgres::{Client, NoTls};
use std::process::Command;

const DATA: &str = include_str!("../sql/postgres/data.sql");
const FUNCTIONS: &str = include_str!("../sql/postgres/functions.sql");
/// SQL that adds the constraints that the tables had when the baselines (the plain SQL that Florin is compared with)
/// were written, and SQL that removes these constraints.
const CONSTRAINTS: &str = include_str!("../sql/postgres/constraints.sql");
const NO_CONSTRAINTS: &str = include_str!("../sql/postgres/no-constraints.sql");
/// SQL that recomputes the counts of checkouts.
const CHECKOUT_COUNTS: &str = include_str!("../sql/postgres/checkout-counts.sql");
const TABLE_BYTES: &str = "SELECT CAST(SUM(pg_total_relation_size(oid)) AS BIGINT) FROM pg_class \
    WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace";
const BATCHES: &str = include_str!("../sql/postgres/batches.sql");

/// Size of the data set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Size {
    pub(crate) budgets: u64,
    pub(crate) cards: u64,
    /// Checkouts of each of the ten accounts.
    pub(crate) checkouts: u64,
    /// Number of card transactions.
    pub(crate) messages: u64,
}

impl Size {
    /// The size for `make bench`.
    pub(crate) const STANDARD: Self = Self { budgets: 1000, cards: 10_000, checkouts: 1000, messages: 200_000 };

    /// Fills the numbers into a script. Five messages make three chains.
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

/// A database that is dropped at the end.
pub(crate) struct Database {
    pub(crate) url: String,
    pub(crate) client: Client,
    /// The server's parent process, if it runs on this machine.
    pub(crate) postmaster: Option<u32>,
    name: String,
    server: String,
    size: Size,
}

impl Database {
    /// Creates, migrates and fills a database.
    pub(crate) fn fill(name: &str, size: Size) -> anyhow::Result<Self> {
        let mut database = Self::empty(name)?;
        database.size = size;
        database.load(&format!("{}\n{};\n{}", size.fill(DATA), books::LEGS, books::LIST_COUNTS))?;
        database.client.batch_execute(FUNCTIONS)?;
        database.client.batch_execute("SET work_mem = '256MB'; SET jit = off")?;
        Ok(database)
    }

    /// Creates and migrates a database on the server in `DATABASE_URL`.
    pub(crate) fn empty(name: &str) -> anyhow::Result<Self> {
        let database = Self::bare(name)?;
        server::run(&database.url, &["migrate"])?;
        Ok(database)
    }

    /// Creates a database without a schema.
    pub(crate) fn bare(name: &str) -> anyhow::Result<Self> {
        let server = std::env::var("DATABASE_URL")
            .context("DATABASE_URL is not set: run this with `make bench`, which uses scripts/with-postgres")?;
        let name = format!("florin_bench_{name}_{}", std::process::id());
        let mut admin = connect(&server)?;
        must_be_durable(&mut admin)?;
        admin.batch_execute(&format!("CREATE DATABASE {name}"))?;
        let url = with_database(&server, &name);
        let (client, postmaster) = (connect(&url)?, postmaster(&mut admin));
        Ok(Self { client, url, postmaster, name, server, size: Size::STANDARD })
    }

    /// Loads rows and analyzes the tables.
    pub(crate) fn load(&mut self, script: &str) -> anyhow::Result<()> {
        self.client.batch_execute(script).context("cannot load the data set")?;
        self.client.batch_execute(CHECKOUT_COUNTS)?;
        // A separate call, because VACUUM cannot run in a transaction.
        self.client.batch_execute("VACUUM ANALYZE")?;
        self.checkpoint()
    }

    /// Returns the size on disk.
    pub(crate) fn disk(&mut self) -> anyhow::Result<String> {
        Ok(self.client.query_one("SELECT pg_size_pretty(pg_database_size(current_database()))", &[])?.get(0))
    }

    /// Returns the size of all tables and their indexes, in bytes.
    pub(crate) fn table_bytes(&mut self) -> anyhow::Result<f64> {
        let bytes: i64 = self.client.query_one(TABLE_BYTES, &[])?.get(0);
        Ok(bytes as f64)
    }

    /// Adds the constraints that the tables had when the baselines (the pgbench scripts) were written, for a round of a
    /// baseline.
    pub(crate) fn add_constraints(&mut self) -> anyhow::Result<()> {
        Ok(self.client.batch_execute(CONSTRAINTS)?)
    }

    /// Removes the constraints that [`Self::add_constraints`] adds.
    pub(crate) fn drop_constraints(&mut self) -> anyhow::Result<()> {
        Ok(self.client.batch_execute(NO_CONSTRAINTS)?)
    }

    /// Prepares validated batches, each with an open MFA session, for confirmations.
    pub(crate) fn prepare_batches(&mut self, first: u64, last: u64) -> anyhow::Result<()> {
        let script =
            self.size.fill(BATCHES).replace("{first}", &first.to_string()).replace("{last}", &last.to_string());
        Ok(self.client.batch_execute(&script)?)
    }

    /// Returns the free bytes of the data directory's file system, if it is on this machine.
    pub(crate) fn free_disk(&mut self) -> anyhow::Result<Option<u64>> {
        let folder: String = self.client.query_one("SHOW data_directory", &[])?.get(0);
        let output = Command::new("df").args(["--output=avail", "-B1", &folder]).output().ok();
        let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
        Ok(text.lines().last().and_then(|line| line.trim().parse().ok()))
    }

    /// Returns the processor time of all server processes, in microseconds.
    pub(crate) fn cpu(&self) -> Option<f64> {
        machine::cpu(self.postmaster?)
    }

    /// Describes version, settings and file system of the server in one line.
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

    fn violations(&mut self) -> anyhow::Result<[i64; 4]> {
        let row = self.client.query_one(books::PROOF, &[])?;
        Ok(std::array::from_fn(|index| row.get(index)))
    }

    fn execute(&mut self, sql: &str) -> anyhow::Result<()> {
        Ok(self.client.batch_execute(sql)?)
    }

    fn checkpoint(&mut self) -> anyhow::Result<()> {
        self.execute("CHECKPOINT")
    }
}

fn connect(url: &str) -> anyhow::Result<Client> {
    Client::connect(url, NoTls).context("cannot connect to PostgreSQL")
}

/// Replaces the database name in a URL.
fn with_database(url: &str, name: &str) -> String {
    let (place, options) = url.split_once('?').map_or((url, None), |(place, options)| (place, Some(options)));
    let authority = place.find("://").map_or(0, |at| at + 3);
    let place = place[authority..].find('/').map_or(place, |slash| &place[..authority + slash]);
    options.map_or_else(|| format!("{place}/{name}"), |options| format!("{place}/{name}?{options}"))
}

/// Refuses a server that does not wait for its disk, because its results would mean nothing.
fn must_be_durable(client: &mut Client) -> anyhow::Result<()> {
    for name in ["fsync", "synchronous_commit", "full_page_writes"] {
        let value: String = client.query_one(&format!("SHOW {name}"), &[])?.get(0);
        if value != "on" {
            bail!("{name} is {value}: the benchmark requires a durable server (FLORIN_PG_DURABLE=1)");
        }
    }
    Ok(())
}

/// Returns the parent process of the server's process for this connection, if it runs on this machine.
fn postmaster(client: &mut Client) -> Option<u32> {
    let backend: i32 = client.query_one("SELECT pg_backend_pid()", &[]).ok()?.get(0);
    let parent = machine::parent(u32::try_from(backend).ok()?)?;
    (machine::name(parent)? == "postgres").then_some(parent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_database_name_of_a_url_is_replaced() {
        for (url, expected) in [
            ("postgres://a:b@h:1/postgres", "postgres://a:b@h:1/x"),
            ("postgres://h", "postgres://h/x"),
            ("postgres://h/p?sslmode=disable", "postgres://h/x?sslmode=disable"),
        ] {
            assert_eq!(with_database(url, "x"), expected);
        }
    }

    #[test]
    fn every_placeholder_of_a_script_is_filled() {
        let filled = Size::STANDARD.fill(DATA);
        assert!(
            filled.contains("generate_series(1, 120000)") && !filled.contains("{c") && !filled.contains("{budgets}")
        );
    }
}
