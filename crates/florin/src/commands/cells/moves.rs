//! `florin cells move CLIENT CELL`. `docs/adr/0024-moving-a-client.md` explains the steps.

use crate::cells::Stores;
use crate::commands::{Context, caches_expired, lookup};
use crate::output;
use crate::usage::UsageError;
use anyhow::{Context as _, anyhow};
use florin_domain::ids::ClientId;
use florin_ports::{CellDirectory, CellMove, CellName, StoreError, accepts_clients};
use florin_store_contract::{AnyStore, Departure, MoveClients};
use serde::Serialize;
use std::sync::Arc;
use std::time::Duration;

/// Maximum number of attempts to queue the deliveries of a client and to let it leave.
const ATTEMPTS: u32 = 20;
/// Maximum number of portions of deliveries that one attempt queues.
const PORTIONS: u32 = 1_000;
/// Pause while another process queues deliveries.
const PAUSE: Duration = Duration::from_millis(20);

/// JSON result of a move.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Moved {
    client: String,
    from: String,
    to: String,
    rows: u64,
}

/// Moves clients between the cells of a home.
pub(super) struct Mover<'s> {
    stores: &'s Stores,
    pub(super) directory: Arc<dyn CellDirectory>,
}

/// A cell that a client leaves or reaches.
struct Side {
    store: Arc<dyn AnyStore>,
    moving: Arc<dyn MoveClients>,
}

pub(super) async fn run(
    context: &Context,
    home: &Arc<dyn AnyStore>,
    client: &str,
    to: Option<&str>,
) -> anyhow::Result<()> {
    let stores = Stores::of_command(&context.settings, home).await?;
    let mover = Mover::new(&stores)?;
    let client = mover.client(client).await?;
    mover.forget_departures().await?;
    let end = match to {
        Some(to) => mover.carry(client, &mover.cell(to)?).await?,
        None => mover.undo(client).await?,
    };
    context.note(format!("client {client} is in cell {}", end.to));
    output::print_json_or_text(context.json, &end, || {
        format!("Client {client} is in cell {} ({} rows moved).", end.to, end.rows)
    })
}

impl<'s> Mover<'s> {
    pub(super) fn new(stores: &'s Stores) -> Result<Self, UsageError> {
        let none = || UsageError::new("there is no cell besides the home; add one with `florin cells add`");
        Ok(Self { stores, directory: Arc::clone(stores.directory.as_ref().ok_or_else(none)?) })
    }

    /// The client with this id or name. While a client is being moved, only its id finds it.
    async fn client(&self, text: &str) -> anyhow::Result<ClientId> {
        match ClientId::parse(text) {
            Ok(id) => Ok(id),
            Err(_) => lookup::client(self.stores.all.as_ref(), "CLIENT", text).await,
        }
    }

    /// The open cell with this name.
    pub(super) fn cell(&self, name: &str) -> anyhow::Result<CellName> {
        self.stores.named(name)?;
        CellName::parse(name).map_err(|flaw| UsageError::new(flaw.message).into())
    }

    fn side(&self, name: &CellName) -> anyhow::Result<Side> {
        let store = Arc::clone(self.stores.named(name.as_str())?);
        let none = || UsageError::new(format!("cell {name}: this kind of database can't move clients"));
        let moving = store.moving().ok_or_else(none)?;
        Ok(Side { store, moving })
    }

    /// The cell that the directory names for a client.
    async fn cell_of(&self, client: ClientId) -> Result<CellName, StoreError> {
        Ok(self.stores.cells_of(&[client]).await?.pop().flatten().unwrap_or_else(CellName::home))
    }

    /// The move of a client that is in progress.
    async fn begun(&self, client: ClientId) -> Result<Option<CellMove>, StoreError> {
        Ok(self.directory.moves().await?.into_iter().find(|begun| begun.client == client))
    }

