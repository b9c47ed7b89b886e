//! The ports used by the use cases of budgets, cards, people and networks, connected by the binary.

use crate::{AccountClock, AccountClocks};
use florin_domain::access::Account;
use florin_ports::{AccountProfiles, AuditLog, Budgets, CardManagement, ClientNetworks, People, StoreError, Transfers};
use std::sync::Arc;

/// The ports for managing budgets, cards, people, and the networks of a client.
#[derive(Clone)]
pub struct ManagementServices {
    /// Real time and ids. [`ManagementServices::clock_of`] returns those of an account.
    pub time: AccountClocks,
    /// Reads, creates and changes budgets.
    pub budgets: Arc<dyn Budgets>,
    /// Moves money between budgets.
    pub transfers: Arc<dyn Transfers>,
    /// Reads and creates cards, and changes their states and limits.
    pub cards: Arc<dyn CardManagement>,
    /// Reads, creates and changes people.
    pub people: Arc<dyn People>,
    /// Reads the profiles of accounts.
    pub accounts: Arc<dyn AccountProfiles>,
    /// Reads and changes the networks that clients may call from.
    pub networks: Arc<dyn ClientNetworks>,
    /// Records changes of networks.
    pub audit_log: Arc<dyn AuditLog>,
    /// Maximum number of networks of a client.
    pub max_networks: usize,
    /// Maximum number of people of an account.
    pub max_people: u64,
    /// Maximum number of budgets of an account.
    pub max_budgets: u64,
    /// Maximum number of cards of an account.
    pub max_cards: u64,
}

impl ManagementServices {
    /// The clock and ids of a request that writes; call it once per request.
    pub async fn clock_of(&self, account: &Account) -> Result<AccountClock, StoreError> {
        self.time.clock_of(account).await
    }
}
