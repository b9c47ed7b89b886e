//! `florin cells list|add|close|move|drain`

mod drain;
mod moves;

use super::{Context, wait_for_cache_expiry};
use crate::cells::{self, OpenCell, Stores};
use crate::output::{self, Rows};
use crate::settings::{CellSetting, Settings, without_password};
use crate::usage::UsageError;
use crate::{secrets, wiring};
use anyhow::{Context as _, anyhow};
use florin_domain::access::Environment;
use florin_ports::{CellDirectory, CellMove, CellName, Readiness, Seeding, accepts_clients, clients_of_cells};
use florin_store_cells::{Cell, Cells};
use florin_store_contract::AnyStore;
use moves::Mover;
use secrecy::ExposeSecret;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Actions on cells.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Action {
    /// List all cells, the home first
    List,
    /// Prepare the database of a configured cell, and let the cell accept new clients
    Add {
        /// The name of a configured cell, or home
        #[arg(value_name = "NAME")]
        name: String,
        /// Prepare the cell, but do not let it accept new clients
        #[arg(long)]
        closed: bool,
        /// Prepare a new, empty database, into which you then import an export of the cell
        #[arg(long)]
        for_import: bool,
    },
    /// Stop a cell from accepting new clients; its clients stay
    Close {
        /// The name of the cell, or home
        #[arg(value_name = "NAME")]
        name: String,
    },
    /// Move a client to another cell; it gets 503 meanwhile. Repeat the command if it was interrupted
    Move {
        /// The id or name of the client; only its id, if its move was interrupted
        #[arg(value_name = "CLIENT")]
        client: String,
        /// The cell to move it to, or home
        #[arg(value_name = "CELL", required_unless_present = "abort")]
        cell: Option<String>,
        /// Undo a move that was interrupted before the client arrived
        #[arg(long, conflicts_with = "cell")]
        abort: bool,
    },
    /// Let a cell accept no new clients, and move its clients to other cells. Repeat the command if it was interrupted
    Drain {
        /// The name of the cell, or home
        #[arg(value_name = "CELL")]
        name: String,
        /// The cell to move them to [default: for each client, the cell with the fewest clients that accepts clients]
        #[arg(long, value_name = "CELL")]
        to: Option<String>,
    },
}

/// JSON representation of a cell.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    name: String,
    /// Its database, without a password; absent if it is not configured.
    #[serde(skip_serializing_if = "Option::is_none")]
    database: Option<String>,
    clients: u64,
    accepts_clients: bool,
    /// Number of its clients that are being moved to other cells.
    #[serde(skip_serializing_if = "is_zero")]
    moving: usize,
    ready: bool,
    /// The reason that it is not ready.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
    /// How its clients differ from those that the directory places there.
    #[serde(skip_serializing_if = "Option::is_none")]
    warning: Option<String>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// JSON result of a change.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Changed {
    name: String,
    accepts_clients: bool,
}

/// A home with its directory.
struct Home<'a> {
    settings: &'a Settings,
    store: &'a Arc<dyn AnyStore>,
    directory: Arc<dyn CellDirectory>,
    environment: Environment,
}

pub(super) async fn run(
    context: &Context,
    store: &Arc<dyn AnyStore>,
    environment: Environment,
    action: Action,
) -> anyhow::Result<()> {
    let settings = &context.settings;
    let directory = cells::directory_of(&settings.database_url, store.as_ref())?;
    let home = Home { settings, store, directory, environment };
    match action {
        Action::Move { client, cell, abort } => {
            let stores = Stores::of_command(settings, store).await?;
            let to = cell.as_deref().filter(|_| !abort);
            moves::run(context, &Mover::new(&stores)?, &client, to).await
        }
        Action::Drain { name, to } => {
            let stores = Stores::of_command(settings, store).await?;
            drain::run(context, &Mover::new(&stores)?, &name, to.as_deref()).await
        }
        Action::List => {
            let list = Rows { rows: home.rows().await? };
            output::print_json_or_text(context.json, &list, || as_text(&list.rows))
        }
        Action::Add { name, closed, for_import } => {
            let name = home.known(&name).await?;
            if name == CellName::home() {
                home.must_have_cells().await?;
            } else {
                home.add(&name, for_import).await?;
            }
            home.set_accepts_clients(context, name, !closed).await
        }
        Action::Close { name } => {
            let name = home.known(&name).await?;
            if name == CellName::home() {
                home.must_have_cells().await?;
            } else if !home.directory.listed().await?.contains_key(&name) {
                return Err(anyhow!("cell {name} was not added"));
            }
            home.set_accepts_clients(context, name, false).await
        }
    }
}