    /// Moves a client to a cell, or completes its move.
    pub(super) async fn carry(&self, client: ClientId, to: &CellName) -> anyhow::Result<Moved> {
        let begun = self.begin(client, to).await?;
        let (source, target) = (self.side(&begun.from)?, self.side(&begun.to)?);
        let repeat = || format!("client {client} gets 503 until you repeat the command, or undo the move with --abort");
        let departure = match source.moving.departure(client)? {
            Some(left) if left.recalled && !target.moving.has_arrived(client)? => {
                return Err(anyhow!("the move of client {client} is being undone; complete that with --abort"));
            }
            Some(left) => left,
            None => self.depart(&begun, &source).await.with_context(repeat)?,
        };
        match target.moving.arrive(client, source.moving.as_ref()) {
            Ok(()) => {}
            // It was recalled too late.
            Err(_) if departure.recalled => {}
            Err(error) if error.is_passing() => return Err(error).with_context(repeat),
            Err(error) => {
                self.put_back(&begun, &source, &target).await.with_context(repeat)?;
                return Err(error).with_context(|| format!("client {client} stays in cell {}", begun.from));
            }
        }
        self.settle(&begun, &departure).await?;
        while source.moving.forget(client)? {}
        Ok(moved(&begun, &begun.to, departure.total()))
    }

    /// Marks a client as moving, unless it is already.
    async fn begin(&self, client: ClientId, to: &CellName) -> anyhow::Result<CellMove> {
        if let Some(begun) = self.begun(client).await? {
            if begun.to == *to {
                return Ok(begun);
            }
            let message = format!(
                "client {client} is being moved to cell {}; complete that first, or undo it with --abort",
                begun.to
            );
            return Err(UsageError::new(message).into());
        }
        let from = self.cell_of(client).await?;
        let (source, target) = (self.side(&from)?, self.side(to)?);
        // A client can have left without a mark if another command undid the move too early.
        let left = || Ok::<_, StoreError>(source.moving.departure(client)?.map(|left| left.keys()));
        let keys = source.moving.keys_of(client)?.map_or_else(left, |keys| Ok(Some(keys)))?;
        let keys = keys.ok_or_else(|| anyhow!("client {client} does not exist; see `florin clients list`"))?;
        if from == *to {
            return Err(UsageError::new(format!("client {client} is in cell {to} already")).into());
        }
        if !self.accepts(to).await? {
            let message = format!("cell {to} accepts no clients; `florin cells add {to}` changes that");
            return Err(UsageError::new(message).into());
        }
        let bound = [source.store.secret_key().await?, target.store.secret_key().await?];
        let [one, other] = bound.map(|key| key.map(|key| key.id));
        if one != other {
            return Err(anyhow!("cells {from} and {to} have different secret keys; run `florin secrets rotate` first"));
        }
        let begun = self.directory.begin_move(CellMove { client, from, to: to.clone() }, keys).await?;
        begun.ok_or_else(|| anyhow!("client {client} was moved at the same time"))
    }

    /// Lets the entries of a client that has arrived name its new cell.
    async fn settle(&self, begun: &CellMove, departure: &Departure) -> Result<(), StoreError> {
        let (client, keys) = (begun.client, departure.keys());
        if !self.directory.end_move(client, keys.clone(), begun.to.clone()).await? {
            // Another command has ended the move, or has undone it too early: before the client left.
            self.directory.begin_move(begun.clone(), keys.clone()).await?;
            self.directory.end_move(client, keys, begun.to.clone()).await?;
        }
        Ok(())
    }

    /// Whether a cell accepts clients.
    pub(super) async fn accepts(&self, cell: &CellName) -> Result<bool, StoreError> {
        Ok(accepts_clients(&self.directory.listed().await?, cell))
    }

