//! A SQLite file of the benchmark, filled with the data set.

mod single;

pub(crate) use single::{authorize, list};

use crate::books::{self, Books, Counts};
use crate::database::Size;
use crate::requests::id;
use crate::server;
use anyhow::Context;
use rusqlite::Connection;
use rusqlite::functions::FunctionFlags;
use std::path::Path;

const DATA: &str = include_str!("../../sql/sqlite/data.sql");

/// SQL that stores the counts of checkouts.
const CHECKOUT_COUNTS: &str = "INSERT INTO checkout_counts \
    SELECT account_id, checkout_type, status, count(*) FROM checkouts GROUP BY 1, 2, 3";

/// Settings of the connection: WAL, durable commits, foreign keys and the cache size as in Florin's writer, and a
/// longer timeout.
const PRAGMAS: &str = "PRAGMA busy_timeout = 10000; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; \
    PRAGMA foreign_keys = ON; PRAGMA cache_size = -32768;";

/// A database in a file.
pub(crate) struct File {
    pub(crate) url: String,
    pub(crate) conn: Connection,
}

impl File {
    /// Creates and migrates a file.
    pub(crate) fn empty(path: &Path) -> anyhow::Result<Self> {
        server::run(&url_of(path), &["migrate"])?;
        Self::attach(path)
    }

    /// Opens a file that Florin has created.
    pub(crate) fn attach(path: &Path) -> anyhow::Result<Self> {
        let conn = Connection::open(path)?;
        conn.execute_batch(PRAGMAS)?;
        conn.set_prepared_statement_cache_capacity(64);
        conn.create_scalar_function("bench_id", 2, FunctionFlags::SQLITE_DETERMINISTIC, |context| {
            Ok(id(context.get::<u16>(0)?, context.get::<i64>(1)?.unsigned_abs()))
        })?;
        Ok(Self { url: url_of(path), conn })
    }

    /// Loads rows.
    pub(crate) fn load(&mut self, script: &str) -> anyhow::Result<()> {
        let load = format!("PRAGMA foreign_keys = OFF; BEGIN; {script} COMMIT; PRAGMA foreign_keys = ON;");
        self.conn.execute_batch(&load).context("cannot load the data set")?;
        let dangling = "SELECT count(*) FROM pragma_foreign_key_check";
        let orphans: i64 = self.conn.query_row(dangling, [], |row| row.get(0))?;
        anyhow::ensure!(orphans == 0, "the data set has {orphans} rows with dangling references");
        self.checkpoint()
    }

    /// Creates, migrates and fills a file.
    pub(crate) fn fill(path: &Path, size: Size) -> anyhow::Result<Self> {
        let mut file = Self::empty(path)?;
        file.load(&format!("{}\n{};\n{}", size.fill(DATA), books::LEGS, books::LIST_COUNTS))?;
        file.conn.execute_batch(CHECKOUT_COUNTS)?;
        file.checkpoint()?;
        Ok(file)
    }
}

fn url_of(path: &Path) -> String {
    format!("sqlite://{}", path.display())
}

impl Books for File {
    fn counts(&mut self) -> anyhow::Result<Counts> {
        self.conn.query_row(books::COUNTS, [], row).context("cannot count the rows")
    }

    fn violations(&mut self) -> anyhow::Result<[i64; 4]> {
        self.conn.query_row(books::PROOF, [], row).context("cannot read the books")
    }

    fn execute(&mut self, sql: &str) -> anyhow::Result<()> {
        Ok(self.conn.execute_batch(sql)?)
    }

    fn checkpoint(&mut self) -> anyhow::Result<()> {
        // The WAL is written into the file.
        Ok(self.conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?)
    }
}

fn row<const N: usize>(row: &rusqlite::Row<'_>) -> rusqlite::Result<[i64; N]> {
    let mut values = [0; N];
    for (index, value) in values.iter_mut().enumerate() {
        *value = row.get(index)?;
    }
    Ok(values)
}
