//! New credits, and the last numbers of accounts.

use super::body::backend::Changes;
use super::body::errors::{Outcome, corrupt};
use super::body::tables::money::{CounterChange, CounterRow, CreditRow};
use super::body::types::{Account, Currency, Id, Named, Time};
use super::tracked::Tracked;
use florin_domain::budget::CreditDecision;
use florin_domain::ids::{AccountId, BudgetId};
use florin_domain::text::Text;
use florin_ports::CreditCommand;

/// The new credits of a group, and the last numbers of their accounts.
#[derive(Default)]
pub(crate) struct NewCredits {
    last: Tracked<AccountId, i64>,
    new: Vec<CreditRow>,
}

impl NewCredits {
    /// Builds the value from counters, which are locked.
    pub(crate) fn of(rows: Vec<CounterRow>) -> Self {
        Self { last: rows.into_iter().map(|row| (row.account_id.0, row.last_number)).collect(), new: Vec::new() }
    }

    /// Whether the account exists: whether its counter was loaded and locked.
    pub(crate) fn has(&self, account: &AccountId) -> bool {
        self.last.get(account).is_some()
    }

    /// Returns the next number of the account.
    pub(crate) fn next(&self, account: &AccountId) -> Outcome<i64> {
        let last = self.last.get(account).ok_or_else(|| corrupt("an account without a counter"))?;
        last.checked_add(1).ok_or_else(|| corrupt("all numbers are used"))
    }

    /// Stages a credit.
    pub(crate) fn add(&mut self, command: &CreditCommand, decision: &CreditDecision) {
        self.last.change(command.account.clone(), decision.credit.box_transaction_id);
        self.new.push(CreditRow::of(decision, command.budget));
    }

    /// Stages the last number that was used.
    pub(crate) fn used(&mut self, account: &AccountId, number: i64) {
        self.last.change(account.clone(), number);
    }

    /// Stores the staged changes.
    pub(crate) fn store(self, changes: &mut Changes<'_>) -> Outcome<()> {
        let now = |(account, last_number)| CounterChange { last_number, account_id: Account(account) };
        changes.update(self.last.into_changes().map(now).collect())?;
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
