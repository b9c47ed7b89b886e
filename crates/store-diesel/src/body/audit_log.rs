//! The audit log.

use super::ask::ask;
use super::backend::Conn;
use super::errors::{Outcome, corrupt};
use super::store::Store;
use async_trait::async_trait;
use chrono::DateTime;
use diesel::prelude::*;
use florin_domain::audit_log::{AuditEvent, AuditHash, AuditOutcome, AuditRecord};
use florin_ports::{AuditLog, Decide, StoreError};

// Declared here, because the tables in `tables` are exported and this one is not: each store has its own log.
diesel::table! {
    __florin_audit (number) {
        number -> BigInt,
        at -> BigInt,
        actor -> Text,
        source -> Text,
        action -> Text,
        outcome -> Text,
        begun -> Nullable<BigInt>,
        details -> Text,
        previous -> Text,
        hash -> Text,
    }
}

#[derive(Queryable, Insertable)]
#[diesel(table_name = __florin_audit)]
struct Row {
    number: i64,
    /// Microseconds since 1970.
    at: i64,
    actor: String,
    source: String,
    action: String,
    outcome: String,
    begun: Option<i64>,
    details: String,
    previous: String,
    hash: String,
}

impl Row {
    fn read(self) -> Outcome<AuditRecord> {
        let number = self.number;
        let damaged = || corrupt(format!("record {number} of the audit log can't be read: it was changed"));
        Ok(AuditRecord {
            number: self.number,
            event: AuditEvent {
                at: DateTime::from_timestamp_micros(self.at).ok_or_else(damaged)?,
                actor: self.actor,
                source: self.source,
                action: self.action,
                outcome: AuditOutcome::parse(&self.outcome).ok_or_else(damaged)?,
                begun: self.begun,
                details: self.details,
            },
            previous: AuditHash::parse(&self.previous).ok_or_else(damaged)?,
            hash: AuditHash::parse(&self.hash).ok_or_else(damaged)?,
        })
    }
}

impl From<&AuditRecord> for Row {
    fn from(record: &AuditRecord) -> Self {
        let AuditEvent { at, actor, source, action, outcome, begun, details } = record.event.clone();
        Self {
            number: record.number,
            at: at.timestamp_micros(),
            actor,
            source,
            action,
            outcome: outcome.as_str().to_owned(),
            begun,
            details,
            previous: record.previous.to_string(),
            hash: record.hash.to_string(),
        }
    }
}

/// Appends the record that `decide` derives from the last one. The caller holds the lock of operators, so records are
/// appended sequentially.
fn append(conn: &mut Conn, decide: &Decide<Option<AuditRecord>, AuditRecord>) -> Outcome<AuditRecord> {
    let last = __florin_audit::table.order(__florin_audit::number.desc()).first::<Row>(conn).optional()?;
    let last = last.map(Row::read).transpose()?;
    let record = ask(|| decide(&last))?;
    diesel::insert_into(__florin_audit::table).values(Row::from(&record)).execute(conn)?;
    Ok(record)
}

#[async_trait]
impl AuditLog for Store {
    async fn append(&self, decide: Decide<Option<AuditRecord>, AuditRecord>) -> Result<AuditRecord, StoreError> {
        self.change(move |conn| append(conn, &decide)).await
    }

    async fn records(&self, after: i64, max: u32) -> Result<Vec<AuditRecord>, StoreError> {
        self.read(move |conn| {
            let later = __florin_audit::table.filter(__florin_audit::number.gt(after));
            let rows = later.order(__florin_audit::number).limit(max.into()).load::<Row>(conn)?;
            rows.into_iter().map(Row::read).collect()
        })
        .await
    }
}
