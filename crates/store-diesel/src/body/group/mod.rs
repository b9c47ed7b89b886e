//! A group of commands on one working set: loaded with a few statements, decided sequentially in memory, stored with a
//! few statements.
//!
//! A command states its footprint and is then executed on the [`WorkingSet`]: it reads, calls its rule, and only then
//! stages changes. A refusal, an absence or a panic of a rule therefore leaves the working set unchanged and does not
//! affect other commands of the group. A command sees the changes that earlier commands staged.

mod footprint;
mod recorded;
mod under_claim;

pub(crate) use footprint::{Footprint, Key, RecordKey, record_key};
pub(crate) use recorded::RecordedCommand;
pub(crate) use under_claim::under_claim;

use super::backend::{self, Changes, Conn};
use super::balances::BalanceSet;
use super::batches::Batches;
use super::body;
use super::cards::Cards;
use super::credits::Counted;
use super::errors::{Outcome, corrupt};
use super::journal::Journal;
use super::mfa::Authentication;
use super::payments::{Bank, Events, Statuses};
use super::repeat::Records;
use super::statements::load_two;
use super::tables::money::{BudgetsById, LockedCounters};
use super::transfers::NewTransfers;
use super::types::Time;
use chrono::DateTime;
use florin_domain::batch::{AllPayments, BatchBalances, PaymentBatch};
use florin_domain::ids::AccountId;
use florin_domain::ledger::JournalTransaction;
use florin_ports::WriteError;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Work that is decided under the lock, in a group with other commands.
pub(crate) trait Command: Send + 'static {
    /// The result of the command.
    type Done: Send + 'static;
    /// The refusal of its rule.
    type Refused: Send + 'static;

    /// Adds the rows that it reads and locks.
    fn footprint(&self, footprint: &mut Footprint);

    /// Decides on the working set and stages the changes. After an error, only counted attempts are staged. It may be
    /// called again on another working set.
    fn execute(&self, working_set: &mut WorkingSet) -> Result<Self::Done, WriteError<Self::Refused>>;
}

/// The rows of a group in memory.
pub(crate) struct WorkingSet {
    /// The balances of budgets.
    pub(crate) balance_set: BalanceSet,
    /// New transactions of the journal.
    pub(crate) journal: Journal,
    /// Batches.
    pub(crate) batches: Batches,
    /// New statuses that apply to all payments of a batch.
    pub(crate) payments: Statuses,
    /// New events.
    pub(crate) events: Events,
    /// Payments that the sandbox's bank accepted.
    pub(crate) bank: Bank,
    /// Sessions and enrolments.
    pub(crate) mfa: Authentication,
    /// Credits.
    pub(crate) credits: Counted,
    /// Transfers.
    pub(crate) transfers: NewTransfers,
    /// Idempotency records.
    pub(crate) records: Records,
    /// Cards and their messages.
    pub(crate) cards: Cards,
}

impl WorkingSet {
    /// Locks and loads the rows of a footprint.
    ///
    /// Locks come first, in the same order in all programs: balances by account, budget and currency, batches and
    /// sessions by account and id, enrolments and counters by account. Everything else belongs to a locked row and is
    /// read by later statements, which see what the last holder of the locks left.
    pub(crate) fn load(conn: &mut Conn, footprint: &Footprint) -> Outcome<Self> {
        let (balances, records) = backend::lock_balances(conn, footprint)?;
        let balance_set = BalanceSet::of_rows(balances)?;
        let (batches, mfa) = Batches::load(conn, footprint)?;
        let (counters, budgets) = load_two::<LockedCounters, BudgetsById>(
            footprint.counters.iter().cloned(),
            footprint.budgets.iter().cloned(),
            conn,
        )?;
        batches.must_be_covered(conn, footprint, &balance_set)?;
        Ok(Self {
            batches,
            payments: Statuses::default(),
            events: Events::default(),
            bank: Bank::load(conn, footprint)?,
            records: Records::of(records),
            cards: Cards::load(conn, footprint)?,
            balance_set: balance_set.named(budgets),
            journal: Journal::default(),
            transfers: NewTransfers::default(),
            mfa,
            credits: Counted::of(counters),
        })
    }

    /// Stages a movement of an account's money: the transactions of the journal and the resulting balances.
    pub(crate) fn move_money(&mut self, account: &AccountId, journal: &[JournalTransaction], balances: &BatchBalances) {
        for transaction in journal {
            self.journal.add(transaction);
        }
        for (key, after) in balances {
            self.balance_set.change(account, *key, *after);
        }
    }

    /// Stages a change of all payments of a batch. Confirmed payments are due immediately; cancelled ones end the work.
    pub(crate) fn all_become(&mut self, batch: &PaymentBatch, all: AllPayments) {
        if batch.input.is_some() {
            let work_at = (all == AllPayments::Confirmed).then_some(Time(DateTime::UNIX_EPOCH));
            self.batches.work_at(batch, work_at);
            self.payments.all_become(batch, all.status());
        }
    }

    /// Stores all staged changes.
    pub(crate) fn store(mut self, conn: &mut Conn) -> Outcome<()> {
        self.records.must_be_missing(conn)?;
        let mut changes = Changes::on(conn);
        self.journal.store(&mut changes)?;
        self.cards.store(&mut changes)?;
        self.credits.store(&mut changes)?;
        self.transfers.store(&mut changes)?;
        self.mfa.store(&mut changes)?;
        self.batches.store(&mut changes)?;
        self.payments.store(&mut changes)?;
        self.events.store(&mut changes)?;
        self.bank.store(&mut changes)?;
        self.balance_set.store(&mut changes)?;
        self.records.store(&mut changes)?;
        changes.store()
    }
}

/// Calls a caller's function: a rule, or the function that renders its answer. A panic in it affects that caller alone.
pub(crate) fn ask<T>(rule: impl FnOnce() -> T) -> Outcome<T> {
    catch_unwind(AssertUnwindSafe(rule))
        .map_err(|panic| corrupt(format!("a decision panicked: {}", text_of(panic.as_ref()))))
}

/// Returns the message of a panic.
pub(crate) fn text_of(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
}