    /// Lets a marked client leave its cell, once no instance sends it calls any more.
    async fn depart(&self, begun: &CellMove, source: &Side) -> anyhow::Result<Departure> {
        let client = begun.client;
        let absent = || anyhow!("client {client} has left cell {}: another command is moving it", begun.from);
        // Accounts and keys that were created since the mark are marked, too.
        let keys = source.moving.keys_of(client)?.ok_or_else(absent)?;
        self.directory.begin_move(begun.clone(), keys).await?;
        // A cached entry lives this long, and so does a call that does not look at the entry again.
        caches_expired().await;
        caches_expired().await;
        let mut attempts = 1;
        loop {
            for _ in 0..PORTIONS {
                if source.store.fan_out().await? {
                    break;
                }
                actix_web::rt::time::sleep(PAUSE).await;
            }
            if self.begun(client).await?.as_ref() != Some(begun) {
                return Err(anyhow!("another command has undone the move of client {client}"));
            }
            match source.moving.depart(client) {
                // Others changed its rows meanwhile, or new events have deliveries.
                Err(StoreError::Unavailable(_)) if attempts < ATTEMPTS => attempts += 1,
                Err(StoreError::NotFound(cause)) => {
                    return Err(anyhow!("a row of another client refers to client {client}: {cause}"));
                }
                left => return left?.ok_or_else(absent),
            }
        }
    }

    /// Undoes a move that was interrupted before the client arrived.
    async fn undo(&self, client: ClientId) -> anyhow::Result<Moved> {
        let Some(begun) = self.begun(client).await? else { return Err(self.not_begun(client)?.into()) };
        let (source, target) = (self.side(&begun.from)?, self.side(&begun.to)?);
        let rows = self.put_back(&begun, &source, &target).await?;
        Ok(moved(&begun, &begun.from, rows))
    }

    /// The refusal to undo a move that the directory does not know.
    fn not_begun(&self, client: ClientId) -> Result<UsageError, StoreError> {
        for (name, store) in self.stores.each() {
            let (Some(name), Some(moving)) = (name, store.moving()) else { continue };
            if moving.departed()?.contains(&client) {
                let message = format!("client {client} has left cell {name}; run `florin cells move {client} CELL`");
                return Ok(UsageError::new(message));
            }
        }
        Ok(UsageError::new(format!("client {client} is not being moved")))
    }

    /// Returns a client to the cell that it has left, unless it has arrived. Returns the number of its rows.
    async fn put_back(&self, begun: &CellMove, source: &Side, target: &Side) -> anyhow::Result<u64> {
        let client = begun.client;
        source.moving.recall(client)?;
        if target.moving.has_arrived(client)? {
            let message =
                format!("client {client} has arrived in cell {0}; run `florin cells move {client} {0}`", begun.to);
            return Err(anyhow!(message));
        }
        let departure = source.moving.departure(client)?;
        source.moving.put_back(client)?;
        let keys = departure.as_ref().map(Departure::keys).unwrap_or_default();
        self.directory.end_move(client, keys, begun.from.clone()).await?;
        Ok(departure.map_or(0, |departure| departure.total()))
    }

    /// Deletes the text of clients that have arrived, which interrupted commands have left.
    pub(super) async fn forget_departures(&self) -> anyhow::Result<()> {
        for (name, store) in self.stores.each() {
            let (Some(name), Some(moving)) = (name, store.moving()) else { continue };
            for client in moving.departed()? {
                let cell = self.cell_of(client).await?;
                if cell == *name || self.begun(client).await?.is_some() {
                    continue;
                }
                let Ok(holder) = self.side(&cell) else { continue };
                if holder.moving.has_arrived(client)? {
                    while moving.forget(client)? {}
                } else {
                    tracing::warn!(%client, cell = %name, "the rows of a client that no cell has are kept");
                }
            }
        }
        Ok(())
    }
}

fn moved(begun: &CellMove, to: &CellName, rows: u64) -> Moved {
    Moved { client: begun.client.to_string(), from: begun.from.to_string(), to: to.to_string(), rows }
}
