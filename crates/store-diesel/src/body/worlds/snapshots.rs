//! Snapshots of worlds.

use super::body::ask::ask;
use super::body::backend::Conn;
use super::body::driver;
use super::body::errors::{Outcome, Stop, corrupt};
use super::body::export_import::{account_rows, schema};
use super::body::footprint::Footprint;
use super::body::group::under_claim;
use super::body::idempotency;
use super::body::secrets;
use super::body::statements;
use super::body::tables::worlds::{SnapshotRow, SnapshotSummaryRow, world_snapshots};
use super::body::timelines;
use super::body::types::{Account, Id, Time};
use super::body::webhooks;
use super::rows;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use florin_domain::ids::{AccountId, SnapshotId};
use florin_domain::page::{Page, PageRequest};
use florin_domain::text::Text;
use florin_domain::world::{
    RestoreSituation, SnapshotName, SnapshotRefusal, SnapshotSituation, Timeline, WorldReading, WorldSnapshot,
};
use florin_ports::{RestoreCommand, SnapshotCommand, WriteError, Written};

/// The contents of a snapshot.
pub(super) struct SnapshotContents {
    /// The world of the snapshot. `None` if it was imported from a file.
    pub(super) account: Option<AccountId>,
    pub(super) contents: String,
    /// When the snapshot was taken, on the clock of its world.
    pub(super) created_at: DateTime<Utc>,
    /// The caller's name for it.
    pub(super) name: Option<SnapshotName>,
    /// The schema of its rows.
    pub(super) schema: String,
}

impl SnapshotContents {
    /// Whether the snapshot has the current schema. Migrations empty the snapshots that they make useless; every other
    /// snapshot has rows.
    pub(super) fn fits(&self) -> Outcome<bool> {
        Ok(!self.contents.is_empty() && self.schema == schema()?)
    }
}

impl SnapshotSummaryRow {
    fn read(self) -> Outcome<WorldSnapshot> {
        Ok(WorldSnapshot {
            id: SnapshotId(self.id.0),
            account: self.account_id.0,
            name: self.name.map(Text::parse).transpose().map_err(|flaw| corrupt(flaw.message))?,
            created_at: self.created_at.0,
            rows: self.row_count,
        })
    }
}

pub(super) fn take(
    conn: &mut Conn,
    command: &SnapshotCommand,
) -> Result<Written<WorldSnapshot>, Stop<WriteError<SnapshotRefusal>>> {
    if rows::find(conn, &command.account)?.is_none() {
        return Err(WriteError::Absent.into());
    }
    under_claim(conn, Footprint::default(), command.claim.as_ref(), |conn, _| {
        driver::lock_account(conn, &command.account)?;
        let saved = account_rows::of(conn, &command.account)?;
        let bytes = i64::try_from(saved.text.len()).unwrap_or(i64::MAX);
        let situation = SnapshotSituation { snapshots: count(conn, &command.account)?, bytes };
        ask(|| (command.decide)(&situation))?.map_err(WriteError::Refused)?;
        let snapshot = WorldSnapshot {
            id: command.id,
            account: command.account.clone(),
            name: command.name.clone(),
            created_at: command.now,
            rows: saved.rows,
        };
        insert(conn, &snapshot, saved.text)?;
        Ok(snapshot)
    })
}

fn insert(conn: &mut Conn, snapshot: &WorldSnapshot, contents: String) -> Outcome<()> {
    let row = SnapshotRow {
        account_id: Account(snapshot.account.clone()),
        id: Id(snapshot.id.0),
        name: snapshot.name.as_ref().map(|name| name.as_str().to_owned()),
        created_at: Time(snapshot.created_at),
        row_count: snapshot.rows,
        schema_name: schema()?,
        contents,
    };
    statements::insert(vec![row], conn)
}

fn count(conn: &mut Conn, account: &AccountId) -> Outcome<i64> {
    let own = world_snapshots::table.filter(world_snapshots::account_id.eq(account.as_str()));
    Ok(own.count().get_result(conn)?)
}

