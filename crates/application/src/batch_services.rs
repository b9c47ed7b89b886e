//! The ports that the use cases of payment batches ask, wired by the app.

use crate::{AccountClock, AccountClocks};
use chrono::TimeDelta;
use florin_domain::access::Account;
use florin_domain::batch::ModulusTable;
use florin_ports::{Accounts, BatchManagement, BatchProcessing, BatchReading, PaymentRail, StoreError};
use std::sync::Arc;

/// What managing batches takes.
#[derive(Clone)]
pub struct BatchServices {
    /// Tells the time and mints ids: those of an account by [`BatchServices::at`].
    pub time: AccountClocks,
    /// Makes, fills, edits and cancels batches.
    pub management: Arc<dyn BatchManagement>,
    /// Reads batches.
    pub reading: Arc<dyn BatchReading>,
    /// What sort codes and account numbers are checked by.
    pub modulus: Arc<ModulusTable>,
}

impl BatchServices {
    /// Time and ids for a request that writes on an account: once a request.
    pub async fn at(&self, account: &Account) -> Result<AccountClock, StoreError> {
        self.time.at(account).await
    }
}

/// What processing batches takes.
#[derive(Clone)]
pub struct ProcessingServices {
    /// Tells the time and mints ids.
    pub time: AccountClocks,
    /// Finds accounts, whose time the batches go by.
    pub accounts: Arc<dyn Accounts>,
    /// Shares batches among workers.
    pub processing: Arc<dyn BatchProcessing>,
    /// Sends payments.
    pub rail: Arc<dyn PaymentRail>,
    /// How much at a time.
    pub limits: ProcessingLimits,
}

/// How much a worker does at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessingLimits {
    /// How long a batch is leased, and a payment that was taken is waited for, before somebody else looks after it. Longer
    /// than sending a portion takes.
    pub lease: TimeDelta,
    /// How many batches are claimed at a time.
    pub batches: u32,
    /// How many payments are taken, or reports recorded, in one transaction.
    pub portion: u32,
    /// How many portions of one batch are worked through before the others get their turn.
    pub portions: u32,
    /// How many payments are on their way to the bank at once, at least 1.
    pub at_once: usize,
}

impl Default for ProcessingLimits {
    fn default() -> Self {
        Self { lease: TimeDelta::seconds(30), batches: 4, portion: 200, portions: 10, at_once: 32 }
    }
}
