//! The deliberate bugs, and the store that has one of them.

use florin_domain::card::CardLimit;
use florin_domain::event::{EventPosition, StoredEvent};
use florin_domain::ids::{AccountId, PaymentBatchId, TransactionToken};
use florin_domain::mfa::TotpEnrolment;
use florin_ports::{Lease, Readiness};
use florin_store_memory::MemoryStore;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize};
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
    WebhooksUncounted,
    WebhookOrderNotStored,
    ClientRecordsMissing,
    ForeignWebhooksChanged,
    ForeignWebhooksFound,
    WebhooksOfOtherAccountsListed,
    RestingDeliveriesDue,
    DeliveryLeasesEndAtOnce,
    DeliveriesClaimedUnbounded,
    AttemptsCountedLate,
    TestsWithoutBody,
    VerdictsNotStored,
    ReleasedClaimsStay,
    DeliveryStatusIgnored,
    DisabledRedelivers,
    RecoversEverything,
    YoungDeliveriesDeleted,
    BacklogEmpty,
    StoredAnswersOfOtherKeys,
    FirstAttemptsWaitForClocks,
    AnyAttemptOfALeaseRecorded,
    AllAttemptsLogged,
    DeliveriesDeletedUnbounded,
    NoTenantFilterOnCards,
    NoTenantFilterOnMessages,
    NoTenantFilterOnCheckouts,
    NoLock,
    EveryEnvironmentFits,
    AuditChainsStartAnew,
    SecondAuditChain,
    AuditRecordsUnbounded,
    AuditRecordsNewestFirst,
    ClientsLoseTheirNetworks,
    DisabledAnew,
    NeverEnabled,
    AllAccountsRenamed,
    RotatedKeysStay,
    RotationLeavesWorlds,
    WorldKeysOutliveTheirMaker,
    FirstUseOnly,
    ExpiredKeysExpire,
    ExpiringLastFirst,
    SecretKeyOverwritten,
    SecretKeyChangedBlindly,
    SecretsUnfiltered,
    SecretsUnbounded,
    SecretReplacedBlindly,
    SecretsInSnapshots,
    RemovedSecretsComeBack,
    CopiesNotSealedAgain,
    UnlockIgnored,
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
    CheckoutsOfAnyAccount,
    CheckoutsSeeNoSettlementAccounts,
    LocalesStay,
    MerchantsByThemselves,
    PermissionsStay,
    SettlementAccountsOfAnyAccount,
    CheckoutsOfSettlementAccountsHidden,
    CheckoutsOfListedSettlementAccountsHidden,
    BanksOfRefundsLost,
    UnlistedBanksErased,
    TwoDefaults,
    SettlementAccountsStay,
    PayeesOfAnyAccount,
    PayeesUnfiltered,
    PayeesTwice,
    ApprovalsNotStored,
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
    DeletesTooManyRecords,
    DeletesTooYoungRecords,
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
    ConfirmCancelsPayments,
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
    BudgetsNewestFirst,
    NameChangeLost,
    EditsOfAnyAccount,
    ParentIsAnyBudget,
    NothingBelowBudgets,
    LastNumbersLost,
    TransfersHaveOwnNumbers,
    FeaturesNotStored,
    TransferLeavesTheGiver,
    CardStateNotStored,
    LimitChangeForgets,
    ReasonsNotStored,
    NoTenantFilterOnHistories,
    HistoriesWithoutJournal,
    ClockRecordsLost,
    NumbersTwice,
    OwnDueHoldsUnbounded,
    WorldKeysForgotten,
    EveryWorldListed,
    WorldsStay,
    WorldsNotRenewed,
    SnapshotsUnbounded,
    NothingPutBack,
    ClockNotPutBack,
    DryRunsWrite,
    DryRunsHidePostings,
    DryRunsAreRecorded,
    DryRunsCountAttempts,
    RecordsAfterTheCommit,
    PaymentsOfTheFirstAccount,
    ExpiredWorldsLeaveTheirAccounts,
    SnapshotsWithoutLimits,
    SnapshotNamesLost,
    CreditTextsTrimmed,
    EmptyNamesAreMissing,
    ReasonsTrimmed,
    CardSearchIgnored,
    ReplacedCardForgetsItsLimits,
    CountedNotStored,
    EventsLate,
    EventsChange,
    EventsOfMessagesLost,
    SequencesWithGaps,
    EventsOfAnyAccount,
    SecondPageOfEventsIsTheFirst,
    UndoneEventsStay,
    EventsWithoutCause,
    TailTooFar,
    BetweenIncludesItsStart,
    EventsDeletedUnbounded,
    YoungEventsDeleted,
    EventsOfCancellingLost,
    TransitionsOnOnePage,
    GroupsForgetMessages,
    KeysOfEachHandle,
    CountersOfEachHandle,
    NeverOverloaded,
    ReadyWhilePending,
    NewerSchemaUnnoticed,
    DaysOfAnotherZone,
    SeededPaymentsLost,
    StaleLimits,
    ImpatientIsCorrupt,
    CardCountersOfEachHandle,
    StaleEnrolments,
    GroupsMixAccounts,
    GroupsHideFirstStates,
    GroupsPanicTogether,
    CurrenciesOfAnyAccount,
    DeletesRecordsOfEqualKeys,
    RestoresForgetEqualKeys,
    ActivityOfAnyBudget,
    AddressesTrimmed,
    TransfersInMilliseconds,
    LeasesPutBack,
    RestoresNotRecorded,
    CopiedClocksStartAnew,
    SnapshotsByTime,
    SumsWrapAround,
    PaidOrdersCount,
    ReservationsById,
    RefundsAreHolds,
    HistoriesByToken,
    UsedStepsLost,
    EmptyReferencesAreMissing,
    AlertsOutOfOrder,
    FundsOfAll,
    FundingOfAll,
    ActiveCardsCount,
    ClaimsLate,
    GrantsOfKeysIgnored,
    DescriptionsLost,
    NetworksOfEachHandle,
    ErasedOwnersKeepTheirCards,
    OwnersOfCardsIgnored,
    OnlyTheFirstBudgetKept,
    PeopleOfAnyAccount,
    PeopleById,
    NobodyIsKnown,
    AddressesTwice,
    RolesStay,
    ErasedOnOneAccount,
    SnapshotsOutliveErasure,
}

