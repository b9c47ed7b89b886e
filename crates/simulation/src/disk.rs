//! The simulated disk: a directory that can lose unsynced writes. The part in C is in `disk/`.

use rusqlite::{Connection, Params};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The name of the database file.
const FILE: &str = "florin.db";

/// How the programs on a disk end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The power is cut: what was not synced may be lost.
    Power,
    /// A program is killed: what it wrote is still there.
    Kill,
}

/// Maximum time that a connection may take to close.
const MAX_WAIT: Duration = Duration::from_secs(30);

/// A disk in a directory of its own.
pub(crate) struct Disk {
    control: Connection,
    path: PathBuf,
    name: String,
    _directory: TempDir,
}

impl Disk {
    /// Creates a disk that holds a database.
    pub(crate) fn with(image: &[u8]) -> Self {
        let directory = tempfile::tempdir_in(parent()).unwrap();
        // SQLite resolves links, too.
        let path = directory.path().canonicalize().unwrap();
        std::fs::write(path.join(FILE), image).unwrap();
        let name = path.to_str().unwrap().to_owned();
        let disk = Self { control: Connection::open_in_memory().unwrap(), path, name, _directory: directory };
        disk.call("SELECT disk_mount(?1)", (&disk.name,));
        disk
    }

    /// The path of the database.
    pub(crate) fn database(&self) -> PathBuf {
        self.path.join(FILE)
    }

    /// Ends the programs after this number of further operations; `None`: never.
    pub(crate) fn end_after(&self, end: Option<(End, u64)>) {
        let (how, after) = match end {
            Some((End::Power, after)) => ("power", after),
            Some((End::Kill, after)) => ("kill", after),
            None => ("none", 0),
        };
        self.call("SELECT disk_end(?1, ?2, ?3)", (&self.name, how, signed(after)));
    }

    /// Ends the programs. Operations that they still try while they are dropped are not counted: whether SQLite tries a
    /// checkpoint depends on which connection closes last, and the thread of a pool may close one at any time.
    pub(crate) fn end_now(&self) {
        self.call("SELECT disk_end_now(?1)", (&self.name,));
    }

    /// Lets operations fail: the kind (`write`, `full`, `torn`, `sync` or `none`), the number of operations before the
    /// first failure, and the number of operations that fail.
    pub(crate) fn fault(&self, kind: &str, after: u64, count: u64) {
        self.call("SELECT disk_fault(?1, ?2, ?3, ?4)", (&self.name, kind, signed(after), signed(count)));
    }

    /// Whether the programs ended. From then on every operation fails.
    pub(crate) fn is_dead(&self) -> bool {
        self.call("SELECT disk_is_dead(?1)", (&self.name,)) != 0
    }

    /// Returns the number of operations so far.
    pub(crate) fn count(&self) -> u64 {
        self.call("SELECT disk_count(?1)", (&self.name,)).unsigned_abs()
    }

    /// Returns a hash of all operations so far.
    pub(crate) fn trace(&self) -> i64 {
        self.call("SELECT disk_trace(?1)", (&self.name,))
    }

    /// Whether a sync failed, and the writes that it should have saved are still not durable.
    pub(crate) fn is_doomed(&self) -> bool {
        self.call("SELECT disk_doomed(?1)", (&self.name,)) != 0
    }

