//! The only source of time and ids for use cases.
//!
//! Requests on an account use the account's time, and its ids are derived from its seed if it has one:
//! [`AccountClocks::at`]. Leases, the age of records and keys use real time.

mod account_clock;
mod id_sequence;
#[cfg(test)]
mod tests;

pub use account_clock::AccountClock;

use chrono::{DateTime, Utc};
use florin_domain::access::Account;
use florin_domain::ids::{AccountId, ClientId};
use florin_domain::world::{Timeline, WorldSeed};
use florin_ports::{Clock, IdSource, StoreError, Timelines};
use id_sequence::{IdSequence, hashed};
use std::sync::Arc;
use uuid::Uuid;

/// Reads the clocks of accounts, and generates their ids.
#[derive(Clone)]
pub struct AccountClocks {
    clock: Arc<dyn Clock>,
    ids: Arc<dyn IdSource>,
    timelines: Arc<dyn Timelines>,
}

impl AccountClocks {
    /// Combines the time and ids of the machine with the timelines of accounts.
    pub fn new(clock: Arc<dyn Clock>, ids: Arc<dyn IdSource>, timelines: Arc<dyn Timelines>) -> Self {
        Self { clock, ids, timelines }
    }

    /// Returns the time of the machine, for what belongs to no account.
    pub fn real_now(&self) -> DateTime<Utc> {
        self.clock.now()
    }

    /// Returns an id for what belongs to no account, such as a lease or a key.
    pub fn real_id(&self) -> Uuid {
        self.ids.next_id()
    }

    /// Returns the time of an account, for requests that only read.
    pub fn now_of(&self, account: &Account) -> DateTime<Utc> {
        account.timeline.clock.now(self.clock.now())
    }

    /// Returns the clock of a request that writes. Call it once per request: in a seeded world it takes the next number of the
    /// world, which costs a small transaction.
    pub async fn at(&self, account: &Account) -> Result<AccountClock, StoreError> {
        let id_sequence = match account.timeline.seed {
            None => IdSequence::Random(Arc::clone(&self.ids)),
            Some(seed) => {
                let number = self.timelines.next_number(&account.id).await.map_err(gone)?;
                IdSequence::numbered(seed, number)
            }
        };
        Ok(AccountClock::new(self.now_of(account), id_sequence))
    }

    /// Returns the clock of background work. Its ids are derived from `cause`, which must be unique.
    pub fn because(&self, timeline: &Timeline, now: DateTime<Utc>, cause: &[&[u8]]) -> AccountClock {
        let id_sequence = match timeline.seed {
            None => IdSequence::Random(Arc::clone(&self.ids)),
            Some(seed) => IdSequence::caused(seed, cause),
        };
        AccountClock::new(now, id_sequence)
    }
}

/// Maps the failure of a world that was deleted after its account was found. A retry finds it absent.
fn gone(error: StoreError) -> StoreError {
    match error {
        StoreError::NotFound(what) => StoreError::Unavailable(format!("{what} is gone")),
        other => other,
    }
}

/// Derives the seed of a world from the text that its client chose.
pub(crate) fn seed_of(client: ClientId, text: &str) -> WorldSeed {
    WorldSeed(hashed(&[b"florin world", client.0.as_bytes(), text.as_bytes()]))
}

/// Derives the account id of a world, which is always the same for a seeded one.
pub(crate) fn account_of_world(seed: Option<WorldSeed>, random: Uuid) -> Result<AccountId, StoreError> {
    use std::fmt::Write;
    let bytes = match seed {
        Some(seed) => hashed(&[b"florin account", &seed.0]),
        None => hashed(&[b"florin account", random.as_bytes()]),
    };
    let mut text = "W".to_owned();
    for byte in &bytes[..8] {
        // Writing to a string can't fail.
        let _ = write!(text, "{byte:02X}");
    }
    AccountId::parse(&text).map_err(|flaw| StoreError::Corrupt(flaw.message.into_owned()))
}
