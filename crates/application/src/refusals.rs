//! Counts refused authentications until they are recorded in the audit log.
//!
//! An attacker can cause any number of refusals. So a refusal costs no write: refusals are counted in bounded memory,
//! and records summarize them. An allowance limits the number of records.

use crate::{append_audit, caller_network};
use chrono::{DateTime, TimeDelta, Utc};
use florin_domain::audit_log::{AuditEvent, AuditOutcome};
use florin_domain::ids::ApiKeyId;
use florin_ports::{AuditLog, StoreError};
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Maximum number of combinations of network, key and reason that are counted separately until they are recorded.
const MAX_COUNTED: usize = 100;
/// Maximum number of records per round.
const MAX_RECORDS: usize = 10;
/// Maximum number of records that may be written without a pause.
const BURST: i32 = 20;
/// The interval at which the allowance grows by one record.
const REFILL: TimeDelta = TimeDelta::minutes(15);

/// The caller that was refused, and the reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Refused {
    /// The [`caller_network`] of the caller. `None`: unknown, or counted together because there are more than
    /// [`MAX_COUNTED`] combinations.
    network: Option<IpAddr>,
    key: Option<ApiKeyId>,
    reason: &'static str,
}

/// The refusals that one record summarizes, each with its count.
type Summary = Vec<(Refused, u64)>;

#[derive(Debug, Default)]
struct RefusalCounts {
    counts: BTreeMap<Refused, u64>,
    allowance: Allowance,
}

/// The counts of refused authentications that are not recorded yet. Their size is bounded.
#[derive(Debug, Default)]
pub struct RefusedAuthentications(Mutex<RefusalCounts>);

/// The number of records that may be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordRefusals {
    /// As many records as the allowance permits.
    AsAllowed,
    /// At least one record, because the server stops.
    AtStop,
}

impl RefusedAuthentications {
    /// Counts a refusal of a caller with this address. `None`: unknown. All addresses of one [`caller_network`] are
    /// counted as one caller.
    pub fn count(&self, peer: Option<IpAddr>, key: Option<ApiKeyId>, reason: &'static str) {
        self.add(Refused { network: peer.map(caller_network), key, reason }, 1);
    }

    fn add(&self, refused: Refused, times: u64) {
        let mut counted = self.lock();
        let is_new = !counted.counts.contains_key(&refused);
        let others = Refused { network: None, key: None, reason: refused.reason };
        let refused = if is_new && counted.counts.len() >= MAX_COUNTED { others } else { refused };
        let count = counted.counts.entry(refused).or_default();
        *count = count.saturating_add(times);
    }

    /// Removes the counts and returns them as summaries. Callers with a key come first, then the most frequent ones;
    /// each has a summary of its own. The rest share the last summary. Anyone can invent unknown keys, but nobody can
    /// invent an existing one.
    fn take(&self, now: DateTime<Utc>, when: RecordRefusals) -> Vec<Summary> {
        let mut counted = self.lock();
        let min = usize::from(when == RecordRefusals::AtStop);
        let allowed = counted.allowance.left(now).clamp(min, MAX_RECORDS);
        if allowed == 0 {
            return Vec::new();
        }
        let mut counts: Summary = std::mem::take(&mut counted.counts).into_iter().collect();
        counts.sort_by_key(|(refused, count)| std::cmp::Reverse((refused.key.is_some(), *count)));
        let apart = if counts.len() > allowed { allowed - 1 } else { counts.len() };
        let rest = counts.split_off(apart);
        let mut summaries: Vec<Summary> = counts.into_iter().map(|count| vec![count]).collect();
        summaries.extend((!rest.is_empty()).then_some(rest));
        counted.allowance.spend(now, summaries.len());
        summaries
    }

    fn lock(&self) -> MutexGuard<'_, RefusalCounts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The number of records that may be written: at most [`BURST`] immediately, and one more after each [`REFILL`].
#[derive(Debug, Default)]
struct Allowance {
    /// The time at which the full burst is available again. `None`: now.
    full_at: Option<DateTime<Utc>>,
}

impl Allowance {
    fn left(&mut self, now: DateTime<Utc>) -> usize {
        // If the clock is set back, records must not wait longer than a full refill.
        let full_at = self.full_at.map_or(now, |full_at| full_at.clamp(now, now + REFILL * BURST));
        self.full_at = Some(full_at);
        let left = (now + REFILL * BURST - full_at).num_seconds() / REFILL.num_seconds();
        usize::try_from(left).unwrap_or_default()
    }

    fn unspend(&mut self, records: usize) {
        let records = i32::try_from(records).unwrap_or(BURST);
        self.full_at = self.full_at.map(|full_at| full_at - REFILL * records);
    }

