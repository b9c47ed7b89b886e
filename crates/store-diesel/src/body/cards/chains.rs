//! Chains as rows.

use super::super::backend::{Conn, Db};
use super::super::errors::{Outcome, exactly_one};
use super::super::schema::card_chains as chains;
use super::super::statements::StoreChain;
use super::super::types::{Account, Currency, Id, Named, Time};
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use florin_domain::card::{Chain, ChainEnd, ChainKind};
use florin_domain::ids::{AccountId, BudgetId, CardId, TransactionToken};
use florin_domain::money::Minor;
use florin_ports::DueHold;

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = chains, check_for_backend(Db), treat_none_as_default_value = false)]
struct ChainRow {
    account_id: Account,
    id: Id,
    card_id: Id,
    budget_id: Id,
    currency: Currency,
    kind: Named<ChainKind>,
    authorised_minor: i64,
    held_minor: i64,
    cleared_minor: i64,
    ended_by: Option<Named<ChainEnd>>,
    due_at: Option<Time>,
    created_at: Time,
}

impl From<&Chain> for ChainRow {
    fn from(chain: &Chain) -> Self {
        Self {
            account_id: Account(chain.account.clone()),
            id: Id(chain.id.0),
            card_id: Id(chain.card.0),
            budget_id: Id(chain.budget.0),
            currency: Currency(chain.currency),
            kind: Named(chain.kind),
            authorised_minor: chain.authorised.0,
            held_minor: chain.held.0,
            cleared_minor: chain.cleared.0,
            ended_by: chain.end.map(Named),
            due_at: chain.due_at().map(Time),
            created_at: Time(chain.created_at),
        }
    }
}

impl From<ChainRow> for Chain {
    fn from(row: ChainRow) -> Self {
        Self {
            id: TransactionToken(row.id.0),
            account: row.account_id.0,
            card: CardId(row.card_id.0),
            budget: BudgetId(row.budget_id.0),
            currency: row.currency.0,
            kind: row.kind.0,
            authorised: Minor(row.authorised_minor),
            held: Minor(row.held_minor),
            cleared: Minor(row.cleared_minor),
            created_at: row.created_at.0,
            end: row.ended_by.map(|end| end.0),
        }
    }
}

/// A chain of the account, locked.
pub(super) fn find(conn: &mut Conn, account: &AccountId, id: TransactionToken) -> Outcome<Option<Chain>> {
    let row = locked!(
        chains::table
            .filter(chains::account_id.eq(account.as_str()))
            .filter(chains::id.eq(Id(id.0)))
            .select(ChainRow::as_select())
    )
    .get_result(conn)
    .optional()?;
    Ok(row.map(Chain::from))
}

/// Stores a new chain.
pub(super) fn insert(conn: &mut Conn, chain: &Chain) -> Outcome<()> {
    diesel::insert_into(chains::table).values(ChainRow::from(chain)).execute(conn)?;
    Ok(())
}

/// Stores what became of a chain that goes on.
pub(super) fn update(conn: &mut Conn, chain: &Chain) -> Outcome<()> {
    let statement = StoreChain {
        held: chain.held.0,
        cleared: chain.cleared.0,
        ended_by: chain.end.map(Named),
        due_at: chain.due_at().map(Time),
        account: Account(chain.account.clone()),
        id: Id(chain.id.0),
    };
    let changed = statement.execute(conn)?;
    exactly_one(changed, "open chain")
}

/// Holds that are due, the oldest first.
pub(super) fn due(conn: &mut Conn, now: DateTime<Utc>, most: u32) -> Outcome<Vec<DueHold>> {
    let rows = chains::table
        .filter(chains::due_at.le(Time(now)))
        .order((chains::due_at, chains::account_id, chains::id))
        .limit(i64::from(most))
        .select((chains::account_id, chains::id))
        .load::<(Account, Id)>(conn)?;
    let hold = |(account, chain): (Account, Id)| DueHold { account: account.0, chain: TransactionToken(chain.0) };
    Ok(rows.into_iter().map(hold).collect())
}
