//! The stored checkpoints of a balance.

use super::BalanceId;
use super::body::backend::Conn;
use super::body::errors::{Outcome, corrupt};
use super::body::statements;
use super::body::tables::checkpoints::{CheckpointRow, CoverageRow, balance_checkpoints, balance_coverage};
use super::body::types::{Bytes, Id, Time};
use super::gathering::ListKey;
use super::kind_sums::KindSums;
use diesel::prelude::*;
use uuid::Uuid;

/// Maximum number of checkpoints that one transaction stores.
const ROWS_AT_ONCE: usize = 200;

/// A checkpoint: the sum of the oldest movements of a balance.
#[derive(Clone, Debug)]
pub(super) struct Checkpoint {
    /// The number of movements that it covers.
    pub(super) covered: i64,
    /// The place of the last of these movements.
    pub(super) last: ListKey,
    /// The id from which a read of the movements after this checkpoint starts: their least id when the checkpoint was
    /// created.
    pub(super) tail_from: Id,
    /// The sums of the covered movements.
    pub(super) sums: KindSums,
    /// The ids of the movements since the previous checkpoint, in the order of the list.
    pub(super) journals: Vec<Id>,
}

/// New checkpoints, and which stored ones they replace.
#[derive(Clone, Debug)]
pub(crate) struct Extension {
    /// The epoch and the version of the checkpoints that were read, if there were any.
    pub(super) read: Option<(i64, i64)>,
    /// The epoch of the account.
    pub(super) epoch: i64,
    /// The number of movements that `balances.movements` does not count: see [`CoverageRow::uncounted`].
    pub(super) uncounted: i64,
    /// Checkpoints that cover more movements than this are deleted.
    pub(super) keep_up_to: i64,
    pub(super) new: Vec<Checkpoint>,
    /// The id from which the next read starts.
    pub(super) tail_from: Id,
}

impl Checkpoint {
    fn row(&self, of: &BalanceId) -> Outcome<CheckpointRow> {
        Ok(CheckpointRow {
            account_id: of.account.clone(),
            budget_id: of.budget,
            currency: of.currency,
            covered: self.covered,
            last_at: Time(self.last.0),
            last_id: Id(self.last.1),
            tail_from: self.tail_from,
            sums: self.sums.text()?,
            journals: Bytes(self.journals.iter().flat_map(|id| *id.0.as_bytes()).collect()),
        })
    }
}

fn read(row: &CheckpointRow) -> Outcome<Checkpoint> {
    let ids = row.journals.0.chunks(16).map(|id| Uuid::from_slice(id).map(Id).map_err(corrupt));
    Ok(Checkpoint {
        covered: row.covered,
        last: (row.last_at.0, row.last_id.0),
        tail_from: row.tail_from,
        sums: KindSums::read(&row.sums)?,
        journals: ids.collect::<Outcome<_>>()?,
    })
}

/// Selects the rows of a balance in a table.
macro_rules! of_balance {
    ($table:ident, $of:expr) => {
        $table::table
            .filter($table::account_id.eq(&$of.account))
            .filter($table::budget_id.eq($of.budget))
            .filter($table::currency.eq($of.currency))
    };
}

/// Returns how far the checkpoints reach.
pub(super) fn coverage(conn: &mut Conn, of: &BalanceId) -> Outcome<Option<CoverageRow>> {
    let row = of_balance!(balance_coverage, of).select(CoverageRow::as_select());
    Ok(row.get_result(conn).optional()?)
}

/// Returns how far the checkpoints of each balance reach.
pub(super) fn all(conn: &mut Conn) -> Outcome<Vec<CoverageRow>> {
    Ok(balance_coverage::table
        .order(balance_coverage::table.primary_key())
        .select(CoverageRow::as_select())
        .load(conn)?)
}

/// Returns the last checkpoint, or the one that is `before` checkpoints before it.
pub(super) fn last(conn: &mut Conn, of: &BalanceId, before: i64) -> Outcome<Option<Checkpoint>> {
    let rows = of_balance!(balance_checkpoints, of).order(balance_checkpoints::covered.desc());
    let row = rows.limit(1).offset(before).select(CheckpointRow::as_select()).load(conn)?.pop();
    row.as_ref().map(read).transpose()
}

