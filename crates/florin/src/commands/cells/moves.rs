//! `florin cells move CLIENT CELL`. `docs/adr/0024-moving-a-client.md` explains the steps.
//!
//! When a client leaves its cell, that cell deletes the rows of the client from their tables, and keeps them as text.
//! It keeps the text until the client has arrived in the other cell or is put back.

use crate::cells::Stores;
use crate::commands::{Context, lookup, wait_for_cache_expiry};
use crate::machine::RandomIds;
use crate::output;
use crate::usage::UsageError;
use anyhow::{Context as _, anyhow};
use florin_domain::ids::{ClientId, MoveId};
use florin_ports::{CellDirectory, CellKey, CellMove, CellName, IdSource, KeyOfWorld, StoreError, accepts_clients};
use florin_store_contract::{AnyStore, Departure, MoveClients, MoveError};
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
    pub(super) stores: &'s Stores,
    pub(super) directory: Arc<dyn CellDirectory>,
}

/// A cell that a client leaves or reaches.
struct Side {
    store: Arc<dyn AnyStore>,
    moving: Arc<dyn MoveClients>,
}

pub(super) async fn run(context: &Context, mover: &Mover<'_>, client: &str, to: Option<&str>) -> anyhow::Result<()> {
    let client = mover.client(client).await?;
    mover.forget_departures().await?;
    let end = match to {
        Some(to) => mover.move_client(client, &mover.cell(to)?).await?,
        None => mover.undo(client).await?,
    };
    context.record_result(format!("client {client} is in cell {}", end.to));
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

    /// The open cells that clients can leave and reach.
    fn cells(&self) -> impl Iterator<Item = (&CellName, Arc<dyn MoveClients>)> {
        self.stores.each().filter_map(|(name, store)| Some((name?, store.moving()?)))
    }

    /// The cell that the directory names for a client.
    pub(super) async fn cell_of(&self, client: ClientId) -> Result<CellName, StoreError> {
        let entry = self.directory.find(&CellKey::Client(client)).await?;
        Ok(entry.map_or_else(CellName::home, |entry| entry.cell))
    }

    /// The move that is in progress for a client.
    async fn begun(&self, client: ClientId) -> Result<Option<CellMove>, StoreError> {
        Ok(self.directory.find(&CellKey::Client(client)).await?.and_then(|entry| entry.moving))
    }

    /// Moves a client to a cell, or completes its move.
    pub(super) async fn move_client(&self, client: ClientId, to: &CellName) -> anyhow::Result<Moved> {
        let begun = match self.begin(client, to).await? {
            Begun::Move(begun) => begun,
            Begun::Repaired(moved) => return Ok(moved),
        };
        let (source, target) = (self.side(&begun.from)?, self.side(&begun.to)?);
        let repeat = || format!("client {client} gets 503 until you repeat the command, or undo the move with --abort");
        let left = source.moving.departure(client)?.filter(|left| left.is_of(&begun));
        let departed = match left {
            Some(left) if left.recalled && !target.moving.has_arrived(client)? => {
                return Err(anyhow!("the move of client {client} is being undone; complete that with --abort"));
            }
            Some(left) => Ok(left),
            None => match self.elsewhere(&begun, &source)? {
                Some((cell, keys)) => {
                    self.end(&begun, keys, &cell).await?;
                    return Ok(moved(&begun, &cell, 0));
                }
                None => self.depart(&begun, &source).await,
            },
        };
        let arrived = match departed {
            // Worlds and keys that were created since the last mark have left, too, and must be marked like the others.
            Ok(departure) => match self.directory.begin_move(begun.clone(), departure.keys()).await {
                Ok(_) => arrive(&begun, &source, &target, &departure).await.map(|()| departure),
                Err(error) => Err(error.into()),
            },
            Err(error) => Err(error),
        };
        match arrived {
            Ok(departure) => {
                self.end(&begun, departure.keys(), &begun.to).await?;
                while source.moving.forget(&begun)? {}
                Ok(moved(&begun, &begun.to, departure.total()))
            }
            // The rows may be stored, or another command works on this move or on a later move of the client.
            Err(error) if error.is_transient() || matches!(error, MoveError::Ended) => {
                Err(anyhow::Error::new(error)).with_context(repeat)
            }
            Err(error) => {
                self.put_back(&begun, &source, &target).await.with_context(repeat)?;
                Err(error).with_context(|| format!("client {client} stays in cell {}", begun.from))
            }
        }
    }

    /// Marks a client as moving, unless it is already.
    async fn begin(&self, client: ClientId, to: &CellName) -> anyhow::Result<Begun> {
        if let Some(begun) = self.begun(client).await? {
            must_move_to(&begun, to)?;
            return Ok(Begun::Move(begun));
        }
        let from = self.cell_of(client).await?;
        let (source, target) = (self.side(&from)?, self.side(to)?);
        let requested = CellMove { id: MoveId(RandomIds.next_id()), client, from: from.clone(), to: to.clone() };
        let Some(keys) = source.moving.keys_of(client)? else {
            return self.resume(requested, &source, &target).await;
        };
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
        Ok(Begun::Move(self.mark(requested, keys).await?))
    }

    /// Marks a client as moving, and returns the move that is in progress.
    async fn mark(&self, requested: CellMove, keys: Vec<KeyOfWorld>) -> anyhow::Result<CellMove> {
        let client = requested.client;
        let begun = self.directory.begin_move(requested.clone(), keys).await?;
        let begun = begun.ok_or_else(|| anyhow!("client {client} was moved at the same time"))?;
        must_move_to(&begun, &requested.to)?;
        Ok(begun)
    }

    /// Continues the move of a client that is not marked, and that the cell in its entry does not have: the directory
    /// was restored from a backup. Either another cell has the client, or the cell in the entry keeps its rows as text.
    async fn resume(&self, requested: CellMove, source: &Side, target: &Side) -> anyhow::Result<Begun> {
        let (client, from) = (requested.client, requested.from.clone());
        let left = source.moving.departure(client)?;
        // The text was read first. So if a cell has the client now, the text is not needed.
        match (self.holder(client)?, left) {
            (Some(cell), _) if cell == requested.to && cell != from => {}
            (Some(cell), _) => {
                let message = format!(
                    "client {client} is in cell {cell}, but the directory places it in {from}; first run \
                     `florin cells move {client} {cell}`"
                );
                return Err(UsageError::new(message).into());
            }
            (None, Some(left)) => {
                let damaged = || anyhow!("the move of client {client} can't be read");
                let begun = left.begun(client, &from).ok_or_else(damaged)?;
                must_move_to(&begun, &requested.to)?;
                return Ok(Begun::Move(self.mark(begun, left.keys()).await?));
            }
            (None, None) => return Err(anyhow!("client {client} does not exist; see `florin clients list`")),
        }
        let begun = self.mark(requested.clone(), Vec::new()).await?;
        if begun != requested {
            return Ok(Begun::Move(begun));
        }
        // Under the mark, nobody else begins a move of the client.
        let is_in_source = source.moving.keys_of(client)?.is_some();
        let Some(keys) = target.moving.keys_of(client)?.filter(|_| !is_in_source) else {
            self.end(&begun, Vec::new(), &begun.from).await?;
            return Err(anyhow!("client {client} was moved at the same time"));
        };
        self.end(&begun, keys, &begun.to).await?;
        Ok(Begun::Repaired(moved(&begun, &begun.to, 0)))
    }

    /// The open cell that has a client.
    fn holder(&self, client: ClientId) -> Result<Option<CellName>, StoreError> {
        for (name, moving) in self.cells() {
            if moving.keys_of(client)?.is_some() {
                return Ok(Some(name.clone()));
            }
        }
        Ok(None)
    }

    /// If the source of a move neither has the marked client nor keeps its text, returns the cell that has the client,
    /// and the keys of the client. This happens if the directory was restored from a backup that was made during the
    /// move. `None`: the source has the client or the text, or no open cell has the client.
    fn elsewhere(&self, begun: &CellMove, source: &Side) -> anyhow::Result<Option<(CellName, Vec<KeyOfWorld>)>> {
        let client = begun.client;
        // If the client leaves or returns between these two reads, the text or the cell that has the client is found.
        if source.moving.keys_of(client)?.is_some() || source.moving.departure(client)?.is_some() {
            return Ok(None);
        }
        let Some(cell) = self.holder(client)? else { return Ok(None) };
        let keys = self.side(&cell)?.moving.keys_of(client)?;
        Ok(keys.map(|keys| (cell, keys)))
    }

    /// Ends a move: the entries of the client name this cell, and lose the mark. Fails if another command has already
    /// ended it in another cell.
    async fn end(&self, begun: &CellMove, keys: Vec<KeyOfWorld>, cell: &CellName) -> anyhow::Result<()> {
        let client = begun.client;
        if self.directory.end_move(begun.clone(), keys, cell.clone()).await? {
            return Ok(());
        }
        // Another command may have completed the same move.
        if self.begun(client).await?.is_none() && self.cell_of(client).await? == *cell {
            return Ok(());
        }
        Err(anyhow!("another command has ended or undone this move of client {client}; see `florin clients list`"))
    }

    /// Whether a cell accepts clients.
    async fn accepts(&self, cell: &CellName) -> Result<bool, StoreError> {
        Ok(accepts_clients(&self.directory.listed().await?, cell))
    }

    /// Lets a marked client leave its cell, once no instance sends calls for the client to the cell any more.
    async fn depart(&self, begun: &CellMove, source: &Side) -> Result<Departure, MoveError> {
        let client = begun.client;
        // Accounts and keys that were created since the mark are marked, too.
        let keys = source.moving.keys_of(client)?.ok_or(MoveError::Ended)?;
        if self.directory.begin_move(begun.clone(), keys).await?.as_ref() != Some(begun) {
            return Err(MoveError::Ended);
        }
        // Otherwise, a stopped command could use the text of an earlier move, and let the client arrive by that move
        // after it has left by this one.
        self.forget_others(begun)?;
        // A cached entry lives this long, and so does a call that does not read the entry again.
        wait_for_cache_expiry().await;
        wait_for_cache_expiry().await;
        let mut attempts = 1;
        loop {
            for _ in 0..PORTIONS {
                if source.store.fan_out().await? {
                    break;
                }
                actix_web::rt::time::sleep(PAUSE).await;
            }
            if self.begun(client).await?.as_ref() != Some(begun) {
                return Err(MoveError::Ended);
            }
            match source.moving.depart(begun) {
                // Others changed the client's rows meanwhile, or the deliveries of new events are not queued yet.
                Err(MoveError::Store(StoreError::Unavailable(_))) if attempts < ATTEMPTS => attempts += 1,
                left => return left?.ok_or(MoveError::Ended),
            }
        }
    }

    /// Undoes a move that was interrupted before the client arrived.
    async fn undo(&self, client: ClientId) -> anyhow::Result<Moved> {
        let Some(begun) = self.begun(client).await? else { return Err(self.not_begun(client)?.into()) };
        let (source, target) = (self.side(&begun.from)?, self.side(&begun.to)?);
        self.forget_others(&begun)?;
        let rows = self.put_back(&begun, &source, &target).await?;
        Ok(moved(&begun, &begun.from, rows))
    }

    /// The refusal to undo a move that the directory does not know.
    fn not_begun(&self, client: ClientId) -> Result<UsageError, StoreError> {
        for (name, moving) in self.cells() {
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
        source.moving.recall(begun)?;
        if target.moving.has_arrived(client)? {
            let message =
                format!("client {client} has arrived in cell {0}; run `florin cells move {client} {0}`", begun.to);
            return Err(anyhow!(message));
        }
        let departure = source.moving.departure(client)?.filter(|left| left.is_of(begun));
        source.moving.put_back(begun)?;
        let keys = departure.as_ref().map(Departure::keys).unwrap_or_default();
        self.end(begun, keys, &begun.from).await?;
        Ok(departure.map_or(0, |departure| departure.total()))
    }

    /// Deletes the text of earlier moves of a client that has not left its cell by this move.
    fn forget_others(&self, begun: &CellMove) -> Result<(), StoreError> {
        let mut others = Vec::new();
        for (name, moving) in self.cells() {
            let left = moving.departure(begun.client)?.and_then(|left| left.begun(begun.client, name));
            others.extend(left.filter(|left| left.id != begun.id).map(|left| (moving, left)));
        }
        // If a cell has the client after the text was found, the client has arrived or was put back, so the text is
        // not needed.
        if others.is_empty() || self.holder(begun.client)?.is_none() {
            return Ok(());
        }
        for (moving, left) in others {
            while moving.forget(&left)? {}
        }
        Ok(())
    }

    /// Deletes the text of clients that have arrived. Interrupted commands leave such text.
    pub(super) async fn forget_departures(&self) -> anyhow::Result<()> {
        for (name, moving) in self.cells() {
            for client in moving.departed()? {
                let left = match moving.departure(client) {
                    Err(StoreError::Corrupt(reason)) => {
                        tracing::warn!(%client, cell = %name, %reason, "the kept rows of a client can't be read");
                        continue;
                    }
                    left => left?.and_then(|left| left.begun(client, name)),
                };
                let cell = self.cell_of(client).await?;
                if self.begun(client).await?.is_some() {
                    continue;
                }
                let (Some(left), Ok(holder)) = (left, self.side(&cell)) else { continue };
                // The text was read before, so the client has arrived by this move or was put back.
                if holder.moving.has_arrived(client)? {
                    while moving.forget(&left)? {}
                } else {
                    tracing::warn!(%client, cell = %name, "the rows of a client are kept: no cell has the client");
                }
            }
        }
        Ok(())
    }
}

/// The result of the beginning of a move.
enum Begun {
    /// The client is marked with this move.
    Move(CellMove),
    /// The client was already in the target, and the directory now names that cell.
    Repaired(Moved),
}

/// Refuses to continue if the move in progress leads to another cell.
fn must_move_to(begun: &CellMove, to: &CellName) -> Result<(), UsageError> {
    if begun.to == *to {
        return Ok(());
    }
    Err(UsageError::new(format!(
        "client {} is being moved to cell {}; complete that first, or undo it with --abort",
        begun.client, begun.to
    )))
}

/// Lets a client that has left its cell arrive in the target. Tries again while the target is busy.
async fn arrive(begun: &CellMove, source: &Side, target: &Side, departure: &Departure) -> Result<(), MoveError> {
    let mut attempts = 1;
    loop {
        match target.moving.arrive(begun, source.moving.as_ref()) {
            // The departure was recalled after the client had arrived.
            Err(_) if departure.recalled => return Ok(()),
            Err(error) if error.is_transient() && attempts < ATTEMPTS => attempts += 1,
            done => return done,
        }
        actix_web::rt::time::sleep(PAUSE).await;
    }
}

fn moved(begun: &CellMove, to: &CellName, rows: u64) -> Moved {
    Moved { client: begun.client.to_string(), from: begun.from.to_string(), to: to.to_string(), rows }
}
