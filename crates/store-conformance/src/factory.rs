//! The interface between the kit and the adapter under test.

use crate::event_renderer::recording;
use async_trait::async_trait;
use florin_ports::{
    AccountProfiles, Accounts, Activities, AddressBook, AuditLog, Banks, BatchManagement, BatchProcessing,
    BatchReading, Books, BooksCheck, Budgets, Callers, CardLedger, CardManagement, CellDirectory, ChainHistories,
    CheckoutSessions, Checkouts, ClientNetworks, Credits, DecisionEndpoints, Deliveries, Disputes, Events,
    IdempotencyRecords, KeyUpkeep, MerchantPayments, Merchants, MfaSessions, Payees, PaymentBatches, People,
    ProductionOnly, Registry, SandboxBankStorage, SandboxStorage, Secrets, Seeding, SettlementAccounts, SnapshotFiles,
    Storage, Timelines, Transfers, Upkeep, Webhooks, Worlds,
};
use std::any::Any;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

/// Error of setting up, breaking or repairing a store.
pub type SetupError = Box<dyn std::error::Error + Send + Sync>;

/// Creates stores of the adapter under test.
pub trait Factory: Sync {
    /// Creates an empty, migrated store that shares no data with any other store.
    fn fresh(&self) -> impl Future<Output = Result<Handle, SetupError>> + Send;
}

/// Makes the store's server unreachable and restores it.
#[async_trait]
pub trait Outage: Send + Sync {
    /// Makes the server unreachable.
    async fn break_down(&self) -> Result<(), SetupError>;

    /// Makes the server reachable again.
    async fn heal(&self) -> Result<(), SetupError>;
}

/// Makes selected writes fail from outside the store, for example with a trigger on a table.
#[async_trait]
pub trait Faults: Send + Sync {
    /// Returns the places where writes can be made to fail, such as `insert into journal_legs`.
    fn places(&self) -> Vec<String>;

    /// Makes writes at this place fail until [`Self::disarm`].
    async fn arm(&self, place: &str) -> Result<(), SetupError>;

    /// Lets writes succeed again.
    async fn disarm(&self) -> Result<(), SetupError>;
}

/// Opens stores whose schema differs from the one that the program expects.
#[async_trait]
pub trait Schemas: Send + Sync {
    /// Opens a store whose last migration is pending.
    async fn behind(&self) -> Result<Handle, SetupError>;

    /// Opens a store with a migration that the program does not know.
    async fn ahead(&self) -> Result<Handle, SetupError>;
}

/// The sandbox ports of a store that serves production only.
struct NoSandbox;

impl ProductionOnly for NoSandbox {}

type Opening = Pin<Box<dyn Future<Output = Result<Handle, SetupError>> + Send>>;
type Reopen = Arc<dyn Fn() -> Opening + Send + Sync>;

