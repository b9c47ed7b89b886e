//! Reads events, and deletes old ones (contract 6.1).

use crate::Services;
use crate::access::reached_accounts;
use chrono::TimeDelta;
use florin_domain::access::{Account, Caller};
use florin_ports::{EventReach, StoreError};

/// Number of events deleted per transaction. It is small, so that no request waits long for a deletion.
const PORTION: u32 = 500;

/// Returns the accounts whose events a caller may read: `account` if it is given, else all accounts of the key.
pub fn event_reach(caller: &Caller, account: Option<&Account>) -> EventReach {
    EventReach { client: caller.client.id, accounts: reached_accounts(caller, account.map(|account| &account.id)) }
}

/// Deletes the events that were written longer ago than `max_age`, and returns their number.
pub async fn delete_events(services: &Services, max_age: TimeDelta) -> Result<u64, StoreError> {
    let before = services.time.real_now() - max_age;
    let mut deleted = 0;
    loop {
        let count = services.events.delete_events(before, PORTION).await?;
        deleted += count;
        if count < u64::from(PORTION) {
            return Ok(deleted);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expire_holds::tests::services;
    use florin_ports::{MockCardLedger, MockEvents};
    use std::sync::{Arc, Mutex};

    #[tokio::test]
    async fn old_events_are_deleted_in_portions() {
        let (mut events, portions) = (MockEvents::new(), Mutex::new(vec![3, 500, 500]));
        let kept = TimeDelta::days(30);
        events.expect_delete_events().times(3).returning(move |before, max| {
            assert_eq!((before, max), (chrono::DateTime::UNIX_EPOCH - kept, 500));
            Ok(portions.lock().unwrap().pop().unwrap())
        });
        let services = Services { events: Arc::new(events), ..services(MockCardLedger::new()) };
        assert_eq!(delete_events(&services, kept).await, Ok(1003));
    }
}
