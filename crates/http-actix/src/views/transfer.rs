//! Transfers between budgets in responses.

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
    /// The number of the debit in the account's sequence.
    #[schema(minimum = 1)]
    debit_box_transaction_id: i64,
    /// The number of the credit in the account's sequence: the one after that of the debit.
    #[schema(minimum = 2)]
    credit_box_transaction_id: i64,
    /// The transfer.
    transfer: DetailView,
    /// The changes that the request would make. Only with `dryRun=true`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    dry_run: Option<DryRunView>,
}

/// A transfer from one budget to another. Florin extension.
#[derive(Serialize, ToSchema)]
#[schema(as = Transfer)]
#[serde(rename_all = "camelCase")]
struct DetailView {
    /// The id of the transfer.
    #[schema(format = Uuid)]
    id: String,
    /// When the money moved.
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
    /// The id of the budget.
    #[schema(format = Uuid)]
    budget_id: String,
    /// ISO 4217, alphabetic.
    currency_code: &'static str,
    /// The available balance.
    #[schema(value_type = f64)]
    available_balance: Number,
    /// The ledger balance.
    #[schema(value_type = f64)]
    ledger_balance: Number,
    /// The amount held by open card authorizations and reserved for confirmed payment batches.
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
