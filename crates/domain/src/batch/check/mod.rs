//! Checks of uploaded payments: every fault of every row, and what the rows mean where there is none.

use super::{Alert, AlertCode, AlertKind, PaymentInput, PaymentNetwork};
use crate::ids::BudgetId;
use crate::money::{Currency, Minor};
use chrono::{DateTime, Utc};
use std::collections::{BTreeMap, BTreeSet};

/// The budgets of an account that can pay, each with the currencies it holds.
pub type FundingBudgets = BTreeMap<BudgetId, BTreeSet<Currency>>;

/// One row of an upload.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PaymentRow {
    /// What was typed.
    pub input: PaymentInput,
    /// Set where a CSV row has more or fewer fields than the header. Then nobody knows which field is which, and
    /// nothing else of the row is checked.
    pub miscounted: Option<FieldCount>,
}

/// How many fields a CSV row has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldCount {
    /// In the row.
    pub found: usize,
    /// In the header.
    pub wanted: usize,
}

/// Rows, what they mean, and what is wrong with them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedRows {
    rows: Vec<CheckedRow>,
    alerts: Vec<Alert>,
    default_budget: Option<BudgetId>,
    funding: FundingBudgets,
}

/// A row and, where no Error stands against it, what it means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CheckedRow {
    pub(super) row: PaymentRow,
    pub(super) terms: Option<RowTerms>,
}

/// What a row means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RowTerms {
    pub(super) budget: BudgetId,
    pub(super) currency: Currency,
    pub(super) amount: Minor,
    pub(super) fee: Minor,
    pub(super) network: PaymentNetwork,
}

/// Checks rows, each on its own but for duplicates. `default_budget` pays for rows that name none; `funding` is what the
/// account can pay from. Takes time and memory in proportion to the rows.
pub fn check_rows(
    rows: Vec<PaymentRow>,
    default_budget: Option<BudgetId>,
    funding: &FundingBudgets,
    now: DateTime<Utc>,
) -> CheckedRows {
    let mut alerts = Vec::new();
    if rows.is_empty() {
        alerts.push(Alert {
            at: now,
            kind: AlertKind::Error,
            code: AlertCode::NoPayments,
            index: None,
            message: "Upload at least one payment.".into(),
        });
    }
    let rows = rows.into_iter().map(|row| CheckedRow { row, terms: None }).collect();
    CheckedRows { rows, alerts, default_budget, funding: funding.clone() }
}

impl CheckedRows {
    /// What is wrong, by input index, then as it was found.
    pub fn alerts(&self) -> &[Alert] {
        &self.alerts
    }

    /// Whether an Error stands.
    pub fn has_errors(&self) -> bool {
        self.alerts.iter().any(|alert| alert.kind == AlertKind::Error)
    }

    pub(super) fn rows(&self) -> &[CheckedRow] {
        &self.rows
    }

    pub(super) const fn default_budget(&self) -> Option<BudgetId> {
        self.default_budget
    }

    /// Whether these are the budgets that the rows were checked against.
    pub(super) fn was_against(&self, funding: &FundingBudgets) -> bool {
        self.funding == *funding
    }

    /// The rows, checked against other budgets.
    pub(super) fn against(&self, funding: &FundingBudgets, now: DateTime<Utc>) -> Self {
        let rows = self.rows.iter().map(|checked| checked.row.clone()).collect();
        check_rows(rows, self.default_budget, funding, now)
    }
}
