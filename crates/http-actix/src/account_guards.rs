//! Makes the restore or deletion of a world wait for the world's requests in progress, and new requests wait for the
//! restore or deletion.
//!
//! A request reads its account, its clock and its request number before it writes. If the world were restored in
//! between, the request would write what belongs to the replaced state.
//!
//! A request holds a guard on its account. It releases the guard while it waits for the decision endpoint, and
//! reacquires the guard afterwards. After that, only a few requests of an account continue at the same time.

use async_trait::async_trait;
use florin_application::ReleasableGuard;
use florin_domain::ids::AccountId;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{OwnedRwLockReadGuard, OwnedRwLockWriteGuard, OwnedSemaphorePermit, RwLock, Semaphore};
use tokio::time::timeout;

/// Maximum time that a restore waits for the requests in progress.
const PATIENCE: Duration = Duration::from_secs(25);
/// Number of accounts in memory at which accounts without requests are removed.
const FORGET_FROM: usize = 1024;

/// Maximum number of requests of an account that have reacquired their guards, apart from those that have waited for
/// [`REACQUIRE_WAIT`]. A decision endpoint often replies to many questions at the same moment, because they were asked
/// at the same moment. If all their requests continued at once, requests of other accounts would wait for all of them.
const REACQUIRED_MAX: usize = 8;
/// Maximum time that a request waits for others of its account that have reacquired their guards. If writes are slow, a
/// longer wait would cost more than it saves.
const REACQUIRE_WAIT: Duration = Duration::from_millis(100);

/// The requests in progress on all accounts.
#[derive(Default)]
pub(crate) struct AccountGuards {
    accounts: Mutex<HashMap<AccountId, Locks>>,
}

/// The locks of an account. Each request that holds one, or waits for it, has a copy.
#[derive(Clone)]
struct Locks {
    /// Shared by the requests in progress.
    requests: Arc<RwLock<()>>,
    /// The places of requests that have reacquired their guards.
    reacquired: Arc<Semaphore>,
}

impl Locks {
    fn new() -> Self {
        Self { requests: Arc::default(), reacquired: Arc::new(Semaphore::new(REACQUIRED_MAX)) }
    }

    fn are_used(&self) -> bool {
        Arc::strong_count(&self.requests) > 1 || Arc::strong_count(&self.reacquired) > 1
    }
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
        AccountGuard::Shared(self.locks_of(account).requests.read_owned().await)
    }

    /// Waits for all requests on an account, and makes later requests wait. `None`: the requests did not end within
    /// [`PATIENCE`].
    pub(crate) async fn exclusive(&self, account: &AccountId) -> Option<AccountGuard> {
        timeout(PATIENCE, self.locks_of(account).requests.write_owned()).await.ok().map(AccountGuard::Exclusive)
    }

    /// Begins a request on an account like [`Self::share`], and returns a guard that the request can release for a
    /// while.
    pub(crate) async fn begin(&self, account: &AccountId) -> RequestGuard<'_> {
        let guard = Mutex::new(Some((self.share(account).await, None)));
        RequestGuard { guards: self, account: account.clone(), guard }
    }

    fn locks_of(&self, account: &AccountId) -> Locks {
        let mut accounts = self.accounts.lock().unwrap_or_else(PoisonError::into_inner);
        if accounts.len() >= FORGET_FROM && !accounts.contains_key(account) {
            accounts.retain(|_, locks| locks.are_used());
        }
        accounts.entry(account.clone()).or_insert_with(Locks::new).clone()
    }
}

/// The shared guard of a request, and its place if it has reacquired the guard.
type Held = (AccountGuard, Option<OwnedSemaphorePermit>);

/// The shared guard of a request on an account. The request releases it while it waits for a server of the client.
pub(crate) struct RequestGuard<'a> {
    guards: &'a AccountGuards,
    account: AccountId,
    /// `None` while it is released.
    guard: Mutex<Option<Held>>,
}

impl RequestGuard<'_> {
    fn set(&self, guard: Option<Held>) {
        *self.guard.lock().unwrap_or_else(PoisonError::into_inner) = guard;
    }
}

#[async_trait]
impl ReleasableGuard for RequestGuard<'_> {
    fn release(&self) {
        self.set(None);
    }

    async fn reacquire(&self) {
        let place = self.guards.locks_of(&self.account).reacquired.acquire_owned();
        // The inner result fails only if the semaphore is closed, and it never is.
        let place = timeout(REACQUIRE_WAIT, place).await.ok().and_then(Result::ok);
        let guard = self.guards.share(&self.account).await;
        self.set(Some((guard, place)));
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
        assert!(guards.locks_of(&account).requests.try_write().is_err());
        drop(shared);
        let exclusive = guards.locks_of(&account).requests.try_write_owned().map(AccountGuard::Exclusive).unwrap();
        assert!(guards.share(&account).now_or_never().is_none());
        assert!(guards.share(&other).now_or_never().is_some());
        drop(exclusive);
        assert!(guards.share(&account).now_or_never().is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_releases_its_guard_and_reacquires_it() {
        let (guards, account) = (AccountGuards::default(), AccountId::parse("W1").unwrap());
        let guard = guards.begin(&account).now_or_never().unwrap();
        assert!(guards.locks_of(&account).requests.try_write().is_err());
        guard.release();
        let exclusive = guards.locks_of(&account).requests.try_write_owned().map(AccountGuard::Exclusive).unwrap();
        assert!(guard.reacquire().now_or_never().is_none(), "it waits like a new request");
        drop(exclusive);
        assert!(guard.reacquire().now_or_never().is_some());
        assert!(guards.locks_of(&account).requests.try_write().is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn only_a_few_requests_reacquire_their_guards_at_the_same_time() {
        let (guards, account) = (AccountGuards::default(), AccountId::parse("W1").unwrap());
        let (mut all, begin) = (Vec::new(), || guards.begin(&account));
        for _ in 0..REACQUIRED_MAX + 2 {
            let guard = begin().await;
            guard.release();
            all.push(guard);
        }
        let (late, early) = all.split_at(2);
        for guard in early {
            assert!(guard.reacquire().now_or_never().is_some());
        }
        assert!(late[0].reacquire().now_or_never().is_none(), "all places are taken");
        assert!(begin().now_or_never().is_some(), "other requests do not wait");
        let other = guards.begin(&AccountId::parse("W2").unwrap()).await;
        other.release();
        assert!(other.reacquire().now_or_never().is_some(), "another account does not wait");
        early[0].release();
        assert!(late[0].reacquire().now_or_never().is_some(), "there is a free place again");
        // Nobody waits for long. The clock of this test advances while everything waits.
        late[1].reacquire().await;
        assert_eq!(guards.locks_of(&account).reacquired.available_permits(), 0);
        drop(all);
        assert_eq!(guards.locks_of(&account).reacquired.available_permits(), REACQUIRED_MAX);
    }

    #[test]
    fn accounts_without_requests_are_forgotten() {
        let guards = AccountGuards::default();
        let held = guards.share(&AccountId::parse("held").unwrap()).now_or_never().unwrap();
        for number in 0..3 * FORGET_FROM {
            guards.share(&AccountId::parse(&number.to_string()).unwrap()).now_or_never().unwrap();
        }
        let accounts = guards.accounts.lock().unwrap();
        assert!(accounts.len() <= FORGET_FROM && accounts.contains_key(&AccountId::parse("held").unwrap()));
        drop((accounts, held));
    }
}
