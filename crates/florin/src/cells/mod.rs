//! The stores of this process: the home, and the cells beside it.
//!
//! `florin cells add` makes the database of a configured cell a cell: it binds the database to the name of the cell,
//! and lists the cell in the directory of the home. A home that lists no cell is used as it is, without a router.

mod database;
mod home;
mod placement;

pub(crate) use database::{OpenCell, bound_name, directory_of, must_have_environment_of_home, open, open_usable};
pub(crate) use home::{banks, bind_home, refuse_as_home};
pub(crate) use placement::difference;

use crate::lock::ServerLock;
use crate::settings::Settings;
use crate::suggest;
use crate::usage::UsageError;
use crate::wiring;
use anyhow::{Context as _, anyhow};
use database::open_for_server;
use florin_domain::access::Environment;
use florin_domain::ids::ClientId;
use florin_ports::{CellDirectory, CellKey, CellName, CompleteStorage, StoreError, accepts_clients};
use florin_secret_cipher::KeyRing;
use florin_store_cells::{Cell, Cells};
use florin_store_contract::AnyStore;
use home::{HOME, listed, unconfigured};
use placement::cells_by_client;
use std::collections::BTreeMap;
use std::iter::once;
use std::sync::Arc;
use std::thread;

/// The reason that a listed cell is not open if it is not configured.
const NOT_CONFIGURED: &str = "it is not configured";
/// The end of the name of the migration that creates the directory.
const DIRECTORY_MIGRATION: &str = "_cell_entries";

/// The stores of this process.
pub(crate) struct Stores {
    /// The home.
    pub(crate) home: Arc<dyn AnyStore>,
    /// The open cells beside the home.
    pub(crate) cells: Vec<OpenCell>,
    /// The directory. `None`: the home lists no cells.
    pub(crate) directory: Option<Arc<dyn CellDirectory>>,
    /// The home and the cells as one store. Without cells, this is the home itself.
    pub(crate) all: Arc<dyn CompleteStorage>,
    /// The listed cells that are not configured.
    unconfigured: Vec<CellName>,
    /// The rights of a server to the cells that are files.
    _locks: Vec<ServerLock>,
}

impl Stores {
    /// Opens the cells for a server, applies their pending migrations, and checks that the keys of the home decrypt
    /// their secrets. A cell that can't be used is logged; requests of its clients fail, and other clients don't
    /// notice. Wrong settings are refused: swapped URLs, a wrong key, and a database that another server uses or that
    /// belongs to another environment.
    pub(crate) async fn of_server(
        settings: &Settings,
        home: &Arc<dyn AnyStore>,
        environment: Environment,
        keys: &KeyRing,
    ) -> anyhow::Result<Self> {
        let Some((directory, listed)) = listed(settings, home.as_ref()).await? else {
            return Ok(Self::without_cells(home));
        };
        let (mut cells, mut locks, mut failed) = (Vec::new(), Vec::new(), BTreeMap::new());
        for setting in settings.cells.iter().filter(|setting| listed.contains_key(&setting.name)) {
            let name = &setting.name;
            match open_for_server(setting, environment, keys).await {
                Ok((cell, lock)) => {
                    cells.push(cell);
                    locks.extend(lock);
                }
                Err(error) if error.is::<UsageError>() => return Err(error),
                Err(error) => {
                    let reason = format!("{error:#}");
                    tracing::error!(cell = %name, %reason, "a cell can't be used; its clients get 503 until a restart");
                    failed.insert(name.clone(), reason);
                }
            }
        }
        let unconfigured = unconfigured(settings, &listed);
        for name in &unconfigured {
            tracing::error!(cell = %name, "a cell is not configured; its clients get 503; set FLORIN_CELLS");
        }
        let stores = Self { _locks: locks, ..Self::with_cells(home, cells, (failed, unconfigured), directory) };
        stores.warn_of_differences().await;
        Ok(stores)
    }