/// One store: its ports and its optional test capabilities.
#[derive(Clone)]
pub struct Handle {
    /// Lookups of callers by their keys.
    pub callers: Arc<dyn Callers>,
    /// Lookups of accounts.
    pub accounts: Arc<dyn Accounts>,
    /// Descriptions of accounts.
    pub profiles: Arc<dyn AccountProfiles>,
    /// Networks that clients may call from.
    pub networks: Arc<dyn ClientNetworks>,
    /// Endpoints that decide on card messages.
    pub decision_endpoints: Arc<dyn DecisionEndpoints>,
    /// Merchant profiles.
    pub merchants: Arc<dyn Merchants>,
    /// Settlement accounts.
    pub settlement_accounts: Arc<dyn SettlementAccounts>,
    /// Payees.
    pub payees: Arc<dyn Payees>,
    /// Checkouts.
    pub checkouts: Arc<dyn Checkouts>,
    /// Sessions of checkouts, and top-ups.
    pub checkout_sessions: Arc<dyn CheckoutSessions>,
    /// Payments of sessions, and refunds.
    pub merchant_payments: Arc<dyn MerchantPayments>,
    /// Banks.
    pub banks: Arc<dyn Banks>,
    /// Card messages.
    pub cards: Arc<dyn CardLedger>,
    /// Creation of cards, their states and limits.
    pub card_management: Arc<dyn CardManagement>,
    /// People.
    pub people: Arc<dyn People>,
    /// Budgets.
    pub budgets: Arc<dyn Budgets>,
    /// Transfers between budgets.
    pub transfers: Arc<dyn Transfers>,
    /// Whole chains of card messages.
    pub chains: Arc<dyn ChainHistories>,
    /// Disputes of card transactions.
    pub disputes: Arc<dyn Disputes>,
    /// Credits.
    pub credits: Arc<dyn Credits>,
    /// Subscriptions to events.
    pub webhooks: Arc<dyn Webhooks>,
    /// Deliveries of events to subscriptions.
    pub deliveries: Arc<dyn Deliveries>,
    /// Events.
    pub events: Arc<dyn Events>,
    /// Confirmations of payment batches.
    pub batches: Arc<dyn PaymentBatches>,
    /// Creation, upload, editing and cancellation of payment batches.
    pub management: Arc<dyn BatchManagement>,
    /// Reads of payment batches.
    pub reading: Arc<dyn BatchReading>,
    /// Processing of payment batches.
    pub processing: Arc<dyn BatchProcessing>,
    /// Activity.
    pub activities: Arc<dyn Activities>,
    /// The books of accounts.
    pub books: Arc<dyn Books>,
    /// Storage of the sandbox's simulated bank.
    pub bank: Arc<dyn SandboxBankStorage>,
    /// MFA sessions.
    pub mfa: Arc<dyn MfaSessions>,
    /// Operator commands.
    pub registry: Arc<dyn Registry>,
    /// Times of the last use of keys, and keys that expire soon.
    pub key_upkeep: Arc<dyn KeyUpkeep>,
    /// The audit log.
    pub audit_log: Arc<dyn AuditLog>,
    /// Encrypted secrets.
    pub secrets: Arc<dyn Secrets>,
    /// Seeding of prepared worlds.
    pub seeding: Arc<dyn Seeding>,
    /// Imported addresses.
    pub addresses: Arc<dyn AddressBook>,
    /// Check of the balances against the journal.
    pub books_check: Arc<dyn BooksCheck>,
    /// Readiness and housekeeping.
    pub upkeep: Arc<dyn Upkeep>,
    /// Idempotency records without another effect.
    pub records: Arc<dyn IdempotencyRecords>,
    /// Timelines of accounts.
    pub timelines: Arc<dyn Timelines>,
    /// Worlds.
    pub worlds: Arc<dyn Worlds>,
    /// Snapshots as files.
    pub snapshot_files: Arc<dyn SnapshotFiles>,
    pub(crate) serves_sandbox: bool,
    pub(crate) reopen: Option<Reopen>,
    pub(crate) outage: Option<Arc<dyn Outage>>,
    pub(crate) faults: Option<Arc<dyn Faults>>,
    pub(crate) schemas: Option<Arc<dyn Schemas>>,
    pub(crate) queue_capacity: Option<usize>,
    pub(crate) directory: Option<Arc<dyn CellDirectory>>,
    kept: Vec<Arc<dyn Any + Send + Sync>>,
}

