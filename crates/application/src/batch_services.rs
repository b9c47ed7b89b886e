//! The ports used by the use cases of payment batches, connected by the binary.

use crate::{AccountClock, AccountClocks};
use chrono::TimeDelta;
use florin_domain::access::Account;
use florin_domain::batch::ModulusTable;
use florin_ports::{Accounts, BatchManagement, BatchProcessing, BatchReading, PaymentRail, StoreError};
use std::sync::Arc;

/// The ports for managing batches.
#[derive(Clone)]
pub struct BatchServices {
    /// Real time and ids. [`BatchServices::clock_of`] returns those of an account.
    pub time: AccountClocks,
    /// Creates, fills, edits and cancels batches.
    pub management: Arc<dyn BatchManagement>,
    /// Reads batches.
    pub reading: Arc<dyn BatchReading>,
    /// The table for checking sort codes and account numbers.
    pub modulus: Arc<ModulusTable>,
}

impl BatchServices {
    /// The clock and ids of a request that writes; call it once per request.
    pub async fn clock_of(&self, account: &Account) -> Result<AccountClock, StoreError> {
        self.time.clock_of(account).await
    }
}

/// The ports for processing batches.
#[derive(Clone)]
pub struct ProcessingServices {
    /// Time and ids.
    pub time: AccountClocks,
    /// Finds accounts. The timeline of an account applies to its batches.
    pub accounts: Arc<dyn Accounts>,
    /// Distributes batches among workers.
    pub processing: Arc<dyn BatchProcessing>,
    /// Sends payments.
    pub rail: Arc<dyn PaymentRail>,
    /// The limits of a worker.
    pub limits: ProcessingLimits,
}

/// The limits of a worker: lease, sizes, concurrency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessingLimits {
    /// Duration of a lease, and the time after which the bank is queried about a started payment. Must be longer than
    /// sending one portion takes.
    pub lease: TimeDelta,
    /// Maximum number of batches per claim.
    pub max_batches: u32,
    /// Maximum number of payments that are started, or whose reports are recorded, in one transaction.
    pub portion_size: u32,
    /// Maximum number of portions of one batch before the next batch gets its turn.
    pub max_portions: u32,
    /// Maximum number of concurrent calls to the bank, at least 1.
    pub max_concurrent_calls: usize,
}

impl Default for ProcessingLimits {
    fn default() -> Self {
        Self {
            lease: TimeDelta::seconds(30),
            max_batches: 4,
            portion_size: 200,
            max_portions: 10,
            max_concurrent_calls: 32,
        }
    }
}
