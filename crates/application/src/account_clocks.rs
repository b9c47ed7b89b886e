//! The only source of time and ids for use cases.
//!
//! Work on an account uses the account's time. If the account has a seed, the ids of new objects are derived from the
//! seed: see [`AccountClocks::clock_of`].
//! Leases, keys, and the age of idempotency records use real time.

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
use id_sequence::IdSequence;
pub(crate) use id_sequence::hashed;
use std::sync::Arc;
use uuid::Uuid;

/// The time of accounts, and the source of their ids.
#[derive(Clone)]
pub struct AccountClocks {
    clock: Arc<dyn Clock>,
    ids: Arc<dyn IdSource>,
    timelines: Arc<dyn Timelines>,
}

impl AccountClocks {
    /// Combines the machine's clock and ids with the accounts' timelines.
    pub fn new(clock: Arc<dyn Clock>, ids: Arc<dyn IdSource>, timelines: Arc<dyn Timelines>) -> Self {
        Self { clock, ids, timelines }
    }

    /// The real time, for work that belongs to no account.
    pub fn real_now(&self) -> DateTime<Utc> {
        self.clock.now()
    }

    /// A new id for an object of no account, such as a lease or a key.
    pub fn real_id(&self) -> Uuid {
        self.ids.next_id()
    }

    /// The current time of an account, for reads.
    pub fn now_of(&self, account: &Account) -> DateTime<Utc> {
        account.timeline.clock.now(self.clock.now())
    }

    /// Returns the clock and ids of a request that writes; call it once per request. In a seeded world, each call takes
    /// the world's next request number, from which the ids are derived, in a small transaction. Elsewhere, nothing is
    /// stored.
    pub async fn clock_of(&self, account: &Account) -> Result<AccountClock, StoreError> {
        let id_sequence = match account.timeline.seed {
            None => IdSequence::Random(Arc::clone(&self.ids)),
            Some(seed) => {
                let number = self.timelines.next_number(&account.id).await.map_err(deleted_meanwhile)?;
                IdSequence::numbered(seed, number)
            }
        };
        Ok(AccountClock::new(self.now_of(account), id_sequence))
    }

    /// Returns the clock and ids of background work. In a seeded world, the ids are derived from `cause`, which must be
    /// unique.
    pub fn for_background(&self, timeline: &Timeline, now: DateTime<Utc>, cause: &[&[u8]]) -> AccountClock {
        let id_sequence = match timeline.seed {
            None => IdSequence::Random(Arc::clone(&self.ids)),
            Some(seed) => IdSequence::caused(seed, cause),
        };
        AccountClock::new(now, id_sequence)
    }
}

/// Maps `NotFound` to `Unavailable`: the world was deleted during the request, and a retry receives 404.
fn deleted_meanwhile(error: StoreError) -> StoreError {
    match error {
        StoreError::NotFound(what) => StoreError::Unavailable(format!("{what} was deleted meanwhile")),
        other => other,
    }
}

/// Derives the seed of a world from its client and from the text that the client chose as the seed.
pub(crate) fn seed_of(client: ClientId, text: &str) -> WorldSeed {
    WorldSeed(hashed(&[b"florin world", client.0.as_bytes(), text.as_bytes()]))
}

/// The account id of a world. A seeded world always gets the same id. Without a seed, the id is derived from `random`.
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
