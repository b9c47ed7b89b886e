//! Proving balances from the journal.
//!
//! Sums of 64-bit amounts are taken in two halves, `amount >> 32` and `amount & 4294967295`, and put together in 128 bits:
//! a database's own sum may overflow on the way to a result that fits. The statements are plain SQL of the kind that every
//! database reads alike.

use super::backend::{self, Conn};
use super::errors::Outcome;
use super::merchant;
use super::schema::journal_transactions;
use super::store::Store;
use super::types::{Currency, Id};
use async_trait::async_trait;
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{BigInt, Text};
use florin_domain::ids::{BudgetId, JournalId};
use florin_domain::money;
use florin_ports::{AuditReport, Discrepancy, LedgerAudit, StoreError};
use std::collections::BTreeMap;

use super::backend::sql::IdSql;

/// Entries that do not add up to zero, per transaction.
const UNBALANCED: &str = "SELECT journal_id FROM journal_entries GROUP BY account_id, journal_id \
    HAVING SUM(amount_minor & 4294967295) % 4294967296 <> 0 \
    OR SUM(amount_minor >> 32) + SUM(amount_minor & 4294967295) / 4294967296 <> 0 ORDER BY journal_id";

/// What the journal says each pool of each budget holds.
const POOLS: &str = "SELECT e.account_id AS account_id, e.budget_id AS budget_id, t.currency AS currency, e.pool AS pool, \
    CAST(SUM(e.amount_minor >> 32) AS BIGINT) AS high, CAST(SUM(e.amount_minor & 4294967295) AS BIGINT) AS low \
    FROM journal_entries e JOIN journal_transactions t ON t.account_id = e.account_id AND t.id = e.journal_id \
    WHERE e.budget_id IS NOT NULL GROUP BY e.account_id, e.budget_id, t.currency, e.pool";

/// What the chains say is held.
const HOLDS: &str = "SELECT account_id, budget_id, currency, 'chains' AS pool, \
    CAST(SUM(held_minor >> 32) AS BIGINT) AS high, CAST(SUM(held_minor & 4294967295) AS BIGINT) AS low \
    FROM card_chains WHERE ended_by IS NULL GROUP BY account_id, budget_id, currency";

/// What the balances say.
const BALANCES: &str =
    "SELECT account_id, budget_id, currency, available_minor, held_minor, reserved_minor FROM balances";

#[derive(QueryableByName)]
struct UnbalancedRow {
    #[diesel(sql_type = IdSql)]
    journal_id: Id,
}

#[derive(QueryableByName)]
struct SumRow {
    #[diesel(sql_type = Text)]
    account_id: String,
    #[diesel(sql_type = IdSql)]
    budget_id: Id,
    #[diesel(sql_type = Text)]
    currency: Currency,
    #[diesel(sql_type = Text)]
    pool: String,
    #[diesel(sql_type = BigInt)]
    high: i64,
    #[diesel(sql_type = BigInt)]
    low: i64,
}

#[derive(QueryableByName)]
struct StatedRow {
    #[diesel(sql_type = Text)]
    account_id: String,
    #[diesel(sql_type = IdSql)]
    budget_id: Id,
    #[diesel(sql_type = Text)]
    currency: Currency,
    #[diesel(sql_type = BigInt)]
    available_minor: i64,
    #[diesel(sql_type = BigInt)]
    held_minor: i64,
    #[diesel(sql_type = BigInt)]
    reserved_minor: i64,
}

/// What is said of one budget of one account in one currency, by whom. The same budget may be on several accounts: worlds have the
/// ids of their template.
#[derive(Default)]
struct Account {
    stated: BTreeMap<&'static str, i128>,
    proved: BTreeMap<&'static str, i128>,
    chains: i128,
}

#[async_trait]
impl LedgerAudit for Store {
    async fn audit(&self) -> Result<AuditReport, StoreError> {
        self.read(|conn| conn.transaction(audit)).await
    }
}

/// Proves every balance, in one view if the transaction has one.
pub(super) fn audit(conn: &mut Conn) -> Outcome<AuditReport> {
    backend::unhurried(conn)?;
    let journal_transactions = journal_transactions::table.count().get_result(conn)?;
    let unbalanced = sql_query(UNBALANCED).load::<UnbalancedRow>(conn)?;
    let mut accounts: BTreeMap<(String, BudgetId, money::Currency), Account> = BTreeMap::new();
    let stated = sql_query(BALANCES).load::<StatedRow>(conn)?;
    let balances = i64::try_from(stated.len()).unwrap_or(i64::MAX);
    for row in stated {
        let account = accounts.entry((row.account_id, BudgetId(row.budget_id.0), row.currency.0)).or_default();
        let pools = [("available", row.available_minor), ("held", row.held_minor), ("reserved", row.reserved_minor)];
        account.stated = pools.into_iter().map(|(pool, minor)| (pool, i128::from(minor))).collect();
    }
    for row in sql_query(POOLS).load::<SumRow>(conn)? {
        let account = accounts.entry((row.account_id.clone(), BudgetId(row.budget_id.0), row.currency.0)).or_default();
        account.proved.insert(pool(&row.pool), whole(&row));
    }
    for row in sql_query(HOLDS).load::<SumRow>(conn)? {
        let whole = whole(&row);
        accounts.entry((row.account_id, BudgetId(row.budget_id.0), row.currency.0)).or_default().chains = whole;
    }
    let mut discrepancies: Vec<_> =
        unbalanced.into_iter().map(|row| Discrepancy::Unbalanced(JournalId(row.journal_id.0))).collect();
    for ((_, budget, currency), account) in accounts {
        if ["available", "held", "reserved", "other"].iter().any(|pool| account.disagrees_on(pool)) {
            discrepancies.push(Discrepancy::Balance { budget, currency });
        }
        if account.stated.get("held").copied().unwrap_or_default() != account.chains {
            discrepancies.push(Discrepancy::Holds { budget, currency });
        }
    }
    discrepancies.extend(merchant::miscounted(conn)?.into_iter().map(Discrepancy::CheckoutCount));
    Ok(AuditReport { journal_transactions, balances, discrepancies })
}

impl Account {
    fn disagrees_on(&self, pool: &str) -> bool {
        self.stated.get(pool).copied().unwrap_or_default() != self.proved.get(pool).copied().unwrap_or_default()
    }
}

fn pool(name: &str) -> &'static str {
    ["available", "held", "reserved"].into_iter().find(|pool| *pool == name).unwrap_or("other")
}

fn whole(row: &SumRow) -> i128 {
    (i128::from(row.high) << 32) + i128::from(row.low)
}