/// Deletes the text in which cells still keep the rows of clients that have arrived in other cells. Refuses work that
/// must reach all rows of all clients while a client is being moved.
pub(super) async fn must_be_settled(stores: &Stores) -> anyhow::Result<()> {
    let Some(directory) = &stores.directory else { return Ok(()) };
    Mover::new(stores)?.forget_departures().await?;
    stores.must_keep_no_departures()?;
    match directory.moves().await?.first() {
        None => Ok(()),
        Some(CellMove { client, to, .. }) => {
            let message = format!("client {client} is being moved to cell {to}; complete or undo that first");
            Err(UsageError::new(message).into())
        }
    }
}

impl Home<'_> {
    /// Parses the name of the home, of a configured cell or of a listed cell. Refuses other names.
    async fn known(&self, text: &str) -> anyhow::Result<CellName> {
        let listed = self.directory.listed().await?;
        let known = || self.settings.cells.iter().map(|cell| &cell.name).chain(listed.keys());
        let found = known().find(|name| name.as_str() == text).cloned();
        let home = CellName::home();
        let found = found.or_else(|| (text == home.as_str()).then_some(home));
        Ok(found.ok_or_else(|| cells::unknown(text, known()))?)
    }

    /// Refuses to list the home alone: a home without other cells needs no router.
    async fn must_have_cells(&self) -> anyhow::Result<()> {
        let home = CellName::home();
        if self.directory.listed().await?.keys().any(|name| *name != home) {
            return Ok(());
        }
        Err(UsageError::new("there is no cell besides the home; add one with `florin cells add`").into())
    }

    /// Makes the database of a cell ready: up to date, bound to the environment and the secret key of the home and to
    /// the name of the cell, and with the bank list of the home.
    async fn add(&self, name: &CellName, for_import: bool) -> anyhow::Result<()> {
        let setting = self.settings.cells.iter().find(|cell| cell.name == *name);
        let setting = setting.ok_or_else(|| {
            UsageError::new(format!("cell {name} is not configured; give its database, as in FLORIN_CELLS={name}=URL"))
        })?;
        // Bind the home first. A setting with the URL of the home is then refused, as that of another cell.
        cells::bind_home(self.settings, self.directory.as_ref()).await?;
        let has_clients = self.directory.clients().await?.get(name).is_some_and(|clients| *clients > 0);
        // A missing file of a cell in use is not replaced by an empty one.
        let cell = cells::open(setting, for_import || !has_clients)?;
        let of_cell = cells::directory_of(&setting.url, cell.store.as_ref())?;
        if cells::bound_name(setting, cell.store.as_ref()).await?.is_none() {
            if has_clients && !for_import {
                let message = "the cell has clients, but this database is not the one that it had; restore it from a \
                               backup, or give --for-import to import an export of the cell next";
                return Err(UsageError::new(format!("{}: {message}", setting.url.source)).into());
            }
            refuse_clients(setting, cell.store.as_ref()).await?;
        }
        self.prepare(setting, &cell).await?;
        let bound = of_cell.bind_cell(name.clone()).await?;
        if bound != *name {
            return Err(anyhow!("{}: the database became cell {bound} at the same time", setting.url.source));
        }
        // An import needs an empty database, and brings the bank list.
        if !for_import {
            cell.store.replace_banks(cells::banks(self.store.as_ref()).await?).await?;
        }
        Ok(())
    }

    /// Migrates a cell, and binds it to the environment and the secret key of the home.
    async fn prepare(&self, setting: &CellSetting, cell: &OpenCell) -> anyhow::Result<()> {
        let source = &setting.url.source;
        if self.environment == Environment::Sandbox && !cell.store.serves_sandbox() {
            return Err(UsageError::new(format!("{source}: this kind of database supports production only")).into());
        }
        if let Some(bound) = cell.store.environment().await? {
            cells::must_have_environment_of_home(setting, bound, self.environment)?;
        }
        wiring::bring_up_to_date(cell.store.as_ref()).await.with_context(|| source.clone())?;
        cells::must_have_environment_of_home(setting, cell.store.bind(self.environment).await?, self.environment)?;
        let others = vec![Cell { name: cell.name.clone(), store: cell.store.clone() }];
        let both = Cells::new(Arc::clone(&self.directory), self.store.clone(), others, BTreeMap::new());
        secrets::open(self.settings, self.environment, &both).await.with_context(|| source.clone())?;
        Ok(())
    }

    /// Lists a cell, or changes whether it accepts clients.
    async fn set_accepts_clients(
        &self,
        context: &Context,
        name: CellName,
        accepts_clients: bool,
    ) -> anyhow::Result<()> {
        self.directory.list(name.clone(), accepts_clients).await?;
        let state = if accepts_clients { "accepts new clients" } else { "accepts no new clients" };
        context.record_result(format!("cell {name} {state}"));
        wait_for_cache_expiry().await;
        let changed = Changed { name: name.to_string(), accepts_clients };
        output::print_json_or_text(context.json, &changed, || format!("Cell {name} {state}."))
    }

    /// The home, and every cell that is configured, is listed or has clients.
    async fn rows(&self) -> anyhow::Result<Vec<Row>> {
        let listed = self.directory.listed().await?;
        let clients = clients_of_cells(self.directory.as_ref(), &**self.store).await?;
        let clients_of = |name: &CellName| clients.get(name).copied().unwrap_or_default();
        let moves = self.directory.moves().await?;
        let moving = |name: &CellName| moves.iter().filter(|begun| begun.from == *name).count();
        let home = CellName::home();
        let mut rows = vec![Row {
            name: home.to_string(),
            database: Some(without_password(self.settings.database_url.value.expose_secret())),
            clients: clients_of(&home),
            accepts_clients: accepts_clients(&listed, &home),
            moving: moving(&home),
            ready: true,
            problem: None,
            warning: cells::difference(&home, self.store.as_ref(), self.directory.as_ref()).await?,
        }];
        let configured = self.settings.cells.iter().map(|cell| (&cell.name, Some(cell)));
        let mut names: BTreeMap<_, _> = listed.keys().chain(clients.keys()).map(|name| (name, None)).collect();
        names.extend(configured);
        for (name, setting) in names.into_iter().filter(|(name, _)| **name != home) {
            let found = match setting {
                None => Err(anyhow!("not configured")),
                Some(_) if !listed.contains_key(name) => Err(anyhow!("not added")),
                Some(setting) => self.warning(setting).await,
            };
            let problem = found.as_ref().err().map(|error| format!("{error:#}"));
            rows.push(Row {
                name: name.to_string(),
                database: setting.map(|setting| without_password(setting.url.value.expose_secret())),
                clients: clients_of(name),
                accepts_clients: accepts_clients(&listed, name),
                moving: moving(name),
                ready: problem.is_none(),
                problem,
                warning: found.ok().flatten(),
            });
        }
        Ok(rows)
    }

    /// Returns the differences between the clients of a cell and the directory. An error says why the cell can't be
    /// used.
    async fn warning(&self, setting: &CellSetting) -> anyhow::Result<Option<String>> {
        let cell = cells::open_usable(setting, Some(self.environment)).await?;
        wiring::must_be_current(cell.store.as_ref()).await?;
        Ok(cells::difference(&setting.name, cell.store.as_ref(), self.directory.as_ref()).await?)
    }
}

