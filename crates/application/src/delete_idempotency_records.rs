//! Deletes old idempotency records (contract 1.4).

use crate::Services;
use chrono::TimeDelta;
use florin_ports::StoreError;

/// Number of records deleted per transaction. It is small, so that no request waits long for a deletion.
const PORTION: u32 = 500;

/// Deletes the records that are older than `max_age`, and returns their number.
pub async fn delete_idempotency_records(services: &Services, max_age: TimeDelta) -> Result<u64, StoreError> {
    let before = services.time.real_now() - max_age;
    let mut deleted = 0;
    loop {
        let count = services.upkeep.delete_idempotency_records(before, PORTION).await?;
        deleted += count;
        if count < u64::from(PORTION) {
            return Ok(deleted);
        }
    }
}
