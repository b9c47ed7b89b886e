//! The functions that a database provides to the body. Each function must have the type that is written here.

use super::backend::{Changes, Conn, Identity, Place, Readers, Values};
use super::errors::{Failure, Outcome, corrupt};
use super::event_tail::EventTail;
use super::footprint::Footprint;
use super::statements::{Change, Key, Lookup, Row};
use super::tables::money::BalanceRow;
use super::tables::service::RecordRow;
use super::types::Id;
use diesel::result::{DatabaseErrorInformation, DatabaseErrorKind};
use florin_domain::ids::AccountId;
use florin_ports::StoreError;
use florin_store_contract::{MigrationProgress, OpenError, StoreSettings};
use std::collections::BTreeSet;
use std::time::Duration;

/// Locked balances, and idempotency records.
type LockedRows = (Vec<BalanceRow>, Vec<RecordRow>);

/// Imports functions from the database, and checks that each has the given type.
macro_rules! functions {
    ($($(#[$doc:meta])* $name:ident: $type:ty;)*) => {$(
        $(#[$doc])*
        pub(crate) use super::database::$name;
        const _: $type = $name;
    )*};
}

/// Functions that load the rows of one, two or four independent lookups, in one round trip if that is faster.
pub(crate) use super::database::{load, load_four, load_two};

functions! {
    /// Returns the address of the database that the settings name.
    place: fn(&StoreSettings) -> Result<Place, OpenError>;
    /// Returns the identity of the database that is at this place now.
    identify: fn(&Place) -> Identity;
    /// Creates the database if it does not exist and the flag allows it. A database on a server is created by its
    /// operators instead.
    create: fn(&Place, bool) -> Result<(), OpenError>;
    /// Opens a connection that writes.
    connect_writer: fn(&Place) -> Result<Conn, OpenError>;
    /// Opens a read-only connection. Others, up to the given total, are opened when concurrent reads need them. A read
    /// waits at most the given time for a connection.
    open_readers: fn(&Place, u32, Duration) -> Result<Readers, OpenError>;
    /// Returns the versions and names of the migrations that this program knows, in order.
    known_migrations: fn() -> Outcome<Vec<(String, String)>>;
    /// Returns the versions of the applied migrations. Changes nothing, even in an empty database.
    applied_migrations: fn(&mut Conn) -> Outcome<Vec<String>>;
    /// Applies all pending migrations or none, and returns their number. Refuses while the store keeps the text of a
    /// client that has left.
    migrate: fn(&mut Conn, MigrationProgress<'_>) -> Outcome<usize>;
    /// Does the last work of the writer before its connection closes.
    finish: fn(&mut Conn) -> Outcome<()>;
    /// Writes something that changes no data, so that its commit shows whether the disk has free space.
    probe: fn(&mut Conn) -> Outcome<()>;
    /// Checks the structure of the whole database, if the database offers such a check. Damage is reported as
    /// [`Failure::Corrupt`].
    check_integrity: fn(&mut Conn) -> Outcome<()>;
    /// Returns the tables declared `unchecked` with a row that violates a constraint which the database did not check
    /// when it stored the row: a parent is missing, or a name is unknown. Searches the rows of all accounts, or of one.
    /// A database that checks these constraints when it stores rows may skip the search of one account.
    violated_tables: fn(&mut Conn, Option<&AccountId>) -> Outcome<Vec<&'static str>>;
    /// Returns the statements that check the structure of the database while a server works on it. Each runs in its own
    /// transaction. Empty if the database offers no such check.
    structure_checks: fn(&mut Conn) -> Outcome<Vec<String>>;
    /// Runs one of the statements of [`structure_checks`]. Damage is reported as [`Failure::Corrupt`].
    check_structure: fn(&mut Conn, &str) -> Outcome<()>;
    /// Disables the timeouts of a transaction that reads whole tables.
    without_time_limits: fn(&mut Conn) -> Outcome<()>;
    /// Makes the reads of a transaction follow indexes, whatever the planner expects.
    by_index: fn(&mut Conn) -> Outcome<()>;
    /// Makes the database plan each further statement of a transaction for its values. Some values match few rows and
    /// others match many, and these need different plans.
    plan_by_values: fn(&mut Conn) -> Outcome<()>;
    /// With `true`, the further statements of a transaction read rows in order from an index, and sort none. A plan
    /// that sorts all rows is good for the few rows that exist when it is created, but not for many. With `false`, the
    /// planner may choose such a plan again.
    sort_by_index: fn(&mut Conn, bool) -> Outcome<()>;
    /// Updates the planner's statistics of tables that have grown a lot, outside a transaction.
    renew_statistics: fn(&mut Conn) -> Outcome<()>;
    /// Serializes changes of operators until the end of the transaction.
    lock_operators: fn(&mut Conn) -> Outcome<()>;
    /// Locks the given subscriptions that exist and that no other transaction has locked, in the order of their ids,
    /// and returns these ids.
    lock_free_webhooks: fn(&mut Conn, BTreeSet<Id>) -> Outcome<BTreeSet<Id>>;
    /// Locks a whole account until the end of the transaction. Waits for other changes of the account first.
    lock_account: fn(&mut Conn, &AccountId) -> Outcome<()>;
    /// Locks a client with its subscriptions and its whole accounts until the end of the transaction. Waits for other
    /// changes of them first.
    lock_client: fn(&mut Conn, Id) -> Outcome<()>;
    /// Lets only one transaction at a time work on moves of a client in this store, until the end of the transaction.
    /// No migration runs meanwhile.
    lock_move: fn(&mut Conn, Id) -> Outcome<()>;
    /// Makes all statements of a transaction see the same state. It must be called before the first statement. A change
    /// of a row that others have changed meanwhile fails as contended.
    set_repeatable_read: fn(&mut Conn) -> Outcome<()>;
    /// Locks and loads the balances that a group needs, in the same order in all programs, and loads its idempotency
    /// records.
    lock_balances: fn(&mut Conn, &Footprint) -> Outcome<LockedRows>;
    /// Draws this number of positions, at least one, in ascending order. Two transactions that lock the same object
    /// receive positions in the order of their commits.
    draw_positions: fn(&mut Conn, usize) -> Outcome<Vec<i64>>;
    /// Reserves consecutive positions, and returns the first one. The first argument is the number of positions. They
    /// are above the position in the second argument, and above all drawn positions. Readers do not wait for the
    /// transaction, whereas they do after [`draw_positions`].
    reserve_positions: fn(&mut Conn, i64, i64) -> Outcome<i64>;
    /// Returns the last position that was drawn, and the transactions that may still commit rows up to it.
    event_tail: fn(&mut Conn) -> Outcome<EventTail>;
    /// Returns the tail with those of its transactions that are still in progress. `None` if the tail was read from
    /// another database server, or before a crash of this one: its positions may be drawn again.
    still_writing: fn(&mut Conn, &EventTail) -> Outcome<Option<EventTail>>;
    /// Makes later positions greater than those of an import. The argument is the greatest position in its rows and
    /// snapshots.
    events_imported: fn(&mut Conn, i64) -> Outcome<()>;
    /// Returns the table of the violated primary key or unique constraint; an empty text if the database does not name
    /// it.
    violated_table: fn(&dyn DatabaseErrorInformation) -> String;
    /// Converts an error to a failure. The error is not a violation of a unique constraint or foreign key.
    classify: fn(DatabaseErrorKind, &str) -> Failure;
    /// Returns the failure for the case that Diesel has lost track of the state of a transaction.
    broken_connection: fn(String) -> Failure;
    /// Returns the failure for a commit during which the database became unusable.
    failed_commit: fn(String) -> Failure;
}

/// Runs a read. Retries it once if its connection was lost.
pub(crate) use super::database::read;
/// Runs a write transaction.
pub(crate) use super::database::write;

/// Checks the types of the generic functions.
const _: () = {
    #[allow(dead_code, reason = "it only has to compile")]
    fn check<T, L: Lookup, R: Row, C: Change>(
        conn: &mut Conn,
        readers: &Readers,
        (rows, changes, more): (Vec<R>, Vec<C>, Vec<C>),
        keys: Vec<L::Key>,
        work: fn(&mut Conn) -> Outcome<T>,
    ) -> Outcome<Vec<L::Row>> {
        fn is_list<V: Values>() {}
        is_list::<R::Values>();
        is_list::<<L::Key as Key>::Values>();
        let _: Outcome<T> = write(conn, work);
        let _: Result<T, StoreError> = read(readers, work);
        let mut all = Changes::on(conn);
        all.insert(rows)?;
        all.update(changes)?;
        all.update_all(more)?;
        all.store()?;
        load::<L>(keys, conn)
    }
};

/// Whether a migration is applied, by its version.
pub(crate) fn is_applied(conn: &mut Conn, migration: &str) -> Outcome<bool> {
    Ok(applied_migrations(conn)?.iter().any(|version| version == migration))
}

/// Draws one position.
pub(crate) fn draw_position(conn: &mut Conn) -> Outcome<i64> {
    draw_positions(conn, 1)?.pop().ok_or_else(|| corrupt("a drawn position is missing"))
}
