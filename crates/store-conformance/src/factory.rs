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

/// Declares [`Handle`] with the ports that every store implements, and those that only a sandbox needs.
macro_rules! handle {
    (
        every_store { $($(#[$doc:meta])* $port:ident: $Port:ident,)* }
        sandbox { $($(#[$sandbox_doc:meta])* $sandbox_port:ident: $SandboxPort:ident,)* }
    ) => {
        /// One store: its ports and its optional test capabilities.
        #[derive(Clone)]
        pub struct Handle {
            $($(#[$doc])* pub $port: Arc<dyn $Port>,)*
            $($(#[$sandbox_doc])* pub $sandbox_port: Arc<dyn $SandboxPort>,)*
            /// Seeding of prepared data. A store for production is seeded in the adapter's own way.
            pub seeding: Arc<dyn Seeding>,
            pub(crate) serves_sandbox: bool,
            pub(crate) reopen: Option<Reopen>,
            pub(crate) outage: Option<Arc<dyn Outage>>,
            pub(crate) faults: Option<Arc<dyn Faults>>,
            pub(crate) schemas: Option<Arc<dyn Schemas>>,
            pub(crate) queue_capacity: Option<usize>,
            pub(crate) directory: Option<Arc<dyn CellDirectory>>,
            kept_alive: Vec<Arc<dyn Any + Send + Sync>>,
        }

        impl Handle {
            /// Creates a handle of a store that implements every port, including those of a sandbox.
            pub fn of<S: Storage + SandboxStorage + 'static>(store: &Arc<S>) -> Self {
                Self {
                    $($sandbox_port: Arc::<S>::clone(store),)*
                    serves_sandbox: true,
                    ..Self::of_production(store, Arc::<S>::clone(store))
                }
            }

            /// Creates a handle of a store for production only. Checks of sandbox ports are skipped. The other checks
            /// start with data that `seeding` stores in the adapter's own way.
            pub fn of_production<S: Storage + 'static>(store: &Arc<S>, seeding: Arc<dyn Seeding>) -> Self {
                store.start_recording_events(recording());
                Self {
                    $($port: Arc::<S>::clone(store),)*
                    $($sandbox_port: Arc::new(NoSandbox),)*
                    seeding,
                    serves_sandbox: false,
                    reopen: None,
                    outage: None,
                    faults: None,
                    schemas: None,
                    queue_capacity: None,
                    directory: None,
                    kept_alive: Vec::new(),
                }
            }
        }
    };
}

handle! {
    every_store {
        /// Lookups of callers by their keys.
        callers: Callers,
        /// Lookups of accounts.
        accounts: Accounts,
        /// Descriptions of accounts.
        profiles: AccountProfiles,
        /// Networks that clients may call from.
        networks: ClientNetworks,
        /// Endpoints that decide on card messages.
        decision_endpoints: DecisionEndpoints,
        /// Merchant profiles.
        merchants: Merchants,
        /// Settlement accounts.
        settlement_accounts: SettlementAccounts,
        /// Payees.
        payees: Payees,
        /// Checkouts.
        checkouts: Checkouts,
        /// Sessions of checkouts, and top-ups.
        checkout_sessions: CheckoutSessions,
        /// Payments of sessions, and refunds.
        merchant_payments: MerchantPayments,
        /// Banks.
        banks: Banks,
        /// Card messages.
        cards: CardLedger,
        /// Creation of cards, their states and limits.
        card_management: CardManagement,
        /// People.
        people: People,
        /// Budgets.
        budgets: Budgets,
        /// Transfers between budgets.
        transfers: Transfers,
        /// Whole chains of card messages.
        chains: ChainHistories,
        /// Disputes of card transactions.
        disputes: Disputes,
        /// Credits.
        credits: Credits,
        /// Subscriptions to events.
        webhooks: Webhooks,
        /// Deliveries of events to subscriptions.
        deliveries: Deliveries,
        /// Events.
        events: Events,
        /// Confirmations of payment batches.
        batches: PaymentBatches,
        /// Creation, upload, editing and cancellation of payment batches.
        management: BatchManagement,
        /// Reads of payment batches.
        reading: BatchReading,
        /// Processing of payment batches.
        processing: BatchProcessing,
        /// Activity.
        activities: Activities,
        /// The books of accounts.
        books: Books,
        /// MFA sessions.
        mfa: MfaSessions,
        /// Operator commands.
        registry: Registry,
        /// Times of the last use of keys, and keys that expire soon.
        key_upkeep: KeyUpkeep,
        /// The audit log.
        audit_log: AuditLog,
        /// Encrypted secrets.
        secrets: Secrets,
        /// Imported addresses.
        addresses: AddressBook,
        /// Check of the balances against the journal.
        books_check: BooksCheck,
        /// Readiness and housekeeping.
        upkeep: Upkeep,
        /// Idempotency records without another effect.
        records: IdempotencyRecords,
    }
    sandbox {
        /// Storage of the sandbox's simulated bank.
        bank: SandboxBankStorage,
        /// Timelines of accounts.
        timelines: Timelines,
        /// Worlds.
        worlds: Worlds,
        /// Snapshots as files.
        snapshot_files: SnapshotFiles,
    }
}

impl Handle {
    /// Keeps a value alive as long as the handle, such as the directory of a database file.
    #[must_use]
    pub fn keeping(mut self, what: impl Any + Send + Sync) -> Self {
        self.kept_alive.push(Arc::new(what));
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

    /// Opens a second handle on the same data. A store whose data can't be opened twice returns this handle.
    pub(crate) async fn second_or_same(&self) -> Result<Self, SetupError> {
        match &self.reopen {
            Some(open) => open().await,
            None => Ok(self.clone()),
        }
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
