//! Limits how many decided messages of an account run their second pass at the same time.

use florin_domain::ids::AccountId;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

/// Maximum number of second passes of one account at the same time, apart from those that have waited for [`MAX_WAIT`].
pub(crate) const SECOND_PASSES_MAX: usize = 8;
/// Maximum time that a second pass waits for others. If writes are slow, waiting would cost more than it saves.
const MAX_WAIT: Duration = Duration::from_millis(100);

/// The second passes of this instance. An endpoint often decides on many messages at the same moment, because it was
/// asked about them at the same moment. If all of them ran at once, messages of other accounts would wait for all of
/// them.
#[derive(Debug, Default)]
pub struct SecondPasses {
    /// Accounts with passes that run or wait.
    accounts: Mutex<HashMap<AccountId, Arc<Semaphore>>>,
}

/// A second pass that runs, or waits for others to end. Dropping it ends it.
pub(crate) struct SecondPass<'a> {
    passes: &'a SecondPasses,
    account: &'a AccountId,
    permit: Option<OwnedSemaphorePermit>,
}

impl SecondPasses {
    /// Waits until another pass of the account may begin, but not for longer than [`MAX_WAIT`]. The passes of an
    /// account begin in the order of their calls.
    pub(crate) async fn begin<'a>(&'a self, account: &'a AccountId) -> SecondPass<'a> {
        let of_account = Arc::clone(
            self.lock().entry(account.clone()).or_insert_with(|| Arc::new(Semaphore::new(SECOND_PASSES_MAX))),
        );
        let mut pass = SecondPass { passes: self, account, permit: None };
        // The inner result fails only if the semaphore is closed, which nobody does.
        pass.permit = timeout(MAX_WAIT, of_account.acquire_owned()).await.ok().and_then(Result::ok);
        pass
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<AccountId, Arc<Semaphore>>> {
        self.accounts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for SecondPass<'_> {
    fn drop(&mut self) {
        let mut accounts = self.passes.lock();
        self.permit = None;
        // Each pass that has a permit or waits for one holds the semaphore, too.
        if accounts.get(self.account).is_some_and(|of_account| Arc::strong_count(of_account) == 1) {
            accounts.remove(self.account);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;

    /// Begins as many passes of an account as may run at the same time.
    async fn all<'a>(passes: &'a SecondPasses, account: &'a AccountId) -> Vec<SecondPass<'a>> {
        let mut running = Vec::new();
        for _ in 0..SECOND_PASSES_MAX {
            running.push(passes.begin(account).await);
        }
        running
    }

    #[tokio::test(start_paused = true)]
    async fn a_few_passes_of_an_account_run_at_the_same_time() {
        let (passes, mine, other) = (SecondPasses::default(), account("MINE01"), account("OTHER1"));
        let mut running = all(&passes, &mine).await;
        let of_other = passes.begin(&other).now_or_never();
        assert!(of_other.is_some(), "another account does not wait");
        let mut waiting = Box::pin(passes.begin(&mine));
        assert!(waiting.as_mut().now_or_never().is_none(), "as many run as may run");
        running.pop();
        let next = waiting.now_or_never();
        assert!(next.is_some(), "another pass has ended");
        drop((running, next, of_other));
        assert!(passes.lock().is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn nobody_waits_for_long() {
        let (passes, mine) = (SecondPasses::default(), account("MINE01"));
        let running = all(&passes, &mine).await;
        let late = passes.begin(&mine).await;
        drop((running, late));
        assert!(passes.lock().is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn a_pass_that_stops_waiting_leaves_nothing_behind() {
        let (passes, mine) = (SecondPasses::default(), account("MINE01"));
        let running = all(&passes, &mine).await;
        let mut waiting = Box::pin(passes.begin(&mine));
        assert!(waiting.as_mut().now_or_never().is_none());
        drop(running);
        assert!(!passes.lock().is_empty());
        drop(waiting);
        assert!(passes.lock().is_empty());
    }

    fn account(id: &str) -> AccountId {
        AccountId::parse(id).unwrap()
    }
}
