//! The ports of the use cases of budgets and cards, wired by the application binary.

use crate::{AccountClock, AccountClocks};
use florin_domain::access::Account;
use florin_ports::{Budgets, CardManagement, StoreError, Transfers};
use std::sync::Arc;

/// The services that manage budgets and cards.
#[derive(Clone)]
pub struct ManagementServices {
    /// Clocks and ids. For an account use [`ManagementServices::at`].
    pub time: AccountClocks,
    /// Reads and creates budgets.
    pub budgets: Arc<dyn Budgets>,
    /// Moves money between budgets.
    pub transfers: Arc<dyn Transfers>,
    /// Reads and creates cards, and changes their states and limits.
    pub cards: Arc<dyn CardManagement>,
}

impl ManagementServices {
    /// Returns time and ids for a request that writes on an account. Call it once per request.
    pub async fn at(&self, account: &Account) -> Result<AccountClock, StoreError> {
        self.time.at(account).await
    }
}
