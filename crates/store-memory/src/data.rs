//! The stored data: a map for each kind of record. The keys of an account's records begin with the account.

use crate::stored::{ClientRecord, StoredDelivery};
use chrono::{DateTime, Utc};
use florin_domain::access::{Account, AllowedNetwork, ApiClient, ApiKey, Environment, KeyHash};
use florin_domain::address::Address;
use florin_domain::audit_log::AuditRecord;
use florin_domain::batch::{Alert, Payment, PaymentBatch};
use florin_domain::budget::{Budget, BudgetRecord, Credit, Transfer};
use florin_domain::card::{
    Card, CardLimit, CardRecord, CardSettings, CardTransaction, CardTransition, Chain, DeclineExplanation, Dispute,
};
use florin_domain::checkout::{CheckoutSession, MerchantPayment};
use florin_domain::event::{EventObject, EventPosition, StoredEvent};
use florin_domain::ids::{
    AccountId, ActivityId, ApiKeyId, BudgetId, CardId, CheckoutId, CheckoutSessionId, ClientId, DisputeId, EventId,
    JournalId, LeaseId, MerchantPaymentId, MfaSessionId, PayeeId, PaymentBatchId, PaymentId, PersonId,
    SettlementAccountId, SnapshotId, TransactionToken, TransferId, WebhookId,
};
use florin_domain::ledger::{HashChain, JournalTransaction, Link};
use florin_domain::merchant::{Bank, BankId, Checkout, Logo, MerchantProfile, Payee, SettlementAccount};
use florin_domain::mfa::{MfaSession, TotpEnrolment};
use florin_domain::money::Currency;
use florin_domain::people::Person;
use florin_domain::secret::{SealedSecret, StoreKey};
use florin_domain::webhook::Webhook;
use florin_domain::world::{CreationClaim, ImportedSnapshot, SandboxWorld, Timeline, WorldSnapshot};
use florin_ports::{AcceptedPayment, CellEntry, CellName, EventRecording, RecordedRequest, StoreError, StoredResponse};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt::Debug;

