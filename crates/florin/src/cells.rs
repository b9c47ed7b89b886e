//! The stores of this process: the home, and the cells beside it.
//!
//! `florin cells add` makes the database of a configured cell a cell: it binds the database to the name of the cell, and
//! lists the cell in the directory of the home. A home that lists no cell is used as it is, without a router.

use crate::lock::ServerLock;
use crate::secrets;
use crate::settings::{CellSetting, Settings, Sourced};
use crate::suggest;
use crate::usage::UsageError;
use crate::wiring;
use anyhow::{Context as _, anyhow};
use florin_domain::access::Environment;
use florin_domain::ids::ClientId;
use florin_domain::merchant::Bank;
use florin_domain::page::PageRequest;
use florin_ports::{Banks, CellDirectory, CellKey, CellName, CompleteStorage, StoreError};
use florin_secret_cipher::KeyRing;
use florin_store_cells::{Cell, Cells};
use florin_store_contract::{AnyStore, OpenError, StoreSettings};
use secrecy::{ExposeSecret, SecretString};
use std::collections::BTreeMap;
use std::iter::once;
use std::sync::{Arc, LazyLock};
use std::thread;

/// The name of the home.
static HOME: LazyLock<CellName> = LazyLock::new(CellName::home);
/// Why a listed cell that is not configured is not open.
const NOT_CONFIGURED: &str = "it is not configured";
/// The end of the name of the migration that creates the directory.
const DIRECTORY_MIGRATION: &str = "_cell_entries";

/// The open store of a cell beside the home. It is closed on drop.
pub(crate) struct OpenCell {
    /// The name of the cell.
    pub(crate) name: CellName,
    /// The store.
    pub(crate) store: Arc<dyn AnyStore>,
}

impl Drop for OpenCell {
    fn drop(&mut self) {
        self.store.close();
    }
}

/// The stores of this process.
pub(crate) struct Stores {
    /// The home.
    pub(crate) home: Arc<dyn AnyStore>,
    /// The open cells beside the home.
    pub(crate) cells: Vec<OpenCell>,
    /// The directory. `None`: the home lists no cells.
    pub(crate) directory: Option<Arc<dyn CellDirectory>>,
    /// All of them as one store. Without cells, this is the home itself.
    pub(crate) all: Arc<dyn CompleteStorage>,
    /// The listed cells that are not configured.
    unconfigured: Vec<CellName>,
    /// The rights of a server to the cells that are files.
    _locks: Vec<ServerLock>,
}

impl Stores {
    /// Opens the cells for a server, applies their pending migrations, and checks that the keys of the home decrypt their
    /// secrets. A cell that can't be used is logged, and what concerns its clients fails; other clients don't notice. Wrong
    /// settings are refused: swapped URLs, a wrong key, and a database that another server uses or that belongs to another
    /// environment.
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
            match serve(setting, environment, keys).await {
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
        Ok(Self { _locks: locks, ..Self::over(home, cells, (failed, unconfigured), directory) })
    }

