//! Checks of uploaded payments: every fault of every row, and what the rows mean where there is none.

mod account;
mod bic;
mod checked;
mod country;
mod destination;
mod duplicate;
mod findings;
mod modulus;
mod money;
mod network;
mod purpose;
mod recipient;
mod route;
#[cfg(test)]
mod tests;

pub(super) use checked::CheckedRow;
pub use checked::CheckedRows;
pub use modulus::{ModulusTable, ModulusTableError};

use super::{Alert, AlertCode, PaymentInput};
use crate::ids::BudgetId;
use crate::money::Currency;
use checked::RowTerms;
use chrono::{DateTime, Utc};
use duplicate::Duplicates;
use findings::Findings;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

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

/// What rows are checked against.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckBasis {
    /// The budget that pays for rows which name none.
    pub default_budget: Option<BudgetId>,
    /// What the account can pay from.
    pub funding: FundingBudgets,
    /// What sort codes and account numbers are checked by.
    pub modulus: Arc<ModulusTable>,
}

/// Checks rows, each on its own but for duplicates. Takes time and memory in proportion to the rows.
pub fn check_rows(rows: Vec<PaymentRow>, basis: CheckBasis, now: DateTime<Utc>) -> CheckedRows {
    let mut alerts = Vec::new();
    if rows.is_empty() {
        let (code, message) = (AlertCode::NoPayments, "Upload at least one payment.".into());
        alerts.push(Alert { at: now, kind: code.kind(), code, index: None, message });
    }
    let mut duplicates = Duplicates::default();
    let check = |(index, row): (u32, PaymentRow)| {
        let mut findings = Findings::of_row(index, now, &mut alerts);
        let terms = check_row(&row, &basis, (&mut duplicates, index), &mut findings);
        CheckedRow { row, terms }
    };
    let rows = (0..).zip(rows).map(check).collect();
    CheckedRows::new(rows, alerts, basis)
}

fn check_row(
    row: &PaymentRow,
    basis: &CheckBasis,
    (duplicates, index): (&mut Duplicates, u32),
    findings: &mut Findings<'_>,
) -> Option<RowTerms> {
    if let Some(FieldCount { found, wanted }) = row.miscounted {
        let message =
            format!("The row has {found} fields and the header {wanted}. Look for a comma that needs quotes.");
        findings.say(AlertCode::WrongNumberOfFields, message);
        return None;
    }
    let input = &row.input;
    let currency = money::currency(input, findings);
    let amount = money::amount(input, currency, findings);
    let budget = money::budget(input, currency, (basis.default_budget, &basis.funding), findings);
    recipient::recipient(input, findings);
    let destination = account::destination(input, &basis.modulus, findings);
    let network = route::network(input, currency, &destination, findings);
    route::reach(input, network, &destination, findings);
    route::countries(input, findings);
    route::purpose(input, currency, &destination, findings);
    route::reference(input, network, findings);
    recipient::texts(input, findings);
    if let (Some(account), Some(currency), Some(amount)) = (destination.key(), currency, amount) {
        let earlier = duplicates.earlier(account, (currency, amount), input.effective_reference(), index);
        if let Some(earlier) = earlier {
            let message = format!("Row {earlier} (counted from 0) pays the same to the same account. Is one too many?");
            findings.say(AlertCode::DuplicatePayment, message);
        }
    }
    let (currency, amount, budget, network) = (currency?, amount?, budget?, network?);
    let fee = network.fee(currency);
    (!findings.has_errors()).then_some(RowTerms { budget, currency, amount, fee, network })
}
