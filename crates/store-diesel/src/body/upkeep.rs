//! Readiness checks and housekeeping.

use super::backend::Conn;
use super::backend::sql::TimeSql;
use super::driver;
use super::environment;
use super::errors::Outcome;
use super::store::Store;
use super::types::Time;
use super::webhooks::delete_client_records;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::BigInt;
use florin_domain::access::Environment;
use florin_ports::{Readiness, StoreError, Upkeep};

/// Deletes expired idempotency records. Both databases accept `$1`, `$2`, …. SQLite numbers them in the order of their
/// first use, so a statement must use them in that order.
const FORGET: &str = "DELETE FROM idempotency_records WHERE (account_id, client_id, idempotency_key) IN \
    (SELECT account_id, client_id, idempotency_key FROM idempotency_records \
    WHERE created_at < $1 ORDER BY created_at LIMIT $2)";

#[async_trait]
impl Upkeep for Store {
    async fn readiness(&self) -> Result<Readiness, StoreError> {
        if let Some(unusable) = self.unusable() {
            return Ok(unusable);
        }
        self.check_writer()?;
        self.read(readiness).await
    }

    async fn check_writes(&self) -> Result<(), StoreError> {
        Store::check_writes(self).await
    }

    async fn environment(&self) -> Result<Option<Environment>, StoreError> {
        self.read(environment::bound).await
    }

    async fn bind(&self, environment: Environment) -> Result<Environment, StoreError> {
        self.change(move |conn| environment::bind(conn, environment)).await
    }

    fn is_overloaded(&self) -> bool {
        self.queue_is_full()
    }

    async fn renew_statistics(&self) -> Result<(), StoreError> {
        self.read(driver::renew_statistics).await
    }

    async fn delete_idempotency_records(&self, before: DateTime<Utc>, max: u32) -> Result<u64, StoreError> {
        self.change(move |conn| {
            let deleted =
                sql_query(FORGET).bind::<TimeSql, _>(Time(before)).bind::<BigInt, _>(i64::from(max)).execute(conn)?;
            let remaining = max.saturating_sub(u32::try_from(deleted).unwrap_or(u32::MAX));
            Ok(deleted as u64 + delete_client_records(conn, before, remaining)?)
        })
        .await
    }
}

fn readiness(conn: &mut Conn) -> Outcome<Readiness> {
    let applied = driver::applied_migrations(conn)?;
    let known = driver::known_migrations()?;
    let is_known = |version: &String| known.iter().any(|(known, _)| known == version);
    Ok(if !applied.iter().all(is_known) {
        Readiness::SchemaTooNew
    } else if known.iter().all(|(version, _)| applied.contains(version)) {
        Readiness::Ready
    } else {
        Readiness::MigrationsPending
    })
}
