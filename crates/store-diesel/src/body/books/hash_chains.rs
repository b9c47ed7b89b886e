//! Reads the hash chains of the journal, for one account or for all.

use super::about::about;
use super::body::backend::sql::{IdSql, TimeSql};
use super::body::backend::{Conn, RowByRow};
use super::body::errors::Outcome;
use super::body::links::link;
use super::body::names::PoolName;
use super::body::types::{Account, Bytes, Currency, Id, Named, Time};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Binary, Nullable, Text};
use florin_domain::books::ChainBooks;
use florin_domain::ids::{AccountId, BudgetId, JournalId};
use florin_domain::ledger::{HashChain, JournalKind, JournalLine, LegSide, StoredPool};
use florin_domain::money::Minor;
use std::collections::BTreeMap;

/// The ends of the chains of balances. `{of}` is replaced by the condition on the account.
const BALANCES: &str = "SELECT e.account_id AS account_id, e.budget_id AS budget_id, e.currency AS currency, \
    e.movements AS movements, e.last_link AS link, e.last_hash AS hash FROM balances e WHERE {of}";

/// The ends of the chains of settlements.
const SETTLEMENTS: &str = "SELECT e.account_id AS account_id, e.last_link AS link, e.last_hash AS hash \
    FROM credit_counters e WHERE {of}";

/// The number of journal transactions of each balance whose legs have no links.
const UNLINKED: &str = "SELECT s.account_id AS account_id, s.budget_id AS budget_id, s.currency AS currency, COUNT(*) AS count \
    FROM (SELECT e.account_id AS account_id, e.from_budget_id AS budget_id, e.currency AS currency, \
        e.journal_id AS journal_id FROM journal_legs e \
        WHERE {of} AND e.from_link IS NULL AND e.to_link IS NULL AND e.from_budget_id IS NOT NULL \
    UNION SELECT e.account_id, e.to_budget_id, e.currency, e.journal_id FROM journal_legs e \
        WHERE {of} AND e.from_link IS NULL AND e.to_link IS NULL AND e.to_budget_id IS NOT NULL) s \
    GROUP BY s.account_id, s.budget_id, s.currency";

/// The links of one side of the legs, in no order. `{side}` is replaced by the side, `{is_to}` by whether it is the receiving one.
const LINKS: &str = "SELECT e.account_id AS account_id, e.journal_id AS journal_id, e.line AS line, \
    e.amount_minor AS amount_minor, e.created_at AS created_at, e.kind AS kind, e.cause_id AS cause_id, \
    e.currency AS currency, e.from_pool AS from_pool, e.from_budget_id AS from_budget_id, e.to_pool AS to_pool, \
    e.to_budget_id AS to_budget_id, e.settled_to AS settled_to, e.number AS number, \
    CAST({is_to} AS BIGINT) AS is_to, e.{side}_link AS link, e.{side}_hash AS hash, e.from_hash AS from_hash \
    FROM journal_legs e WHERE {of} AND e.{side}_link IS NOT NULL";

#[derive(QueryableByName)]
struct EndRow {
    #[diesel(sql_type = Text)]
    account_id: Account,
    #[diesel(sql_type = BigInt)]
    link: i64,
    #[diesel(sql_type = Nullable<Binary>)]
    hash: Option<Bytes>,
}

#[derive(QueryableByName)]
struct BalanceRow {
    #[diesel(embed)]
    end: EndRow,
    #[diesel(sql_type = IdSql)]
    budget_id: Id,
    #[diesel(sql_type = Text)]
    currency: Currency,
    #[diesel(sql_type = BigInt)]
    movements: i64,
}

#[derive(QueryableByName)]
struct UnlinkedRow {
    #[diesel(sql_type = Text)]
    account_id: Account,
    #[diesel(sql_type = IdSql)]
    budget_id: Id,
    #[diesel(sql_type = Text)]
    currency: Currency,
    #[diesel(sql_type = BigInt)]
    count: i64,
}

