//! The journal, which is append-only.

use super::backend::Conn;
use super::errors::{Failure, Outcome, corrupt};
use super::names::PoolName;
use super::tables::money::{LegRow, journal_legs};
use super::types::{Currency, Id, Named, Time};
use diesel::prelude::*;
use florin_domain::ids::{AccountId, BudgetId, JournalId};
use florin_domain::ledger::{JournalTransaction, Leg, Pool};
use florin_domain::money::Minor;

/// Returns transactions of an account, by id.
pub(crate) fn load(conn: &mut Conn, account: &AccountId, ids: &[Id]) -> Outcome<Vec<JournalTransaction>> {
    let rows = journal_legs::table
        .filter(journal_legs::account_id.eq(account.as_str()))
        .filter(journal_legs::journal_id.eq_any(ids))
        .order((journal_legs::journal_id, journal_legs::line))
        .select(LegRow::as_select())
        .load(conn)?;
    transactions(rows)
}

/// Checks that all transactions of an account can be read. `Corrupt`: the legs of one of them contradict each other.
pub(crate) fn read_all(conn: &mut Conn, account: &AccountId) -> Outcome<()> {
    let rows = journal_legs::table
        .filter(journal_legs::account_id.eq(account.as_str()))
        .order((journal_legs::journal_id, journal_legs::line))
        .select(LegRow::as_select())
        .load(conn)?;
    transactions(rows).map(drop)
}

/// Builds the transactions from rows of legs, which must be ordered by transaction and line.
fn transactions(rows: Vec<LegRow>) -> Outcome<Vec<JournalTransaction>> {
    let mut rows = rows.into_iter().peekable();
    let mut journal = Vec::new();
    while let Some(first) = rows.next() {
        let (id, cause) = (first.journal_id, (first.kind.0, first.cause_id.0));
        let (Currency(currency), Time(at), number) = (first.currency, first.created_at, first.number);
        let mut legs = vec![leg(&first)?];
        while let Some(next) = rows.next_if(|next| next.journal_id == id) {
            legs.push(leg(&next)?);
        }
        let transaction = JournalTransaction::new(JournalId(id.0), first.account_id.0, cause, currency, at, legs);
        let mut transaction = transaction.map_err(corrupt)?;
        transaction.number = number;
        journal.push(transaction);
    }
    Ok(journal)
}

/// Returns the leg of a row.
pub(crate) fn leg(row: &LegRow) -> Outcome<Leg> {
    let from = pool(row, row.from_pool, row.from_budget_id)?;
    let to = pool(row, row.to_pool, row.to_budget_id)?;
    let leg = Leg::new(from, to, Minor(row.amount_minor)).map_err(corrupt)?;
    leg.ok_or_else(|| corrupt(format!("leg {} of journal transaction {} moves nothing", row.line, row.journal_id.0)))
}

fn pool(row: &LegRow, Named(name): Named<PoolName>, budget: Option<Id>) -> Result<Pool, Failure> {
    let budget = budget.map(|budget| BudgetId(budget.0));
    // `settled_to` belongs only to the side of the leg that is a pool of a merchant.
    let settled_to = row.settled_to.filter(|id| Pool::MerchantSettled(id.0).kind() == name.0);
    let pool = Pool::from_columns(name.0, budget, settled_to.map(|id| id.0));
    pool.ok_or_else(|| corrupt(format!("the owner of pool `{}` is missing or does not fit", name.0)))
}