    fn spend(&mut self, now: DateTime<Utc>, records: usize) {
        let records = i32::try_from(records).unwrap_or(BURST);
        self.full_at = Some(self.full_at.unwrap_or(now) + REFILL * records);
    }
}

/// Records the refusals since the last call in the audit log. Returns the number of records. If the log fails, the
/// refusals that are not recorded are counted again.
pub async fn record_refusals(
    refusals: &RefusedAuthentications,
    log: &(impl AuditLog + ?Sized),
    (at, when): (DateTime<Utc>, RecordRefusals),
) -> Result<usize, StoreError> {
    let mut summaries = refusals.take(at, when).into_iter();
    let records = summaries.len();
    while let Some(summary) = summaries.next() {
        if let Err(error) = append_audit(log, event(&summary, at)).await {
            let unwritten: Vec<_> = std::iter::once(summary).chain(summaries).collect();
            refusals.lock().allowance.unspend(unwritten.len());
            for (refused, count) in unwritten.into_iter().flatten() {
                refusals.add(refused, count);
            }
            return Err(error);
        }
    }
    Ok(records)
}

/// Builds the audit event that summarizes refusals.
fn event(summary: &Summary, at: DateTime<Utc>) -> AuditEvent {
    let (actor, source) = match summary.as_slice() {
        [(refused, _)] => (refused.key, refused.network),
        _ => (None, None),
    };
    let mut reasons = BTreeMap::<_, u64>::new();
    for (refused, count) in summary {
        let total = reasons.entry(refused.reason).or_default();
        *total = total.saturating_add(*count);
    }
    let details = reasons.iter().map(|(reason, count)| format!("{reason}, {count} time(s)"));
    AuditEvent {
        at,
        actor: actor.map_or_else(|| "-".to_owned(), |key| format!("key {key}")),
        source: source.map_or_else(|| "several addresses".to_owned(), |network| network.to_string()),
        action: "authentication".to_owned(),
        outcome: AuditOutcome::Refused,
        begun: None,
        details: details.collect::<Vec<_>>().join("; "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: DateTime<Utc> = DateTime::UNIX_EPOCH;

    fn flood(refusals: &RefusedAuthentications, size: u32) {
        for number in 0..size {
            refusals.count(Some(IpAddr::from(number.to_be_bytes())), None, "invalid API key");
        }
    }

    fn counts(summaries: &[Summary]) -> u64 {
        summaries.iter().flatten().map(|(_, count)| count).sum()
    }

    #[test]
    fn a_flood_is_summarized() {
        let refusals = RefusedAuthentications::default();
        flood(&refusals, 100_000);
        assert!(refusals.lock().counts.len() <= MAX_COUNTED + 1);
        let summaries = refusals.take(NOW, RecordRefusals::AsAllowed);
        assert_eq!((summaries.len(), counts(&summaries)), (MAX_RECORDS, 100_000));
        assert!(event(&summaries[9], NOW).details.starts_with("invalid API key, "));
        assert!(refusals.take(NOW, RecordRefusals::AtStop).is_empty());
    }

    #[test]
    fn all_addresses_of_a_network_of_ipv6_are_one_caller() {
        let refusals = RefusedAuthentications::default();
        for peer in ["2001:db8::1", "2001:db8::2:1", "2001:db8:0:1::1", "192.0.2.1", "::ffff:192.0.2.1", "192.0.2.2"] {
            refusals.count(Some(peer.parse().unwrap()), None, "unknown API key");
        }
        let summaries = refusals.take(NOW, RecordRefusals::AsAllowed);
        let mut counted: Vec<_> = summaries
            .iter()
            .map(|summary| (event(summary, NOW).source, counts(std::slice::from_ref(summary))))
            .collect();
        counted.sort();
        let expected = [("192.0.2.1", 2), ("192.0.2.2", 1), ("2001:db8:0:1::", 1), ("2001:db8::", 2)];
        assert_eq!(counted, expected.map(|(source, count)| (source.to_owned(), count)));
    }

    #[test]
    fn a_flood_that_lasts_a_year_writes_only_the_allowed_records() {
        let refusals = RefusedAuthentications::default();
        let (mut records, mut counted) = (0, 0);
        for minute in 0..365 * 24 * 60 {
            flood(&refusals, 3);
            let summaries = refusals.take(NOW + TimeDelta::minutes(minute), RecordRefusals::AsAllowed);
            records += summaries.len();
            counted += counts(&summaries);
        }
        assert_eq!(records, 365 * 24 * 4 + 20 - 1);
        // Nothing is lost: the rest is recorded when the server stops, even if nothing is allowed.
        let rest = refusals.take(NOW + TimeDelta::days(365) - TimeDelta::minutes(1), RecordRefusals::AtStop);
        assert_eq!((rest.len(), counted + counts(&rest)), (1, 3 * 365 * 24 * 60));
    }

    #[test]
    fn records_continue_after_the_clock_is_set_back() {
        let refusals = RefusedAuthentications::default();
        for _ in 0..3 {
            flood(&refusals, 20);
            refusals.take(NOW, RecordRefusals::AsAllowed);
        }
        flood(&refusals, 1);
        let earlier = NOW - TimeDelta::days(1000);
        assert!(refusals.take(earlier, RecordRefusals::AsAllowed).is_empty());
        assert_eq!(refusals.take(earlier + REFILL, RecordRefusals::AsAllowed).len(), 1);
    }
}
