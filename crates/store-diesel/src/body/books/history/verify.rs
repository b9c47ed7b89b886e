//! Compares checkpoints with the movements that they cover.

use super::body::backend::Conn;
use super::body::epochs;
use super::body::errors::Outcome;
use super::body::tables::checkpoints::CoverageRow;
use super::body::tables::money::balances;
use super::body::types::Id;
use super::checkpoints::{self, Checkpoint};
use super::gathering::key_of;
use super::kind_sums::KindSums;
use super::{BalanceId, movements};
use diesel::prelude::*;
use florin_domain::ids::BudgetId;
use florin_domain::money;
use uuid::Uuid;

/// Returns the balances with a checkpoint that differs from the movements that it covers, and from which an explanation
/// would start. Reads the journal from the first movement.
pub(crate) fn wrong(conn: &mut Conn) -> Outcome<Vec<(BudgetId, money::Currency)>> {
    let mut wrong = Vec::new();
    for coverage in checkpoints::all(conn)? {
        if epochs::current(conn, &coverage.account_id.0)? == coverage.epoch && !agrees(conn, &coverage)? {
            wrong.push((BudgetId(coverage.budget_id.0), coverage.currency.0));
        }
    }
    Ok(wrong)
}

/// Whether the checkpoints of a balance agree with the journal, or are recognized as outdated.
fn agrees(conn: &mut Conn, coverage: &CoverageRow) -> Outcome<bool> {
    let of =
        BalanceId { account: coverage.account_id.clone(), budget: coverage.budget_id, currency: coverage.currency };
    let checkpoints = checkpoints::between(conn, &of, 0, i64::MAX)?;
    let mut segments = vec![(Vec::new(), KindSums::default()); checkpoints.len()];
    let (mut later, mut all) = (0, 0);
    movements::each_from(conn, &of, Id(Uuid::nil()), &mut |booking| {
        all += 1;
        let key = key_of(&booking);
        match segments.get_mut(checkpoints.partition_point(|checkpoint| checkpoint.last < key)) {
            Some((keys, sums)) => {
                keys.push(key);
                sums.add(&booking);
            }
            None => later += i64::from(Id(booking.journal.0) >= coverage.tail_from),
        }
    })?;
    let counted = counted(conn, &of)? + coverage.uncounted;
    let covered = checkpoints.last().map_or(0, |last| last.covered);
    if covered + later != counted {
        return Ok(true);
    }
    let mut sums = KindSums::default();
    let mut covered = 0;
    let equal = checkpoints.iter().zip(segments).all(|(checkpoint, (mut keys, segment))| {
        keys.sort_unstable();
        covered += i64::try_from(keys.len()).unwrap_or(i64::MAX);
        sums = std::mem::take(&mut sums).plus(&segment);
        is_equal(checkpoint, covered, &sums)
            && checkpoint.journals.iter().map(|id| id.0).eq(keys.iter().map(|(_, id)| *id))
    });
    Ok(equal && all == counted)
}

fn is_equal(checkpoint: &Checkpoint, covered: i64, sums: &KindSums) -> bool {
    checkpoint.covered == covered && checkpoint.sums == *sums
}

fn counted(conn: &mut Conn, of: &BalanceId) -> Outcome<i64> {
    let row = balances::table
        .filter(balances::account_id.eq(&of.account))
        .filter(balances::budget_id.eq(of.budget))
        .filter(balances::currency.eq(of.currency));
    Ok(row.select(balances::movements).get_result(conn)?)
}
