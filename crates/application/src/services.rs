//! The ports that most use cases use. The binary connects them to adapters.

use crate::{
    AccountClock, AccountClocks, DecisionServices, KeyUses, PageTokenMaker, RefusedAuthentications, SecretDigests,
};
use chrono::TimeDelta;
use florin_domain::access::{Account, Environment};
use florin_ports::{
    Accounts, Activities, Banks, Books, Callers, CardLedger, ChainHistories, Credits, Disputes, Events, ExchangeRates,
    IdempotencyRecords, KeySource, MfaProvider, MfaSessions, PaymentBatches, PostcodeProvider, SecretCipher,
    SnapshotFiles, StoreError, Timelines, Upkeep, Worlds,
};
use std::sync::Arc;

/// The ports that most use cases use, and the environment that this process serves.
#[derive(Clone)]
pub struct Services {
    /// Sandbox or production.
    pub environment: Environment,
    /// Real time and ids. [`Services::clock_of`] returns those of an account.
    pub time: AccountClocks,
    /// Finds callers by the hashes of their keys.
    pub callers: Arc<dyn Callers>,
    /// Finds accounts.
    pub accounts: Arc<dyn Accounts>,
    /// Reads the bank list.
    pub banks: Arc<dyn Banks>,
    /// Reads the activity of an account.
    pub activities: Arc<dyn Activities>,
    /// Reads the books of an account.
    pub books: Arc<dyn Books>,
    /// Stores card messages.
    pub cards: Arc<dyn CardLedger>,
    /// The ports of real-time decisions on card messages.
    pub decisions: DecisionServices,
    /// Reads whole chains of card messages.
    pub chains: Arc<dyn ChainHistories>,
    /// Stores disputes of card transactions.
    pub disputes: Arc<dyn Disputes>,
    /// Returns exchange rates.
    pub rates: Arc<dyn ExchangeRates>,
    /// Stores credits.
    pub credits: Arc<dyn Credits>,
    /// Reads events.
    pub events: Arc<dyn Events>,
    /// Stores confirmations of payment batches.
    pub batches: Arc<dyn PaymentBatches>,
    /// Stores MFA sessions and enrolments.
    pub mfa_sessions: Arc<dyn MfaSessions>,
    /// The MFA providers of this environment.
    pub mfa_providers: Vec<Arc<dyn MfaProvider>>,
    /// Encrypts and decrypts the secrets of accounts.
    pub cipher: Arc<dyn SecretCipher>,
    /// Derives the tokens of payment pages.
    pub page_tokens: PageTokenMaker,
    /// Computes digests of PINs, and of bodies with secrets.
    pub digests: SecretDigests,
    /// Looks up the addresses of postcodes.
    pub postcodes: Arc<dyn PostcodeProvider>,
    /// Readiness and maintenance of the store.
    pub upkeep: Arc<dyn Upkeep>,
    /// Stores the idempotency records of requests that are executed in parts, where each part has a record of its own.
    pub records: Arc<dyn IdempotencyRecords>,
    /// Stores the timelines of accounts.
    pub timelines: Arc<dyn Timelines>,
    /// Stores worlds.
    pub worlds: Arc<dyn Worlds>,
    /// Exports and imports snapshots of worlds.
    pub snapshot_files: Arc<dyn SnapshotFiles>,
    /// Creates API keys.
    pub keys: Arc<dyn KeySource>,
    /// The times of the last uses of keys, until they are stored.
    pub key_uses: Arc<KeyUses>,
    /// The refused authentications that are not in the audit log yet.
    pub refusals: Arc<RefusedAuthentications>,
    /// The lifetime of a new world that is not renewed.
    pub world_lifetime: TimeDelta,
}

impl Services {
    /// The clock and ids of a request that writes; call it once per request.
    pub async fn clock_of(&self, account: &Account) -> Result<AccountClock, StoreError> {
        self.time.clock_of(account).await
    }
}
