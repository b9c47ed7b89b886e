//! The directory of cells.

use crate::MemoryStore;
use crate::data::Data;
use async_trait::async_trait;
use florin_domain::ids::AccountId;
use florin_ports::{CellDirectory, CellEntry, CellKey, CellMove, CellName, KeyOfWorld, StoreError};
use std::collections::BTreeMap;

/// Returns the entry of a key. If the key has no entry, adds one that names this cell.
fn entry_of<'d>(data: &'d mut Data, KeyOfWorld { key, world }: KeyOfWorld, cell: &CellName) -> &'d mut CellEntry {
    data.last_cell_revision += 1;
    let revision = data.last_cell_revision;
    let new = || CellEntry { key: key.clone(), cell: cell.clone(), world, revision, moving: None, last_move: None };
    data.cells.entry(key.stored()).or_insert_with(new)
}

/// Marks the entries of keys with a move, and adds missing entries in the cell that the client leaves. Entries in other
/// cells stay as they are.
fn mark(data: &mut Data, begun: &CellMove, keys: Vec<KeyOfWorld>) {
    for key in keys {
        let entry = entry_of(data, key, &begun.from);
        if entry.cell == begun.from {
            entry.moving = Some(begun.clone());
            entry.last_move = Some(begun.id);
        }
    }
}

#[async_trait]
impl CellDirectory for MemoryStore {
    async fn find(&self, key: &CellKey) -> Result<Option<CellEntry>, StoreError> {
        Ok(self.read(|data| data.cells.get(&key.stored()).cloned()))
    }

    async fn find_all(&self, keys: Vec<CellKey>) -> Result<Vec<CellEntry>, StoreError> {
        Ok(self.read(|data| keys.iter().filter_map(|key| data.cells.get(&key.stored()).cloned()).collect()))
    }

    async fn add(&self, key: CellKey, cell: CellName, world: Option<AccountId>) -> Result<CellEntry, StoreError> {
        self.change(|data| {
            data.last_cell_revision += 1;
            let revision = data.last_cell_revision;
            let new = CellEntry { key, cell, world, revision, moving: None, last_move: None };
            let entry = data.cells.entry(new.key.stored()).or_insert_with(|| new.clone());
            if entry.cell == new.cell {
                entry.revision = new.revision;
                entry.world = entry.world.take().filter(|_| new.world.is_some());
            }
            Ok(entry.clone())
        })
    }

    async fn of_world(&self, world: &AccountId) -> Result<Vec<CellEntry>, StoreError> {
        let of_world = |entry: &&CellEntry| entry.world.as_ref() == Some(world);
        Ok(self.read(|data| data.cells.values().filter(of_world).cloned().collect()))
    }

    async fn remove(&self, entry: &CellEntry) -> Result<bool, StoreError> {
        self.change(|data| {
            let key = entry.key.stored();
            let is_removable = |stored: &CellEntry| stored.revision == entry.revision && stored.moving.is_none();
            Ok(data.cells.get(&key).is_some_and(is_removable) && data.cells.remove(&key).is_some())
        })
    }

    async fn begin_move(&self, wanted: CellMove, keys: Vec<KeyOfWorld>) -> Result<Option<CellMove>, StoreError> {
        self.change(|data| {
            let client = KeyOfWorld { key: CellKey::Client(wanted.client), world: None };
            let own = entry_of(data, client, &wanted.from);
            if own.cell != wanted.from {
                return Ok(None);
            }
            let begun = own.moving.get_or_insert(wanted).clone();
            own.last_move = Some(begun.id);
            mark(data, &begun, keys);
            Ok(Some(begun))
        })
    }

    async fn end_move(&self, ended: CellMove, keys: Vec<KeyOfWorld>, cell: CellName) -> Result<bool, StoreError> {
        self.change(|data| {
            let own = data.cells.get(&CellKey::Client(ended.client).stored());
            let moving = own.and_then(|own| own.moving.clone()).filter(|moving| moving.id == ended.id);
            let Some(begun) = moving else { return Ok(false) };
            mark(data, &begun, keys);
            for entry in data.cells.values_mut().filter(|entry| entry.moving.as_ref() == Some(&begun)) {
                data.last_cell_revision += 1;
                entry.revision = data.last_cell_revision;
                entry.cell = cell.clone();
                entry.moving = None;
            }
            Ok(true)
        })
    }

    async fn moves(&self) -> Result<Vec<CellMove>, StoreError> {
        let is_client = |entry: &&CellEntry| matches!(entry.key, CellKey::Client(_));
        Ok(self.read(|data| data.cells.values().filter(is_client).filter_map(|entry| entry.moving.clone()).collect()))
    }

    async fn clients(&self) -> Result<BTreeMap<CellName, u64>, StoreError> {
        let mut clients = BTreeMap::new();
        self.read(|data| {
            for entry in data.cells.values().filter(|entry| matches!(entry.key, CellKey::Client(_))) {
                *clients.entry(entry.cell.clone()).or_default() += 1;
            }
        });
        Ok(clients)
    }

    async fn listed(&self) -> Result<BTreeMap<CellName, bool>, StoreError> {
        Ok(self.read(|data| data.listed_cells.clone()))
    }

    async fn list(&self, cell: CellName, accepts_clients: bool) -> Result<(), StoreError> {
        self.change(|data| {
            data.listed_cells.insert(cell, accepts_clients);
            Ok(())
        })
    }

    async fn bound_cell(&self) -> Result<Option<CellName>, StoreError> {
        Ok(self.read(|data| data.bound_cell.clone()))
    }

    async fn bind_cell(&self, cell: CellName) -> Result<CellName, StoreError> {
        self.change(|data| Ok(data.bound_cell.get_or_insert(cell).clone()))
    }
}