#[derive(QueryableByName)]
struct LinkRow {
    #[diesel(sql_type = Text)]
    account_id: Account,
    #[diesel(sql_type = IdSql)]
    journal_id: Id,
    #[diesel(sql_type = BigInt)]
    line: i64,
    #[diesel(sql_type = BigInt)]
    amount_minor: i64,
    #[diesel(sql_type = TimeSql)]
    created_at: Time,
    #[diesel(sql_type = Text)]
    kind: Named<JournalKind>,
    #[diesel(sql_type = IdSql)]
    cause_id: Id,
    #[diesel(sql_type = Text)]
    currency: Currency,
    #[diesel(sql_type = Text)]
    from_pool: Named<PoolName>,
    #[diesel(sql_type = Nullable<IdSql>)]
    from_budget_id: Option<Id>,
    #[diesel(sql_type = Text)]
    to_pool: Named<PoolName>,
    #[diesel(sql_type = Nullable<IdSql>)]
    to_budget_id: Option<Id>,
    #[diesel(sql_type = Nullable<IdSql>)]
    settled_to: Option<Id>,
    #[diesel(sql_type = Nullable<BigInt>)]
    number: Option<i64>,
    #[diesel(sql_type = BigInt)]
    is_to: i64,
    #[diesel(sql_type = BigInt)]
    link: i64,
    #[diesel(sql_type = Nullable<Binary>)]
    hash: Option<Bytes>,
    #[diesel(sql_type = Nullable<Binary>)]
    from_hash: Option<Bytes>,
}

type Chains = BTreeMap<(AccountId, HashChain), ChainBooks>;

/// Verifies the hash chains of one account, or of all. The database sorts the links, and they are read one at a time.
pub(super) fn gather(conn: &mut Conn, account: Option<&AccountId>) -> Outcome<Chains> {
    let mut chains = ends(conn, account)?;
    for row in about(UNLINKED, account).load::<UnlinkedRow>(conn)? {
        let chain = HashChain::Balance(BudgetId(row.budget_id.0), row.currency.0);
        chains.entry((row.account_id.0, chain)).or_default().unlinked = row.count;
    }
    let [from, to] =
        [("from", "0"), ("to", "1")].map(|(side, is_to)| LINKS.replace("{side}", side).replace("{is_to}", is_to));
    let links = about(&format!("{from} UNION ALL {to} ORDER BY link, journal_id, line"), account);
    for row in links.load_iter::<LinkRow, RowByRow>(conn)? {
        verify(&mut chains, row?)?;
    }
    Ok(chains)
}

/// Reads the ends of the chains.
fn ends(conn: &mut Conn, account: Option<&AccountId>) -> Outcome<Chains> {
    let mut chains = Chains::new();
    for BalanceRow { end, budget_id, currency, movements } in about(BALANCES, account).load::<BalanceRow>(conn)? {
        let chain = HashChain::Balance(BudgetId(budget_id.0), currency.0);
        let stated = link(end.link, end.hash.as_ref())?;
        chains.insert((end.account_id.0, chain), ChainBooks::new(stated, Some(movements)));
    }
    for end in about(SETTLEMENTS, account).load::<EndRow>(conn)? {
        let stated = link(end.link, end.hash.as_ref())?;
        chains.insert((end.account_id.0, HashChain::Settlements), ChainBooks::new(stated, None));
    }
    Ok(chains)
}

fn verify(chains: &mut Chains, row: LinkRow) -> Outcome<()> {
    let side = if row.is_to == 0 { LegSide::From } else { LegSide::To };
    let stored = link(row.link, row.hash.as_ref())?;
    let paying = link(0, row.from_hash.as_ref().filter(|_| side == LegSide::To))?.hash;
    let budget = |budget: Option<Id>| budget.map(|budget| BudgetId(budget.0));
    let line = JournalLine {
        journal: JournalId(row.journal_id.0),
        line: row.line,
        kind: row.kind.0,
        cause: row.cause_id.0,
        currency: row.currency.0,
        at: row.created_at.0,
        number: row.number,
        amount: Minor(row.amount_minor),
        from: StoredPool { name: row.from_pool.0.0, budget: budget(row.from_budget_id) },
        to: StoredPool { name: row.to_pool.0.0, budget: budget(row.to_budget_id) },
        settled_to: row.settled_to.map(|id| id.0),
    };
    // A pool without a chain has a link only if the leg was changed. The chain of settlements reports it.
    let chain = line.chain(side).unwrap_or(HashChain::Settlements);
    chains.entry((row.account_id.0, chain)).or_default().verify(&line, side, stored, paying);
    Ok(())
}