/// All stored data.
#[derive(Clone, Debug, Default)]
pub(crate) struct Data {
    pub(crate) environment: Option<Environment>,
    pub(crate) secret_key: Option<StoreKey>,
    /// The secret from which the tokens of payment pages are derived.
    pub(crate) page_secret: Option<SealedSecret>,
    pub(crate) audit_log: Vec<AuditRecord>,
    pub(crate) clients: BTreeMap<ClientId, ApiClient>,
    /// What callers recorded about the networks of their clients.
    pub(crate) networks: BTreeMap<ClientId, Vec<AllowedNetwork>>,
    pub(crate) accounts: BTreeMap<AccountId, Account>,
    pub(crate) keys: BTreeMap<ApiKeyId, (ApiKey, KeyHash)>,
    pub(crate) banks: BTreeMap<BankId, Bank>,
    pub(crate) addresses: Vec<Address>,
    pub(crate) merchants: MerchantData,
    pub(crate) checkouts: BTreeMap<(AccountId, CheckoutId), Checkout>,
    pub(crate) budgets: BTreeMap<(AccountId, BudgetId), Budget>,
    /// Members of budgets other than their money; the balances in these records are unused.
    pub(crate) budget_records: BTreeMap<(AccountId, BudgetId), BudgetRecord>,
    pub(crate) people: BTreeMap<(AccountId, PersonId), Person>,
    pub(crate) transfers: BTreeMap<(AccountId, TransferId), Transfer>,
    pub(crate) journal: BTreeMap<(AccountId, JournalId), JournalTransaction>,
    /// The links of each leg of each journal transaction, in the order of its lines: the link in the hash chain of the
    /// leg's `from`, then that in the chain of its `to`.
    pub(crate) links: BTreeMap<(AccountId, JournalId), Vec<[Option<Link>; 2]>>,
    /// The ends of hash chains.
    pub(crate) ends: BTreeMap<(AccountId, HashChain), ChainEnd>,
    /// Credits by their numbers, each with the id of its journal transaction.
    pub(crate) credits: BTreeMap<(AccountId, i64), (JournalId, Credit)>,
    pub(crate) cards: BTreeMap<(AccountId, CardId), (Card, Vec<CardLimit>)>,
    /// Members of cards other than their states and limits; the states in these records are unused.
    pub(crate) card_records: BTreeMap<(AccountId, CardId), CardRecord>,
    /// Card settings of the accounts that changed them.
    pub(crate) card_settings: BTreeMap<AccountId, CardSettings>,
    /// Transitions in the order in which they were created.
    pub(crate) transitions: Vec<CardTransition>,
    pub(crate) messages: BTreeMap<(AccountId, TransactionToken), CardTransaction>,
    pub(crate) chains: BTreeMap<(AccountId, TransactionToken), Chain>,
    pub(crate) declined: BTreeMap<(AccountId, TransactionToken), DeclineExplanation>,
    pub(crate) disputes: BTreeMap<(AccountId, DisputeId), Dispute>,
    pub(crate) batches: BTreeMap<(AccountId, PaymentBatchId), PaymentBatch>,
    /// Payments by batch and input index.
    pub(crate) payments: BTreeMap<(AccountId, PaymentBatchId, u32), Payment>,
    pub(crate) alerts: BTreeMap<(AccountId, PaymentBatchId), Vec<Alert>>,
    /// The last lease of each batch, unless it was released, and when it ends.
    pub(crate) leases: BTreeMap<(AccountId, PaymentBatchId), (LeaseId, DateTime<Utc>)>,
    pub(crate) sandbox_bank: BTreeMap<PaymentId, AcceptedPayment>,
    /// Events by position. A position is never used twice.
    pub(crate) events: BTreeMap<EventPosition, StoredEvent>,
    pub(crate) last_position: EventPosition,
    /// Redeliveries by position: which event was sent again, and when in real time.
    pub(crate) redeliveries: BTreeMap<EventPosition, (EventId, DateTime<Utc>)>,
    /// The positions of movements, renewed with each change.
    pub(crate) positions: BTreeMap<(AccountId, ActivityId), i64>,
    /// The last sequences of budgets, batches and checkout sessions.
    pub(crate) sequences: BTreeMap<(AccountId, EventObject), u64>,
    /// The number of the last payment, return or top-up of each balance that has one.
    pub(crate) last_payment_numbers: BTreeMap<(AccountId, (BudgetId, Currency)), i64>,
    /// How events are written.
    pub(crate) recording: Option<EventRecording>,
    pub(crate) mfa_sessions: BTreeMap<(AccountId, MfaSessionId), MfaSession>,
    pub(crate) enrolments: BTreeMap<AccountId, TotpEnrolment>,
    /// Idempotency records of accounts.
    pub(crate) records: BTreeMap<RecordKey, Record>,
    /// The counter of ids of each account that has a timeline. The timeline is stored with the account.
    pub(crate) id_counters: BTreeMap<AccountId, u64>,
    pub(crate) webhooks: BTreeMap<WebhookId, Webhook>,
    /// Deleted subscriptions, and when they were deleted.
    pub(crate) deleted_webhooks: BTreeMap<WebhookId, (Webhook, DateTime<Utc>)>,
    pub(crate) deliveries: BTreeMap<(WebhookId, EventId), StoredDelivery>,
    /// Idempotency records of clients, by client and idempotency key.
    pub(crate) client_records: BTreeMap<(ClientId, String), ClientRecord>,
    pub(crate) worlds: BTreeMap<AccountId, StoredWorld>,
    pub(crate) snapshots: BTreeMap<(AccountId, SnapshotId), StoredSnapshot>,
    /// The timelines and rows of exported snapshots, by the contents of their files. A file only names its snapshot.
    pub(crate) exported: BTreeMap<String, (Timeline, Box<Self>)>,
    pub(crate) imported: BTreeMap<(ClientId, SnapshotId), StoredImport>,
    /// The directory of cells, by the text of each key.
    pub(crate) cells: BTreeMap<String, CellEntry>,
    /// The last revision that was given to an entry of the directory.
    pub(crate) last_cell_revision: i64,
    /// The listed cells, and whether each accepts new clients.
    pub(crate) listed_cells: BTreeMap<CellName, bool>,
    /// The cell that this store is bound to.
    pub(crate) bound_cell: Option<CellName>,
}

