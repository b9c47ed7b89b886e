//! Appends to the audit log, and verifies its chain of hashes.
//!
//! The chain shows whether a record before the last one was changed or removed. Whether records are missing at the end
//! is detected only with a hash that was stored elsewhere: it must be the hash of an intact record.

use florin_domain::audit_log::{AuditEvent, AuditHash, AuditRecord};
use florin_ports::{AuditLog, StoreError};
use sha2::{Digest, Sha256};
use std::sync::Arc;

/// Maximum number of records per read.
const PORTION: u32 = 500;

/// Appends the record of an event to the audit log, and returns it.
pub async fn append_audit(log: &(impl AuditLog + ?Sized), event: AuditEvent) -> Result<AuditRecord, StoreError> {
    log.append(Arc::new(move |last: &Option<AuditRecord>| next_record(last.as_ref(), event.clone()))).await
}

/// Builds the record of an event, which follows the last record.
fn next_record(last: Option<&AuditRecord>, event: AuditEvent) -> AuditRecord {
    let number = last.map_or(1, |last| last.number.saturating_add(1));
    let previous = last.map_or(AuditHash::START, |last| last.hash);
    let hash = hash_of(&event, number, previous);
    AuditRecord { number, event, previous, hash }
}

fn hash_of(event: &AuditEvent, number: i64, previous: AuditHash) -> AuditHash {
    AuditHash(Sha256::digest(event.hashed(number, previous)).into())
}

/// The result of verifying the audit log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditVerification {
    /// Number of intact records.
    pub intact: i64,
    /// The hash of the last intact record. Store it elsewhere, and pass it to [`verify_audit`] as `expected` later.
    pub head: AuditHash,
    /// The first broken record. `None`: all records are intact.
    pub broken: Option<BrokenRecord>,
    /// Whether the expected hash is the hash of an intact record, or [`AuditHash::START`].
    pub has_expected: bool,
}

/// A record that does not continue the chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenRecord {
    /// The number that the chain expects.
    pub number: i64,
    /// The reason.
    pub reason: BrokenReason,
}

/// Reasons that a record does not continue the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BrokenReason {
    /// The next record in the log has another number.
    #[error("it is missing")]
    Missing,
    /// It does not contain the hash of the record before: one of the two was replaced.
    #[error("it does not follow the record before")]
    NotFollowing,
    /// Its hash is not the hash of its contents.
    #[error("it was changed")]
    Changed,
}

impl AuditVerification {
    /// Returns why a record does not continue the chain under this number. `None`: it does.
    fn breach(&self, record: &AuditRecord, number: i64) -> Option<BrokenReason> {
        if record.number != number {
            Some(BrokenReason::Missing)
        } else if record.previous != self.head {
            Some(BrokenReason::NotFollowing)
        } else {
            (record.hash != hash_of(&record.event, record.number, record.previous)).then_some(BrokenReason::Changed)
        }
    }
}

/// Recomputes the hashes of all records, up to the first broken one.
pub async fn verify_audit(
    log: &(impl AuditLog + ?Sized),
    expected: Option<AuditHash>,
) -> Result<AuditVerification, StoreError> {
    let mut chain = AuditVerification {
        intact: 0,
        head: AuditHash::START,
        broken: None,
        has_expected: expected == Some(AuditHash::START),
    };
    loop {
        let records = log.records(chain.intact, PORTION).await?;
        if records.is_empty() {
            return Ok(chain);
        }
        for record in records {
            let number = chain.intact.saturating_add(1);
            if let Some(reason) = chain.breach(&record, number) {
                chain.broken = Some(BrokenRecord { number, reason });
                return Ok(chain);
            }
            (chain.intact, chain.head) = (number, record.hash);
            chain.has_expected |= expected == Some(record.hash);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::DateTime;
    use florin_domain::audit_log::AuditOutcome;
    use florin_ports::MockAuditLog;
    use futures_util::FutureExt;

    fn event(details: &str) -> AuditEvent {
        AuditEvent {
            at: DateTime::UNIX_EPOCH,
            actor: "ada".into(),
            source: "host".into(),
            action: "keys revoke".into(),
            outcome: AuditOutcome::Done,
            begun: None,
            details: details.into(),
        }
    }

    /// Five records.
    fn records() -> Vec<AuditRecord> {
        let mut records: Vec<AuditRecord> = Vec::new();
        for number in 1..=5 {
            records.push(next_record(records.last(), event(&format!("act {number}"))));
        }
        records
    }

    fn verified(records: Vec<AuditRecord>, expected: Option<AuditHash>) -> AuditVerification {
        let mut log = MockAuditLog::new();
        log.expect_records().returning(move |after, max| {
            let later = records.iter().filter(|record| record.number > after);
            Ok(later.take(max as usize).cloned().collect())
        });
        verify_audit(&log, expected).now_or_never().unwrap().unwrap()
    }

    fn broken(records: Vec<AuditRecord>) -> Option<(i64, BrokenReason)> {
        verified(records, None).broken.map(|broken| (broken.number, broken.reason))
    }

    #[test]
    fn the_first_broken_record_is_named() {
        assert_eq!(broken(records()), None);
        let mut changed = records();
        changed[2].event.actor = "eve".into();
        assert_eq!(broken(changed.clone()), Some((3, BrokenReason::Changed)));
        // A record that was changed together with its hash does not fit its successor.
        changed[2].hash = hash_of(&changed[2].event, 3, changed[2].previous);
        assert_eq!(broken(changed), Some((4, BrokenReason::NotFollowing)));
        for gone in 1..=4 {
            let mut records = records();
            records.retain(|record| record.number != gone);
            assert_eq!(broken(records), Some((gone, BrokenReason::Missing)), "{gone}");
        }
    }

    #[test]
    fn a_log_that_was_cut_off_lacks_the_expected_record() {
        let (mut records, last) = (records(), Some(records()[4].hash));
        assert!(verified(records.clone(), last).has_expected);
        records.pop();
        let cut = verified(records, last);
        assert_eq!((cut.broken, cut.intact, cut.has_expected), (None, 4, false));
    }
}
