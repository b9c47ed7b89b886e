//! Limits the number of concurrent requests of all accounts together, and of each account.

use florin_domain::ids::AccountId;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Counts the concurrent requests, and limits their number.
pub(crate) struct RequestSlots {
    max: usize,
    max_of_account: usize,
    taken: Mutex<HashMap<AccountId, usize>>,
}

/// The place of one request. Dropping it frees the place.
pub(crate) struct RequestSlot<'a> {
    slots: &'a RequestSlots,
    account: AccountId,
}

impl RequestSlots {
    pub(crate) fn new(max: usize, max_of_account: usize) -> Self {
        Self { max, max_of_account, taken: Mutex::default() }
    }

    /// Takes a place for a request of an account. `None`: no place is free.
    pub(crate) fn take(&self, account: &AccountId) -> Option<RequestSlot<'_>> {
        let mut taken = self.lock();
        let of_account = taken.get(account).copied().unwrap_or_default();
        if of_account >= self.max_of_account || taken.values().sum::<usize>() >= self.max {
            return None;
        }
        taken.insert(account.clone(), of_account + 1);
        Some(RequestSlot { slots: self, account: account.clone() })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<AccountId, usize>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for RequestSlot<'_> {
    fn drop(&mut self) {
        let mut taken = self.slots.lock();
        match taken.get_mut(&self.account) {
            Some(of_account) if *of_account > 1 => *of_account -= 1,
            _ => drop(taken.remove(&self.account)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_account_leaves_places_for_others() {
        let (account, other) = (AccountId::parse("FIRST1").unwrap(), AccountId::parse("OTHER1").unwrap());
        let slots = RequestSlots::new(3, 2);
        let first = slots.take(&account).unwrap();
        let second = slots.take(&account).unwrap();
        assert!(slots.take(&account).is_none(), "the account has two");
        let third = slots.take(&other).unwrap();
        assert!(slots.take(&other).is_none(), "all are taken");
        drop(second);
        assert!(slots.take(&account).is_some());
        drop((first, third));
        assert!(slots.lock().is_empty());
    }
}
