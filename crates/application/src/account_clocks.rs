//! The one place where use cases get time and ids.
//!
//! What concerns an account goes by the account's own time, and its ids follow from its seed where it has one:
//! [`AccountClocks::at`]. What concerns the machine (leases, the age of records, keys) goes by real time.

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

/// Tells the time of accounts, and mints their ids.
#[derive(Clone)]
pub struct AccountClocks {
    clock: Arc<dyn Clock>,
    ids: Arc<dyn IdSource>,
    timelines: Arc<dyn Timelines>,
}

impl AccountClocks {
    /// Time and ids of the machine, and where accounts have their own.
    pub fn new(clock: Arc<dyn Clock>, ids: Arc<dyn IdSource>, timelines: Arc<dyn Timelines>) -> Self {
        Self { clock, ids, timelines }
    }

    /// The time of the machine: for what is no account's business.
    pub fn real_now(&self) -> DateTime<Utc> {
        self.clock.now()
    }

    /// An id that is no account's business, such as that of a lease or a key.
    pub fn real_id(&self) -> Uuid {
        self.ids.next_id()
    }

    /// The time of an account, for what is only read.
    pub fn now_of(&self, account: &Account) -> DateTime<Utc> {
        account.timeline.clock.now(self.clock.now())
    }

    /// The moment of a request that writes: to be asked for once a request. In a seeded world it takes the next number of the
    /// world, which costs a small transaction; elsewhere nothing.
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

    /// The moment of what is done in the background, whose ids follow from what it is for: `cause`, which must be another one
    /// each time.
    pub fn because(&self, timeline: &Timeline, now: DateTime<Utc>, cause: &[&[u8]]) -> AccountClock {
        let id_sequence = match timeline.seed {
            None => IdSequence::Random(Arc::clone(&self.ids)),
            Some(seed) => IdSequence::caused(seed, cause),
        };
        AccountClock::new(now, id_sequence)
    }
}

/// A world that was deleted since its account was found: who tries again is told so.
fn gone(error: StoreError) -> StoreError {
    match error {
        StoreError::NotFound(what) => StoreError::Unavailable(format!("{what} is gone")),
        other => other,
    }
}

/// The seed of a world that a client names so.
pub(crate) fn seed_of(client: ClientId, text: &str) -> WorldSeed {
    WorldSeed(hashed(&[b"florin world", client.0.as_bytes(), text.as_bytes()]))
}

/// The account of a world: of a seeded one always the same.
pub(crate) fn account_of_world(seed: Option<WorldSeed>, random: Uuid) -> Result<AccountId, StoreError> {
    use std::fmt::Write;
    let bytes = match seed {
        Some(seed) => hashed(&[b"florin account", &seed.0]),
        None => hashed(&[b"florin account", random.as_bytes()]),
    };
    let mut text = "W".to_owned();
    for byte in &bytes[..8] {
        // A string takes everything.
        let _ = write!(text, "{byte:02X}");
    }
    AccountId::parse(&text).map_err(|flaw| StoreError::Corrupt(flaw.message.into_owned()))
}