pub(super) fn list(conn: &mut Conn, account: &AccountId, page: PageRequest) -> Outcome<Page<WorldSnapshot>> {
    let rows = world_snapshots::table
        .filter(world_snapshots::account_id.eq(account.as_str()))
        .order(world_snapshots::id)
        .limit(page.limit)
        .offset(page.offset)
        .select(SnapshotSummaryRow::as_select())
        .load(conn)?;
    let rows = rows.into_iter().map(SnapshotSummaryRow::read).collect::<Outcome<_>>()?;
    Ok(Page { count: count(conn, account)?, rows })
}

pub(super) fn delete(conn: &mut Conn, account: &AccountId, snapshot: SnapshotId) -> Outcome<bool> {
    let row = world_snapshots::table
        .filter(world_snapshots::account_id.eq(account.as_str()))
        .filter(world_snapshots::id.eq(Id(snapshot.0)));
    Ok(diesel::delete(row).execute(conn)? == 1)
}

fn read(row: SnapshotRow) -> Outcome<SnapshotContents> {
    Ok(SnapshotContents {
        account: Some(row.account_id.0),
        contents: row.contents,
        created_at: row.created_at.0,
        name: row.name.map(Text::parse).transpose().map_err(|flaw| corrupt(flaw.message))?,
        schema: row.schema_name,
    })
}

pub(super) fn find(conn: &mut Conn, account: &AccountId, snapshot: SnapshotId) -> Outcome<Option<SnapshotContents>> {
    let row = world_snapshots::table
        .filter(world_snapshots::account_id.eq(account.as_str()))
        .filter(world_snapshots::id.eq(Id(snapshot.0)))
        .select(SnapshotRow::as_select())
        .get_result(conn)
        .optional()?;
    row.map(read).transpose()
}

pub(super) fn restore(
    conn: &mut Conn,
    command: &RestoreCommand,
) -> Result<Written<WorldReading>, Stop<WriteError<SnapshotRefusal>>> {
    under_claim(conn, Footprint::default(), command.claim.as_ref(), |conn, _| {
        let snapshot = find(conn, &command.account, command.snapshot)?.ok_or(WriteError::Absent)?;
        let situation = RestoreSituation { outdated: !snapshot.fits()? };
        ask(|| (command.decide)(&situation))?.map_err(WriteError::Refused)?;
        driver::lock_account(conn, &command.account)?;
        let secret = secrets::of_totp(conn, &command.account)?;
        account_rows::clear(conn, &command.account)?;
        account_rows::put(conn, &command.account, &snapshot.contents, secret.as_ref(), false)?;
        rows::begin_epoch(conn, &command.account)?;
        webhooks::undo(conn, &command.account, Time(snapshot.created_at))?;
        // The snapshot may contain a record under the same key. The new answer replaces it.
        if let Some(claim) = &command.claim {
            idempotency::forget(conn, claim)?;
        }
        let before = timelines::find(conn, &command.account)?.unwrap_or_default();
        let clock = before.clock.put_back(snapshot.created_at, command.real);
        timelines::update(conn, &command.account, &Timeline { clock, ..before })?;
        let world = rows::find(conn, &command.account)?.ok_or(WriteError::Absent)?;
        Ok(WorldReading { world, real: command.real })
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    /// An instance of an earlier version must refuse a snapshot that a later migration emptied, and not restore an
    /// empty world.
    #[test]
    fn a_snapshot_that_a_migration_emptied_does_not_fit() {
        let (created_at, schema) = (DateTime::UNIX_EPOCH, schema().unwrap());
        let snapshot = |contents: &str| SnapshotContents {
            account: None,
            contents: contents.to_owned(),
            created_at,
            name: None,
            schema: schema.clone(),
        };
        assert!(snapshot("rows").fits().unwrap());
        assert!(!snapshot("").fits().unwrap());
    }
}
