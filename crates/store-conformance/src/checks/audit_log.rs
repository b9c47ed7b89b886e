//! Checks of the audit log.

use super::contention::second;
use crate::check::{CheckResult, Failure, checks};
use crate::expect::{expect_true, same};
use crate::factory::Handle;
use crate::seed_data::noon;
use chrono::TimeDelta;
use florin_domain::audit_log::{AuditEvent, AuditHash, AuditOutcome, AuditRecord};
use std::sync::Arc;

checks! {
    "audit_log.append.follows_the_last_record" => follows_the_last_record,
    "audit_log.records.in_order_after_a_number" => in_order,
    "two_handles.audit_log.is_one_chain" (Reopen) => one_chain,
}

/// Builds the record after `last`. Its hash is made of its number, and it names the hash of `last`.
fn record(last: Option<&AuditRecord>, what: &str) -> AuditRecord {
    let number = last.map_or(1, |last| last.number + 1);
    let mut hash = [0; 32];
    hash[24..].copy_from_slice(&number.to_be_bytes());
    let event = AuditEvent {
        at: noon() + TimeDelta::microseconds(number),
        actor: "Ådä (uid 0)".into(),
        source: "2001:db8::1".into(),
        action: "keys revoke".into(),
        outcome: AuditOutcome::ALL[usize::try_from(number).unwrap_or_default() % 4],
        begun: last.map(|last| last.number).filter(|number| number % 2 == 0),
        details: format!("{what} \"quoted\" 'text'\n\u{1f600}"),
    };
    AuditRecord { number, event, previous: last.map_or(AuditHash::START, |last| last.hash), hash: AuditHash(hash) }
}

async fn append(handle: &Handle, what: &'static str) -> Result<AuditRecord, Failure> {
    Ok(handle.audit_log.append(Arc::new(move |last: &Option<AuditRecord>| record(last.as_ref(), what))).await?)
}

async fn follows_the_last_record(handle: Handle) -> CheckResult {
    same("records of a new store", handle.audit_log.records(0, 9).await?, vec![])?;
    let first = append(&handle, "first").await?;
    same("the first record", &first, &record(None, "first"))?;
    let second = append(&handle, "").await?;
    same("the second record", &second, &record(Some(&first), ""))?;
    same("all records", handle.audit_log.records(0, 9).await?, vec![first, second])
}

async fn in_order(handle: Handle) -> CheckResult {
    let mut all = Vec::new();
    for _ in 0..12 {
        all.push(append(&handle, "one").await?);
    }
    same("all", handle.audit_log.records(0, 100).await?, all.clone())?;
    same("a part", handle.audit_log.records(3, 4).await?, all[3..7].to_vec())?;
    same("after the last", handle.audit_log.records(12, 4).await?, vec![])
}

async fn one_chain(handle: Handle) -> CheckResult {
    let second = second(&handle).await?;
    for _ in 0..5 {
        let (one, other) = tokio::join!(append(&handle, "one"), append(&second, "other"));
        one?;
        other?;
    }
    let records = handle.audit_log.records(0, 100).await?;
    same("number of records", records.len(), 10)?;
    for pair in records.windows(2) {
        expect_true("a record does not follow the one before", pair[1].previous == pair[0].hash)?;
    }
    Ok(())
}
