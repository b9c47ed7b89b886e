//! New credits, and the counters of accounts.

use super::body::backend::Changes;
use super::body::errors::{Outcome, corrupt};
use super::body::legs::{hash_column, link};
use super::body::tables::money::{CounterChange, CounterRow, CreditRow};
use super::body::types::{Account, Currency, Id, Named, Time};
use super::tracked::Tracked;
use florin_domain::budget::CreditDecision;
use florin_domain::ids::{AccountId, BudgetId};
use florin_domain::ledger::Link;
use florin_domain::text::Text;
use florin_ports::CreditCommand;

/// The new credits of a group, and the counters of accounts.
#[derive(Default)]
pub(crate) struct NewCredits {
    counters: Tracked<AccountId, Counter>,
    new: Vec<CreditRow>,
}

/// The counters of an account.
#[derive(Clone, Copy)]
struct Counter {
    /// The last number that was used.
    number: i64,
    /// The last link of the hash chain of its settlements.
    last: Link,
}

impl NewCredits {
    /// Builds the value from counters, which are locked.
    pub(crate) fn of(rows: Vec<CounterRow>) -> Outcome<Self> {
        let counter = |row: CounterRow| {
            let last = link(row.last_link, row.last_hash.as_ref())?;
            Ok((row.account_id.0, Counter { number: row.last_number, last }))
        };
        Ok(Self { counters: rows.into_iter().map(counter).collect::<Outcome<_>>()?, new: Vec::new() })
    }

    /// Whether the account exists: whether its counter was loaded and locked.
    pub(crate) fn has_account(&self, account: &AccountId) -> bool {
        self.counters.get(account).is_some()
    }

    /// Returns the next number of the account.
    pub(crate) fn next_number(&self, account: &AccountId) -> Outcome<i64> {
        let last = self.counters.get(account).ok_or_else(|| corrupt("an account without a counter"))?;
        last.number.checked_add(1).ok_or_else(|| corrupt("all numbers are used"))
    }

    /// Stages a credit.
    pub(crate) fn add(&mut self, command: &CreditCommand, decision: &CreditDecision) {
        self.set_last_number(&command.account, decision.credit.box_transaction_id);
        self.new.push(CreditRow::of(decision, command.budget));
    }

    /// Stages the last number that was used. The counters of the account must have been loaded.
    pub(crate) fn set_last_number(&mut self, account: &AccountId, number: i64) {
        self.change(account, |counter| Counter { number, ..counter });
    }

    /// Returns the last link of the hash chain of the account's settlements. `None` if its counters were not loaded.
    pub(super) fn last_link(&self, account: &AccountId) -> Option<Link> {
        self.counters.get(account).map(|counter| counter.last)
    }

    /// Stages the last link of the hash chain of the account's settlements. The counters of the account must have been
    /// loaded.
    pub(super) fn set_last_link(&mut self, account: &AccountId, last: Link) {
        self.change(account, |counter| Counter { last, ..counter });
    }

    fn change(&mut self, account: &AccountId, change: impl FnOnce(Counter) -> Counter) {
        if let Some(counter) = self.counters.get(account).copied() {
            self.counters.change(account.clone(), change(counter));
        }
    }

    /// Stores the staged changes.
    pub(crate) fn store(self, changes: &mut Changes<'_>) -> Outcome<()> {
        let change = |(account, Counter { number, last })| CounterChange {
            last_number: number,
            last_link: last.number,
            last_hash: hash_column(last),
            account_id: Account(account),
        };
        changes.update(self.counters.into_changes().map(change).collect())?;
        changes.insert(self.new)
    }
}

impl CreditRow {
    fn of(CreditDecision { credit, journal, .. }: &CreditDecision, budget: BudgetId) -> Self {
        let sent = credit.instruction.clone();
        Self {
            account_id: Account(credit.account.clone()),
            number: credit.box_transaction_id,
            budget_id: Id(budget.0),
            journal_id: Id(journal.id.0),
            currency: Currency(sent.currency),
            amount_minor: credit.amount.0,
            scheme: Named(sent.scheme),
            remitters_name: sent.remitters_name.into_string(),
            remitters_address: sent.remitters_address.into_string(),
            beneficiary_name: sent.beneficiary_name.into_string(),
            reference: sent.reference.map(Text::into_string),
            bank_identifier: sent.bank_identifier.map(Text::into_string),
            account_identifier: sent.account_identifier.map(Text::into_string),
            order_id: sent.order_id.map(Text::into_string),
            third_party_reference: sent.third_party_reference.map(Text::into_string),
            institution_name: sent.institution_name.map(Text::into_string),
            institution_address: sent.institution_address.map(Text::into_string),
            available_minor: credit.balances.available().0,
            held_minor: credit.balances.held().0,
            reserved_minor: credit.balances.reserved().0,
            created_at: Time(credit.created_at),
        }
    }
}
