//! The payments of an upload in JSON.

use florin_domain::batch::PaymentRow;
use florin_domain::ids::BudgetId;

/// Maximum number of rows of an upload in JSON.
pub(super) const MAX_ROWS: usize = 3_000;
/// Maximum number of e-mail addresses of one recipient.
pub(super) const MAX_EMAILS: usize = 100;

/// A JSON upload: its rows, and the budget that funds the rows without a budget of their own.
#[derive(Debug, Default)]
pub(crate) struct JsonUpload {
    pub(crate) default_budget: Option<BudgetId>,
    pub(crate) rows: Vec<PaymentRow>,
}
