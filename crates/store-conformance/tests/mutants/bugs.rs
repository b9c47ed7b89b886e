//! The bugs, and the store that has one of them.

use florin_domain::ids::PaymentBatchId;
use florin_ports::Lease;
use florin_store_memory::MemoryStore;
use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

macro_rules! bugs {
    ($($name:ident,)*) => {
        /// One deliberate bug.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Bug { $($name,)* }

        impl Bug {
            pub(crate) const ALL: &[Self] = &[$(Self::$name,)*];
        }
    };
}

bugs! {
    NoTenantFilterOnCards,
    NoTenantFilterOnMessages,
    NoTenantFilterOnCheckouts,
    NoLock,
    NoRollback,
    NoRollbackOfFollowUps,
    HalfAWorld,
    NoRecords,
    RecordsOfAnyClient,
    RecordsFoldCase,
    MismatchShowsTheSecond,
    DoubleEffect,
    LimitsNotStored,
    FirstStateNotStored,
    ChainNotStored,
    AttemptsNotStored,
    EnrolmentNotStored,
    CheckoutsOldestFirst,
    CountFollowsThePage,
    BanksFoldCase,
    DueHoldsUnordered,
    DueHoldsUnbounded,
    DueHoldsMissTheMicrosecond,
    MillisecondsOnly,
    TextsTrimmed,
    AccountsFoldCase,
    NegativeClipped,
    DeadAfterPanic,
    ForgetsTooMany,
    ForgetsTooYoung,
    DuplicateIsCorrupt,
    UnknownKeyRevoked,
    EnrolmentOutlivesItself,
    PolicyOfAll,
    RevokedKeysHidden,
    AuditSeesNothing,
    SecondHandleIsAnotherStore,
    NoTenantFilterOnBatches,
    PaymentsOneWay,
    PaymentCountFollowsThePage,
    AllAlertsShown,
    LostLeaseWrites,
    LeasesNotExclusive,
    TakenNotStored,
    RefusedUploadRenames,
    ConfirmLeavesPayments,
    CancelLeavesPayments,
    CancelKeepsTheMoney,
    BankForgetsTheFirst,
    EventsOfMakingLost,
    RecordOfAnyPayment,
    NoTenantFilterOnActivities,
    ActivityOldestFirst,
    ActivityStatusIgnored,
    ActivityCountFollowsThePage,
    ExplanationForgetsTheSkipped,
    ExplanationHidesHolds,
    BooksOfAll,
    BooksWithoutReservations,
    NoTenantFilterOnBudgets,
    FeaturesNotStored,
    TransferLeavesTheGiver,
    CardStateNotStored,
    LimitChangeForgets,
    ReasonsNotStored,
    NoTenantFilterOnStories,
    StoriesWithoutJournal,
    ClockRecordsLost,
    NumbersTwice,
    OwnDueHoldsUnbounded,
    WorldKeysForgotten,
    EveryWorldListed,
    WorldsStay,
    SnapshotsUnbounded,
    NothingPutBack,
    ClockNotPutBack,
    DryRunsWrite,
    DryRunsHidePostings,
    DryRunsAreRecorded,
    DryRunsCountAttempts,
}

/// A store in memory with a bug, or with none.
pub(crate) struct Mutant {
    pub(crate) inner: MemoryStore,
    pub(crate) bug: Option<Bug>,
    pub(crate) dead: Arc<AtomicBool>,
    /// The last lease of each batch.
    pub(crate) leases: Arc<Mutex<BTreeMap<PaymentBatchId, Lease>>>,
}

impl Mutant {
    pub(crate) fn with(bug: Option<Bug>) -> Self {
        Self { inner: MemoryStore::new(), bug, dead: Arc::default(), leases: Arc::default() }
    }

    /// Another handle on the same data.
    pub(crate) fn twin(&self) -> Self {
        Self {
            inner: self.inner.clone(),
            bug: self.bug,
            dead: Arc::clone(&self.dead),
            leases: Arc::clone(&self.leases),
        }
    }

    pub(crate) fn has(&self, bug: Bug) -> bool {
        self.bug == Some(bug)
    }
}
