//! Credits and top-ups as movements: the amount comes from the journal, the details of a credit from its row, if it exists.

use super::body::backend::Conn;
use super::body::credits;
use super::body::errors::Outcome;
use super::body::tables::money::{journal_entries, journal_transactions};
use super::body::types::{Currency, Id, Named, Time};
use diesel::prelude::*;
use florin_domain::activity::{Activity, Credited};
use florin_domain::ids::{AccountId, BudgetId, JournalId, MerchantPaymentId};
use florin_domain::ledger::JournalKind;
use florin_domain::money::Minor;
use std::collections::BTreeMap;
use uuid::Uuid;

/// Returns the credits or top-ups among these journal transactions.
pub(super) fn by_journal(
    conn: &mut Conn,
    account: &AccountId,
    ids: &[Uuid],
    kind: JournalKind,
) -> Outcome<Vec<Activity>> {
    let ids: Vec<_> = ids.iter().map(|id| Id(*id)).collect();
    let transactions = journal_transactions::table
        .filter(journal_transactions::account_id.eq(account.as_str()))
        .filter(journal_transactions::id.eq_any(&ids))
        .filter(journal_transactions::kind.eq(Named(kind)))
        .select((
            journal_transactions::id,
            journal_transactions::cause_id,
            journal_transactions::currency,
            journal_transactions::created_at,
        ))
        .load::<(Id, Id, Currency, Time)>(conn)?;
    if transactions.is_empty() {
        return Ok(Vec::new());
    }
    let gains = journal_entries::table
        .filter(journal_entries::account_id.eq(account.as_str()))
        .filter(journal_entries::journal_id.eq_any(&ids))
        .filter(journal_entries::pool.eq("available"))
        .select((journal_entries::journal_id, journal_entries::budget_id, journal_entries::amount_minor))
        .load::<(Id, Option<Id>, i64)>(conn)?;
    let mut gains: BTreeMap<_, _> = gains.into_iter().map(|(id, budget, amount)| (id, (budget, amount))).collect();
    let mut details = match kind {
        JournalKind::Credit => credits::details(conn, account, &ids)?,
        _ => BTreeMap::new(),
    };
    let movement = |(id, cause, currency, at): (Id, Id, Currency, Time)| {
        let (budget, amount) = gains.remove(&id)?;
        let credited = Credited {
            id: JournalId(id.0),
            account: account.clone(),
            budget: BudgetId(budget?.0),
            currency: currency.0,
            amount: Minor(amount),
            at: at.0,
        };
        Some(match kind {
            JournalKind::Credit => credited.with(details.remove(&id)),
            _ => credited.by_top_up(MerchantPaymentId(cause.0)),
        })
    };
    Ok(transactions.into_iter().filter_map(movement).collect())
}