    /// Opens the cells for a command. Each one that is configured and listed must be usable and up to date.
    pub(crate) async fn of_command(settings: &Settings, home: &Arc<dyn AnyStore>) -> anyhow::Result<Self> {
        let Some((directory, listed)) = listed(settings, home.as_ref()).await? else {
            return Ok(Self::without_cells(home));
        };
        let environment = home.environment().await?;
        let mut cells = Vec::new();
        for setting in settings.cells.iter().filter(|setting| listed.contains_key(&setting.name)) {
            let hint = || {
                format!(
                    "cell {} can't be used; leave it out of FLORIN_CELLS to work on single clients of the others",
                    setting.name
                )
            };
            let cell = open_usable(setting, environment).await.with_context(hint)?;
            wiring::must_be_current(cell.store.as_ref()).await.with_context(hint)?;
            cells.push(cell);
        }
        Ok(Self::with_cells(home, cells, (BTreeMap::new(), unconfigured(settings, &listed)), directory))
    }

    fn without_cells(home: &Arc<dyn AnyStore>) -> Self {
        Self {
            home: Arc::clone(home),
            cells: Vec::new(),
            directory: None,
            all: home.clone(),
            unconfigured: Vec::new(),
            _locks: Vec::new(),
        }
    }

    fn with_cells(
        home: &Arc<dyn AnyStore>,
        cells: Vec<OpenCell>,
        (mut unopened, unconfigured): (BTreeMap<CellName, String>, Vec<CellName>),
        directory: Arc<dyn CellDirectory>,
    ) -> Self {
        unopened.extend(unconfigured.iter().map(|name| (name.clone(), NOT_CONFIGURED.to_owned())));
        let others = cells.iter().map(|cell| Cell { name: cell.name.clone(), store: cell.store.clone() });
        let all = Arc::new(Cells::new(Arc::clone(&directory), home.clone(), others.collect(), unopened));
        Self { home: Arc::clone(home), cells, directory: Some(directory), all, unconfigured, _locks: Vec::new() }
    }

    /// Refuses work on all cells if a listed one is not configured: its data would be left out.
    pub(crate) fn must_be_complete(&self) -> Result<(), UsageError> {
        match self.unconfigured.first() {
            None => Ok(()),
            Some(name) => Err(UsageError::new(format!(
                "cell {name} is not configured, so its data would be left out; give it in FLORIN_CELLS"
            ))),
        }
    }

    /// Refuses work that would leave out the rows of a client that has left its cell: until the client has arrived in
    /// another cell, the old cell keeps them as text.
    pub(crate) fn must_keep_no_departures(&self) -> anyhow::Result<()> {
        for (_, store) in self.each() {
            let Some(moving) = store.moving() else { continue };
            if let Some(client) = moving.departed()?.first() {
                let message = format!(
                    "the move of client {client} to another cell is not complete; repeat `florin cells move` first"
                );
                return Err(UsageError::new(message).into());
            }
        }
        Ok(())
    }

    /// Warns of cells whose clients differ from those that the directory places there.
    pub(crate) async fn warn_of_differences(&self) {
        let Some(directory) = &self.directory else { return };
        for (name, store) in self.each() {
            let Some(name) = name else { continue };
            match difference(name, store.as_ref(), directory.as_ref()).await {
                Ok(None) => {}
                Ok(Some(difference)) => tracing::warn!(
                    cell = %name, %difference,
                    "the clients of a cell differ from the directory; was a database restored from before a move?"
                ),
                Err(error) => tracing::warn!(cell = %name, %error, "cannot compare the clients with the directory"),
            }
        }
    }

    /// Gives every cell a copy of the bank list of the home.
    pub(crate) async fn share_banks(&self) -> Result<(), StoreError> {
        let banks = banks(self.home.as_ref()).await?;
        for cell in &self.cells {
            cell.store.replace_banks(banks.clone()).await?;
        }
        Ok(())
    }

    /// Closes the home and all cells at the same time, because each completes its queued writes first. Blocks.
    pub(crate) fn close(&self) {
        thread::scope(|scope| {
            for (_, store) in self.each() {
                let close = move || store.close();
                if thread::Builder::new().spawn_scoped(scope, close).is_err() {
                    close();
                }
            }
        });
    }

    /// The stores with their names, the home first. Without cells, the home has no name.
    pub(crate) fn each(&self) -> impl Iterator<Item = (Option<&CellName>, &Arc<dyn AnyStore>)> {
        let home = self.directory.as_ref().map(|_| &*HOME);
        once((home, &self.home)).chain(self.cells.iter().map(|cell| (Some(&cell.name), &cell.store)))
    }