/// Number of first messages that may wait for their turn.
pub(crate) const QUEUE_CAPACITY: usize = 128;

/// Tokens of an account's messages that wait behind a slow command.
pub(crate) type Waiting = (AccountId, Vec<TransactionToken>);

/// Memory store with one bug or none.
pub(crate) struct Mutant {
    pub(crate) inner: MemoryStore,
    pub(crate) bug: Option<Bug>,
    pub(crate) dead: Arc<AtomicBool>,
    /// Last lease of each batch.
    pub(crate) leases: Arc<Mutex<BTreeMap<PaymentBatchId, Lease>>>,
    /// Whether this is the second handle on the data.
    pub(crate) is_second: bool,
    /// Whether storing idempotency records fails.
    pub(crate) no_records: Arc<AtomicBool>,
    /// Readiness that the store reports.
    pub(crate) readiness: Readiness,
    /// Serializes card messages.
    pub(crate) turn: Arc<tokio::sync::Mutex<()>>,
    pub(crate) waiting: Arc<AtomicUsize>,
    /// Messages that followed one with a slow rule, and their account.
    pub(crate) behind_a_slow_one: Arc<Mutex<Option<Waiting>>>,
    /// What the first handle saw before its last command, for a second handle that does not look again.
    pub(crate) seen_before: Arc<Mutex<SeenBefore>>,
    /// Events that were listed.
    pub(crate) listed: Arc<Mutex<BTreeMap<EventPosition, StoredEvent>>>,
    /// Number of events that were read.
    pub(crate) reads: Arc<AtomicUsize>,
    /// Whether a command has failed.
    pub(crate) has_failed: Arc<AtomicBool>,
}

/// Records as they were before the last command of the first handle.
#[derive(Default)]
pub(crate) struct SeenBefore {
    pub(crate) limits: Option<Vec<CardLimit>>,
    pub(crate) enrolment: Option<TotpEnrolment>,
}

impl Mutant {
    pub(crate) fn with(bug: Option<Bug>) -> Self {
        Self {
            inner: MemoryStore::new(),
            bug,
            dead: Arc::default(),
            leases: Arc::default(),
            is_second: false,
            no_records: Arc::default(),
            readiness: Readiness::Ready,
            turn: Arc::default(),
            waiting: Arc::default(),
            behind_a_slow_one: Arc::default(),
            seen_before: Arc::default(),
            listed: Arc::default(),
            reads: Arc::default(),
            has_failed: Arc::default(),
        }
    }

    /// Opens another handle on the same data.
    pub(crate) fn twin(&self) -> Self {
        Self {
            inner: self.inner.clone(),
            bug: self.bug,
            dead: Arc::clone(&self.dead),
            leases: Arc::clone(&self.leases),
            is_second: true,
            no_records: Arc::clone(&self.no_records),
            readiness: self.readiness,
            turn: Arc::clone(&self.turn),
            waiting: Arc::clone(&self.waiting),
            behind_a_slow_one: Arc::clone(&self.behind_a_slow_one),
            seen_before: Arc::clone(&self.seen_before),
            listed: Arc::clone(&self.listed),
            reads: Arc::clone(&self.reads),
            has_failed: Arc::clone(&self.has_failed),
        }
    }

    pub(crate) fn has(&self, bug: Bug) -> bool {
        self.bug == Some(bug)
    }
}
