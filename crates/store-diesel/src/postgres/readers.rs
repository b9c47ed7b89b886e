//! The connections that read.

use super::Conn;
use super::body::errors::Outcome;
use super::connection::connect_reader;
use super::url::PostgresUrl;
use diesel::r2d2::R2D2Connection;
use florin_ports::StoreError;
use florin_store_contract::{ConnectFailure, OpenError};
use r2d2::{ManageConnection, Pool};
use std::time::Duration;

/// Maximum time to open the first connection: longer than a read waits for one, because an attempt waits 2 s for each
/// host of the URL that does not respond.
const FIRST: Duration = Duration::from_secs(10);

/// The connections that read.
pub(crate) type Readers = Pool<Server>;

/// The server that readers connect to.
#[derive(Debug)]
pub(crate) struct Server(PostgresUrl);

/// A connection that reads.
pub(crate) struct Reader {
    conn: Conn,
    /// Whether it was found dead. Then it must not be used again.
    lost: bool,
}

impl Reader {
    /// Pings the server, and remembers a failure.
    fn is_alive(&mut self) -> bool {
        self.lost = self.lost || self.conn.ping().is_err();
        !self.lost
    }
}

impl ManageConnection for Server {
    type Connection = Reader;
    type Error = OpenError;

    fn connect(&self) -> Result<Reader, OpenError> {
        Ok(Reader { conn: connect_reader(&self.0)?, lost: false })
    }

    fn is_valid(&self, reader: &mut Reader) -> Result<(), OpenError> {
        if reader.is_alive() {
            return Ok(());
        }
        Err(OpenError::Unreachable { reason: "the connection was lost".into(), failure: ConnectFailure::Transient })
    }

    fn has_broken(&self, reader: &mut Reader) -> bool {
        std::thread::panicking() || reader.lost || reader.conn.is_broken()
    }
}

/// Opens the first read-only connection. Others are opened when concurrent reads need them, up to `max`: each is a
/// process of the server that loads its caches first, which most programs do not need. They are closed after ten idle
/// minutes.
pub(crate) fn open_readers(url: &PostgresUrl, max: u32, wait: Duration) -> Result<Readers, OpenError> {
    let readers = Pool::builder()
        .max_size(max)
        .min_idle(Some(0))
        .connection_timeout(wait)
        // No ping before each use: a read that finds its connection lost uses another connection.
        .test_on_check_out(false)
        .build_unchecked(Server(url.clone()));
    let first = readers.get_timeout(FIRST);
    // The pool has tried again until the end of that time, whatever the failures were.
    drop(first.map_err(|error| OpenError::Unreachable {
        reason: url.redact(&error.to_string()),
        failure: ConnectFailure::Transient,
    })?);
    Ok(readers)
}

/// Runs a read. Retries it once if its connection was dead.
pub(crate) fn read<T>(readers: &Readers, work: impl Fn(&mut Conn) -> Outcome<T>) -> Result<T, StoreError> {
    let mut reader = get(readers)?;
    let failure = match work(&mut reader.conn) {
        Err(failure) if failure.is_transient() => failure,
        other => return Ok(other?),
    };
    if reader.is_alive() {
        return Err(failure.into());
    }
    tracing::warn!(error = %failure, "a reader lost its connection");
    drop(reader);
    // When a server goes away, all idle connections of the pool are dead.
    for _ in 0..=readers.max_size() {
        let mut reader = get(readers)?;
        if reader.is_alive() {
            return Ok(work(&mut reader.conn)?);
        }
    }
    Err(failure.into())
}

fn get(readers: &Readers) -> Result<r2d2::PooledConnection<Server>, StoreError> {
    readers.get().map_err(|error| StoreError::Unavailable(error.to_string()))
}