/// Returns the checkpoints that end in this range of numbers of covered movements, `from` excluded, `to` included.
pub(super) fn between(conn: &mut Conn, of: &BalanceId, from: i64, to: i64) -> Outcome<Vec<Checkpoint>> {
    let rows = of_balance!(balance_checkpoints, of)
        .filter(balance_checkpoints::covered.gt(from))
        .filter(balance_checkpoints::covered.le(to))
        .order(balance_checkpoints::covered)
        .select(CheckpointRow::as_select());
    rows.load(conn)?.iter().map(read).collect()
}

/// Finds the first checkpoint that covers at least `at_least` movements, and returns how many it covers.
pub(super) fn end_at(conn: &mut Conn, of: &BalanceId, at_least: i64) -> Outcome<Option<i64>> {
    let rows = of_balance!(balance_checkpoints, of).filter(balance_checkpoints::covered.ge(at_least));
    let first = rows.order(balance_checkpoints::covered).limit(1).select(balance_checkpoints::covered);
    Ok(first.load::<i64>(conn)?.pop())
}

impl Extension {
    /// Splits the extension into several, one for each of the transactions that store them in this order.
    pub(crate) fn portions(self) -> Vec<Self> {
        let Self { mut read, epoch, uncounted, mut keep_up_to, mut new, tail_from: end } = self;
        let mut portions = Vec::new();
        loop {
            let rest = new.split_off(new.len().min(ROWS_AT_ONCE));
            let next = new.last().map(|last| (last.covered, last.tail_from)).filter(|_| !rest.is_empty());
            let tail_from = next.map_or(end, |(_, tail_from)| tail_from);
            let portion = Self { read, epoch, uncounted, keep_up_to, new, tail_from };
            read = Some(portion.stored_as());
            portions.push(portion);
            let Some((covered, _)) = next else { return portions };
            (keep_up_to, new) = (covered, rest);
        }
    }

    /// Returns the epoch and the version of the checkpoints once this extension is stored.
    fn stored_as(&self) -> (i64, i64) {
        (self.epoch, self.read.map_or(1, |(_, version)| version + 1))
    }

    /// Stores the new checkpoints, unless somebody else has changed the checkpoints since they were read. Returns
    /// whether they were stored.
    pub(crate) fn store(&self, conn: &mut Conn, of: &BalanceId) -> Outcome<bool> {
        let (epoch, version) = self.stored_as();
        let stored = match self.read {
            None => diesel::insert_into(balance_coverage::table)
                .values((
                    balance_coverage::account_id.eq(&of.account),
                    balance_coverage::budget_id.eq(of.budget),
                    balance_coverage::currency.eq(of.currency),
                    balance_coverage::epoch.eq(epoch),
                    balance_coverage::version.eq(version),
                    balance_coverage::uncounted.eq(self.uncounted),
                    balance_coverage::tail_from.eq(self.tail_from),
                ))
                .on_conflict_do_nothing()
                .execute(conn)?,
            Some((read_epoch, read_version)) => diesel::update(
                of_balance!(balance_coverage, of)
                    .filter(balance_coverage::epoch.eq(read_epoch))
                    .filter(balance_coverage::version.eq(read_version)),
            )
            .set((
                balance_coverage::epoch.eq(epoch),
                balance_coverage::version.eq(version),
                balance_coverage::uncounted.eq(self.uncounted),
                balance_coverage::tail_from.eq(self.tail_from),
            ))
            .execute(conn)?,
        };
        if stored != 1 {
            return Ok(false);
        }
        let replaced = of_balance!(balance_checkpoints, of).filter(balance_checkpoints::covered.gt(self.keep_up_to));
        diesel::delete(replaced).execute(conn)?;
        statements::insert(self.new.iter().map(|new| new.row(of)).collect::<Outcome<_>>()?, conn)?;
        Ok(true)
    }
}
