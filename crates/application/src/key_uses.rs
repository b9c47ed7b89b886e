//! The times at which keys were last used. They are kept in memory, and stored at intervals.

use chrono::{DateTime, Utc};
use florin_domain::ids::ApiKeyId;
use florin_ports::{KeyUpkeep, KeyUse, StoreError};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// The times of the last uses of keys, until they are stored. Requests record them here; a worker stores them.
#[derive(Debug, Default)]
pub struct KeyUses(Mutex<BTreeMap<ApiKeyId, DateTime<Utc>>>);

impl KeyUses {
    /// Records the use of a valid key in memory.
    pub fn record(&self, key: ApiKeyId, at: DateTime<Utc>) {
        let mut uses = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let last = uses.entry(key).or_insert(at);
        *last = at.max(*last);
    }

    fn take(&self) -> BTreeMap<ApiKeyId, DateTime<Utc>> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Stores the uses that are not stored yet, and returns the number of keys. If the store fails, the uses are kept.
pub async fn record_key_uses(uses: &KeyUses, store: &(impl KeyUpkeep + ?Sized)) -> Result<usize, StoreError> {
    let taken = uses.take();
    if taken.is_empty() {
        return Ok(0);
    }
    if let Err(error) = store.record_uses(taken.iter().map(|(&key, &at)| KeyUse { key, at }).collect()).await {
        for (key, at) in taken {
            uses.record(key, at);
        }
        return Err(error);
    }
    Ok(taken.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::TimeDelta;
    use florin_ports::MockKeyUpkeep;
    use futures_util::FutureExt;
    use uuid::Uuid;

    #[test]
    fn each_key_is_stored_once_and_kept_after_a_failure() {
        let (uses, key) = (KeyUses::default(), ApiKeyId(Uuid::nil()));
        let at = |seconds| DateTime::UNIX_EPOCH + TimeDelta::seconds(seconds);
        for seconds in [1, 3, 2] {
            uses.record(key, at(seconds));
        }
        let mut store = MockKeyUpkeep::new();
        store.expect_record_uses().times(1).returning(|_| Err(StoreError::Overloaded));
        assert_eq!(record_key_uses(&uses, &store).now_or_never().unwrap(), Err(StoreError::Overloaded));
        let mut store = MockKeyUpkeep::new();
        store
            .expect_record_uses()
            .withf(move |uses| *uses == [KeyUse { key, at: at(3) }])
            .times(1)
            .returning(|_| Ok(()));
        assert_eq!(record_key_uses(&uses, &store).now_or_never().unwrap(), Ok(1));
        assert_eq!(record_key_uses(&uses, &store).now_or_never().unwrap(), Ok(0));
    }
}
