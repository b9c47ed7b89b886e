//! Credits and top-ups as movements. The amount comes from the journal. The details of a credit come from its row in
//! `credits`, if there is one.

use super::body::backend::Conn;
use super::body::credits;
use super::body::errors::Outcome;
use super::body::tables::money::journal_legs;
use super::body::types::{Currency, Id, Named, Time};
use diesel::prelude::*;
use florin_domain::activity::{Activity, JournalCredit};
use florin_domain::ids::{AccountId, BudgetId, JournalId, MerchantPaymentId};
use florin_domain::ledger::JournalKind;
use florin_domain::money::Minor;
use std::collections::BTreeMap;
use uuid::Uuid;

/// The leg of a credit or top-up: its transaction, cause, budget, currency, amount, time and number.
type Row = (Id, Id, Option<Id>, Currency, i64, Time, Option<i64>);

/// Returns the credits or top-ups among these journal transactions.
pub(super) fn by_journal(
    conn: &mut Conn,
    account: &AccountId,
    ids: &[Uuid],
    kind: JournalKind,
) -> Outcome<Vec<Activity>> {
    let ids: Vec<_> = ids.iter().map(|id| Id(*id)).collect();
    let rows = journal_legs::table
        .filter(journal_legs::account_id.eq(account.as_str()))
        .filter(journal_legs::journal_id.eq_any(&ids))
        .filter(journal_legs::line.eq(0))
        .filter(journal_legs::kind.eq(Named(kind)))
        .filter(journal_legs::to_pool.eq("available"))
        .select((
            journal_legs::journal_id,
            journal_legs::cause_id,
            journal_legs::to_budget_id,
            journal_legs::currency,
            journal_legs::amount_minor,
            journal_legs::created_at,
            journal_legs::number,
        ))
        .load::<Row>(conn)?;
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let mut details = match kind {
        JournalKind::Credit => credits::details(conn, account, &ids)?,
        _ => BTreeMap::new(),
    };
    let movement = |(id, cause, budget, currency, amount, at, number): Row| {
        let credited = JournalCredit {
            id: JournalId(id.0),
            account: account.clone(),
            budget: BudgetId(budget?.0),
            currency: currency.0,
            amount: Minor(amount),
            at: at.0,
        };
        Some(match kind {
            JournalKind::Credit => credited.with(details.remove(&id)),
            _ => credited.by_top_up(MerchantPaymentId(cause.0), number),
        })
    };
    Ok(rows.into_iter().filter_map(movement).collect())
}
