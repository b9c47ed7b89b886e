//! The database of a cell: how it is opened, and which cell and environment it is bound to.

use crate::lock::ServerLock;
use crate::secrets;
use crate::settings::{CellSetting, Sourced};
use crate::usage::UsageError;
use crate::wiring;
use anyhow::anyhow;
use florin_domain::access::Environment;
use florin_ports::{CellDirectory, CellName};
use florin_secret_cipher::KeyRing;
use florin_store_contract::{AnyStore, OpenError, StoreSettings};
use secrecy::{ExposeSecret, SecretString};
use std::sync::Arc;

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

/// Opens a cell for a server, and locks it if it is a file.
pub(super) async fn open_for_server(
    setting: &CellSetting,
    environment: Environment,
    keys: &KeyRing,
) -> anyhow::Result<(OpenCell, Option<ServerLock>)> {
    let cell = open_usable(setting, Some(environment)).await?;
    let lock = wiring::lock(&setting.url)?;
    let applied = wiring::bring_up_to_date(cell.store.as_ref()).await?;
    if applied > 0 {
        tracing::info!(cell = %cell.name, applied, "applied migrations");
    }
    secrets::open_cell(cell.store.as_ref(), keys, &setting.url.source).await?;
    // If the check finds damage, the store refuses everything from then on.
    let (name, store) = (cell.name.clone(), Arc::clone(&cell.store));
    tokio::spawn(async move {
        if let Err(error) = store.check_structure().await {
            tracing::error!(cell = %name, %error, "the store is damaged or cannot be checked; \
                restore it from a backup");
        }
    });
    Ok((cell, lock))
}

/// Opens a cell, and checks that its database is bound to its name and to the environment of the home.
pub(crate) async fn open_usable(setting: &CellSetting, environment: Option<Environment>) -> anyhow::Result<OpenCell> {
    let cell = open(setting, false)?;
    let name = &setting.name;
    if bound_name(setting, cell.store.as_ref()).await?.is_none() {
        return Err(anyhow!(
            "its database is not bound to a cell; if it is the right one, run `florin cells add {name}`"
        ));
    }
    let bound = cell.store.environment().await?;
    if let (Some(bound), Some(environment)) = (bound, environment) {
        must_have_environment_of_home(setting, bound, environment)?;
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

/// The directory of the store of a cell. Refuses a kind of store that has no directory.
pub(crate) fn directory_of(
    url: &Sourced<SecretString>,
    store: &dyn AnyStore,
) -> Result<Arc<dyn CellDirectory>, UsageError> {
    let none = || UsageError::new(format!("{}: this kind of database can't be used with cells", url.source));
    store.directory().ok_or_else(none)
}

/// The name of the cell that a database is bound to. `None`: it is not bound. Refuses a database that is bound to
/// another cell than the configured one.
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
pub(crate) fn must_have_environment_of_home(
    setting: &CellSetting,
    bound: Environment,
    home: Environment,
) -> Result<(), UsageError> {
    if bound == home {
        return Ok(());
    }
    let [bound, home] = [bound, home].map(Environment::as_str);
    Err(UsageError::new(format!(
        "{}: this is a {bound} database, but the home is a {home} database",
        setting.url.source
    )))
}
