//! Ports: what Florin needs from storage, providers, clock and ids. One file per subject, in the domain's terms.
//!
//! Ports have methods of three kinds:
//! 1. **Read**: a method returns values. Objects of other accounts are absent.
//! 2. **Whole write**: one call stores all of a value or none of it ([`Registry`], [`Seeding`]).
//! 3. **Decide under the lock**: a method receives a rule, a pure decision ([`Decide`]), usually as part of a command
//!    that also names what to load. Examples are [`CardLedger`], [`Transfers`], [`PaymentBatches`] and the writes of
//!    [`Budgets`]. The adapter locks and loads the rows, calls the rule, stores its result together with the
//!    idempotency record, and commits. It may call the rule again (after a serialization failure), and it may combine
//!    many decisions in one transaction; callers can't observe either.
//!
//! The descriptions of methods name errors briefly: "`Absent`: no such card on the account" means that the method
//! returns [`WriteError::Absent`] in this case. `NotFound` and `Duplicate` are errors of [`StoreError`].
//!
//! [`Storage`] and [`SandboxStorage`] list the storage ports. With the feature `test-support` every trait has a mockall
//! mock (`MockCardLedger`, …).

mod access;
mod activities;
mod addresses;
mod audit_log;
mod batch_management;
mod batch_processing;
mod batch_reading;
mod books;
mod books_check;
mod budgets;
mod card_ledger;
mod card_management;
mod cell_directory;
mod chain_histories;
mod checkout_sessions;
mod clock;
mod credits;
mod decision_endpoints;
mod deliveries;
mod disputes;
mod due;
mod error;
mod events;
mod exchange_rates;
mod idempotency;
mod idempotency_records;
mod key_source;
mod key_upkeep;
mod logo_images;
mod merchant;
mod merchant_payments;
mod mfa;
mod mode;
mod networks;
mod payment_batches;
mod payment_initiation;
mod payment_rail;
mod people;
mod production_only;
mod registry;
mod sandbox_bank;
mod secrets;
mod seeding;
mod shipping_rates;
mod snapshot_files;
mod storage;
#[cfg(feature = "test-support")]
pub mod test_support;
mod timelines;
mod upkeep;
mod webhook_sender;
mod webhooks;
mod worlds;

pub use access::{AccountProfiles, Accounts, Callers};
pub use activities::Activities;
pub use addresses::{AddressBook, PostcodeError, PostcodeProvider};
pub use audit_log::AuditLog;
pub use batch_management::{BatchManagement, CancelBatchCommand, CreateBatchCommand, EditBatchCommand, UploadCommand};
pub use batch_processing::{
    BatchProcessing, ClaimCommand, Lease, ProcessingError, RecordCommand, StartCommand, StartPaymentsCommand,
};
pub use batch_reading::{BatchFunds, BatchReading};
pub use books::{Books, ExplainResult};
pub use books_check::{BooksCheck, BooksCheckProgress, BooksCheckStep, BooksReport, Discrepancy};
pub use budgets::{Budgets, CreateBudgetCommand, EditBudgetCommand, TransferCommand, Transfers};
pub use card_ledger::{CardLedger, DueHold, ExpiryCommand, FirstMessageCommand, FirstUseCommand, FollowUpCommand};
pub use card_management::{
    CardManagement, CardSettingsCommand, ChangeCardCommand, CreateCardCommand, LimitCommand, OrderPhysicalCommand,
    RemoveLimitCommand, ReplaceCardCommand,
};
pub use cell_directory::{
    CellDirectory, CellEntry, CellKey, CellMove, CellName, KeyOfWorld, accepts_clients, clients_of_cells, emptiest,
};
pub use chain_histories::ChainHistories;
pub use checkout_sessions::{CheckoutSessions, CreateSessionCommand, CreateTopUpCommand, FoundSession, SessionCommand};
pub use clock::{Clock, IdSource};
pub use credits::{CreditCommand, Credits};
pub use decision_endpoints::{DecisionAsker, DecisionEndpoints, DecisionRequest, EndpointCommand};
pub use deliveries::{
    AttemptEnd, AttemptSituation, ClaimDeliveriesCommand, ClaimedDeliveries, ClaimedDelivery, Deliveries,
    DeliveryBacklog, DeliveryClaim, DeliveryFilter, LoggedDelivery, RecoverCommand, RedeliverCommand,
    TestWebhookCommand, WaitingDeliveries,
};
pub use disputes::{DisputeCommand, Disputes, OpenDisputeCommand};
pub use due::Due;
pub use error::{StoreError, WriteError};
pub use events::{EventReach, EventRecording, EventRenderer, Events};
pub use exchange_rates::{ExchangeRates, RatesUnavailable};
pub use idempotency::{IdempotencyClaim, IdempotencyKey, RecordedBody, RecordedRequest, StoredResponse, Written};
pub use idempotency_records::IdempotencyRecords;
pub use key_source::KeySource;
pub use key_upkeep::{KeyUpkeep, KeyUse};
pub use logo_images::{LogoImageError, LogoImages};
pub use merchant::{
    ApprovePayeeCommand, Banks, Checkouts, CreateCheckoutCommand, CreatePayeeCommand, EditCheckoutCommand, Merchants,
    Payees, ProfileCommand, SetLogoCommand, SettlementAccounts, SettlementCommand,
};
pub use merchant_payments::{CreateRefundCommand, FoundRefund, MerchantPayments, RefundCommand};
pub use mfa::{MfaProvider, MfaSessions, MfaUnavailable, OpenMfaSessionCommand};
pub use mode::{DryRun, DryRunDecline, Mode};
pub use networks::ClientNetworks;
pub use payment_batches::{ConfirmCommand, PaymentBatches};
pub use payment_initiation::{BankUnavailable, DecisionPlace, PaymentInitiation, PaymentStart, SimulatedBank};
pub use payment_rail::{PaymentRail, RailUnavailable};
pub use people::{CreatePersonCommand, EditPersonCommand, ErasePersonCommand, People};
pub use production_only::ProductionOnly;
pub use registry::Registry;
pub use sandbox_bank::{AcceptedPayment, SandboxBankStorage};
pub use secrets::{SecretCipher, SecretError, Secrets, StoredSecret};
pub use seeding::{SeedAccount, SeedBudget, SeedCard, SeedData, SeedKey, Seeding};
pub use shipping_rates::{ShippingRates, ShippingRatesUnavailable};
pub use snapshot_files::{ImportSnapshotCommand, SnapshotFiles};
pub use storage::{CompleteStorage, SandboxStorage, Storage};
pub use timelines::{AccountTimeline, ClockCommand, Timelines};
pub use upkeep::{Readiness, Upkeep};
pub use webhook_sender::{WebhookRequest, WebhookSender};
pub use webhooks::{ChangeWebhookCommand, ClientClaim, CreateWebhookCommand, ResponseIfStored, WebhookReach, Webhooks};
pub use worlds::{
    CreateWorldCommand, PageTokens, RenewCommand, Reseal, RestoreCommand, SnapshotCommand, WorldContents, Worlds,
};

