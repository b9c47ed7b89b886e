//! The ports of the use cases of payment batches, wired by the application binary.

use crate::{AccountClock, AccountClocks};
use chrono::TimeDelta;
use florin_domain::access::Account;
use florin_domain::batch::ModulusTable;
use florin_ports::{Accounts, BatchManagement, BatchProcessing, BatchReading, PaymentRail, StoreError};
use std::sync::Arc;

/// The services that manage batches.
#[derive(Clone)]
pub struct BatchServices {
    /// Clocks and ids. For an account use [`BatchServices::at`].
    pub time: AccountClocks,
    /// Creates, fills, edits and cancels batches.
    pub management: Arc<dyn BatchManagement>,
    /// Reads batches.
    pub reading: Arc<dyn BatchReading>,
    /// The table that sort codes and account numbers are checked with.
    pub modulus: Arc<ModulusTable>,
}

impl BatchServices {
    /// Returns time and ids for a request that writes on an account. Call it once per request.
    pub async fn at(&self, account: &Account) -> Result<AccountClock, StoreError> {
        self.time.at(account).await
    }
}

/// The services that process batches.
#[derive(Clone)]
pub struct ProcessingServices {
    /// Clocks and ids.
    pub time: AccountClocks,
    /// Finds accounts, whose time applies to their batches.
    pub accounts: Arc<dyn Accounts>,
    /// Distributes batches among workers.
    pub processing: Arc<dyn BatchProcessing>,
    /// Sends payments.
    pub rail: Arc<dyn PaymentRail>,
    /// The limits of a round.
    pub limits: ProcessingLimits,
}

/// The limits of one round of a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessingLimits {
    /// The time for which a batch is leased, and after which the outcome of a payment is asked for. Longer than sending a portion
    /// takes.
    pub lease: TimeDelta,
    /// The number of batches claimed at a time.
    pub batches: u32,
    /// The number of payments taken, or reports recorded, in one transaction.
    pub portion: u32,
    /// The number of portions of one batch before the others get their turn.
    pub portions: u32,
    /// The number of payments sent to the bank concurrently, at least 1.
    pub at_once: usize,
}

impl Default for ProcessingLimits {
    fn default() -> Self {
        Self { lease: TimeDelta::seconds(30), batches: 4, portion: 200, portions: 10, at_once: 32 }
    }
}
