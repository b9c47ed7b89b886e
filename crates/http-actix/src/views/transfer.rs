//! Transfers between budgets.

use super::scalars::Number;
use super::{DryRunView, Time};
use florin_domain::budget::TransferDone;
use florin_domain::ids::BudgetId;
use florin_domain::ledger::Balances;
use florin_domain::money::{Currency, Total};
use serde::Serialize;
use utoipa::ToSchema;

/// The response to a transfer.
#[derive(Serialize, ToSchema)]
#[schema(as = TransferAnswer)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TransferView {
    /// Always true.
    success: bool,
    /// The number of the debit among the account's numbered transactions.
    #[schema(minimum = 1)]
    debit_box_transaction_id: i64,
    /// The number of the credit: the next one.
    #[schema(minimum = 2)]
    credit_box_transaction_id: i64,
    transfer: DetailView,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    dry_run: Option<DryRunView>,
}

/// A transfer from one budget to another. Florin extension.
#[derive(Serialize, ToSchema)]
#[schema(as = Transfer)]
#[serde(rename_all = "camelCase")]
struct DetailView {
    #[schema(format = Uuid)]
    id: String,
    #[schema(value_type = String, format = DateTime)]
    created_at: Time,
    /// The balance of the paying budget after the transfer.
    source_balance: SideView,
    /// The balance of the receiving budget after the transfer.
    destination_balance: SideView,
}

/// The balance of a budget after a transfer, without its sub-budgets.
#[derive(Serialize, ToSchema)]
#[schema(as = TransferBalance)]
#[serde(rename_all = "camelCase")]
struct SideView {
    #[schema(format = Uuid)]
    budget_id: String,
    currency_code: &'static str,
    #[schema(value_type = f64)]
    available_balance: Number,
    #[schema(value_type = f64)]
    ledger_balance: Number,
    /// Held by open card authorizations, and reserved for confirmed payment batches.
    #[schema(value_type = f64)]
    pending_balance: Number,
}

impl TransferView {
    /// Builds the view of a transfer, or of its dry run.
    pub(crate) fn new(done: &TransferDone, dry_run: Option<DryRunView>) -> Self {
        let transfer = &done.transfer;
        let side =
            |budget: BudgetId, balances: &Balances| SideView::new(budget.to_string(), transfer.currency, balances);
        Self {
            success: true,
            debit_box_transaction_id: transfer.number,
            credit_box_transaction_id: transfer.credit_number(),
            transfer: DetailView {
                id: transfer.id.to_string(),
                created_at: Time(transfer.created_at),
                source_balance: side(transfer.from, &done.from),
                destination_balance: side(transfer.to, &done.to),
            },
            dry_run,
        }
    }
}

impl SideView {
    fn new(budget_id: String, currency: Currency, balances: &Balances) -> Self {
        let pending = Total::from(balances.held()).plus(balances.reserved().into());
        Self {
            budget_id,
            currency_code: currency.code(),
            available_balance: balances.available().of(currency).into(),
            ledger_balance: balances.ledger().of(currency).into(),
            pending_balance: Number(pending.of(currency)),
        }
    }
}