    /// Opens the cells for a command. Each one that is configured and listed must be usable and up to date.
    pub(crate) async fn of_command(settings: &Settings, home: &Arc<dyn AnyStore>) -> anyhow::Result<Self> {
        let Some((directory, listed)) = listed(settings, home.as_ref()).await? else {
            return Ok(Self::without_cells(home));
        };
        let environment = home.environment().await?;
        let mut cells = Vec::new();
        for setting in settings.cells.iter().filter(|setting| listed.contains_key(&setting.name)) {
            let advice = || {
                format!(
                    "cell {} can't be used; leave it out of FLORIN_CELLS to work on single clients of the others",
                    setting.name
                )
            };
            let cell = usable(setting, environment).await.with_context(advice)?;
            wiring::must_be_current(cell.store.as_ref()).await.with_context(advice)?;
            cells.push(cell);
        }
        Ok(Self::over(home, cells, (BTreeMap::new(), unconfigured(settings, &listed)), directory))
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

    fn over(
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

    /// Refuses work that would leave out a client that has left its cell and has not arrived in another one.
    pub(crate) fn must_be_settled(&self) -> anyhow::Result<()> {
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

    /// Gives every cell a copy of the bank list of the home.
    pub(crate) async fn share_banks(&self) -> Result<(), StoreError> {
        for cell in &self.cells {
            cell.store.replace_banks(banks(self.home.as_ref()).await?).await?;
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

    /// The cell of a client; `None` without cells.
    pub(crate) async fn cell_of(&self, client: ClientId) -> anyhow::Result<Option<CellName>> {
        let Some(directory) = &self.directory else { return Ok(None) };
        let found = directory.find(&CellKey::Client(client)).await?;
        Ok(Some(found.map_or_else(CellName::home, |entry| entry.cell)))
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

/// The error for the name of a cell that is not used here.
pub(crate) fn unknown<'a>(name: &str, known: impl Iterator<Item = &'a CellName>) -> UsageError {
    let known: Vec<_> = [HOME.as_str()].into_iter().chain(known.map(CellName::as_str)).collect();
    UsageError::new(format!("{name} is no cell here; {}", suggest::or_list(name, "cells", &known)))
}

/// Refuses to use the database of a cell as a home: its clients are known to another home only.
pub(crate) async fn refuse_as_home(settings: &Settings, store: &dyn AnyStore) -> anyhow::Result<()> {
    let Some(directory) = store.directory() else { return Ok(()) };
    match directory.bound_cell().await? {
        Some(name) if name != *HOME => Err(not_a_home(settings, &name).into()),
        _ => Ok(()),
    }
}

fn not_a_home(settings: &Settings, bound: &CellName) -> UsageError {
    let source = &settings.database_url.source;
    UsageError::new(format!("{source}: this is the database of cell {bound}; give it in FLORIN_CELLS, with its home"))
}

/// The directory of the home and the cells that it lists; `None` if it lists none. Warns of configured cells that were
/// never added.
async fn listed(
    settings: &Settings,
    home: &dyn AnyStore,
) -> anyhow::Result<Option<(Arc<dyn CellDirectory>, BTreeMap<CellName, bool>)>> {
    let Some(directory) = home.directory() else { return Ok(None) };
    let listed = directory.listed().await?;
    for CellSetting { name, .. } in settings.cells.iter().filter(|setting| !listed.contains_key(&setting.name)) {
        tracing::warn!(cell = %name, "a cell is configured but not used; run `florin cells add {name}`");
    }
    if listed.is_empty() {
        return Ok(None);
    }
    // A home that was imported is not bound yet.
    bind_home(settings, directory.as_ref()).await?;
    Ok(Some((directory, listed)))
}

/// Binds the home to its name, so that it can't be used as a cell.
pub(crate) async fn bind_home(settings: &Settings, directory: &dyn CellDirectory) -> anyhow::Result<()> {
    let bound = directory.bind_cell(CellName::home()).await?;
    if bound == *HOME { Ok(()) } else { Err(not_a_home(settings, &bound).into()) }
}

/// The bank list of the home. Every cell has a copy.
pub(crate) async fn banks(home: &dyn AnyStore) -> Result<Vec<Bank>, StoreError> {
    let mut banks = Vec::new();
    loop {
        let offset = i64::try_from(banks.len()).unwrap_or(i64::MAX);
        let page = PageRequest { limit: PageRequest::MAX_LIMIT, offset };
        let mut rows = Banks::list(home, page).await?.rows;
        if rows.is_empty() {
            return Ok(banks);
        }
        banks.append(&mut rows);
    }
}

/// The listed cells that are not configured.
fn unconfigured(settings: &Settings, listed: &BTreeMap<CellName, bool>) -> Vec<CellName> {
    let is_configured = |name: &CellName| *name == *HOME || settings.cells.iter().any(|setting| setting.name == *name);
    listed.keys().filter(|name| !is_configured(name)).cloned().collect()
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
        cells.push(usable(setting, environment).await.with_context(|| format!("cell {name} can't be migrated"))?);
    }
    Ok(cells)
}

/// Opens a cell for a server, and locks it if it is a file.
async fn serve(
    setting: &CellSetting,
    environment: Environment,
    keys: &KeyRing,
) -> anyhow::Result<(OpenCell, Option<ServerLock>)> {
    let cell = usable(setting, Some(environment)).await?;
    let lock = wiring::lock(&setting.url)?;
    let applied = wiring::bring_up_to_date(cell.store.as_ref()).await?;
    if applied > 0 {
        tracing::info!(cell = %cell.name, applied, "applied migrations");
    }
    secrets::open_cell(cell.store.as_ref(), keys, &setting.url.source).await?;
    // If it finds damage, the store refuses everything from then on.
    let (name, store) = (cell.name.clone(), Arc::clone(&cell.store));
    tokio::spawn(async move {
        if let Err(error) = store.check_structure().await {
            tracing::error!(cell = %name, %error, "the store is damaged or cannot be checked; restore it from a backup");
        }
    });
    Ok((cell, lock))
}

/// Opens a cell, and checks that its database is bound to its name and to the environment of the home.
pub(crate) async fn usable(setting: &CellSetting, environment: Option<Environment>) -> anyhow::Result<OpenCell> {
    let cell = open(setting, false)?;
    let name = &setting.name;
    if bound_name(setting, cell.store.as_ref()).await?.is_none() {
        return Err(anyhow!(
            "its database is not bound to a cell; if it is the right one, run `florin cells add {name}`"
        ));
    }
    let bound = cell.store.environment().await?;
    if let (Some(bound), Some(environment)) = (bound, environment) {
        must_be(setting, bound, environment)?;
    }
    Ok(cell)
}

/// Opens the store of a cell, whatever its schema version. An invalid URL is a [`UsageError`].
pub(crate) fn open(setting: &CellSetting, create: bool) -> anyhow::Result<OpenCell> {
    let CellSetting { name, url: Sourced { value, source } } = setting;
    let at = StoreSettings { create, ..StoreSettings::at(value.expose_secret()) };
    let store = florin_store_contract::open(&wiring::ADAPTERS, &at).map_err(|error| match error {
        OpenError::UnknownScheme { .. }
        | OpenError::NotBuilt(_)
        | OpenError::WrongAdapter
        | OpenError::InvalidUrl(_) => anyhow::Error::new(UsageError::new(format!("{source}: {error}"))),
        OpenError::NoDatabase(file) => anyhow!("{source}: the database {} does not exist", file.display()),
        other => anyhow!("{source}: {other}"),
    })?;
    Ok(OpenCell { name: name.clone(), store })
}

/// The directory of the store of a cell. Refuses a kind of store that keeps none.
pub(crate) fn directory_of(
    url: &Sourced<SecretString>,
    store: &dyn AnyStore,
) -> Result<Arc<dyn CellDirectory>, UsageError> {
    let none = || UsageError::new(format!("{}: this kind of database can't be used with cells", url.source));
    store.directory().ok_or_else(none)
}

/// The cell that the database of a cell is bound to. Refuses any other than the configured one.
pub(crate) async fn bound_name(setting: &CellSetting, store: &dyn AnyStore) -> anyhow::Result<Option<CellName>> {
    let bound = directory_of(&setting.url, store)?.bound_cell().await?;
    match bound {
        Some(other) if other != setting.name => {
            let source = &setting.url.source;
            let message = format!("{source}: this is the database of cell {other}; are two URLs swapped?");
            Err(UsageError::new(message).into())
        }
        bound => Ok(bound),
    }
}

/// Refuses the database of a cell that is bound to another environment than the home.
pub(crate) fn must_be(setting: &CellSetting, bound: Environment, home: Environment) -> Result<(), UsageError> {
    if bound == home {
        return Ok(());
    }
    let [bound, home] = [bound, home].map(Environment::as_str);
    Err(UsageError::new(format!(
        "{}: this is a {bound} database, but the home is a {home} database",
        setting.url.source
    )))
}

/// Chooses the cell of a client that does not exist yet: an entry in the directory decides before the client is created.
pub(crate) async fn choose(stores: &Stores, client: ClientId, cell: &str) -> anyhow::Result<()> {
    let name = CellName::parse(cell).map_err(|flaw| UsageError::new(format!("--cell {cell:?}: {}", flaw.message)))?;
    stores.named(cell)?;
    let Some(directory) = &stores.directory else {
        // Without cells, the home is the only one.
        return Ok(());
    };
    let listed = directory.listed().await?;
    if !listed.get(&name).copied().unwrap_or(name == *HOME) {
        let message = format!("--cell: cell {name} accepts no new clients; `florin cells add {name}` changes that");
        return Err(UsageError::new(message).into());
    }
    directory.add(CellKey::Client(client), name, None).await?;
    Ok(())
}