    /// The cell of each client; `None` without cells.
    pub(crate) async fn cells_of(&self, clients: &[ClientId]) -> Result<Vec<Option<CellName>>, StoreError> {
        let Some(directory) = &self.directory else { return Ok(vec![None; clients.len()]) };
        let cells = cells_by_client(directory.as_ref(), clients).await?;
        Ok(clients.iter().map(|client| Some(cells.get(client).cloned().unwrap_or_else(CellName::home))).collect())
    }

    /// The store of the cell with this name.
    pub(crate) fn named(&self, name: &str) -> anyhow::Result<&Arc<dyn AnyStore>> {
        if name == HOME.as_str() {
            return Ok(&self.home);
        }
        let found = self.cells.iter().find(|cell| cell.name.as_str() == name);
        Ok(&found.ok_or_else(|| unknown(name, self.cells.iter().map(|cell| &cell.name)))?.store)
    }
}

/// The error for the name of a cell that this process does not use.
pub(crate) fn unknown<'a>(name: &str, known: impl Iterator<Item = &'a CellName>) -> UsageError {
    let known: Vec<_> = [HOME.as_str()].into_iter().chain(known.map(CellName::as_str)).collect();
    UsageError::new(format!("unknown cell `{name}`; {}", suggest::or_list(name, "cells", &known)))
}

/// Opens the listed cells for a migration, whatever the version of the schema of the home and of the cells. Warns of
/// listed cells that are not configured.
pub(crate) async fn for_migration(settings: &Settings, home: &dyn AnyStore) -> anyhow::Result<Vec<OpenCell>> {
    let Some(directory) = home.directory() else { return Ok(Vec::new()) };
    // A home that was imported may not be bound yet, but it lists its cells.
    if home.pending()?.iter().any(|name| name.ends_with(DIRECTORY_MIGRATION)) {
        return Ok(Vec::new());
    }
    let (listed, environment) = (directory.listed().await?, home.environment().await?);
    for name in unconfigured(settings, &listed) {
        tracing::warn!(cell = %name, "a cell is not configured, so it is left out; give it in FLORIN_CELLS");
    }
    let mut cells = Vec::new();
    for setting in settings.cells.iter().filter(|setting| listed.contains_key(&setting.name)) {
        let name = &setting.name;
        cells.push(open_usable(setting, environment).await.with_context(|| format!("cell {name} can't be migrated"))?);
    }
    Ok(cells)
}

/// Refuses pending migrations while the home or a cell keeps the rows of a client that has left: they are text, which
/// would keep the old schema. Cells that can't be opened are left out, because they do not stop the start of a server.
pub(crate) fn refuse_departures(settings: &Settings, home: &dyn AnyStore) -> anyhow::Result<()> {
    if home.pending()?.is_empty() {
        return Ok(());
    }
    // The home is migrated last. If only its own migration was refused, the cells would have the new schema already.
    refuse_departed(&HOME, home)?;
    for cell in settings.cells.iter().filter_map(|setting| open(setting, false).ok()) {
        refuse_departed(&cell.name, cell.store.as_ref())?;
    }
    Ok(())
}

fn refuse_departed(name: &CellName, store: &dyn AnyStore) -> anyhow::Result<()> {
    let departed = store.moving().and_then(|moving| moving.departed().ok());
    match departed.iter().flatten().next() {
        None => Ok(()),
        Some(client) => Err(anyhow!(
            "cell {name}: the move of client {client} to another cell is not complete; before the migration, repeat \
             `florin cells move` with the version of Florin that began it"
        )),
    }
}

/// Chooses the cell of a client that does not exist yet, by an entry in the directory.
pub(crate) async fn choose(stores: &Stores, client: ClientId, cell: &str) -> anyhow::Result<()> {
    let name = CellName::parse(cell).map_err(|flaw| UsageError::new(format!("--cell {cell:?}: {}", flaw.message)))?;
    stores.named(cell)?;
    let Some(directory) = &stores.directory else {
        // Without cells, the home is the only one.
        return Ok(());
    };
    let listed = directory.listed().await?;
    if !accepts_clients(&listed, &name) {
        let message = format!("--cell: cell {name} accepts no new clients; `florin cells add {name}` changes that");
        return Err(UsageError::new(message).into());
    }
    directory.add(CellKey::Client(client), name, None).await?;
    Ok(())
}
