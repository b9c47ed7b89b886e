//! Idempotency records go when their time is over (contract 1.4).

use crate::Services;
use chrono::TimeDelta;
use florin_ports::StoreError;

/// How many records go in one transaction, so that no request waits long behind it.
const PORTION: u32 = 500;

/// Forgets the records that are older than `kept`; how many went.
pub async fn forget_answers(services: &Services, kept: TimeDelta) -> Result<u64, StoreError> {
    let before = services.time.real_now() - kept;
    let mut forgotten = 0;
    loop {
        let gone = services.upkeep.forget_answers(before, PORTION).await?;
        forgotten += gone;
        if gone < u64::from(PORTION) {
            return Ok(forgotten);
        }
    }
}
