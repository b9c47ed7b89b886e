//! Snapshots of worlds as files. A file only names its snapshot, and the rows stay in the store: data in memory has no
//! format outside of the process.

use crate::MemoryStore;
use crate::account_rows;
use crate::data::{Data, StoredImport};
use crate::pages::paginate;
use crate::webhooks::once_for_client;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use florin_domain::ids::{AccountId, ClientId, SnapshotId};
use florin_domain::page::{Page, PageRequest};
use florin_domain::world::{ImportRefusal, ImportSituation, ImportedSnapshot, SnapshotFile, SnapshotImport};
use florin_ports::{ClientClaim, ImportSnapshotCommand, SnapshotFiles, StoreError, WriteError, Written};
use std::convert::Infallible;

/// The schema of data in memory. It never changes, because the data does not outlive the process.
const SCHEMA: &str = "memory";

#[async_trait]
impl SnapshotFiles for MemoryStore {
    async fn snapshot_file(
        &self,
        account: &AccountId,
        snapshot: SnapshotId,
    ) -> Result<Option<SnapshotFile>, StoreError> {
        self.change(|data| {
            let Some((snapshot, timeline, rows)) = data.snapshots.get(&(account.clone(), snapshot)).cloned() else {
                return Ok(None);
            };
            let contents = format!("{account} {}\n", snapshot.id.0);
            let file = SnapshotFile {
                schema: SCHEMA.into(),
                account: account.clone(),
                name: snapshot.name.clone(),
                created_at: snapshot.created_at,
                contents: contents.clone(),
            };
            let mut rows = rows;
            account_rows::strip_for_file(&mut rows);
            data.exported.insert(contents, (timeline, rows));
            Ok(Some(file))
        })
    }

    async fn import_snapshot(
        &self,
        command: ImportSnapshotCommand,
    ) -> Result<Written<SnapshotImport>, WriteError<ImportRefusal>> {
        self.decide(|data| once_for_client(data, command.claim.as_ref(), |data| import(data, &command)))
    }

    async fn imported_snapshots(
        &self,
        client: ClientId,
        page: PageRequest,
    ) -> Result<Page<ImportedSnapshot>, StoreError> {
        let own = self.read(|data| {
            let own = data.imported.iter().filter(|((owner, _), _)| *owner == client);
            own.map(|(_, stored)| stored.snapshot.clone()).collect()
        });
        Ok(paginate(own, page))
    }

    async fn delete_imported_snapshot(
        &self,
        client: ClientId,
        snapshot: SnapshotId,
        claim: Option<ClientClaim<()>>,
    ) -> Result<Written<()>, WriteError<Infallible>> {
        self.decide(|data| {
            once_for_client(data, claim.as_ref(), |data| {
                data.imported.remove(&(client, snapshot)).map(|_| ()).ok_or(WriteError::Absent)
            })
        })
    }

    async fn delete_expired_imports(&self, real: DateTime<Utc>, max: u32) -> Result<u64, StoreError> {
        self.change(|data| {
            let expired = data.imported.iter().filter(|(_, stored)| stored.snapshot.expires_at <= real);
            let mut expired: Vec<_> = expired.map(|(key, stored)| (stored.snapshot.expires_at, *key)).collect();
            expired.sort();
            expired.truncate(usize::try_from(max).unwrap_or(usize::MAX));
            for (_, key) in &expired {
                data.imported.remove(key);
            }
            Ok(expired.len() as u64)
        })
    }
}

fn import(data: &mut Data, command: &ImportSnapshotCommand) -> Result<SnapshotImport, WriteError<ImportRefusal>> {
    let key = (command.client, command.id);
    let imported = data.imported.keys().filter(|(client, _)| *client == command.client).count();
    let situation = ImportSituation {
        imported: i64::try_from(imported).unwrap_or(i64::MAX),
        is_repeated: data.imported.contains_key(&key),
        outdated: command.file.schema != SCHEMA,
    };
    (command.decide)(&situation).map_err(WriteError::Refused)?;
    let unknown = || WriteError::Refused(ImportRefusal::Invalid("names no snapshot of this store".into()));
    let (timeline, rows) = data.exported.get(&command.file.contents).cloned().ok_or_else(unknown)?;
    let snapshot = ImportedSnapshot {
        id: command.id,
        client: command.client,
        name: command.file.name.clone(),
        created_at: command.file.created_at,
        imported_at: command.real,
        expires_at: command.expires_at,
    };
    data.imported.insert(key, StoredImport { snapshot: snapshot.clone(), timeline, rows });
    Ok(SnapshotImport { snapshot, is_repeated: situation.is_repeated })
}
