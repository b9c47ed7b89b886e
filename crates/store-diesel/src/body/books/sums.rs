//! The sums that each budget's journal, chains and balances report, for one account or for all.

use super::about::about;
use super::body::backend::Conn;
use super::body::backend::sql::IdSql;
use super::body::errors::{Outcome, corrupt};
use super::body::types::{Account, Currency, Id};
use super::disputes;
use super::halves::combine;
use super::hash_chains;
use super::merchant;
use super::reservations::open_orders;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Text};
use florin_domain::books::{AccountBooks, BudgetBooks, BudgetPool, PoolSums};
use florin_domain::ids::{AccountId, BudgetId, JournalId};
use florin_domain::money::{self, Total};
use florin_ports::BooksCheckStep;
use std::collections::BTreeMap;

/// Journal transactions with a leg that does not match the leg before it, and those without legs to which other rows
/// refer. `{of}` is replaced by the condition on the account.
const BROKEN: &str = "SELECT f.journal_id AS journal_id, MIN(f.currency) AS currency FROM ( \
    SELECT e.account_id AS account_id, e.journal_id AS journal_id, e.currency AS currency \
        FROM journal_legs e LEFT JOIN journal_legs b \
        ON b.account_id = e.account_id AND b.journal_id = e.journal_id AND b.line = e.line - 1 \
        WHERE {of} AND e.line > 0 AND (b.line IS NULL OR b.kind <> e.kind OR b.cause_id <> e.cause_id \
        OR b.currency <> e.currency OR b.created_at <> e.created_at) \
    UNION ALL SELECT e.account_id, e.journal_id, e.currency FROM credits e WHERE {of} AND {missing} \
    UNION ALL SELECT e.account_id, e.journal_id, e.currency FROM transfers e WHERE {of} AND {missing} \
    UNION ALL SELECT e.account_id, e.journal_id, e.currency FROM card_transactions e \
        WHERE {of} AND e.journal_id IS NOT NULL AND {missing} \
    ) f GROUP BY f.account_id, f.journal_id ORDER BY f.journal_id, f.account_id";

const MISSING: &str = "NOT EXISTS (SELECT 1 FROM journal_legs l \
    WHERE l.account_id = e.account_id AND l.journal_id = e.journal_id AND l.line = 0)";

const TRANSACTIONS: &str = "SELECT COUNT(*) AS count FROM journal_legs e WHERE {of} AND e.line = 0";

/// The pools of each budget according to the journal: what legs take, then what they add.
const POOLS: &str = "SELECT e.account_id AS account_id, e.from_budget_id AS budget_id, e.currency AS currency, \
    e.from_pool AS pool, CAST(0 AS BIGINT) AS count, \
    CAST(-SUM(e.amount_minor >> 32) AS BIGINT) AS high, CAST(-SUM(e.amount_minor & 4294967295) AS BIGINT) AS low \
    FROM journal_legs e WHERE {of} AND e.from_budget_id IS NOT NULL \
    GROUP BY e.account_id, e.from_budget_id, e.currency, e.from_pool \
    UNION ALL SELECT e.account_id, e.to_budget_id, e.currency, e.to_pool, CAST(0 AS BIGINT), \
    CAST(SUM(e.amount_minor >> 32) AS BIGINT), CAST(SUM(e.amount_minor & 4294967295) AS BIGINT) \
    FROM journal_legs e WHERE {of} AND e.to_budget_id IS NOT NULL \
    GROUP BY e.account_id, e.to_budget_id, e.currency, e.to_pool";

/// The held amounts according to the chains.
const HOLDS: &str = "SELECT e.account_id AS account_id, e.budget_id AS budget_id, e.currency AS currency, \
    'held' AS pool, CAST(SUM(CASE WHEN e.held_minor <> 0 THEN 1 ELSE 0 END) AS BIGINT) AS count, \
    CAST(SUM(e.held_minor >> 32) AS BIGINT) AS high, CAST(SUM(e.held_minor & 4294967295) AS BIGINT) AS low \
    FROM card_chains e WHERE {of} AND e.ended_by IS NULL GROUP BY e.account_id, e.budget_id, e.currency";

