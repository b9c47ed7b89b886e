//! Makes the restore or deletion of a world wait for the world's requests, and the requests for the restore.
//!
//! A request reads its account, its clock and its request number before it writes. After a restore in between, they
//! would belong to another state of the world.

use async_trait::async_trait;
use florin_application::ReleasableGuard;
use florin_domain::ids::AccountId;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{OwnedRwLockReadGuard, OwnedRwLockWriteGuard, RwLock};
use tokio::time::timeout;

/// Maximum time that a restore waits for the requests in progress.
const PATIENCE: Duration = Duration::from_secs(25);
/// Number of accounts above which accounts without requests are forgotten.
const MANY: usize = 1024;

/// The requests in progress on all accounts.
#[derive(Default)]
pub(crate) struct AccountGuards {
    accounts: Mutex<HashMap<AccountId, Arc<RwLock<()>>>>,
}

/// The right to work on an account. It ends when this is dropped.
pub(crate) enum AccountGuard {
    /// Shared with other requests.
    Shared(#[allow(dead_code, reason = "held until the request ends")] OwnedRwLockReadGuard<()>),
    /// Without other requests on the account.
    Exclusive(#[allow(dead_code, reason = "held until the request ends")] OwnedRwLockWriteGuard<()>),
}

impl AccountGuards {
    /// Begins a request on an account. Waits while a restore or deletion is in progress.
    pub(crate) async fn share(&self, account: &AccountId) -> AccountGuard {
        AccountGuard::Shared(self.of(account).read_owned().await)
    }

    /// Waits for all requests on an account, and makes later requests wait. `None`: the requests did not end within
    /// [`PATIENCE`].
    pub(crate) async fn exclusive(&self, account: &AccountId) -> Option<AccountGuard> {
        timeout(PATIENCE, self.of(account).write_owned()).await.ok().map(AccountGuard::Exclusive)
    }

    /// Begins a request on an account like [`Self::share`], and returns a guard that the request can release for a
    /// while.
    pub(crate) async fn begin(&self, account: &AccountId) -> RequestGuard<'_> {
        let guard = Mutex::new(Some(self.share(account).await));
        RequestGuard { guards: self, account: account.clone(), guard }
    }

    fn of(&self, account: &AccountId) -> Arc<RwLock<()>> {
        let mut accounts = self.accounts.lock().unwrap_or_else(PoisonError::into_inner);
        if accounts.len() >= MANY && !accounts.contains_key(account) {
            accounts.retain(|_, guards| Arc::strong_count(guards) > 1);
        }
        Arc::clone(accounts.entry(account.clone()).or_default())
    }
}

/// The shared guard of a request on an account. The request releases it while it waits for a server of the client.
pub(crate) struct RequestGuard<'a> {
    guards: &'a AccountGuards,
    account: AccountId,
    /// `None` while it is released.
    guard: Mutex<Option<AccountGuard>>,
}

impl RequestGuard<'_> {
    fn set(&self, guard: Option<AccountGuard>) {
        *self.guard.lock().unwrap_or_else(PoisonError::into_inner) = guard;
    }
}

#[async_trait]
impl ReleasableGuard for RequestGuard<'_> {
    fn release(&self) {
        self.set(None);
    }

    async fn reacquire(&self) {
        let guard = self.guards.share(&self.account).await;
        self.set(Some(guard));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;

    #[test]
    fn an_exclusive_guard_makes_other_requests_wait() {
        let (guards, account) = (AccountGuards::default(), AccountId::parse("W1").unwrap());
        let other = AccountId::parse("W2").unwrap();
        let shared = [guards.share(&account).now_or_never().unwrap(), guards.share(&account).now_or_never().unwrap()];
        assert!(guards.of(&account).try_write().is_err());
        drop(shared);
        let exclusive = guards.of(&account).try_write_owned().map(AccountGuard::Exclusive).unwrap();
        assert!(guards.share(&account).now_or_never().is_none());
        assert!(guards.share(&other).now_or_never().is_some());
        drop(exclusive);
        assert!(guards.share(&account).now_or_never().is_some());
    }

    #[test]
    fn a_request_releases_its_guard_and_reacquires_it() {
        let (guards, account) = (AccountGuards::default(), AccountId::parse("W1").unwrap());
        let guard = guards.begin(&account).now_or_never().unwrap();
        assert!(guards.of(&account).try_write().is_err());
        guard.release();
        let exclusive = guards.of(&account).try_write_owned().map(AccountGuard::Exclusive).unwrap();
        assert!(guard.reacquire().now_or_never().is_none(), "it waits like a new request");
        drop(exclusive);
        assert!(guard.reacquire().now_or_never().is_some());
        assert!(guards.of(&account).try_write().is_err());
    }

    #[test]
    fn accounts_without_requests_are_forgotten() {
        let guards = AccountGuards::default();
        let held = guards.share(&AccountId::parse("held").unwrap()).now_or_never().unwrap();
        for number in 0..3 * MANY {
            guards.share(&AccountId::parse(&number.to_string()).unwrap()).now_or_never().unwrap();
        }
        let accounts = guards.accounts.lock().unwrap();
        assert!(accounts.len() <= MANY && accounts.contains_key(&AccountId::parse("held").unwrap()));
        drop((accounts, held));
    }
}
