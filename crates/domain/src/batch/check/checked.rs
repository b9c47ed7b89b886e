//! The rows of an upload after the checks.

use super::{CheckBasis, FundingBudgets, PaymentRow, check_rows};
use crate::batch::{Alert, AlertKind, PaymentNetwork};
use crate::ids::BudgetId;
use crate::money::{Currency, Minor};
use chrono::{DateTime, Utc};

/// Checked rows with their terms and alerts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedRows {
    rows: Vec<CheckedRow>,
    alerts: Vec<Alert>,
    basis: CheckBasis,
}

/// A checked row. It has terms if it has no Error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::batch) struct CheckedRow {
    pub(in crate::batch) row: PaymentRow,
    pub(in crate::batch) terms: Option<RowTerms>,
}

/// The terms of a payment: the values that the checks derived from the row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::batch) struct RowTerms {
    pub(in crate::batch) budget: BudgetId,
    pub(in crate::batch) currency: Currency,
    pub(in crate::batch) amount: Minor,
    pub(in crate::batch) fee: Minor,
    pub(in crate::batch) network: PaymentNetwork,
}

impl CheckedRows {
    pub(super) const fn new(rows: Vec<CheckedRow>, alerts: Vec<Alert>, basis: CheckBasis) -> Self {
        Self { rows, alerts, basis }
    }

    /// Returns the alerts by input index, then in the order in which they were found.
    pub fn alerts(&self) -> &[Alert] {
        &self.alerts
    }

    /// Returns whether any alert is an Error.
    pub fn has_errors(&self) -> bool {
        self.alerts.iter().any(|alert| alert.kind == AlertKind::Error)
    }

    pub(in crate::batch) fn rows(&self) -> &[CheckedRow] {
        &self.rows
    }

    pub(in crate::batch) const fn default_budget(&self) -> Option<BudgetId> {
        self.basis.default_budget
    }

    /// Returns whether the rows were checked against these budgets.
    pub(in crate::batch) fn were_checked_against(&self, funding: &FundingBudgets) -> bool {
        self.basis.funding == *funding
    }

    /// Checks the rows again, against other budgets.
    pub(in crate::batch) fn checked_against(&self, funding: &FundingBudgets, now: DateTime<Utc>) -> Self {
        let rows = self.rows.iter().map(|checked| checked.row.clone()).collect();
        check_rows(rows, CheckBasis { funding: funding.clone(), ..self.basis.clone() }, now)
    }
}
