//! Callers and accounts, remembered for a moment, around any store.
//!
//! Every request asks who calls and which account is meant. A store answers both in a round trip or two; at thousands of
//! requests a second those are most of its reads, and nearly all have the same answers.
//!
//! What is remembered may be out of date by [`STALENESS`] at most. So whoever takes something away (revokes a key, switches a
//! feature off) has only to wait that long after it is stored: from then on no request is served by the old answer, in
//! whichever process.
//!
//! - What is absent is never remembered: a new key, a new account work at once.
//! - Failures are never remembered, but shared by those who wait for the same answer.
//! - Whether a key has expired is not this crate's matter: that is asked of the remembered key at each request.
//! - Hashes of keys are found through a keyed hash of them: time tells nothing of how much of one was right.

mod recent;

use async_trait::async_trait;
use florin_domain::access::{Account, Caller, KeyHash};
use florin_domain::ids::AccountId;
use florin_ports::{Accounts, Callers, StoreError};
use recent::Recent;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// How long an answer may be used, counted from before the store was asked. At a thousand requests a second it saves all but
/// one look-up in 250; a longer time would save little more, and operators wait for it.
pub const STALENESS: Duration = Duration::from_millis(250);

/// So many of each are remembered; a caller takes about 1 KiB.
const MOST: u64 = 10_000;

/// Callers, remembered.
pub struct RecentCallers {
    inner: Arc<dyn Callers>,
    recent: Recent<KeyHash, Caller>,
}

impl RecentCallers {
    /// Remembers the answers of `inner`.
    pub fn new(inner: Arc<dyn Callers>) -> Self {
        Self { inner, recent: Recent::new(STALENESS, MOST) }
    }
}

#[async_trait]
impl Callers for RecentCallers {
    async fn find(&self, hash: &KeyHash) -> Result<Option<Caller>, StoreError> {
        self.recent.get(hash, || self.inner.find(hash)).await
    }
}

impl fmt::Debug for RecentCallers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecentCallers").finish_non_exhaustive()
    }
}

/// Accounts, remembered.
pub struct RecentAccounts {
    inner: Arc<dyn Accounts>,
    recent: Recent<AccountId, Account>,
}

impl RecentAccounts {
    /// Remembers the answers of `inner`.
    pub fn new(inner: Arc<dyn Accounts>) -> Self {
        Self { inner, recent: Recent::new(STALENESS, MOST) }
    }
}

#[async_trait]
impl Accounts for RecentAccounts {
    async fn find(&self, id: &AccountId) -> Result<Option<Account>, StoreError> {
        self.recent.get(id, || self.inner.find(id)).await
    }
}

impl fmt::Debug for RecentAccounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecentAccounts").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