    /// Waits until only this number of connections is left. The threads of a pool close theirs a little later.
    pub(crate) fn wait_for_connections(&self, left: usize) {
        // Each connection has opened the database and its log.
        let left = 2 * i64::try_from(left).unwrap();
        let start = Instant::now();
        while self.call("SELECT disk_open(?1)", (&self.name,)) > left {
            // After a panic, files may stay open.
            if std::thread::panicking() {
                return;
            }
            assert!(start.elapsed() < MAX_WAIT, "a connection stays open on {}", self.name);
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// From now on, writes a line about each operation to this file.
    pub(crate) fn list(&self, file: &Path) {
        self.call("SELECT disk_list(?1, ?2)", (&self.name, file.to_str().unwrap()));
    }

    /// Loses the unsynced writes that the seed selects, and lets the disk work again. No file may be open.
    pub(crate) fn lose(&self, seed: u64) {
        self.call("SELECT disk_lose(?1, ?2)", (&self.name, seed.cast_signed()));
    }

    /// Lets the disk work again. Nothing is lost.
    pub(crate) fn revive(&self) {
        self.call("SELECT disk_revive(?1)", (&self.name,));
    }

    fn call(&self, function: &str, params: impl Params) -> i64 {
        let mut statement = self.control.prepare_cached(function).unwrap();
        statement.query_row(params, |row| row.get::<_, Option<i64>>(0)).unwrap().unwrap_or_default()
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        self.wait_for_connections(0);
        self.call("SELECT disk_unmount(?1)", (&self.name,));
    }
}

/// Returns the folder of the directories: in memory, if `TMPDIR` does not name a folder.
fn parent() -> PathBuf {
    let memory = Path::new("/dev/shm");
    if std::env::var_os("TMPDIR").is_none() && memory.is_dir() { memory.to_path_buf() } else { std::env::temp_dir() }
}

fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(disk: &Disk, synchronous: &str) -> Connection {
        let connection = Connection::open(disk.database()).unwrap();
        let settings = format!("PRAGMA journal_mode = WAL; PRAGMA synchronous = {synchronous};");
        connection.execute_batch(&settings).unwrap();
        connection
    }

    fn count(disk: &Disk) -> i64 {
        open(disk, "FULL").query_row("SELECT count(*) FROM t", (), |row| row.get(0)).unwrap()
    }

    fn insert(connection: &Connection, rows: i64) -> i64 {
        let inserted = (0..rows).take_while(|_| connection.execute("INSERT INTO t VALUES (1)", ()).is_ok()).count();
        i64::try_from(inserted).unwrap()
    }

    #[test]
    fn only_unsynced_writes_are_lost() {
        let mut lost = 0;
        for seed in 0..40 {
            let disk = Disk::with(b"");
            let connection = open(&disk, "FULL");
            connection.execute_batch("CREATE TABLE t (a)").unwrap();
            insert(&connection, 10);
            connection.execute_batch("PRAGMA synchronous = OFF").unwrap();
            insert(&connection, 10);
            disk.end_after(Some((End::Power, 0)));
            drop(connection);
            disk.lose(seed);
            let kept = count(&disk);
            assert!((10..=20).contains(&kept), "{kept}");
            lost += 20 - kept;
        }
        assert!(lost > 100, "{lost}");
    }

    #[test]
    fn a_kill_loses_nothing_that_was_written() {
        let disk = Disk::with(b"");
        let connection = open(&disk, "OFF");
        connection.execute_batch("CREATE TABLE t (a)").unwrap();
        insert(&connection, 10);
        disk.end_after(Some((End::Kill, 1)));
        assert_eq!(insert(&connection, 10), 0);
        assert!(disk.is_dead());
        drop(connection);
        disk.revive();
        assert_eq!(count(&disk), 10);
    }

    #[test]
    fn operations_of_ended_programs_are_not_counted() {
        let disk = Disk::with(b"");
        let connection = open(&disk, "FULL");
        connection.execute_batch("CREATE TABLE t (a)").unwrap();
        let (count, trace) = (disk.count(), disk.trace());
        disk.end_now();
        assert_eq!(insert(&connection, 1), 0);
        // The last connection that closes tries a checkpoint.
        drop(connection);
        assert_eq!((disk.count(), disk.trace()), (count, trace));
    }

    #[test]
    fn every_power_cut_leaves_whole_transactions() {
        for after in 0..120 {
            let disk = Disk::with(b"");
            let connection = open(&disk, "FULL");
            connection.execute_batch("CREATE TABLE t (a); PRAGMA wal_autocheckpoint = 4").unwrap();
            disk.end_after(Some((End::Power, after)));
            let acknowledged = insert(&connection, 30);
            assert!(disk.is_dead() || acknowledged == 30);
            drop(connection);
            disk.lose(after);
            let kept = count(&disk);
            assert!(kept == acknowledged || kept == acknowledged + 1, "{after}: {kept} of {acknowledged}");
        }
    }

    #[test]
    fn faults_fail_the_operations_that_they_name() {
        for kind in ["write", "full", "torn", "sync"] {
            let disk = Disk::with(b"");
            let connection = open(&disk, "FULL");
            connection.execute_batch("CREATE TABLE t (a)").unwrap();
            disk.fault(kind, 0, 3);
            assert_eq!(insert(&connection, 1), 0, "{kind}");
            disk.fault("none", 0, 0);
            assert_eq!(insert(&connection, 1), 1, "{kind}");
        }
    }
}
