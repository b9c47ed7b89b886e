//! The ports that managing budgets and cards asks, wired by the app.

use crate::{AccountClock, AccountClocks};
use florin_domain::access::Account;
use florin_ports::{Budgets, CardManagement, StoreError, Transfers};
use std::sync::Arc;

/// What managing budgets and cards takes.
#[derive(Clone)]
pub struct ManagementServices {
    /// Tells the time and mints ids: those of an account by [`ManagementServices::at`].
    pub time: AccountClocks,
    /// Reads budgets and makes new ones.
    pub budgets: Arc<dyn Budgets>,
    /// Moves money between budgets.
    pub transfers: Arc<dyn Transfers>,
    /// Reads cards, makes them, and changes their states and limits.
    pub cards: Arc<dyn CardManagement>,
}

impl ManagementServices {
    /// Time and ids for a request that writes on an account: once a request.
    pub async fn at(&self, account: &Account) -> Result<AccountClock, StoreError> {
        self.time.at(account).await
    }
}
