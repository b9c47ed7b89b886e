//! Snapshots of worlds as files.

use super::body::ask::ask;
use super::body::backend::Conn;
use super::body::errors::{Failure, Outcome, Stop, corrupt};
use super::body::export_import::{schema, snapshot_files};
use super::body::statements;
use super::body::tables::worlds::{ImportedRow, ImportedSummaryRow, imported_snapshots};
use super::body::types::{Id, Time};
use super::body::webhooks::under_kept_claim;
use super::file_checks::{self, Refused};
use super::snapshots::{SnapshotContents, find};
use chrono::{DateTime, Utc};
use diesel::dsl::exists;
use diesel::prelude::*;
use florin_domain::ids::{AccountId, ClientId, SnapshotId};
use florin_domain::page::{Page, PageRequest};
use florin_domain::text::Text;
use florin_domain::world::{ImportRefusal, ImportSituation, ImportedSnapshot, SnapshotFile, SnapshotImport};
use florin_ports::{ClientClaim, ImportSnapshotCommand, WriteError, Written};
use std::convert::Infallible;

pub(super) fn export(conn: &mut Conn, account: &AccountId, snapshot: SnapshotId) -> Outcome<Option<SnapshotFile>> {
    let Some(found) = find(conn, account, snapshot)? else { return Ok(None) };
    let SnapshotContents { contents, name, created_at, schema, .. } = found;
    let contents = snapshot_files::for_file(&contents)?;
    Ok(Some(SnapshotFile { schema, account: account.clone(), name, created_at, contents }))
}

/// Imports a file. The caller holds the lock of operators.
pub(super) fn import(conn: &mut Conn, command: &ImportSnapshotCommand) -> Result<Written<SnapshotImport>, Refused> {
    under_kept_claim(conn, command.claim.as_ref(), |conn| {
        let situation = ImportSituation {
            imported: count(conn, command.client)?,
            is_repeated: is_known(conn, command)?,
            outdated: command.file.schema != schema()?,
        };
        ask(|| (command.decide)(&situation))?.map_err(WriteError::Refused)?;
        if situation.is_repeated {
            keep_longer(conn, command)?;
        } else {
            let rows = snapshot_files::for_store(conn, &command.file.contents).map_err(refused)?;
            file_checks::check(conn, command, &rows)?;
            statements::insert(vec![row_of(command, rows.text)], conn)?;
        }
        Ok(SnapshotImport { snapshot: snapshot_of(command), is_repeated: situation.is_repeated })
    })
}

fn refused(stop: Stop<ImportRefusal>) -> Refused {
    match stop {
        Stop::Failed(failure) => Stop::Failed(failure),
        Stop::Answer(refusal) => WriteError::Refused(refusal).into(),
    }
}

fn count(conn: &mut Conn, client: ClientId) -> Outcome<i64> {
    Ok(imported_snapshots::table.filter(imported_snapshots::client_id.eq(Id(client.0))).count().get_result(conn)?)
}

fn is_known(conn: &mut Conn, command: &ImportSnapshotCommand) -> Outcome<bool> {
    let known = imported_snapshots::table.find((Id(command.client.0), Id(command.id.0)));
    Ok(diesel::select(exists(known)).get_result(conn)?)
}

fn keep_longer(conn: &mut Conn, command: &ImportSnapshotCommand) -> Outcome<()> {
    let known = imported_snapshots::table.find((Id(command.client.0), Id(command.id.0)));
    let times = (
        imported_snapshots::imported_at.eq(Time(command.real)),
        imported_snapshots::expires_at.eq(Time(command.expires_at)),
    );
    diesel::update(known).set(times).execute(conn)?;
    Ok(())
}

fn row_of(command: &ImportSnapshotCommand, contents: String) -> ImportedRow {
    let ImportSnapshotCommand { client, id, file, real, expires_at, .. } = command;
    ImportedRow {
        client_id: Id(client.0),
        id: Id(id.0),
        name: file.name.as_ref().map(|name| name.as_str().to_owned()),
        created_at: Time(file.created_at),
        imported_at: Time(*real),
        expires_at: Time(*expires_at),
        schema_name: file.schema.clone(),
        contents,
    }
}

fn snapshot_of(command: &ImportSnapshotCommand) -> ImportedSnapshot {
    let ImportSnapshotCommand { client, id, file, real, expires_at, .. } = command;
    ImportedSnapshot {
        id: *id,
        client: *client,
        name: file.name.clone(),
        created_at: file.created_at,
        imported_at: *real,
        expires_at: *expires_at,
    }
}

fn read(row: ImportedSummaryRow) -> Outcome<ImportedSnapshot> {
    Ok(ImportedSnapshot {
        id: SnapshotId(row.id.0),
        client: ClientId(row.client_id.0),
        name: row.name.map(Text::parse).transpose().map_err(|flaw| corrupt(flaw.message))?,
        created_at: row.created_at.0,
        imported_at: row.imported_at.0,
        expires_at: row.expires_at.0,
    })
}

pub(super) fn list(conn: &mut Conn, client: ClientId, page: PageRequest) -> Outcome<Page<ImportedSnapshot>> {
    let rows = imported_snapshots::table
        .filter(imported_snapshots::client_id.eq(Id(client.0)))
        .order(imported_snapshots::id)
        .limit(page.limit)
        .offset(page.offset)
        .select(ImportedSummaryRow::as_select())
        .load(conn)?;
    Ok(Page { count: count(conn, client)?, rows: rows.into_iter().map(read).collect::<Outcome<_>>()? })
}

/// Finds an imported snapshot of a client.
pub(super) fn find_imported(
    conn: &mut Conn,
    client: ClientId,
    snapshot: SnapshotId,
) -> Outcome<Option<SnapshotContents>> {
    let row = imported_snapshots::table
        .find((Id(client.0), Id(snapshot.0)))
        .select(ImportedRow::as_select())
        .get_result(conn)
        .optional()?;
    let Some(row) = row else { return Ok(None) };
    Ok(Some(SnapshotContents {
        account: None,
        contents: row.contents,
        created_at: row.created_at.0,
        name: row.name.map(Text::parse).transpose().map_err(|flaw| corrupt(flaw.message))?,
        schema: row.schema_name,
    }))
}

pub(super) fn delete(
    conn: &mut Conn,
    (client, snapshot): (ClientId, SnapshotId),
    claim: Option<&ClientClaim<()>>,
) -> Result<Written<()>, Stop<WriteError<Infallible>>> {
    under_kept_claim(conn, claim, |conn| {
        let known = imported_snapshots::table.find((Id(client.0), Id(snapshot.0)));
        match diesel::delete(known).execute(conn).map_err(Failure::from)? {
            0 => Err(WriteError::Absent.into()),
            _ => Ok(()),
        }
    })
}

/// Deletes expired imported snapshots, at most `max`, and returns their number.
pub(super) fn delete_expired(conn: &mut Conn, real_now: DateTime<Utc>, max: u32) -> Outcome<u64> {
    let expired = imported_snapshots::table
        .filter(imported_snapshots::expires_at.le(Time(real_now)))
        .order((imported_snapshots::expires_at, imported_snapshots::client_id, imported_snapshots::id))
        .limit(i64::from(max))
        .select((imported_snapshots::client_id, imported_snapshots::id))
        .load::<(Id, Id)>(conn)?;
    let mut deleted = 0;
    for key in expired {
        deleted += diesel::delete(imported_snapshots::table.find(key)).execute(conn)? as u64;
    }
    Ok(deleted)
}