/// The stored balances.
const BALANCES: &str = "SELECT e.account_id AS account_id, e.budget_id AS budget_id, e.currency AS currency, \
    e.available_minor AS available_minor, e.held_minor AS held_minor, e.reserved_minor AS reserved_minor \
    FROM balances e WHERE {of}";

#[derive(QueryableByName)]
struct CountRow {
    #[diesel(sql_type = BigInt)]
    count: i64,
}

#[derive(QueryableByName)]
struct BrokenRow {
    #[diesel(sql_type = IdSql)]
    journal_id: Id,
    #[diesel(sql_type = Text)]
    currency: Currency,
}

#[derive(QueryableByName)]
struct SumRow {
    #[diesel(sql_type = Text)]
    account_id: Account,
    #[diesel(sql_type = IdSql)]
    budget_id: Id,
    #[diesel(sql_type = Text)]
    currency: Currency,
    #[diesel(sql_type = Text)]
    pool: String,
    #[diesel(sql_type = BigInt)]
    count: i64,
    #[diesel(sql_type = BigInt)]
    high: i64,
    #[diesel(sql_type = BigInt)]
    low: i64,
}

#[derive(QueryableByName)]
struct StatedRow {
    #[diesel(sql_type = Text)]
    account_id: Account,
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

type Budgets = BTreeMap<(AccountId, BudgetId, money::Currency), BudgetBooks>;

/// Adds up the books of one account, or of all, and reports the steps. Does not check spending limits.
pub(crate) fn gather(
    conn: &mut Conn,
    account: Option<&AccountId>,
    progress: &dyn Fn(BooksCheckStep),
) -> Outcome<AccountBooks> {
    progress(BooksCheckStep::Sums);
    let transactions = about(TRANSACTIONS, account).get_result::<CountRow>(conn)?.count;
    let broken = about(&BROKEN.replace("{missing}", MISSING), account).load::<BrokenRow>(conn)?.into_iter();
    let broken = broken.map(|row| (JournalId(row.journal_id.0), row.currency.0)).collect();
    let mut budgets = Budgets::new();
    stated(conn, account, &mut budgets)?;
    for row in about(POOLS, account).load::<SumRow>(conn)? {
        let pool = BudgetPool::parse(&row.pool).ok_or_else(|| corrupt("a leg of a budget has an unknown pool"))?;
        of(&mut budgets, (row.account_id, row.budget_id, row.currency)).posted.add(pool, combine(row.high, row.low));
    }
    let mut open_holds = 0;
    for row in about(HOLDS, account).load::<SumRow>(conn)? {
        open_holds += row.count;
        of(&mut budgets, (row.account_id, row.budget_id, row.currency)).holds = combine(row.high, row.low);
    }
    let orders = open_orders(conn, account)?;
    let open_orders = i64::try_from(orders.len()).unwrap_or(i64::MAX);
    for order in orders {
        let budget = of(&mut budgets, (order.account_id, order.budget_id, order.currency));
        budget.reservations = budget.reservations.plus(Total(order.minor.into()));
    }
    let (limits, disputes) = (Vec::new(), disputes::gather(conn, account)?);
    let merchant = merchant::gather(conn, account)?;
    let chains = hash_chains::gather(conn, account, progress)?;
    Ok(AccountBooks { transactions, broken, budgets, open_holds, open_orders, limits, disputes, merchant, chains })
}

fn stated(conn: &mut Conn, account: Option<&AccountId>, budgets: &mut Budgets) -> Outcome<()> {
    for row in about(BALANCES, account).load::<StatedRow>(conn)? {
        let budget = of(budgets, (row.account_id, row.budget_id, row.currency));
        budget.has_balances = true;
        budget.stated = PoolSums {
            available: Total(row.available_minor.into()),
            held: Total(row.held_minor.into()),
            reserved: Total(row.reserved_minor.into()),
        };
    }
    Ok(())
}

fn of(budgets: &mut Budgets, (account, budget, currency): (Account, Id, Currency)) -> &mut BudgetBooks {
    budgets.entry((account.0, BudgetId(budget.0), currency.0)).or_default()
}
