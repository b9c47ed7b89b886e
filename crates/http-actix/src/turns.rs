//! Makes the restore or deletion of a world wait for the world's requests, and the requests for the restore.
//!
//! A request reads its account, its clock and its request number before it writes. After a restore in between, they
//! would belong to another state of the world.

use async_trait::async_trait;
use florin_application::AccountTurn;
use florin_domain::ids::AccountId;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{OwnedRwLockReadGuard, OwnedRwLockWriteGuard, RwLock};
use tokio::time::timeout;

/// The time that a restore waits for the requests in progress, at most.
const PATIENCE: Duration = Duration::from_secs(25);
/// Number of accounts above which accounts without requests are forgotten.
const MANY: usize = 1024;

/// The requests in progress on all accounts.
#[derive(Default)]
pub(crate) struct Turns {
    accounts: Mutex<HashMap<AccountId, Arc<RwLock<()>>>>,
}

/// The right to work on an account. It ends when this is dropped.
pub(crate) enum Turn {
    /// Shared with other requests.
    Shared(#[allow(dead_code, reason = "held until the request ends")] OwnedRwLockReadGuard<()>),
    /// Without other requests on the account.
    Alone(#[allow(dead_code, reason = "held until the request ends")] OwnedRwLockWriteGuard<()>),
}

impl Turns {
    /// Begins a request on an account. Waits while a restore or deletion is in progress.
    pub(crate) async fn share(&self, account: &AccountId) -> Turn {
        Turn::Shared(self.of(account).read_owned().await)
    }

    /// Waits for all requests on an account, and makes later requests wait. `None`: the requests did not end within
    /// [`PATIENCE`].
    pub(crate) async fn alone(&self, account: &AccountId) -> Option<Turn> {
        timeout(PATIENCE, self.of(account).write_owned()).await.ok().map(Turn::Alone)
    }

    /// Begins a request on an account like [`Self::share`], and returns a turn that the request can give back for a
    /// while.
    pub(crate) async fn begin(&self, account: &AccountId) -> RequestTurn<'_> {
        let turn = Mutex::new(Some(self.share(account).await));
        RequestTurn { turns: self, account: account.clone(), turn }
    }

    fn of(&self, account: &AccountId) -> Arc<RwLock<()>> {
        let mut accounts = self.accounts.lock().unwrap_or_else(PoisonError::into_inner);
        if accounts.len() >= MANY && !accounts.contains_key(account) {
            accounts.retain(|_, turns| Arc::strong_count(turns) > 1);
        }
        Arc::clone(accounts.entry(account.clone()).or_default())
    }
}

/// The shared turn of a request on an account. The request gives it back while it waits for a server of the client.
pub(crate) struct RequestTurn<'a> {
    turns: &'a Turns,
    account: AccountId,
    /// `None` while it is given back.
    turn: Mutex<Option<Turn>>,
}

impl RequestTurn<'_> {
    fn set(&self, turn: Option<Turn>) {
        *self.turn.lock().unwrap_or_else(PoisonError::into_inner) = turn;
    }
}

#[async_trait]
impl AccountTurn for RequestTurn<'_> {
    fn give_back(&self) {
        self.set(None);
    }

    async fn take_again(&self) {
        let turn = self.turns.share(&self.account).await;
        self.set(Some(turn));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;

    #[test]
    fn one_who_is_alone_keeps_others_waiting() {
        let (turns, account) = (Turns::default(), AccountId::parse("W1").unwrap());
        let other = AccountId::parse("W2").unwrap();
        let shared = [turns.share(&account).now_or_never().unwrap(), turns.share(&account).now_or_never().unwrap()];
        assert!(turns.of(&account).try_write().is_err());
        drop(shared);
        let alone = turns.of(&account).try_write_owned().map(Turn::Alone).unwrap();
        assert!(turns.share(&account).now_or_never().is_none());
        assert!(turns.share(&other).now_or_never().is_some());
        drop(alone);
        assert!(turns.share(&account).now_or_never().is_some());
    }

    #[test]
    fn a_request_gives_its_turn_back_and_takes_it_again() {
        let (turns, account) = (Turns::default(), AccountId::parse("W1").unwrap());
        let turn = turns.begin(&account).now_or_never().unwrap();
        assert!(turns.of(&account).try_write().is_err());
        turn.give_back();
        let alone = turns.of(&account).try_write_owned().map(Turn::Alone).unwrap();
        assert!(turn.take_again().now_or_never().is_none(), "it waits like a new request");
        drop(alone);
        assert!(turn.take_again().now_or_never().is_some());
        assert!(turns.of(&account).try_write().is_err());
    }

    #[test]
    fn accounts_without_requests_are_forgotten() {
        let turns = Turns::default();
        let held = turns.share(&AccountId::parse("held").unwrap()).now_or_never().unwrap();
        for number in 0..3 * MANY {
            turns.share(&AccountId::parse(&number.to_string()).unwrap()).now_or_never().unwrap();
        }
        let accounts = turns.accounts.lock().unwrap();
        assert!(accounts.len() <= MANY && accounts.contains_key(&AccountId::parse("held").unwrap()));
        drop((accounts, held));
    }
}