/// Refuses a database that has clients or accounts of its own, before it is changed: the directory does not know them.
async fn refuse_clients(setting: &CellSetting, store: &dyn AnyStore) -> anyhow::Result<()> {
    match (Seeding::is_fresh(store).await, store.readiness().await?) {
        // A new database has no tables yet.
        (Ok(true), _) | (Err(_), Readiness::MigrationsPending) => Ok(()),
        (Ok(false), _) => {
            let message = "this database has clients of its own; a cell needs a new database";
            Err(UsageError::new(format!("{}: {message}", setting.url.source)).into())
        }
        (Err(error), _) => Err(error.into()),
    }
}

fn state(row: &Row) -> String {
    let state = row.problem.clone().unwrap_or_else(|| "ready".to_owned());
    let moving = (row.moving > 0).then(|| format!("{} being moved away", row.moving));
    let parts: Vec<_> = [state].into_iter().chain(moving).chain(row.warning.clone()).collect();
    parts.join("; ")
}

fn as_text(rows: &[Row]) -> String {
    let cells = |row: &Row| {
        [
            row.name.clone(),
            row.database.clone().unwrap_or_else(|| "-".to_owned()),
            row.clients.to_string(),
            output::yes_no(row.accepts_clients).to_owned(),
            state(row),
        ]
    };
    let heads = ["NAME", "DATABASE", "CLIENTS", "ACCEPTS CLIENTS", "STATE"];
    output::table(heads, &rows.iter().map(cells).collect::<Vec<_>>())
}