/// The stored data of merchants, except their checkouts.
#[derive(Clone, Debug, Default)]
pub(crate) struct MerchantData {
    /// Profiles that were changed. The logos in these records are unused.
    pub(crate) profiles: BTreeMap<AccountId, MerchantProfile>,
    pub(crate) logos: BTreeMap<AccountId, Logo>,
    pub(crate) settlement_accounts: BTreeMap<(AccountId, SettlementAccountId), SettlementAccount>,
    pub(crate) payees: BTreeMap<(AccountId, PayeeId), Payee>,
    /// Sessions of checkouts, and top-ups of budgets.
    pub(crate) sessions: BTreeMap<(AccountId, CheckoutSessionId), CheckoutSession>,
    /// Payments of sessions, and their refunds.
    pub(crate) payments: BTreeMap<(AccountId, MerchantPaymentId), MerchantPayment>,
}

impl Data {
    /// Records that a stored event is sent again.
    pub(crate) fn redelivered(&mut self, event: EventId, now: DateTime<Utc>) {
        if self.events.values().any(|known| known.id == event) {
            self.last_position = EventPosition(self.last_position.0.saturating_add(1));
            self.redeliveries.insert(self.last_position, (event, now));
        }
    }
}

/// A world, and the request that created it.
pub(crate) type StoredWorld = (SandboxWorld, Option<CreationClaim>);

/// A snapshot, the world's timeline, and all rows of the world.
pub(crate) type StoredSnapshot = (WorldSnapshot, Timeline, Box<Data>);

/// An imported snapshot, its world's timeline, and all rows.
#[derive(Clone, Debug)]
pub(crate) struct StoredImport {
    pub(crate) snapshot: ImportedSnapshot,
    pub(crate) timeline: Timeline,
    pub(crate) rows: Box<Data>,
}

/// The end of a hash chain.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ChainEnd {
    /// The last link.
    pub(crate) last: Link,
    /// The number of journal transactions in the chain.
    pub(crate) movements: i64,
}

/// Key of an idempotency record: account, client and idempotency key.
pub(crate) type RecordKey = (AccountId, ClientId, String);

/// Idempotency record: a request that took effect, and its response.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    pub(crate) request: RecordedRequest,
    pub(crate) response: StoredResponse,
    pub(crate) at: DateTime<Utc>,
}

/// Inserts a new record into a map. An existing key is a duplicate.
pub(crate) fn add<K: Ord + Debug, V>(map: &mut BTreeMap<K, V>, key: K, value: V) -> Result<(), StoreError> {
    match map.entry(key) {
        Entry::Occupied(taken) => Err(StoreError::Duplicate(format!("{:?}", taken.key()))),
        Entry::Vacant(free) => {
            free.insert(value);
            Ok(())
        }
    }
}

/// Replaces a record that must exist, because the rule has just read it.
pub(crate) fn replace<K: Ord + Debug, V>(map: &mut BTreeMap<K, V>, key: &K, value: V) -> Result<(), StoreError> {
    match map.get_mut(key) {
        Some(old) => {
            *old = value;
            Ok(())
        }
        None => Err(StoreError::Corrupt(format!("nothing to be changed at {key:?}"))),
    }
}

/// Returns an error unless the record that a new record refers to exists.
pub(crate) fn must_exist(exists: bool, what: &dyn Debug) -> Result<(), StoreError> {
    if exists { Ok(()) } else { Err(StoreError::NotFound(format!("{what:?}"))) }
}
