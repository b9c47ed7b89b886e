//! The audit log.

use super::ask::ask;
use super::backend::Conn;
use super::errors::{Outcome, corrupt};
use super::store::Store;
use async_trait::async_trait;
use chrono::DateTime;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Nullable, Text};
use diesel::{QueryableByName, sql_query};
use florin_domain::audit_log::{AuditEvent, AuditHash, AuditOutcome, AuditRecord};
use florin_ports::{AuditLog, Decide, StoreError};

/// The table is not part of exports: each store has a log of its own, and triggers forbid to change it.
const AFTER: &str = "SELECT number, at, actor, source, action, outcome, begun, details, previous, hash FROM __florin_audit \
    WHERE number > $1 ORDER BY number LIMIT $2";
const LAST: &str = "SELECT number, at, actor, source, action, outcome, begun, details, previous, hash FROM __florin_audit \
    ORDER BY number DESC LIMIT 1";
const APPEND: &str = "INSERT INTO __florin_audit \
    (number, at, actor, source, action, outcome, begun, details, previous, hash) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = BigInt)]
    number: i64,
    /// Microseconds since 1970.
    #[diesel(sql_type = BigInt)]
    at: i64,
    #[diesel(sql_type = Text)]
    actor: String,
    #[diesel(sql_type = Text)]
    source: String,
    #[diesel(sql_type = Text)]
    action: String,
    #[diesel(sql_type = Text)]
    outcome: String,
    #[diesel(sql_type = Nullable<BigInt>)]
    begun: Option<i64>,
    #[diesel(sql_type = Text)]
    details: String,
    #[diesel(sql_type = Text)]
    previous: String,
    #[diesel(sql_type = Text)]
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

/// Changes hold the lock of operators, so records are appended sequentially.
fn append(conn: &mut Conn, chain: &Decide<Option<AuditRecord>, AuditRecord>) -> Outcome<AuditRecord> {
    let last = sql_query(LAST).get_result::<Row>(conn).optional()?.map(Row::read).transpose()?;
    let record = ask(|| chain(&last))?;
    let event = &record.event;
    sql_query(APPEND)
        .bind::<BigInt, _>(record.number)
        .bind::<BigInt, _>(event.at.timestamp_micros())
        .bind::<Text, _>(&event.actor)
        .bind::<Text, _>(&event.source)
        .bind::<Text, _>(&event.action)
        .bind::<Text, _>(event.outcome.as_str())
        .bind::<Nullable<BigInt>, _>(event.begun)
        .bind::<Text, _>(&event.details)
        .bind::<Text, _>(record.previous.to_string())
        .bind::<Text, _>(record.hash.to_string())
        .execute(conn)?;
    Ok(record)
}

#[async_trait]
impl AuditLog for Store {
    async fn append(&self, chain: Decide<Option<AuditRecord>, AuditRecord>) -> Result<AuditRecord, StoreError> {
        self.change(move |conn| append(conn, &chain)).await
    }

    async fn records(&self, after: i64, max: u32) -> Result<Vec<AuditRecord>, StoreError> {
        self.read(move |conn| {
            let query = sql_query(AFTER).bind::<BigInt, _>(after).bind::<BigInt, _>(i64::from(max));
            query.load::<Row>(conn)?.into_iter().map(Row::read).collect()
        })
        .await
    }
}
