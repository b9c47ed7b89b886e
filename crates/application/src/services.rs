//! The ports of the use cases, wired by the application binary.

use crate::{AccountClock, AccountClocks};
use chrono::TimeDelta;
use florin_domain::access::{Account, Environment};
use florin_ports::{
    Accounts, Activities, Banks, Books, Callers, CardLedger, ChainStories, Checkouts, Credits, ExchangeRates,
    KeySource, MfaProvider, MfaSessions, PaymentBatches, PostcodeProvider, StoreError, Timelines, Upkeep, Worlds,
};
use std::sync::Arc;

/// The ports, and the environment that this process serves.
#[derive(Clone)]
pub struct Services {
    /// Sandbox or production.
    pub environment: Environment,
    /// Clocks and ids. For an account use [`Services::at`].
    pub time: AccountClocks,
    /// Finds callers by their keys.
    pub callers: Arc<dyn Callers>,
    /// Finds accounts.
    pub accounts: Arc<dyn Accounts>,
    /// Reads checkouts.
    pub checkouts: Arc<dyn Checkouts>,
    /// Reads the bank list.
    pub banks: Arc<dyn Banks>,
    /// Reads the activity of an account.
    pub activities: Arc<dyn Activities>,
    /// Reads the books of an account.
    pub books: Arc<dyn Books>,
    /// Stores card messages.
    pub cards: Arc<dyn CardLedger>,
    /// Reads whole chains of card messages.
    pub chains: Arc<dyn ChainStories>,
    /// Provides exchange rates.
    pub rates: Arc<dyn ExchangeRates>,
    /// Stores credits.
    pub credits: Arc<dyn Credits>,
    /// Decides confirmations of payment batches.
    pub batches: Arc<dyn PaymentBatches>,
    /// MFA sessions and enrolments.
    pub mfa_sessions: Arc<dyn MfaSessions>,
    /// The MFA providers of this environment.
    pub mfa_providers: Vec<Arc<dyn MfaProvider>>,
    /// Looks up addresses.
    pub postcodes: Arc<dyn PostcodeProvider>,
    /// Readiness and housekeeping.
    pub upkeep: Arc<dyn Upkeep>,
    /// Stores the clocks of accounts.
    pub timelines: Arc<dyn Timelines>,
    /// Stores worlds.
    pub worlds: Arc<dyn Worlds>,
    /// Generates API keys.
    pub keys: Arc<dyn KeySource>,
    /// The lifetime of a world.
    pub world_lifetime: TimeDelta,
}

impl Services {
    /// Returns time and ids for a request that writes on an account. Call it once per request.
    pub async fn at(&self, account: &Account) -> Result<AccountClock, StoreError> {
        self.time.at(account).await
    }
}
