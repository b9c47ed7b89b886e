//! Holds that are due expire (contract 5.5).

use crate::Services;
use crate::cards::stamp;
use florin_domain::card::decide::decide_expiry;
use florin_domain::ids::{AccountId, TransactionToken};
use florin_ports::{DueHold, ExpiryOrder, StoreError, WriteError};
use std::collections::BTreeSet;
use std::sync::Arc;

/// How many holds are looked for at a time.
const PORTION: u32 = 200;

/// Writes the expiry message of every hold that is due; how many were written. A hold that can't be expired is logged,
/// passed by, and tried again by the next sweep: however many there are, they don't keep the others waiting. A store that
/// can't be reached ends the sweep.
pub async fn expire_holds(services: &Services) -> Result<usize, StoreError> {
    let mut written = 0;
    let mut stuck: BTreeSet<(AccountId, TransactionToken)> = BTreeSet::new();
    loop {
        // Those that are stuck are due still, and come first again.
        let most = PORTION.saturating_add(u32::try_from(stuck.len()).unwrap_or(u32::MAX));
        let mut due = services.cards.due_holds(services.clock.now(), most).await?;
        due.retain(|hold| !stuck.contains(&(hold.account.clone(), hold.chain)));
        if due.is_empty() {
            return Ok(written);
        }
        for hold in due {
            let key = (hold.account.clone(), hold.chain);
            if expire(services, hold).await? {
                written += 1;
            } else {
                stuck.insert(key);
            }
        }
    }
}

/// Whether it was written. The error is of a store that nothing more can be asked of now.
async fn expire(services: &Services, hold: DueHold) -> Result<bool, StoreError> {
    let stamp = stamp(services);
    let chain = hold.chain;
    let order = ExpiryOrder { hold, decide: Arc::new(move |situation| decide_expiry(situation, &stamp)) };
    match services.cards.expire(order).await {
        Ok(written) => Ok(written),
        Err(WriteError::Store(error @ (StoreError::Unavailable(_) | StoreError::Overloaded))) => Err(error),
        Err(error) => {
            tracing::error!(%chain, %error, "a hold could not be expired");
            Ok(false)
        }
    }
}

#[cfg(test)]
#[path = "expire_holds_tests.rs"]
mod tests;
