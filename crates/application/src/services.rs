//! The ports that use cases ask, wired by the app.

use crate::{AccountClock, AccountClocks};
use chrono::TimeDelta;
use florin_domain::access::{Account, Environment};
use florin_ports::{
    Accounts, Activities, Banks, Books, Callers, CardLedger, ChainStories, Checkouts, Credits, ExchangeRates,
    KeySource, MfaProvider, MfaSessions, PaymentBatches, PostcodeProvider, StoreError, Timelines, Upkeep, Worlds,
};
use std::sync::Arc;

/// Every port, and the environment that this process serves.
#[derive(Clone)]
pub struct Services {
    /// Sandbox or production.
    pub environment: Environment,
    /// Tells the time and mints ids: those of an account by [`Services::at`].
    pub time: AccountClocks,
    /// Finds callers by their keys.
    pub callers: Arc<dyn Callers>,
    /// Finds accounts.
    pub accounts: Arc<dyn Accounts>,
    /// Reads checkouts.
    pub checkouts: Arc<dyn Checkouts>,
    /// Reads the bank list.
    pub banks: Arc<dyn Banks>,
    /// Reads what moved on an account.
    pub activities: Arc<dyn Activities>,
    /// Reads the books of an account.
    pub books: Arc<dyn Books>,
    /// Decides card messages.
    pub cards: Arc<dyn CardLedger>,
    /// Reads whole chains of card messages.
    pub chains: Arc<dyn ChainStories>,
    /// Tells what currencies are worth.
    pub rates: Arc<dyn ExchangeRates>,
    /// Decides credits.
    pub credits: Arc<dyn Credits>,
    /// Decides confirmations of payment batches.
    pub batches: Arc<dyn PaymentBatches>,
    /// MFA sessions and enrolments.
    pub mfa_sessions: Arc<dyn MfaSessions>,
    /// The MFA providers of this environment.
    pub mfa_providers: Vec<Arc<dyn MfaProvider>>,
    /// Knows addresses.
    pub postcodes: Arc<dyn PostcodeProvider>,
    /// Readiness and house-keeping.
    pub upkeep: Arc<dyn Upkeep>,
    /// Keeps the time of accounts.
    pub timelines: Arc<dyn Timelines>,
    /// Keeps worlds.
    pub worlds: Arc<dyn Worlds>,
    /// Makes API keys.
    pub keys: Arc<dyn KeySource>,
    /// How long a world lives.
    pub world_lifetime: TimeDelta,
}

impl Services {
    /// Time and ids for a request that writes on an account: once a request.
    pub async fn at(&self, account: &Account) -> Result<AccountClock, StoreError> {
        self.time.at(account).await
    }
}
