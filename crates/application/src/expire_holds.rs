//! Holds that are due expire (contract 5.5).

use crate::Services;
use crate::cards::stamp;
use florin_domain::card::decide::decide_expiry;
use florin_ports::{DueHold, ExpiryOrder, StoreError};
use std::sync::Arc;

/// How many holds are looked for at a time.
const PORTION: u32 = 200;

/// Writes the expiry message of every hold that is due; how many were written. A hold that can't be expired is logged
/// and tried again by the next sweep.
pub async fn expire_holds(services: &Services) -> Result<usize, StoreError> {
    let mut written = 0;
    loop {
        let due = services.cards.due_holds(services.clock.now(), PORTION).await?;
        let mut expired = 0;
        for hold in due {
            if expire(services, hold).await {
                expired += 1;
            }
        }
        written += expired;
        if expired == 0 {
            return Ok(written);
        }
    }
}

async fn expire(services: &Services, hold: DueHold) -> bool {
    let stamp = stamp(services);
    let chain = hold.chain;
    let order = ExpiryOrder { hold, decide: Arc::new(move |situation| decide_expiry(situation, &stamp)) };
    match services.cards.expire(order).await {
        Ok(written) => written,
        Err(error) => {
            tracing::error!(%chain, %error, "a hold could not be expired");
            false
        }
    }
}
