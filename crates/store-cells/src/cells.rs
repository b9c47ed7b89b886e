//! The cells, and how the cell of a call is found.

use florin_domain::ids::{AccountId, ClientId, MoveId, WebhookId};
use florin_ports::{
    Accounts, Callers, CellDirectory, CellEntry, CellKey, CellName, CompleteStorage, StoreError, clients_of_cells,
    emptiest,
};
use florin_short_cache::{MAX_CACHE_AGE, ShortCache};
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::iter::once;
use std::ops::Deref;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::time::sleep;

/// Maximum number of cached entries of the directory. An entry occupies about 200 bytes.
const KNOWN_MAX: u64 = 50_000;
/// Maximum number of subscriptions whose cells are remembered.
const SUBSCRIPTIONS_MAX: usize = 100_000;

/// Time after which another cell takes over the entry of an account or a key whose object was not created.
const ABANDONED_AFTER: Duration = Duration::from_secs(1);

/// Any store.
pub(crate) type Store = Arc<dyn CompleteStorage>;

/// A store for some clients.
#[derive(Clone)]
pub struct Cell {
    /// Its name in the directory.
    pub name: CellName,
    /// The store.
    pub store: Arc<dyn CompleteStorage>,
}

impl fmt::Debug for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cell").field("name", &self.name).finish_non_exhaustive()
    }
}

/// The place of a key, from its entry. The revision changes when the client moves, and when the entry is added again.
#[derive(Clone)]
struct Place {
    cell: CellName,
    /// 0 if the directory has no entry.
    revision: i64,
    /// The last move of its client that the entry names.
    last_move: Option<MoveId>,
}

/// The cell that a call was routed to. A call that takes long must be confirmed: meanwhile, the client may have moved.
pub(crate) struct Route<'c> {
    cell: &'c Cell,
    key: CellKey,
    /// `None`: no cell has the key.
    place: Option<Place>,
    begun: Instant,
}

impl Route<'_> {
    /// Returns the revision of the entry; 0 if the directory has no entry.
    pub(crate) fn revision(&self) -> i64 {
        self.place.as_ref().map_or(0, |place| place.revision)
    }
}

impl Deref for Route<'_> {
    type Target = Cell;

    fn deref(&self) -> &Cell {
        self.cell
    }
}

/// A store that divides clients among cells.
pub struct Cells {
    directory: Arc<dyn CellDirectory>,
    home: Cell,
    others: Vec<Cell>,
    /// The cells that could not be opened, and why.
    unopened: BTreeMap<CellName, String>,
    /// Recent entries of the directory.
    known: ShortCache<CellKey, Place, StoreError>,
    /// The cells of subscriptions that were found, or had due deliveries. After a move, the remembered cell no longer
    /// has the subscription.
    subscriptions: Mutex<HashMap<WebhookId, CellName>>,
    /// Number of times that work was divided among the cells.
    turn: AtomicUsize,
}

impl Cells {
    /// Creates a store over a home and other cells. The home is [`CellName::home`]. No two cells have the same name,
    /// and `directory` is the same whenever a store is created over these cells. `unopened` are cells that could not be
    /// opened, and why: calls for their clients fail, like those for the clients of an open cell that fails.
    pub fn new(
        directory: Arc<dyn CellDirectory>,
        home: Arc<dyn CompleteStorage>,
        others: Vec<Cell>,
        unopened: BTreeMap<CellName, String>,
    ) -> Self {
        Self {
            directory,
            home: Cell { name: CellName::home(), store: home },
            others,
            unopened,
            known: ShortCache::new(KNOWN_MAX),
            subscriptions: Mutex::default(),
            turn: AtomicUsize::new(0),
        }
    }

    /// Returns the home.
    pub(crate) const fn home(&self) -> &Cell {
        &self.home
    }

    /// Returns the cells except the home.
    pub(crate) fn others(&self) -> &[Cell] {
        &self.others
    }

    /// Returns the failure of a cell that could not be opened, if there is one.
    pub(crate) fn unopened(&self) -> Option<StoreError> {
        self.unopened.iter().next().map(|(name, reason)| not_open(name, reason))
    }

    /// Returns all open cells, the home first.
    pub(crate) fn open_cells(&self) -> impl Iterator<Item = &Cell> {
        once(&self.home).chain(&self.others)
    }

    /// Returns all open cells, each time beginning with the next one.
    pub(crate) fn in_turn(&self) -> impl Iterator<Item = &Cell> {
        let first = self.turn.fetch_add(1, Ordering::Relaxed) % (1 + self.others.len());
        self.open_cells().skip(first).chain(self.open_cells().take(first))
    }

