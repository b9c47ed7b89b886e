//! Checks of uploaded payments. The checks report all errors of every row, and determine budget, amount, fee and
//! network of rows without errors.

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
mod texts;

pub(crate) use account::compact;
pub(crate) use bic::country_of;
pub(super) use checked::CheckedRow;
pub use checked::CheckedRows;
pub use modulus::{ModulusTable, ModulusTableError};
pub use texts::max_text_length;

use super::{Alert, AlertCode, PaymentInput};
use crate::ids::BudgetId;
use crate::money::Currency;
use checked::RowTerms;
use chrono::{DateTime, Utc};
use duplicate::Duplicates;
use findings::Findings;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The budgets of an account with the feature `payments`, each with the currencies that it holds.
pub type FundingBudgets = BTreeMap<BudgetId, BTreeSet<Currency>>;

/// One row of an upload.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PaymentRow {
    /// The payment as uploaded.
    pub input: PaymentInput,
    /// The number of fields, if a CSV row has more or fewer fields than the header. Such fields can't be assigned to
    /// columns, so nothing else of the row is checked.
    pub miscounted: Option<FieldCount>,
}

/// The number of fields of a CSV row and of its header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldCount {
    /// The line on which the row begins, from 1.
    pub line: usize,
    /// The character that separates the fields.
    pub separator: Separator,
    /// Whether all fields beyond those of the header are empty.
    pub ends_empty: bool,
    /// Number of fields in the row.
    pub found: usize,
    /// Number of fields in the header.
    pub expected: usize,
}

impl FieldCount {
    fn message(self) -> String {
        let Self { line, separator, ends_empty, found, expected } = self;
        let name = separator.name();
        let advice = if ends_empty {
            format!("remove the {name} at its end")
        } else {
            format!("quote values that contain a {name}")
        };
        format!("the row on line {line} must have {expected} fields, like the header (got {found}); {advice}")
    }
}

/// The character that separates the fields of a CSV.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Separator {
    /// A comma.
    #[default]
    Comma,
    /// A semicolon.
    Semicolon,
}

impl Separator {
    const fn name(self) -> &'static str {
        match self {
            Self::Comma => "comma",
            Self::Semicolon => "semicolon",
        }
    }
}

/// The data that rows are checked against: budgets, and the table for the modulus check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckBasis {
    /// The budget that pays for rows that name none.
    pub default_budget: Option<BudgetId>,
    /// The budgets that can pay.
    pub funding: FundingBudgets,
    /// The table for the modulus check.
    pub modulus: Arc<ModulusTable>,
}

/// Checks rows. Except for duplicates, each row is checked independently. Time and memory are linear in the number of
/// rows.
pub fn check_rows(rows: Vec<PaymentRow>, basis: CheckBasis, now: DateTime<Utc>) -> CheckedRows {
    let mut alerts = Vec::new();
    if rows.is_empty() {
        let (code, message) = (AlertCode::NoPayments, "payments must have at least one entry".into());
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
    if let Some(count) = row.miscounted {
        findings.add(AlertCode::WrongNumberOfFields, count.message());
        return None;
    }
    let input = &row.input;
    let currency = money::currency(input, findings);
    let amount = money::amount(input, currency, findings);
    let budget = money::budget(input, currency, (basis.default_budget, &basis.funding), findings);
    recipient::recipient(input, findings);
    let destination = account::destination(input, &basis.modulus, findings);
    let network = route::network(input, currency, &destination, findings);
    route::reachability(input, network, &destination, findings);
    route::countries(input, findings);
    route::purpose(input, currency, &destination, findings);
    route::reference(input, network, findings);
    texts::texts(input, findings);
    if let (Some(account), Some(currency), Some(amount)) = (destination.key(), currency, amount) {
        let earlier = duplicates.earlier(account, (currency, amount), input.effective_reference(), index);
        if let Some(earlier) = earlier {
            let message = format!(
                "may be a duplicate of row {earlier} (counting from 0): same account, amount, currency and reference"
            );
            findings.add(AlertCode::DuplicatePayment, message);
        }
    }
    let (currency, amount, budget, network) = (currency?, amount?, budget?, network?);
    let fee = network.fee(currency);
    (!findings.has_errors()).then_some(RowTerms { budget, currency, amount, fee, network })
}
