//! Payments as they are typed: as JSON, as CSV, and back again.

pub(crate) mod columns;
mod guard;
mod quotes;
pub(crate) mod read_csv;
pub(crate) mod read_json;
pub(crate) mod schema;
pub(crate) mod write_csv;

#[cfg(test)]
mod round_trip;

use florin_domain::batch::PaymentRow;
use florin_domain::ids::BudgetId;

/// The rows of an upload, and what pays for those that do not say.
#[derive(Debug, Default)]
pub(crate) struct TypedPayments {
    pub(crate) default_budget: Option<BudgetId>,
    pub(crate) rows: Vec<PaymentRow>,
}
