//! What an adapter shows the kit.

use async_trait::async_trait;
use florin_domain::event::Event;
use florin_ports::{
    Accounts, Activities, AddressBook, Banks, BatchManagement, BatchProcessing, BatchReading, Books, Budgets, Callers,
    CardLedger, CardManagement, ChainStories, Checkouts, Credits, LedgerAudit, MfaSessions, PaymentBatches,
    ProductionOnly, Registry, SandboxBankMemory, SandboxStorage, Seeding, Storage, Timelines, Transfers, Upkeep,
    Worlds,
};
use std::any::Any;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

/// Why a store could not be set up, broken or healed.
pub type SetupError = Box<dyn std::error::Error + Send + Sync>;

/// Makes stores of the adapter under test.
pub trait Factory: Sync {
    /// An empty store, migrated, that shares no data with any other.
    fn fresh(&self) -> impl Future<Output = Result<Handle, SetupError>> + Send;
}

/// Takes the store's server away, and brings it back.
#[async_trait]
pub trait Outage: Send + Sync {
    /// From now on the server can't be reached.
    async fn break_down(&self) -> Result<(), SetupError>;

    /// It is back.
    async fn heal(&self) -> Result<(), SetupError>;
}

/// Makes writes fail at a place of its choice, from outside the store: a trigger on a table, for one.
#[async_trait]
pub trait Faults: Send + Sync {
    /// Where writes can be made to fail, such as `insert into journal_entries`.
    fn places(&self) -> Vec<String>;

    /// From now on writes fail at this place.
    async fn arm(&self, place: &str) -> Result<(), SetupError>;

    /// They work again.
    async fn disarm(&self) -> Result<(), SetupError>;
}

/// Shows the events that a store has written. No port reads them: who delivers them looks for itself.
#[async_trait]
pub trait EventLog: Send + Sync {
    /// All of them, in any order.
    async fn events(&self) -> Result<Vec<Event>, SetupError>;
}

/// Opens stores whose schema is not the one that the program knows.
#[async_trait]
pub trait Schemas: Send + Sync {
    /// A store whose last migration is pending.
    async fn behind(&self) -> Result<Handle, SetupError>;

    /// A store with a migration that the program does not know.
    async fn ahead(&self) -> Result<Handle, SetupError>;
}

/// The sandbox of a store that has none.
struct NoSandbox;

impl ProductionOnly for NoSandbox {}

type Opening = Pin<Box<dyn Future<Output = Result<Handle, SetupError>> + Send>>;
type Reopen = Arc<dyn Fn() -> Opening + Send + Sync>;

/// One store, by its ports, and what can be done to it.
#[derive(Clone)]
pub struct Handle {
    /// Callers.
    pub callers: Arc<dyn Callers>,
    /// Accounts.
    pub accounts: Arc<dyn Accounts>,
    /// Checkouts.
    pub checkouts: Arc<dyn Checkouts>,
    /// Banks.
    pub banks: Arc<dyn Banks>,
    /// Card messages.
    pub cards: Arc<dyn CardLedger>,
    /// Making cards, their states and limits.
    pub card_management: Arc<dyn CardManagement>,
    /// Budgets.
    pub budgets: Arc<dyn Budgets>,
    /// Transfers between budgets.
    pub transfers: Arc<dyn Transfers>,
    /// Whole chains of card messages.
    pub chains: Arc<dyn ChainStories>,
    /// Credits.
    pub credits: Arc<dyn Credits>,
    /// Confirmations of payment batches.
    pub batches: Arc<dyn PaymentBatches>,
    /// Making, filling, editing and cancelling payment batches.
    pub management: Arc<dyn BatchManagement>,
    /// Reading payment batches.
    pub reading: Arc<dyn BatchReading>,
    /// Work on payment batches.
    pub processing: Arc<dyn BatchProcessing>,
    /// Activity.
    pub activities: Arc<dyn Activities>,
    /// The books of accounts.
    pub books: Arc<dyn Books>,
    /// What the sandbox's bank remembers.
    pub bank: Arc<dyn SandboxBankMemory>,
    /// MFA sessions.
    pub mfa: Arc<dyn MfaSessions>,
    /// The operator's side.
    pub registry: Arc<dyn Registry>,
    /// Prepared worlds.
    pub seeding: Arc<dyn Seeding>,
    /// Imported addresses.
    pub addresses: Arc<dyn AddressBook>,
    /// The audit.
    pub audit: Arc<dyn LedgerAudit>,
    /// Readiness and house-keeping.
    pub upkeep: Arc<dyn Upkeep>,
    /// The time of accounts.
    pub timelines: Arc<dyn Timelines>,
    /// Worlds.
    pub worlds: Arc<dyn Worlds>,
    pub(crate) serves_sandbox: bool,
    pub(crate) reopen: Option<Reopen>,
    pub(crate) outage: Option<Arc<dyn Outage>>,
    pub(crate) faults: Option<Arc<dyn Faults>>,
    pub(crate) events: Option<Arc<dyn EventLog>>,
    pub(crate) schemas: Option<Arc<dyn Schemas>>,
    pub(crate) room: Option<usize>,
    kept: Vec<Arc<dyn Any + Send + Sync>>,
}

