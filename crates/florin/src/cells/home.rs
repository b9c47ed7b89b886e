//! The home: which database may be used as one, and which cells its directory lists.

use crate::settings::{CellSetting, Settings};
use crate::usage::UsageError;
use florin_domain::merchant::Bank;
use florin_domain::page::PageRequest;
use florin_ports::{Banks, CellDirectory, CellName, StoreError};
use florin_store_contract::AnyStore;
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

/// The name of the home.
pub(super) static HOME: LazyLock<CellName> = LazyLock::new(CellName::home);

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

/// The directory of the home, and the cells that it lists, each with whether it accepts new clients. `None`: it lists
/// no cell. Warns of configured cells that were never added.
pub(super) async fn listed(
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
pub(super) fn unconfigured(settings: &Settings, listed: &BTreeMap<CellName, bool>) -> Vec<CellName> {
    let is_configured = |name: &CellName| *name == *HOME || settings.cells.iter().any(|setting| setting.name == *name);
    listed.keys().filter(|name| !is_configured(name)).cloned().collect()
}