    /// Returns the cell of an account. If no cell has it, the home is returned, where it is absent.
    pub(crate) async fn account(&self, account: &AccountId) -> Result<Route<'_>, StoreError> {
        self.route(CellKey::Account(account.clone())).await
    }

    /// Returns the cell of a client. If no cell has it, the home is returned, where it is absent.
    pub(crate) async fn client(&self, client: ClientId) -> Result<Route<'_>, StoreError> {
        self.route(CellKey::Client(client)).await
    }

    async fn route(&self, key: CellKey) -> Result<Route<'_>, StoreError> {
        let begun = Instant::now();
        let place = self.known.get(&key, || self.place_of(&key)).await?;
        self.routed(key, place, begun)
    }

    /// Returns the cell of a key after reading the directory exactly once, so that the duration reveals nothing.
    pub(crate) async fn uncached(&self, key: CellKey) -> Result<Route<'_>, StoreError> {
        let begun = Instant::now();
        let entry = self.directory.find(&key).await?;
        let place = entry.map(place_of_entry).transpose()?;
        self.routed(key, place, begun)
    }

    fn routed(&self, key: CellKey, place: Option<Place>, begun: Instant) -> Result<Route<'_>, StoreError> {
        let cell = place.as_ref().map_or(Ok(&self.home), |place| self.open_cell(&place.cell))?;
        Ok(Route { cell, key, place, begun })
    }

    /// Checks after a call that its client has not moved. The entry of a route is less than [`MAX_CACHE_AGE`] old when
    /// the call begins, and a client departs only after twice that time, so only calls that took long are checked. If
    /// the directory can't be read, the outcome is unknown, even of a write that is committed: a retry resolves it.
    pub(crate) async fn confirm(&self, route: Route<'_>) -> Result<(), StoreError> {
        if route.begun.elapsed() < MAX_CACHE_AGE {
            return Ok(());
        }
        let Route { cell, key, place, .. } = route;
        let unknown = |reason: &str| StoreError::OutcomeUnknown(format!("{key:?} in cell {}: {reason}", cell.name));
        let entry = self.directory.find(&key).await.map_err(|error| unknown(&error.to_string()))?;
        let last_move = place.and_then(|place| place.last_move);
        // An undone move leaves the cell as it was, but not the last move. A move removes no entry.
        let has_moved = entry
            .is_some_and(|entry| entry.moving.is_some() || entry.cell != cell.name || entry.last_move != last_move);
        if has_moved { Err(unknown("its client has moved meanwhile")) } else { Ok(()) }
    }

    /// Returns the name of the cell of a key. An object without an entry is in the home, if it exists.
    pub(crate) async fn holder(&self, key: &CellKey) -> Result<Option<CellName>, StoreError> {
        Ok(self.place_of(key).await?.map(|place| place.cell))
    }

    async fn place_of(&self, key: &CellKey) -> Result<Option<Place>, StoreError> {
        if let Some(entry) = self.directory.find(key).await? {
            return place_of_entry(entry).map(Some);
        }
        let at_home = || Place { cell: CellName::home(), revision: 0, last_move: None };
        Ok(holds(&self.home, key).await?.then(at_home))
    }

    /// Fails if a client is being moved: an object that no cell has may belong to it.
    pub(crate) async fn fail_during_moves(&self) -> Result<(), StoreError> {
        match self.directory.moves().await?.first() {
            Some(begun) => Err(moving(&begun.to)),
            None => Ok(()),
        }
    }

    fn open_cell(&self, name: &CellName) -> Result<&Cell, StoreError> {
        self.open_cells().find(|cell| cell.name == *name).ok_or_else(|| match self.unopened.get(name) {
            Some(reason) => not_open(name, reason),
            None => StoreError::Unavailable(format!("cell {name} is not configured")),
        })
    }

    /// Reserves a key for a cell permanently, before its object is created there. `Duplicate`: another cell has the
    /// key. The entry of a deleted world becomes permanent, so that [`Self::remove_stale_entries`] does not remove it
    /// later.
    pub(crate) async fn reserve(&self, key: CellKey, cell: &Cell) -> Result<(), StoreError> {
        let holder = match self.other_holder(&key, cell).await? {
            Some(holder) => holder,
            None => self.enter(key.clone(), cell, None).await?,
        };
        if holder == cell.name { Ok(()) } else { Err(StoreError::Duplicate(format!("{key:?} in cell {holder}"))) }
    }

    /// Returns the other cell that has a key, if there is one. The entry of an abandoned reservation is removed: the
    /// command that added it has stopped, or its client has moved, before the object was created.
    pub(crate) async fn other_holder(&self, key: &CellKey, cell: &Cell) -> Result<Option<CellName>, StoreError> {
        let Some(entry) = self.directory.find(key).await? else {
            let is_elsewhere = cell.name != self.home.name && holds(&self.home, key).await?;
            return Ok(is_elsewhere.then(CellName::home));
        };
        let place = place_of_entry(entry.clone())?;
        if place.cell == cell.name || self.remove_abandoned(&entry).await? {
            return Ok(None);
        }
        Ok(Some(place.cell))
    }

    /// Removes an entry if its cell does not have the object, and still does not after [`ABANDONED_AFTER`]. Returns
    /// whether it was removed.
    async fn remove_abandoned(&self, entry: &CellEntry) -> Result<bool, StoreError> {
        // A cell that is not open may have the object.
        let Ok(holder) = self.open_cell(&entry.cell) else { return Ok(false) };
        if holds(holder, &entry.key).await? {
            return Ok(false);
        }
        // Another process may have reserved the key just now, to create the object immediately.
        sleep(ABANDONED_AFTER).await;
        if holds(holder, &entry.key).await? || !self.directory.remove(entry).await? {
            return Ok(false);
        }
        self.forget_entry(&entry.key);
        tracing::warn!(key = ?entry.key, cell = %entry.cell, "removed a reservation whose object was never created");
        Ok(true)
    }

    /// Checks that no other cell has taken over a key whose object was created in this cell. That happens only if more
    /// than [`ABANDONED_AFTER`] has passed between the reservation and the creation.
    pub(crate) async fn must_not_be_taken_over(&self, key: &CellKey, cell: &Cell) -> Result<(), StoreError> {
        let Ok(Some(CellEntry { cell: holder, .. })) = self.directory.find(key).await else { return Ok(()) };
        if holder == cell.name {
            return Ok(());
        }
        let what = format!("{key:?} was created in cell {}, but cell {holder} has taken it over", cell.name);
        Err(StoreError::OutcomeUnknown(what))
    }

    /// Adds an entry to the directory, and returns the cell of the stored entry. An entry that belongs to a world is
    /// added after its object was created, because [`Self::remove_stale_entries`] removes entries of worlds whose
    /// objects are absent. A permanent entry is added before its object.
    pub(crate) async fn enter(
        &self,
        key: CellKey,
        cell: &Cell,
        world: Option<AccountId>,
    ) -> Result<CellName, StoreError> {
        let entry = self.directory.add(key, cell.name.clone(), world).await?;
        self.forget_entry(&entry.key);
        Ok(entry.cell)
    }

    /// Returns the cell in which a new client is created. A client without an entry gets the cell with the fewest
    /// clients among those that accept clients.
    pub(crate) async fn cell_for_new_client(&self, client: ClientId) -> Result<&Cell, StoreError> {
        let key = CellKey::Client(client);
        if let Some(name) = self.holder(&key).await? {
            return self.open_cell(&name);
        }
        let listed = self.directory.listed().await?;
        let clients = clients_of_cells(self.directory.as_ref(), &*self.home.store).await?;
        let emptiest = emptiest(self.open_cells().map(|cell| &cell.name), &listed, &clients);
        let none = || StoreError::Unavailable("no cell accepts clients".to_owned());
        let name = self.enter(key, self.open_cell(emptiest.ok_or_else(none)?)?, None).await?;
        self.open_cell(&name)
    }

    /// Removes the entries of a world whose objects its cell no longer has. An entry that was added again since it was
    /// read stays, and so does an entry whose client is being moved: its objects may be on their way to another cell.
    pub(crate) async fn remove_stale_entries(&self, world: &AccountId) -> Result<(), StoreError> {
        let entries = self.directory.of_world(world).await?;
        for entry in entries.into_iter().filter(|entry| entry.moving.is_none()) {
            if !holds(self.open_cell(&entry.cell)?, &entry.key).await? {
                self.directory.remove(&entry).await?;
                self.forget_entry(&entry.key);
            }
        }
        Ok(())
    }

    /// Removes an entry of the directory from the cache.
    pub(crate) fn forget_entry(&self, key: &CellKey) {
        self.known.forget(key);
    }

    /// Returns the remembered cell of a subscription.
    pub(crate) fn cell_of_subscription(&self, webhook: WebhookId) -> Option<CellName> {
        self.subscriptions().get(&webhook).cloned()
    }

    /// Remembers the cell of subscriptions.
    pub(crate) fn remember_subscriptions(&self, webhooks: impl Iterator<Item = WebhookId>, cell: &CellName) {
        let mut known = self.subscriptions();
        if known.len() >= SUBSCRIPTIONS_MAX {
            known.clear();
        }
        known.extend(webhooks.map(|webhook| (webhook, cell.clone())));
    }

    fn subscriptions(&self) -> MutexGuard<'_, HashMap<WebhookId, CellName>> {
        self.subscriptions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the place of an entry. Fails while its client is being moved.
fn place_of_entry(entry: CellEntry) -> Result<Place, StoreError> {
    match entry.moving {
        Some(begun) => Err(moving(&begun.to)),
        None => Ok(Place { cell: entry.cell, revision: entry.revision, last_move: entry.last_move }),
    }
}

fn moving(to: &CellName) -> StoreError {
    StoreError::Moving(format!("cell {to}"))
}

fn not_open(name: &CellName, reason: &str) -> StoreError {
    StoreError::Unavailable(format!("cell {name} was not opened at the start: {reason}"))
}

/// Returns whether a cell has the object of a key.
async fn holds(cell: &Cell, key: &CellKey) -> Result<bool, StoreError> {
    let store = &*cell.store;
    Ok(match key {
        CellKey::Client(client) => Accounts::client(store, *client).await?.is_some(),
        CellKey::Account(account) => Accounts::find(store, account).await?.is_some(),
        CellKey::ApiKey(hash) => Callers::find(store, hash).await?.is_some(),
    })
}

impl fmt::Debug for Cells {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cells")
            .field("home", &self.home)
            .field("others", &self.others)
            .field("unopened", &self.unopened)
            .finish_non_exhaustive()
    }
}
