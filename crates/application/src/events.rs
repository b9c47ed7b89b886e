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

/// Deletes the events that were written longer ago than `kept`, and returns their number.
pub async fn delete_events(services: &Services, kept: TimeDelta) -> Result<u64, StoreError> {
    let before = services.time.real_now() - kept;
    let mut deleted = 0;
    loop {
        let count = services.events.delete_events(before, PORTION).await?;
        deleted += count;
        if count < u64::from(PORTION) {
            return Ok(deleted);
        }
    }
}
