//! New transfers.

use super::body::backend::Changes;
use super::body::errors::Outcome;
use super::body::tables::money::TransferRow;
use super::body::types::{Account, Currency, Id, Time};
use florin_domain::budget::Transfer;

/// The new transfers of a group.
#[derive(Default)]
pub(crate) struct NewTransfers(Vec<Transfer>);

impl NewTransfers {
    /// Stages a transfer.
    pub(crate) fn add(&mut self, transfer: &Transfer) {
        self.0.push(transfer.clone());
    }

    /// Whether a transfer is staged.
    pub(crate) const fn changes_activity(&self) -> bool {
        !self.0.is_empty()
    }

    /// Stores the staged changes. The transfers receive this position.
    pub(crate) fn store(self, changes: &mut Changes<'_>, position: i64) -> Outcome<()> {
        changes.insert(self.0.iter().map(|transfer| TransferRow::of(transfer, position)).collect())
    }
}

impl TransferRow {
    fn of(transfer: &Transfer, position: i64) -> Self {
        Self {
            account_id: Account(transfer.account.clone()),
            id: Id(transfer.id.0),
            from_budget_id: Id(transfer.from.0),
            to_budget_id: Id(transfer.to.0),
            currency: Currency(transfer.currency),
            amount_minor: transfer.amount.0,
            journal_id: Id(transfer.journal.0),
            reference: transfer.reference.clone(),
            created_at: Time(transfer.created_at),
            number: transfer.number,
            position,
        }
    }
}
