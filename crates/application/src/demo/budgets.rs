//! Budgets with their journals. Every movement is a journal transaction, and each balance is the sum of its postings.

use super::DemoFault;
use super::ids::{Kind, id};
use chrono::{DateTime, Utc};
use florin_domain::budget::Budget;
use florin_domain::ids::{AccountId, BudgetId, JournalId};
use florin_domain::ledger::{Balances, JournalKind, JournalTransaction, Leg, Pool};
use florin_domain::money::{Currency, Minor};
use florin_ports::SeedBudget;
use uuid::Uuid;

/// Builds a budget with one currency and its journal.
pub(super) struct BudgetBuilder {
    number: u32,
    account: AccountId,
    name: &'static str,
    currency: Currency,
    balances: Balances,
    journal: Vec<JournalTransaction>,
}

/// One movement of money.
pub(super) struct Movement {
    pub(super) kind: JournalKind,
    pub(super) cause: Uuid,
    pub(super) at: DateTime<Utc>,
    pub(super) from: Pool,
    pub(super) to: Pool,
    pub(super) amount: Minor,
}

impl BudgetBuilder {
    /// Opens a budget and funds it with one credit.
    pub(super) fn open(
        (number, name): (u32, &'static str),
        account: &AccountId,
        currency: &str,
        opening: Minor,
        at: DateTime<Utc>,
    ) -> Result<Self, DemoFault> {
        let mut builder = Self {
            number,
            account: account.clone(),
            name,
            currency: Currency::parse(currency)?,
            balances: Balances::default(),
            journal: Vec::new(),
        };
        let (kind, cause) = (JournalKind::Credit, builder.next_journal_id());
        let (from, to) = (Pool::InboundPayments, Pool::Available(builder.id()));
        builder.write(&Movement { kind, cause, at, from, to, amount: opening })?;
        Ok(builder)
    }

    pub(super) fn id(&self) -> BudgetId {
        BudgetId(id(Kind::Budget, self.number))
    }

    pub(super) const fn currency(&self) -> Currency {
        self.currency
    }

    fn next_journal_id(&self) -> Uuid {
        let entries = u32::try_from(self.journal.len()).unwrap_or(u32::MAX);
        id(Kind::Journal, self.number * 1000 + entries + 1)
    }

    /// Writes a journal transaction and updates the balances.
    pub(super) fn write(&mut self, movement: &Movement) -> Result<(), DemoFault> {
        let &Movement { kind, cause, at, from, to, amount } = movement;
        let leg = Leg::new(from, to, amount)?;
        let id = JournalId(self.next_journal_id());
        let entry = JournalTransaction::new(id, self.account.clone(), (kind, cause), self.currency, at, leg)?;
        self.balances = self.balances.after(self.id(), entry.legs())?;
        self.journal.push(entry);
        Ok(())
    }

    /// Returns the budget with its balances and its journal.
    pub(super) fn build(self) -> SeedBudget {
        let budget = Budget {
            id: self.id(),
            account: self.account,
            name: self.name.into(),
            balances: vec![(self.currency, self.balances)],
        };
        SeedBudget { budget, journal: self.journal }
    }
}
