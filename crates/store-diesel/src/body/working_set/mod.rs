//! The rows that a group of commands works on, in memory: loaded with a few statements, and stored with a few.

mod balances;
mod bank;
mod batches;
mod cards;
mod credits;
mod events;
mod hash_chains;
mod journal;
mod mfa;
mod records;
mod staged_payments;
mod tracked;
mod transfers;

pub(crate) use cards::KnownCard;
pub(crate) use records::Records;

use super::backend::{Changes, Conn};
use super::body;
use super::driver;
use super::errors::Outcome;
use super::footprint::Footprint;
use super::statements::load_two;
use super::tables::money::{BudgetsById, LockedCounters};
use super::types::Time;
use balances::BalanceSet;
use bank::Bank;
use batches::Batches;
use cards::Cards;
use chrono::DateTime;
use credits::NewCredits;
use events::Events;
use florin_domain::batch::{BatchBalances, BulkStatus, PaymentBatch};
use florin_domain::ids::{AccountId, BudgetId};
use florin_domain::ledger::JournalTransaction;
use florin_domain::money;
use hash_chains::HashChains;
use journal::Journal;
use mfa::MfaSet;
use staged_payments::StagedPayments;
use std::collections::BTreeMap;
use transfers::NewTransfers;

/// The rows of a group in memory.
pub(crate) struct WorkingSet {
    /// The balances of budgets.
    pub(crate) balance_set: BalanceSet,
    /// New transactions of the journal.
    pub(crate) journal: Journal,
    /// Batches.
    pub(crate) batches: Batches,
    /// Staged changes of payments.
    pub(crate) payments: StagedPayments,
    /// New events.
    pub(crate) events: Events,
    /// Payments that the sandbox's bank accepted.
    pub(crate) bank: Bank,
    /// Sessions and enrolments.
    pub(crate) mfa: MfaSet,
    /// Credits.
    pub(crate) credits: NewCredits,
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
    /// Locks come first, in the same order in all programs: balances by account, budget and currency, batches by
    /// account and id, enrolments and counters by account. Everything else belongs to a locked row and is read by later
    /// statements, which see what the previous transaction with these locks stored.
    pub(crate) fn load(conn: &mut Conn, footprint: &Footprint) -> Outcome<Self> {
        let (balances, records) = driver::lock_balances(conn, footprint)?;
        let balance_set = BalanceSet::of_rows(balances)?;
        let (batches, mfa) = Batches::load(conn, footprint)?;
        let (counters, budgets) = load_two::<LockedCounters, BudgetsById>(
            footprint.counters.iter().cloned(),
            footprint.budgets.iter().cloned(),
            conn,
        )?;
        batches.require_locked_funds(conn, footprint, &balance_set)?;
        Ok(Self {
            batches,
            payments: StagedPayments::default(),
            events: Events::default(),
            bank: Bank::load(conn, footprint)?,
            records: Records::of(records),
            cards: Cards::load(conn, footprint)?,
            balance_set: balance_set.with_budgets(budgets)?,
            journal: Journal::default(),
            transfers: NewTransfers::default(),
            mfa,
            credits: NewCredits::of(counters)?,
        })
    }

    /// Stages journal transactions of an account and the resulting balances.
    pub(crate) fn move_money(&mut self, account: &AccountId, journal: &[JournalTransaction], balances: &BatchBalances) {
        for transaction in journal {
            self.journal.add(transaction);
        }
        for (key, after) in balances {
            self.balance_set.change(account, *key, *after);
        }
    }

    /// Stages the last number of each balance, for movements that are staged.
    pub(crate) fn number_movements(
        &mut self,
        account: &AccountId,
        numbers: &BTreeMap<(BudgetId, money::Currency), i64>,
    ) {
        for (balance, number) in numbers {
            self.balance_set.set_last_number(account, *balance, *number);
        }
        if let Some(last) = numbers.values().max() {
            self.credits.set_last_number(account, *last);
        }
    }

    /// Stages a new status of all payments of a batch. After a confirmation, the batch has work immediately; after a
    /// cancellation, it has none.
    pub(crate) fn change_all_payments(&mut self, batch: &PaymentBatch, all: BulkStatus) {
        if batch.input.is_some() {
            let work_at = (all == BulkStatus::Confirmed).then_some(Time(DateTime::UNIX_EPOCH));
            self.batches.set_work_at(batch, work_at);
            self.payments.change_all(batch, all.status());
        }
    }

    /// Stores the staged transactions of the journal, with the ends of their hash chains and the counts of movements.
    pub(crate) fn store_journal(mut self, conn: &mut Conn, position: i64) -> Outcome<()> {
        self.balance_set.count_movements(self.journal.movements())?;
        let mut changes = Changes::on(conn);
        let mut chains = HashChains { balance_set: &mut self.balance_set, credits: &mut self.credits };
        self.journal.store(&mut changes, position, &mut chains)?;
        self.credits.store(&mut changes)?;
        self.balance_set.store(&mut changes)?;
        changes.store()
    }

    /// Stores all staged changes.
    pub(crate) fn store(mut self, conn: &mut Conn) -> Outcome<()> {
        self.records.check_refusals(conn)?;
        let changes_activity = self.cards.changes_activity()
            || self.journal.changes_activity()
            || self.transfers.changes_activity()
            || self.payments.changes_activity();
        let (events, position) = self.events.rows(conn, changes_activity)?;
        self.balance_set.count_movements(self.journal.movements())?;
        let mut changes = Changes::on(conn);
        let mut chains = HashChains { balance_set: &mut self.balance_set, credits: &mut self.credits };
        self.journal.store(&mut changes, position, &mut chains)?;
        self.cards.store(&mut changes, position)?;
        self.credits.store(&mut changes)?;
        self.transfers.store(&mut changes, position)?;
        self.mfa.store(&mut changes)?;
        self.batches.store(&mut changes)?;
        self.payments.store(&mut changes, position)?;
        events.store(&mut changes)?;
        self.bank.store(&mut changes)?;
        self.balance_set.store(&mut changes)?;
        self.records.store(&mut changes)?;
        changes.store()
    }
}