#[cfg(feature = "test-support")]
pub use {
    access::{MockAccountProfiles, MockAccounts, MockCallers},
    activities::MockActivities,
    addresses::{MockAddressBook, MockPostcodeProvider},
    audit_log::MockAuditLog,
    batch_management::MockBatchManagement,
    batch_processing::MockBatchProcessing,
    batch_reading::MockBatchReading,
    books::MockBooks,
    books_check::MockBooksCheck,
    budgets::{MockBudgets, MockTransfers},
    card_ledger::MockCardLedger,
    card_management::MockCardManagement,
    cell_directory::MockCellDirectory,
    chain_histories::MockChainHistories,
    checkout_sessions::MockCheckoutSessions,
    clock::{MockClock, MockIdSource},
    credits::MockCredits,
    decision_endpoints::{MockDecisionAsker, MockDecisionEndpoints},
    deliveries::MockDeliveries,
    disputes::MockDisputes,
    events::MockEvents,
    exchange_rates::MockExchangeRates,
    idempotency_records::MockIdempotencyRecords,
    key_source::MockKeySource,
    key_upkeep::MockKeyUpkeep,
    logo_images::MockLogoImages,
    merchant::{MockBanks, MockCheckouts, MockMerchants, MockPayees, MockSettlementAccounts},
    merchant_payments::MockMerchantPayments,
    mfa::{MockMfaProvider, MockMfaSessions},
    networks::MockClientNetworks,
    payment_batches::MockPaymentBatches,
    payment_initiation::{MockPaymentInitiation, MockSimulatedBank},
    payment_rail::MockPaymentRail,
    people::MockPeople,
    registry::MockRegistry,
    sandbox_bank::MockSandboxBankStorage,
    secrets::{MockSecretCipher, MockSecrets},
    seeding::MockSeeding,
    shipping_rates::MockShippingRates,
    snapshot_files::MockSnapshotFiles,
    timelines::MockTimelines,
    upkeep::MockUpkeep,
    webhook_sender::MockWebhookSender,
    webhooks::MockWebhooks,
    worlds::MockWorlds,
};

use std::sync::Arc;

/// A pure decision from a situation `S`. An adapter calls it under its lock, at least once.
pub type Decide<S, D> = Arc<dyn Fn(&S) -> D + Send + Sync>;
