//! Lets only a few decided messages of an account run at the same time.

use florin_domain::ids::AccountId;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Maximum number of messages of one account that run at the same time after its endpoint has decided on them.
pub(crate) const DECIDED_MAX: usize = 8;

/// Makes decided messages of an account take turns. An endpoint often decides on many messages at the same moment,
/// because it was asked about them at the same moment. If all of them ran at once, the messages of other accounts would
/// wait for all of them.
#[derive(Debug, Default)]
pub struct DecidedTurns {
    /// Accounts with messages that run or wait.
    accounts: Mutex<HashMap<AccountId, Arc<Semaphore>>>,
}

/// The right of one message to run, or its place among those that wait. Dropping it lets the next message run.
pub(crate) struct DecidedTurn<'a> {
    turns: &'a DecidedTurns,
    account: &'a AccountId,
    permit: Option<OwnedSemaphorePermit>,
}

impl DecidedTurns {
    /// Waits until the message may run. Messages of an account run in the order in which they came.
    pub(crate) async fn take<'a>(&'a self, account: &'a AccountId) -> DecidedTurn<'a> {
        let of_account =
            Arc::clone(self.lock().entry(account.clone()).or_insert_with(|| Arc::new(Semaphore::new(DECIDED_MAX))));
        let mut turn = DecidedTurn { turns: self, account, permit: None };
        // Fails only if the semaphore is closed, which nobody does.
        turn.permit = of_account.acquire_owned().await.ok();
        turn
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<AccountId, Arc<Semaphore>>> {
        self.accounts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for DecidedTurn<'_> {
    fn drop(&mut self) {
        let mut accounts = self.turns.lock();
        self.permit = None;
        // Each message that runs or waits holds the semaphore, too.
        if accounts.get(self.account).is_some_and(|of_account| Arc::strong_count(of_account) == 1) {
            accounts.remove(self.account);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;

    #[tokio::test]
    async fn a_few_messages_of_an_account_run_at_the_same_time() {
        let (turns, mine, other) = (DecidedTurns::default(), account("MINE01"), account("OTHER1"));
        let mut running = Vec::new();
        for _ in 0..DECIDED_MAX {
            running.push(turns.take(&mine).await);
        }
        assert!(turns.take(&mine).now_or_never().is_none(), "all turns are taken");
        let of_other = turns.take(&other).now_or_never();
        assert!(of_other.is_some(), "another account does not wait");
        let mut waiting = Box::pin(turns.take(&mine));
        assert!(waiting.as_mut().now_or_never().is_none());
        running.pop();
        let next = waiting.now_or_never();
        assert!(next.is_some(), "a turn was given back");
        drop((running, next, of_other));
        assert!(turns.lock().is_empty());
    }

    #[tokio::test]
    async fn a_message_that_stops_waiting_leaves_nothing_behind() {
        let (turns, mine) = (DecidedTurns::default(), account("MINE01"));
        let mut running = Vec::new();
        for _ in 0..DECIDED_MAX {
            running.push(turns.take(&mine).await);
        }
        let mut waiting = Box::pin(turns.take(&mine));
        assert!(waiting.as_mut().now_or_never().is_none());
        drop(running);
        assert!(!turns.lock().is_empty());
        drop(waiting);
        assert!(turns.lock().is_empty());
    }

    fn account(id: &str) -> AccountId {
        AccountId::parse(id).unwrap()
    }
}
