//! The numbers (box transaction ids) of movements.

use super::body::backend::Conn;
use super::body::errors::Outcome;
use super::body::tables::money::{credit_counters, credits, journal_legs, transfers};
use super::body::types::{Id, Named};
use diesel::dsl::max;
use diesel::prelude::*;
use florin_domain::activity::{ActivitySource, PaymentNumbers};
use florin_domain::ids::AccountId;
use florin_domain::ledger::JournalKind;
use std::collections::BTreeMap;
use uuid::Uuid;

/// Returns the table and the column with a number above the last number of the account, if there is one: a later
/// movement would receive the number again.
pub(crate) fn beyond_counter(conn: &mut Conn, account: &AccountId) -> Outcome<Option<&'static str>> {
    let last: i64 = credit_counters::table
        .filter(credit_counters::account_id.eq(account.as_str()))
        .select(credit_counters::last_number)
        .get_result(conn)?;
    let credit: Option<i64> = credits::table
        .filter(credits::account_id.eq(account.as_str()))
        .select(max(credits::number))
        .get_result(conn)?;
    let transfer: Option<i64> = transfers::table
        .filter(transfers::account_id.eq(account.as_str()))
        .select(max(transfers::number))
        .get_result(conn)?;
    let leg: Option<i64> = journal_legs::table
        .filter(journal_legs::account_id.eq(account.as_str()))
        .select(max(journal_legs::number))
        .get_result(conn)?;
    let found = [
        ("`credits`: `number`", credit),
        // A transfer has two consecutive numbers. Its row has the first.
        ("`transfers`: `number` + 1", transfer.map(|number| number.saturating_add(1))),
        ("`journal_legs`: `number`", leg),
    ];
    Ok(found.into_iter().find(|(_, number)| *number > Some(last)).map(|(column, _)| column))
}

/// Returns the numbers of payments. Payments without a number are absent.
pub(super) fn of_payments(
    conn: &mut Conn,
    account: &AccountId,
    ids: &[Uuid],
) -> Outcome<BTreeMap<Uuid, PaymentNumbers>> {
    let rows = journal_legs::table
        .filter(journal_legs::account_id.eq(account.as_str()))
        .filter(journal_legs::cause_id.eq_any(ids.iter().map(|id| Id(*id))))
        .filter(journal_legs::number.is_not_null())
        .select((journal_legs::cause_id, journal_legs::kind, journal_legs::number))
        .load::<(Id, Named<JournalKind>, Option<i64>)>(conn)?;
    let mut numbers: BTreeMap<Uuid, PaymentNumbers> = BTreeMap::new();
    for (payment, Named(kind), number) in rows {
        if let Some(number) = number {
            numbers.entry(payment.0).or_default().add(kind, number);
        }
    }
    Ok(numbers)
}

/// Returns the source and the id of the movement with this number.
pub(super) fn movement(conn: &mut Conn, account: &AccountId, number: i64) -> Outcome<Option<(ActivitySource, Uuid)>> {
    let credit = credits::table
        .filter(credits::account_id.eq(account.as_str()))
        .filter(credits::number.eq(number))
        .select(credits::journal_id);
    if let Some(journal) = credit.get_result::<Id>(conn).optional()? {
        return Ok(Some((ActivitySource::Credit, journal.0)));
    }
    let sides = transfers::table
        .filter(transfers::account_id.eq(account.as_str()))
        .filter(transfers::number.eq_any([number, number.saturating_sub(1)]))
        .select((transfers::number, transfers::id, transfers::journal_id))
        .load::<(i64, Id, Id)>(conn)?;
    if let Some((paying_number, id, journal)) = sides.into_iter().next() {
        let is_paying = paying_number == number;
        return Ok(Some(if is_paying { (ActivitySource::Unload, id.0) } else { (ActivitySource::Load, journal.0) }));
    }
    let booked = journal_legs::table
        .filter(journal_legs::account_id.eq(account.as_str()))
        .filter(journal_legs::number.eq(number))
        .select((journal_legs::kind, journal_legs::journal_id, journal_legs::cause_id));
    let booked = booked.get_result::<(Named<JournalKind>, Id, Id)>(conn).optional()?;
    Ok(booked.map(|(Named(kind), journal, cause)| match kind {
        JournalKind::TopUp => (ActivitySource::TopUp, journal.0),
        _ => (ActivitySource::Payment, cause.0),
    }))
}
