//! The store that has one of the bugs.

use crate::bugs::Bug;
use florin_domain::access::{Caller, KeyHash};
use florin_domain::books::ExplanationParts;
use florin_domain::card::CardLimit;
use florin_domain::event::{EventPosition, StoredEvent};
use florin_domain::ids::{AccountId, BudgetId, PaymentBatchId, TransactionToken};
use florin_domain::mfa::TotpEnrolment;
use florin_ports::{Lease, Readiness};
use florin_store_memory::MemoryStore;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::sync::{Arc, Mutex};

/// Number of first messages that may wait for their turn.
pub(crate) const QUEUE_CAPACITY: usize = 128;

/// Tokens of an account's messages that wait behind a slow command.
pub(crate) type Waiting = (AccountId, Vec<TransactionToken>);

/// Memory store with one bug or none.
pub(crate) struct Mutant {
    pub(crate) inner: MemoryStore,
    pub(crate) bug: Option<Bug>,
    /// Whether a rule has panicked. Set only with bugs that depend on it.
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
    /// Number of first messages that wait for their turn.
    pub(crate) waiting: Arc<AtomicUsize>,
    /// The messages that were sent behind a message with a slow rule, and their account.
    pub(crate) behind_slow_message: Arc<Mutex<Option<Waiting>>>,
    /// Records that the first handle read before its last command. A second handle with a bug uses them instead of
    /// reading again.
    pub(crate) seen_before: Arc<Mutex<SeenBefore>>,
    /// Events that were listed.
    pub(crate) listed: Arc<Mutex<BTreeMap<EventPosition, StoredEvent>>>,
    /// Number of events that were read.
    pub(crate) reads: Arc<AtomicUsize>,
    /// Whether a command has failed.
    pub(crate) has_failed: Arc<AtomicBool>,
    /// The last explanation of each budget that began with the newest movement.
    pub(crate) explained: Arc<Mutex<BTreeMap<BudgetId, ExplanationParts>>>,
}

/// Records as they were before the last command of the first handle.
#[derive(Default)]
pub(crate) struct SeenBefore {
    pub(crate) limits: Option<Vec<CardLimit>>,
    pub(crate) enrolment: Option<TotpEnrolment>,
    pub(crate) callers: Vec<(KeyHash, Caller)>,
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
            behind_slow_message: Arc::default(),
            seen_before: Arc::default(),
            listed: Arc::default(),
            reads: Arc::default(),
            has_failed: Arc::default(),
            explained: Arc::default(),
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
            behind_slow_message: Arc::clone(&self.behind_slow_message),
            seen_before: Arc::clone(&self.seen_before),
            listed: Arc::clone(&self.listed),
            reads: Arc::clone(&self.reads),
            has_failed: Arc::clone(&self.has_failed),
            explained: Arc::clone(&self.explained),
        }
    }

    pub(crate) fn has(&self, bug: Bug) -> bool {
        self.bug == Some(bug)
    }
}