impl Handle {
    /// A handle of a store that implements every port, those of a sandbox included.
    pub fn of<S: Storage + SandboxStorage + 'static>(store: &Arc<S>) -> Self {
        Self {
            bank: Arc::<S>::clone(store),
            timelines: Arc::<S>::clone(store),
            worlds: Arc::<S>::clone(store),
            serves_sandbox: true,
            ..Self::of_production(store, Arc::<S>::clone(store))
        }
    }

    /// A handle of a store for production only. Checks of what only a sandbox needs are skipped. The others need data to begin
    /// with, which `seeding` puts into the store by the adapter's own means.
    pub fn of_production<S: Storage + 'static>(store: &Arc<S>, seeding: Arc<dyn Seeding>) -> Self {
        Self {
            callers: Arc::<S>::clone(store),
            accounts: Arc::<S>::clone(store),
            checkouts: Arc::<S>::clone(store),
            banks: Arc::<S>::clone(store),
            cards: Arc::<S>::clone(store),
            card_management: Arc::<S>::clone(store),
            budgets: Arc::<S>::clone(store),
            transfers: Arc::<S>::clone(store),
            chains: Arc::<S>::clone(store),
            credits: Arc::<S>::clone(store),
            batches: Arc::<S>::clone(store),
            management: Arc::<S>::clone(store),
            reading: Arc::<S>::clone(store),
            processing: Arc::<S>::clone(store),
            activities: Arc::<S>::clone(store),
            books: Arc::<S>::clone(store),
            bank: Arc::new(NoSandbox),
            mfa: Arc::<S>::clone(store),
            registry: Arc::<S>::clone(store),
            seeding,
            addresses: Arc::<S>::clone(store),
            audit: Arc::<S>::clone(store),
            upkeep: Arc::<S>::clone(store),
            timelines: Arc::new(NoSandbox),
            worlds: Arc::new(NoSandbox),
            serves_sandbox: false,
            reopen: None,
            outage: None,
            faults: None,
            events: None,
            schemas: None,
            room: None,
            kept: Vec::new(),
        }
    }

    /// Keeps something as long as the handle lives: the directory of a file, for one.
    #[must_use]
    pub fn keeping(mut self, what: impl Any + Send + Sync) -> Self {
        self.kept.push(Arc::new(what));
        self
    }

    /// How the same data is opened again, as another instance would do, or this one after a restart.
    #[must_use]
    pub fn reopened_by<F>(mut self, open: impl Fn() -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<Self, SetupError>> + Send + 'static,
    {
        self.reopen = Some(Arc::new(move || Box::pin(open())));
        self
    }

    /// How the server is taken away.
    #[must_use]
    pub fn broken_by(mut self, outage: impl Outage + 'static) -> Self {
        self.outage = Some(Arc::new(outage));
        self
    }

    /// How single writes are made to fail.
    #[must_use]
    pub fn with_faults(mut self, faults: impl Faults + 'static) -> Self {
        self.faults = Some(Arc::new(faults));
        self
    }

    /// How the events that were written are seen.
    #[must_use]
    pub fn with_events(mut self, events: impl EventLog + 'static) -> Self {
        self.events = Some(Arc::new(events));
        self
    }

    /// How stores of an earlier and of a later schema are opened.
    #[must_use]
    pub fn with_schemas(mut self, schemas: impl Schemas + 'static) -> Self {
        self.schemas = Some(Arc::new(schemas));
        self
    }

    /// How many writes may wait in the store; the next one is refused as [`florin_ports::StoreError::Overloaded`].
    #[must_use]
    pub const fn with_room(mut self, writes: usize) -> Self {
        self.room = Some(writes);
        self
    }
}

impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handle")
            .field("serves_sandbox", &self.serves_sandbox)
            .field("reopens", &self.reopen.is_some())
            .field("breaks_down", &self.outage.is_some())
            .field("has_faults", &self.faults.is_some())
            .field("has_events", &self.events.is_some())
            .field("has_schemas", &self.schemas.is_some())
            .field("room", &self.room)
            .finish_non_exhaustive()
    }
}