impl Handle {
    /// Creates a handle of a store that implements every port, including those of a sandbox.
    pub fn of<S: Storage + SandboxStorage + 'static>(store: &Arc<S>) -> Self {
        Self {
            bank: Arc::<S>::clone(store),
            timelines: Arc::<S>::clone(store),
            worlds: Arc::<S>::clone(store),
            snapshot_files: Arc::<S>::clone(store),
            serves_sandbox: true,
            ..Self::of_production(store, Arc::<S>::clone(store))
        }
    }

    /// Creates a handle of a store for production only. Checks of sandbox ports are skipped. The other checks start
    /// with data that `seeding` stores in the adapter's own way.
    pub fn of_production<S: Storage + 'static>(store: &Arc<S>, seeding: Arc<dyn Seeding>) -> Self {
        store.start_recording_events(recording());
        Self {
            callers: Arc::<S>::clone(store),
            accounts: Arc::<S>::clone(store),
            profiles: Arc::<S>::clone(store),
            networks: Arc::<S>::clone(store),
            decision_endpoints: Arc::<S>::clone(store),
            merchants: Arc::<S>::clone(store),
            settlement_accounts: Arc::<S>::clone(store),
            payees: Arc::<S>::clone(store),
            checkouts: Arc::<S>::clone(store),
            checkout_sessions: Arc::<S>::clone(store),
            merchant_payments: Arc::<S>::clone(store),
            banks: Arc::<S>::clone(store),
            cards: Arc::<S>::clone(store),
            card_management: Arc::<S>::clone(store),
            people: Arc::<S>::clone(store),
            budgets: Arc::<S>::clone(store),
            transfers: Arc::<S>::clone(store),
            chains: Arc::<S>::clone(store),
            disputes: Arc::<S>::clone(store),
            credits: Arc::<S>::clone(store),
            webhooks: Arc::<S>::clone(store),
            deliveries: Arc::<S>::clone(store),
            events: Arc::<S>::clone(store),
            batches: Arc::<S>::clone(store),
            management: Arc::<S>::clone(store),
            reading: Arc::<S>::clone(store),
            processing: Arc::<S>::clone(store),
            activities: Arc::<S>::clone(store),
            books: Arc::<S>::clone(store),
            bank: Arc::new(NoSandbox),
            mfa: Arc::<S>::clone(store),
            registry: Arc::<S>::clone(store),
            key_upkeep: Arc::<S>::clone(store),
            audit_log: Arc::<S>::clone(store),
            secrets: Arc::<S>::clone(store),
            seeding,
            addresses: Arc::<S>::clone(store),
            books_check: Arc::<S>::clone(store),
            upkeep: Arc::<S>::clone(store),
            records: Arc::<S>::clone(store),
            timelines: Arc::new(NoSandbox),
            worlds: Arc::new(NoSandbox),
            snapshot_files: Arc::new(NoSandbox),
            serves_sandbox: false,
            reopen: None,
            outage: None,
            faults: None,
            schemas: None,
            queue_capacity: None,
            directory: None,
            kept: Vec::new(),
        }
    }

    /// Keeps a value alive as long as the handle, such as the directory of a database file.
    #[must_use]
    pub fn keeping(mut self, what: impl Any + Send + Sync) -> Self {
        self.kept.push(Arc::new(what));
        self
    }

    /// Sets how to open the same data again, as another instance or a restarted process does.
    #[must_use]
    pub fn reopened_by<F>(mut self, open: impl Fn() -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<Self, SetupError>> + Send + 'static,
    {
        self.reopen = Some(Arc::new(move || Box::pin(open())));
        self
    }

    /// Sets how to make the server unreachable.
    #[must_use]
    pub fn broken_by(mut self, outage: impl Outage + 'static) -> Self {
        self.outage = Some(Arc::new(outage));
        self
    }

    /// Sets how to make single writes fail.
    #[must_use]
    pub fn with_faults(mut self, faults: impl Faults + 'static) -> Self {
        self.faults = Some(Arc::new(faults));
        self
    }

    /// Sets how to open stores with older and newer schemas.
    #[must_use]
    pub fn with_schemas(mut self, schemas: impl Schemas + 'static) -> Self {
        self.schemas = Some(Arc::new(schemas));
        self
    }

    /// Sets the number of writes that may wait in the store. The store refuses further writes with
    /// [`florin_ports::StoreError::Overloaded`].
    #[must_use]
    pub const fn with_queue_capacity(mut self, writes: usize) -> Self {
        self.queue_capacity = Some(writes);
        self
    }

    /// Sets the directory of cells that the store keeps.
    #[must_use]
    pub fn with_directory(mut self, directory: Arc<dyn CellDirectory>) -> Self {
        self.directory = Some(directory);
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
            .field("has_schemas", &self.schemas.is_some())
            .field("queue_capacity", &self.queue_capacity)
            .field("has_directory", &self.directory.is_some())
            .finish_non_exhaustive()
    }
}
